/* sql_catalog -- look-ups in the snapshot: its lists are sorted, so each is a binary search. */
#include "guard/sql_policy.h"

#include <stdlib.h>

static int compare(ag_str a1, ag_str a2, ag_str b1, ag_str b2)
{
	const int first = ag_str_cmp(a1, b1);

	return first ? first : ag_str_cmp(a2, b2);
}

const ag_sql_relation *ag_sql_catalog_relation(const ag_sql_catalog *c, ag_str schema, ag_str name)
{
	size_t low = 0, high = c ? c->nrelation : 0;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const ag_sql_relation *r = &c->relations[mid];
		const int order = compare(r->name.schema, r->name.name, schema, name);

		if (order == 0)
			return r;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* The first of a list that is sorted by name, then schema, whose name is not less. */
static size_t lower_bound(const void *list, size_t n, size_t size, ag_str name)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const ag_sql_name *one = (const void *)((const char *)list + mid * size);

		if (ag_str_cmp(one->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* All of the three begin with their name. NULL when there is none of that name. */
static const void *find_name(const void *list, size_t n, size_t size, ag_str name, size_t *ret_n)
{
	const size_t first = lower_bound(list, n, size, name);
	/* An empty list may be NULL, to which even 0 may not be added. */
	const char *at = n ? (const char *)list + first * size : NULL;
	size_t count = 0;

	while (first + count < n &&
	       ag_str_eq(((const ag_sql_name *)(const void *)(at + count * size))->name, name))
		count++;
	*ret_n = count;
	return count ? at : NULL;
}

const ag_sql_function *ag_sql_catalog_functions(const ag_sql_catalog *c, ag_str name, size_t *ret_n)
{
	*ret_n = 0;
	return c ? find_name(c->functions, c->nfunction, sizeof(*c->functions), name, ret_n) : NULL;
}

const ag_sql_operator *ag_sql_catalog_operators(const ag_sql_catalog *c, ag_str name, size_t *ret_n)
{
	*ret_n = 0;
	return c ? find_name(c->operators, c->noperator, sizeof(*c->operators), name, ret_n) : NULL;
}

const ag_sql_type *ag_sql_catalog_types(const ag_sql_catalog *c, ag_str name, size_t *ret_n)
{
	*ret_n = 0;
	return c ? find_name(c->types, c->ntype, sizeof(*c->types), name, ret_n) : NULL;
}

static int by_oid(const void *a, const void *b)
{
	const ag_sql_type_ref *x = a, *y = b;

	return x->oid < y->oid ? -1 : x->oid > y->oid;
}

void ag_sql_type_refs_sort(ag_sql_type_ref *refs, size_t n)
{
	if (n)
		qsort(refs, n, sizeof(*refs), by_oid);
}

const ag_sql_type_ref *ag_sql_catalog_type(const ag_sql_catalog *c, uint32_t oid)
{
	const ag_sql_type_ref key = { .oid = oid };

	if (!c || !c->ntype_ref)
		return NULL;
	return bsearch(&key, c->type_refs, c->ntype_ref, sizeof(key), by_oid);
}

bool ag_sql_has_text(const ag_str *list, size_t n, ag_str text)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(list[i], text))
			return true;
	return false;
}

/* All of them: asked for (x).field only, which is rare. */
bool ag_sql_catalog_has_field(const ag_sql_catalog *c, ag_str name)
{
	if (!c)
		return false;
	for (size_t i = 0; i < c->ntype; i++)
		if (ag_sql_has_text(c->types[i].attributes, c->types[i].nattribute, name))
			return true;
	for (size_t i = 0; i < c->nrelation; i++)
		if (ag_sql_has_text(c->relations[i].columns, c->relations[i].ncolumn, name))
			return true;
	return false;
}
