/* input -- a file to read: opened once, its size fixed then, read at offsets. Internal to columns/.
 *
 * Not mapped: a mapped file that shrinks kills the process, a read comes back short and is an error. */
#ifndef AG_COLUMNS_INPUT_H
#define AG_COLUMNS_INPUT_H

#include "base/err.h"
#include "columns/table.h"

typedef struct ag_input {
	int fd;
	const char *path;
	const char *mem; /* instead of a file: tests and fuzzers */
	uint64_t size;
	int64_t mtime_ns;
	bool is_stdin; /* it has no name that tells its format: text with even columns is CSV */
} ag_input;

/* "-" is standard input: a file is read where it is; anything else is first copied to a nameless file in $TMPDIR
 * or /tmp, as long as ctx allows. */
AG_CHECK ag_status ag_input_open(const ag_ctx *ctx, const char *path, ag_input *ret, ag_err *err);
ag_input ag_input_mem(const char *name, const char *p, size_t n);
void ag_input_close(ag_input *in);
/* Exactly n bytes at `at`; AG_IO when the file has become shorter. */
AG_CHECK ag_status ag_input_read(const ag_input *in, uint64_t at, char *to, size_t n, ag_err *err);
/* AG_IO when the file was written to since it was opened. */
AG_CHECK ag_status ag_input_unchanged(const ag_input *in, ag_err *err);

/* AG_INVALID when the file is visibly not the text format that its name says: compressed, or UTF-16. */
AG_CHECK ag_status ag_input_refuse(const ag_input *in, ag_format format, ag_err *err);
/* What the file is, by its name, else by its first bytes. */
AG_CHECK ag_status ag_input_detect(const ag_input *in, ag_format *ret, ag_err *err);

#endif
