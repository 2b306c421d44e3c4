/* argus diff: two runs side by side: new, gone, worse, better.
 *
 * "Gone" alone says only that the newer run did not report it. Whether it is resolved is known when that run checked it
 * again (its report's resolved_findings and still_present); else it says so. */
#include <stdlib.h>

#include "audit/diff.h"
#include "base/path_near.h"
#include "cli/past.h"
#include "query/extjson.h"
#include "report/human.h"

static const ag_option options[] = { AG_PAST_OUTPUT_OPTION, AG_PAST_STORE_OPTION };

/* A finding of either run; keys are those of one place, so that runs of two places can be compared. */
typedef struct side {
	const ag_finding_row *row;
	ag_str key;
} side;

typedef struct pair {
	const ag_finding_row *was, *now; /* NULL = not there */
	const char *state;               /* of what is gone: resolved, still_present, not_checked */
} pair;

typedef struct comparison {
	ag_run_row a, b;
	pair *added, *gone, *worse, *better;
	size_t nadded, ngone, nworse, nbetter, nsame;
} comparison;

/* --- which two runs --- */

static ag_status none(ag_err *err, const char *what, ag_str name)
{
	ag_fail(err, AG_NOT_FOUND, "cli.diff", "%s%.*s", what, AG_FMT(name));
	return ag_err_hint(err, "a diff needs two finished runs: audit once more");
}

/* The newest finished run of the same source before that one. */
static ag_status previous(ag_cli *c, ag_store *store, const ag_run_row *run, ag_run_row *ret,
                          ag_err *err)
{
	const ag_past_query q = { .source_key = run->source_key,
		                  .agent = run->agent,
		                  .before = &run->id,
		                  .max_runs = 1 };
	ag_past_run *past;
	size_t n;
	ag_status st = ag_store_past(store, &q, c->app.arena, &past, &n, err);

	if (st)
		return st;
	if (!n)
		return none(err, "there is no finished run of this source before ",
		            ag_id_str(&run->id));
	*ret = past[0].run;
	return AG_OK;
}

/* The two newest of a source; "" = of the source that was audited last. */
static ag_status newest_two(ag_cli *c, ag_store *store, ag_str key, ag_str name, comparison *d,
                            ag_err *err)
{
	ag_past_query q = { .source_key = key, .agent = AG_S("audit"), .max_runs = 1 };
	ag_past_run *past;
	size_t n;
	ag_status st = ag_store_past(store, &q, c->app.arena, &past, &n, err);

	if (st)
		return st;
	if (!n)
		return none(err, "there is no finished run", name);
	d->b = past[0].run;
	return previous(c, store, &d->b, &d->a, err);
}

static ag_status of_source(ag_cli *c, ag_store *store, ag_str source, comparison *d, ag_err *err)
{
	size_t n;
	ag_str *keys;
	ag_status st = ag_past_keys(c, store, source, &keys, &n, err);

	if (st)
		return st;
	if (n > 1) {
		ag_fail(err, AG_INVALID, "cli.diff", "%.*s holds %zu collections", AG_FMT(source),
		        n);
		return ag_err_hint(err, "name one of them, or two runs of `argus runs`");
	}
	return n ? newest_two(c, store, keys[0],
	                      ag_str_printf(c->app.arena, " of %.*s", AG_FMT(source)), d, err)
	         : none(err, "there is no data in ", source);
}

static ag_status choose(ag_cli *c, ag_store *store, comparison *d, ag_err *err)
{
	ag_err why = { 0 };
	ag_status st;

	if (c->narg == 0)
		return newest_two(c, store, AG_S(""), AG_S(""), d, err);
	if (c->narg == 2) {
		st = ag_past_audit(c, store, c->args[0], &d->a, err);
		return st ? st : ag_past_audit(c, store, c->args[1], &d->b, err);
	}
	st = ag_store_find_run(store, c->args[0], c->app.arena, &d->b, &why);
	if (st == AG_OK) {
		st = ag_past_audit(c, store, c->args[0], &d->b, err);
		return st ? st : previous(c, store, &d->b, &d->a, err);
	}
	if (st != AG_NOT_FOUND && st != AG_INVALID) {
		*err = why;
		return st;
	}
	st = of_source(c, store, c->args[0], d, err);
	if (st != AG_NOT_FOUND || ag_str_contains(ag_str_c(err->hint), AG_S("audit once more")))
		return st;
	ag_fail(err, AG_NOT_FOUND, "cli.diff", "%.*s is neither a run nor a source",
	        AG_FMT(c->args[0]));
	ag_err_hint(err, "want a run of `argus runs`, or what was audited");
	return ag_path_near_hint(c->args[0], c->app.arena, err);
}

/* --- comparing --- */

static int by_key(const void *a, const void *b)
{
	return ag_str_cmp(((const side *)a)->key, ((const side *)b)->key);
}

static ag_status read_side(ag_cli *c, ag_store *store, const ag_run_row *run, side **ret,
                           size_t *nret, ag_err *err)
{
	ag_finding_row *rows;
	side *list;
	size_t n, kept = 0;
	ag_status st = ag_store_findings(store, &run->id, c->app.arena, &rows, &n, err);

	if (st)
		return st;
	list = ag_new_n(c->app.arena, side, n ? n : 1);
	for (size_t i = 0; i < n; i++) {
		if (!ag_str_eqc(rows[i].status, "committed") &&
		    !ag_str_eqc(rows[i].status, "pending_review"))
			continue;
		list[kept].row = &rows[i];
		list[kept++].key = ag_finding_key(
			AG_S(""), ag_finding_canonical_field(rows[i].field, c->app.arena),
			rows[i].category, c->app.arena);
	}
	qsort(list, kept, sizeof(*list), by_key);
	*ret = list;
	*nret = kept;
	return AG_OK;
}

static bool lists(const ag_val *report, const char *member, ag_str key)
{
	const ag_val *list = ag_val_getc(report, member);

	for (uint32_t i = 0; list && list->type == AG_T_ARRAY && i < list->n; i++)
		if (ag_str_eq(ag_val_member_str(&list->u.items[i], "key"), key))
			return true;
	return false;
}

/* Only a run that looked back on this very one can tell. */
static const char *state_of(const ag_val *report, const ag_run_row *a, const ag_finding_row *f)
{
	if (!report || !ag_str_eq(ag_val_member_str(report, "previous_run_id"), ag_id_str(&a->id)))
		return "not_checked";
	return lists(report, "resolved_findings", f->key) ? "resolved"
	       : lists(report, "still_present", f->key)   ? "still_present"
	                                                  : "not_checked";
}

/* Above 0: worse now. Severity counts first. */
static int judge(const ag_finding_row *was, const ag_finding_row *now)
{
	ag_severity a = AG_LOW, b = AG_LOW;

	AG_IGNORE(!ag_severity_parse(was->severity, &a), "stays low");
	AG_IGNORE(!ag_severity_parse(now->severity, &b), "stays low");
	if (a != b)
		return b > a ? 1 : -1;
	if (was->share > 0 && now->share > was->share * AG_REGRESSION_FACTOR)
		return 1;
	return was->share > now->share * AG_REGRESSION_FACTOR ? -1 : 0;
}

/* Both sides are sorted: walked once, in step. */
static void compare(const side *a, size_t na, const side *b, size_t nb, const ag_val *report,
                    ag_arena *arena, comparison *d)
{
	size_t i = 0, k = 0;

	d->added = ag_new_n(arena, pair, nb + 1);
	d->gone = ag_new_n(arena, pair, na + 1);
	d->worse = ag_new_n(arena, pair, na + 1);
	d->better = ag_new_n(arena, pair, na + 1);
	while (i < na || k < nb) {
		const int order = i == na ? 1 : k == nb ? -1 : ag_str_cmp(a[i].key, b[k].key);
		pair p = { order <= 0 ? a[i].row : NULL, order >= 0 ? b[k].row : NULL, "" };
		const int verdict = order ? 0 : judge(p.was, p.now);

		i += order <= 0;
		k += order >= 0;
		if (order < 0)
			p.state = state_of(report, &d->a, p.was);
		if (order > 0)
			d->added[d->nadded++] = p;
		else if (order < 0)
			d->gone[d->ngone++] = p;
		else if (verdict > 0)
			d->worse[d->nworse++] = p;
		else if (verdict < 0)
			d->better[d->nbetter++] = p;
		else
			d->nsame++;
	}
}

/* Worst first, then by name. */
static int by_rank(const void *a, const void *b)
{
	const pair *p = a, *q = b;
	const ag_finding_row *x = p->now ? p->now : p->was, *y = q->now ? q->now : q->was;
	ag_severity s = AG_LOW, t = AG_LOW;
	int order;

	AG_IGNORE(!ag_severity_parse(x->severity, &s), "stays low");
	AG_IGNORE(!ag_severity_parse(y->severity, &t), "stays low");
	if (s != t)
		return s > t ? -1 : 1;
	order = ag_str_cmp(x->field, y->field);
	return order ? order : ag_str_cmp(x->category, y->category);
}

static ag_status make(ag_cli *c, ag_store *store, comparison *d, ag_err *err)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_err ignored;
	size_t na, nb;
	side *a, *b;
	ag_str text;
	ag_val report;
	bool has_report;
	ag_status st = read_side(c, store, &d->a, &a, &na, err);

	if (!st)
		st = read_side(c, store, &d->b, &b, &nb, err);
	if (st)
		return st;
	has_report = !ag_app_report(&c->app, ag_id_str(&d->b.id), &text, &ignored) &&
	             !ag_extjson_parse(text, &opts, c->app.arena, &report, NULL, NULL, &ignored);
	compare(a, na, b, nb, has_report ? &report : NULL, c->app.arena, d);
	qsort(d->added, d->nadded, sizeof(pair), by_rank);
	qsort(d->gone, d->ngone, sizeof(pair), by_rank);
	qsort(d->worse, d->nworse, sizeof(pair), by_rank);
	qsort(d->better, d->nbetter, sizeof(pair), by_rank);
	return AG_OK;
}

/* --- printing --- */

static void side_json(const char *name, const ag_finding_row *f, ag_jw *w)
{
	ag_jw_kkey(w, name);
	if (!f) {
		ag_jw_null(w);
		return;
	}
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", ag_id_str(&f->id));
	ag_jw_kstr(w, "severity", f->severity);
	ag_jw_kuint(w, "affected_count", f->affected);
	ag_jw_kdouble(w, "affected_pct", f->share);
	ag_jw_obj_end(w);
}

/* [{"field","category","state","was":{…}|null,"now":{…}|null}] */
static void list_json(const char *name, const pair *list, size_t n, ag_jw *w)
{
	ag_jw_kkey(w, name);
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		const ag_finding_row *f = list[i].now ? list[i].now : list[i].was;

		ag_jw_obj(w);
		ag_jw_kstr(w, "field", f->field);
		ag_jw_kstr(w, "category", f->category);
		if (list[i].state[0])
			ag_jw_kstr(w, "state", ag_str_c(list[i].state));
		side_json("was", list[i].was, w);
		side_json("now", list[i].now, w);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

static int json(ag_cli *c, const comparison *d)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "a");
	ag_past_run_json(&d->a, &w);
	ag_jw_kkey(&w, "b");
	ag_past_run_json(&d->b, &w);
	list_json("new", d->added, d->nadded, &w);
	list_json("gone", d->gone, d->ngone, &w);
	list_json("regressed", d->worse, d->nworse, &w);
	list_json("improved", d->better, d->nbetter, &w);
	ag_jw_kuint(&w, "unchanged", d->nsame);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static ag_str how_many(const pair *p, ag_arena *arena)
{
	const ag_str was = p->was ? ag_human_documents(p->was->affected, arena) : AG_S("");
	const ag_str now = p->now ? ag_human_documents(p->now->affected, arena) : AG_S("");

	if (!p->was)
		return ag_str_printf(arena, "%.*s, %.*s", AG_FMT(now), AG_FMT(p->now->severity));
	if (!p->now)
		return ag_str_printf(arena, "%s, %.*s before",
		                     strcmp(p->state, "resolved") == 0        ? "resolved"
		                     : strcmp(p->state, "still_present") == 0 ? "still in the data"
		                                                              : "not checked",
		                     AG_FMT(was));
	return ag_str_printf(arena, "%.*s, %.*s before; %.*s, %.*s before", AG_FMT(now),
	                     AG_FMT(ag_human_count(p->was->affected, arena)),
	                     AG_FMT(p->now->severity), AG_FMT(p->was->severity));
}

static void list_text(const char *title, ag_ink ink, const pair *list, size_t n, ag_paint *p,
                      ag_arena *arena)
{
	for (size_t i = 0; i < n; i++) {
		const ag_finding_row *f = list[i].now ? list[i].now : list[i].was;

		ag_paint_to(p, 2);
		ag_paint_textf(p, ink, "%-8s", title);
		ag_paint_wrap(p, AG_INK_BOLD, 12, ag_past_name(f->field, f->category, arena));
		ag_paint_wrap(p, AG_INK_PLAIN, 12,
		              ag_str_printf(arena, ": %.*s", AG_FMT(how_many(&list[i], arena))));
		ag_paint_nl(p);
	}
}

static void head(const comparison *d, ag_paint *p, ag_arena *arena)
{
	const bool same = ag_str_eq(d->a.source_key, d->b.source_key);

	ag_paint_text(p, AG_INK_BOLD, d->b.collection);
	ag_paint_wrap(p, AG_INK_PLAIN, 2,
	              ag_str_printf(arena, ": the run of %.*s UTC against %.*s%s of %.*s UTC",
	                            AG_FMT(ag_past_when(d->b.started_ms, arena)),
	                            AG_FMT(same ? AG_S("that") : d->a.collection),
	                            same ? "" : ", the run",
	                            AG_FMT(ag_past_when(d->a.started_ms, arena))));
	ag_paint_nl(p);
}

static int text(ag_cli *c, const comparison *d)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_arena *arena = c->app.arena;

	head(d, &p, arena);
	list_text("new", AG_INK_RED, d->added, d->nadded, &p, arena);
	list_text("worse", AG_INK_RED, d->worse, d->nworse, &p, arena);
	list_text("gone", AG_INK_GREEN, d->gone, d->ngone, &p, arena);
	list_text("better", AG_INK_GREEN, d->better, d->nbetter, &p, arena);
	ag_paint_to(&p, 2);
	ag_paint_textf(&p, AG_INK_DIM, "%zu unchanged", d->nsame);
	ag_paint_nl(&p);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int run(ag_cli *c)
{
	comparison d = { 0 };
	ag_err err = { 0 };
	ag_store *store;

	if (ag_app_store(&c->app, &store, &err) || choose(c, store, &d, &err) ||
	    make(c, store, &d, &err))
		return ag_cli_fail(c, &err);
	return ag_cli_is_json(c) ? json(c, &d) : text(c, &d);
}

const ag_command ag_cmd_diff = {
	.name = "diff",
	.summary = "Compare two runs",
	.group = AG_GROUP_RUNS,
	.usage = "[RUN_A RUN_B | RUN | SOURCE] [options]",
	.about =
		"Two runs, older first; one run against the one before it; the two newest of a source; without "
		"arguments the two newest of the source that was audited last.\n\n"
		"Gone means that the newer run does not report it. It is resolved only when that run checked the "
		"evidence again and found no document; otherwise it is said to be not checked.",
	.examples = "argus diff # what did the last audit change?\n"
		    "argus diff data/orders.ndjson # the two newest runs of it",
	.options = options,
	.noption = AG_NELEM(options),
	.max_args = 2,
	.run = run,
};
