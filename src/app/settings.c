/* Values: from text, with the limits of their row, and back to text.
 *
 * ag_settings_set() is the only writer, so no value enters unchecked. Files and the environment are read in
 * settings_yaml.c and settings_env.c. */
#include "app/settings.h"

#include <stdio.h>

#include "base/json.h"
#include "base/num.h"
#include "base/time.h"
#include "base/utf8.h"
#include "store/store.h"

#define ORIGIN         "app.settings"
#define MAX_TEXT_BYTES 4096
#define SHOWN_CHARS    40 /* of a wrong value, in its error */

/* base: an ag_settings or an ag_model_setting, as the row's table has it. */
static void *field(const void *base, const ag_setting *row)
{
	/* The one place where a row becomes memory; callers that only read cast to const again. */
	return (void *)((uintptr_t)base + row->offset);
}

int ag_settings_find(ag_str key)
{
	size_t n;
	const ag_setting *t = ag_settings_table(&n);

	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(key, t[i].key))
			return (int)i;
	}
	return -1;
}

void ag_setting_env(const ag_setting *row, char ret[AG_SETTING_ENV_MAX])
{
	const int n = snprintf(ret, AG_SETTING_ENV_MAX, "ARGUS_%s", row->key);

	AG_ASSERT(n > 0 && n < AG_SETTING_ENV_MAX);
	for (char *p = ret; *p; p++) {
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	}
}

const char *ag_settings_nearest(ag_str key)
{
	const char *names[AG_SETTINGS_MAX];
	size_t n;
	const ag_setting *t = ag_settings_table(&n);

	for (size_t i = 0; i < n; i++)
		names[i] = t[i].key;
	return ag_str_nearest(key, names, n);
}

const char *ag_place_name(ag_place p)
{
	static const char *const names[] = {
		[AG_PLACE_DEFAULT] = "default",  [AG_PLACE_YAML] = "settings file",
		[AG_PLACE_DOTENV] = ".env file", [AG_PLACE_ENV] = "environment",
		[AG_PLACE_FLAG] = "flag",
	};

	return names[p];
}

/* --- what a row wants --- */

static void limits(const ag_setting *row, ag_buf *out)
{
	char num[AG_NUM_MAX];

	ag_num_double(num, row->min, false);
	ag_buf_addf(out, "%s from %s to ",
	            row->type == AG_SET_COUNT ? "a whole number" : "a number", num);
	ag_num_double(num, row->max, false);
	ag_buf_adds(out, num);
	if (row->takes_all)
		ag_buf_adds(out, ", all");
}

static void choices(const ag_setting *row, ag_buf *out)
{
	for (size_t i = 0; row->one_of[i]; i++) {
		if (i)
			ag_buf_adds(out, row->one_of[i + 1] ? ", " : " or ");
		ag_buf_adds(out, row->one_of[i]);
	}
}

void ag_setting_wants(const ag_setting *row, ag_buf *out)
{
	switch (row->type) {
	case AG_SET_COUNT:
	case AG_SET_NUMBER: limits(row, out); break;
	case AG_SET_BOOL: ag_buf_adds(out, "true or false"); break;
	case AG_SET_CHOICE: choices(row, out); break;
	case AG_SET_TEXT: ag_buf_adds(out, "a text"); break;
	case AG_SET_DATE: ag_buf_adds(out, "a date like 2026-03-01"); break;
	}
	if (row->unset)
		ag_buf_addf(out, " or %s", row->unset);
}

static ag_status unwanted(const ag_setting *row, ag_str text, ag_str where, ag_err *err)
{
	char wants[160];
	ag_buf b = AG_BUF_INIT(sizeof(wants) - 1);
	ag_str shown = ag_utf8_prefix(text, SHOWN_CHARS);

	ag_setting_wants(row, &b);
	memcpy(wants, b.ptr, b.len);
	wants[b.len] = '\0';
	ag_buf_release(&b);
	if (text.len == 0)
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: want %s, got nothing", AG_FMT(where),
		               wants);
	return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: want %s, got \"%.*s%s\"", AG_FMT(where),
	               wants, AG_FMT(shown), shown.len < text.len ? "..." : "");
}

/* --- from text --- */

/* A count is kept in 32 or 64 bits; the limits of a row with 32 fit them. */
static void put_count(const ag_setting *row, uint64_t v, void *to)
{
	if (row->size == sizeof(uint32_t))
		*(uint32_t *)to = (uint32_t)v;
	else
		*(uint64_t *)to = v;
}

static uint64_t get_count(const ag_setting *row, const void *at)
{
	return row->size == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at;
}

static bool parse_count(const ag_setting *row, ag_str text, void *to)
{
	uint64_t v;

	if (row->takes_all && ag_str_eqc(text, "all"))
		v = UINT64_MAX;
	else if (!text.len || text.ptr[0] == '+' || text.ptr[0] == '-' ||
	         !ag_str_to_u64(text, &v) || (double)v < row->min || (double)v > row->max)
		return false;
	put_count(row, v, to);
	return true;
}

static bool parse_choice(const ag_setting *row, ag_str text, void *to)
{
	for (int i = 0; row->one_of[i]; i++) {
		if (ag_str_eqc(text, row->one_of[i])) {
			memcpy(to, &i, sizeof(i)); /* of some enum */
			return true;
		}
	}
	return false;
}

static bool parse_text(ag_str text, ag_arena *arena, void *to)
{
	if (!text.len || text.len > MAX_TEXT_BYTES || memchr(text.ptr, '\0', text.len) ||
	    !ag_utf8_valid(text))
		return false;
	*(ag_str *)to = arena ? ag_str_dup(arena, text) : text;
	return true;
}

static bool parse(const ag_setting *row, ag_str text, ag_arena *arena, void *to)
{
	double number;
	int64_t ms;

	switch (row->type) {
	case AG_SET_COUNT: return parse_count(row, text, to);
	case AG_SET_NUMBER:
		if (!ag_str_to_double(text, &number) || !(number >= row->min && number <= row->max))
			return false;
		*(double *)to = number;
		return true;
	case AG_SET_BOOL:
		if (!ag_str_eqc(text, "true") && !ag_str_eqc(text, "false"))
			return false;
		*(bool *)to = text.len == 4;
		return true;
	case AG_SET_CHOICE: return parse_choice(row, text, to);
	case AG_SET_TEXT: return parse_text(text, arena, to);
	case AG_SET_DATE:
		/* 0 is kept for "not given"; nobody audits as of the first millisecond of 1970. */
		if (!ag_time_parse_iso(text, &ms) || ms == 0)
			return false;
		*(int64_t *)to = ms;
		return true;
	}
	return false;
}

static void set_unset(const ag_setting *row, void *to)
{
	switch (row->type) {
	case AG_SET_COUNT: put_count(row, 0, to); break;
	case AG_SET_NUMBER: *(double *)to = row->unset_number; break;
	case AG_SET_TEXT: *(ag_str *)to = AG_S(""); break;
	case AG_SET_DATE: *(int64_t *)to = 0; break;
	case AG_SET_BOOL:
	case AG_SET_CHOICE: break; /* have no such word */
	}
}

/* Check the text against its row and write it where the row says. */
static ag_status set_field(void *base, const ag_setting *r, ag_str text, ag_str where,
                           ag_arena *arena, ag_err *err)
{
	if (r->unset && ag_str_eqc(text, r->unset))
		set_unset(r, field(base, r));
	else if (!parse(r, text, arena, field(base, r)))
		return unwanted(r, text, where, err);
	return AG_OK;
}

ag_status ag_settings_model_set(ag_model_setting *m, size_t row, ag_str text, ag_str where,
                                ag_arena *arena, ag_err *err)
{
	size_t n;
	const ag_setting *t = ag_settings_model_table(&n);

	AG_ASSERT(row < n);
	return set_field(m, &t[row], text, where, arena, err);
}

ag_status ag_settings_set(ag_settings *s, int row, ag_str text, ag_place place, ag_str where,
                          ag_arena *arena, ag_err *err)
{
	size_t n;
	const ag_setting *r = &ag_settings_table(&n)[row];

	AG_ASSERT(row >= 0 && (size_t)row < n);
	if (set_field(s, r, text, where, arena, err))
		return err ? err->status : AG_INVALID;
	s->place[row] = place;
	s->where[row] = arena ? ag_str_dup(arena, where) : where;
	return AG_OK;
}

void ag_settings_init(ag_settings *s)
{
	size_t n;
	const ag_setting *t = ag_settings_table(&n);
	ag_err err;

	memset(s, 0, sizeof(*s));
	ag_audit_opts_init(&s->audit);
	for (size_t i = 0; i < n; i++)
		AG_ASSERT(!ag_settings_set(s, (int)i, ag_str_c(t[i].fallback), AG_PLACE_DEFAULT,
		                           AG_S("default"), NULL, &err));
}

/* --- relations between settings --- */

static ag_status in_order(const ag_settings *s, const char *low, double a, const char *high,
                          double b, ag_err *err)
{
	char x[AG_NUM_MAX], y[AG_NUM_MAX];
	int row = ag_settings_find(ag_str_c(low)), other = ag_settings_find(ag_str_c(high));

	if (a <= b)
		return AG_OK;
	ag_num_double(x, a, false);
	ag_num_double(y, b, false);
	ag_fail(err, AG_INVALID, ORIGIN, "%s (%s, from %.*s) is above %s (%s, from %.*s)", low, x,
	        AG_FMT(s->where[row]), high, y, AG_FMT(s->where[other]));
	return ag_err_hint(err, "%s must not be larger than %s", low, high);
}

ag_status ag_settings_check(const ag_settings *s, ag_err *err)
{
	ag_status st = in_order(s, "null_rate_warning_threshold",
	                        s->audit.catalogue.null_rate_warning_threshold,
	                        "null_rate_critical_threshold",
	                        s->audit.catalogue.null_rate_critical_threshold, err);

	if (!st)
		st = in_order(s, "high_min_share", s->audit.rules.high_min_share,
		              "critical_min_share", s->audit.rules.critical_min_share, err);
	if (!st)
		st = in_order(s, "escalation_low_threshold", s->audit.escalation_low,
		              "escalation_high_threshold", s->audit.escalation_high, err);
	return st;
}

/* --- to text --- */

static ag_str count_text(const ag_setting *r, uint64_t v, ag_arena *arena)
{
	char num[AG_NUM_MAX];

	if (r->unset && v == 0)
		return ag_str_c(r->unset);
	if (r->takes_all && v == UINT64_MAX)
		return AG_S("all");
	return ag_str_dup(arena, ag_str_make(num, ag_num_u64(num, v)));
}

ag_str ag_settings_text(const ag_settings *s, int row, ag_arena *arena)
{
	size_t n;
	const ag_setting *r = &ag_settings_table(&n)[row];
	const void *at = field(s, r);
	char num[AG_NUM_MAX], time[AG_TIME_MAX_TEXT];
	int choice;

	switch (r->type) {
	case AG_SET_COUNT: return count_text(r, get_count(r, at), arena);
	case AG_SET_NUMBER:
		if (r->unset && *(const double *)at <= r->unset_number)
			return ag_str_c(r->unset);
		return ag_str_dup(arena,
		                  ag_str_make(num, ag_num_double(num, *(const double *)at, false)));
	case AG_SET_BOOL: return *(const bool *)at ? AG_S("true") : AG_S("false");
	case AG_SET_CHOICE: memcpy(&choice, at, sizeof(choice)); return ag_str_c(r->one_of[choice]);
	case AG_SET_TEXT:
		if (strcmp(r->key, "store") == 0 || strcmp(r->key, "database") == 0)
			return ((const ag_str *)at)->len
			               ? ag_store_shown(*(const ag_str *)at, arena)
			               : ag_str_c(r->unset);
		return ((const ag_str *)at)->len ? *(const ag_str *)at : ag_str_c(r->unset);
	case AG_SET_DATE:
		if (*(const int64_t *)at == 0)
			return ag_str_c(r->unset);
		return ag_str_dup(arena,
		                  ag_str_make(time, ag_time_format(time, *(const int64_t *)at)));
	}
	return AG_S("");
}

size_t ag_settings_renew(ag_settings *s, const ag_settings *from, ag_arena *arena, ag_buf *said)
{
	ag_buf later = AG_BUF_INIT(4096);
	size_t n, nrenewed = 0, nlater = 0;
	const ag_setting *t = ag_settings_table(&n);

	for (int i = 0; i < (int)n; i++) {
		const ag_str old = ag_settings_text(s, i, arena);
		const ag_str text = ag_settings_text(from, i, arena);

		if (ag_str_eq(old, text) || s->place[i] == AG_PLACE_FLAG)
			continue;
		if (!t[i].is_live) {
			ag_buf_addf(&later, "%s%s", nlater++ ? ", " : "", t[i].key);
			continue;
		}
		ag_buf_addf(said, "%s%s %.*s -> %.*s", nrenewed++ ? ", " : "", t[i].key,
		            AG_FMT(old), AG_FMT(text));
		if (ag_settings_set(s, i, text, from->place[i], from->where[i], arena, NULL))
			AG_ASSERT(!"a value that was read is not taken");
	}
	if (!nrenewed)
		ag_buf_adds(said, "nothing has changed that can change now");
	if (nlater)
		ag_buf_addf(said, "; not before a restart: %.*s", AG_FMT(ag_buf_view(&later)));
	ag_buf_release(&later);
	return nrenewed;
}

/* {"sample_size":"auto","seed":0,"strict":false,…} */
ag_str ag_settings_json(const ag_settings *s, ag_arena *arena)
{
	size_t n;
	const ag_setting *t = ag_settings_table(&n);
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	for (size_t i = 0; i < n; i++) {
		ag_str text = ag_settings_text(s, (int)i, arena);
		bool is_word = t[i].type > AG_SET_BOOL ||
		               (t[i].unset && ag_str_eqc(text, t[i].unset)) ||
		               ag_str_eqc(text, "all");

		if (!t[i].group[0] || strcmp(t[i].group, "ask") == 0 ||
		    strcmp(t[i].group, "sql") == 0 || strcmp(t[i].group, "mcp") == 0 ||
		    strcmp(t[i].group, "serve") == 0)
			continue;
		if (is_word)
			ag_jw_kstr(&w, t[i].key, text);
		else
			ag_jw_kraw(&w, t[i].key, text);
	}
	ag_jw_obj_end(&w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}
