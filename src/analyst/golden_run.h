/* golden_run -- a project's golden questions, asked of a model: how many answers are right, how fast, for how much.
 *
 * Each question is a conversation of its own, and nothing is learnt from it. An evaluation is an object of the store
 * (store/objects.h) of the kind "evaluation"; its status is "running", "done", "cancelled" or "failed". Only those that are done count
 * for what was right before.
 *
 * {"project","model","tag","at","questions","asked","right","accuracy","accuracy_before"?,"latency_ms","tokens","usd","error"?,
 *  "results":[{"id","question","mode","ok","error","why","turn","latency_ms","tokens","usd","ok_before"?}]} */
#ifndef AG_ANALYST_GOLDEN_RUN_H
#define AG_ANALYST_GOLDEN_RUN_H

#include "analyst/analyst.h"
#include "knowledge/knowledge.h"

#define AG_GOLDEN_RUN_KIND "evaluation"
/* One that says it is running and was not written for so long was cut off. */
#define AG_GOLDEN_RUN_STALE_MS (INT64_C(1800) * 1000)

typedef struct ag_golden_run_result {
	const ag_know *golden;
	ag_str why; /* "" = right */
	ag_str turn;
	bool is_error; /* there is no answer */
	int64_t ms;
	uint64_t tokens;
	double usd;
	int before; /* when it was last asked: 1 right, 0 wrong; -1 = never */
} ag_golden_run_result;

typedef struct ag_golden_run {
	ag_str project, key, user, tag, model, error;
	ag_golden_run_result *list;
	size_t n, nasked, nright;
	int64_t at_ms, ms;
	uint64_t tokens, version;
	double usd;
	double before; /* accuracy of these questions when they were last asked; -1 = never */
} ag_golden_run;

typedef struct ag_golden_run_opts {
	const ag_analyst_opts *chat;
	ag_llm_meter *(*meter)(void *arg, ag_arena *arena); /* of each question */
	/* A question was asked; NULL = nobody watches. Not AG_OK: no further one is asked. */
	ag_status (*on_asked)(void *arg, ag_golden_run *e, ag_err *err);
	void *arg;       /* of meter() */
	void *asked_arg; /* of on_asked() */
} ag_golden_run_opts;

/* The questions that are in use, with that tag ("" = all), and what they were before. Texts in arena.
 * errors  AG_NOT_FOUND: there is no such question */
AG_CHECK ag_status ag_golden_run_make(const ag_know_place *p, ag_store *s, ag_str tag,
                                      ag_arena *arena, ag_golden_run *ret, ag_err *err);
/* Asks them, one after the other. errors  AG_CANCELLED; of on_asked() */
AG_CHECK ag_status ag_golden_run_go(const ag_ctx *ctx, const ag_golden_run_opts *o,
                                    ag_golden_run *e, ag_arena *arena, ag_err *err);
double ag_golden_run_accuracy(const ag_golden_run *e); /* 0 to 1 */
void ag_golden_run_json(const ag_golden_run *e, ag_jw *w);
/* Keeps it, so far. e->version becomes one more. errors  AG_CONFLICT: somebody else wrote it; AG_LIMIT */
AG_CHECK ag_status ag_golden_run_put(ag_store *s, ag_golden_run *e, const char *status,
                                     int64_t now_ms, ag_err *err);
/* Those that are kept, newest first; body: what ag_golden_run_json() wrote. done_only: without those that did not come to their
 * end. */
AG_CHECK ag_status ag_golden_run_list(ag_store *s, ag_str project, bool done_only, ag_arena *arena,
                                      ag_object_row **ret, size_t *nret, ag_err *err);

#endif
