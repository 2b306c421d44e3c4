/* frame -- values side by side, row by row: what checks between fields look at.
 *
 * A frame holds the paths whose values belong to the same object: the documents (with what lies below them outside of
 * arrays), or the items of one array ("items[].price" and "items[].quantity"). A path is a column of codes into a list
 * of its different values, so that comparing, grouping and counting never touch a string. Paths below keys that are data
 * have no frame. CSV: a cell is its view where it has one, as in the profile.
 *
 * Above AG_FRAME_MAX_ROWS rows, or AG_FRAME_MAX_CELLS cells, a frame holds every step-th row. Checks form a suspicion
 * from it; the evidence then counts all documents. The result does not depend on the number of threads. */
#ifndef AG_COLUMNS_FRAME_H
#define AG_COLUMNS_FRAME_H

#include "columns/profile.h"

#define AG_FRAME_MAX_ROWS  400000
#define AG_FRAME_MAX_CELLS 12000000 /* 4 bytes each */
#define AG_FRAME_MAX_COLS  300      /* further paths of a frame are left out */

typedef struct ag_frame_col {
	const ag_path_profile *f; /* borrowed from the profile */
	/* [nrow] 0 = no value: absent, null, an empty CSV cell, an object or an array; else 1 + index into values. */
	uint32_t *code;
	ag_val *values; /* [nvalue] in order of first appearance; integral numbers as INT, strings in the table */
	uint32_t *count; /* [nvalue] rows of the frame */
	uint32_t nvalue;
	uint32_t nfilled; /* rows with a value */
} ag_frame_col;

typedef struct ag_frame {
	ag_str path;   /* "" = the documents, else the array: "items[]" */
	uint64_t nall; /* rows there are */
	uint32_t nrow, step;
	uint32_t *
		doc; /* [nrow] document of each row; NULL where a row is a document and step is 1 */
	ag_frame_col *cols; /* by path */
	size_t ncol, left_out;
} ag_frame;

typedef struct ag_frames {
	ag_frame *items; /* the documents first, then arrays by path */
	size_t n;
} ag_frames;

/* p: the profile of t. Everything lives in arena; strings are views into the table.
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_table_frames(const ag_table *t, const ag_ctx *ctx, const ag_profile *p,
                                   ag_arena *arena, ag_frames *ret, ag_err *err);

#endif
