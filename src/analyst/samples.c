/* samples -- see the header. A table is asked for what its columns are: a measure (a number that is no key), a category (a
 * short text that repeats), a day, a reference to another table. */
#include "analyst/samples.h"

static bool sample_type_is(const ag_dict_column *c, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const ag_str word = ag_str_c(words[i]);

		for (size_t at = 0; at + word.len <= c->type.len; at++) {
			if (ag_str_ieq(ag_str_make(c->type.ptr + at, word.len), word))
				return true;
		}
	}
	return false;
}

static bool sample_is_key(const ag_dict_table *t, const ag_dict_column *c)
{
	if (c->is_primary_key || ag_str_eqc(c->name, "id") || ag_str_ends(c->name, AG_S("_id")))
		return true;
	for (size_t i = 0; i < t->nforeign_key; i++) {
		if (ag_str_eq(t->foreign_keys[i].column, c->name))
			return true;
	}
	return false;
}

static const ag_dict_column *sample_measure(const ag_dict_table *t)
{
	static const char *const types[] = { "real",   "numeric", "decimal",
		                             "double", "money",   "float" };
	static const char *const whole[] = { "int" };
	const ag_dict_column *best = NULL;

	for (size_t i = 0; i < t->ncolumn; i++) {
		const ag_dict_column *c = &t->columns[i];

		if (sample_is_key(t, c) || c->is_sensitive)
			continue;
		/* The last of them: "shipping, total". */
		if (sample_type_is(c, types, AG_NELEM(types)) ||
		    (sample_type_is(c, whole, 1) && (!best || sample_type_is(best, whole, 1))))
			best = c;
	}
	return best;
}

/* A text whose samples are short words, no codes and no sentences. */
static const ag_dict_column *sample_category(const ag_dict_table *t)
{
	static const char *const types[] = { "char", "text" };

	for (size_t i = 0; i < t->ncolumn; i++) {
		const ag_dict_column *c = &t->columns[i];
		bool good = c->nsample > 1 || c->enum_name.len;

		for (size_t k = 0; k < c->nsample; k++) {
			const ag_str s = c->samples[k];

			good = good && s.len > 1 && s.len <= 24 && ag_str_find(s, '@') < 0 &&
			       !(s.ptr[0] >= '0' && s.ptr[0] <= '9');
			for (size_t j = 0; j < s.len; j++)
				good = good && !(s.ptr[j] >= '0' && s.ptr[j] <= '9');
		}
		if (good && !sample_is_key(t, c) && !c->is_sensitive &&
		    !ag_str_contains(c->name, AG_S("name")) &&
		    (c->enum_name.len || sample_type_is(c, types, AG_NELEM(types))))
			return c;
	}
	return NULL;
}

static const ag_dict_column *sample_day(const ag_dict_table *t)
{
	static const char *const types[] = { "date", "timestamp" };

	for (size_t i = 0; i < t->ncolumn; i++) {
		if (sample_type_is(&t->columns[i], types, AG_NELEM(types)))
			return &t->columns[i];
	}
	return NULL;
}

/* "order_items" as people say it. */
static ag_str sample_words(ag_str name, ag_arena *arena)
{
	char *to = ag_str_cstr(arena, name);

	for (size_t i = 0; i < name.len; i++)
		to[i] = to[i] == '_' ? ' ' : to[i];
	return ag_str_make(to, name.len);
}

/* "total revenue", but not "total total". */
static ag_str sample_total(const ag_dict_column *measure, ag_arena *arena)
{
	const ag_str words = sample_words(measure->name, arena);

	return ag_str_contains(words, AG_S("total"))
	               ? words
	               : ag_str_printf(arena, "total %.*s", AG_FMT(words));
}

static bool sample_add(ag_str *ret, size_t *n, ag_str question)
{
	if (*n < AG_ANALYST_MAX_SAMPLES)
		ret[(*n)++] = question;
	return *n < AG_ANALYST_MAX_SAMPLES;
}

/* Up to three questions about one table, the telling ones first. */
static void sample_table(const ag_dict_table *t, ag_arena *arena, ag_str *ret, size_t *n)
{
	const ag_dict_column *measure = sample_measure(t), *category = sample_category(t),
			     *day = sample_day(t);
	const ag_str table = sample_words(t->name, arena);

	if (category && measure)
		AG_IGNORE(sample_add(ret, n,
		                     ag_str_printf(
					     arena, "Which %.*s has the highest %.*s of %.*s?",
					     AG_FMT(sample_words(category->name, arena)),
					     AG_FMT(sample_total(measure, arena)), AG_FMT(table))),
		          "full is enough");
	if (day)
		AG_IGNORE(sample_add(
				  ret, n,
				  measure ? ag_str_printf(
						    arena,
						    "How did the %.*s of %.*s develop by month?",
						    AG_FMT(sample_total(measure, arena)),
						    AG_FMT(table))
					  : ag_str_printf(arena,
		                                          "How many %.*s are there for each month?",
		                                          AG_FMT(table))),
		          "full is enough");
	if (t->nforeign_key && !ag_str_eq(t->foreign_keys[0].references_table, t->name))
		AG_IGNORE(sample_add(ret, n,
		                     ag_str_printf(arena, "Which 5 %.*s have the most %.*s?",
		                                   AG_FMT(sample_words(
							   t->foreign_keys[0].references_table,
							   arena)),
		                                   AG_FMT(table))),
		          "full is enough");
	else if (category && !measure)
		AG_IGNORE(sample_add(ret, n,
		                     ag_str_printf(arena, "How many %.*s are there for each %.*s?",
		                                   AG_FMT(table),
		                                   AG_FMT(sample_words(category->name, arena)))),
		          "full is enough");
}

size_t ag_analyst_samples(const ag_dictionary *d, ag_arena *arena,
                          ag_str ret[AG_ANALYST_MAX_SAMPLES])
{
	const ag_dict_table *largest[3] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < d->ntable; i++) {
		const ag_dict_table *t = &d->tables[i];

		for (size_t k = 0; k < AG_NELEM(largest); k++) {
			const ag_dict_table *other = largest[k];

			if (other && other->row_count >= t->row_count)
				continue;
			largest[k] = t;
			t = other;
			if (!t)
				break;
		}
	}
	if (largest[0])
		AG_IGNORE(sample_add(ret, &n,
		                     ag_str_printf(arena, "How many %.*s are there?",
		                                   AG_FMT(sample_words(largest[0]->name, arena)))),
		          "full is enough");
	for (size_t k = 0; k < AG_NELEM(largest) && largest[k]; k++)
		sample_table(largest[k], arena, ret, &n);
	return n;
}
