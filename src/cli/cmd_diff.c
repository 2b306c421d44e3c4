/* argus diff: two runs side by side: new, gone, worse, better. */
#include "audit/compare.h"
#include "audit/rows.h"
#include "base/path_near.h"
#include "cli/past.h"
#include "report/human.h"

static const ag_option options[] = { AG_PAST_OUTPUT_OPTION, AG_PAST_STORE_OPTION };

/* --- which two runs --- */

static ag_status none(ag_err *err, const char *what, ag_str name)
{
	ag_fail(err, AG_NOT_FOUND, "cli.diff", "%s%.*s", what, AG_FMT(name));
	return ag_err_hint(err, "a diff needs two finished runs: audit once more");
}

/* The two newest of a source; "" = of the source that was audited last. */
static ag_status newest_two(ag_cli *c, ag_store *store, ag_str key, ag_str name, ag_comparison *d,
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
	return ag_compare_previous(store, &d->b, c->app.arena, &d->a, err);
}

static ag_status of_source(ag_cli *c, ag_store *store, ag_str source, ag_comparison *d, ag_err *err)
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

static ag_status choose(ag_cli *c, ag_store *store, ag_comparison *d, ag_err *err)
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
		return st ? st : ag_compare_previous(store, &d->b, c->app.arena, &d->a, err);
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

/* --- printing --- */

static int json(ag_cli *c, const ag_comparison *d)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "a");
	ag_audit_run_json(&d->a, &w);
	ag_jw_kkey(&w, "b");
	ag_audit_run_json(&d->b, &w);
	ag_compare_json(d, &w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static ag_str how_many(const ag_compared *p, ag_arena *arena)
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

static void list_text(const char *title, ag_ink ink, const ag_compared *list, size_t n, ag_paint *p,
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

static void head(const ag_comparison *d, ag_paint *p, ag_arena *arena)
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

static int text(ag_cli *c, const ag_comparison *d)
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
	ag_comparison d = { 0 };
	ag_err err = { 0 };
	ag_store *store;

	if (ag_app_store(&c->app, &store, &err) || choose(c, store, &d, &err) ||
	    ag_compare_runs(store, c->app.arena, &d, &err))
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
