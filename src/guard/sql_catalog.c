/* sql_catalog -- look-ups in the snapshot: its lists are sorted, so each is a binary search. */
#include "guard/sql_policy.h"

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

const ag_sql_name *ag_sql_catalog_functions(const ag_sql_catalog *c, ag_str name, size_t *ret_n)
{
	size_t i, n = 0;

	*ret_n = 0;
	if (!c)
		return NULL;
	i = lower_bound(c->functions, c->nfunction, sizeof(*c->functions), name);
	while (i + n < c->nfunction && ag_str_eq(c->functions[i + n].name, name))
		n++;
	*ret_n = n;
	return n ? &c->functions[i] : NULL;
}

bool ag_sql_catalog_has_operator(const ag_sql_catalog *c, ag_str name)
{
	size_t i;

	if (!c)
		return false;
	i = lower_bound(c->operators, c->noperator, sizeof(*c->operators), name);
	return i < c->noperator && ag_str_eq(c->operators[i].name, name);
}

/* ag_sql_type begins with its name, so the same search serves. */
const ag_sql_type *ag_sql_catalog_types(const ag_sql_catalog *c, ag_str name, size_t *ret_n)
{
	size_t i, n = 0;

	*ret_n = 0;
	if (!c)
		return NULL;
	i = lower_bound(c->types, c->ntype, sizeof(*c->types), name);
	while (i + n < c->ntype && ag_str_eq(c->types[i + n].name.name, name))
		n++;
	*ret_n = n;
	return n ? &c->types[i] : NULL;
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
