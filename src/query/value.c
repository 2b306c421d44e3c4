/* value -- constructors, copies, look-up and hash of values.
 *
 * A copy is deep and keeps document order. The hash follows ag_val_cmp: what compares equal hashes
 * equal, so integers, integral doubles and integral decimals all hash as the integer. */
#include "query/value.h"

#include <math.h>
#include <xxhash.h>

#include "base/time.h"
#include "query/decmath.h"

ag_val ag_val_null(void)
{
	return (ag_val){ .type = AG_T_NULL };
}

ag_val ag_val_bool(bool b)
{
	return (ag_val){ .type = AG_T_BOOL, .u.b = b };
}

ag_val ag_val_int(int64_t i)
{
	bool small = i >= INT32_MIN && i <= INT32_MAX;

	return (ag_val){ .type = small ? AG_T_INT32 : AG_T_INT64, .u.i = i };
}

ag_val ag_val_double(double f)
{
	return (ag_val){ .type = AG_T_DOUBLE, .u.f = f };
}

ag_val ag_val_str(ag_str s)
{
	AG_ASSERT(s.len <= UINT32_MAX);
	return (ag_val){ .type = AG_T_STRING, .n = (uint32_t)s.len, .u.s = s.ptr ? s.ptr : "" };
}

ag_val ag_val_date(int64_t ms)
{
	return (ag_val){ .type = AG_T_DATE, .u.i = ms };
}

ag_val ag_val_array(const ag_val *items, size_t n)
{
	AG_ASSERT(n <= UINT32_MAX);
	return (ag_val){ .type = AG_T_ARRAY, .n = (uint32_t)n, .u.items = items };
}

ag_val ag_val_object(const ag_member *members, size_t n)
{
	AG_ASSERT(n <= UINT32_MAX);
	return (ag_val){ .type = AG_T_OBJECT, .n = (uint32_t)n, .u.members = members };
}

static const ag_val *dup_items(ag_arena *arena, const ag_val *v)
{
	ag_val *items = v->n ? ag_new_n(arena, ag_val, v->n) : NULL;

	for (uint32_t i = 0; i < v->n; i++)
		items[i] = ag_val_dup(arena, &v->u.items[i]);
	return items;
}

static const ag_member *dup_members(ag_arena *arena, const ag_val *v)
{
	ag_member *m = v->n ? ag_new_n(arena, ag_member, v->n) : NULL;

	for (uint32_t i = 0; i < v->n; i++) {
		m[i].key = ag_str_dup(arena, v->u.members[i].key);
		m[i].val = ag_val_dup(arena, &v->u.members[i].val);
	}
	return m;
}

ag_val ag_val_dup(ag_arena *arena, const ag_val *v)
{
	ag_val c = *v;

	switch ((ag_type)v->type) {
	case AG_T_STRING:
	case AG_T_CODE:
	case AG_T_SYMBOL:
	case AG_T_BINARY: c.u.s = ag_str_dup(arena, ag_val_text(v)).ptr; break;
	case AG_T_ARRAY: c.u.items = dup_items(arena, v); break;
	case AG_T_OBJECT: c.u.members = dup_members(arena, v); break;
	case AG_T_REGEX:
		c.u.regex.s = ag_str_dup(arena, ag_str_make(v->u.regex.s, v->n)).ptr;
		c.u.regex.opts = ag_str_cstr(arena, ag_str_c(v->u.regex.opts));
		break;
	case AG_T_DBPOINTER:
	case AG_T_CODE_W_SCOPE: {
		ag_val *extra = ag_new(arena, ag_val);

		*extra = ag_val_dup(arena, v->u.pair.extra);
		c.u.pair.s = ag_str_dup(arena, ag_str_make(v->u.pair.s, v->n)).ptr;
		c.u.pair.extra = extra;
		break;
	}
	default: /* the others hold no pointers */ break;
	}
	return c;
}

const ag_val *ag_val_get(const ag_val *obj, ag_str key)
{
	if (obj->type != AG_T_OBJECT)
		return NULL;
	for (uint32_t i = 0; i < obj->n; i++) {
		if (ag_str_eq(obj->u.members[i].key, key))
			return &obj->u.members[i].val;
	}
	return NULL;
}

const ag_val *ag_val_getc(const ag_val *obj, const char *key)
{
	return ag_val_get(obj, ag_str_c(key));
}

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 29);
}

static uint64_t hash_bytes(uint64_t seed, const void *p, size_t n)
{
	return n ? XXH3_64bits_withSeed(p, n, seed) : mix(seed, 1);
}

static uint64_t hash_number(uint64_t h, const ag_val *v)
{
	int64_t i;
	double d;

	if (ag_val_to_i64(v, &i))
		return mix(h, (uint64_t)i);
	/* Equal values have the same nearest double. */
	d = ag_val_number(v);
	if (isnan(d))
		return mix(h, 0x7ff8);
	return hash_bytes(h, &d, sizeof(d));
}

static uint64_t hash_children(uint64_t h, const ag_val *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		if (v->type == AG_T_ARRAY) {
			h = mix(h, ag_val_hash(&v->u.items[i]));
		} else {
			const ag_member *m = &v->u.members[i];

			h = mix(hash_bytes(h, m->key.ptr, m->key.len), ag_val_hash(&m->val));
		}
	}
	return mix(h, v->n);
}

uint64_t ag_val_hash(const ag_val *v)
{
	uint64_t h = mix(0x51ed270b, (uint64_t)ag_type_order(v->type));

	switch ((ag_type)v->type) {
	case AG_T_DOUBLE:
	case AG_T_INT32:
	case AG_T_INT64:
	case AG_T_DECIMAL: return hash_number(h, v);
	case AG_T_BINARY: return hash_bytes(mix(h, v->subtype), v->u.s, v->n);
	case AG_T_STRING:
	case AG_T_SYMBOL:
	case AG_T_CODE: return hash_bytes(h, v->u.s, v->n);
	case AG_T_ARRAY:
	case AG_T_OBJECT: return hash_children(h, v);
	case AG_T_OID: return hash_bytes(h, v->u.oid, sizeof(v->u.oid));
	case AG_T_BOOL: return mix(h, v->u.b ? 2 : 1);
	case AG_T_DATE:
	case AG_T_TIMESTAMP: return mix(h, (uint64_t)v->u.i);
	case AG_T_REGEX:
		return hash_bytes(hash_bytes(h, v->u.regex.s, v->n), v->u.regex.opts,
		                  strlen(v->u.regex.opts));
	case AG_T_DBPOINTER:
	case AG_T_CODE_W_SCOPE:
		return mix(hash_bytes(h, v->u.pair.s, v->n), ag_val_hash(v->u.pair.extra));
	default: return h;
	}
}

double ag_val_number(const ag_val *v)
{
	switch (v->type) {
	case AG_T_INT32:
	case AG_T_INT64: return (double)v->u.i;
	case AG_T_DOUBLE: return v->u.f;
	case AG_T_DECIMAL: return ag_dec128_to_double(v->u.dec);
	default: return NAN;
	}
}

bool ag_val_to_i64(const ag_val *v, int64_t *ret)
{
	switch (v->type) {
	case AG_T_INT32:
	case AG_T_INT64: *ret = v->u.i; return true;
	case AG_T_DOUBLE:
		if (!(v->u.f >= -0x1p63 && v->u.f < 0x1p63) || v->u.f != floor(v->u.f))
			return false;
		*ret = (int64_t)v->u.f;
		return true;
	case AG_T_DECIMAL: return ag_decmath_to_i64(v->u.dec, ret);
	default: return false;
	}
}

bool ag_val_truthy(const ag_val *v)
{
	switch (v->type) {
	case AG_T_MISSING:
	case AG_T_UNDEFINED:
	case AG_T_NULL: return false;
	case AG_T_BOOL: return v->u.b;
	case AG_T_INT32:
	case AG_T_INT64: return v->u.i != 0;
	case AG_T_DOUBLE: return v->u.f != 0; /* NaN is true, as on the server */
	case AG_T_DECIMAL: return !ag_decmath_is_zero(v->u.dec);
	default: return true;
	}
}

ag_str ag_val_member_str(const ag_val *obj, const char *key)
{
	const ag_val *m = obj ? ag_val_getc(obj, key) : NULL;

	return m && m->type == AG_T_STRING ? ag_val_text(m) : AG_S("");
}

uint64_t ag_val_member_u64(const ag_val *obj, const char *key)
{
	const ag_val *m = obj ? ag_val_getc(obj, key) : NULL;
	int64_t i;

	return m && ag_val_to_i64(m, &i) && i > 0 ? (uint64_t)i : 0;
}

double ag_val_member_num(const ag_val *obj, const char *key)
{
	const ag_val *m = obj ? ag_val_getc(obj, key) : NULL;

	return m && ag_type_is_number(m->type) ? ag_val_number(m) : 0;
}

bool ag_val_member_bool(const ag_val *obj, const char *key)
{
	const ag_val *m = obj ? ag_val_getc(obj, key) : NULL;

	return m && m->type == AG_T_BOOL && m->u.b;
}

int64_t ag_val_member_time(const ag_val *obj, const char *key)
{
	int64_t ms;

	return ag_time_parse_iso(ag_val_member_str(obj, key), &ms) ? ms : 0;
}
