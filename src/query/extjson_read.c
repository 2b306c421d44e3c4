/* extjson_read -- strict JSON (RFC 8259) into values, with Extended JSON's types.
 *
 * Recursive, but never deeper than the depth limit. Members and items of open containers wait on one
 * shared stack each and move into the arena when their container closes, so nothing is copied twice.
 * Reading order: parse_value, parse_object / parse_array, parse_number, ag_extjson_parse. */
#include "query/extjson.h"

#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#include "query/extjson_string.h"

typedef struct member_slot {
	ag_member m;
	size_t at; /* of the key, for the message about a duplicate */
} member_slot;

#define FIRST_MEMBERS 16 /* on the stack: a small document asks for no memory of its own */

typedef struct reader {
	ag_extjson_scan s;
	const ag_extjson_opts *opts;
	unsigned depth, max_depth;
	size_t nvalue;
	member_slot *members, *first_members;
	size_t nmember, member_cap;
	ag_val *items;
	size_t nitem, item_cap;
} reader;

static ag_status parse_value(reader *r, ag_val *ret);

static ag_status expected(reader *r, const char *what)
{
	ag_str t = r->s.text;

	if (r->s.at >= t.len)
		return ag_fail(r->s.err, AG_INVALID, "query.extjson",
		               "byte %zu: the text ends, want %s", r->s.at, what);
	if ((unsigned char)t.ptr[r->s.at] < 0x21 || (unsigned char)t.ptr[r->s.at] > 0x7e)
		return ag_fail(r->s.err, AG_INVALID, "query.extjson",
		               "byte %zu: want %s, got byte 0x%02x", r->s.at, what,
		               (unsigned char)t.ptr[r->s.at]);
	return ag_fail(r->s.err, AG_INVALID, "query.extjson", "byte %zu: want %s, got '%c'",
	               r->s.at, what, t.ptr[r->s.at]);
}

static void skip_space(reader *r)
{
	ag_str t = r->s.text;

	while (r->s.at < t.len) {
		char c = t.ptr[r->s.at];

		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			break;
		r->s.at++;
	}
}

static bool peek(const reader *r, char c)
{
	return r->s.at < r->s.text.len && r->s.text.ptr[r->s.at] == c;
}

static bool accept(reader *r, char c)
{
	if (!peek(r, c))
		return false;
	r->s.at++;
	return true;
}

static void push_item(reader *r, const ag_val *v)
{
	if (r->nitem == r->item_cap) {
		r->item_cap = r->item_cap ? r->item_cap * 2 : 64;
		r->items = ag_xrealloc(r->items, r->item_cap * sizeof(*r->items));
	}
	r->items[r->nitem++] = *v;
}

static void push_member(reader *r, const member_slot *m)
{
	if (r->nmember == r->member_cap) {
		member_slot *old = r->members == r->first_members ? NULL : r->members;

		r->member_cap *= 4;
		r->members = ag_xrealloc(old, r->member_cap * sizeof(*r->members));
		if (!old)
			memcpy(r->members, r->first_members, r->nmember * sizeof(*r->members));
	}
	r->members[r->nmember++] = *m;
}

static bool is_digit(const reader *r)
{
	return r->s.at < r->s.text.len && r->s.text.ptr[r->s.at] >= '0' &&
	       r->s.text.ptr[r->s.at] <= '9';
}

static ag_status skip_digits(reader *r)
{
	if (!is_digit(r))
		return expected(r, "a digit");
	while (is_digit(r))
		r->s.at++;
	return AG_OK;
}

/* Grammar: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static ag_status skip_number(reader *r, bool *ret_integral)
{
	ag_status st = AG_OK;

	*ret_integral = true;
	accept(r, '-');
	if (accept(r, '0')) {
		if (is_digit(r))
			return expected(r, "no digit after a leading zero");
	} else {
		st = skip_digits(r);
	}
	if (!st && accept(r, '.')) {
		*ret_integral = false;
		st = skip_digits(r);
	}
	if (!st && (accept(r, 'e') || accept(r, 'E'))) {
		*ret_integral = false;
		if (!accept(r, '+'))
			accept(r, '-');
		st = skip_digits(r);
	}
	return st;
}

/* Unlike ag_str_to_double this one keeps what overflows (as infinity) or underflows (as zero). */
static double to_double(reader *r, ag_str text)
{
	char small[64];
	const char *p = small;
	double d;

	if (text.len < sizeof(small)) {
		memcpy(small, text.ptr, text.len);
		small[text.len] = '\0';
	} else {
		p = ag_str_cstr(r->s.arena, text);
	}
	d = strtod(p, NULL);
	if (isinf(d))
		r->s.notes.overflows++;
	return d;
}

static ag_status parse_number(reader *r, ag_val *ret)
{
	size_t from = r->s.at;
	bool integral;
	ag_status st = skip_number(r, &integral);
	ag_str text = ag_str_make(r->s.text.ptr + from, r->s.at - from);
	int64_t i;

	if (st)
		return st;
	if (integral && ag_str_to_i64(text, &i)) {
		*ret = ag_val_int(i);
		return AG_OK;
	}
	if (integral) {
		r->s.notes.big_numbers++;
		ret->type = AG_T_DECIMAL;
		if (ag_dec128_parse(text, &ret->u.dec))
			return AG_OK;
	}
	*ret = ag_val_double(to_double(r, text));
	return AG_OK;
}

static ag_status enter(reader *r)
{
	if (++r->depth > r->max_depth)
		return ag_fail(r->s.err, AG_LIMIT, "query.extjson",
		               "byte %zu: nested deeper than %u levels", r->s.at, r->max_depth);
	r->s.at++;
	return AG_OK;
}

static ag_status parse_array(reader *r, ag_val *ret)
{
	size_t base = r->nitem, n;
	ag_status st = enter(r);
	ag_val *items, v;

	if (st)
		return st;
	skip_space(r);
	if (!accept(r, ']')) {
		do {
			st = parse_value(r, &v);
			if (st)
				return st;
			push_item(r, &v);
			skip_space(r);
		} while (accept(r, ','));
		if (!accept(r, ']'))
			return expected(r, "',' or ']'");
	}
	n = r->nitem - base;
	items = n ? ag_new_n(r->s.arena, ag_val, n) : NULL;
	if (n)
		memcpy(items, r->items + base, n * sizeof(*items));
	r->nitem = base;
	r->depth--;
	*ret = ag_val_array(items, n);
	return AG_OK;
}

/* Is the key of slot i taken by an earlier, kept member? Small objects are searched, large ones use a
 * table of indexes by hash. */
static bool seen_before(const member_slot *m, size_t nkept, const member_slot *one, uint32_t *table,
                        size_t mask)
{
	size_t h;

	if (!table) {
		for (size_t i = 0; i < nkept; i++) {
			if (ag_str_eq(m[i].m.key, one->m.key))
				return true;
		}
		return false;
	}
	h = (size_t)XXH3_64bits(one->m.key.ptr, one->m.key.len) & mask;
	while (table[h]) {
		if (ag_str_eq(m[table[h] - 1].m.key, one->m.key))
			return true;
		h = (h + 1) & mask;
	}
	table[h] = (uint32_t)nkept + 1;
	return false;
}

/* Drop later members with a key that was there before. */
static ag_status drop_duplicates(reader *r, member_slot *m, size_t *n)
{
	size_t cap = 64, kept = 0;
	uint32_t *table = NULL;
	ag_status st = AG_OK;

	if (*n > 16) {
		while (cap < *n * 2)
			cap *= 2;
		table = ag_xcalloc(cap, sizeof(*table));
	}
	for (size_t i = 0; i < *n; i++) {
		if (!seen_before(m, kept, &m[i], table, cap - 1)) {
			m[kept++] = m[i];
			continue;
		}
		r->s.notes.duplicate_keys++;
		if (r->opts->reject_duplicates) {
			r->s.at = m[i].at;
			st = ag_fail(r->s.err, AG_INVALID, "query.extjson",
			             "byte %zu: the key \"%.*s\" appears twice in one object",
			             m[i].at, (int)(m[i].m.key.len > 80 ? 80 : m[i].m.key.len),
			             m[i].m.key.ptr);
			break;
		}
	}
	free(table);
	*n = kept;
	return st;
}

static ag_status close_object(reader *r, size_t base, ag_val *ret)
{
	size_t n = r->nmember - base;
	ag_member *members;
	ag_status st = AG_OK;
	ag_val typed;

	if (n > 1)
		st = drop_duplicates(r, r->members + base, &n);
	if (st)
		return st;
	members = n ? ag_new_n(r->s.arena, ag_member, n) : NULL;
	for (size_t i = 0; i < n; i++)
		members[i] = r->members[base + i].m;
	r->nmember = base;
	r->depth--;
	*ret = ag_val_object(members, n);
	if (r->opts->typed && n && ag_extjson_typed(r->s.arena, ret, r->opts->query, &typed))
		*ret = typed;
	return AG_OK;
}

static ag_status parse_object(reader *r, ag_val *ret)
{
	size_t base = r->nmember;
	ag_status st = enter(r);
	member_slot slot;

	if (st)
		return st;
	skip_space(r);
	if (accept(r, '}'))
		return close_object(r, base, ret);
	do {
		skip_space(r);
		if (!peek(r, '"'))
			return expected(r, "a key in double quotes");
		slot.at = r->s.at;
		st = ag_extjson_string(&r->s, &slot.m.key);
		if (st)
			return st;
		skip_space(r);
		if (!accept(r, ':'))
			return expected(r, "':' after a key");
		st = parse_value(r, &slot.m.val);
		if (st)
			return st;
		push_member(r, &slot);
		skip_space(r);
	} while (accept(r, ','));
	if (!accept(r, '}'))
		return expected(r, "',' or '}'");
	return close_object(r, base, ret);
}

static ag_status parse_word(reader *r, ag_str word, ag_val v, ag_val *ret)
{
	ag_str rest = ag_str_make(r->s.text.ptr + r->s.at, r->s.text.len - r->s.at);

	if (!ag_str_starts(rest, word))
		return expected(r, "a value");
	r->s.at += word.len;
	*ret = v;
	return AG_OK;
}

static ag_status parse_value(reader *r, ag_val *ret)
{
	ag_status st;
	ag_str s;

	memset(ret, 0, sizeof(*ret));
	skip_space(r);
	if (r->s.at >= r->s.text.len)
		return expected(r, "a value");
	if (r->opts->max_values && ++r->nvalue > r->opts->max_values)
		return ag_fail(r->s.err, AG_LIMIT, "query.extjson",
		               "byte %zu: more than %zu values", r->s.at, r->opts->max_values);
	switch (r->s.text.ptr[r->s.at]) {
	case '{': return parse_object(r, ret);
	case '[': return parse_array(r, ret);
	case '"':
		st = ag_extjson_string(&r->s, &s);
		if (!st)
			*ret = ag_val_str(s);
		return st;
	case 't': return parse_word(r, AG_S("true"), ag_val_bool(true), ret);
	case 'f': return parse_word(r, AG_S("false"), ag_val_bool(false), ret);
	case 'n': return parse_word(r, AG_S("null"), ag_val_null(), ret);
	default:
		if (is_digit(r) || peek(r, '-'))
			return parse_number(r, ret);
		return expected(r, "a value");
	}
}

ag_status ag_extjson_parse(ag_str text, const ag_extjson_opts *opts, ag_arena *arena, ag_val *ret,
                           size_t *ret_at, ag_extjson_notes *notes, ag_err *err)
{
	member_slot first_members[FIRST_MEMBERS];
	reader r = {
		.s = { .text = text, .arena = arena, .err = err, .repair_utf8 = opts->repair_utf8 },
		.opts = opts,
		.max_depth = AG_EXTJSON_MAX_DEPTH,
		.members = first_members,
		.first_members = first_members,
		.member_cap = FIRST_MEMBERS
	};
	ag_status st;
	ag_val v;

	if (text.len > UINT32_MAX)
		return ag_fail(err, AG_LIMIT, "query.extjson", "one document of more than 4 GB");
	if (opts->max_depth && opts->max_depth < r.max_depth)
		r.max_depth = opts->max_depth;
	st = parse_value(&r, &v);
	if (!st) {
		skip_space(&r);
		if (r.s.at < text.len)
			st = expected(&r, "the end of the text");
	}
	free(r.items);
	if (r.members != first_members)
		free(r.members);
	if (notes)
		*notes = r.s.notes;
	if (st) {
		if (ret_at)
			*ret_at = r.s.at;
		return st;
	}
	*ret = v;
	return AG_OK;
}
