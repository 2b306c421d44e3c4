/* argus runs: what the store remembers, newest first. */
#include "app/agents.h"
#include "cli/past.h"
#include "report/human.h"

#define DEFAULT_LIMIT 20
#define MIN_ID        13 /* of an id: its time to the millisecond */

static const ag_option options[] = {
	{ "limit", 'n', "N", NULL, NULL, "how many, newest first (20)" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

/* {"runs":[{"id":…,"status":…,"critical":0,…}]} */
static int json(ag_cli *c, const ag_run_row *r, size_t n)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "runs");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "id", ag_id_str(&r[i].id));
		ag_jw_kstr(&w, "agent", r[i].agent);
		ag_jw_kstr(&w, "source", r[i].source_uri);
		ag_jw_kstr(&w, "collection", r[i].collection);
		ag_jw_kstr(&w, "status", r[i].status);
		ag_jw_kstr(&w, "verdict", r[i].verdict);
		ag_jw_ktime_or_null(&w, "started_at", r[i].started_ms);
		ag_jw_ktime_or_null(&w, "finished_at", r[i].finished_ms);
		ag_jw_kuint(&w, "documents", r[i].documents);
		ag_jw_kuint(&w, "critical", r[i].critical);
		ag_jw_kuint(&w, "high", r[i].high);
		ag_jw_kuint(&w, "medium", r[i].medium);
		ag_jw_kuint(&w, "low", r[i].low);
		ag_jw_kuint(&w, "input_tokens", r[i].input_tokens);
		ag_jw_kuint(&w, "output_tokens", r[i].output_tokens);
		ag_jw_kdouble(&w, "usd", r[i].usd);
		ag_jw_kdouble(&w, "request_units", r[i].request_units);
		ag_jw_kstr(&w, "summary", r[i].summary);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

/* A run that is listed as running although its process is dead was interrupted. */
static ag_status name_the_dead(ag_store *store, ag_run_row *r, size_t n, ag_err *err)
{
	for (size_t i = 0; i < n; i++) {
		ag_owner_state writer = AG_OWNER_UNKNOWN;
		ag_status st = AG_OK;

		if (ag_str_eqc(r[i].status, "running"))
			st = ag_store_writer(store, &r[i].id, &writer, err);
		if (st)
			return st;
		if (writer == AG_OWNER_DEAD)
			r[i].status = AG_S("interrupted");
	}
	return AG_OK;
}

/* So many characters of the ids that no two of the list are alike. */
static size_t id_columns(const ag_run_row *r, size_t n)
{
	size_t len = MIN_ID;

	for (size_t i = 1; i < n && len < AG_ID_LEN; i++) {
		/* Newest first means sorted: neighbours are the nearest. */
		while (len < AG_ID_LEN && memcmp(r[i].id.text, r[i - 1].id.text, len) == 0)
			len++;
	}
	return len;
}

static ag_ink status_ink(ag_str status)
{
	return ag_str_eqc(status, "ok")       ? AG_INK_GREEN
	       : ag_str_eqc(status, "failed") ? AG_INK_RED
	                                      : AG_INK_YELLOW;
}

/* Its result, and what its models used. */
static ag_str outcome(ag_store *store, const ag_run_row *r, ag_arena *arena)
{
	const ag_str problems = r->finished_ms ? ag_past_problems(store, r, arena) : AG_S("");
	const uint64_t tokens = r->input_tokens + r->output_tokens;

	if (ag_app_answers(r->agent))
		return ag_str_printf(arena, "\"%.*s\"", AG_FMT(r->summary));

	if (!tokens)
		return problems;
	return ag_str_printf(arena, "%.*s%s%.*s tokens, %.4f USD", AG_FMT(problems),
	                     problems.len ? "; " : "", AG_FMT(ag_human_count(tokens, arena)),
	                     r->usd);
}

#define DURATION_COLS 12 /* "59 min 59 s" */
#define MIN_OUTCOME   30 /* columns; below it the outcome goes on a line of its own */

static ag_str place(const ag_run_row *r)
{
	return r->source_uri.len ? r->source_uri : r->collection;
}

/* Id, start, status, duration, source, outcome. */
static void line(ag_paint *p, ag_store *store, const ag_run_row *r, size_t nid, size_t nplace,
                 ag_arena *arena)
{
	const size_t at_status = nid + 20, at_duration = at_status + 13,
		     at_place = at_duration + DURATION_COLS + 1, at_outcome = at_place + nplace + 2;
	const bool fits = at_outcome + MIN_OUTCOME <= p->width;

	ag_paint_text(p, AG_INK_CYAN, ag_str_make(r->id.text, nid));
	ag_paint_to(p, nid + 2);
	ag_paint_text(p, AG_INK_DIM, ag_past_when(r->started_ms, arena));
	ag_paint_to(p, at_status);
	ag_paint_text(p, status_ink(r->status), r->status);
	ag_paint_to(p, at_duration);
	if (r->finished_ms)
		ag_paint_text(p, AG_INK_DIM,
		              ag_human_duration(r->finished_ms - r->started_ms, arena));
	ag_paint_to(p, at_place);
	ag_paint_cut_front(p, AG_INK_BOLD, nplace, place(r));
	if (!fits)
		ag_paint_nl(p);
	ag_paint_to(p, fits ? at_outcome : nid + 2);
	ag_paint_wrap(p, AG_INK_PLAIN, fits ? at_outcome : nid + 2, outcome(store, r, arena));
	ag_paint_nl(p);
}

static int text(ag_cli *c, ag_store *store, const ag_run_row *r, size_t n)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	const size_t nid = id_columns(r, n);
	size_t nplace = 10, room = nid + 20 + 13 + DURATION_COLS + 1;

	for (size_t i = 0; i < n; i++) {
		const size_t w = ag_paint_width(&p, place(&r[i]));

		nplace = w > nplace ? w : nplace;
	}
	room = p.width > room + 10 ? p.width - room : 10;
	nplace = nplace < room ? nplace : room;
	for (size_t i = 0; i < n; i++)
		line(&p, store, &r[i], nid, nplace, c->app.arena);
	if (!n)
		ag_cli_note(
			c,
			"No runs yet. `argus audit SOURCE` or `argus ask QUESTION` makes the first.");
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int run(ag_cli *c)
{
	size_t limit = (size_t)ag_cli_number(c, "limit", 1, AG_STORE_MAX_RUNS, DEFAULT_LIMIT);
	ag_err err = { 0 };
	ag_store *store;
	ag_run_row *rows;
	size_t n;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    ag_store_runs(store, AG_S(""), limit, 0, c->app.arena, &rows, &n, &err) ||
	    name_the_dead(store, rows, n, &err))
		return ag_cli_fail(c, &err);
	return ag_cli_is_json(c) ? json(c, rows, n) : text(c, store, rows, n);
}

const ag_command ag_cmd_runs = {
	.name = "runs",
	.summary = "List earlier runs",
	.group = AG_GROUP_RUNS,
	.usage = "[options]",
	.about = "Newest first, times in UTC. A run that was killed is listed as \"interrupted\": "
		 "`argus resume` goes on with it.",
	.examples = "argus runs --limit 5 # the last five",
	.options = options,
	.noption = AG_NELEM(options),
	.run = run,
};
