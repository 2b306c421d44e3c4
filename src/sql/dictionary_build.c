/* dictionary_build -- see dictionary_build.h. */
#include "sql/dictionary_build.h"

#include <stdlib.h>

#include "base/utf8.h"

ag_str ag_dictionary_home(const ag_sql_policy *p)
{
	if (p->schema.len)
		return p->schema;
	return p->dialect == AG_SQL_SQLITE ? AG_S("main") : AG_S("public");
}

/* --- which relations --- */

static const ag_sql_relation *relation(const ag_sql_catalog *c, ag_sql_name name)
{
	size_t low = 0, high = c->nrelation;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const ag_sql_relation *r = &c->relations[mid];
		int order = ag_str_cmp(r->name.schema, name.schema);

		if (order == 0)
			order = ag_str_cmp(r->name.name, name.name);
		if (order == 0)
			return r;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static bool is_visible(const ag_sql_policy *p, const ag_sql_catalog *c, const ag_sql_relation *r,
                       ag_arena *scratch)
{
	ag_sql_verdict v = { 0 };

	return ag_sql_policy_table(p, c, r->name.schema, r->name.name, scratch, &v);
}

/* A partition is left out when its parent is listed: there may be thousands. */
static bool is_part_of_visible(const ag_sql_policy *p, const ag_sql_catalog *c,
                               const ag_sql_relation *r, ag_arena *scratch)
{
	for (size_t i = 0; i < r->nparent; i++) {
		const ag_sql_relation *parent = relation(c, r->parents[i]);

		if (parent && parent->kind == AG_SQL_PARTITIONED &&
		    is_visible(p, c, parent, scratch))
			return true;
	}
	return false;
}

static int cmp(const ag_sql_policy *p, const ag_sql_relation *a, ag_str schema, ag_str name)
{
	return ag_dictionary_cmp(ag_dictionary_home(p), a->name.schema, a->name.name, schema, name);
}

/* Relations of a catalog are sorted by schema and name: only the own schema moves to the front. */
static void own_first(const ag_sql_policy *p, const ag_sql_relation **list, size_t n,
                      ag_arena *scratch)
{
	const ag_sql_relation **sorted = ag_new_n(scratch, const ag_sql_relation *, n + 1);
	size_t k = 0;

	for (int own = 1; own >= 0; own--) {
		for (size_t i = 0; i < n; i++) {
			if (ag_str_eq(list[i]->name.schema, ag_dictionary_home(p)) == own)
				sorted[k++] = list[i];
		}
	}
	memcpy(list, sorted, n * sizeof(*list));
}

const ag_sql_relation **ag_dictionary_select(const ag_sql_policy *p, const ag_sql_catalog *c,
                                             ag_arena *arena, size_t *ret_n, bool *ret_is_cut)
{
	const ag_sql_relation **list = ag_new_n(arena, const ag_sql_relation *, c->nrelation + 1);
	ag_arena *scratch = ag_arena_new();
	size_t n = 0;

	for (size_t i = 0; i < c->nrelation; i++) {
		const ag_sql_relation *r = &c->relations[i];

		if (r->kind != AG_SQL_SEQUENCE && is_visible(p, c, r, scratch) &&
		    !is_part_of_visible(p, c, r, scratch))
			list[n++] = r;
	}
	own_first(p, list, n, scratch);
	ag_arena_free(scratch);
	*ret_is_cut = n > AG_DICTIONARY_MAX_TABLES;
	*ret_n = *ret_is_cut ? AG_DICTIONARY_MAX_TABLES : n;
	return list;
}

size_t ag_dictionary_selected(const ag_sql_policy *p, const ag_sql_relation *const *list, size_t n,
                              ag_str schema, ag_str name)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = cmp(p, list[mid], schema, name);

		if (order == 0)
			return mid;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return SIZE_MAX;
}

/* --- which values --- */

static bool is_sensitive(ag_str name, const ag_dictionary_opts *o)
{
	return ag_dictionary_is_sensitive(name, o->sensitive_words, o->nsensitive_word);
}

bool ag_dictionary_is_closed(const ag_sql_catalog *c, const ag_sql_relation *r,
                             const ag_dictionary_opts *o, ag_arena *scratch)
{
	const ag_sql_relation **queue = ag_new_n(scratch, const ag_sql_relation *,
	                                         c->nrelation + 1);
	size_t n = 0;

	if (is_sensitive(r->name.name, o))
		return true;
	if (r->kind != AG_SQL_MATVIEW)
		return false;
	queue[n++] = r;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < queue[i]->ncolumn; k++) {
			if (is_sensitive(queue[i]->columns[k], o))
				return true;
		}
		for (size_t k = 0; k < queue[i]->nread; k++) {
			const ag_sql_relation *next = relation(c, queue[i]->reads[k]);
			bool is_new = true;

			if (!next || is_sensitive(next->name.name, o))
				return true; /* what is not known is not shown */
			for (size_t j = 0; j < n && is_new; j++)
				is_new = queue[j] != next;
			if (is_new)
				queue[n++] = next;
		}
	}
	return false;
}

/* "value", "setting_value", "option_data" beside a name: a row of settings. */
static bool is_of_settings(ag_str name)
{
	static const char *const ends[] = { "value",   "val",     "values", "data",
		                            "content", "setting", "text",   "string" };

	for (size_t i = 0; i < AG_NELEM(ends); i++) {
		ag_str end = ag_str_c(ends[i]);

		if (name.len >= end.len &&
		    ag_str_ieq(ag_str_make(name.ptr + name.len - end.len, end.len), end))
			return true;
	}
	return false;
}

/* What is computed may be computed from what is hidden; numbers that the server counts up are not. */
static bool is_computed(const ag_dict_column *c)
{
	return c->is_generated && !ag_str_starts(c->default_text, AG_S("generated "));
}

static bool has_sensitive(const ag_dict_table *t)
{
	for (size_t i = 0; i < t->ncolumn; i++) {
		if (t->columns[i].is_sensitive)
			return true;
	}
	return false;
}

void ag_dictionary_sampler(ag_dict_table *t, const bool *may, ag_arena *arena, ag_dict_sampler *ret)
{
	uint32_t *columns = ag_new_n(arena, uint32_t, t->ncolumn + 1);
	bool is_careful = has_sensitive(t);

	*ret = (ag_dict_sampler){ .table = t, .columns = columns };
	for (size_t i = 0; i < t->ncolumn; i++) {
		if (!may[i] || t->columns[i].is_sensitive ||
		    (is_careful && is_computed(&t->columns[i])))
			continue;
		columns[ret->ncolumn++] = (uint32_t)i;
		ret->has_settings |= is_of_settings(t->columns[i].name);
	}
}

/* Does a row name something sensitive, whose value is then in another cell? */
static bool names_a_secret(const ag_dict_sampler *s, const ag_str *cell,
                           const ag_dictionary_opts *o)
{
	for (size_t i = 0; i < s->ncolumn; i++) {
		if (cell[i].len > 1 && cell[i].len <= 100 && is_sensitive(cell[i], o))
			return true;
	}
	return false;
}

static ag_str cut(ag_str value, ag_arena *arena)
{
	ag_str head = ag_utf8_prefix(value, AG_DICTIONARY_SAMPLE_CHARS);

	if (head.len == value.len)
		return ag_str_dup(arena, value);
	return ag_str_printf(arena, "%.*s…", AG_FMT(head));
}

void ag_dictionary_take_row(ag_dict_sampler *s, const ag_str *cell, const ag_dictionary_opts *o,
                            ag_arena *arena)
{
	if (s->has_settings && names_a_secret(s, cell, o))
		return;
	for (size_t i = 0; i < s->ncolumn; i++) {
		/* The table is being built: nobody else looks at it yet. */
		ag_dict_column *c = (ag_dict_column *)(uintptr_t)&s->table->columns[s->columns[i]];
		ag_str *samples = (ag_str *)(uintptr_t)c->samples;
		bool is_new = cell[i].len > 0;
		ag_str value;

		if (!is_new || c->nsample == AG_DICTIONARY_MAX_SAMPLES)
			continue;
		if (!samples)
			c->samples = samples = ag_new_n(arena, ag_str, AG_DICTIONARY_MAX_SAMPLES);
		value = cut(cell[i], arena);
		for (size_t k = 0; k < c->nsample && is_new; k++)
			is_new = !ag_str_eq(samples[k], value);
		if (!is_new)
			continue;
		samples[c->nsample++] = value;
		s->nfull += c->nsample == AG_DICTIONARY_MAX_SAMPLES;
	}
}

void ag_dictionary_mark(ag_dict_table *t, ag_dict_column *columns, const ag_dictionary_opts *o)
{
	for (size_t i = 0; i < t->ncolumn; i++) {
		ag_dict_column *c = &columns[i];

		c->is_sensitive = is_sensitive(c->name, o);
		if (c->is_sensitive && ag_str_find(c->default_text, '\'') >= 0)
			c->default_text = AG_S("");
	}
}
