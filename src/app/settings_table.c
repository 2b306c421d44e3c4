/* The settings table: every setting with its type, limits, default, environment name and help.
 *
 * lint: table. The order is the order of docs/reference/settings.md. Choices stand in the order of the
 * enums they become (see audit_opts.c). */
#include "app/settings.h"

#define FIELD(name) offsetof(ag_settings, name)
#define MAX_COUNT   9007199254740991.0 /* 2^53 - 1: every JSON reader keeps it exactly */
#define MAX_SECONDS 31536000.0         /* a year */
#define MAX_STEPS   1000000.0
#define MAX_RATE    1e12

static const char *const outputs[] = { "text", "json", "silent", NULL };
static const char *const log_levels[] = { "off", "error", "warn", "info", "debug", NULL };
static const char *const log_formats[] = { "json", "text", NULL };
static const char *const planners[] = { "builtin", "llm", NULL };
static const char *const severities[] = { "low", "medium", "high", "critical", NULL };
static const char *const fail_ons[] = { "none", "low", "medium", "high", "critical", NULL };
static const char *const rejected[] = { "log_only", "drop", "demote_severity", NULL };
static const char *const run_fails[] = { "continue", "warn_only", "abort", NULL };
static const char *const profiles[] = { "fast", "balanced", "thorough", NULL };
static const char *const evaluators[] = { "profile", "rules",     "none",       "self",
	                                  "judge",   "composite", "escalation", NULL };
static const char *const malformed[] = { "fail", "warn", "pass", NULL };

static const char *const ask_formats[] = { "json", "text", "markdown", NULL };
static const char *const audit_syncs[] = { "normal", "full", NULL };
static const char *const sandboxes[] = { "auto", "off", "required", NULL };

static const ag_setting table[] = {
	{ "", "store", "ARGUS_STORE", AG_SET_TEXT, .unset = "auto", .fallback = "auto",
	  .offset = FIELD(store),
	  .help = "Where Argus remembers its runs: a path, sqlite:PATH or memory: (gone at exit). auto: "
	          "argus/argus.db under XDG_STATE_HOME, else under ~/.local/state." },
	{ "", "retention_days", "ARGUS_RETENTION_DAYS", AG_SET_COUNT, .min = 1, .max = 36500,
	  .unset = "none", .fallback = "none", .offset = FIELD(retention_days),
	  .help = "Days that runs, rows of the audit table and cached texts are kept, as with `argus purge "
	          "--older-than`: looked at once a day, after an audit and in a server (argus mcp). none: "
	          "only `argus purge` removes them." },
	{ "", "threads", "ARGUS_THREADS", AG_SET_COUNT, .min = 1, .max = 256, .unset = "auto",
	  .fallback = "auto", .offset = FIELD(threads),
	  .help = "Worker threads. auto: one per processor. Results do not depend on it." },
	{ "", "output_format", "ARGUS_OUTPUT_FORMAT", AG_SET_CHOICE, .one_of = outputs,
	  .fallback = "text", .offset = FIELD(output_format),
	  .help = "What goes to standard output. silent: audit and verify tell only by their exit code." },
	{ "", "log_level", "ARGUS_LOG_LEVEL", AG_SET_CHOICE, .one_of = log_levels,
	  .fallback = "off", .offset = FIELD(log_level),
	  .help = "How much is logged to standard error." },
	{ "", "log_format", "ARGUS_LOG_FORMAT", AG_SET_CHOICE, .one_of = log_formats,
	  .fallback = "json", .offset = FIELD(log_format),
	  .help = "Log lines as JSON objects, or as text for people." },

	{ "audit", "sample_size", "ARGUS_SAMPLE_SIZE", AG_SET_COUNT, .min = 1, .max = MAX_COUNT,
	  .unset = "auto", .takes_all = true, .fallback = "auto", .offset = FIELD(sample_size),
	  .help = "Documents from which the schema is learnt. auto: the planner decides (builtin: the "
	          "whole local file)." },
	{ "audit", "max_iterations", "ARGUS_MAX_ITERATIONS", AG_SET_COUNT, .min = 1,
	  .max = MAX_STEPS, .unset = "auto", .fallback = "auto", .offset = FIELD(max_iterations),
	  .help = "Steps of the planner. auto: the planner decides (builtin: as many as it needs, llm: 20)." },
	{ "audit", "max_calls", "ARGUS_MAX_CALLS", AG_SET_COUNT, .min = 1, .max = MAX_STEPS,
	  .unset = "none", .fallback = "none", .offset = FIELD(max_calls),
	  .help = "Tool calls that may run; then the report is partial." },
	{ "audit", "max_seconds", "ARGUS_MAX_SECONDS", AG_SET_NUMBER, .min = 0.001,
	  .max = MAX_SECONDS, .unset = "none", .fallback = "none", .offset = FIELD(max_seconds),
	  .help = "Seconds, reading included, after which no new step begins; then the report is partial." },
	{ "audit", "deadline", "ARGUS_DEADLINE", AG_SET_NUMBER, .min = 0.001, .max = MAX_SECONDS,
	  .unset = "none", .fallback = "none", .offset = FIELD(deadline),
	  .help = "Seconds after which the command stops wherever it is; the run counts as failed." },
	{ "audit", "seed", "ARGUS_SEED", AG_SET_COUNT, .min = 0, .max = MAX_COUNT, .fallback = "0",
	  .offset = FIELD(seed),
	  .help = "Chooses the sample: the same seed gives the same report." },
	{ "audit", "planner", "ARGUS_PLANNER", AG_SET_CHOICE, .one_of = planners,
	  .fallback = "builtin", .offset = FIELD(planner),
	  .help = "Who decides what is looked at. builtin needs no model; llm asks one." },
	{ "audit", "model", "ARGUS_MODEL", AG_SET_TEXT, .unset = "auto", .fallback = "auto",
	  .offset = FIELD(model),
	  .help = "The planner's model: a name of the models below, or what the server of the default "
	          "model calls it. auto: the model \"default\", that of LLM_API_BASE, or the only one." },
	{ "audit", "self_model", "ARGUS_SELF_MODEL", AG_SET_TEXT, .unset = "auto",
	  .fallback = "auto", .offset = FIELD(self_model),
	  .help = "The model of the evaluator \"self\". auto: the planner's." },
	{ "audit", "judge_model", "ARGUS_JUDGE_MODEL", AG_SET_TEXT, .unset = "none",
	  .fallback = "none", .offset = FIELD(judge_model),
	  .help = "The model of the evaluator \"judge\": best another one than the planner's." },
	{ "audit", "max_tokens", "ARGUS_MAX_TOKENS", AG_SET_COUNT, .min = 1, .max = MAX_COUNT,
	  .unset = "none", .fallback = "none", .offset = FIELD(max_tokens),
	  .help = "Tokens, in and out, of all models of a run: no call is made beyond; then the report "
	          "is partial." },
	{ "audit", "max_cost", "ARGUS_MAX_COST", AG_SET_NUMBER, .min = 0.000001, .max = 1000000,
	  .unset = "none", .fallback = "none", .offset = FIELD(max_cost),
	  .help = "US dollars of all models of a run: no call is made beyond; then the report is "
	          "partial." },
	{ "audit", "history", "ARGUS_HISTORY", AG_SET_BOOL, .fallback = "true",
	  .offset = FIELD(history),
	  .help = "Look at earlier runs of the same source: check again what they found, tell the planner, "
	          "say what changed." },
	{ "audit", "as_of", "ARGUS_AS_OF", AG_SET_DATE, .unset = "now", .fallback = "now",
	  .offset = FIELD(as_of),
	  .help = "What \"today\" means for dates in the data: an ISO date or time (UTC)." },
	{ "audit", "strict", "ARGUS_STRICT", AG_SET_BOOL, .fallback = "false",
	  .offset = FIELD(strict),
	  .help = "A document that cannot be read is an error; else it is counted and left out." },
	{ "audit", "show_values", "ARGUS_SHOW_VALUES", AG_SET_BOOL, .fallback = "false",
	  .offset = FIELD(show_values),
	  .help = "Print personal values as they are; else they are masked." },
	{ "audit", "min_severity", "ARGUS_MIN_SEVERITY", AG_SET_CHOICE, .one_of = severities,
	  .fallback = "low", .offset = FIELD(min_severity),
	  .help = "Findings below it are counted, not listed." },
	{ "audit", "fail_on", "ARGUS_FAIL_ON", AG_SET_CHOICE, .one_of = fail_ons,
	  .fallback = "none", .offset = FIELD(fail_on),
	  .help = "Exit with 3 when there is a finding of this severity or above, or something that severe was "
	          "not checked: unreadable documents, skipped files, an empty collection." },
	{ "audit", "rejected_finding_policy", "ARGUS_REJECTED_FINDING_POLICY", AG_SET_CHOICE,
	  .one_of = rejected, .fallback = "log_only", .offset = FIELD(rejected_finding_policy),
	  .help = "A finding that its gate rejects is listed as dismissed, dropped, or kept one "
	          "severity lower." },
	{ "audit", "run_fail_policy", "ARGUS_RUN_FAIL_POLICY", AG_SET_CHOICE, .one_of = run_fails,
	  .fallback = "continue", .offset = FIELD(run_fail_policy),
	  .help = "When the run gate rejects the end: go on, end with a warning, or fail the run." },
	{ "audit", "eval_profile", "ARGUS_EVAL_PROFILE", AG_SET_CHOICE, .one_of = profiles,
	  .fallback = "fast", .offset = FIELD(eval_profile),
	  .help = "Who judges steps, findings and the run. fast: rules. balanced: findings by composite, "
	          "the run by self. thorough: findings by composite, the run by judge." },
	{ "audit", "action_evaluator", "ARGUS_ACTION_EVALUATOR", AG_SET_CHOICE,
	  .one_of = evaluators, .fallback = "profile", .offset = FIELD(action_evaluator),
	  .help = "Who judges each step." },
	{ "audit", "finding_evaluator", "ARGUS_FINDING_EVALUATOR", AG_SET_CHOICE,
	  .one_of = evaluators, .fallback = "profile", .offset = FIELD(finding_evaluator),
	  .help = "Who judges each finding. escalation: rules, then by the planner's confidence; what "
	          "lies between the thresholds waits for `argus review`." },
	{ "audit", "run_evaluator", "ARGUS_RUN_EVALUATOR", AG_SET_CHOICE, .one_of = evaluators,
	  .fallback = "profile", .offset = FIELD(run_evaluator),
	  .help = "Who judges the whole run." },

	{ "ask", "root", "ARGUS_ROOT", AG_SET_TEXT, .unset = "auto", .fallback = "auto",
	  .offset = FIELD(root),
	  .help = "The project's folder: nothing outside of it is read. auto: the current folder, or the "
	          "nearest one above that has .git or argus.yaml." },
	{ "ask", "ask_api", "ARGUS_ASK_API", AG_SET_BOOL, .fallback = "true", .offset = FIELD(api),
	  .help = "The project has a running HTTP API that may be asked. It needs a key: ARGUS_API_KEY or "
	          "LMS_API_KEY." },
	{ "ask", "api_base_url", "ARGUS_API_BASE_URL", AG_SET_TEXT, .unset = "auto",
	  .fallback = "auto", .offset = FIELD(api_base),
	  .help = "Where it runs. auto: AGENT_API_BASE_URL, else http://localhost:42002." },
	{ "ask", "read_only", "ARGUS_READ_ONLY", AG_SET_BOOL, .fallback = "false",
	  .offset = FIELD(read_only), .help = "Send only GET and HEAD to the API." },
	{ "ask", "api_methods", "ARGUS_API_METHODS", AG_SET_TEXT, .unset = "auto",
	  .fallback = "auto", .offset = FIELD(api_methods),
	  .help = "Methods that the API gets, like GET,HEAD,POST; GET and HEAD always are. auto: what the "
	          "question itself orders (\"delete item 5\"). Taken from a flag, the environment, or a file "
	          "named by --config only; read_only is stronger." },
	{ "ask", "ask_calls", "ARGUS_ASK_CALLS", AG_SET_COUNT, .min = 1, .max = 100,
	  .fallback = "10", .offset = FIELD(ask_calls),
	  .help = "Tool calls for one question; then the model must answer with what it has." },
	{ "ask", "ask_deadline", "ARGUS_ASK_DEADLINE", AG_SET_NUMBER, .min = 1, .max = 3600,
	  .fallback = "55", .offset = FIELD(ask_deadline),
	  .help = "Seconds after which the answer is there, whole or partial." },
	{ "ask", "ask_format", "ARGUS_ASK_FORMAT", AG_SET_CHOICE, .one_of = ask_formats,
	  .fallback = "json", .offset = FIELD(ask_format),
	  .help = "One JSON object on one line, text for people, or Markdown." },
	{ "ask", "ask_offline", "ARGUS_ASK_OFFLINE", AG_SET_BOOL, .fallback = "false",
	  .offset = FIELD(offline),
	  .help = "Ask no model: answer with the best section of the project's own files." },
	{ "ask", "read_bytes", "ARGUS_READ_BYTES", AG_SET_COUNT, .min = 2048, .max = 1048576,
	  .fallback = "32768", .offset = FIELD(read_bytes),
	  .help = "Bytes of a file that one call of read_file shows. Less for a model with a small "
	          "context." },
	{ "ask", "sandbox", "ARGUS_SANDBOX", AG_SET_CHOICE, .one_of = sandboxes, .fallback = "auto",
	  .offset = FIELD(sandbox),
	  .help = "Let the kernel forbid all that a question does not need: other files, other ports, "
	          "starting programs. auto: as far as the kernel can. required: else do not begin. off is "
	          "taken from a flag, the environment, or a file named by --config only." },

	{ "sql", "database", "ARGUS_DATABASE", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(database),
	  .help = "The database of the project \"default\": postgresql://user@host/name or sqlite:PATH. "
	          "none: POSTGRES_URL, else only the projects there are." },
	{ "sql", "max_queries_per_minute", "ARGUS_MAX_QUERIES_PER_MINUTE", AG_SET_COUNT,
	  .max = MAX_RATE, .unset = "none", .fallback = "60", .offset = FIELD(per_minute),
	  .help = "Calls of one user in one project, of all processes that share the store. "
	          "MAX_QUERIES_PER_MINUTE is read, too." },
	{ "sql", "max_queries_per_hour", "ARGUS_MAX_QUERIES_PER_HOUR", AG_SET_COUNT,
	  .max = MAX_RATE, .unset = "none", .fallback = "none", .offset = FIELD(per_hour),
	  .help = "The same, an hour." },
	{ "sql", "max_queries_per_day", "ARGUS_MAX_QUERIES_PER_DAY", AG_SET_COUNT, .max = MAX_RATE,
	  .unset = "none", .fallback = "none", .offset = FIELD(per_day),
	  .help = "The same, a day." },
	{ "sql", "max_connections_per_project", "ARGUS_MAX_CONNECTIONS_PER_PROJECT", AG_SET_COUNT,
	  .min = 1, .max = 1000, .fallback = "5", .offset = FIELD(connections),
	  .help = "Connections to the database of one project; who comes later waits. "
	          "MAX_CONNECTIONS_PER_PROJECT is read, too." },
	{ "sql", "audit_sync", "ARGUS_AUDIT_SYNC", AG_SET_CHOICE, .one_of = audit_syncs,
	  .fallback = "normal", .offset = FIELD(audit_sync),
	  .help = "When the audit table is safe from a power cut. normal: within 50 ms of the answer. full: "
	          "before the answer, which then waits for the disk. A crash of the program loses no "
	          "answered call either way." },

	{ "mcp", "questions_at_once", "ARGUS_QUESTIONS_AT_ONCE", AG_SET_COUNT, .min = 1, .max = 64,
	  .fallback = "4", .offset = FIELD(questions),
	  .help = "Questions about one project (ask_project) that are answered at the same time; further ones "
	          "wait in a queue that serves users in turn." },
	{ "mcp", "documents_memory_mb", "ARGUS_DOCUMENTS_MEMORY_MB", AG_SET_COUNT, .min = 1,
	  .max = 1048576, .unset = "none", .fallback = "512", .offset = FIELD(documents_mb),
	  .help = "MiB of memory in which the server keeps documents of projects loaded between calls. The "
	          "collection that was used longest ago is dropped first; a changed file is read again. none: "
	          "every call reads its file." },

	{ "evaluators", "action_pass_threshold", "ARGUS_ACTION_PASS_THRESHOLD", AG_SET_NUMBER,
	  .max = 1, .fallback = "0.6", .offset = FIELD(action_pass_threshold),
	  .help = "Score below which a model's pass of a step counts as a rejection." },
	{ "evaluators", "finding_pass_threshold", "ARGUS_FINDING_PASS_THRESHOLD", AG_SET_NUMBER,
	  .max = 1, .fallback = "0.7", .offset = FIELD(finding_pass_threshold),
	  .help = "The same for a finding." },
	{ "evaluators", "run_pass_threshold", "ARGUS_RUN_PASS_THRESHOLD", AG_SET_NUMBER, .max = 1,
	  .fallback = "0.5", .offset = FIELD(run_pass_threshold),
	  .help = "The same for the whole run." },
	{ "evaluators", "escalation_low_threshold", "ARGUS_ESCALATION_LOW_THRESHOLD", AG_SET_NUMBER,
	  .max = 1, .fallback = "0.4", .offset = FIELD(escalation_low_threshold),
	  .help = "Confidence below which escalation drops a finding." },
	{ "evaluators", "escalation_high_threshold", "ARGUS_ESCALATION_HIGH_THRESHOLD",
	  AG_SET_NUMBER, .max = 1, .fallback = "0.85", .offset = FIELD(escalation_high_threshold),
	  .help = "Confidence from which escalation needs no person." },
	{ "evaluators", "escalation_cap", "ARGUS_ESCALATION_CAP", AG_SET_COUNT, .max = 10000,
	  .fallback = "10", .offset = FIELD(escalation_cap),
	  .help = "Findings of one run that may wait for a person; more are dropped." },
	{ "evaluators", "malformed_action", "ARGUS_MALFORMED_ACTION", AG_SET_CHOICE,
	  .one_of = malformed, .fallback = "fail", .offset = FIELD(malformed_action),
	  .help = "What an evaluator's answer on a step counts as that cannot be read twice." },
	{ "evaluators", "malformed_finding", "ARGUS_MALFORMED_FINDING", AG_SET_CHOICE,
	  .one_of = malformed, .fallback = "fail", .offset = FIELD(malformed_finding),
	  .help = "The same for a finding." },
	{ "evaluators", "malformed_run", "ARGUS_MALFORMED_RUN", AG_SET_CHOICE, .one_of = malformed,
	  .fallback = "warn", .offset = FIELD(malformed_run),
	  .help = "The same for the whole run." },

	{ "rules", "field_coverage_min", "ARGUS_FIELD_COVERAGE_MIN", AG_SET_NUMBER, .max = 1,
	  .fallback = "0.5", .offset = FIELD(field_coverage_min),
	  .help = "Share of the fields that must be looked at before a run may end." },
	{ "rules", "early_termination_min", "ARGUS_EARLY_TERMINATION_MIN", AG_SET_COUNT,
	  .max = MAX_STEPS, .fallback = "3", .offset = FIELD(early_termination_min),
	  .help = "Steps before which the end of a run is too early." },
	{ "rules", "clean_collection_docs", "ARGUS_CLEAN_COLLECTION_DOCS", AG_SET_COUNT,
	  .max = MAX_COUNT, .fallback = "1000", .offset = FIELD(clean_collection_docs),
	  .help = "From this many documents on, a run without any finding is doubted." },
	{ "rules", "critical_min_share", "ARGUS_CRITICAL_MIN_SHARE", AG_SET_NUMBER, .max = 1,
	  .fallback = "0.01", .offset = FIELD(critical_min_share),
	  .help = "Share of the documents that a critical finding must affect." },
	{ "rules", "high_min_share", "ARGUS_HIGH_MIN_SHARE", AG_SET_NUMBER, .max = 1,
	  .fallback = "0.001", .offset = FIELD(high_min_share),
	  .help = "Share of the documents that a high finding must affect." },
	{ "rules", "budget_warning_below", "ARGUS_BUDGET_WARNING_BELOW", AG_SET_COUNT,
	  .max = MAX_STEPS, .fallback = "3", .offset = FIELD(budget_warning_below),
	  .help = "With fewer steps left, new topics are warned of." },
	{ "rules", "description_min_chars", "ARGUS_DESCRIPTION_MIN_CHARS", AG_SET_COUNT,
	  .max = 1000, .fallback = "10", .offset = FIELD(description_min_chars),
	  .help = "Characters that the description of a finding must have." },
	{ "rules", "evidence_tolerance", "ARGUS_EVIDENCE_TOLERANCE", AG_SET_NUMBER, .max = 1,
	  .fallback = "0.01", .offset = FIELD(evidence_tolerance),
	  .help = "How far a claimed count or share may lie from the measured one, relative to it, without a warning. The measured one is committed either way." },

	{ "catalogue", "null_rate_warning_threshold", "ARGUS_NULL_RATE_WARNING_THRESHOLD",
	  AG_SET_NUMBER, .max = 1, .fallback = "0.05", .offset = FIELD(null_rate_warning_threshold),
	  .help = "Share of null values from which they are a medium finding." },
	{ "catalogue", "null_rate_critical_threshold", "ARGUS_NULL_RATE_CRITICAL_THRESHOLD",
	  AG_SET_NUMBER, .max = 1, .fallback = "0.2", .offset = FIELD(null_rate_critical_threshold),
	  .help = "Share of null values from which they are a high finding." },
	{ "catalogue", "type_consistency_threshold", "ARGUS_TYPE_CONSISTENCY_THRESHOLD",
	  AG_SET_NUMBER, .max = 1, .fallback = "0.98", .offset = FIELD(type_consistency_threshold),
	  .help = "Share of the main type below which mixed types are a high finding." },
};

_Static_assert(AG_NELEM(table) <= AG_SETTINGS_MAX, "ag_settings remembers the place of each row");

const ag_setting *ag_settings_table(size_t *ret_n)
{
	*ret_n = AG_NELEM(table);
	return table;
}
