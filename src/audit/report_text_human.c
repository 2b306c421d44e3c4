/* Numbers, sizes, shares and times for people, and the tolerant way to read a report. */
#include <math.h>
#include <stdio.h>

#include "audit/report_text_parts.h"
#include "base/num.h"
#include "base/time.h"

ag_str ag_human_count(uint64_t n, ag_arena *arena)
{
	char text[AG_NUM_MAX];

	return ag_str_dup(arena, ag_str_make(text, ag_num_grouped(text, n)));
}

ag_str ag_human_bytes(uint64_t n, ag_arena *arena)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
	double v = (double)n;
	size_t unit = 0;

	if (n < 1000)
		return ag_str_printf(arena, "%u bytes", (unsigned)n);
	for (v /= 1000; v >= 999.5 && unit + 1 < AG_NELEM(units); v /= 1000)
		unit++;
	return ag_str_printf(arena, v < 9.95 ? "%.1f %s" : "%.0f %s", v, units[unit]);
}

/* Three digits at most, and towards the middle: 99.97% is not "100%". */
ag_str ag_human_share(uint64_t part, uint64_t whole, ag_arena *arena)
{
	double p = whole ? (double)part / (double)whole * 100 : 0;
	int digits = p >= 10 ? 1 : p >= 1 ? 2 : 3;
	double unit = digits == 1 ? 0.1 : digits == 2 ? 0.01 : 0.001;
	char text[32];
	size_t n;

	if (!whole || part == 0)
		return AG_S("0%");
	if (part >= whole)
		return AG_S("100%");
	if (p < 0.001)
		return AG_S("<0.001%");
	if (p > 99.9)
		return AG_S(">99.9%");
	p = round(p / unit) * unit;
	n = (size_t)snprintf(text, sizeof(text), "%.*f", digits, p);
	while (n && text[n - 1] == '0')
		n--;
	if (n && text[n - 1] == '.')
		n--;
	return ag_str_printf(arena, "%.*s%%", (int)n, text);
}

ag_str ag_human_time(ag_str iso, ag_arena *arena)
{
	int64_t ms;
	ag_civil c;

	if (!ag_time_parse_iso(iso, &ms))
		return iso;
	c = ag_time_to_civil(ms);
	return ag_str_printf(arena, "%04d-%02d-%02d %02d:%02d:%02d UTC", (int)c.year, c.month,
	                     c.day, c.hour, c.minute, c.second);
}

ag_ink ag_severity_ink(ag_str severity)
{
	if (ag_str_eqc(severity, "critical"))
		return AG_INK_ALARM;
	if (ag_str_eqc(severity, "high"))
		return AG_INK_RED;
	return ag_str_eqc(severity, "medium") ? AG_INK_YELLOW : AG_INK_BLUE;
}

const ag_val *ag_rt_get(const ag_val *v, const char *name)
{
	return v ? ag_val_getc(v, name) : NULL;
}

ag_str ag_rt_str(const ag_val *v, const char *name)
{
	const ag_val *m = ag_rt_get(v, name);

	return m && m->type == AG_T_STRING ? ag_val_text(m) : AG_S("");
}

uint64_t ag_rt_count(const ag_val *v, const char *name)
{
	const ag_val *m = ag_rt_get(v, name);
	int64_t i;

	return m && ag_val_to_i64(m, &i) && i > 0 ? (uint64_t)i : 0;
}

double ag_rt_number(const ag_val *v, const char *name)
{
	const ag_val *m = ag_rt_get(v, name);

	return m && ag_type_is_number(m->type) ? ag_val_number(m) : 0;
}

const ag_val *ag_rt_items(const ag_val *v, const char *name, size_t *ret_n)
{
	const ag_val *m = ag_rt_get(v, name);

	*ret_n = m && m->type == AG_T_ARRAY ? m->n : 0;
	return *ret_n ? m->u.items : NULL;
}

void ag_rt_row(ag_rt *t, size_t at, const char *label, ag_str text)
{
	ag_paint_to(&t->p, at);
	ag_paint_lit(&t->p, AG_INK_DIM, label);
	ag_paint_to(&t->p, at + AG_RT_LABEL_COLUMNS);
	ag_paint_wrap(&t->p, AG_INK_PLAIN, at + AG_RT_LABEL_COLUMNS, text);
	ag_paint_nl(&t->p);
}
