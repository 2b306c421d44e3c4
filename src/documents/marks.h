/* marks -- ag_source_type.marks for sources whose profile is that of a table. */
#ifndef AG_DOCUMENTS_MARKS_H
#define AG_DOCUMENTS_MARKS_H

#include "documents/source.h"

/* t: the table that the profile of each m[i].f was made of. */
AG_CHECK ag_status ag_table_source_marks(const ag_table *t, const ag_ctx *ctx, ag_source_mark *m,
                                         size_t n, ag_err *err);

#endif
