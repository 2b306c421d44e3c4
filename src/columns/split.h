/* split -- find the next document in bytes that cannot be cut at any newline. Internal to columns/.
 *
 * plan.c uses a splitter on a window of the file to cut it into blocks, and the scanner uses the same one
 * inside its block, so both see the same documents. */
#ifndef AG_COLUMNS_SPLIT_H
#define AG_COLUMNS_SPLIT_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ag_split_result {
	AG_SPLIT_ITEM, /* a document, or something broken */
	AG_SPLIT_SKIP, /* nothing up to next; go on there */
	AG_SPLIT_MORE, /* the item that starts at next does not end in these bytes: come back with more */
	AG_SPLIT_END /* nothing but white space up to the end */
} ag_split_result;

typedef struct ag_split_item {
	size_t at, end;  /* the document */
	size_t next;     /* where to go on */
	const char *why; /* it is broken, and why */
} ag_split_item;

/* Documents of JSON over any lines: one after another, or the items of arrays at top level. */
typedef struct ag_json_split {
	bool in_array;    /* between "[" and "]" of the file */
	bool lost;        /* after a broken document: looking for a line that starts one */
	bool past_indent; /* the line so far holds more than blanks */
	size_t indent; /* blanks at the start of the line; while lost: of the broken document's line */
	unsigned
		retries; /* how often bytes were read twice to save what follows a broken document */
} ag_json_split;

/* p[0 .. len) is what is in sight, eof that nothing follows it. */
ag_split_result ag_json_split_next(ag_json_split *s, const char *p, size_t len, bool eof, size_t at,
                                   ag_split_item *ret);

/* BSON documents one after another. A length that cannot be right ends the reading: next = SIZE_MAX. */
ag_split_result ag_bson_split_next(const char *p, size_t len, bool eof, size_t at,
                                   size_t max_doc_bytes, ag_split_item *ret);

/* Records of CSV; the newline does not belong to the item. A record that is broken is one line long. */
ag_split_result ag_csv_split_next(char sep, const char *p, size_t len, bool eof, size_t at,
                                  ag_split_item *ret);

/* Newlines in p[0 .. n). */
uint64_t ag_split_count_lines(const char *p, size_t n);

#ifdef __cplusplus
}
#endif
#endif
