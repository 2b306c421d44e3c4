/* extjson_typed -- objects like {"$oid":"…"} into typed values.
 *
 * One table row per form: the key that names it, the other key it may carry, and a reader. Members are
 * looked up by name, so their order does not matter. A reader that does not like the content says no,
 * and the object stays what it is: data is never bent. Children are typed before their parents. */
#include "query/extjson.h"

#include <math.h>
#include <stdlib.h>

#include "base/time.h"

typedef bool (*typed_fn)(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret);

typedef struct typed_form {
	const char *key;
	const char *second; /* the other member, or NULL */
	bool second_required;
	bool data_only; /* in queries the same words are operators */
	typed_fn read;
} typed_form;

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_text(const ag_val *v)
{
	return v && v->type == AG_T_STRING;
}

static bool read_oid(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	ag_val o = { .type = AG_T_OID };

	(void)arena;
	(void)second;
	if (!is_text(v) || v->n != 24)
		return false;
	for (size_t i = 0; i < 12; i++) {
		int hi = hex_digit(v->u.s[2 * i]), lo = hex_digit(v->u.s[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return false;
		o.u.oid[i] = (uint8_t)(hi << 4 | lo);
	}
	*ret = o;
	return true;
}

static bool read_date(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	ag_val inner;
	int64_t ms;

	(void)second;
	if (v->type == AG_T_OBJECT && ag_extjson_typed(arena, v, true, &inner))
		v = &inner;
	if (is_text(v) ? !ag_time_parse_iso(ag_val_text(v), &ms) : !ag_val_to_i64(v, &ms))
		return false;
	*ret = ag_val_date(ms);
	return true;
}

static bool read_int(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	int64_t i;

	(void)arena;
	(void)second;
	if (is_text(v) ? !ag_str_to_i64(ag_val_text(v), &i) : !ag_val_to_i64(v, &i))
		return false;
	if (i < INT32_MIN || i > INT32_MAX)
		return false;
	*ret = (ag_val){ .type = AG_T_INT32, .u.i = i };
	return true;
}

static bool read_long(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	int64_t i;

	(void)arena;
	(void)second;
	if (is_text(v) ? !ag_str_to_i64(ag_val_text(v), &i) : !ag_val_to_i64(v, &i))
		return false;
	*ret = (ag_val){ .type = AG_T_INT64, .u.i = i };
	return true;
}

static bool read_double(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	double d;

	(void)arena;
	(void)second;
	if (!is_text(v)) {
		if (!ag_type_is_number(v->type) || v->type == AG_T_DECIMAL)
			return false;
		d = ag_val_number(v);
	} else if (ag_str_eqc(ag_val_text(v), "NaN")) {
		d = NAN;
	} else if (ag_str_eqc(ag_val_text(v), "Infinity")) {
		d = INFINITY;
	} else if (ag_str_eqc(ag_val_text(v), "-Infinity")) {
		d = -INFINITY;
	} else if (!ag_str_to_double(ag_val_text(v), &d)) {
		return false;
	}
	*ret = ag_val_double(d);
	return true;
}

static bool read_decimal(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	ag_val d = { .type = AG_T_DECIMAL };

	(void)arena;
	(void)second;
	if (!is_text(v) || !ag_dec128_parse(ag_val_text(v), &d.u.dec))
		return false;
	*ret = d;
	return true;
}

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Strict base64 with padding. */
static bool base64_decode(ag_arena *arena, ag_str in, ag_str *ret)
{
	size_t pad = 0, len = 0;
	char *out = ag_arena_alloc(arena, in.len / 4 * 3 + 1);

	if (in.len % 4)
		return false;
	while (pad < 2 && pad < in.len && in.ptr[in.len - 1 - pad] == '=')
		pad++;
	for (size_t i = 0; i < in.len; i += 4) {
		uint32_t w = 0;

		for (size_t j = i; j < i + 4; j++) {
			int d = j >= in.len - pad ? 0 : base64_digit(in.ptr[j]);

			if (d < 0)
				return false;
			w = w << 6 | (uint32_t)d;
		}
		out[len++] = (char)(w >> 16);
		out[len++] = (char)(w >> 8);
		out[len++] = (char)w;
	}
	*ret = ag_str_make(out, len - pad);
	return true;
}

static bool read_subtype(const ag_val *v, uint8_t *ret)
{
	int64_t i = 0;

	if (is_text(v)) {
		if (v->n < 1 || v->n > 2)
			return false;
		for (uint32_t k = 0; k < v->n; k++) {
			int d = hex_digit(v->u.s[k]);

			if (d < 0)
				return false;
			i = i << 4 | d;
		}
	} else if (!ag_val_to_i64(v, &i) || i < 0 || i > 255) {
		return false;
	}
	*ret = (uint8_t)i;
	return true;
}

/* v2: {"$binary":{"base64":"…","subType":"00"}}; v1: {"$binary":"…","$type":"00"}. */
static bool read_binary(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	const ag_val *text = v, *sub = second;
	ag_val b = { .type = AG_T_BINARY };
	ag_str bytes;

	if (!second) {
		if (v->type != AG_T_OBJECT || v->n != 2)
			return false;
		text = ag_val_getc(v, "base64");
		sub = ag_val_getc(v, "subType");
	}
	if (!is_text(text) || !sub || !read_subtype(sub, &b.subtype) ||
	    !base64_decode(arena, ag_val_text(text), &bytes))
		return false;
	b.n = (uint32_t)bytes.len;
	b.u.s = bytes.ptr;
	*ret = b;
	return true;
}

static bool read_uuid(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	ag_val b = { .type = AG_T_BINARY, .subtype = 4, .n = 16 };
	char *out;
	size_t len = 0;

	(void)second;
	if (!is_text(v) || v->n != 36)
		return false;
	out = ag_arena_alloc(arena, 16);
	for (size_t i = 0; i < 36; i++) {
		int hi, lo;

		if (i == 8 || i == 13 || i == 18 || i == 23) {
			if (v->u.s[i] != '-')
				return false;
			continue;
		}
		hi = hex_digit(v->u.s[i]);
		lo = hex_digit(v->u.s[++i]);
		if (hi < 0 || lo < 0)
			return false;
		out[len++] = (char)(hi << 4 | lo);
	}
	b.u.s = out;
	*ret = b;
	return true;
}

/* Options are kept sorted and without doubles, as BSON wants them. */
static bool make_regex(ag_arena *arena, const ag_val *pattern, const ag_val *opts, ag_val *ret)
{
	ag_val r = { .type = AG_T_REGEX };
	char *sorted;
	size_t n = 0;

	if (!is_text(pattern) || !is_text(opts) || opts->n > 16)
		return false;
	if (memchr(pattern->u.s, 0, pattern->n))
		return false;
	sorted = ag_arena_alloc(arena, opts->n + 1U);
	for (int c = 'a'; c <= 'z'; c++) {
		if (opts->n && memchr(opts->u.s, c, opts->n))
			sorted[n++] = (char)c;
	}
	for (uint32_t i = 0; i < opts->n; i++) {
		if (opts->u.s[i] < 'a' || opts->u.s[i] > 'z')
			return false;
	}
	r.n = pattern->n;
	r.u.regex.s = pattern->u.s;
	r.u.regex.opts = sorted;
	*ret = r;
	return true;
}

static bool read_regular_expression(ag_arena *arena, const ag_val *v, const ag_val *second,
                                    ag_val *ret)
{
	const ag_val *opts = ag_val_getc(v, "options");
	ag_val none = ag_val_str(AG_S(""));

	(void)second;
	if (v->type != AG_T_OBJECT || v->n != (opts ? 2U : 1U))
		return false;
	return make_regex(arena, ag_val_getc(v, "pattern"), opts ? opts : &none, ret);
}

static bool read_regex(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	return make_regex(arena, v, second, ret);
}

static bool read_timestamp(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	const ag_val *t = ag_val_getc(v, "t"), *i = ag_val_getc(v, "i");
	int64_t seconds, inc;

	(void)arena;
	(void)second;
	if (v->type != AG_T_OBJECT || v->n != 2 || !t || !i || !ag_val_to_i64(t, &seconds) ||
	    !ag_val_to_i64(i, &inc) || seconds < 0 || seconds > UINT32_MAX || inc < 0 ||
	    inc > UINT32_MAX)
		return false;
	*ret = (ag_val){ .type = AG_T_TIMESTAMP,
		         .u.i = (int64_t)((uint64_t)seconds << 32 | (uint64_t)inc) };
	return true;
}

static bool is_one(const ag_val *v)
{
	int64_t i;

	return ag_val_to_i64(v, &i) && i == 1;
}

static bool read_minkey(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	(void)arena;
	(void)second;
	*ret = (ag_val){ .type = AG_T_MINKEY };
	return is_one(v);
}

static bool read_maxkey(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	(void)arena;
	(void)second;
	*ret = (ag_val){ .type = AG_T_MAXKEY };
	return is_one(v);
}

static bool read_undefined(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	(void)arena;
	(void)second;
	*ret = (ag_val){ .type = AG_T_UNDEFINED };
	return v->type == AG_T_BOOL && v->u.b;
}

static bool read_symbol(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	(void)arena;
	(void)second;
	*ret = *v;
	ret->type = AG_T_SYMBOL;
	return is_text(v);
}

static bool read_code(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	ag_val *scope;

	if (!is_text(v) || (second && second->type != AG_T_OBJECT))
		return false;
	*ret = (ag_val){ .type = AG_T_CODE, .n = v->n, .u.s = v->u.s };
	if (second) {
		scope = ag_new(arena, ag_val);
		*scope = *second;
		*ret = (ag_val){ .type = AG_T_CODE_W_SCOPE,
			         .n = v->n,
			         .u.pair = { v->u.s, scope } };
	}
	return true;
}

static bool read_dbpointer(ag_arena *arena, const ag_val *v, const ag_val *second, ag_val *ret)
{
	const ag_val *ref = ag_val_getc(v, "$ref"), *id = ag_val_getc(v, "$id");
	ag_val *extra;

	(void)second;
	if (v->type != AG_T_OBJECT || v->n != 2 || !is_text(ref) || !id)
		return false;
	extra = ag_new(arena, ag_val);
	if (id->type == AG_T_OID)
		*extra = *id;
	else if (!ag_extjson_typed(arena, id, true, extra) || extra->type != AG_T_OID)
		return false;
	*ret = (ag_val){ .type = AG_T_DBPOINTER, .n = ref->n, .u.pair = { ref->u.s, extra } };
	return true;
}

static const typed_form forms[] = {
	{ "$oid", NULL, false, false, read_oid },
	{ "$date", NULL, false, false, read_date },
	{ "$numberInt", NULL, false, false, read_int },
	{ "$numberLong", NULL, false, false, read_long },
	{ "$numberDouble", NULL, false, false, read_double },
	{ "$numberDecimal", NULL, false, false, read_decimal },
	{ "$binary", "$type", false, false, read_binary },
	{ "$uuid", NULL, false, false, read_uuid },
	{ "$regularExpression", NULL, false, false, read_regular_expression },
	{ "$regex", "$options", true, true, read_regex },
	{ "$timestamp", NULL, false, false, read_timestamp },
	{ "$minKey", NULL, false, false, read_minkey },
	{ "$maxKey", NULL, false, false, read_maxkey },
	{ "$undefined", NULL, false, false, read_undefined },
	{ "$symbol", NULL, false, false, read_symbol },
	{ "$code", "$scope", false, false, read_code },
	{ "$dbPointer", NULL, false, false, read_dbpointer },
};

static const typed_form *form_of(ag_str key)
{
	for (size_t i = 0; i < AG_NELEM(forms); i++) {
		if (ag_str_eqc(key, forms[i].key))
			return &forms[i];
	}
	return NULL;
}

bool ag_extjson_typed(ag_arena *arena, const ag_val *v, bool query, ag_val *ret)
{
	if (v->type != AG_T_OBJECT || v->n < 1 || v->n > 2)
		return false;
	for (uint32_t i = 0; i < v->n; i++) {
		const ag_member *m = &v->u.members[i];
		const ag_member *other = v->n == 2 ? &v->u.members[1 - i] : NULL;
		const typed_form *f;
		ag_val out;

		if (m->key.len < 2 || m->key.ptr[0] != '$')
			return false;
		f = form_of(m->key);
		if (!f || (query && f->data_only))
			continue;
		if (other && (!f->second || !ag_str_eqc(other->key, f->second)))
			continue;
		if (!other && f->second_required)
			continue;
		if (!f->read(arena, &m->val, other ? &other->val : NULL, &out))
			continue;
		*ret = out;
		return true;
	}
	return false;
}

ag_val ag_extjson_typed_all(ag_arena *arena, const ag_val *v, bool query)
{
	ag_val ret = *v, typed;

	if (v->type == AG_T_ARRAY && v->n) {
		ag_val *items = ag_new_n(arena, ag_val, v->n);

		for (uint32_t i = 0; i < v->n; i++)
			items[i] = ag_extjson_typed_all(arena, &v->u.items[i], query);
		return ag_val_array(items, v->n);
	}
	if (v->type == AG_T_OBJECT && v->n) {
		ag_member *members = ag_new_n(arena, ag_member, v->n);

		for (uint32_t i = 0; i < v->n; i++)
			members[i] = (ag_member){ v->u.members[i].key,
				                  ag_extjson_typed_all(arena, &v->u.members[i].val,
				                                       query) };
		ret = ag_val_object(members, v->n);
		return ag_extjson_typed(arena, &ret, query, &typed) ? typed : ret;
	}
	return ret;
}
