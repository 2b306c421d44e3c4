/* thread -- a conversation: the runs of one thread in the store, one for each question, and nothing else.
 *
 * A question that was edited or asked again is a turn that replaces an earlier one (docs/decisions/0040). The earlier turn and
 * those that followed it stay in the store and are not part of the conversation any more; each is a version of its question.
 *
 * A run of a thread has the thread's key as its source_key, and the place "PROJECT/USER" as its source_uri: a thread is only
 * found by its user in its project. One process at a time writes a thread, by a lease on the thread's id. */
#ifndef AG_ANALYST_THREAD_H
#define AG_ANALYST_THREAD_H

#include "store/store.h"

#define AG_THREAD_AGENT "analyst"
#define AG_THREAD_QUESTION \
	"-user" /* after a turn's id: the id of its question, as the client gets it */
#define AG_THREAD_MAX_TURNS AG_STORE_MAX_RUNS /* that are read of one thread */

typedef struct ag_thread {
	ag_id id;
	ag_str key;   /* "thread:<id>" */
	ag_str place; /* "PROJECT/USER" */
} ag_thread;

/* In arena. */
ag_str ag_thread_place(ag_str project, ag_str user, ag_arena *arena);
ag_thread ag_thread_new(const ag_clock *clock, ag_str place, ag_arena *arena);
/* The thread of that id, whether it has turns or not. place: borrowed. */
ag_thread ag_thread_of(const ag_id *id, ag_str place, ag_arena *arena);

/* By its id or a beginning of it of at least 4 characters; "" = the newest.
 * errors  AG_NOT_FOUND: not of this user and project, also when it is another's; AG_INVALID: fits several */
AG_CHECK ag_status ag_thread_find(ag_store *s, ag_str place, ag_str prefix, ag_arena *arena,
                                  ag_thread *ret, ag_err *err);
/* Newest first. */
AG_CHECK ag_status ag_thread_list(ag_store *s, ag_str place, size_t limit, ag_arena *arena,
                                  ag_run_group **ret, size_t *nret, ag_err *err);
/* The newest turns, oldest first, without replaced ones; at most max. */
AG_CHECK ag_status ag_thread_turns(ag_store *s, const ag_thread *t, size_t max, ag_arena *arena,
                                   ag_run_row **ret, size_t *nret, ag_err *err);
/* The same as they were before the turn of that id began, or was replaced. */
AG_CHECK ag_status ag_thread_turns_before(ag_store *s, const ag_thread *t, ag_str turn, size_t max,
                                          ag_arena *arena, ag_run_row **ret, size_t *nret,
                                          ag_err *err);
AG_CHECK ag_status ag_thread_turns_with(ag_store *s, const ag_thread *t, ag_str turn, size_t max,
                                        ag_arena *arena, ag_run_row **ret, size_t *nret,
                                        ag_err *err);

/* Which turns of a thread replace which. In an arena. */
typedef struct ag_thread_versions {
	const ag_run_row *rows; /* that replace another, oldest first */
	size_t n;
} ag_thread_versions;

AG_CHECK ag_status ag_thread_versions_read(ag_store *s, const ag_thread *t, ag_arena *arena,
                                           ag_thread_versions *ret, ag_err *err);
/* The versions of a turn's question, oldest first, with the turn itself. In arena. */
size_t ag_thread_versions_of(const ag_thread_versions *v, const ag_run_row *turn, ag_arena *arena,
                             ag_str **ret);
/* The turn that may be replaced: the one of that id, or whose question has that id of the client's.
 * errors  AG_NOT_FOUND; AG_CONFLICT: it was replaced before */
AG_CHECK ag_status ag_thread_replaceable(ag_store *s, const ag_thread *t, ag_str message,
                                         ag_arena *arena, ag_str *ret, ag_err *err);

/* The thread that a turn belongs to. errors  AG_NOT_FOUND: no turn of this user and project */
AG_CHECK ag_status ag_thread_of_turn(ag_store *s, ag_str place, ag_str turn, ag_arena *arena,
                                     ag_thread *ret, ag_run_row *ret_turn, ag_err *err);
/* A copy of a thread up to and with that turn, under new ids, without replaced ones. The original stays as it is. */
AG_CHECK ag_status ag_thread_branch(ag_store *s, const ag_clock *clock, const ag_thread *from,
                                    const ag_run_row *last, ag_arena *arena, ag_thread *ret,
                                    ag_err *err);

/* The right to write, for ttl_ms; taken before the thread is read, given back after the turn.
 * errors  AG_CONFLICT: another process writes it */
AG_CHECK ag_status ag_thread_take(ag_store *s, const ag_thread *t, ag_str owner,
                                  const ag_clock *clock, int64_t ttl_ms, ag_err *err);
/* AG_CONFLICT, in words for who asks. */
ag_status ag_thread_busy(const ag_id *thread, ag_err *err);
/* owner "" = it was not taken. */
void ag_thread_give(ag_store *s, const ag_thread *t, ag_str owner, const ag_clock *clock);

#endif
