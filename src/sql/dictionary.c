/* dictionary -- how tables are named, found, and guessed from what somebody wrote.
 *
 * A name is first taken as it is, then as SQL would read it, then in any case; only one that fits is an answer. What fits
 * nothing is compared with every name: read ag_dictionary_suggest and nearness. */
#include "sql/dictionary.h"

#include <stdlib.h>

#include "sql/dictionary_parts.h"

#define MAX_NEAR  5u
#define MAX_FIRST 10u

/* --- names --- */

static void add_part(ag_buf *out, ag_str part)
{
	if (part.len && ag_str_find(part, '.') < 0 && ag_str_find(part, '"') < 0) {
		ag_buf_add(out, part);
		return;
	}
	ag_buf_addc(out, '"');
	for (size_t i = 0; i < part.len; i++) {
		if (part.ptr[i] == '"')
			ag_buf_addc(out, '"');
		ag_buf_addc(out, part.ptr[i]);
	}
	ag_buf_addc(out, '"');
}

ag_str ag_dictionary_shown(ag_str own_schema, ag_str schema, ag_str name, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(schema.len * 2 + name.len * 2 + 16);
	ag_str shown;

	if (!ag_str_eq(schema, own_schema)) {
		add_part(&out, schema);
		ag_buf_addc(&out, '.');
	}
	add_part(&out, name);
	shown = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return shown;
}

int ag_dictionary_cmp(ag_str own_schema, ag_str schema_a, ag_str name_a, ag_str schema_b,
                      ag_str name_b)
{
	int is_own_a = ag_str_eq(schema_a, own_schema), is_own_b = ag_str_eq(schema_b, own_schema);
	int c = is_own_b - is_own_a;

	if (c == 0)
		c = ag_str_cmp(schema_a, schema_b);
	return c ? c : ag_str_cmp(name_a, name_b);
}

const char *ag_dictionary_type(ag_str type)
{
	static const char *const types[] = { "table", "view", "materialized_view", "foreign_table",
		                             "partitioned_table" };

	for (size_t i = 0; i < AG_NELEM(types); i++) {
		if (ag_str_eqc(type, types[i]))
			return types[i];
	}
	return NULL;
}

/* --- to find --- */

typedef struct wanted {
	ag_str schema; /* ptr NULL = not written */
	ag_str name;
} wanted;

static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* Takes a part off the front: quoted, or up to the next dot. False when a quote stays open. */
static bool take_part(ag_str *rest, bool is_folded, ag_arena *arena, ag_str *ret)
{
	size_t n = 0, i = 1;
	char *out;

	if (rest->len == 0 || rest->ptr[0] != '"') {
		*ret = ag_str_split(rest, '.');
		if (!is_folded)
			return true;
		out = ag_str_cstr(arena, *ret);
		for (i = 0; i < ret->len; i++)
			out[i] = lower(out[i]);
		ret->ptr = out;
		return true;
	}
	out = ag_arena_alloc(arena, rest->len);
	for (; i < rest->len; i++) {
		if (rest->ptr[i] == '"' && (i + 1 == rest->len || rest->ptr[i + 1] != '"'))
			break;
		i += rest->ptr[i] == '"';
		out[n++] = rest->ptr[i];
	}
	if (i >= rest->len || (i + 1 < rest->len && rest->ptr[i + 1] != '.'))
		return false;
	*ret = ag_str_make(out, n);
	if (i + 1 == rest->len)
		*rest = ag_str_make(NULL, 0);
	else
		*rest = ag_str_make(rest->ptr + i + 2, rest->len - i - 2);
	return true;
}

bool ag_dictionary_parts(ag_str text, bool is_folded, ag_arena *arena, ag_str *ret_schema,
                         ag_str *ret_name)
{
	ag_str first, second;

	*ret_schema = ag_str_make(NULL, 0);
	if (!take_part(&text, is_folded, arena, &first))
		return false;
	*ret_name = first;
	if (!text.ptr)
		return true;
	if (!take_part(&text, is_folded, arena, &second) || text.ptr)
		return false;
	*ret_schema = first;
	*ret_name = second;
	return true;
}

/* The only table that fits, or NULL. Without a schema, one of the own schema wins. */
static const ag_dict_table *only_one(const ag_dictionary *d, const wanted *w, bool any_case)
{
	bool (*same)(ag_str, ag_str) = any_case ? ag_str_ieq : ag_str_eq;
	const ag_dict_table *own = NULL, *other = NULL;
	size_t nown = 0, nother = 0;

	for (size_t i = 0; i < d->ntable; i++) {
		const ag_dict_table *t = &d->tables[i];

		if (!same(t->name, w->name) || (w->schema.ptr && !same(t->schema, w->schema)))
			continue;
		if (ag_str_eq(t->schema, d->schema)) {
			own = t;
			nown++;
		} else {
			other = t;
			nother++;
		}
	}
	if (nown)
		return nown == 1 ? own : NULL;
	return nother == 1 ? other : NULL;
}

const ag_dict_table *ag_dictionary_find(const ag_dictionary *d, ag_str name)
{
	wanted whole = { .name = name }, parts;
	const ag_dict_table *t = only_one(d, &whole, false);
	ag_arena *arena;

	if (t || name.len == 0)
		return t;
	arena = ag_arena_new();
	if (ag_dictionary_parts(name, false, arena, &parts.schema, &parts.name)) {
		t = only_one(d, &parts, false);
		if (!t)
			t = only_one(d, &parts, true);
	}
	if (!t)
		t = only_one(d, &whole, true);
	ag_arena_free(arena);
	return t;
}

/* --- to suggest --- */

/* Lower case, and what people write for an underscore as one. */
static ag_str folded(ag_str s, ag_arena *arena)
{
	char *out = ag_arena_alloc(arena, s.len + 1);

	for (size_t i = 0; i < s.len; i++)
		out[i] = s.ptr[i] == '-' || s.ptr[i] == ' ' ? '_' : lower(s.ptr[i]);
	return ag_str_make(out, s.len);
}

/* Are the letters of a in b, in this order, the first ones at the same place? "usr" in "users", "user_roles". */
static bool is_abbreviation(ag_str a, ag_str b)
{
	size_t k = 0;

	if (a.len < 2 || a.len > b.len || a.ptr[0] != b.ptr[0])
		return false;
	for (size_t i = 0; i < b.len && k < a.len; i++)
		k += a.ptr[k] == b.ptr[i];
	return k == a.len;
}

#define NOT_NEAR UINT32_MAX

/* Smaller is nearer: same but for case, contains, is contained, few letters differ, abbreviates. */
static uint32_t nearness(ag_str want, ag_str have)
{
	size_t apart, allowed = want.len < 6 ? 2 : want.len / 3;

	if (want.len == 0 || have.len == 0)
		return NOT_NEAR;
	if (ag_str_eq(want, have))
		return 0;
	if (ag_str_contains(have, want))
		return 1000 + (uint32_t)(have.len - want.len);
	if (have.len > 2 && ag_str_contains(want, have))
		return 2000 + (uint32_t)(want.len - have.len);
	apart = ag_str_distance(want, have);
	if (apart <= allowed && apart < want.len && apart < have.len)
		return 3000 + (uint32_t)apart;
	if (is_abbreviation(want, have))
		return 4000 + (uint32_t)(have.len - want.len);
	return NOT_NEAR;
}

typedef struct near {
	uint32_t how;
	uint32_t table;
} near;

static int by_nearness(const void *a, const void *b)
{
	const near *x = a, *y = b;

	if (x->how != y->how)
		return x->how < y->how ? -1 : 1;
	return x->table < y->table ? -1 : x->table > y->table;
}

/* The part after the last dot, without quotes: the schema is often the wrong one. */
static ag_str last_part(ag_str name)
{
	while (ag_str_find(name, '.') >= 0)
		ag_str_split(&name, '.');
	if (name.len >= 2 && name.ptr[0] == '"' && name.ptr[name.len - 1] == '"')
		name = ag_str_make(name.ptr + 1, name.len - 2);
	return name;
}

static size_t near_ones(const ag_dictionary *d, ag_str name, ag_arena *scratch, near *found)
{
	ag_str want = folded(last_part(ag_str_trim(name)), scratch);
	size_t n = 0, nsame = 0;

	for (size_t i = 0; i < d->ntable; i++) {
		uint32_t how = nearness(want, folded(d->tables[i].name, scratch));

		if (how != NOT_NEAR)
			found[n++] = (near){ .how = how, .table = (uint32_t)i };
	}
	qsort(found, n, sizeof(*found), by_nearness);
	while (nsame < n && found[nsame].how == 0)
		nsame++;
	if (nsame)
		n = nsame;
	return n < MAX_NEAR ? n : MAX_NEAR;
}

ag_str ag_dictionary_suggest(const ag_dictionary *d, ag_str name, ag_arena *arena)
{
	ag_arena *scratch = ag_arena_new();
	near *found = ag_new_n(scratch, near, d->ntable + 1);
	size_t n = near_ones(d, name, scratch, found);
	bool is_near = n > 0;
	ag_buf out = AG_BUF_INIT(64u * 1024);
	ag_str said;

	if (is_near) {
		ag_buf_adds(&out, "Did you mean: ");
	} else if (d->ntable > MAX_FIRST) {
		ag_buf_addf(&out, "The first %u of %zu tables: ", MAX_FIRST, d->ntable);
	} else if (d->ntable) {
		ag_buf_adds(&out, "The tables are: ");
	}
	if (!is_near) {
		n = d->ntable < MAX_FIRST ? d->ntable : MAX_FIRST;
		for (size_t i = 0; i < n; i++)
			found[i].table = (uint32_t)i;
	}
	for (size_t i = 0; i < n; i++) {
		const ag_dict_table *t = &d->tables[found[i].table];

		if (i)
			ag_buf_adds(&out, ", ");
		ag_buf_add(&out, ag_dictionary_shown(d->schema, t->schema, t->name, scratch));
	}
	said = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	ag_arena_free(scratch);
	return said;
}
