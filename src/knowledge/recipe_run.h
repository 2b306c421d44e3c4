/* recipe_run -- what is kept of a run of a recipe: its values, and every step with its question and what came of it.
 *
 * A run is a row of the store beside the project's knowledge (store/objects.h), of the kind "recipe_run", and the recipe as it was when
 * the run began: a change of the recipe does not change a run that goes on later. Its steps are turns of one thread. Who writes a
 * run names the version that he read, so of two processes one is refused.
 *
 * {"recipe":"Weekly","thread":"…","user":"local","status":"running","error":"","started_at":"…","ended_at":null,
 *  "values":{"region":"North"},"definition":{…},"turns":["…"],
 *  "steps":[{"step_order":1,"prompt":"…","sql":"","status":"completed","turn":"…","response":"…","tools_used":["execute_sql"],
 *  "artifacts_created":[],"success":true,"error":"","warning":"","started_at":"…","completed_at":"…"}]} */
#ifndef AG_KNOWLEDGE_RECIPE_RUN_H
#define AG_KNOWLEDGE_RECIPE_RUN_H

#include "base/json.h"
#include "knowledge/knowledge.h"
#include "knowledge/recipe.h"

#define AG_RECIPE_RUN_KIND "recipe_run"
#define AG_RECIPE_MAX_RUNS \
	200u /* of one recipe that are kept: older ones go when a new one begins */
#define AG_RECIPE_MAX_RESPONSE \
	8000u /* characters of an answer in the run; the turn has all of it */
#define AG_RECIPE_MAX_ARTIFACTS 50u
#define AG_RECIPE_MAX_TOOLS     20u

typedef enum ag_recipe_state {
	AG_RECIPE_PENDING,
	AG_RECIPE_RUNNING, /* or was interrupted: it can go on */
	AG_RECIPE_COMPLETED,
	AG_RECIPE_FAILED,
	AG_RECIPE_CANCELLED,
	AG_RECIPE_NSTATE
} ag_recipe_state;

const char *ag_recipe_state_name(ag_recipe_state s);

typedef struct ag_recipe_step_run {
	ag_str prompt, sql; /* after substitution */
	ag_recipe_state state;
	ag_str turn; /* its turn; "" = none began */
	ag_str response, error, warning;
	ag_str tools[AG_RECIPE_MAX_TOOLS]; /* distinct, in the order of their first use */
	size_t ntool;
	ag_str artifacts[AG_RECIPE_MAX_ARTIFACTS]; /* their ids */
	size_t nartifact;
	int64_t started_ms, ended_ms; /* 0 = not yet */
} ag_recipe_step_run;

typedef struct ag_recipe_run {
	ag_str key; /* 64 hex digits; people see the first 8 */
	ag_str name, user;
	ag_id thread;
	ag_recipe_state state;
	ag_str error;
	ag_val definition, values;
	int64_t started_ms, ended_ms;
	ag_recipe_step_run *steps;
	size_t nstep;
	ag_str *turns; /* all that were begun, also of a step that was tried again */
	size_t nturn;
	uint64_t version;
} ag_recipe_run;

/* A run that has not begun: the prompts are made, all steps are pending. In arena.
 * errors  AG_INVALID: names the variable, or the step whose question is too long; AG_LIMIT */
AG_CHECK ag_status ag_recipe_run_make(const ag_know *recipe, const ag_val *values,
                                      const ag_id *thread, ag_str user, int64_t now_ms,
                                      ag_arena *arena, ag_recipe_run *ret, ag_err *err);
/* Writes it; r->version becomes one more. errors  AG_CONFLICT: somebody else wrote it meanwhile; AG_LIMIT */
AG_CHECK ag_status ag_recipe_run_put(ag_store *s, ag_str project, ag_recipe_run *r, int64_t now_ms,
                                     ag_arena *arena, ag_err *err);
/* By its key or the beginning of it, at least 4 digits. errors  AG_NOT_FOUND; AG_INVALID: fits several */
AG_CHECK ag_status ag_recipe_run_get(ag_store *s, ag_str project, ag_str key, ag_arena *arena,
                                     ag_recipe_run *ret, ag_err *err);
ag_str ag_recipe_run_key(const ag_id *thread, ag_arena *arena);
/* The newest first. name "" = of every recipe. */
AG_CHECK ag_status ag_recipe_run_list(ag_store *s, ag_str project, ag_str name, ag_arena *arena,
                                      ag_recipe_run **ret, size_t *nret, ag_err *err);
/* Removes the oldest runs of that recipe that ended, beyond AG_RECIPE_MAX_RUNS. */
AG_CHECK ag_status ag_recipe_run_trim(ag_store *s, ag_str project, ag_str name, ag_err *err);
void ag_recipe_run_json(const ag_recipe_run *r, bool with_definition, ag_arena *arena, ag_jw *w);
/* The same without steps. */
void ag_recipe_run_row_json(const ag_recipe_run *r, ag_arena *arena, ag_jw *w);

/* --- what people do; each call but the last is governed --- */

/* The recipe of that name, to run it. errors  of ag_know_get(); AG_INVALID: it is not in use */
AG_CHECK ag_status ag_recipe_in_use(const ag_know_place *p, ag_str name, ag_arena *arena,
                                    ag_know *ret, ag_err *err);
/* Runs that the caller may see, newest first: his own; an admin sees those of all. name: of this recipe; key: this run, by the
 * beginning of its key; "" = all. errors  AG_NOT_FOUND: there is no run of that key */
AG_CHECK ag_status ag_recipe_runs_seen(const ag_know_place *p, ag_str name, ag_str key,
                                       ag_arena *arena, ag_recipe_run **ret, size_t *nret,
                                       ag_err *err);
/* May this user go on with it? errors  AG_DENIED: it is another user's; AG_INVALID: it is complete */
AG_CHECK ag_status ag_recipe_run_check_resume(const ag_recipe_run *r, ag_str user, ag_err *err);

#endif
