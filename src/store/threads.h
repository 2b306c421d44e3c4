/* threads -- the conversations that are served over HTTP: who owns one, its title, whether it was viewed or deleted.
 *
 * An id belongs to the first user who asks with it, for ever: also when the thread was deleted. What was said is in the runs
 * of the thread (analyst/thread.h); threads of the command line have runs and no row here. */
#ifndef AG_STORE_THREADS_H
#define AG_STORE_THREADS_H

#include "store/store.h"

#define AG_THREAD_MAX_NAME  128u /* bytes of a client's id */
#define AG_THREAD_MAX_TITLE 800u /* bytes: 200 characters */

typedef struct ag_thread_row {
	ag_id id;
	ag_str name; /* as the client calls it */
	ag_str user, project, title;
	int64_t created_ms, changed_ms, viewed_ms, deleted_ms; /* 0 = never */
} ag_thread_row;

/* The thread of row->id: row when nobody had it, else what is stored, whosever it is. In arena. A thread that is the user's and not
 * deleted is changed now: row->changed_ms.
 *
 * lease: the right to write the thread, taken in the same transaction; NULL = it is not taken. It is taken only when the thread is the
 * user's, of row->project and not deleted: the caller looks at ret for that.
 * errors  AG_INVALID, AG_LIMIT: names the field; AG_CONFLICT: another owner has the lease (ag_store_lease) */
AG_CHECK ag_status ag_store_claim_thread(ag_store *s, const ag_thread_row *row,
                                         const ag_store_leased *lease, ag_arena *arena,
                                         ag_thread_row *ret, ag_err *err);
/* errors  AG_NOT_FOUND */
AG_CHECK ag_status ag_store_thread(ag_store *s, const ag_id *id, ag_arena *arena,
                                   ag_thread_row *ret, ag_err *err);

typedef struct ag_thread_question {
	ag_str user, project; /* project "" = of all */
	ag_str text;          /* in the title, in any case; "" = any */
	int64_t before_ms;    /* changed before that; 0 = now */
	ag_str before_id; /* of those that changed at before_ms: below that id; "" = none of them */
	size_t limit;
} ag_thread_question;

/* Not deleted, last changed first. */
AG_CHECK ag_status ag_store_threads(ag_store *s, const ag_thread_question *q, ag_arena *arena,
                                    ag_thread_row **ret, size_t *nret, ag_err *err);

/* What an owner changes: a title, "" = as it is; times, 0 = as they are.
 * errors  AG_NOT_FOUND: not this user's, or deleted */
typedef struct ag_thread_change {
	ag_str title;
	int64_t viewed_ms, deleted_ms;
} ag_thread_change;
AG_CHECK ag_status ag_store_change_thread(ag_store *s, const ag_id *id, ag_str user,
                                          const ag_thread_change *c, ag_err *err);

/* The turn under way shall end, wherever it runs: since when; 0 takes it back. */
AG_CHECK ag_status ag_store_stop_thread(ag_store *s, const ag_id *id, int64_t at_ms, ag_err *err);
/* The ids of threads whose turn shall end. In arena. */
AG_CHECK ag_status ag_store_stopped_threads(ag_store *s, ag_arena *arena, ag_id **ret, size_t *nret,
                                            ag_err *err);

#endif
