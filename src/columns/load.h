/* load -- a table from bytes in memory, for tests and fuzzers. Internal to columns/. */
#ifndef AG_COLUMNS_LOAD_H
#define AG_COLUMNS_LOAD_H

#include "columns/table.h"

/* As ag_table_load() of one file with these bytes, which are read only while it runs. */
AG_CHECK ag_status ag_table_load_mem(const ag_ctx *ctx, const char *name, const char *p, size_t n,
                                     const ag_table_opts *opts, ag_table **ret, ag_err *err);
/* Where in its record the fault of an issue with the CSV file `text` is: a quote that is not closed, a cell too many, a byte that is
 * not UTF-8. Line and column from 1; a column is a character. */
void ag_table_csv_fault(ag_str text, const ag_table_issue *issue, uint64_t *ret_line,
                        uint64_t *ret_column);

#endif
