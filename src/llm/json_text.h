/* json_text -- JSON in text that is not read as a tree: where an object ends, and the bytes of one member.
 *
 * The tree of query/extjson.h is exact about values but forgets how they were written; what a model wrote as a tool's
 * input must stay as it is, byte for byte. */
#ifndef AG_LLM_JSON_TEXT_H
#define AG_LLM_JSON_TEXT_H

#include "base/arena.h"
#include "base/str.h"

/* Follows the braces of one object that comes in pieces. Zeroed = at the start. */
typedef struct ag_json_scan {
	unsigned depth;
	bool in_string, escaped;
	bool started; /* something but white space came */
	bool other;   /* and it is no object */
	bool done;    /* the last brace was closed */
} ag_json_scan;

/* Returns how many bytes belong to the object; less than text.len only when it ended in this piece. */
size_t ag_json_scan_feed(ag_json_scan *s, ag_str text);

/* The bytes of a member's value, without white space around. The text must be valid JSON (somebody has
 * parsed it). "" = there is none, or the key is written with escapes. */
ag_str ag_json_raw_member(ag_str object, const char *key);
/* Item by item, each in its turn: *pos is 0 before the first and then moved behind the item that is returned, so that
 * a list is walked once, however long it is. "" at the end. */
ag_str ag_json_raw_next(ag_str array, size_t *pos);

/* The members of a valid object one after another, the first for *pos = 0; false behind the last. The key has its quotes
 * and escapes, as it is written. */
bool ag_json_next_member(ag_str object, size_t *pos, ag_str *key, ag_str *value);

/* One whole JSON object that no server stumbles over: valid, UTF-8, without lone surrogates. */
bool ag_json_is_object(ag_str text, ag_arena *scratch);

#endif
