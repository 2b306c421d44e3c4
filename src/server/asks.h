/* asks -- the routes below /api/ask: questions about a project's files, which are answered with checked citations.
 *
 * A question is a run of the agent `ask` with the key "ask:PROJECT/USER", so each user has a history of his own in the store.
 * It is answered on a thread of its own and knows no reader: a client asks for its events, and for the answer when it is over.
 * What is not in the store yet is in the list of ask_live.c.
 *
 * ask.c has the routes; ask_lines.c those that read the project's folder and choose it. */
#ifndef AG_SERVER_ASKS_H
#define AG_SERVER_ASKS_H

#include "server/work.h"

/* --- ask_live.c: questions under way in this process --- */

typedef struct ag_server_asking_opts {
	const ag_caller *who;
	ag_server_caller *known; /* a share, taken over; NULL = it came without a token */
	const ag_project *project;
	ag_str text;
	bool is_offline;
	double seconds; /* 0 = as the settings say */
} ag_server_asking_opts;

/* What is known of one question; its texts are in the arena of the caller. */
typedef struct ag_server_asking_view {
	ag_id run;
	ag_str text;
	int64_t began_ms;
	bool is_stopping;
	ag_str phase, unit; /* "reading", "files"; "" = nothing long */
	uint64_t done, total;
} ag_server_asking_view;

void ag_server_asks_start(ag_server *h);
/* Questions may end within grace_ms, then they are cancelled. */
void ag_server_asks_stop(ag_server *h, int64_t grace_ms);
void ag_server_asks_free(ag_server *h);

/* The source_key of a user's questions about a project. In arena. */
ag_str ag_server_asks_key(ag_str project, ag_str user, ag_arena *arena);
/* errors  AG_UNAVAILABLE: too many at once, or the server stops; o->known is given back then as well */
AG_CHECK ag_status ag_server_asking_begin(ag_server *h, const ag_server_asking_opts *o, ag_id *ret,
                                          ag_err *err);
/* Those of a key, newest first. In arena. */
ag_server_asking_view *ag_server_askings(ag_server *h, ag_str key, ag_arena *arena, size_t *ret_n);
bool ag_server_asking_cancel(ag_server *h, ag_str key, const ag_id *run);

/* --- ask.c --- */

/* One question of the caller: of the store, under way, or both. */
typedef struct ag_server_asked {
	ag_server_place at;
	ag_store *store; /* the caller closes it */
	ag_str key;
	bool has_run, is_live;
	ag_run_row run;
	ag_server_asking_view live;
} ag_server_asked;

/* The project of ?project=, or of the body, and the caller's place in it. False: rp says why not; ret->store may be open. */
bool ag_server_asks_place(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str project,
                          ag_server_asked *ret);
/* The caller's question of the route's {id}. False: the same. */
bool ag_server_asks_find(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                         ag_server_asked *ret);
/* The answer that the store keeps. errors  AG_NOT_FOUND: the store has no answer yet */
AG_CHECK ag_status ag_server_asks_answer(const ag_server_asked *a, ag_arena *arena, ag_answer *ret,
                                         ag_err *err);

/* Routes. */
void ag_server_asks_list(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_ask_post(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_ask_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_ask_events(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_ask_stop(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

/* --- ask_lines.c: routes --- */

void ag_server_ask_citation(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_ask_setup_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);
void ag_server_ask_setup_put(void *env, ag_httpd_request *rq, ag_httpd_reply *rp);

#endif
