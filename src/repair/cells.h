/* cells -- the cells that the findings of an audit flag, and the right value of a cell where it is certain.
 *
 * A finding flags its field in every document that its evidence selects. In an array it flags the items that show the
 * evidence alone; where none does, the field as a whole. Findings that were set aside or not published flag nothing.
 * The order is that of the findings in the report, then of the documents, then of the items. Reads the source, never writes.
 *
 * A repair is certain when the value itself says it (blanks at its ends, a broken encoding), or nearly all other documents do
 * (fix.h). The parts of a finding are asked as well; where two of them disagree there is no repair. */
#ifndef AG_REPAIR_CELLS_H
#define AG_REPAIR_CELLS_H

#include "base/json.h"
#include "documents/source.h"
#include "query/path.h"

typedef struct ag_flagging {
	ag_str id, field, category, evidence; /* of the finding */
	double confidence;
	bool is_document; /* about whole documents: the cells have no value */
	ag_path path;     /* of the field; no steps when is_document */
} ag_flagging;

#define AG_FIX_SWAPPED \
	"the value that is in the other field" /* how: right only together with the other one */

typedef struct ag_cell {
	const ag_flagging *of;
	uint64_t
		row; /* index of the document among the readable ones, in the order of the source */
	ag_str path; /* dotted, with the index of each item: "items.2.price"; "" = no filter can name it */
	bool is_item; /* the path has the index of an item or a key of a map: field alone does not say it */
	ag_val value;      /* as it is, a CSV cell as text; MISSING = no value */
	ag_val fixed;      /* the right value; MISSING = none is certain */
	const char *how;   /* of fixed: a few words */
	const ag_val *doc; /* the whole document */
} ag_cell;

/* Everything that a cell points to lives until the function returns; strings of the data until the source is closed. */
typedef ag_status (*ag_cell_fn)(void *arg, const ag_cell *cell, ag_err *err);

typedef struct ag_cells {
	ag_source *source;
	const ag_val *report; /* parsed with types */
	bool wants_repairs;   /* else fixed is always MISSING */
	ag_cell_fn fn;
	void *arg;
	void (*note)(void *arg,
	             const char *line); /* what could not be listed and why; NULL = nobody hears */
} ag_cells;

/* errors  of the source and of fn; AG_INVALID: the report is no audit's, or the source is a server. Evidence that cannot be run becomes a note. */
AG_CHECK ag_status ag_cells_each(const ag_ctx *ctx, const ag_cells *job, ag_err *err);

/* {"collection","file","_id"?,"row","field","path"?,"category","confidence","finding"}, one line with its end. */
void ag_cell_write(const ag_cell *cell, const ag_source_info *info, ag_buf *out);
/* The same with "value", "repair" and "how", where there is a repair. */
void ag_repair_write(const ag_cell *cell, const ag_source_info *info, ag_buf *out);

#endif
