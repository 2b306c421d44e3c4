/* argus jobs: what is queued, runs, and has ended; and what people do to it. */
#include <stdlib.h>

#include "app/jobs.h"
#include "base/utf8.h"
#include "cli/job_kind.h"
#include "cli/past.h"
#include "report/human.h"
#include "run/owner.h"

#define DEFAULT_LIMIT 50
#define MIN_ID        13 /* characters of an id: its time to the millisecond */
#define LISTING       "store output queue state kind schedule limit"

static const ag_option options[] = {
	{ "queue", 0, "NAME", NULL, NULL, "list, add: of that queue (list: all; add: main)" },
	{ .name = "state",
	  .arg = "STATE",
	  .help = "list: only those that are so",
	  .values = "queued running done dead cancelled" },
	{ .name = "kind",
	  .arg = "KIND",
	  .help = "list, add: of that kind (add: audit)",
	  .values = "audit recipe" },
	{ "var", 0, "NAME=VALUE", NULL, NULL,
	  "add recipe: the value of a variable; may be repeated" },
	{ "schedule", 0, "NAME", NULL, NULL, "list: only those that this schedule has queued" },
	{ "all", 0, NULL, NULL, NULL, "add: the documents of all projects; retry: all dead jobs" },
	{ "attempts", 0, "N", NULL, NULL, "add: give up after so many (5)" },
	{ "limit", 'n', "N", NULL, NULL, "list: how many, newest first (50)" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

/* --- looking --- */

static void job_json(ag_jw *w, const ag_job *j, ag_arena *arena)
{
	ag_jw_obj(w);
	ag_job_write_json(j, ag_job_shown(j->kind, j->payload, arena), w);
	ag_jw_obj_end(w);
}

static ag_ink state_ink(ag_job_state s)
{
	return s == AG_JOB_DONE ? AG_INK_GREEN : s == AG_JOB_DEAD ? AG_INK_RED : AG_INK_YELLOW;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* So many characters of the ids that no two of the list are alike. */
static size_t id_columns(const ag_job *jobs, size_t n, ag_arena *arena)
{
	const char **ids = ag_new_n(arena, const char *, n + 1);
	size_t len = MIN_ID;

	for (size_t i = 0; i < n; i++)
		ids[i] = jobs[i].id.text;
	qsort(ids, n, sizeof(*ids), by_id);
	for (size_t i = 1; i < n; i++) {
		while (len < AG_ID_LEN && memcmp(ids[i], ids[i - 1], len) == 0)
			len++;
	}
	return len;
}

static void line(ag_paint *p, const ag_job *j, size_t nid, ag_arena *arena)
{
	const size_t at = nid + 2 + 18 + 11 + 5;

	ag_paint_text(p, AG_INK_CYAN, ag_str_make(j->id.text, nid));
	ag_paint_to(p, nid + 2);
	ag_paint_text(p, AG_INK_DIM, ag_past_when(j->created_ms, arena));
	ag_paint_to(p, nid + 2 + 18);
	ag_paint_lit(p, state_ink(j->state), ag_job_state_name(j->state));
	ag_paint_to(p, nid + 2 + 18 + 11);
	ag_paint_textf(p, AG_INK_DIM, "%u/%u", j->attempts, j->max_attempts);
	ag_paint_to(p, at);
	ag_paint_wrap(p, AG_INK_BOLD, at,
	              ag_str_printf(arena, "%.*s %.*s", AG_FMT(j->kind),
	                            AG_FMT(ag_job_shown(j->kind, j->payload, arena))));
	ag_paint_nl(p);
	if (j->error.len && j->state != AG_JOB_DONE) {
		ag_paint_to(p, at);
		ag_paint_wrap(p, AG_INK_PLAIN, at, j->error);
		ag_paint_nl(p);
	}
}

static int list(ag_cli *c)
{
	const size_t limit = (size_t)ag_cli_number(c, "limit", 1, AG_JOB_MAX_LIST, DEFAULT_LIMIT);
	ag_job_filter f = { .queue = ag_cli_value(c, "queue"),
		            .kind = ag_cli_value(c, "kind"),
		            .schedule = ag_cli_value(c, "schedule"),
		            .has_state = ag_cli_has(c, "state") };
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_arena *arena = c->app.arena;
	ag_job_counts n = { 0 };
	ag_err err = { 0 };
	ag_store *store;
	ag_job *jobs;
	size_t njob, nid;
	ag_paint p;
	ag_jw w;

	if (f.has_state && !ag_job_state_read(ag_cli_value(c, "state"), &f.state))
		ag_cli_complain(
			c, "--state: want queued, running, done, dead or cancelled, got \"%.*s\"",
			AG_FMT(ag_utf8_prefix(ag_cli_value(c, "state"), 40)));
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    ag_store_jobs(store, &f, limit, 0, arena, &jobs, &njob, &err) ||
	    ag_store_count_jobs(store, f.queue, &n, &err))
		return ag_cli_fail(c, &err);
	if (!ag_cli_is_json(c)) {
		p = ag_cli_paint(c, &out);
		nid = id_columns(jobs, njob, arena);
		for (size_t i = 0; i < njob; i++)
			line(&p, &jobs[i], nid, arena);
		ag_cli_note(c, "%llu queued, %llu running, %llu done, %llu dead, %llu cancelled",
		            (unsigned long long)n.of[AG_JOB_QUEUED],
		            (unsigned long long)n.of[AG_JOB_RUNNING],
		            (unsigned long long)n.of[AG_JOB_DONE],
		            (unsigned long long)n.of[AG_JOB_DEAD],
		            (unsigned long long)n.of[AG_JOB_CANCELLED]);
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "jobs");
	ag_jw_arr(&w);
	for (size_t i = 0; i < njob; i++)
		job_json(&w, &jobs[i], arena);
	ag_jw_arr_end(&w);
	ag_jw_kkey(&w, "counts");
	ag_jw_obj(&w);
	for (int i = 0; i < AG_NJOB_STATE; i++)
		ag_jw_kuint(&w, ag_job_state_name((ag_job_state)i), n.of[i]);
	ag_jw_obj_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static void fact(ag_paint *p, const char *name, ag_str value)
{
	if (!value.len)
		return;
	ag_paint_lit(p, AG_INK_DIM, name);
	ag_paint_to(p, 14);
	ag_paint_wrap(p, AG_INK_PLAIN, 14, value);
	ag_paint_nl(p);
}

static void show_text(ag_cli *c, const ag_job *j, ag_buf *out)
{
	ag_arena *a = c->app.arena;
	ag_paint p = ag_cli_paint(c, out);
	const long pid = ag_owner_pid(j->owner);

	fact(&p, "job", ag_id_str(&j->id));
	fact(&p, "what",
	     ag_str_printf(a, "%.*s %.*s", AG_FMT(j->kind),
	                   AG_FMT(ag_job_shown(j->kind, j->payload, a))));
	fact(&p, "queue", j->queue);
	fact(&p, "server", j->target);
	fact(&p, "state",
	     ag_str_printf(a, "%s%s", ag_job_state_name(j->state),
	                   j->wants_stop ? ", will be stopped" : ""));
	fact(&p, "attempts", ag_str_printf(a, "%u of %u", j->attempts, j->max_attempts));
	fact(&p, "queued", ag_past_when(j->created_ms, a));
	if (j->state == AG_JOB_QUEUED)
		fact(&p, "not before", ag_past_when(j->ready_ms, a));
	if (j->started_ms)
		fact(&p, "started", ag_past_when(j->started_ms, a));
	if (j->ended_ms)
		fact(&p, "ended", ag_past_when(j->ended_ms, a));
	if (pid)
		fact(&p, "worker",
		     ag_str_printf(a, "process %ld%s", pid,
		                   ag_owner_state_of(j->owner) == AG_OWNER_UNKNOWN
		                           ? " of another machine"
		                           : ""));
	fact(&p, "run", ag_id_str(&j->run));
	fact(&p, "result", j->result);
	fact(&p, "error", j->error);
}

static ag_status find(ag_cli *c, ag_str id, ag_store **ret_store, ag_job *ret, ag_err *err)
{
	ag_status st = ag_app_store(&c->app, ret_store, err);

	return st ? st : ag_store_job(*ret_store, id, c->app.arena, ret, err);
}

static int show(ag_cli *c)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_err err = { 0 };
	ag_store *store;
	ag_job j;
	ag_jw w;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (find(c, c->args[0], &store, &j, &err))
		return ag_cli_fail(c, &err);
	if (ag_cli_is_json(c)) {
		ag_jw_init(&w, &out, 2);
		job_json(&w, &j, c->app.arena);
		return ag_past_print_json(c, &out);
	}
	show_text(c, &j, &out);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

/* --- changing --- */

/* {"jobs":["id",…]} */
static int print_ids(ag_cli *c, const ag_id *ids, size_t n)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	if (!ag_cli_is_json(c)) {
		for (size_t i = 0; i < n; i++)
			ag_buf_addf(&out, "%s\n", ids[i].text);
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "jobs");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		ag_jw_str(&w, ag_id_str(&ids[i]));
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

ag_str ag_cli_job_kind(ag_cli *c, size_t at)
{
	ag_str first;

	if (ag_cli_has(c, "kind"))
		return ag_cli_value(c, "kind");
	first = c->narg > at ? c->args[at] : AG_S("");
	if (c->narg < at + 2 || !ag_job_kind_find(first))
		return AG_S("audit");
	for (size_t i = at; i + 1 < c->narg; i++)
		c->args[i] = c->args[i + 1];
	c->narg--;
	return first;
}

static int add(ag_cli *c)
{
	const unsigned attempts = (unsigned)ag_cli_number(c, "attempts", 1, AG_JOB_MAX_TRIES, 5);
	const ag_str queue = ag_cli_has(c, "queue") ? ag_cli_value(c, "queue") : AG_S(AG_JOB_QUEUE);
	const ag_str kind = ag_cli_job_kind(c, 0);
	const bool all = ag_cli_has(c, "all");
	const size_t n = all ? 1 : c->narg;
	ag_job_what what = { .all = all };
	ag_job *jobs = ag_new_n(c->app.arena, ag_job, n + 1);
	ag_id *ids = ag_new_n(c->app.arena, ag_id, n + 1);
	ag_err err = { 0 };
	ag_store *store;
	int64_t now_ms;
	ag_status st;

	if (all && c->narg)
		ag_cli_complain(c, "argus jobs add: want either --all or names, not both");
	if (!all && !c->narg)
		ag_cli_complain(c, "argus jobs add: want WHAT or --all");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	st = ag_app_store(&c->app, &store, &err);
	what.nvalue = ag_cli_values(c, "var", &what.values);
	for (size_t i = 0; i < n && !st; i++) {
		what.what = all ? AG_S("") : c->args[i];
		st = ag_job_make(&c->app, kind, queue, &what, c->app.arena, &jobs[i], &err);
		jobs[i].max_attempts = attempts;
	}
	if (!st)
		st = ag_store_now(store, c->app.ctx.clock, &now_ms, &err);
	if (!st)
		st = ag_store_add_jobs(store, jobs, n, now_ms, ids, NULL, &err);
	return st ? ag_cli_fail(c, &err) : print_ids(c, ids, n);
}

static int cancel(ag_cli *c)
{
	int code = AG_EXIT_OK;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	for (size_t i = 0; i < c->narg; i++) {
		ag_job_state state = AG_JOB_CANCELLED;
		ag_err err = { 0 };
		ag_store *store;
		int64_t now_ms;
		ag_job j;
		ag_status st = find(c, c->args[i], &store, &j, &err);

		if (!st)
			st = ag_store_now(store, c->app.ctx.clock, &now_ms, &err);
		if (!st)
			st = ag_store_cancel_job(store, &j.id, now_ms, &state, &err);
		if (st)
			code = ag_cli_fail(c, &err);
		else
			ag_cli_note(c, "job %.18s %s", j.id.text,
			            state == AG_JOB_RUNNING ? "will be stopped by its worker"
			                                    : "is cancelled");
	}
	return code;
}

/* The ids of all dead jobs, a page at a time, as they leave the list. */
static ag_status retry_dead(ag_cli *c, ag_store *store, int64_t now_ms, uint64_t *ret, ag_err *err)
{
	const ag_job_filter f = { .queue = ag_cli_value(c, "queue"),
		                  .has_state = true,
		                  .state = AG_JOB_DEAD };
	ag_status st = AG_OK;

	for (size_t n = 1; n && !st;) {
		AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
		ag_job *jobs = NULL;

		n = 0;
		st = ag_store_jobs(store, &f, AG_JOB_MAX_LIST, 0, arena, &jobs, &n, err);
		for (size_t i = 0; i < n && !st; i++) {
			st = ag_store_retry_job(store, &jobs[i].id, now_ms, err);
			*ret += !st;
		}
	}
	return st;
}

static int retry(ag_cli *c)
{
	const bool all = ag_cli_has(c, "all");
	uint64_t n = 0;
	ag_err err = { 0 };
	ag_store *store;
	int64_t now_ms;
	ag_status st;
	ag_job j;

	if (all == (c->narg > 0))
		ag_cli_complain(c, "argus jobs retry: want ids, or --all for all dead jobs");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	st = ag_app_store(&c->app, &store, &err);
	if (!st)
		st = ag_store_now(store, c->app.ctx.clock, &now_ms, &err);
	if (!st && all)
		st = retry_dead(c, store, now_ms, &n, &err);
	for (size_t i = 0; i < c->narg && !st; i++) {
		st = find(c, c->args[i], &store, &j, &err);
		if (!st)
			st = ag_store_retry_job(store, &j.id, now_ms, &err);
		n += !st;
	}
	if (st)
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%llu job%s queued again", (unsigned long long)n, n == 1 ? " is" : "s are");
	return AG_EXIT_OK;
}

/* --- the command --- */

static const ag_verb verbs[] = {
	{ "list", "", 0, 0, LISTING, list },
	{ "show", "JOB", 1, 1, "store output", show },
	{ "add", "[KIND] WHAT... or --all", 0, 1000, "store output queue kind var all attempts",
	  add },
	{ "cancel", "JOB...", 1, 1000, "store", cancel },
	{ "retry", "JOB... or --all", 0, 1000, "store all queue", retry },
};

static int run(ag_cli *c)
{
	static ag_str first[] = { AG_S_INIT("list") };

	if (!c->narg) {
		c->args = first;
		c->narg = 1;
	}
	return ag_cli_run_verb(c, verbs, AG_NELEM(verbs));
}

const ag_command ag_cmd_jobs = {
	.name = "jobs",
	.summary = "List the jobs of workers; add, cancel and retry them",
	.group = AG_GROUP_SERVE,
	.usage = "list | show JOB | add [KIND] WHAT... | cancel JOB... | retry JOB... [options]",
	.about =
		"JOB is an id of the list, or the beginning of one. WHAT is a project that has documents, PROJECT/COLLECTION (* and ? "
		"stand for others), a path that workers see as well, or mongodb://host/database without a password. A job of several "
		"collections becomes one for each when a worker takes it. `add recipe PROJECT/NAME` runs a recipe with the values of "
		"--var.\n\n"
		"A job is queued, running, done, dead or cancelled. Dead ones failed for good, or too often: the list says why; `retry` "
		"queues them again, and their runs go on. A running job that is cancelled is stopped by its worker within seconds. "
		"`argus purge` removes jobs that ended.",
	.examples = "argus jobs # the newest\n"
		    "argus jobs add --all # audit the documents of all projects\n"
		    "argus jobs add shop/orders # one collection\n"
		    "argus jobs add recipe shop/Weekly --var region=North # a recipe\n"
		    "argus jobs list --state dead # what failed\n"
		    "argus jobs retry --all # try that again",
	.options = options,
	.noption = AG_NELEM(options),
	.max_args = 1001,
	.run = run,
};
