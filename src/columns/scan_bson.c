/* scan_bson -- BSON documents into the builder, every length checked against the bytes that are there.
 *
 * Source: bsonspec.org, version 1.1. A reader never steps over `end`, which only shrinks on the way down, so
 * a wrong length inside a document can harm nothing but that document. */
#include "columns/scan.h"
#include "columns/split.h"
#include "query/bson.h"

typedef struct reader {
	ag_scan *s;
	ag_bson_reader b; /* one document; its arena is s->scratch */
} reader;

static bool build_object(reader *r, ag_bcol *c, uint32_t up, unsigned depth);

static bool build_array(reader *r, ag_bcol *c, uint32_t up, unsigned depth);

static bool build_value(reader *r, unsigned type, ag_bcol *c, uint32_t up, unsigned depth)
{
	ag_builder *b = &r->s->b;
	ag_val v = { 0 };

	if (type == AG_T_OBJECT)
		return build_object(r, c, up, depth);
	if (type == AG_T_ARRAY)
		return build_array(r, c, up, depth);
	if (!ag_bson_scalar(&r->b, type, depth, &v))
		return false;
	ag_build_row(b, c, up, type, ag_build_bits(b, &v, r->s->scratch));
	return true;
}

static bool build_array(reader *r, ag_bcol *c, uint32_t up, unsigned depth)
{
	ag_builder *b = &r->s->b;
	uint32_t row, n = 0;
	size_t outer_end;
	unsigned type;
	ag_str name;

	if (depth > AG_BSON_MAX_DEPTH)
		return ag_bson_wrong(&r->b, "nested deeper than 200 levels");
	if (!ag_bson_enter(&r->b, &outer_end))
		return false;
	row = ag_build_row(b, c, up, AG_T_ARRAY, 0);
	for (; ag_bson_next(&r->b, &type, &name); n++) {
		if (!build_value(r, type, ag_build_elem(b, c), row, depth + 1))
			return false;
	}
	ag_build_array_end(c, row, n);
	return !r->b.why && ag_bson_leave(&r->b, outer_end);
}

static bool build_object(reader *r, ag_bcol *c, uint32_t up, unsigned depth)
{
	ag_builder *b = &r->s->b;
	ag_build_obj *o = ag_new(r->s->scratch,
	                         ag_build_obj); /* outlives a failure in the middle */
	size_t outer_end;
	unsigned type;
	ag_str name;

	if (depth > AG_BSON_MAX_DEPTH)
		return ag_bson_wrong(&r->b, "nested deeper than 200 levels");
	if (!ag_bson_enter(&r->b, &outer_end))
		return false;
	ag_build_object(b, o, c, up);
	while (ag_bson_next(&r->b, &type, &name)) {
		ag_bcol *k = ag_build_key(b, o, name.ptr, name.len);

		if (!k) { /* a name that was there before: read it, for its end, and drop it */
			k = b->sink;
			k->c.n = 0;
		}
		if (!build_value(r, type, k, o->row, depth + 1))
			return false;
	}
	if (r->b.why || !ag_bson_leave(&r->b, outer_end))
		return false;
	ag_build_object_end(b, o);
	return true;
}

static void scan_document(ag_scan *s, const ag_split_item *item, uint32_t number)
{
	reader r = { .s = s,
		     .b = { .arena = s->scratch, .p = (const unsigned char *)s->p + item->at } };
	const char *why = NULL;

	if (item->why) {
		ag_scan_issue_add(s, number, item->at, "%s", item->why);
		return;
	}
	r.b.end = item->end - item->at;
	ag_arena_reset(s->scratch);
	ag_build_doc(&s->b, s->at + item->at, number);
	if (!build_object(&r, s->b.root, s->b.chunk->ndoc, 1)) {
		ag_build_doc_drop(&s->b);
		ag_scan_issue_add(s, number, item->at, "%s, at byte %zu of the document", r.b.why,
		                  r.b.at);
	} else if (!ag_build_doc_end(&s->b, &why)) {
		ag_scan_issue_add(s, number, item->at, "%s", why);
	}
}

void ag_scan_bson(ag_scan *s)
{
	ag_split_item item;
	uint32_t number = 0;
	size_t at = 0;

	while (ag_scan_goes_on(s) && ag_bson_split_next(s->p, s->len, true, at, s->max_doc_bytes,
	                                                &item) == AG_SPLIT_ITEM) {
		scan_document(s, &item, number++);
		if (item.next == SIZE_MAX)
			break;
		at = item.next;
	}
	s->nline = number;
}

ag_split_result ag_bson_split_next(const char *p, size_t len, bool eof, size_t at,
                                   size_t max_doc_bytes, ag_split_item *ret)
{
	const unsigned char *u = (const unsigned char *)p + at;
	size_t left = len - at;
	uint32_t n;

	*ret = (ag_split_item){ .at = at, .end = len, .next = at };
	if (left == 0)
		return eof ? AG_SPLIT_END : AG_SPLIT_SKIP;
	if (left < 4 && !eof)
		return AG_SPLIT_MORE;
	ret->next = SIZE_MAX;
	if (left < AG_BSON_MIN_DOC && eof) {
		ret->why = "the last document is cut off";
		return AG_SPLIT_ITEM;
	}
	n = (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
	if (n < AG_BSON_MIN_DOC || n > max_doc_bytes) {
		ret->why = "no document can have this length; the rest of the file is left out";
		return AG_SPLIT_ITEM;
	}
	if (n > left) {
		ret->next = at;
		if (!eof)
			return AG_SPLIT_MORE;
		ret->next = SIZE_MAX;
		ret->why = "the last document is cut off";
		return AG_SPLIT_ITEM;
	}
	ret->end = ret->next = at + n;
	return AG_SPLIT_ITEM;
}
