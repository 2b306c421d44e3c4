/* grid -- a table of values for a terminal: columns as wide as they must be, numbers to the right, pictures where they say
 * something.
 *
 * A table that does not fit loses the ends of long texts (marked), never a digit of a number; where even that is too wide,
 * each row becomes lines "column  value". Data reaches the buffer only through base/paint.h; a text that is written from
 * right to left ends with a mark of direction, so that it does not turn its neighbours around.
 *
 * Pictures: a bar beside each of 2 to 30 rows when one column names them and one column of numbers, none negative and not all
 * equal, measures them; a line of up to 60 blocks for each of at most 4 columns of numbers when 8 or more rows begin with a
 * date. Columns of numbers that name rows (id, year, month) are not measured. */
#ifndef AG_REPORT_GRID_H
#define AG_REPORT_GRID_H

#include "base/arena.h"
#include "base/paint.h"
#include "query/value.h"

#define AG_GRID_MAX_ROWS    40u  /* shown when the caller does not say */
#define AG_GRID_MAX_COLUMNS 200u /* shown; the rest is counted */

typedef struct ag_grid {
	const ag_val *columns; /* ARRAY of names */
	const ag_val *rows;    /* ARRAY of ARRAYs; numbers may be text ("12.50") */
	uint64_t row_count;    /* of the result; rows may hold fewer */
	bool is_cut;           /* the result itself has more rows */
	size_t max_rows;       /* 0 = AG_GRID_MAX_ROWS */
	bool no_pictures;
} ag_grid;

/* Whole lines, the last one says how many rows there are. */
void ag_grid_paint(const ag_grid *g, ag_paint *p, ag_arena *arena);

#endif
