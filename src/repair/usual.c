/* usual -- the majority under a dependency.
 *
 * Evidence of a broken dependency is a list of clauses, {"zip": "04109", "city": {"$in": ["Portlnd", …]}}: in the rows with
 * this zip these cities are wrong. For each such value of the other field the rows of the whole collection are counted once,
 * by their value of the field. A value is the usual one when it is that of nearly all rows of its group. */
#include <stdlib.h>

#include "query/extjson.h"
#include "repair/fix.h"

#define MAX_OTHERS 32     /* fields that decide this one */
#define MAX_GROUPS 100000 /* values of them */
#define MIN_USUAL  3      /* rows with the usual value */
#define CLEAR      3      /* it is so much more frequent than the next one */

typedef struct group {
	ag_val best;
	uint64_t n, nbest, nsecond;
	bool is_asked; /* a clause is about it */
} group;

typedef struct pair {
	size_t group;
	ag_val v;
} pair;

struct ag_usual {
	const ag_fix *fix;
	ag_arena *arena;
	ag_str field;              /* dotted, below the row */
	ag_str others[MAX_OTHERS]; /* dotted, below the row */
	size_t nother;
	ag_text_map keys; /* of groups: number of the other field, and its value */
	group groups[MAX_GROUPS];
	ag_text_map values; /* of pairs: group and value */
	pair *pairs;
	size_t cappair;
	ag_buf key;
};

static void release_usual(void *arg)
{
	ag_usual *u = (ag_usual *)arg;

	ag_text_map_release(&u->keys);
	ag_text_map_release(&u->values);
	ag_buf_release(&u->key);
	free(u->pairs);
	free(u);
}

const ag_val *ag_row_at(const ag_val *row, ag_str dotted)
{
	while (row && dotted.ptr) {
		const ag_val *whole = ag_val_get(row, dotted);

		if (whole) /* CSV: a name with dots */
			return whole;
		row = ag_val_get(row, ag_str_split(&dotted, '.'));
	}
	return row;
}

static bool is_there(const ag_val *v)
{
	return v && v->type != AG_T_NULL && v->type != AG_T_OBJECT && v->type != AG_T_ARRAY &&
	       (v->type != AG_T_STRING || v->n);
}

/* A CSV cell is text whatever it reads as, so there a number is its text. */
static void add_value(const ag_usual *u, const ag_val *v, ag_buf *out)
{
	if (v->type == AG_T_STRING) {
		if (!u->fix->is_csv)
			ag_buf_addc(out, '"');
		ag_buf_add(out, ag_val_text(v));
	} else {
		ag_extjson_write(out, v, AG_EXTJSON_RELAXED);
	}
}

/* The group of a value of other field i; SIZE_MAX when no clause is about it. */
static size_t group_of(ag_usual *u, size_t i, const ag_val *v, bool adds)
{
	ag_buf_clear(&u->key);
	ag_buf_addf(&u->key, "%zu ", i);
	add_value(u, v, &u->key);
	if (u->key.failed)
		return SIZE_MAX;
	if (adds && u->keys.n < MAX_GROUPS) {
		const ag_str kept = ag_buf_dup(u->arena, &u->key);

		return ag_text_map_add(&u->keys, kept.ptr, (uint32_t)kept.len, 1);
	}
	return ag_text_map_find(&u->keys, u->key.ptr, (uint32_t)u->key.len);
}

/* --- the clauses --- */

static void read_clause(ag_usual *u, const ag_val *clause)
{
	const ag_member *other = NULL;
	size_t i = 0;

	if (clause->type != AG_T_OBJECT || clause->n != 2)
		return;
	for (uint32_t k = 0; k < 2; k++)
		if (ag_str_eq(clause->u.members[k].key, u->field))
			other = &clause->u.members[1 - k];
	if (!other || !is_there(&other->val) || ag_str_starts(other->key, AG_S("$")) ||
	    ag_str_eq(other->key, u->field))
		return;
	while (i < u->nother && !ag_str_eq(u->others[i], other->key))
		i++;
	if (i == MAX_OTHERS)
		return;
	if (i == u->nother)
		u->others[u->nother++] = other->key;
	i = group_of(u, i, &other->val, true);
	if (i < MAX_GROUPS)
		u->groups[i].is_asked = true;
}

/* The path below the innermost array, as the clauses write it. */
static ag_str field_of_row(const ag_fix *f, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(4096);
	ag_str ret;

	for (size_t i = 0; i < f->path->n; i++) {
		if (f->path->steps[i].kind != AG_STEP_NAME) {
			ag_buf_clear(&b);
			continue;
		}
		if (b.len)
			ag_buf_addc(&b, '.');
		ag_buf_add(&b, f->path->steps[i].name);
	}
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

static void read_clauses(ag_usual *u, const ag_val *v)
{
	const ag_val *any;

	if (v->type != AG_T_OBJECT)
		return;
	/* {"items": {"$elemMatch": …}} */
	if (v->n == 1 && (any = ag_val_getc(&v->u.members[0].val, "$elemMatch")))
		v = any;
	any = ag_val_getc(v, "$or");
	if (!any)
		read_clause(u, v);
	for (uint32_t i = 0; any && any->type == AG_T_ARRAY && i < any->n; i++)
		read_clause(u, &any->u.items[i]);
}

/* --- counting --- */

static void count_pair(ag_usual *u, size_t g, const ag_val *v)
{
	size_t i;

	ag_buf_clear(&u->key);
	ag_buf_addf(&u->key, "%zu ", g);
	add_value(u, v, &u->key);
	if (u->key.failed)
		return;
	i = ag_text_map_find(&u->values, u->key.ptr, (uint32_t)u->key.len);
	if (i == SIZE_MAX) {
		const ag_str kept = ag_buf_dup(u->arena, &u->key);

		i = ag_text_map_add(&u->values, kept.ptr, (uint32_t)kept.len, 0);
		if (u->values.n > u->cappair) {
			u->cappair = u->cappair ? 2 * u->cappair : 256;
			u->pairs = (pair *)ag_xrealloc(u->pairs, u->cappair * sizeof(*u->pairs));
		}
		u->pairs[i] = (pair){ g, *v };
	}
	u->values.v[i].n++;
	u->groups[g].n++;
}

static void count_row(void *arg, const ag_val *row)
{
	ag_usual *u = (ag_usual *)arg;
	const ag_val *v = ag_row_at(row, u->field);

	for (size_t i = 0; is_there(v) && i < u->nother; i++) {
		const ag_val *other = ag_row_at(row, u->others[i]);
		const size_t g = is_there(other) ? group_of(u, i, other, false) : SIZE_MAX;

		if (g < MAX_GROUPS)
			count_pair(u, g, v);
	}
}

static ag_status count_document(void *arg, uint64_t i, const ag_val *doc, const ag_val *view,
                                ag_err *err)
{
	ag_usual *u = (ag_usual *)arg;
	const ag_path *p = u->fix->path;
	size_t n = p->n;

	(void)i;
	(void)view;
	(void)err;
	while (n && p->steps[n - 1].kind == AG_STEP_NAME)
		n--;
	ag_tally_walk(doc, p->steps, n, count_row, u);
	return AG_OK;
}

ag_status ag_usual_make(const ag_ctx *ctx, ag_source *s, const ag_fix *f, ag_usual **ret,
                        ag_err *err)
{
	ag_usual *u = (ag_usual *)ag_xcalloc(1, sizeof(*u));
	const ag_val *query;
	ag_status st;

	u->fix = f;
	u->arena = f->arena;
	u->key = (ag_buf)AG_BUF_INIT(64 * 1024);
	ag_arena_defer(f->arena, release_usual, u);
	st = ag_docquery_value(f->evidence, f->arena, &query, err);
	if (st)
		return st;
	u->field = field_of_row(f, f->arena);
	read_clauses(u, query);
	if (!u->nother)
		return AG_OK;
	st = ag_source_each(s, ctx, NULL, NULL, 0, count_document, u, err);
	for (size_t i = 0; !st && i < u->values.n; i++) {
		group *g = &u->groups[u->pairs[i].group];
		const uint64_t n = u->values.v[i].n;

		if (n > g->nbest) {
			g->nsecond = g->nbest;
			g->nbest = n;
			g->best = u->pairs[i].v;
		} else if (n > g->nsecond) {
			g->nsecond = n;
		}
	}
	*ret = st ? NULL : u;
	return st;
}

bool ag_usual_find(ag_usual *u, const ag_val *row, ag_val *ret)
{
	*ret = ag_val_missing();
	for (size_t i = 0; i < u->nother; i++) {
		const ag_val *other = ag_row_at(row, u->others[i]);
		const size_t at = is_there(other) ? group_of(u, i, other, false) : SIZE_MAX;
		const group *g = at < MAX_GROUPS ? &u->groups[at] : NULL;

		if (!g || !g->is_asked)
			continue;
		if (g->nbest < MIN_USUAL || g->nbest < CLEAR * g->nsecond || g->nbest * 2 <= g->n)
			return false;
		if (ret->type != AG_T_MISSING && !ag_val_eq(ret, &g->best))
			return false;
		*ret = g->best;
	}
	return ret->type != AG_T_MISSING;
}
