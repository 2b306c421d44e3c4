/* index -- the project's sections and definitions, found by words: brings the store's index up to date and asks it. */
#ifndef AG_ASK_INDEX_H
#define AG_ASK_INDEX_H

#include "ask/root.h"
#include "store/search_index.h"

typedef struct ag_index_stats {
	size_t nfile, nchanged, ngone, ndoc;
	bool is_cut;        /* the rest is not in it yet */
	const char *cut_by; /* which cap, for people: "the cap of 64 MiB a question"; NULL = none */
	bool is_more_next_time; /* asking again reads on */
} ag_index_stats;

/* Files whose size, time and format are as they were are not read. */
AG_CHECK ag_status ag_index_refresh(ag_root *r, ag_store *s, const ag_ctx *ctx, ag_arena *arena,
                                    ag_index_stats *ret, ag_err *err);

/* One refresh at a time of an index that several threads use: the next one finds little to do. */
typedef struct ag_index_gate ag_index_gate;
ag_index_gate *ag_index_gate_new(void);
ag_index_gate *ag_index_gate_free(
	ag_index_gate *g); /* nobody may be inside; accepts NULL, returns NULL */
/* Waits until nobody else is inside. g NULL = nobody else can be.
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_index_gate_enter(ag_index_gate *g, const ag_ctx *ctx, ag_err *err);
void ag_index_gate_leave(ag_index_gate *g);

typedef struct ag_index_query {
	ag_root *root;
	ag_store *store;
	ag_str question;
	size_t limit; /* of sections */
} ag_index_query;

/* Best sections for a question, ranked again beyond BM25: titles, whole phrases, how many of the words, documentation
 * before code for "how", code and configuration for "which framework", "which port". */
AG_CHECK ag_status ag_index_ask(const ag_ctx *ctx, const ag_index_query *q, ag_arena *arena,
                                ag_index_hit **ret, size_t *nret, ag_err *err);

#endif
