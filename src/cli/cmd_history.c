/* argus history: the runs of a source, and what they found again and again. */
#include "audit/history.h"
#include "audit/rows.h"
#include "cli/past.h"
#include "report/text.h"

#define DEFAULT_LIMIT 20

static const ag_option options[] = {
	{ "limit", 'n', "N", NULL, NULL, "how many runs are listed, newest first (20)" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

/* One collection. */
typedef struct past {
	ag_run_row *runs;
	size_t nrun;
	ag_history history;
} past;

/* {"source_key":…,"runs":[…],"history":{…}} */
static void json_one(const past *h, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "source_key", h->runs[0].source_key);
	ag_jw_kstr(w, "collection", h->runs[0].collection);
	ag_jw_kkey(w, "runs");
	ag_jw_arr(w);
	for (size_t i = 0; i < h->nrun; i++)
		ag_audit_run_json(&h->runs[i], w);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "history");
	ag_history_write(&h->history, w);
	ag_jw_obj_end(w);
}

static void run_line(ag_store *store, const ag_run_row *r, ag_paint *p, ag_arena *arena)
{
	const bool is_over = !ag_str_eqc(r->status, "running");

	ag_paint_to(p, 2);
	ag_paint_text(p, AG_INK_CYAN, ag_id_str(&r->id));
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	ag_paint_text(p, AG_INK_DIM, ag_past_when(r->started_ms, arena));
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	ag_paint_textf(p, AG_INK_PLAIN, "%-13.*s", AG_FMT(r->status));
	ag_paint_wrap(p, AG_INK_PLAIN, 4, is_over ? ag_past_problems(store, r, arena) : AG_S(""));
	ag_paint_nl(p);
}

/* Lines of ag_history_text(): titles, and "- " lines. */
static void patterns(ag_str text, ag_paint *p)
{
	while (text.len) {
		ag_str line = ag_str_split(&text, '\n');
		const bool is_title = !ag_str_starts(line, AG_S("- "));

		if (is_title)
			ag_paint_nl(p);
		ag_paint_to(p, 2);
		if (!is_title) {
			ag_paint_lit(p, AG_INK_PLAIN, "- ");
			line = ag_str_make(line.ptr + 2, line.len - 2);
		}
		ag_paint_wrap(p, is_title ? AG_INK_BOLD : AG_INK_PLAIN, 4, line);
		ag_paint_nl(p);
	}
}

static void text_one(ag_store *store, const past *h, ag_paint *p, ag_arena *arena)
{
	ag_paint_text(p, AG_INK_BOLD, h->runs[0].collection);
	ag_paint_wrap(p, AG_INK_DIM, 2,
	              ag_str_printf(arena, ", %.*s", AG_FMT(h->runs[0].source_key)));
	ag_paint_nl(p);
	for (size_t i = 0; i < h->nrun; i++)
		run_line(store, &h->runs[i], p, arena);
	patterns(ag_history_text(&h->history, arena), p);
}

static int print(ag_cli *c, ag_store *store, const past *list, size_t n)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_jw w;

	if (ag_cli_is_json(c)) {
		ag_jw_init(&w, &out, 2);
		ag_jw_obj(&w);
		ag_jw_kkey(&w, "sources");
		ag_jw_arr(&w);
		for (size_t i = 0; i < n; i++)
			json_one(&list[i], &w);
		ag_jw_arr_end(&w);
		ag_jw_obj_end(&w);
		return ag_past_print_json(c, &out);
	}
	for (size_t i = 0; i < n; i++) {
		if (i)
			ag_paint_nl(&p);
		text_one(store, &list[i], &p, c->app.arena);
	}
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int run(ag_cli *c)
{
	const size_t limit = (size_t)ag_cli_number(c, "limit", 1, AG_STORE_MAX_RUNS, DEFAULT_LIMIT);
	ag_err err = { 0 };
	ag_store *store;
	size_t nkey, n = 0;
	ag_str *keys;
	past *list;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    ag_past_keys(c, store, c->args[0], &keys, &nkey, &err))
		return ag_cli_fail(c, &err);
	list = ag_new_n(c->app.arena, past, nkey + 1);
	for (size_t i = 0; i < nkey; i++) {
		past *h = &list[n];

		if (ag_store_runs(store, keys[i], limit, 0, c->app.arena, &h->runs, &h->nrun,
		                  &err) ||
		    ag_history_load(store, keys[i], NULL, c->app.arena, &h->history, &err))
			return ag_cli_fail(c, &err);
		n += h->nrun > 0;
	}
	if (!n) {
		ag_fail(&err, AG_NOT_FOUND, "cli.history", "there is no run of %.*s yet",
		        AG_FMT(c->args[0]));
		AG_IGNORE(ag_err_hint(&err, "`argus audit` makes the first"),
		          "reported in the next line");
		return ag_cli_fail(c, &err);
	}
	return print(c, store, list, n);
}

const ag_command ag_cmd_history = {
	.name = "history",
	.summary = "Show what the runs of a source found again and again",
	.group = AG_GROUP_RUNS,
	.usage = "SOURCE [options]",
	.about =
		"SOURCE is what `argus audit` takes; of a source that is gone, its address in `argus runs`. A "
		"pattern is a field with a category. It is persistent when two or more of the last 10 runs found "
		"it, and stable when its share hardly moved.",
	.examples = "argus history data/orders.ndjson # runs and patterns",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
