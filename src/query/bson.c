/* bson -- see the header. */
#include "query/bson.h"

#include <stdio.h>

#include "base/utf8.h"

bool ag_bson_wrong(ag_bson_reader *r, const char *why)
{
	r->why = why;
	return false;
}

static bool take(ag_bson_reader *r, size_t n, const unsigned char **ret)
{
	if (n > r->end - r->at) {
		ag_bson_wrong(r, "a value goes beyond the end of its document");
		return false; /* a constant: the compiler sees that callers use *ret only when it is set */
	}
	*ret = r->p + r->at;
	r->at += n;
	return true;
}

static bool take_u32(ag_bson_reader *r, uint32_t *ret)
{
	const unsigned char *p;

	if (!take(r, 4, &p))
		return false;
	*ret = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	return true;
}

static bool take_u64(ag_bson_reader *r, uint64_t *ret)
{
	uint32_t lo, hi;

	if (!take_u32(r, &lo) || !take_u32(r, &hi))
		return false;
	*ret = (uint64_t)hi << 32 | lo;
	return true;
}

static bool take_cstring(ag_bson_reader *r, ag_str *ret)
{
	const unsigned char *from = r->p + r->at;
	const unsigned char *nul = (const unsigned char *)memchr(from, 0, r->end - r->at);

	if (!nul)
		return ag_bson_wrong(r, "a name is not closed");
	*ret = ag_str_make((const char *)from, (size_t)(nul - from));
	r->at += ret->len + 1;
	return ag_utf8_valid(*ret) || ag_bson_wrong(r, "a name is not UTF-8");
}

static bool take_string(ag_bson_reader *r, ag_str *ret)
{
	const unsigned char *p;
	uint32_t n;

	if (!take_u32(r, &n))
		return false;
	if (n == 0)
		return ag_bson_wrong(r, "a string has a wrong length");
	if (!take(r, n, &p))
		return false;
	if (p[n - 1] != 0)
		return ag_bson_wrong(r, "a string is not closed");
	*ret = ag_str_make((const char *)p, n - 1);
	return ag_utf8_valid(*ret) || ag_bson_wrong(r, "a string is not UTF-8");
}

bool ag_bson_enter(ag_bson_reader *r, size_t *ret_end)
{
	size_t from = r->at;
	uint32_t n;

	if (!take_u32(r, &n))
		return false;
	if (n < AG_BSON_MIN_DOC || n > r->end - from || r->p[from + n - 1] != 0)
		return ag_bson_wrong(r, "an inner document has a wrong length");
	*ret_end = r->end;
	r->end = from + n - 1; /* the terminator is no element */
	return true;
}

bool ag_bson_leave(ag_bson_reader *r, size_t outer_end)
{
	if (r->at != r->end)
		return ag_bson_wrong(r, "an inner document ends too early");
	r->at++;
	r->end = outer_end;
	return true;
}

static bool take_text(ag_bson_reader *r, ag_val *ret)
{
	ag_str s;

	if (!take_string(r, &s))
		return false;
	ret->u.s = s.ptr;
	ret->n = (uint32_t)s.len;
	return true;
}

static bool take_binary(ag_bson_reader *r, ag_val *ret)
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
			return ag_bson_wrong(r, "a binary value has a wrong length");
		n = inner;
	}
	if (!take(r, n, &p))
		return false;
	ret->u.s = (const char *)p;
	ret->n = n;
	return true;
}

static bool take_oid(ag_bson_reader *r, ag_val *ret)
{
	const unsigned char *p;

	if (!take(r, sizeof(ret->u.oid), &p))
		return false;
	memcpy(ret->u.oid, p, sizeof(ret->u.oid));
	return true;
}

static bool take_regex(ag_bson_reader *r, ag_val *ret)
{
	ag_str pattern, opts;

	if (!take_cstring(r, &pattern) || !take_cstring(r, &opts))
		return false;
	ret->u.regex.s = pattern.ptr;
	ret->u.regex.opts = opts.ptr;
	ret->n = (uint32_t)pattern.len;
	return true;
}

static bool take_bool(ag_bson_reader *r, ag_val *ret)
{
	const unsigned char *p;

	if (!take(r, 1, &p))
		return false;
	ret->u.b = *p == 1;
	return *p <= 1 || ag_bson_wrong(r, "a bool is neither 0 nor 1");
}

/* CODE_W_SCOPE: total length, code, scope. DBPOINTER: namespace, id. */
static bool take_pair(ag_bson_reader *r, unsigned depth, ag_val *ret)
{
	ag_val *extra = ag_new(r->arena, ag_val);
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
	if (!ag_bson_value(r, AG_T_OBJECT, depth + 1, extra))
		return false;
	return r->at - from == n || ag_bson_wrong(r, "a code with scope has a wrong length");
}

bool ag_bson_scalar(ag_bson_reader *r, unsigned type, unsigned depth, ag_val *ret)
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
	default: return ag_bson_wrong(r, "an unknown type of value");
	}
}

bool ag_bson_next(ag_bson_reader *r, unsigned *ret_type, ag_str *ret_name)
{
	unsigned code;

	if (r->why || r->at >= r->end)
		return false;
	code = r->p[r->at++];
	*ret_type = code == 0xff ? AG_T_MINKEY : code == 0x7f ? AG_T_MAXKEY : code;
	if (code == 0 || (code > AG_T_DECIMAL && code != 0xff && code != 0x7f))
		return ag_bson_wrong(r, "an unknown type of value");
	return take_cstring(r, ret_name);
}

bool ag_bson_value(ag_bson_reader *r, unsigned type, unsigned depth, ag_val *ret)
{
	ag_member *m = NULL;
	size_t outer_end, n = 0, cap = 0;
	unsigned kid;
	ag_str name;

	memset(ret, 0, sizeof(*ret));
	if (type != AG_T_OBJECT && type != AG_T_ARRAY)
		return ag_bson_scalar(r, type, depth, ret);
	if (depth > AG_BSON_MAX_DEPTH)
		return ag_bson_wrong(r, "nested deeper than 200 levels");
	if (!ag_bson_enter(r, &outer_end))
		return false;
	while (ag_bson_next(r, &kid, &name)) {
		if (n == cap) {
			ag_member *more = ag_new_n(r->arena, ag_member, cap * 2 + 8);

			if (n)
				memcpy(more, m, n * sizeof(*m));
			m = more;
			cap = cap * 2 + 8;
		}
		m[n].key = name;
		if (!ag_bson_value(r, kid, depth + 1, &m[n].val))
			return false;
		n++;
	}
	if (r->why || !ag_bson_leave(r, outer_end))
		return false;
	if (type == AG_T_OBJECT) {
		*ret = ag_val_object(m, n);
	} else {
		ag_val *items = ag_new_n(r->arena, ag_val, n);

		for (size_t i = 0; i < n; i++)
			items[i] = m[i].val;
		*ret = ag_val_array(items, n);
	}
	return true;
}

ag_status ag_bson_read(ag_str bytes, ag_arena *arena, ag_val *ret, ag_err *err)
{
	ag_bson_reader r = { .arena = arena,
		             .p = (const unsigned char *)bytes.ptr,
		             .end = bytes.len };

	if (ag_bson_value(&r, AG_T_OBJECT, 1, ret) && r.at == bytes.len)
		return AG_OK;
	return ag_fail(err, AG_INVALID, "query.bson", "not a BSON document: %s, at byte %zu",
	               r.why ? r.why : "bytes follow its end", r.at);
}

/* --- writing ------------------------------------------------------------------------------------- */

static void put_le(ag_buf *b, uint64_t v, unsigned nbyte)
{
	for (unsigned i = 0; i < nbyte; i++)
		ag_buf_addc(b, (char)(v >> (8 * i)));
}

static void patch_u32(ag_buf *b, size_t at, size_t v)
{
	for (unsigned i = 0; i < 4 && !b->failed; i++)
		b->ptr[at + i] = (char)(v >> (8 * i));
}

static bool put_cstring(ag_buf *b, ag_str s)
{
	if (s.len && memchr(s.ptr, 0, s.len))
		return false;
	ag_buf_add(b, s);
	ag_buf_addc(b, '\0');
	return true;
}

static void put_text(ag_buf *b, ag_str s)
{
	put_le(b, (uint64_t)s.len + 1, 4);
	ag_buf_add(b, s);
	ag_buf_addc(b, '\0');
}

static void put_binary(ag_buf *b, const ag_val *v)
{
	const bool is_old = v->subtype == 2; /* repeats the length */

	put_le(b, (uint64_t)v->n + (is_old ? 4 : 0), 4);
	ag_buf_addc(b, (char)v->subtype);
	if (is_old)
		put_le(b, v->n, 4);
	ag_buf_add(b, ag_val_text(v));
}

static bool put_doc(ag_buf *b, const ag_val *doc, unsigned depth);

static bool put_pair(ag_buf *b, const ag_val *v, unsigned depth)
{
	const size_t at = b->len;
	const ag_str text = ag_str_make(v->u.pair.s, v->n);

	if (v->type == AG_T_DBPOINTER) {
		put_text(b, text);
		ag_buf_add(b, ag_str_make((const char *)v->u.pair.extra->u.oid, 12));
		return true;
	}
	put_le(b, 0, 4);
	put_text(b, text);
	if (!put_doc(b, v->u.pair.extra, depth + 1))
		return false;
	patch_u32(b, at, b->len - at);
	return true;
}

static bool put_value(ag_buf *b, const ag_val *v, unsigned depth)
{
	uint64_t bits;

	switch (v->type) {
	case AG_T_DOUBLE:
		memcpy(&bits, &v->u.f, sizeof(bits));
		put_le(b, bits, 8);
		return true;
	case AG_T_STRING:
	case AG_T_CODE:
	case AG_T_SYMBOL: put_text(b, ag_val_text(v)); return true;
	case AG_T_OBJECT:
	case AG_T_ARRAY: return put_doc(b, v, depth + 1);
	case AG_T_BINARY: put_binary(b, v); return true;
	case AG_T_OID: ag_buf_add(b, ag_str_make((const char *)v->u.oid, 12)); return true;
	case AG_T_BOOL: ag_buf_addc(b, v->u.b); return true;
	case AG_T_INT32: put_le(b, (uint64_t)v->u.i, 4); return true;
	case AG_T_DATE:
	case AG_T_TIMESTAMP:
	case AG_T_INT64: put_le(b, (uint64_t)v->u.i, 8); return true;
	case AG_T_REGEX:
		return put_cstring(b, ag_str_make(v->u.regex.s, v->n)) &&
		       put_cstring(b, ag_str_c(v->u.regex.opts));
	case AG_T_DBPOINTER:
	case AG_T_CODE_W_SCOPE: return put_pair(b, v, depth);
	case AG_T_DECIMAL:
		put_le(b, v->u.dec.lo, 8);
		put_le(b, v->u.dec.hi, 8);
		return true;
	case AG_T_UNDEFINED:
	case AG_T_NULL:
	case AG_T_MINKEY:
	case AG_T_MAXKEY: return true;
	default: return false;
	}
}

static bool put_element(ag_buf *b, ag_str name, const ag_val *v, unsigned depth)
{
	ag_buf_addc(b, (char)ag_type_to_bson(v->type));
	return put_cstring(b, name) && put_value(b, v, depth);
}

static bool put_doc(ag_buf *b, const ag_val *doc, unsigned depth)
{
	const size_t at = b->len;
	char index[16];

	if (depth > AG_BSON_MAX_DEPTH)
		return false;
	put_le(b, 0, 4);
	for (uint32_t i = 0; i < doc->n; i++) {
		const bool is_object = doc->type == AG_T_OBJECT;
		const int len = is_object ? 0 : snprintf(index, sizeof(index), "%u", i);

		if (!put_element(
			    b, is_object ? doc->u.members[i].key : ag_str_make(index, (size_t)len),
			    is_object ? &doc->u.members[i].val : &doc->u.items[i], depth))
			return false;
	}
	ag_buf_addc(b, '\0');
	patch_u32(b, at, b->len - at);
	return true;
}

bool ag_bson_write(ag_buf *out, const ag_val *doc)
{
	return (doc->type == AG_T_OBJECT || doc->type == AG_T_ARRAY) && put_doc(out, doc, 1);
}
