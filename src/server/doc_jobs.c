/* Descriptions of the routes of jobs, schedules and settings: /api/jobs, /api/schedules, /api/settings, and
 * /api/projects/{project}/settings. */
#include "base/cron.h"
#include "server/route_doc.h"
#include "store/identity.h"
#include "store/jobs.h"

static const char *const kinds[] = { "audit", "recipe", NULL };
static const char *const states[] = { "queued", "running", "done", "dead", "cancelled", NULL };
static const char *const worker_states[] = { "alive", "dead", "unknown", NULL };

static const ag_doc_field job[] = {
	{ "id", "string", NULL, NULL, false },
	{ "kind", "string", NULL, NULL, false },
	{ "queue", "string", "workers take jobs from one", NULL, false },
	{ "what", "string", "its payload, for people", NULL, false },
	{ "project", "string", "\"\" = of no single project", NULL, false },
	{ "payload", "object", NULL, NULL, false },
	{ "target", "string", "the server that it asks; \"\" = none", NULL, false },
	{ "state", "string", "dead: it failed for good", states, false },
	{ "wants_stop", "boolean", "its worker will stop it", NULL, false },
	{ "attempts", "integer", NULL, NULL, false },
	{ "max_attempts", "integer", NULL, NULL, false },
	{ "ready_at", "time?", "queued: not before; running: end of its worker's lease", NULL,
	  false },
	{ "created_at", "time?", NULL, NULL, false },
	{ "started_at", "time?", NULL, NULL, false },
	{ "ended_at", "time?", NULL, NULL, false },
	{ "run", "string", "\"\" = it was not taken yet", NULL, false },
	{ "result", "any", "object or null", NULL, false },
	{ "error", "string", "of the last attempt that failed; \"\" = none did", NULL, false },
	{ "worker", "string", "running: who has it", NULL, false },
	{ "worker_state", "string", "running: does its process live? unknown: on another machine",
	  worker_states, true },
};

static const ag_doc_field job_list[] = {
	{ "jobs", "[Job]", "newest first", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field schedule[] = {
	{ "name", "string", NULL, NULL, false },
	{ "cron", "string", NULL, NULL, false },
	{ "zone", "string", "of its times", NULL, false },
	{ "queue", "string", NULL, NULL, false },
	{ "kind", "string", NULL, NULL, false },
	{ "what", "string", "its payload, for people", NULL, false },
	{ "project", "string", "\"\" = of no single project", NULL, false },
	{ "payload", "object", NULL, NULL, false },
	{ "paused", "boolean", NULL, NULL, false },
	{ "next_at", "time?", "null = it is paused", NULL, false },
	{ "last_at", "time?", "when it was due last; null = never yet", NULL, false },
	{ "created_at", "time?", NULL, NULL, false },
	{ "last_job", "any", "the last Job that it has queued, or null", NULL, false },
};

static const ag_doc_field schedule_list[] = {
	{ "schedules", "[Schedule]", "by name", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field setting[] = {
	{ "group", "string", "in argus.yaml; \"\" = the top level", NULL, false },
	{ "key", "string", NULL, NULL, false },
	{ "value", "string", "as people write it; passwords are masked", NULL, false },
	{ "by_default", "string", NULL, NULL, false },
	{ "place", "string", "default, argus.yaml, .env file, environment, flag", NULL, false },
	{ "where", "string", "the line, variable or flag that set it", NULL, false },
	{ "help", "string", "what it does", NULL, false },
	{ "variable", "string", "of the environment that sets it", NULL, false },
	{ "is_live", "boolean", "a new value counts after SIGHUP, without a restart", NULL, false },
};

static const ag_doc_field setting_list[] = {
	{ "settings", "[Setting]", NULL, NULL, false },
	AG_DOC_NEXT,
};

static const char *const places[] = { "default", "server", "project", "argus.yaml", NULL };
static const char *const forms[] = { "text", "names", "count", "number", NULL };

static const ag_doc_field project_setting[] = {
	{ "key", "string", NULL, NULL, false },
	{ "value", "string", "that counts; \"\" = none", NULL, false },
	{ "by_default", "string", "that counts where the project sets none", NULL, false },
	{ "place", "string", "where the value comes from", places, false },
	{ "where", "string", "of a value of the server: the line, variable or flag", NULL, false },
	{ "help", "string", "what it does", NULL, false },
	{ "form", "string", "names: with commas between them", forms, false },
	{ "may_change", "boolean", "with PUT and DELETE", NULL, false },
	{ "min", "number", "of a number that may be set", NULL, true },
	{ "max", "number", "the same; of a text its bytes", NULL, true },
};

static const ag_doc_field project_setting_list[] = {
	{ "settings", "[ProjectSetting]", NULL, NULL, false },
	AG_DOC_NEXT,
};

const ag_doc_shape ag_doc_job_shapes[] = {
	{ "Job", "Work that a worker does.", job, AG_NELEM(job), false },
	{ "JobList", NULL, job_list, AG_NELEM(job_list), false },
	{ "Schedule", "When jobs are queued.", schedule, AG_NELEM(schedule), false },
	{ "ScheduleList", NULL, schedule_list, AG_NELEM(schedule_list), false },
	{ "Setting", "A setting of the server.", setting, AG_NELEM(setting), false },
	{ "ProjectSetting", "A setting of a project.", project_setting, AG_NELEM(project_setting),
	  false },
	{ "ProjectSettingList", NULL, project_setting_list, AG_NELEM(project_setting_list), false },
	{ "SettingList", NULL, setting_list, AG_NELEM(setting_list), false },
	{ NULL, NULL, NULL, 0, false },
};

/* --- jobs --- */

static const ag_param jobs_query[] = {
	{ .name = "project",
	  .type = AG_PARAM_STRING,
	  .help = "only jobs of this project",
	  .max = AG_IDENTITY_MAX_NAME },
	{ .name = "state",
	  .type = AG_PARAM_STRING,
	  .help = "only those that are so",
	  .one_of = states },
	{ .name = "kind",
	  .type = AG_PARAM_STRING,
	  .help = "only of this kind",
	  .max = AG_JOB_MAX_NAME },
	{ .name = "schedule",
	  .type = AG_PARAM_STRING,
	  .help = "only those that it has queued",
	  .max = AG_JOB_MAX_NAME },
};

const ag_route_doc ag_doc_list_jobs = {
	.name = "listJobs",
	.tag = "jobs",
	.summary = "The jobs of workers, newest first",
	.help = "Of the newest 1,000: superusers see all, admins of a project those of the project.",
	.query = jobs_query,
	.nquery = AG_NELEM(jobs_query),
	.gives = "JobList",
	.is_list = true,
};

#define JOB_BODY                                                                                          \
	{ .name = "project",                                                                              \
	  .type = AG_PARAM_STRING,                                                                        \
	  .required = true,                                                                               \
	  .help = "id of the project",                                                                    \
	  .min = 1,                                                                                       \
	  .max = AG_IDENTITY_MAX_NAME },                                                                  \
		{ .name = "kind",                                                                         \
		  .type = AG_PARAM_STRING,                                                                \
		  .required = true,                                                                       \
		  .help = "what is done",                                                                 \
		  .one_of = kinds },                                                                      \
		{ .name = "what",                                                                         \
		  .type = AG_PARAM_STRING,                                                                \
		  .help = "recipe: its name; audit: a collection (* and ? stand for others), \"\" = all", \
		  .max = 800 },                                                                           \
	{                                                                                                 \
		.name = "values", .type = AG_PARAM_OBJECT,                                                \
		.help = "of a recipe: a text, number or boolean for each variable"                        \
	}

static const ag_param job_body[] = { JOB_BODY };

const ag_route_doc ag_doc_add_job = {
	.name = "addJob",
	.tag = "jobs",
	.summary = "Queue a job",
	.help = "For admins of the project. A worker takes it.",
	.body = job_body,
	.nbody = AG_NELEM(job_body),
	.status = 201,
	.gives = "Job",
	.other = { { 404, "there is no such project or recipe" } },
};

static const ag_param at_job[] = {
	{ .name = "id",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "id of the job, or the beginning of one" },
};

const ag_route_doc ag_doc_get_job = {
	.name = "getJob",
	.tag = "jobs",
	.summary = "One job",
	.at = at_job,
	.nat = AG_NELEM(at_job),
	.gives = "Job",
};

const ag_route_doc ag_doc_cancel_job = {
	.name = "cancelJob",
	.tag = "jobs",
	.summary = "Cancel a job",
	.help = "One that runs is stopped by its worker, soon.",
	.at = at_job,
	.nat = AG_NELEM(at_job),
	.gives = "Job",
	.other = { { 409, "it has ended" } },
};

const ag_route_doc ag_doc_retry_job = {
	.name = "retryJob",
	.tag = "jobs",
	.summary = "Run a job again",
	.help = "One that is dead or was cancelled goes on with its run. One that is done is queued once more: the answer is the new job.",
	.at = at_job,
	.nat = AG_NELEM(at_job),
	.gives = "Job",
	.other = { { 409, "it has not ended yet" } },
};

/* --- schedules --- */

const ag_route_doc ag_doc_list_schedules = {
	.name = "listSchedules",
	.tag = "jobs",
	.summary = "When jobs are queued",
	.help = "Superusers see all, admins of a project those of the project.",
	.gives = "ScheduleList",
	.is_list = true,
};

#define CRON(needed)                                                                        \
	{ .name = "cron",                                                                   \
	  .type = AG_PARAM_STRING,                                                          \
	  .required = (needed),                                                             \
	  .help = "five fields: minute, hour, day of the month, month, weekday; or @daily", \
	  .min = 1,                                                                         \
	  .max = AG_CRON_MAX_BYTES },                                                       \
	{                                                                                   \
		.name = "zone", .type = AG_PARAM_STRING,                                    \
		.help = "of its times, like Europe/Berlin; UTC without one", .max = 128     \
	}

static const ag_param schedule_body[] = {
	{ .name = "name",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "letters, digits, . _ -",
	  .min = 1,
	  .max = AG_JOB_MAX_NAME },
	CRON(true),
	JOB_BODY,
};

const ag_route_doc ag_doc_add_schedule = {
	.name = "addSchedule",
	.tag = "jobs",
	.summary = "Queue a job again and again",
	.help = "For admins of the project.",
	.body = schedule_body,
	.nbody = AG_NELEM(schedule_body),
	.status = 201,
	.gives = "Schedule",
	.other = { { 404, "there is no such project or recipe" },
	           { 409, "there is one of that name" } },
};

static const ag_param at_schedule[] = {
	{ .name = "name",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "name of the schedule" },
};

static const ag_param schedule_change[] = {
	CRON(false),
	{ .name = "paused", .type = AG_PARAM_BOOL, .help = "true: it queues nothing" },
};

const ag_route_doc ag_doc_change_schedule = {
	.name = "changeSchedule",
	.tag = "jobs",
	.summary = "Change when it is due, pause it, or let it go on",
	.at = at_schedule,
	.nat = AG_NELEM(at_schedule),
	.body = schedule_change,
	.nbody = AG_NELEM(schedule_change),
	.gives = "Schedule",
};

const ag_route_doc ag_doc_remove_schedule = {
	.name = "removeSchedule",
	.tag = "jobs",
	.summary = "Remove a schedule; its jobs stay",
	.at = at_schedule,
	.nat = AG_NELEM(at_schedule),
	.status = 204,
};

/* --- settings --- */

const ag_route_doc ag_doc_list_settings = {
	.name = "listSettings",
	.tag = "settings",
	.summary = "The settings of the server, and where each value comes from",
	.help = "For superusers. Passwords are masked; keys are in variables of their own, which are not listed.",
	.gives = "SettingList",
	.is_list = true,
};

static const ag_param at_setting[] = {
	{ .name = "project",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "id of the project",
	  .min = 1,
	  .max = AG_IDENTITY_MAX_NAME },
	{ .name = "key", .type = AG_PARAM_STRING, .required = true, .help = "of the setting" },
};
static const ag_param setting_body[] = {
	{ .name = "value",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "as text, a number as well",
	  .min = 1,
	  .max = 32768 },
};

const ag_route_doc ag_doc_list_project_settings = {
	.name = "listProjectSettings",
	.tag = "settings",
	.summary = "The settings of a project, and where each value comes from",
	.help = "For administrators of the project.",
	.at = at_setting,
	.nat = 1,
	.gives = "ProjectSettingList",
	.is_list = true,
};
const ag_route_doc ag_doc_put_project_setting = {
	.name = "putProjectSetting",
	.tag = "settings",
	.summary = "Set a limit or the instructions of a project",
	.help = "For administrators of a project of the store. What decides which files, hosts, tables and functions are "
		"reached is not changed in this way: 403. No limit is wider than the server's.",
	.at = at_setting,
	.nat = AG_NELEM(at_setting),
	.body = setting_body,
	.nbody = AG_NELEM(setting_body),
	.gives = "ProjectSetting",
	.other = { { 409, "the project stands in argus.yaml" } },
};
const ag_route_doc ag_doc_reset_project_setting = {
	.name = "resetProjectSetting",
	.tag = "settings",
	.summary = "Take a value away, so that the default counts",
	.at = at_setting,
	.nat = AG_NELEM(at_setting),
	.gives = "ProjectSetting",
	.other = { { 409, "the project stands in argus.yaml" } },
};
