/* csv -- the header line of a CSV file, and the typed view of a cell. Internal to columns/. */
#ifndef AG_COLUMNS_CSV_H
#define AG_COLUMNS_CSV_H

#include "base/arena.h"
#include "base/err.h"
#include "query/value.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AG_CSV_MAX_COLS       10000
#define AG_CSV_MAX_HEAD_BYTES (1024u * 1024)
/* What a quoted cell without a view has for its view's value; a plain one has 0. */
#define AG_CSV_QUOTED 1u

typedef struct ag_csv_head {
	char sep;
	const ag_str *names;
	uint32_t ncol;
	uint32_t nrenamed; /* had no name, or that of a column before: "column_4", "total_7" */
	size_t bytes;      /* of the file up to the first record, a byte order mark included */
} ag_csv_head;

/* What to do about text in another encoding. */
#define AG_CSV_HINT_UTF8 "convert the file, for example: iconv -f WINDOWS-1252 -t UTF-8"

/* Read the header at the start of p. sep 0 = find it among , ; tab |
 * errors  AG_INVALID: a name that is not UTF-8 (with the number of the column), lines that end with CR only */
AG_CHECK ag_status ag_csv_head_read(const char *file, const char *p, size_t len, char sep,
                                    ag_arena *arena, ag_csv_head *ret, ag_err *err);

/* One cell at p[*at]; *at moves to the separator or newline behind it, or len. Quotes doubled inside a
 * quoted cell stay doubled in *ret; *ret_doubled says so. False: text behind a closing quote, or no closing
 * quote. */
bool ag_csv_cell(const char *p, size_t len, char sep, size_t *at, ag_str *ret, bool *ret_quoted,
                 bool *ret_doubled);

/* The typed view of a cell read as unquoted, by the rule in table.h; MISSING = it is text. */
ag_val ag_csv_view(ag_str cell);

#ifdef __cplusplus
}
#endif
#endif
