/* argus worker: takes jobs from the store and does them. */
#include "cli/crew.h"

static const ag_option options[] = {
	{ "queue", 0, "NAME", NULL, NULL, "whose jobs (main)" },
	{ "jobs", 'j', "N", NULL, NULL, "so many processes, one job each at a time (1)" },
	{ "drain", 0, NULL, NULL, NULL, "end when nothing of the queue waits or runs" },
	{ "per-target", 0, "N", NULL, NULL,
	  "so many jobs of one server at the same time, in all workers; 0 = any number (2)" },
	{ "lease", 0, "SECONDS", NULL, NULL,
	  "a worker that is silent for so long has lost its job (60)" },
	{ "grace", 0, "SECONDS", NULL, NULL,
	  "on SIGTERM: a job that does not end by then is handed back (10)" },
	{ "poll", 0, "SECONDS", NULL, NULL, "look so often where nobody tells of new jobs (5)" },
	{ "no-schedules", 0, NULL, NULL, NULL, "do not queue what schedules name" },
	{ .setting = "model" },
	{ .setting = "max_tokens" },
	{ .setting = "max_cost" },
	{ .setting = "threads" },
	{ .setting = "store" },
};

static int work(ag_cli *c, unsigned index, void *arg)
{
	const ag_worker_opts *o = arg;
	uint64_t n = 0;
	ag_err err = { 0 };
	ag_status st = ag_worker_run(&c->app, o, &n, &err);

	(void)index;
	if (st)
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%llu job%s ended here", (unsigned long long)n, n == 1 ? "" : "s");
	return AG_EXIT_OK;
}

/* Before processes are started: what would be said by each of them. */
static ag_status check_store(ag_cli *c, ag_err *err)
{
	ag_store *store;
	ag_status st = ag_app_store(&c->app, &store, err);

	if (st || ag_store_is_kept(store))
		return st;
	ag_fail(err, AG_INVALID, "cli.worker", "a store in memory has no jobs of others");
	return ag_err_hint(err, "name a file or PostgreSQL with --store or ARGUS_STORE");
}

static int run(ag_cli *c)
{
	const unsigned n = (unsigned)ag_cli_number(c, "jobs", 1, AG_CREW_MAX, 1);
	ag_worker_opts o = {
		.queue = ag_cli_has(c, "queue") ? ag_cli_value(c, "queue") : AG_S(AG_JOB_QUEUE),
		.per_target = ag_cli_number(c, "per-target", 0, 1000000, 2),
		.lease_ms = (int64_t)ag_cli_number(c, "lease", 1, 86400, 60) * 1000,
		.grace_ms = (int64_t)ag_cli_number(c, "grace", 0, 86400, 10) * 1000,
		.poll_ms = (int64_t)ag_cli_number(c, "poll", 1, 3600, 5) * 1000,
		.drain = ag_cli_has(c, "drain"),
		.retries = true,
		.schedules = !ag_cli_has(c, "no-schedules"),
		.stop = c->app.ctx.cancel,
		.tell = ag_crew_tell,
		.tell_arg = c,
	};
	ag_err err = { 0 };

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (check_store(c, &err))
		return ag_cli_fail(c, &err);
	if (n == 1)
		return work(c, 0, &o);
	c->app.store = ag_store_close(c->app.store);
	return ag_crew_run(c, n, work, &o);
}

const ag_command ag_cmd_worker = {
	.name = "worker",
	.summary = "Do the jobs that others queue: audits, on any number of machines",
	.group = AG_GROUP_SERVE,
	.usage = "[options]",
	.about =
		"Takes one job after the other from the store, and waits for more. Any number of workers share a queue: on one "
		"machine with a store in SQLite, on any number of machines with one in PostgreSQL. `argus jobs add` and `argus "
		"schedule` queue jobs.\n\n"
		"A job is leased. When its worker dies, another one goes on where the log of its run ends: nothing that was done is "
		"done again. What fails for a reason that may pass is tried again, later each time; what fails otherwise, or too "
		"often, is kept as \"dead\" until somebody looks: `argus jobs list --state dead`.\n\n"
		"SIGTERM, or Ctrl-C: the job under way may end within the time of --grace, else it is handed back, and the worker "
		"ends. All workers of a queue should have the same settings: a job names projects, and passwords come from the "
		"environment of the worker.",
	.examples = "argus worker --store postgresql://argus@db/argus # waits for jobs\n"
		    "argus worker --jobs 4 --drain # four processes, until everything is done",
	.options = options,
	.noption = AG_NELEM(options),
	.agent = &ag_agent_audit,
	.flags = AG_COMMAND_LOADS,
	.run = run,
};
