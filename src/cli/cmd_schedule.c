/* argus schedule: when which jobs are queued. Workers queue them; so does `argus schedule run`. */
#include "app/jobs.h"
#include "base/cron.h"
#include "cli/job_kind.h"
#include "cli/past.h"

#define ORIGIN       "cli.schedule"
#define DEFAULT_NEXT 5
#define MAX_NEXT     1000

static const ag_option options[] = {
	{ "zone", 0, "ZONE", NULL, NULL, "add, next: the time zone, like Europe/Berlin (UTC)" },
	{ "queue", 0, "NAME", NULL, NULL, "add: where its jobs go (main)" },
	{ .name = "kind",
	  .arg = "KIND",
	  .help = "add: of its jobs (audit)",
	  .values = "audit recipe" },
	{ "var", 0, "NAME=VALUE", NULL, NULL,
	  "add, of a recipe: the value of a variable; may be repeated" },
	{ "all", 0, NULL, NULL, NULL, "add: the documents of all projects" },
	{ "count", 'n', "N", NULL, NULL, "next: how many times (5)" },
	{ "after", 0, "TIME", NULL, NULL, "next: those after this time, ISO 8601 (now)" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

static ag_status read_plan(ag_cli *c, ag_str cron, ag_str zone, ag_cron *ret,
                           const ag_zone **ret_zone, ag_err *err)
{
	ag_status st = ag_cron_read(cron, ret, err);

	return st ? st : ag_zone_open(zone, c->app.arena, ret_zone, err);
}

/* "2026-11-21 23:46", in the zone. */
static ag_str local(int64_t ms, const ag_zone *z, ag_arena *arena)
{
	return ms ? ag_past_when(ms + ag_zone_offset(z, ms / 1000) * 1000, arena) : AG_S("never");
}

/* --- list --- */

static void schedule_json(ag_jw *w, const ag_schedule *s, ag_arena *arena)
{
	ag_jw_obj(w);
	ag_schedule_write_json(s, ag_job_shown(s->kind, s->payload, arena), w);
	ag_jw_obj_end(w);
}

static void schedule_line(ag_cli *c, ag_paint *p, const ag_schedule *s)
{
	ag_arena *a = c->app.arena;
	const ag_zone *z = NULL;
	ag_err err;

	ag_paint_text(p, AG_INK_CYAN, s->name);
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	ag_paint_to(p, 18);
	ag_paint_text(p, AG_INK_BOLD, s->cron);
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	ag_paint_to(p, 36);
	ag_paint_text(p, AG_INK_DIM, s->zone);
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	ag_paint_to(p, 54);
	if (s->is_paused)
		ag_paint_lit(p, AG_INK_YELLOW, "paused");
	else if (ag_zone_open(s->zone, a, &z, &err))
		ag_paint_lit(p, AG_INK_RED, "no such zone here");
	else
		ag_paint_text(p, AG_INK_PLAIN, local(s->next_ms, z, a));
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	ag_paint_to(p, 72);
	ag_paint_wrap(p, AG_INK_PLAIN, 18,
	              ag_str_printf(a, "%.*s %.*s", AG_FMT(s->kind),
	                            AG_FMT(ag_job_shown(s->kind, s->payload, a))));
	ag_paint_nl(p);
}

static int list(ag_cli *c)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_schedule *rows;
	ag_err err = { 0 };
	ag_store *store;
	ag_paint p;
	size_t n;
	ag_jw w;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    ag_store_schedules(store, c->app.arena, &rows, &n, &err))
		return ag_cli_fail(c, &err);
	if (!ag_cli_is_json(c)) {
		p = ag_cli_paint(c, &out);
		for (size_t i = 0; i < n; i++)
			schedule_line(c, &p, &rows[i]);
		if (!n)
			ag_cli_note(
				c,
				"No schedules yet. `argus schedule add NAME CRON WHAT` makes one.");
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "schedules");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		schedule_json(&w, &rows[i], c->app.arena);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

/* --- changing --- */

static int add(ag_cli *c)
{
	const bool all = ag_cli_has(c, "all");
	ag_schedule s = { .name = c->args[0],
		          .cron = c->args[1],
		          .zone = ag_cli_has(c, "zone") ? ag_cli_value(c, "zone") : AG_S("UTC"),
		          .queue = ag_cli_has(c, "queue") ? ag_cli_value(c, "queue")
		                                          : AG_S(AG_JOB_QUEUE),
		          .kind = ag_cli_job_kind(c, 2) };
	ag_job_what what = { .all = all };
	const ag_zone *zone = NULL;
	ag_err err = { 0 };
	ag_store *store;
	ag_cron cron;
	ag_job job = { 0 };
	ag_status st;

	if (all == (c->narg > 2) || c->narg > 3)
		ag_cli_complain(
			c, "argus schedule add: want one WHAT or --all after the cron expression");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	st = read_plan(c, s.cron, s.zone, &cron, &zone, &err);
	if (!st)
		st = ag_app_store(&c->app, &store, &err);
	what.what = all ? AG_S("") : c->args[2];
	what.nvalue = ag_cli_values(c, "var", &what.values);
	if (!st)
		st = ag_job_make(&c->app, s.kind, s.queue, &what, c->app.arena, &job, &err);
	if (!st)
		st = ag_store_now(store, c->app.ctx.clock, &s.created_ms, &err);
	if (!st) {
		s.payload = job.payload;
		s.next_ms = ag_cron_next(&cron, zone, s.created_ms);
		st = ag_store_add_schedule(store, &s, &err);
	}
	if (st)
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "due next at %.*s (%.*s), if a worker runs then",
	            AG_FMT(local(s.next_ms, zone, c->app.arena)), AG_FMT(s.zone));
	return AG_EXIT_OK;
}

static int remove_schedule(ag_cli *c)
{
	ag_err err = { 0 };
	ag_store *store;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) || ag_store_drop_schedule(store, c->args[0], &err))
		return ag_cli_fail(c, &err);
	return AG_EXIT_OK;
}

static ag_status find(ag_cli *c, ag_store *store, ag_str name, ag_schedule *ret, ag_err *err)
{
	ag_schedule *rows = NULL;
	size_t n = 0;
	ag_status st = ag_store_schedules(store, c->app.arena, &rows, &n, err);

	for (size_t i = 0; i < n && !st; i++) {
		if (ag_str_eq(rows[i].name, name)) {
			*ret = rows[i];
			return AG_OK;
		}
	}
	if (st)
		return st;
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no schedule \"%.*s\"",
	        (int)(name.len < 60 ? name.len : 60), name.len ? name.ptr : "");
	return ag_err_hint(err, "\"argus schedule list\" shows them");
}

static int set_paused(ag_cli *c, bool is_paused)
{
	const ag_zone *zone;
	ag_err err = { 0 };
	ag_store *store;
	int64_t now_ms;
	ag_schedule s;
	ag_cron cron;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) || find(c, store, c->args[0], &s, &err) ||
	    read_plan(c, s.cron, s.zone, &cron, &zone, &err) ||
	    ag_store_now(store, c->app.ctx.clock, &now_ms, &err) ||
	    ag_store_pause_schedule(store, s.name, is_paused, ag_cron_next(&cron, zone, now_ms),
	                            &err))
		return ag_cli_fail(c, &err);
	return AG_EXIT_OK;
}

static int pause_it(ag_cli *c)
{
	return set_paused(c, true);
}

static int resume_it(ag_cli *c)
{
	return set_paused(c, false);
}

/* --- when --- */

static int print_times(ag_cli *c, const ag_cron *cron, const ag_zone *zone, int64_t at, size_t n)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	if (ag_cli_is_json(c)) {
		ag_jw_obj(&w);
		ag_jw_kkey(&w, "times");
		ag_jw_arr(&w);
	}
	for (size_t i = 0; i < n; i++) {
		char text[AG_TIME_MAX_TEXT];

		at = ag_cron_next(cron, zone, at);
		if (!at)
			break;
		ag_time_format(text, at);
		if (ag_cli_is_json(c))
			ag_jw_str(&w, ag_str_c(text));
		else
			ag_buf_addf(&out, "%.*s  %s\n", AG_FMT(local(at, zone, c->app.arena)),
			            text);
	}
	if (!ag_cli_is_json(c))
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static int next(ag_cli *c)
{
	const size_t n = (size_t)ag_cli_number(c, "count", 1, MAX_NEXT, DEFAULT_NEXT);
	ag_schedule s = { .cron = c->args[0],
		          .zone = ag_cli_has(c, "zone") ? ag_cli_value(c, "zone") : AG_S("UTC") };
	const ag_zone *zone = NULL;
	int64_t after_ms = ag_clock_wall(c->app.ctx.clock);
	ag_err err = { 0 };
	ag_store *store;
	ag_cron cron;
	ag_status st = AG_OK;

	if (ag_cli_has(c, "after") && !ag_time_parse_iso(ag_cli_value(c, "after"), &after_ms))
		ag_cli_complain(c, "--after: want a time like 2026-03-29T00:00:00Z, got \"%.*s\"",
		                AG_FMT(ag_cli_value(c, "after")));
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	/* A name has no blank and no @, a cron expression has one. */
	if (ag_str_find(s.cron, ' ') < 0 && ag_str_find(s.cron, '@') < 0) {
		st = ag_app_store(&c->app, &store, &err);
		if (!st)
			st = find(c, store, c->args[0], &s, &err);
	}
	if (!st)
		st = read_plan(c, s.cron, s.zone, &cron, &zone, &err);
	return st ? ag_cli_fail(c, &err) : print_times(c, &cron, zone, after_ms, n);
}

static int queue_now(ag_cli *c)
{
	int64_t now_ms, next_ms;
	ag_err err = { 0 };
	ag_store *store;
	size_t n;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    ag_store_now(store, c->app.ctx.clock, &now_ms, &err) ||
	    ag_app_queue_due(store, now_ms, &next_ms, &n, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%zu job%s queued", n, n == 1 ? " was" : "s were");
	return AG_EXIT_OK;
}

static const ag_verb verbs[] = {
	{ "list", "", 0, 0, "store output", list },
	{ "add", "NAME CRON [KIND] WHAT", 2, 4, "store zone queue kind var all", add },
	{ "remove", "NAME", 1, 1, "store", remove_schedule },
	{ "pause", "NAME", 1, 1, "store", pause_it },
	{ "resume", "NAME", 1, 1, "store", resume_it },
	{ "next", "NAME or CRON", 1, 1, "store output zone count after", next },
	{ "run", "", 0, 0, "store", queue_now },
};

static int run(ag_cli *c)
{
	return ag_cli_run_verb(c, verbs, AG_NELEM(verbs));
}

const ag_command ag_cmd_schedule = {
	.name = "schedule",
	.summary = "Say when jobs are queued, by cron expressions",
	.group = AG_GROUP_SERVE,
	.usage =
		"list | add NAME CRON [KIND] WHAT | remove NAME | pause NAME | resume NAME | next NAME|CRON | run [options]",
	.about =
		"CRON has five fields: minute, hour, day of the month, month, weekday (names: jan, mon; 1-5, */15, 1,15), or is @daily, "
		"@hourly, @weekly, @monthly, @yearly. WHAT is as in `argus jobs add`. Workers queue what is due; where none waits, "
		"`argus schedule run` does it once.\n\n"
		"Each due time is queued once, however many workers look. A time of the day that clocks skip is due when they skip it. "
		"A time that comes twice is due the first time. A clock that is set back repeats nothing. When no worker ran for a "
		"while, only the last missed time is queued.",
	.examples =
		"argus schedule add nightly \"30 3 * * *\" --all --zone Europe/Berlin # all projects, each night\n"
		"argus schedule add orders \"*/15 8-18 * * mon-fri\" shop/orders # one collection, in working hours\n"
		"argus schedule add monday \"0 7 * * mon\" recipe shop/Weekly --var region=North # a recipe\n"
		"argus schedule next \"30 2 * * *\" --zone Europe/Berlin --after 2026-03-28 # when clocks change\n"
		"argus schedule pause nightly # until `resume`",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 5,
	.flags = AG_COMMAND_WORDS,
	.run = run,
};
