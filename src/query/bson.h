/* bson -- BSON documents to values and back (bsonspec.org, version 1.1).
 *
 * Reading checks every length against the bytes that are there: a reader never passes `end`, which only shrinks on the
 * way down, so a wrong length inside a document can harm nothing but that document. */
#ifndef AG_QUERY_BSON_H
#define AG_QUERY_BSON_H

#include "base/arena.h"
#include "base/err.h"
#include "query/value.h"

#define AG_BSON_MIN_DOC   5   /* bytes: length and terminator */
#define AG_BSON_MAX_DEPTH 200 /* levels; servers allow 100 in what they store */

/* A document under way. Texts are views into the bytes. */
typedef struct ag_bson_reader {
	ag_arena *arena; /* members, items and scopes of code */
	const unsigned char *p;
	size_t at, end;
	const char *why; /* what is wrong; once it is set every function returns false */
} ag_bson_reader;

/* Step into a document at `at`; *ret_end is the outer end, for ag_bson_leave(). */
bool ag_bson_enter(ag_bson_reader *r, size_t *ret_end);
bool ag_bson_leave(ag_bson_reader *r, size_t outer_end);
/* Type and name of the next element; false at the end of the document or when it is wrong. */
bool ag_bson_next(ag_bson_reader *r, unsigned *ret_type, ag_str *ret_name);
/* A value that is neither object nor array; then any value, as a tree. */
bool ag_bson_scalar(ag_bson_reader *r, unsigned type, unsigned depth, ag_val *ret);
bool ag_bson_value(ag_bson_reader *r, unsigned type, unsigned depth, ag_val *ret);
/* Ends the reading of this document; returns false. */
bool ag_bson_wrong(ag_bson_reader *r, const char *why);

/* Exactly one document. Texts are views into `bytes`.
 * errors  AG_INVALID with the reason and the offset */
AG_CHECK ag_status ag_bson_read(ag_str bytes, ag_arena *arena, ag_val *ret, ag_err *err);
/* Appends the object as a document; an array gets its indexes as names. False, and nothing useful in `out`, for a value
 * that BSON cannot hold (a name or a pattern with a NUL byte, AG_T_MISSING). A limit that is hit is b->failed. */
bool ag_bson_write(ag_buf *out, const ag_val *doc);

#endif
