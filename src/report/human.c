/* Numbers, sizes, shares and times for people. */
#include "report/human.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "base/time.h"
#include "query/extjson.h"

ag_str ag_human_count(uint64_t n, ag_arena *arena)
{
	char text[AG_NUM_MAX];

	return ag_str_dup(arena, ag_str_make(text, ag_num_grouped(text, n)));
}

ag_str ag_human_documents(uint64_t n, ag_arena *arena)
{
	return ag_str_printf(arena, "%.*s document%s", AG_FMT(ag_human_count(n, arena)),
	                     n == 1 ? "" : "s");
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

ag_str ag_human_duration(int64_t ms, ag_arena *arena)
{
	const int64_t s = ms / 1000;

	if (ms < 0)
		return AG_S("");
	if (ms == 0)
		return AG_S("<1 ms");
	if (ms < 100)
		return ag_str_printf(arena, "%d ms", (int)ms);
	if (s < 60)
		return ag_str_printf(arena, ms < 9950 ? "%.1f s" : "%.0f s", (double)ms / 1000);
	if (s < 3600)
		return ag_str_printf(arena, "%d min %d s", (int)(s / 60), (int)(s % 60));
	return ag_str_printf(arena, "%lld h %d min", (long long)(s / 3600), (int)(s / 60 % 60));
}

ag_str ag_human_value(const ag_val *v, bool utf8, ag_arena *arena)
{
	const ag_str text = v ? ag_extjson_str(arena, v, AG_EXTJSON_SHELL) : AG_S("(missing)");
	ag_buf out = AG_BUF_INIT(4 * 1024 * 1024);
	ag_str ret;

	if (!v || v->type != AG_T_STRING || !utf8)
		return text;
	for (size_t i = 0; i < text.len; i++) {
		const bool is_odd = text.ptr[i] == ' ' && i > 0 && i + 1 < text.len &&
		                    (i == 1 || i + 2 == text.len || text.ptr[i - 1] == ' ' ||
		                     text.ptr[i + 1] == ' ');

		ag_buf_add(&out, is_odd ? AG_S("·") : ag_str_make(text.ptr + i, 1));
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_ink ag_severity_ink(ag_str severity)
{
	if (ag_str_eqc(severity, "critical"))
		return AG_INK_ALARM;
	if (ag_str_eqc(severity, "high"))
		return AG_INK_RED;
	return ag_str_eqc(severity, "medium") ? AG_INK_YELLOW : AG_INK_BLUE;
}
