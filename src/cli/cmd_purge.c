/* argus purge: forget old runs; what is removed cannot be read from the store's file any more. */
#include "artifact/artifact.h"
#include "cli/cli.h"
#include "report/human.h"

#define MS_PER_DAY (INT64_C(24) * 3600 * 1000)
#define MAX_DAYS   36500

static const ag_option options[] = {
	{ "older-than", 0, "DAYS", NULL, NULL,
	  "remove runs that ended so many days ago; 0 removes all" },
	{ .setting = "store" },
};

static int run(ag_cli *c)
{
	int64_t days = (int64_t)ag_cli_number(c, "older-than", 0, MAX_DAYS, 0);
	const int64_t now_ms = ag_clock_wall(c->app.ctx.clock);
	int64_t before_ms = now_ms - days * MS_PER_DAY;
	ag_err err = { 0 };
	ag_store *store;
	uint64_t n, nartifact;

	if (!ag_cli_has(c, "older-than"))
		ag_cli_complain(c, "--older-than DAYS must be given");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err) ||
	    /* Deleted artifacts can come back for a time of their own. */
	    ag_store_purge_artifacts(store, now_ms - AG_ARTIFACT_KEPT_MS, &nartifact, &err) ||
	    /* All means all, also what a clock that was ahead has stamped. */
	    ag_store_purge(store, days ? before_ms : AG_STORE_PURGE_ALL, &n, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%.*s run%s removed", AG_FMT(ag_human_count(n, c->app.arena)),
	            n == 1 ? "" : "s");
	return AG_EXIT_OK;
}

const ag_command ag_cmd_purge = {
	.name = "purge",
	.summary = "Remove old runs from the store",
	.group = AG_GROUP_RUNS,
	.usage = "--older-than DAYS [options]",
	.about =
		"Runs, their logs and reports hold samples of the data that was audited; this removes them for "
		"good. The index of a project that argus ask --offline was not asked about for so long goes, too, and so do the "
		"oldest rows of the audit table (argus log); those that stay are still one chain.",
	.examples = "argus purge --older-than 90 # keep a quarter of a year",
	.options = options,
	.noption = AG_NELEM(options),
	.run = run,
};
