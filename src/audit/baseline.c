/* baseline -- see the header. Members that an older report lacks count as empty; a finding without a key gets the one
 * that this Argus would give it. */
#include "audit/baseline.h"

#include "audit/finding.h"
#include "query/extjson.h"

#define ORIGIN      "audit.baseline"
#define SHOWN_LINES 10

static const ag_val *items_of(const ag_val *v, const char *name, size_t *ret_n)
{
	const ag_val *list = v && v->type == AG_T_OBJECT ? ag_val_getc(v, name) : NULL;

	*ret_n = 0;
	if (!list || list->type != AG_T_ARRAY)
		return NULL;
	*ret_n = list->n;
	return list->u.items;
}

static bool is_report(const ag_val *v)
{
	const ag_val *list = v->type == AG_T_OBJECT ? ag_val_getc(v, "findings") : NULL;

	return list && list->type == AG_T_ARRAY && ag_val_getc(v, "source");
}

ag_status ag_baseline_read(ag_str name, ag_str text, ag_arena *arena, ag_baseline *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_val *v = ag_new(arena, ag_val);
	ag_err why = { 0 };
	const ag_val *list;
	const ag_val **reports;
	size_t n;

	if (ag_extjson_parse(text, &opts, arena, v, NULL, NULL, &why))
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: not JSON: %s", AG_FMT(name),
		               why.msg);
	list = items_of(v, "reports", &n);
	AG_ASSERT(list || !n);
	if (!list && is_report(v)) {
		list = v;
		n = 1;
	}
	reports = ag_new_n(arena, const ag_val *, n ? n : 1);
	for (size_t i = 0; i < n; i++) {
		if (!is_report(&list[i]))
			n = 0;
		else
			reports[i] = &list[i];
	}
	if (!n) {
		ag_fail(err, AG_INVALID, ORIGIN, "%.*s: is no audit report", AG_FMT(name));
		return ag_err_hint(err,
		                   "write one with: argus audit SOURCE --output json --out FILE");
	}
	*ret = (ag_baseline){ .name = ag_str_dup(arena, name),
		              .reports = reports,
		              .nreport = n,
		              .skipped = v->type == AG_T_OBJECT ? ag_val_getc(v, "skipped")
		                                                : NULL };
	return AG_OK;
}

/* --- matching --- */

static ag_str source_key(const ag_val *report)
{
	const ag_val *source = ag_val_getc(report, "source");
	const ag_str key = ag_val_member_str(source, "key");

	return key.len ? key : ag_val_member_str(source, "uri");
}

static const ag_val *report_of(const ag_baseline *b, ag_str key)
{
	for (size_t i = 0; b && key.len && i < b->nreport; i++)
		if (ag_str_eq(source_key(b->reports[i]), key))
			return b->reports[i];
	return NULL;
}

static ag_str key_of(const ag_val *finding, ag_str source, ag_arena *arena)
{
	const ag_str key = ag_val_member_str(finding, "key");

	if (key.len)
		return key;
	return ag_finding_key(
		source, ag_finding_canonical_field(ag_val_member_str(finding, "field"), arena),
		ag_category_canonical(ag_val_member_str(finding, "category"), arena), arena);
}

static bool is_aside(const ag_val *finding)
{
	const ag_val *v = ag_val_getc(finding, "set_aside");

	return v && v->type == AG_T_OBJECT;
}

static ag_severity severity_of(const ag_val *v)
{
	ag_severity s = AG_LOW;

	AG_IGNORE(!ag_severity_parse(ag_val_member_str(v, "severity"), &s), "stays low");
	return s;
}

/* Findings below it were not listed then. */
static ag_severity listed_from(const ag_val *before)
{
	const ag_val *settings = ag_val_getc(before, "settings");
	ag_severity s = AG_LOW;

	if (settings && settings->type == AG_T_OBJECT &&
	    ag_val_member_u64(before, "below_min_severity"))
		AG_IGNORE(!ag_severity_parse(ag_val_member_str(settings, "min_severity"), &s),
		          "stays low");
	return s;
}

static const ag_val *find(const ag_val *before, ag_str key, ag_str source, ag_arena *arena)
{
	size_t n;
	const ag_val *items = items_of(before, "findings", &n);

	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(key_of(&items[i], source, arena), key))
			return &items[i];
	return NULL;
}

/* Of a report without gaps, an older one, only unreadable documents are known. */
static bool had_gap(const ag_val *before, const ag_val *gap)
{
	const ag_str kind = ag_val_member_str(gap, "kind");
	size_t n;
	const ag_val *items = items_of(before, "gaps", &n);

	if (!before)
		return false;
	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(ag_val_member_str(&items[i], "kind"), kind))
			return severity_of(&items[i]) >= severity_of(gap);
	return !items && ag_str_eqc(kind, "unreadable") &&
	       ag_val_member_u64(ag_val_getc(before, "source"), "broken") >=
	               ag_val_member_u64(gap, "count");
}

static void compare_findings(const ag_val *report, ag_arena *arena, ag_compared *c)
{
	const ag_str source = source_key(report);
	const ag_severity from = c->before ? listed_from(c->before) : AG_LOW;
	const ag_severity listed = listed_from(report);
	size_t n, nbefore;
	const ag_val *items = items_of(report, "findings", &n), *before;

	c->added = ag_new_n(arena, const ag_val *, n + 1);
	c->more = ag_new_n(arena, ag_more, n + 1);
	for (size_t i = 0; i < n; i++) {
		const ag_val *was = c->before ? find(c->before, key_of(&items[i], source, arena),
		                                     source, arena)
		                              : NULL;
		const uint64_t count = was ? ag_val_member_u64(was, "affected_count") : 0;

		if (is_aside(&items[i]))
			continue;
		if (was && ag_val_member_u64(&items[i], "affected_count") > count)
			c->more[c->nmore++] = (ag_more){ &items[i], count };
		else if (!was && severity_of(&items[i]) < from)
			c->why = ag_str_printf(
				arena,
				"findings below %s were not listed then, and are not compared",
				ag_severity_name(from));
		else if (!was)
			c->added[c->nadded++] = &items[i];
	}
	/* A finding that --min-severity leaves out now is not gone. */
	before = items_of(c->before, "findings", &nbefore);
	for (size_t i = 0; i < nbefore; i++)
		c->ngone += severity_of(&before[i]) >= listed &&
		            !find(report, key_of(&before[i], source, arena), source, arena);
}

void ag_baseline_compare(const ag_val *report, const ag_baseline *b, ag_arena *arena,
                         ag_compared *ret)
{
	const ag_str source = source_key(report);
	size_t n;
	const ag_val *gaps = items_of(report, "gaps", &n);
	ag_compared c = { .before = report_of(b, source), .why = AG_S("") };

	if (!b)
		c.why = AG_S("there is no earlier run of this source: every finding counts as new");
	else if (!c.before)
		c.why = ag_str_printf(
			arena,
			"nothing could be compared: %.*s has no report of %.*s, only of "
			"%.*s%s; every finding counts as new",
			AG_FMT(b->name), AG_FMT(source), AG_FMT(source_key(b->reports[0])),
			b->nreport > 1 ? " and others" : "");
	compare_findings(report, arena, &c);
	c.added_gaps = ag_new_n(arena, const ag_val *, n + 1);
	for (size_t i = 0; i < n; i++)
		if (!had_gap(c.before, &gaps[i]))
			c.added_gaps[c.nadded_gap++] = &gaps[i];
	*ret = c;
}

/* A run that looked at nothing has compared nothing either. */
static bool says_not_checked(const ag_val *gap)
{
	const ag_str kind = ag_val_member_str(gap, "kind");

	return ag_str_eqc(kind, "nothing_checked") || ag_str_eqc(kind, "no_fields");
}

bool ag_compared_reaches(const ag_compared *c, ag_severity level)
{
	for (size_t i = 0; i < c->nadded; i++)
		if (severity_of(c->added[i]) >= level)
			return true;
	for (size_t i = 0; i < c->nadded_gap; i++)
		if (severity_of(c->added_gaps[i]) >= level || says_not_checked(c->added_gaps[i]))
			return true;
	return false;
}

bool ag_baseline_skipped(const ag_baseline *b, ag_str path)
{
	for (uint32_t i = 0; b->skipped && b->skipped->type == AG_T_ARRAY && i < b->skipped->n; i++)
		if (ag_str_eq(ag_val_member_str(&b->skipped->u.items[i], "path"), path))
			return true;
	return false;
}

/* --- printing --- */

static void finding_members(const ag_val *f, ag_jw *w)
{
	ag_jw_kstr(w, "key", ag_val_member_str(f, "key"));
	ag_jw_kstr(w, "field", ag_val_member_str(f, "field"));
	ag_jw_kstr(w, "category", ag_val_member_str(f, "category"));
	ag_jw_kstr(w, "severity", ag_val_member_str(f, "severity"));
	ag_jw_kuint(w, "affected_count", ag_val_member_u64(f, "affected_count"));
}

void ag_compared_write(const ag_compared *c, const ag_baseline *b, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kbool(w, "compared", c->before != NULL);
	ag_jw_kstr(w, "with", b ? b->name : AG_S(""));
	if (c->before)
		ag_jw_kstr(w, "run_id", ag_val_member_str(c->before, "id"));
	else
		ag_jw_knull(w, "run_id");
	ag_jw_kstr(w, "why", c->why);
	ag_jw_kkey(w, "new");
	ag_jw_arr(w);
	for (size_t i = 0; i < c->nadded; i++) {
		ag_jw_obj(w);
		finding_members(c->added[i], w);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "more");
	ag_jw_arr(w);
	for (size_t i = 0; i < c->nmore; i++) {
		ag_jw_obj(w);
		finding_members(c->more[i].finding, w);
		ag_jw_kuint(w, "was", c->more[i].was);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
	ag_jw_kuint(w, "gone", c->ngone);
	ag_jw_kkey(w, "new_gaps");
	ag_jw_arr(w);
	for (size_t i = 0; i < c->nadded_gap; i++)
		ag_jw_str(w, ag_val_member_str(c->added_gaps[i], "kind"));
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
}

static void name_line(ag_buf *out, const char *what, const ag_val *f)
{
	const ag_str field = ag_val_member_str(f, "field");

	ag_buf_addf(out, "\n%s: %.*s, %.*s, %.*s, %llu documents", what,
	            AG_FMT(field.len ? field : AG_S("whole documents")),
	            AG_FMT(ag_val_member_str(f, "category")),
	            AG_FMT(ag_val_member_str(f, "severity")),
	            (unsigned long long)ag_val_member_u64(f, "affected_count"));
}

ag_str ag_compared_text(const ag_compared *c, const ag_baseline *b, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_str ret;

	if (c->before)
		ag_buf_addf(&out, "compared with %.*s: %zu new, %zu more, %zu gone",
		            AG_FMT(b->name), c->nadded, c->nmore, c->ngone);
	if (c->why.len)
		ag_buf_addf(&out, "%s%.*s", out.len ? "; " : "", AG_FMT(c->why));
	for (size_t i = 0; c->before && i < c->nadded && i < SHOWN_LINES; i++)
		name_line(&out, "new", c->added[i]);
	for (size_t i = 0; i < c->nmore && i < SHOWN_LINES; i++) {
		name_line(&out, "more", c->more[i].finding);
		ag_buf_addf(&out, ", %llu before", (unsigned long long)c->more[i].was);
	}
	for (size_t i = 0; c->before && i < c->nadded_gap; i++)
		ag_buf_addf(&out, "\nnew gap: %.*s",
		            AG_FMT(ag_val_member_str(c->added_gaps[i], "message")));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}
