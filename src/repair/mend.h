/* mend -- the repairs of a report, one document after another, with the key that finds each document again.
 *
 * Findings may flag one cell several times: when their repairs are not equal, the cell has none. Swapped values are repaired
 * together or not at all. All results live in the arena; strings of the data until the source is closed. */
#ifndef AG_REPAIR_MEND_H
#define AG_REPAIR_MEND_H

#include "repair/cells.h"

#define AG_MEND_MAX_KEYS 8

typedef struct ag_change {
	ag_str path; /* dotted, with the index of items: "items.2.price"; "" = no filter can name it */
	ag_str column; /* the name of a top-level field, unquoted; "" = it is nested */
	bool is_item;
	bool is_swapped;
	ag_val old, fixed;
} ag_change;

typedef struct ag_mend {
	uint64_t row;
	ag_val key[AG_MEND_MAX_KEYS];
	const ag_change *changes;
	size_t n; /* at least one */
} ag_mend;

typedef struct ag_mends {
	const ag_source_info *info;
	ag_str keys[AG_MEND_MAX_KEYS]; /* dotted */
	size_t nkey;
	ag_mend *items; /* by row */
	size_t n;
	uint64_t ncell,
		nchange; /* flagged cells with a value, each once; those with a repair in items */
	uint64_t ndisagree,
		nkeyless; /* repairs left out: findings disagree; another document has the key, or none */
} ag_mends;

typedef struct ag_mend_opts {
	const ag_str *keys; /* dotted; the values of all of them find one document */
	size_t nkey; /* 0 = Argus chooses: "_id", else a field that is named like a key and is one */
	bool needs_key;
	void (*note)(void *arg, const char *line); /* as in ag_cells */
	void *note_arg;
} ag_mend_opts;

/* report: parsed with types.
 * errors  of ag_cells_each(); AG_INVALID: no field is a key, or the one that was named is in no document */
AG_CHECK ag_status ag_mends_collect(const ag_ctx *ctx, ag_source *source, const ag_val *report,
                                    const ag_mend_opts *opts, ag_arena *arena, ag_mends *ret,
                                    ag_err *err);

#endif
