/* cells_out -- --cells and --repairs of `argus audit`: the flagged cells, and those with a certain repair, as NDJSON. */
#ifndef AG_CLI_CELLS_OUT_H
#define AG_CLI_CELLS_OUT_H

#include "cli/cli.h"
#include "documents/source.h"

/* clang-format off */
#define AG_CELLS_OPTIONS                                                                          \
	{ "cells", 0, "FILE", NULL, NULL, "write each flagged cell there, a JSON object a line" },  \
	{ "repairs", 0, "FILE", NULL, NULL,                                                        \
	  "write the right value of each flagged cell there, where one is certain; values are not masked" }
/* clang-format on */

/* The two options; each is checked, written and reported on in the same way. */
#define AG_NCELLS_OUT 2

typedef struct ag_cells_out {
	ag_buf text[AG_NCELLS_OUT];
	uint64_t n[AG_NCELLS_OUT];
} ag_cells_out;

void ag_cells_out_init(ag_cells_out *o);
void ag_cells_out_release(ag_cells_out *o);
/* Complains about a place that cannot be written. Returns the canonical path of the file that option k would replace, ""
 * when no file is replaced. */
ag_str ag_cells_out_check(ag_cli *c, size_t k);
/* Add the cells of one report, which is parsed with types; its source is still open. */
AG_CHECK ag_status ag_cells_out_add(ag_cli *c, ag_cells_out *o, ag_source *source,
                                    const ag_val *report, ag_err *err);
/* Write the files, each whole or not at all. */
AG_CHECK ag_status ag_cells_out_write(ag_cli *c, const ag_cells_out *o, ag_err *err);

#endif
