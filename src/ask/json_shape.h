/* json_shape -- how long the arrays of a JSON text are, while the text streams by in pieces of any size.
 *
 * Nothing is kept of the text, so an answer of many megabytes costs no memory; and it is read strictly (RFC 8259), so that
 * a number that is told of it is true. Counted are the elements of an array that is the whole text, or of the arrays
 * that are members of the object that is the whole text. Private to ask/. */
#ifndef AG_ASK_JSON_SHAPE_H
#define AG_ASK_JSON_SHAPE_H

#include "base/str.h"

#define AG_JSON_SHAPE_MAX_DEPTH 512
#define AG_JSON_SHAPE_ARRAYS    8 /* members that are counted; the first ones */
#define AG_JSON_SHAPE_MAX_KEY   64

typedef struct ag_json_array {
	char key[AG_JSON_SHAPE_MAX_KEY]; /* as it is written, with its escapes, without quotes */
	size_t nkey;
	uint64_t n;    /* whole elements so far */
	bool is_whole; /* its end was seen */
} ag_json_array;

typedef struct ag_json_shape {
	char root;      /* '[', '{', or 0 for anything else */
	bool is_broken; /* no JSON, or nested too deep: nothing below is true */
	bool is_done;   /* one whole value was seen */
	uint64_t n;     /* whole elements of the root, if that is an array */
	size_t good_end; /* where the last element (or member of a root object) ends that is whole within `keep` bytes */
	ag_json_array arrays[AG_JSON_SHAPE_ARRAYS];
	size_t narray;

	/* private */
	size_t keep, at, value_end;
	unsigned depth;
	uint8_t is_array[AG_JSON_SHAPE_MAX_DEPTH / 8];
	uint8_t state, after_string, number, nhex;
	const char *word; /* what is left of true, false, null */
	ag_json_array *current;
	bool is_root_key, is_key_long;
	char key[AG_JSON_SHAPE_MAX_KEY];
	size_t nkey;
} ag_json_shape;

void ag_json_shape_init(ag_json_shape *s, size_t keep);
void ag_json_shape_feed(ag_json_shape *s, ag_str piece);
/* Nothing more comes. True when what came is exactly one JSON value. */
bool ag_json_shape_end(ag_json_shape *s);

#endif
