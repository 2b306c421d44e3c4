/* The options of an audit: every one with its type, limits, default, flag and help. Read the table.
 *
 * lint: table. A row is the home of an option: its name in argus.yaml and the environment, its flag and its help follow from
 * it, and its value is written into the field that it names. Choices are in the order of their enum. */
#include "audit/options.h"

#include "audit/audit.h"

#define FIELD(name) \
	.offset = offsetof(ag_audit_opts, name), .size = sizeof(((ag_audit_opts *)0)->name)
#define MAX_COUNT   9007199254740991.0 /* 2^53 - 1: every JSON reader keeps it exactly */
#define MAX_SECONDS 31536000.0         /* a year */
#define MAX_STEPS   1000000.0

_Static_assert(AG_LOW == 0 && AG_CRITICAL == 3, "order of severities");
_Static_assert(AG_REJECTED_LOG_ONLY == 0 && AG_REJECTED_DROP == 1 && AG_REJECTED_DEMOTE == 2,
               "order of rejected");
_Static_assert(AG_RUN_FAIL_CONTINUE == 0 && AG_RUN_FAIL_WARN_ONLY == 1 && AG_RUN_FAIL_ABORT == 2,
               "order of run_fails");
_Static_assert(AG_MALFORMED_FAIL == 0 && AG_MALFORMED_WARN == 1 && AG_MALFORMED_PASS == 2,
               "order of malformed");

_Static_assert(AG_PROFILE_FAST == 0 && AG_PROFILE_THOROUGH == 2, "order of profiles");

static const char *const planners[] = { "builtin", "llm", "both",
	                                NULL }; /* as in the agent's row */
static const char *const fail_ons[] = { "none", "low", "medium", "high", "critical", NULL };
static const char *const profiles[] = { "fast", "balanced", "thorough", NULL };
static const char *const severities[] = { "low", "medium", "high", "critical", NULL };
static const char *const rejected[] = { "log_only", "drop", "demote_severity", NULL };
static const char *const run_fails[] = { "continue", "warn_only", "abort", NULL };
static const char *const malformed[] = { "fail", "warn", "pass", NULL };

const ag_setting ag_audit_options[] = {
	{ "audit", "sample_size", AG_SET_COUNT, .min = 1, .max = MAX_COUNT, .unset = "auto",
	  .takes_all = true, .fallback = "auto", FIELD(sample_size),
	  .help = "Documents from which the schema is learnt. auto: the planner decides (builtin: the "
	          "whole local file).",
	  .flag = "sample-size", .letter = 'n', .flag_arg = "N|all",
	  .flag_help = "documents to learn the schema from (default: the planner's choice)" },
	{ "audit", "max_iterations", AG_SET_COUNT, .min = 1, .max = MAX_STEPS, .unset = "auto",
	  .fallback = "auto", FIELD(budget.iterations),
	  .help = "Steps of the planner. auto: the planner decides (builtin: as many as it needs, llm: 20, both: 20 of the model).",
	  .flag = "max-iterations", .flag_arg = "N", .flag_help = "steps of the planner" },
	{ "audit", "max_calls", AG_SET_COUNT, .min = 1, .max = MAX_STEPS, .unset = "none",
	  .fallback = "none", FIELD(budget.calls),
	  .help = "Tool calls that may run; then the report is partial.", .flag = "max-calls",
	  .flag_arg = "N", .flag_help = "tool calls that may run" },
	{ "audit", "max_seconds", AG_SET_NUMBER, .min = 0.001, .max = MAX_SECONDS, .unset = "none",
	  .fallback = "none", FIELD(budget.seconds),
	  .help = "Seconds, reading included, after which no new step begins; then the report is partial.",
	  .flag = "max-seconds", .flag_arg = "SECONDS",
	  .flag_help = "reading included; then no new step begins: a partial report" },
	{ "audit", "seed", AG_SET_COUNT, .min = 0, .max = MAX_COUNT, .fallback = "0", FIELD(seed),
	  .help = "Chooses the sample: the same seed gives the same report.", .flag = "seed",
	  .flag_arg = "N", .flag_help = "chooses the sample" },
	{ "audit", "history", AG_SET_BOOL, .fallback = "true", FIELD(history),
	  .help = "Look at earlier runs of the same source: check again what they found, tell the planner, "
	          "say what changed.",
	  .flag = "no-history", .flag_value = "false", .flag_help = "do not look at earlier runs" },
	{ "audit", "as_of", AG_SET_DATE, .unset = "now", .fallback = "now",
	  FIELD(catalogue.as_of_ms),
	  .help = "What \"today\" means for dates in the data: an ISO date or time (UTC).",
	  .flag = "as-of", .flag_arg = "DATE",
	  .flag_help = "what \"today\" means for dates in the data" },
	{ "audit", "show_values", AG_SET_BOOL, .fallback = "false", FIELD(show_values),
	  .help = "Print personal values as they are; else they are masked.", .flag = "show-values",
	  .flag_help = "personal values as they are, not masked" },
	{ "audit", "min_severity", AG_SET_CHOICE, .one_of = severities, .fallback = "low",
	  FIELD(min_severity), .help = "Findings below it are counted, not listed.",
	  .flag = "min-severity", .flag_arg = "SEVERITY",
	  .flag_help = "list no findings below it" },
	{ "audit", "strict", AG_SET_BOOL, .fallback = "false", FIELD(strict),
	  .help = "A document that cannot be read is an error; else it is counted and left out.",
	  .flag = "strict", .flag_help = "a document that cannot be read is an error" },
	{ "audit", "max_scan", AG_SET_COUNT, .min = 1, .max = MAX_COUNT, .takes_all = true,
	  .unset = "auto", .fallback = "auto", FIELD(max_scan),
	  .help = "Documents that a database server may read for one query that no index fits; a query that "
	          "would read more is refused. auto: 20,000,000.",
	  .flag = "max-scan", .flag_arg = "N|all",
	  .flag_help = "documents that a server may read for one query (default 20,000,000)" },
	{ "audit", "max_sample", AG_SET_COUNT, .min = 1000, .max = 1000000, .unset = "auto",
	  .fallback = "auto", FIELD(max_sample),
	  .help = "Documents of a collection on a server that suspicions are formed from, where it has more than "
	          "50,000; more of them find what is rarer. What is suspected is counted in all documents. auto: "
	          "12,000.",
	  .flag = "max-sample", .flag_arg = "N",
	  .flag_help = "documents that a large collection is sampled by (default 12,000)" },
	{ "audit", "max_ru", AG_SET_NUMBER, .min = 0.001, .max = 1e12, .unset = "none",
	  .fallback = "none", FIELD(max_ru),
	  .help = "Request units that an account of Azure Cosmos DB may charge for a run, or for a command that "
	          "reads; then no further command is sent, and the report is partial.",
	  .flag = "max-ru", .flag_arg = "N",
	  .flag_help = "request units that Azure Cosmos DB may charge; then a partial report" },
	{ "audit", "fail_on", AG_SET_CHOICE, .one_of = fail_ons, .fallback = "none", FIELD(fail_on),
	  .help = "Exit with 3 when there is a finding of this severity or above, or something that severe was "
	          "not checked: unreadable documents, skipped files, an empty collection.",
	  .flag = "fail-on", .flag_arg = "SEVERITY",
	  .flag_help =
	          "exit with 3 when there is a finding of low, medium, high, critical or above" },
	{ "audit", "planner", AG_SET_CHOICE, .one_of = planners, .fallback = "builtin",
	  FIELD(planner),
	  .help = "Who decides what is looked at. builtin needs no model; llm asks one; both: first builtin, then "
	          "llm, which sees what builtin found.",
	  .flag = "planner", .flag_arg = "NAME", .flag_help = "builtin (no model), llm, or both" },
	{ "audit", "self_model", AG_SET_TEXT, .unset = "auto", .fallback = "auto",
	  FIELD(self_model), .help = "The model of the evaluator \"self\". auto: the planner's.",
	  .flag = "self-model", .flag_arg = "NAME", .flag_help = "of the evaluator self" },
	{ "audit", "judge_model", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  FIELD(judge_model),
	  .help = "The model of the evaluator \"judge\": best another one than the planner's.",
	  .flag = "judge-model", .flag_arg = "NAME", .flag_help = "of the evaluator judge" },
	{ "audit", "eval_profile", AG_SET_CHOICE, .one_of = profiles, .fallback = "fast",
	  FIELD(eval_profile),
	  .help = "Who judges steps, findings and the run. fast: rules. balanced: findings by composite, "
	          "the run by self. thorough: findings by composite, the run by judge.",
	  .flag = "eval-profile", .flag_arg = "NAME",
	  .flag_help =
	          "who judges: fast (rules), balanced (self as well), thorough (and a judge)" },
	{ "audit", "action_evaluator", AG_SET_CHOICE, .one_of = ag_evaluator_names,
	  .fallback = "profile", FIELD(evaluators[AG_GATE_ACTION]), .help = "Who judges each step.",
	  .flag = "action-evaluator", .flag_arg = "NAME",
	  .flag_help = "rules, none, self, judge or composite" },
	{ "audit", "finding_evaluator", AG_SET_CHOICE, .one_of = ag_evaluator_names,
	  .fallback = "profile", FIELD(evaluators[AG_GATE_OBSERVATION]),
	  .help = "Who judges each finding. escalation: rules, then by the planner's confidence; what "
	          "lies between the thresholds waits for `argus review`.",
	  .flag = "finding-evaluator", .flag_arg = "NAME", .flag_help = "the same, or escalation" },
	{ "audit", "run_evaluator", AG_SET_CHOICE, .one_of = ag_evaluator_names,
	  .fallback = "profile", FIELD(evaluators[AG_GATE_RUN]),
	  .help = "Who judges the whole run.", .flag = "run-evaluator", .flag_arg = "NAME",
	  .flag_help = "rules, none, self, judge or composite" },
	{ "audit", "rejected_finding_policy", AG_SET_CHOICE, .one_of = rejected,
	  .fallback = "log_only", FIELD(rejected_policy),
	  .help = "A finding that its gate rejects is listed as dismissed, dropped, or kept one "
	          "severity lower." },
	{ "audit", "run_fail_policy", AG_SET_CHOICE, .one_of = run_fails, .fallback = "continue",
	  FIELD(fail_policy),
	  .help = "When the run gate rejects the end: go on, end with a warning, or fail the run." },
	{ "evaluators", "action_pass_threshold", AG_SET_NUMBER, .max = 1, .fallback = "0.6",
	  FIELD(pass_threshold[AG_GATE_ACTION]),
	  .help = "Score below which a model's pass of a step counts as a rejection." },
	{ "evaluators", "finding_pass_threshold", AG_SET_NUMBER, .max = 1, .fallback = "0.7",
	  FIELD(pass_threshold[AG_GATE_OBSERVATION]), .help = "The same for a finding." },
	{ "evaluators", "run_pass_threshold", AG_SET_NUMBER, .max = 1, .fallback = "0.5",
	  FIELD(pass_threshold[AG_GATE_RUN]), .help = "The same for the whole run." },
	{ "evaluators", "escalation_low_threshold", AG_SET_NUMBER, .max = 1, .fallback = "0.4",
	  FIELD(escalation_low), .help = "Confidence below which escalation drops a finding." },
	{ "evaluators", "escalation_high_threshold", AG_SET_NUMBER, .max = 1, .fallback = "0.85",
	  FIELD(escalation_high), .help = "Confidence from which escalation needs no person." },
	{ "evaluators", "escalation_cap", AG_SET_COUNT, .max = 10000, .fallback = "10",
	  FIELD(escalation_cap),
	  .help = "Findings of one run that may wait for a person; more are dropped." },
	{ "evaluators", "malformed_action", AG_SET_CHOICE, .one_of = malformed, .fallback = "fail",
	  FIELD(malformed[AG_GATE_ACTION]),
	  .help = "What an evaluator's answer on a step counts as that cannot be read twice." },
	{ "evaluators", "malformed_finding", AG_SET_CHOICE, .one_of = malformed, .fallback = "fail",
	  FIELD(malformed[AG_GATE_OBSERVATION]), .help = "The same for a finding." },
	{ "evaluators", "malformed_run", AG_SET_CHOICE, .one_of = malformed, .fallback = "warn",
	  FIELD(malformed[AG_GATE_RUN]), .help = "The same for the whole run." },
	{ "rules", "field_coverage_min", AG_SET_NUMBER, .max = 1, .fallback = "0.5",
	  FIELD(rules.field_coverage_min),
	  .help = "Share of the fields that must be looked at before a run may end." },
	{ "rules", "early_termination_min", AG_SET_COUNT, .max = MAX_STEPS, .fallback = "3",
	  FIELD(rules.early_termination_min),
	  .help = "Steps before which the end of a run is too early." },
	{ "rules", "clean_collection_docs", AG_SET_COUNT, .max = MAX_COUNT, .fallback = "1000",
	  FIELD(rules.clean_collection_docs),
	  .help = "From this many documents on, a run without any finding is doubted." },
	{ "rules", "critical_min_share", AG_SET_NUMBER, .max = 1, .fallback = "0.01",
	  FIELD(rules.critical_min_share),
	  .help = "Share of the documents that a critical finding must affect." },
	{ "rules", "high_min_share", AG_SET_NUMBER, .max = 1, .fallback = "0.001",
	  FIELD(rules.high_min_share),
	  .help = "Share of the documents that a high finding must affect." },
	{ "rules", "budget_warning_below", AG_SET_COUNT, .max = MAX_STEPS, .fallback = "3",
	  FIELD(rules.budget_warning_below),
	  .help = "With fewer steps left, new topics are warned of." },
	{ "rules", "description_min_chars", AG_SET_COUNT, .max = 1000, .fallback = "10",
	  FIELD(rules.description_min_chars),
	  .help = "Characters that the description of a finding must have." },
	{ "rules", "evidence_tolerance", AG_SET_NUMBER, .max = 1, .fallback = "0.01",
	  FIELD(rules.evidence_tolerance),
	  .help = "How far a claimed count or share may lie from the measured one, relative to it, without a warning. The measured one is committed either way." },
	{ "catalogue", "null_rate_warning_threshold", AG_SET_NUMBER, .max = 1, .fallback = "0.05",
	  FIELD(catalogue.null_rate_warning_threshold),
	  .help = "Share of null values from which they are a medium finding." },
	{ "catalogue", "null_rate_critical_threshold", AG_SET_NUMBER, .max = 1, .fallback = "0.2",
	  FIELD(catalogue.null_rate_critical_threshold),
	  .help = "Share of null values from which they are a high finding." },
	{ "catalogue", "type_consistency_threshold", AG_SET_NUMBER, .max = 1, .fallback = "0.98",
	  FIELD(catalogue.type_consistency_threshold),
	  .help = "Share of the main type below which mixed types are a high finding." },
	{ 0 },
};
