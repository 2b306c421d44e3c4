/* audit -- the auditor: run it on one collection, verify its report later.
 *
 * A run writes its events to the store and leaves its report there. The report is one JSON document
 * (docs/reference/report.md); terminal text, verify and later exports are all made from it. */
#ifndef AG_AUDIT_AUDIT_H
#define AG_AUDIT_AUDIT_H

#include "agent/evaluators.h"
#include "agent/loop.h"
#include "audit/hypothesis.h"
#include "audit/state.h"
#include "documents/source.h"

typedef enum ag_rejected_policy {
	AG_REJECTED_LOG_ONLY,
	AG_REJECTED_DROP,
	AG_REJECTED_DEMOTE
} ag_rejected_policy;

/* Who judges at a gate. */
typedef enum ag_evaluator_kind {
	AG_EVAL_PROFILE, /* the one that the profile has at this gate: ag_audit_evaluator() */
	AG_EVAL_RULES,
	AG_EVAL_NONE,
	AG_EVAL_SELF,
	AG_EVAL_JUDGE,
	AG_EVAL_COMPOSITE, /* rules, then self; at the run gate then judge, when a judge model is set */
	AG_EVAL_ESCALATION /* rules, then the planner's confidence; finding gate only */
} ag_evaluator_kind;

extern const char *const ag_evaluator_names[]; /* by kind, ends with NULL; gates.c */

/* Evaluators of all gates, chosen together. */
typedef enum ag_eval_profile {
	AG_PROFILE_FAST,     /* rules only */
	AG_PROFILE_BALANCED, /* findings by composite, the run by self */
	AG_PROFILE_THOROUGH  /* findings by composite, the run by judge */
} ag_eval_profile;

/* A row under "ignore:" of argus.yaml: findings that do not count, and why. "" and "*" mean any. */
typedef struct ag_ignore {
	ag_str source, path, category, reason;
	ag_str where;     /* "argus.yaml:12:3" */
	int64_t until_ms; /* start of the last day on which it holds, 0 = no end */
} ag_ignore;

#define AG_IGNORES_MAX 1000

/* Has its last day passed? */
bool ag_ignore_is_over(const ag_ignore *row, int64_t as_of_ms);

/* A run that is in the store before its data is read: a kill meanwhile leaves a run that was interrupted. */
typedef struct ag_audit_early {
	ag_run_row row;
	ag_str owner; /* of its lease */
} ag_audit_early;

typedef struct ag_audit_opts {
	uint64_t
		sample_size; /* documents of schema_sample; 0 = the planner's default, UINT64_MAX = all */
	uint64_t seed;
	ag_budget budget; /* iterations 0 = the planner's default (builtin: as many as it needs) */
	ag_fail_policy fail_policy;
	ag_rejected_policy rejected_policy;
	unsigned planner; /* index into the planners of the agent's row */
	ag_eval_profile eval_profile;
	ag_evaluator_kind evaluators[AG_NGATE];
	double pass_threshold[AG_NGATE]; /* for models' verdicts; 0.6, 0.7, 0.5 */
	ag_malformed malformed[AG_NGATE];
	double escalation_low, escalation_high;     /* 0.40, 0.85 */
	unsigned escalation_cap;                    /* 10 */
	ag_str self_model, judge_model;             /* names in the settings; "" = not set */
	ag_llm *planner_llm, *self_llm, *judge_llm; /* borrowed; NULL = none is open */
	ag_llm_meter *meter;                        /* borrowed; NULL without models */
	ag_str pricing_version; /* of the price table, for the report; "" without models */
	int64_t history_before_ms; /* only runs before that time (a replay knows what the recorded run knew); 0 = all */
	bool history; /* earlier runs are looked at */
	ag_rule_opts rules;
	ag_catalogue_opts catalogue; /* as_of_ms 0 = now */
	ag_severity
		min_severity; /* findings below are left out of the report (and counted there) */
	const ag_ignore *ignores; /* borrowed */
	size_t nignore;
	bool show_values;
	bool strict;          /* of ag_source_opts, for the caller that opens the source */
	uint64_t max_scan;    /* the same */
	uint64_t max_sample;  /* the same */
	double max_ru;        /* the same: max_units */
	int fail_on;          /* for the exit code: 0 = never, else ag_severity + 1 */
	ag_str settings_json; /* effective settings as a JSON object, for the report; "" = {} */
	struct ag_neighbours *neighbours; /* borrowed; NULL = the collection is alone */
	const ag_audit_early
		*early; /* of ag_audit_begin(); NULL = the run is listed from its first event */
} ag_audit_opts;

/* All defaults of the reference. */
void ag_audit_opts_init(ag_audit_opts *o);
/* Before any data is read: can the evaluators be built?
 * errors  AG_INVALID: names the setting, like "run_evaluator judge needs a judge model: set judge_model" */
AG_CHECK ag_status ag_audit_opts_check(const ag_audit_opts *o, ag_err *err);
/* Who judges at this gate; never AG_EVAL_PROFILE. gates.c */
ag_evaluator_kind ag_audit_evaluator(const ag_audit_opts *o, ag_gate g);

typedef struct ag_audit ag_audit; /* one run: its source, state and caches */

/* The planners of the row; the test suite has a scripted one. */
typedef ag_planner *(*ag_planner_make)(void *env, void *arg);
/* Needs no model: it forms hypotheses from the profile of the data. */
ag_planner *ag_planner_builtin_make(void *env, void *arg);
/* Did it propose all that it knows? ret_nstep: its steps before the conclusion, of all sittings. */
bool ag_planner_builtin_is_done(const ag_planner *p, unsigned *ret_nstep);
/* Of opts.planner_llm; asks for one AgentAction per step. */
ag_planner *ag_planner_llm_make(void *env, void *arg);
/* The builtin planner first; then the model, which sees what it found. */
ag_planner *ag_planner_both_make(void *env, void *arg);
/* Has the builtin planner of a run with both handed over? Then the iteration with which the model's budget ends, else 0. */
unsigned ag_planner_both_budget(const ag_audit *a);

/* Lists the run of a collection as running, under that id (NULL = a new one). Ended by ag_audit_run() with opts.early, or by ag_audit_abandon().
 * errors  of the store */
AG_CHECK ag_status ag_audit_begin(const ag_ctx *ctx, ag_store *store, const ag_source_place *place,
                                  const ag_id *id, ag_arena *arena, ag_audit_early *ret,
                                  ag_err *err);
/* Its data could not be read: the run failed, or was cancelled. */
void ag_audit_abandon(const ag_ctx *ctx, ag_store *store, const ag_audit_early *early,
                      const ag_err *why);

typedef struct ag_audit_result {
	ag_id run;
	ag_str report; /* JSON; complete also for a failed or cancelled run */
	ag_run_result run_result;
	bool has_findings;
	ag_severity
		worst; /* of the committed findings, also those below min_severity; when has_findings */
	bool has_gaps;
	ag_severity worst_gap; /* of what could not be checked; when has_gaps */
} ag_audit_result;

/* Is there a finding, or a gap in what was checked, of this severity or above? */
bool ag_audit_reaches(const ag_audit_result *r, ag_severity level);

/* What is audited, by whom, and who hears of it. All is borrowed. */
typedef struct ag_audit_job {
	ag_source *source;
	ag_store *store;
	const ag_audit_opts *opts;
	ag_planner_make make;
	void *make_arg;
	void (*on_event)(void *arg, const ag_event *ev); /* NULL: nobody hears */
	void *on_event_arg;
} ag_audit_job;

/* Run to the end. Texts in arena.
 * errors  only when the run could not even start (the store refused its first event). */
AG_CHECK ag_status ag_audit_run(const ag_ctx *ctx, const ag_audit_job *job, ag_arena *arena,
                                ag_audit_result *ret, ag_err *err);

/* Go on with a run that stopped: killed, cancelled, failed, or partial. The source must be the one that the run
 * began with; opts bring models, budgets (over all sittings) and show_values, all else comes from the log.
 * errors  AG_CONFLICT: the data is not the same any more, or another process writes the run; AG_INVALID: it is complete
 *         or no audit; AG_NOT_FOUND: it has no events */
AG_CHECK ag_status ag_audit_resume(const ag_ctx *ctx, const ag_audit_job *job,
                                   const ag_run_row *row, ag_arena *arena, ag_audit_result *ret,
                                   ag_err *err);

/* What run_started says, for resume and replay. Texts in arena. */
typedef struct ag_audit_start {
	ag_str source_uri, planner;
	ag_str model, self_model, judge_model;          /* names of the settings, "" = none */
	ag_str model_id, self_model_id, judge_model_id; /* what their servers call them */
	ag_str *neighbours; /* names of the other collections beside it (ag_neighbours_name()) */
	size_t nneighbour;
	ag_audit_opts opts;  /* what bears on the result: seed, as_of, rules, evaluators, budget */
	uint64_t max_tokens; /* of the meter, 0 = no limit */
	double max_usd;
} ag_audit_start;
AG_CHECK ag_status ag_audit_read_start(const ag_event *started, ag_arena *arena,
                                       ag_audit_start *ret, ag_err *err);
/* The log of a run and how it was set up, with what its later sittings changed: budgets and models.
 * errors  AG_NOT_FOUND when the run has no events (purged); AG_INVALID: it is no audit */
AG_CHECK ag_status ag_audit_load_start(ag_store *store, const ag_run_row *row, ag_arena *arena,
                                       const ag_event **ret_events, size_t *nret,
                                       ag_audit_start *ret, ag_err *err);

/* What a new run opens its log with: the `history` event, or nothing when there was no earlier run. history_opening.c
 * errors  only when the store cannot be read; a cancel, a deadline or a lost source is met by the loop. */
AG_CHECK ag_status ag_audit_opening(const ag_ctx *ctx, ag_source *source, ag_store *store,
                                    const ag_id *run, ag_arena *arena, ag_opening *ret,
                                    size_t *nret, ag_err *err);

/* ag_agent.gates: built from the options of the run; they live as long as the audit. gates.c */
AG_CHECK ag_status ag_audit_gates(void *env, const ag_evaluator *ret[AG_NGATE], ag_err *err);

/* The report of any run of this agent, from its log alone: also of one that was killed or is still running (then its
 * status is "interrupted"). Personal values are masked unless show_values. Text in arena.
 * errors  AG_NOT_FOUND when the run has no events (purged). */
AG_CHECK ag_status ag_audit_rebuild(ag_store *store, const ag_run_row *row, bool show_values,
                                    ag_arena *arena, ag_str *ret, ag_err *err);
/* The same as if `more` (NULL = nothing) stood at the end of the log already: the report that is committed together
 * with a person's word is made so. */
AG_CHECK ag_status ag_audit_rebuild_with(ag_store *store, const ag_run_row *row,
                                         const ag_event *more, bool show_values, ag_arena *arena,
                                         ag_str *ret, ag_err *err);

/* For the tools that read, outside of a run: nothing is logged, nothing is judged. Lives in arena; source and opts are
 * borrowed. */
ag_audit *ag_audit_for_reading(ag_source *source, const ag_audit_opts *opts, ag_arena *arena);

/* For planners, tools and tests. */
ag_audit_state *ag_audit_state_of(ag_audit *a);
ag_source *ag_audit_source(ag_audit *a);
const ag_audit_opts *ag_audit_opts_of(const ag_audit *a);
const ag_planner *ag_audit_planner_of(const ag_audit *a); /* NULL outside of a run */
/* The profile, made on first use and kept for the run. */
AG_CHECK ag_status ag_audit_profile(ag_audit *a, const ag_ctx *ctx, const ag_profile **ret,
                                    ag_err *err);
/* What Argus suspects by itself, from the profile; made on first use and kept for the run. */
AG_CHECK ag_status ag_audit_hypotheses(ag_audit *a, const ag_ctx *ctx, const ag_hypotheses **ret,
                                       ag_err *err);
extern const ag_agent ag_agent_audit;

/* What verify says of one finding, or of one part of it. */
typedef enum ag_check_result {
	AG_CONFIRMED,     /* the same count */
	AG_CHANGED,       /* another count above 0; of a finding also: a part has another count */
	AG_RESOLVED,      /* no document is affected any more */
	AG_NOT_CHECKABLE, /* the evidence cannot be run: `why` says so */
	AG_BACK           /* the report lists it as resolved, and documents are affected again */
} ag_check_result;

typedef struct ag_verified_part {
	ag_str category;
	ag_check_result result;
	uint64_t was, now;
	ag_str why;
} ag_verified_part;

typedef struct ag_verified {
	ag_str finding_id, field, category, severity;
	ag_check_result result;
	uint64_t was,
		now; /* of the main evidence; was is 0 for one that the report lists as resolved */
	ag_str why;
	const ag_verified_part *parts;
	size_t npart;
} ag_verified;

typedef struct ag_verification {
	ag_str source_uri, collection, run_id;
	bool other_data;       /* the source itself is not what the report was made from */
	ag_str other_data_why; /* "content changed", "grew from 10 to 12 documents" */
	const ag_verified *findings;
	size_t nfinding;
	const ag_verified
		*earlier; /* the report's resolved_findings: RESOLVED, BACK or NOT_CHECKABLE */
	size_t nearlier;
	size_t nconfirmed, nchanged, nresolved, nnot_checkable; /* of findings */
	size_t nback;                                           /* of earlier */
	bool is_more; /* a count rose, of a finding or of a part, or a resolved finding is back */
	/* A finding, a part or a resolved finding could not be checked, or more documents are unreadable than the report
	 * says. */
	bool is_unchecked;
} ag_verification;

/* Re-run the evidence of every finding in one report object (parsed), of its parts, and of the findings that the report
 * lists as resolved (older reports give no evidence for these: they are left out). The source is opened from the report's own
 * source.uri, or from source_uri when it is not "". Missing sources make findings NOT_CHECKABLE, not an error.
 * errors  AG_INVALID when `report` is no audit report: names the member that is missing. */
AG_CHECK ag_status ag_audit_verify(const ag_ctx *ctx, const ag_val *report, ag_str source_uri,
                                   ag_arena *arena, ag_verification *ret, ag_err *err);

/* The source of a report: from source_uri when it is not "", else from the report's own source.uri; where that is gone, from
 * its key. The caller closes it.
 * errors  of ag_source_list() and ag_source_open_place(); AG_INVALID: the report names none */
AG_CHECK ag_status ag_audit_open_reported(const ag_ctx *ctx, const ag_val *report,
                                          ag_str source_uri, ag_arena *arena, ag_source **ret,
                                          ag_err *err);
/* Is the opened source not in the state that the report was made from? *ret_why: how it differs, a sentence about it. */
bool ag_audit_is_other_data(const ag_val *report, const ag_source_info *info, ag_arena *arena,
                            ag_str *ret_why);

const char *ag_check_result_name(
	ag_check_result r); /* "confirmed", "changed", "resolved", "not checkable", "back" */

#endif
