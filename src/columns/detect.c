/* detect -- what a file is: by its name where the name decides, else by its first bytes.
 *
 * A file that is nothing we read is refused with what it looks like, so that nobody is told about thousands
 * of "broken lines" of a zip file. */
#include "columns/csv.h"
#include "columns/input.h"
#include "columns/split.h"

#include <stdlib.h>

#define PROBE_BYTES (1024u * 1024)

typedef struct by_name {
	const char *ending;
	ag_format format;
} by_name;

static const by_name endings[] = {
	{ ".bson", AG_FORMAT_BSON },    { ".csv", AG_FORMAT_CSV },
	{ ".tsv", AG_FORMAT_TSV },      { ".tab", AG_FORMAT_TSV },
	{ ".jsonl", AG_FORMAT_NDJSON }, { ".ndjson", AG_FORMAT_NDJSON },
};

typedef struct known_magic {
	const char *bytes;
	size_t n;
	const char *what, *hint;
} known_magic;

static const known_magic magics[] = {
	{ "\x1f\x8b", 2, "a gzip file", "unpack it first: gunzip" },
	{ "\x28\xb5\x2f\xfd", 4, "a zstd file", "unpack it first: unzstd" },
	{ "\xfd"
	  "7zXZ",
	  5, "an xz file", "unpack it first: unxz" },
	{ "BZh", 3, "a bzip2 file", "unpack it first: bunzip2" },
	{ "PK\x03\x04", 4, "a zip file", "unpack it first: unzip" },
	{ "PAR1", 4, "a Parquet file", "export it as NDJSON or CSV" },
	{ "SQLite format 3", 15, "an SQLite database", "name it as an SQL source" },
	{ "%PDF", 4, "a PDF file", "export the data as NDJSON or CSV" },
	{ "\xff\xfe", 2, "UTF-16 text", "convert it to UTF-8" },
	{ "\xfe\xff", 2, "UTF-16 text", "convert it to UTF-8" },
	{ "<", 1, "XML or HTML", "export the data as NDJSON or CSV" },
};

static ag_status refuse_magic(const ag_input *in, const known_magic *m, const char *p, size_t n,
                              ag_err *err)
{
	if (n < m->n || memcmp(p, m->bytes, m->n) != 0)
		return AG_OK;
	ag_fail(err, AG_INVALID, "columns.detect", "%s looks like %s", in->path, m->what);
	return ag_err_hint(err, "%s", m->hint);
}

static ag_status refuse_magics(const ag_input *in, const char *p, size_t n, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < AG_NELEM(magics); i++)
		st = refuse_magic(in, &magics[i], p, n, err);
	return st;
}

/* A magic that could be the start of a header line ("PAR1,PAR2") decides nothing against a file's name. */
static bool is_readable(const known_magic *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->bytes[i] < ' ' || m->bytes[i] > '~')
			return false;
	return true;
}

ag_status ag_input_refuse(const ag_input *in, ag_format format, ag_err *err)
{
	char p[16];
	size_t n = in->size < sizeof(p) ? (size_t)in->size : sizeof(p);
	ag_status st;

	if (format == AG_FORMAT_BSON)
		return AG_OK;
	st = ag_input_read(in, 0, p, n, err);
	if (st)
		return st;
	for (size_t i = 0; !st && i < AG_NELEM(magics); i++)
		st = is_readable(&magics[i]) ? AG_OK : refuse_magic(in, &magics[i], p, n, err);
	if (st || n < 2 || (p[0] && p[1]) || format == AG_FORMAT_NDJSON)
		return st;
	ag_fail(err, AG_INVALID, "columns.detect", "%s looks like UTF-16 text or binary data",
	        in->path);
	return ag_err_hint(err, "convert it to UTF-8");
}

static bool is_complete_object(const char *p, size_t n)
{
	ag_json_split split = { .in_array = false };
	ag_split_item item;

	if (n == 0 || p[0] != '{' ||
	    ag_json_split_next(&split, p, n, true, 0, &item) != AG_SPLIT_ITEM || item.why)
		return false;
	return ag_json_split_next(&split, p, n, true, item.next, &item) == AG_SPLIT_END;
}

/* More than one document on a line that may go on after p[n). */
static bool starts_two_items(const char *p, size_t n)
{
	ag_json_split split = { .in_array = false };
	ag_split_item item;

	return ag_json_split_next(&split, p, n, false, 0, &item) == AG_SPLIT_ITEM && !item.why &&
	       ag_json_split_next(&split, p, n, false, item.next, &item) != AG_SPLIT_SKIP;
}

/* One document a line? The first line decides; the second when the first may be the broken one. */
static bool is_ndjson(const char *p, size_t n, bool whole)
{
	for (int i = 0; i < 2; i++) {
		const char *nl = n ? (const char *)memchr(p, '\n', n) : NULL;
		size_t line = nl ? (size_t)(nl - p) : n;

		if (!nl && !whole)
			return i == 0 && !starts_two_items(p, line); /* a very long first line */
		if (is_complete_object(p, line))
			return true;
		if (!nl)
			return false;
		p += line + 1;
		n -= line + 1;
	}
	return false;
}

static bool is_bson(const ag_input *in, const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	uint32_t len;

	if (n < 5)
		return false;
	len = (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
	if (len < 5 || len > in->size || len > AG_TABLE_MAX_DOC_BYTES)
		return false;
	return (len > n || p[len - 1] == 0) &&
	       (len == 5 || (u[4] >= 1 && u[4] <= 19) || u[4] == 0x7f || u[4] == 0xff);
}

/* A header of two columns or more, and a second record with as many cells. */
static bool has_even_columns(const ag_input *in, const char *p, size_t n)
{
	ag_arena *arena = ag_arena_new();
	ag_csv_head head = { 0 };
	uint32_t ncell = 0;
	ag_str cell;
	bool quoted, doubled, ok;

	ok = !ag_csv_head_read(in->path, p, n, 0, arena, &head, NULL) && head.ncol > 1;
	for (size_t at = head.bytes; ok && at < n; at++) {
		ok = ag_csv_cell(p, n, head.sep, &at, &cell, &quoted, &doubled);
		ncell++;
		if (at >= n || p[at] == '\n')
			break;
	}
	ag_arena_free(arena);
	return ok && (ncell == head.ncol || ncell == 0);
}

static ag_status by_content(const ag_input *in, const char *p, size_t n, ag_format *ret,
                            ag_err *err)
{
	bool whole = n == in->size;
	ag_status st;
	size_t i = 0;

	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r' || p[i] == '\n'))
		i++;
	*ret = AG_FORMAT_NDJSON;
	if (i == n && whole)
		return AG_OK;
	if (i < n && p[i] == '[') {
		*ret = AG_FORMAT_JSON;
		return AG_OK;
	}
	if (i < n && p[i] == '{') {
		*ret = is_ndjson(p + i, n - i, whole) ? AG_FORMAT_NDJSON : AG_FORMAT_JSON;
		return AG_OK;
	}
	st = refuse_magics(in, p, n, err);
	if (st)
		return st;
	if (is_bson(in, p, n)) {
		*ret = AG_FORMAT_BSON;
		return AG_OK;
	}
	if (n && memchr(p, 0, n))
		return ag_fail(err, AG_INVALID, "columns.detect", "%s looks like binary data",
		               in->path);
	if (in->is_stdin && has_even_columns(in, p, n)) {
		*ret = AG_FORMAT_CSV;
		return AG_OK;
	}
	ag_fail(err, AG_INVALID, "columns.detect",
	        "%s looks like text that is neither JSON nor, by its name, CSV", in->path);
	return ag_err_hint(err, in->is_stdin
	                                ? "if it is CSV with one column, write it to a .csv file"
	                                : "if it is CSV or TSV, rename it to .csv or .tsv");
}

static bool has_ending(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);

	return n >= m && ag_str_ieq(ag_str_make(path + n - m, m), ag_str_c(ending));
}

ag_status ag_input_detect(const ag_input *in, ag_format *ret, ag_err *err)
{
	size_t n = in->size < PROBE_BYTES ? (size_t)in->size : PROBE_BYTES;
	ag_status st;
	char *p;

	p = (char *)ag_xmalloc(n + 1);
	st = ag_input_read(in, 0, p, n, err);
	for (size_t i = 0; !st && i < AG_NELEM(endings); i++) {
		if (!has_ending(in->path, endings[i].ending))
			continue;
		*ret = endings[i].format;
		free(p);
		return ag_input_refuse(in, *ret, err);
	}
	if (!st)
		st = by_content(in, p, n, ret, err);
	free(p);
	return st;
}
