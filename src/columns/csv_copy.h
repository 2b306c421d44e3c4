/* csv_copy -- a CSV file with some cells replaced, byte for byte as it is everywhere else: quotes, line ends, byte order
 * mark, separator, broken lines. */
#ifndef AG_COLUMNS_CSV_COPY_H
#define AG_COLUMNS_CSV_COPY_H

#include "columns/table.h"

typedef struct ag_csv_change {
	uint64_t byte; /* where the record begins in the file */
	ag_str column; /* its name, as the documents have it */
	ag_str old, text;
} ag_csv_change;

/* The file as it was when its documents were read. */
typedef struct ag_csv_original {
	const char *path;
	bool is_tsv;
	uint64_t nbyte;
	int64_t mtime_ms;
} ag_csv_original;

#define AG_CSV_COPY_MAX_BYTES (1024u * 1024 * 1024) /* of the file: the copy is made in memory */

/* changes: ascending by byte; one column at most once in a record. A cell that was quoted stays quoted; another one becomes
 * quoted only when its new text needs it.
 * errors  AG_CONFLICT when the file has changed, or a cell does not hold `old`; AG_LIMIT; of the file */
AG_CHECK ag_status ag_csv_copy(const ag_ctx *ctx, const ag_csv_original *file,
                               const ag_csv_change *changes, size_t n, ag_buf *out, ag_err *err);

#endif
