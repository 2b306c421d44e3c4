/* load -- a table from bytes in memory, for tests and fuzzers. Internal to columns/. */
#ifndef AG_COLUMNS_LOAD_H
#define AG_COLUMNS_LOAD_H

#include "columns/table.h"

/* As ag_table_load() of one file with these bytes. */
AG_CHECK ag_status ag_table_load_mem(const ag_ctx *ctx, const char *name, const char *p, size_t n,
                                     const ag_table_opts *opts, ag_table **ret, ag_err *err);

#endif
