/* feedback -- what people say of the answers of conversations: up or down, and why. One row for each user and turn. */
#ifndef AG_STORE_FEEDBACK_H
#define AG_STORE_FEEDBACK_H

#include "store/store.h"

#define AG_FEEDBACK_MAX_REASON 4000u /* bytes: 1,000 characters */

typedef struct ag_feedback_row {
	ag_id turn, thread;
	ag_str user, project;
	ag_str verdict; /* up, down */
	ag_str reason;  /* "" = none */
	int64_t created_ms, changed_ms;
	ag_str question; /* the beginning of the turn's question; read only */
} ag_feedback_row;

/* Adds it, or replaces what the user said of the turn; the time of creation is kept.
 * errors  AG_INVALID, AG_LIMIT: names the field */
AG_CHECK ag_status ag_store_put_feedback(ag_store *s, const ag_feedback_row *row, ag_err *err);
/* Takes it back. What is not there is no failure. */
AG_CHECK ag_status ag_store_drop_feedback(ag_store *s, const ag_id *turn, ag_str user, ag_err *err);
/* What a user said of the turns of a thread. At most AG_STORE_MAX_RUNS. */
AG_CHECK ag_status ag_store_feedback_of(ag_store *s, const ag_id *thread, ag_str user,
                                        ag_arena *arena, ag_feedback_row **ret, size_t *nret,
                                        ag_err *err);

typedef struct ag_feedback_question {
	ag_str project;
	ag_str verdict;    /* "" = any */
	int64_t before_ms; /* changed before that; 0 = now */
	ag_str before_turn,
		before_user; /* of those that changed at before_ms: below that turn and user */
	size_t limit;
} ag_feedback_question;

/* Last changed first. */
AG_CHECK ag_status ag_store_feedback(ag_store *s, const ag_feedback_question *q, ag_arena *arena,
                                     ag_feedback_row **ret, size_t *nret, ag_err *err);

#endif
