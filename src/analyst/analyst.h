/* analyst -- a conversation about a project's database: one question runs to its answer.
 *
 * A turn is a run of its thread (thread.h). It is read from the store, as are the turns before it, so any process may ask the
 * next question, and a turn that was interrupted goes on from its log. */
#ifndef AG_ANALYST_ANALYST_H
#define AG_ANALYST_ANALYST_H

#include "agent/live_text.h"
#include "agent/loop.h"
#include "analyst/answer.h"
#include "analyst/options.h"
#include "analyst/thread.h"
#include "llm/llm.h"
#include "project/project.h"
#include "sql/dictionary.h"

#define AG_ANALYST_MAX_QUESTION 10000u /* characters */
#define AG_ANALYST_MAX_SETS     4u
#define AG_ANALYST_MAX_EARLIER  20u /* turns that are read for a request */

typedef struct ag_analyst_opts {
	ag_str question;
	ag_str message; /* the client's id of the question; "" = none */
	ag_str replaces; /* the turn of the thread that this one replaces (ag_thread_replaceable); "" = none */
	const ag_thread *thread;
	/* The thread's lease was taken in this name, for ag_analyst_lease_ms(); the turn gives it back, whatever comes of it. "" = the
	 * turn takes it. */
	ag_str owner;
	ag_project_hub *hub;
	const ag_caller *who; /* his role in the project is what the dispatcher looks at */
	const ag_project *project;
	const ag_dictionary *dictionary; /* NULL = it could not be read: */
	ag_str no_dictionary;            /* why */
	/* Instead of execute_sql and describe_table in this process: those of an MCP server; NULL = none. */
	const ag_tool_set *server;
	/* What the project knows, brought up to date at the beginning of each turn; NULL = nothing, and its tools are not
	 * offered. */
	ag_know_set **knowledge;
	bool is_trial; /* of an evaluation: nothing is learnt from it */
	bool is_step;  /* of a recipe: the tools for recipes are not offered */
	/* The statement that answers the question; no model is asked, llm may be NULL. "" = the model answers. */
	ag_str sql;
	const ag_tool_set *more; /* beside them: of other servers, of the project's files */
	size_t nmore;            /* at most AG_ANALYST_MAX_SETS */
	ag_llm *llm;
	ag_llm_meter *meter;
	ag_store *store;
	ag_live *live; /* NULL */
	ag_analyst_choices choices;
	ag_watch watch;
	void (*on_event)(void *arg, const ag_event *ev); /* NULL */
	void (*on_commit)(void *arg);                    /* after the events of one commit; NULL */
	void *on_event_arg;
} ag_analyst_opts;

typedef struct ag_analyst_turn_result {
	ag_id turn;
	ag_run_result run_result;
	const ag_analyst_state *state; /* in the arena */
	const ag_analyst_proof *proof; /* of its figures; in the arena */
	ag_str answer;                 /* "" = no answer */
	ag_str json;                   /* as the store has it, without keys */
} ag_analyst_turn_result;

/* Asks the next question of the thread.
 * errors  AG_INVALID: the question; AG_CONFLICT: another process writes the thread, or the turn was replaced meanwhile; of the store. What fails later is in
 *         ret->run_result. */
AG_CHECK ag_status ag_analyst_turn(const ag_ctx *ctx, const ag_analyst_opts *o, ag_arena *arena,
                                   ag_analyst_turn_result *ret, ag_err *err);
/* Goes on with the thread's last turn, when that did not come to its end, or (is_step) failed or was stopped; o->question is not
 * looked at.
 * errors  AG_NOT_FOUND: no turn, or the last one is complete; as above */
AG_CHECK ag_status ag_analyst_resume(const ag_ctx *ctx, const ag_analyst_opts *o, ag_arena *arena,
                                     ag_analyst_turn_result *ret, ag_err *err);
/* How long a turn needs the lease of its thread at most. */
int64_t ag_analyst_lease_ms(const ag_analyst_choices *c);
/* The state of a turn, from its log. */
AG_CHECK ag_status ag_analyst_read_turn(ag_store *s, const ag_id *turn, ag_arena *arena,
                                        ag_analyst_state *ret, ag_err *err);
/* Was the turn interrupted, so that it can go on? A turn that is written now is not. */
AG_CHECK ag_status ag_analyst_is_open(ag_store *s, const ag_run_row *turn, bool *ret, ag_err *err);

extern const ag_agent ag_agent_analyst;

#endif
