/* argus store: the place where runs are kept, as a whole: copy it, check it, take over an older one. */
#include <stdarg.h>
#include <stdio.h>

#include "app/agents.h"
#include "audit/replay.h"
#include "audit/seed.h"
#include "cli/cli.h"
#include "report/human.h"
#include "store/copy.h"
#include "store/ledger.h"

#define ORIGIN     "cli.store"
#define PAGE       200u
#define MAX_FAULTS 20u /* that are printed */

static const ag_option options[] = {
	{ .setting = "show_values", .help = "import: keep values of personal fields as they are" },
	{ .setting = "store" },
};

/* --- copy --- */

static ag_str counted(ag_cli *c, uint64_t n, const char *what)
{
	return ag_str_printf(c->app.arena, "%.*s %s%s", AG_FMT(ag_human_count(n, c->app.arena)),
	                     what, n == 1 ? "" : "s");
}

static int copy(ag_cli *c)
{
	ag_store *from = NULL, *to = NULL;
	ag_store_copied n = { 0 };
	ag_err err = { 0 };
	ag_status st = AG_OK;

	if (ag_str_eq(c->args[0], c->args[1]))
		ag_cli_complain(c, "argus store copy: FROM and TO are the same store");
	if (ag_str_starts(c->args[1], AG_S("memory:")))
		ag_cli_complain(c, "argus store copy: a copy in memory would be gone at once");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	st = ag_store_open_existing(c->args[0], &from, &err);
	if (!st)
		st = ag_store_open(c->args[1], &to, &err);
	if (!st)
		st = ag_store_copy(from, to, &c->app.ctx, &n, &err);
	ag_store_close(from);
	ag_store_close(to);
	if (st)
		return ag_cli_fail(c, &err);
	ag_cli_note(
		c,
		"%.*s, %.*s, %.*s and %.*s of the audit table are in %.*s (%.*s and %.*s were written now)",
		AG_FMT(counted(c, n.nrun, "run")), AG_FMT(counted(c, n.nfinding, "finding")),
		AG_FMT(counted(c, n.nreport, "report")), AG_FMT(counted(c, n.nledger, "new row")),
		AG_FMT(ag_store_shown(c->args[1], c->app.arena)),
		AG_FMT(counted(c, n.nevent, "event")), AG_FMT(counted(c, n.nledger, "row")));
	return AG_EXIT_OK;
}

/* --- check --- */

typedef struct checking {
	ag_cli *c;
	ag_store *store;
	uint64_t nrun, nrebuilt, nolder, nfault;
} checking;

AG_PRINTF(2, 3) static void fault(checking *k, const char *fmt, ...)
{
	ag_err text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text.msg, sizeof(text.msg), fmt, ap);
	va_end(ap);
	if (k->nfault++ < MAX_FAULTS)
		ag_cli_warn(k->c, "%s", text.msg);
}

static ag_status check_tables(checking *k, ag_err *err)
{
	ag_str *faults;
	size_t n;
	ag_status st = ag_store_check(k->store, k->c->app.arena, &faults, &n, err);

	for (size_t i = 0; i < n && !st; i++)
		fault(k, "%.*s", AG_FMT(faults[i]));
	return st;
}

static ag_status check_ledger(checking *k, uint64_t *ret_nrow, ag_err *err)
{
	ag_ledger_check l = { 0 };
	ag_status st = ag_store_ledger_verify(k->store, k->c->app.arena, &l, err);

	if (!st && l.broken_at)
		fault(k, "the audit table is broken at row %llu: %.*s",
		      (unsigned long long)l.broken_at, AG_FMT(l.why));
	*ret_nrow = l.nrow;
	return st;
}

/* Another version of Argus may make another report of the same log. */
static bool is_of_this_version(const ag_replay *r)
{
	return ag_str_contains(r->events[0].payload, AG_S("\"argus\":\"" AG_VERSION "\""));
}

/* The log gives a state, and the stored report. */
static ag_status rebuild_audit(checking *k, const ag_run_row *row, ag_arena *arena, ag_err *err)
{
	ag_event event;
	ag_replay r;
	bool more = true;
	ag_status st = ag_replay_open(k->store, row, true, arena, &r, err);

	while (!st && more)
		st = ag_replay_next(&r, &event, &more, err);
	if (!st)
		st = ag_replay_check(&r, k->store, row, err);
	if (st != AG_CONFLICT || is_of_this_version(&r))
		return st;
	k->nolder++;
	return AG_NOT_FOUND; /* the state was made, and there is no report to compare */
}

/* Of other agents: the log has no hole, as the store's own check found, and its end. */
static ag_status check_log(checking *k, const ag_run_row *row, ag_arena *arena, ag_err *err)
{
	ag_event *events;
	size_t n;
	ag_status st = ag_store_events(k->store, &row->id, 0, arena, &events, &n, err);

	if (!st && n && row->finished_ms && events[n - 1].type != AG_EV_RUN_FINISHED)
		st = ag_fail(err, AG_CONFLICT, ORIGIN, "the log has no end, but the run has");
	return st;
}

/* A run that is written now, or was interrupted, has no report yet. */
static ag_status check_run(checking *k, const ag_run_row *row, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_err why = { 0 };
	ag_status st;

	if (ag_signals_cancelled())
		return ag_fail(err, AG_CANCELLED, ORIGIN, "stopped by the user");
	k->nrun++;
	st = ag_app_agent(row->agent) == &ag_agent_audit ? rebuild_audit(k, row, arena, &why)
	                                                 : check_log(k, row, arena, &why);
	if (!st)
		k->nrebuilt++;
	else if (st == AG_CONFLICT || st == AG_INVALID || st == AG_PROTOCOL || st == AG_INTERNAL)
		fault(k, "%s%s%s", strstr(why.msg, row->id.text) ? "" : row->id.text,
		      strstr(why.msg, row->id.text) ? "" : ": ", why.msg);
	else if (st != AG_NOT_FOUND && st != AG_LIMIT) {
		*err = why;
		return st;
	}
	return AG_OK;
}

static ag_status check_runs(checking *k, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t at = 0, n = PAGE; !st && n == PAGE; at += n) {
		AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
		ag_run_row *rows;

		st = ag_store_runs(k->store, AG_S(""), PAGE, at, arena, &rows, &n, err);
		for (size_t i = 0; i < n && !st; i++)
			st = check_run(k, &rows[i], err);
	}
	return st;
}

static int check(ag_cli *c)
{
	checking k = { .c = c };
	ag_err err = { 0 };
	uint64_t nrow = 0;
	ag_status st;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	st = ag_app_store(&c->app, &k.store, &err);
	if (!st)
		st = check_tables(&k, &err);
	if (!st)
		st = check_ledger(&k, &nrow, &err);
	if (!st)
		st = check_runs(&k, &err);
	if (st)
		return ag_cli_fail(c, &err);
	if (k.nolder)
		ag_cli_note(c, "%.*s of another version of Argus, whose reports cannot be compared",
		            AG_FMT(counted(c, k.nolder, "run")));
	if (k.nfault > MAX_FAULTS)
		ag_cli_warn(c, "%llu faults in all", (unsigned long long)k.nfault);
	ag_cli_note(c, "%.*s, %llu of them rebuilt from their logs; %.*s of the audit table%s",
	            AG_FMT(counted(c, k.nrun, "run")), (unsigned long long)k.nrebuilt,
	            AG_FMT(counted(c, nrow, "row")), k.nfault ? "" : ": the store is whole");
	return k.nfault ? AG_EXIT_FAILED : AG_EXIT_OK;
}

/* --- import --- */

typedef struct importing {
	ag_cli *c;
	ag_store *store;
	ag_seed_taken taken;
} importing;

static ag_status take_report(void *arg, const ag_seed_report *r, ag_err *err)
{
	importing *i = arg;

	if (ag_signals_cancelled())
		return ag_fail(err, AG_CANCELLED, ORIGIN,
		               "stopped by the user; begin again to go on");
	return ag_seed_take(i->store, r, i->c->app.settings.audit.show_values, &i->taken, err);
}

static int import(ag_cli *c)
{
	importing i = { .c = c };
	ag_err err = { 0 };

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &i.store, &err) ||
	    ag_seed_read(c->args[0], take_report, &i, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%.*s with %.*s (%.*s, %llu dismissed) are in the store",
	            AG_FMT(counted(c, i.taken.nreport, "report")),
	            AG_FMT(counted(c, i.taken.nfinding, "finding")),
	            AG_FMT(counted(c, i.taken.nlabel, "label")),
	            (unsigned long long)i.taken.ndismissed);
	return AG_EXIT_OK;
}

/* --- the command --- */

static const ag_verb verbs[] = {
	{ "copy", "FROM TO", 2, 2, "", copy },
	{ "check", "", 0, 0, "store", check },
	{ "import", "URI", 1, 1, "store show-values", import },
};

static int run(ag_cli *c)
{
	return ag_cli_run_verb(c, verbs, AG_NELEM(verbs));
}

const ag_command ag_cmd_store = {
	.name = "store",
	.summary = "Copy a store to another place, check it, take over an older one",
	.group = AG_GROUP_SET_UP,
	.usage = "copy FROM TO | check | import URI [options]",
	.about =
		"copy: everything of the store FROM into the store TO, from SQLite into PostgreSQL or back; "
		"both are paths, sqlite:PATH or postgresql://user@host/name. FROM is read as it was at one moment. "
		"A copy that ended early goes on when it is begun again. The index of `argus ask --offline` is not "
		"copied: the next question makes it again.\n\n"
		"check: reads the whole store, the chain of its audit table, and makes each audit's report again "
		"from its log, to compare it with the stored one. Exit code 1 when something is damaged.\n\n"
		"import: takes over the reports of the system that kept them in the tables argus_reports, "
		"argus_findings, argus_dismissed_findings and argus_evaluation_records of a PostgreSQL database: "
		"runs, findings, labels, dismissals. It may be repeated; that database is only read.",
	.examples =
		"argus store copy ~/.local/state/argus/argus.db postgresql://argus@db/argus\n"
		"argus store check --store postgresql://argus@db/argus\n"
		"argus store import postgresql://argus@db/old --store postgresql://argus@db/argus",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 3,
	.run = run,
};
