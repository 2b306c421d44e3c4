/* csv_copy -- see the header. The records that change are read again with the reader of csv.c; what lies between their cells
 * is copied. */
#include "columns/csv_copy.h"

#include <stdlib.h>

#include "columns/csv.h"
#include "columns/input.h"

typedef struct copy {
	const char *path;
	const char *p;    /* the whole file */
	size_t len, done; /* done: copied so far */
	ag_csv_head head;
	ag_buf *out;
} copy;

/* Does the cell hold this text? Its quotes may be doubled. */
static bool holds(ag_str cell, bool is_doubled, ag_str text)
{
	size_t k = 0;

	if (!is_doubled)
		return ag_str_eq(cell, text);
	for (size_t i = 0; i < cell.len; i++, k++) {
		if (k == text.len || cell.ptr[i] != text.ptr[k])
			return false;
		i += cell.ptr[i] == '"';
	}
	return k == text.len;
}

static bool needs_quotes(ag_str text, char sep)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == sep || text.ptr[i] == '\n' || text.ptr[i] == '\r')
			return true;
	return text.len && text.ptr[0] == '"';
}

static void put_cell(copy *k, ag_str text, bool is_quoted)
{
	if (!is_quoted && !needs_quotes(text, k->head.sep)) {
		ag_buf_add(k->out, text);
		return;
	}
	ag_buf_addc(k->out, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"')
			ag_buf_addc(k->out, '"');
		ag_buf_addc(k->out, text.ptr[i]);
	}
	ag_buf_addc(k->out, '"');
}

static ag_status fail_other(const copy *k, const ag_csv_change *c, ag_err *err)
{
	return ag_fail(
		err, AG_CONFLICT, "columns.csv",
		"%s: the record at byte %llu has another value in %.*s than when it was read",
		k->path, (unsigned long long)c->byte, AG_FMT(c->column));
}

static const ag_csv_change *change_of(const ag_csv_change *c, size_t n, ag_str column)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(c[i].column, column))
			return &c[i];
	return NULL;
}

/* The changes of one record. */
static ag_status copy_record(copy *k, const ag_csv_change *c, size_t n, ag_err *err)
{
	size_t at = (size_t)c->byte, left = n;

	if (c->byte >= k->len || c->byte < k->done)
		return fail_other(k, c, err);
	for (uint32_t i = 0; left && i < k->head.ncol; i++, at++) {
		const ag_csv_change *change = change_of(c, n, k->head.names[i]);
		const size_t from = at;
		bool is_quoted, is_doubled;
		ag_str cell;

		if (!ag_csv_cell(k->p, k->len, k->head.sep, &at, &cell, &is_quoted, &is_doubled))
			break;
		if (change) {
			if (!holds(cell, is_doubled, change->old))
				return fail_other(k, change, err);
			ag_buf_add(k->out, ag_str_make(k->p + k->done, from - k->done));
			put_cell(k, change->text, is_quoted);
			/* The cell without a CR that ends the line. */
			k->done = (size_t)(cell.ptr - k->p) + cell.len + is_quoted;
			left--;
		}
		if (at >= k->len || k->p[at] == '\n')
			break;
	}
	return left ? fail_other(k, c, err) : AG_OK;
}

static ag_status copy_all(copy *k, const ag_ctx *ctx, const ag_csv_change *changes, size_t n,
                          ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0, end; !st && i < n; i = end) {
		for (end = i + 1; end < n && changes[end].byte == changes[i].byte;)
			end++;
		st = copy_record(k, &changes[i], end - i, err);
		if (!st && (i & 1023) == 0)
			st = ag_ctx_check(ctx, err);
	}
	if (!st)
		ag_buf_add(k->out, ag_str_make(k->p + k->done, k->len - k->done));
	if (!st && k->out->failed)
		st = ag_fail(err, AG_LIMIT, "columns.csv", "%s: the copy is larger than %zu bytes",
		             k->path, k->out->limit);
	return st;
}

/* Is it still the file that was read, and small enough? */
static ag_status check_original(const ag_input *in, const ag_csv_original *file, ag_err *err)
{
	if (in->size != file->nbyte || in->mtime_ns / 1000000 != file->mtime_ms)
		return ag_fail(err, AG_CONFLICT, "columns.csv",
		               "%s changed while it was read: try again", file->path);
	if (in->size > AG_CSV_COPY_MAX_BYTES)
		return ag_fail(err, AG_LIMIT, "columns.csv",
		               "%s has %llu bytes, and a copy is made of at most %u", file->path,
		               (unsigned long long)in->size, AG_CSV_COPY_MAX_BYTES);
	return AG_OK;
}

ag_status ag_csv_copy(const ag_ctx *ctx, const ag_csv_original *file, const ag_csv_change *changes,
                      size_t n, ag_buf *out, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	copy k = { .path = file->path, .out = out };
	char *text = NULL;
	ag_status st;
	ag_input in;

	st = ag_input_open(ctx, file->path, &in, err);
	if (st)
		return st;
	st = check_original(&in, file, err);
	if (!st) {
		k.len = (size_t)in.size;
		k.p = text = (char *)ag_xmalloc(k.len + 1);
		st = ag_input_read(&in, 0, text, k.len, err);
	}
	if (!st)
		st = ag_csv_head_read(file->path, k.p, k.len, file->is_tsv ? '\t' : 0, arena,
		                      &k.head, err);
	if (!st)
		st = copy_all(&k, ctx, changes, n, err);
	if (!st)
		st = ag_input_unchanged(&in, err);
	ag_input_close(&in);
	free(text);
	return st;
}
