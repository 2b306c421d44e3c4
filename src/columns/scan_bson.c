/* scan_bson -- BSON documents into the builder, every length checked against the bytes that are there.
 *
 * Source: bsonspec.org, version 1.1. A reader never steps over `end`, which only shrinks on the way down, so
 * a wrong length inside a document can harm nothing but that document. */
#include "base/utf8.h"
#include "columns/scan.h"
#include "columns/split.h"

#define MIN_DOC 5 /* length and terminator */

typedef struct reader {
	ag_scan *s;
	const unsigned char *p; /* the document */
	size_t at, end;
	const char *why; /* set once something is wrong */
} reader;

/* Ends the reading of this document: every caller returns at once. */
static bool wrong(reader *r, const char *why)
{
	r->why = why;
	return false;
}

static bool take(reader *r, size_t n, const unsigned char **ret)
{
	if (n > r->end - r->at)
		return wrong(r, "a value goes beyond the end of its document");
	*ret = r->p + r->at;
	r->at += n;
	return true;
}

static bool take_u32(reader *r, uint32_t *ret)
{
	const unsigned char *p;

	if (!take(r, 4, &p))
		return false;
	*ret = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	return true;
}

static bool take_u64(reader *r, uint64_t *ret)
{
	uint32_t lo, hi;

	if (!take_u32(r, &lo) || !take_u32(r, &hi))
		return false;
	*ret = (uint64_t)hi << 32 | lo;
	return true;
}

static bool take_cstring(reader *r, ag_str *ret)
{
	const unsigned char *from = r->p + r->at;
	const unsigned char *nul = (const unsigned char *)memchr(from, 0, r->end - r->at);

	if (!nul)
		return wrong(r, "a name is not closed");
	*ret = ag_str_make((const char *)from, (size_t)(nul - from));
	r->at += ret->len + 1;
	return ag_utf8_valid(*ret) || wrong(r, "a name is not UTF-8");
}

static bool take_string(reader *r, ag_str *ret)
{
	const unsigned char *p;
	uint32_t n;

	if (!take_u32(r, &n))
		return false;
	if (n == 0)
		return wrong(r, "a string has a wrong length");
	if (!take(r, n, &p))
		return false;
	if (p[n - 1] != 0)
		return wrong(r, "a string is not closed");
	*ret = ag_str_make((const char *)p, n - 1);
	return ag_utf8_valid(*ret) || wrong(r, "a string is not UTF-8");
}

/* Step into a document: its length, and *ret_end the outer end to go back to. */
static bool enter(reader *r, size_t *ret_end)
{
	size_t from = r->at;
	uint32_t n;

	if (!take_u32(r, &n))
		return false;
	if (n < MIN_DOC || n > r->end - from || r->p[from + n - 1] != 0)
		return wrong(r, "an inner document has a wrong length");
	*ret_end = r->end;
	r->end = from + n - 1; /* the terminator is no element */
	return true;
}

static bool leave(reader *r, size_t outer_end)
{
	if (r->at != r->end)
		return wrong(r, "an inner document ends too early");
	r->at++;
	r->end = outer_end;
	return true;
}

static bool take_text(reader *r, ag_val *ret)
{
	ag_str s;

	if (!take_string(r, &s))
		return false;
	ret->u.s = s.ptr;
	ret->n = (uint32_t)s.len;
	return true;
}

static bool take_binary(reader *r, ag_val *ret)
{
	const unsigned char *p;
	uint32_t n, inner;

	if (!take_u32(r, &n) || !take(r, 1, &p))
		return false;
	ret->subtype = *p;
	if (*p == 2) { /* the old form repeats the length */
		if (!take_u32(r, &inner))
			return false;
		if (n < 4 || inner != n - 4)
			return wrong(r, "a binary value has a wrong length");
		n = inner;
	}
	if (!take(r, n, &p))
		return false;
	ret->u.s = (const char *)p;
	ret->n = n;
	return true;
}

static bool take_oid(reader *r, ag_val *ret)
{
	const unsigned char *p;

	if (!take(r, sizeof(ret->u.oid), &p))
		return false;
	memcpy(ret->u.oid, p, sizeof(ret->u.oid));
	return true;
}

static bool take_regex(reader *r, ag_val *ret)
{
	ag_str pattern, opts;

	if (!take_cstring(r, &pattern) || !take_cstring(r, &opts))
		return false;
	ret->u.regex.s = pattern.ptr;
	ret->u.regex.opts = opts.ptr;
	ret->n = (uint32_t)pattern.len;
	return true;
}

static bool take_bool(reader *r, ag_val *ret)
{
	const unsigned char *p;

	if (!take(r, 1, &p))
		return false;
	ret->u.b = *p == 1;
	return *p <= 1 || wrong(r, "a bool is neither 0 nor 1");
}

static bool take_val(reader *r, unsigned type, unsigned depth, ag_val *ret);

/* CODE_W_SCOPE: total length, code, scope. DBPOINTER: namespace, id. */
static bool take_pair(reader *r, unsigned depth, ag_val *ret)
{
	ag_val *extra = ag_new(r->s->scratch, ag_val);
	size_t from = r->at;
	uint32_t n = 0;
	ag_str s;

	if (ret->type == AG_T_CODE_W_SCOPE && !take_u32(r, &n))
		return false;
	if (!take_string(r, &s))
		return false;
	ret->u.pair.s = s.ptr;
	ret->u.pair.extra = extra;
	ret->n = (uint32_t)s.len;
	if (ret->type == AG_T_DBPOINTER) {
		extra->type = AG_T_OID;
		return take_oid(r, extra);
	}
	if (!take_val(r, AG_T_OBJECT, depth + 1, extra))
		return false;
	return r->at - from == n || wrong(r, "a code with scope has a wrong length");
}

/* Everything but objects and arrays. */
static bool take_scalar(reader *r, unsigned type, unsigned depth, ag_val *ret)
{
	uint64_t u = 0;
	uint32_t u32;
	bool ok;

	ret->type = (uint8_t)type;
	switch (type) {
	case AG_T_DOUBLE:
		ok = take_u64(r, &u);
		memcpy(&ret->u.f, &u, sizeof(u));
		return ok;
	case AG_T_INT64:
	case AG_T_DATE:
	case AG_T_TIMESTAMP:
		ok = take_u64(r, &u);
		ret->u.i = (int64_t)u;
		return ok;
	case AG_T_INT32:
		ok = take_u32(r, &u32);
		if (ok)
			ret->u.i = (int32_t)u32;
		return ok;
	case AG_T_STRING:
	case AG_T_CODE:
	case AG_T_SYMBOL: return take_text(r, ret);
	case AG_T_BINARY: return take_binary(r, ret);
	case AG_T_OID: return take_oid(r, ret);
	case AG_T_BOOL: return take_bool(r, ret);
	case AG_T_REGEX: return take_regex(r, ret);
	case AG_T_DBPOINTER:
	case AG_T_CODE_W_SCOPE: return take_pair(r, depth, ret);
	case AG_T_DECIMAL: return take_u64(r, &ret->u.dec.lo) && take_u64(r, &ret->u.dec.hi);
	case AG_T_UNDEFINED:
	case AG_T_NULL:
	case AG_T_MINKEY:
	case AG_T_MAXKEY: return true;
	default: return wrong(r, "an unknown type of value");
	}
}

/* The next element's type and name; false at the end of the document or when it is wrong. */
static bool next_element(reader *r, unsigned *ret_type, ag_str *ret_name)
{
	unsigned code;

	if (r->why || r->at >= r->end)
		return false;
	code = r->p[r->at++];
	*ret_type = code == 0xff ? AG_T_MINKEY : code == 0x7f ? AG_T_MAXKEY : code;
	if (code == 0 || (code > AG_T_DECIMAL && code != 0xff && code != 0x7f))
		return wrong(r, "an unknown type of value");
	return take_cstring(r, ret_name);
}

/* Any value as a tree: only for the scopes of code. */
static bool take_val(reader *r, unsigned type, unsigned depth, ag_val *ret)
{
	ag_member *m = NULL;
	size_t outer_end, n = 0, cap = 0;
	unsigned kid;
	ag_str name;

	memset(ret, 0, sizeof(*ret));
	if (type != AG_T_OBJECT && type != AG_T_ARRAY)
		return take_scalar(r, type, depth, ret);
	if (depth > AG_COL_MAX_DEPTH)
		return wrong(r, "nested deeper than 200 levels");
	if (!enter(r, &outer_end))
		return false;
	while (next_element(r, &kid, &name)) {
		if (n == cap) {
			ag_member *more = ag_new_n(r->s->scratch, ag_member, cap * 2 + 8);

			if (n)
				memcpy(more, m, n * sizeof(*m));
			m = more;
			cap = cap * 2 + 8;
		}
		m[n].key = name;
		if (!take_val(r, kid, depth + 1, &m[n].val))
			return false;
		n++;
	}
	if (r->why || !leave(r, outer_end))
		return false;
	if (type == AG_T_OBJECT) {
		*ret = ag_val_object(m, n);
	} else {
		ag_val *items = ag_new_n(r->s->scratch, ag_val, n);

		for (size_t i = 0; i < n; i++)
			items[i] = m[i].val;
		*ret = ag_val_array(items, n);
	}
	return true;
}

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
	if (!take_scalar(r, type, depth, &v))
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

	if (depth > AG_COL_MAX_DEPTH)
		return wrong(r, "nested deeper than 200 levels");
	if (!enter(r, &outer_end))
		return false;
	row = ag_build_row(b, c, up, AG_T_ARRAY, 0);
	for (; next_element(r, &type, &name); n++) {
		if (!build_value(r, type, ag_build_elem(b, c), row, depth + 1))
			return false;
	}
	ag_build_array_end(c, row, n);
	return !r->why && leave(r, outer_end);
}

static bool build_object(reader *r, ag_bcol *c, uint32_t up, unsigned depth)
{
	ag_builder *b = &r->s->b;
	ag_build_obj *o = ag_new(r->s->scratch,
	                         ag_build_obj); /* outlives a failure in the middle */
	size_t outer_end;
	unsigned type;
	ag_str name;

	if (depth > AG_COL_MAX_DEPTH)
		return wrong(r, "nested deeper than 200 levels");
	if (!enter(r, &outer_end))
		return false;
	ag_build_object(b, o, c, up);
	while (next_element(r, &type, &name)) {
		ag_bcol *k = ag_build_key(b, o, name.ptr, name.len);

		if (!k) { /* a name that was there before: read it, for its end, and drop it */
			k = b->sink;
			k->c.n = 0;
		}
		if (!build_value(r, type, k, o->row, depth + 1))
			return false;
	}
	if (r->why || !leave(r, outer_end))
		return false;
	ag_build_object_end(b, o);
	return true;
}

static void scan_document(ag_scan *s, const ag_split_item *item, uint32_t number)
{
	reader r = { .s = s, .p = (const unsigned char *)s->p + item->at };
	const char *why = NULL;

	if (item->why) {
		ag_scan_issue_add(s, number, item->at, "%s", item->why);
		return;
	}
	r.end = item->end - item->at;
	ag_arena_reset(s->scratch);
	ag_build_doc(&s->b, s->at + item->at, number);
	if (!build_object(&r, s->b.root, s->b.chunk->ndoc, 1)) {
		ag_build_doc_drop(&s->b);
		ag_scan_issue_add(s, number, item->at, "%s, at byte %zu of the document", r.why,
		                  r.at);
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
	if (left < MIN_DOC && eof) {
		ret->why = "the last document is cut off";
		return AG_SPLIT_ITEM;
	}
	n = (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
	if (n < MIN_DOC || n > max_doc_bytes) {
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
