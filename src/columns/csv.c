/* csv -- RFC 4180: cells, records, the header, and what an unquoted cell means.
 *
 * A quote opens a quoted cell only at its start; elsewhere it is text. A record that breaks this rule is
 * taken to be one line long, so that one stray quote costs one line and not the rest of the file. */
#include "columns/csv.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/time.h"
#include "base/utf8.h"
#include "columns/split.h"

static size_t skip_plain(const char *p, size_t len, size_t i, char sep)
{
	while (i < len && p[i] != sep && p[i] != '\n')
		i++;
	return i;
}

static bool is_end(const char *p, size_t len, size_t i, char sep)
{
	return i >= len || p[i] == sep || p[i] == '\n' ||
	       (p[i] == '\r' && (i + 1 >= len || p[i + 1] == '\n'));
}

/* Behind the closing quote; i is behind the opening one. len + 1: there is none. */
static size_t skip_quoted(const char *p, size_t len, size_t i, bool *ret_doubled)
{
	for (;;) {
		const char *q = i < len ? (const char *)memchr(p + i, '"', len - i) : NULL;

		if (!q)
			return len + 1;
		i = (size_t)(q - p) + 1;
		if (i >= len || p[i] != '"')
			return i;
		*ret_doubled = true;
		i++;
	}
}

bool ag_csv_cell(const char *p, size_t len, char sep, size_t *at, ag_str *ret, bool *ret_quoted,
                 bool *ret_doubled)
{
	size_t from = *at, to;

	*ret_doubled = false;
	*ret_quoted = from < len && p[from] == '"';
	if (!*ret_quoted) {
		to = *at = skip_plain(p, len, from, sep);
		if (to > from && p[to - 1] == '\r' && (to == len || p[to] == '\n'))
			to--;
		*ret = ag_str_make(p + from, to - from);
		return true;
	}
	to = skip_quoted(p, len, from + 1, ret_doubled);
	if (to > len || !is_end(p, len, to, sep))
		return false;
	*ret = ag_str_make(p + from + 1, to - from - 2);
	if (to < len && p[to] == '\r')
		to++;
	*at = to;
	return true;
}

static ag_split_result one_line(const char *p, size_t len, ag_split_item *ret, const char *why)
{
	const char *nl = (const char *)memchr(p + ret->at, '\n', len - ret->at);

	ret->end = nl ? (size_t)(nl - p) : len;
	ret->next = nl ? ret->end + 1 : len;
	ret->why = why;
	return AG_SPLIT_ITEM;
}

ag_split_result ag_csv_split_next(char sep, const char *p, size_t len, bool eof, size_t at,
                                  ag_split_item *ret)
{
	const char *nl = (const char *)memchr(p + at, '\n', len - at);
	size_t line = nl ? (size_t)(nl - p) : len, i = at;

	*ret = (ag_split_item){ .at = at, .end = at, .next = at };
	if (at == len)
		return eof ? AG_SPLIT_END : AG_SPLIT_SKIP;
	if (!nl && !eof)
		return AG_SPLIT_MORE;
	if (!memchr(p + at, '"', line - at))
		return one_line(p, len, ret, NULL);
	for (;; i++) {
		ag_str cell;
		bool quoted, doubled;

		if (!ag_csv_cell(p, len, sep, &i, &cell, &quoted, &doubled)) {
			/* At the end of what is in sight the closing quote may still come. */
			size_t end = skip_quoted(p, len, i + 1, &doubled);

			if (end >= len && !eof)
				return AG_SPLIT_MORE;
			return one_line(p, len, ret,
			                end > len ? "a quote is not closed"
			                          : "text after a closing quote");
		}
		if (i + 1 >= len && quoted && !eof)
			return AG_SPLIT_MORE;
		if (i >= len || p[i] == '\n')
			break;
	}
	ret->end = i;
	ret->next = i < len ? i + 1 : len;
	return i >= len && !eof ? AG_SPLIT_MORE : AG_SPLIT_ITEM;
}

/* --- header --- */

static char find_sep(const char *p, size_t len)
{
	static const char seps[] = { ',', ';', '\t', '|' };
	size_t count[AG_NELEM(seps)] = { 0 }, best = 0;
	bool quoted = false;

	for (size_t i = 0; i < len && (quoted || p[i] != '\n'); i++) {
		if (p[i] == '"')
			quoted = !quoted;
		for (size_t k = 0; k < AG_NELEM(seps) && !quoted; k++)
			count[k] += p[i] == seps[k];
	}
	for (size_t k = 1; k < AG_NELEM(seps); k++) {
		if (count[k] > count[best])
			best = k;
	}
	return seps[best];
}

static ag_str unquote(ag_arena *arena, ag_str s, bool doubled)
{
	char *out;
	size_t n = 0;

	if (!doubled)
		return ag_str_dup(arena, s);
	out = (char *)ag_arena_alloc(arena, s.len + 1);
	for (size_t i = 0; i < s.len; i++) {
		out[n++] = s.ptr[i];
		if (s.ptr[i] == '"')
			i++;
	}
	return ag_str_make(out, n);
}

typedef struct name_at {
	ag_str name;
	uint32_t col;
} name_at;

static int by_name(const void *a, const void *b)
{
	const name_at *x = (const name_at *)a, *y = (const name_at *)b;
	int d = ag_str_cmp(x->name, y->name);

	return d ? d : (x->col > y->col) - (x->col < y->col);
}

/* A name for what has none, another for what is there twice; false when all were different. A new name may be
 * that of a third column, so again until nothing changes: each round lengthens a name, so it ends. */
static bool rename_twins(const name_at *sorted, ag_csv_head *h, ag_str *names, ag_arena *arena)
{
	bool changed = false;

	for (uint32_t i = 1; i < h->ncol; i++) {
		if (!ag_str_eq(sorted[i].name, sorted[i - 1].name))
			continue;
		names[sorted[i].col] = ag_str_printf(arena, "%.*s_%u", AG_FMT(sorted[i].name),
		                                     sorted[i].col + 1);
		h->nrenamed++;
		changed = true;
	}
	return changed;
}

/* Spreadsheets and data frames leave the name of an index column open and repeat names; that is no reason
 * to refuse their data. */
static ag_status mend_names(const char *file, ag_csv_head *h, ag_str *names, ag_arena *arena,
                            ag_err *err)
{
	name_at *sorted = ag_new_n(arena, name_at, h->ncol);

	for (uint32_t i = 0; i < h->ncol; i++) {
		if (!ag_utf8_valid(names[i])) {
			ag_fail(err, AG_INVALID, "columns.csv",
			        "%s: the name of column %u is not UTF-8", file, i + 1);
			return ag_err_hint(err, "%s", AG_CSV_HINT_UTF8);
		}
		if (names[i].len == 0) {
			names[i] = ag_str_printf(arena, "column_%u", i + 1);
			h->nrenamed++;
		}
	}
	do {
		for (uint32_t i = 0; i < h->ncol; i++)
			sorted[i] = (name_at){ names[i], i };
		qsort(sorted, h->ncol, sizeof(*sorted), by_name);
	} while (rename_twins(sorted, h, names, arena));
	return AG_OK;
}

static ag_status read_names(const char *file, const char *p, size_t len, size_t at, ag_arena *arena,
                            ag_csv_head *h, ag_err *err)
{
	ag_str *names = NULL;
	size_t cap = 0;

	for (;; at++) {
		ag_str cell;
		bool quoted, doubled;

		if (!ag_csv_cell(p, len, h->sep, &at, &cell, &quoted, &doubled))
			return ag_fail(err, AG_INVALID, "columns.csv",
			               "%s: column %u of the header has a quote that is not closed",
			               file, h->ncol + 1);
		if (h->ncol == AG_CSV_MAX_COLS)
			return ag_fail(err, AG_LIMIT, "columns.csv", "%s: more than %d columns",
			               file, AG_CSV_MAX_COLS);
		if (h->ncol == cap) {
			ag_str *more = ag_new_n(arena, ag_str, cap * 2 + 16);

			if (cap)
				memcpy(more, names, cap * sizeof(*names));
			names = more;
			cap = cap * 2 + 16;
		}
		names[h->ncol++] = unquote(arena, cell, doubled);
		if (at >= len || p[at] == '\n')
			break;
	}
	h->names = names;
	h->bytes = at < len ? at + 1 : len;
	return mend_names(file, h, names, arena, err);
}

/* As old Macs wrote them: the whole file would be one header. */
static bool ends_with_cr_only(const char *p, size_t len)
{
	const char *cr = (const char *)memchr(p, '\r', len);

	return cr && cr < p + len - 1 && !memchr(p, '\n', len);
}

ag_status ag_csv_head_read(const char *file, const char *p, size_t len, char sep, ag_arena *arena,
                           ag_csv_head *ret, ag_err *err)
{
	size_t at = len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	ag_csv_head h = { .sep = sep };
	bool is_cut = len > AG_CSV_MAX_HEAD_BYTES;
	ag_status st;

	while (at < len && (p[at] == '\n' || p[at] == '\r'))
		at++;
	if (is_cut)
		len = AG_CSV_MAX_HEAD_BYTES;
	if (at >= len) {
		ret->bytes = len; /* an empty file has no records either */
		return AG_OK;
	}
	if (!is_cut && ends_with_cr_only(p + at, len - at)) {
		ag_fail(err, AG_INVALID, "columns.csv",
		        "%s: its lines end with a carriage return alone", file);
		return ag_err_hint(err, "convert them: tr '\\r' '\\n'");
	}
	if (!h.sep)
		h.sep = find_sep(p + at, len - at);
	st = read_names(file, p, len, at, arena, &h, err);
	if (!st && is_cut && h.bytes == len)
		st = ag_fail(err, AG_LIMIT, "columns.csv",
		             "%s: the header line is longer than %u bytes", file,
		             AG_CSV_MAX_HEAD_BYTES);
	if (!st)
		*ret = h;
	return st;
}
