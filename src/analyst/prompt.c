/* prompt -- see the header. Read ag_analyst_prompt_make(). */
#include "analyst/prompt.h"

#include <stdlib.h>

#include "agent/prompt_file.h"
#include "analyst/result.h"
#include "base/utf8.h"
#include "knowledge/knowledge.h"
#include "knowledge/recipe.h"

#define SECTION_BYTES  (1u << 20)
#define COMMENT_CHARS  200u
#define SAMPLE_BYTES   40u
#define DEFAULT_ROWS   500u
#define DEFAULT_SECOND 30.0
#define MAX_RECIPES    20u /* that are named */
#define MAX_OPTIONS    8u  /* of one variable */
#define MAX_ASKED      400 /* words of a question that rank the schema */

/* --- the dictionary --- */

static void write_key(const ag_dict_table *t, ag_str column, ag_buf *out)
{
	for (size_t i = 0; i < t->nforeign_key; i++) {
		const ag_dict_key *k = &t->foreign_keys[i];

		if (ag_str_eq(k->column, column))
			ag_buf_addf(out, ", references %.*s.%.*s", AG_FMT(k->references_table),
			            AG_FMT(k->references_column));
	}
}

static void write_column(const ag_dict_table *t, const ag_dict_column *c, ag_buf *out)
{
	ag_buf_addf(out, "- %.*s %.*s", AG_FMT(c->name), AG_FMT(c->type));
	if (c->is_primary_key)
		ag_buf_adds(out, ", primary key");
	else if (!c->is_nullable)
		ag_buf_adds(out, ", not null");
	write_key(t, c->name, out);
	for (size_t i = 0; i < c->nsample && !c->is_sensitive; i++)
		ag_buf_addf(out, "%s%.*s", i ? " | " : ", for example ",
		            AG_FMT(ag_utf8_prefix(c->samples[i], SAMPLE_BYTES)));
	if (c->comment.len)
		ag_buf_addf(out, ": %.*s", AG_FMT(ag_utf8_prefix(c->comment, COMMENT_CHARS)));
	ag_buf_addc(out, '\n');
}

/* "orders (table, about 1200 rows): comment" */
static void write_head(const ag_dict_table *t, ag_buf *out)
{
	ag_buf_addf(out, "%.*s (%s", AG_FMT(t->name), t->type ? t->type : "table");
	if (t->row_count >= 0)
		ag_buf_addf(out, ", %s%lld rows", t->is_row_count_exact ? "" : "about ",
		            (long long)t->row_count);
	ag_buf_addc(out, ')');
	if (t->comment.len)
		ag_buf_addf(out, ": %.*s", AG_FMT(ag_utf8_prefix(t->comment, COMMENT_CHARS)));
	ag_buf_addc(out, '\n');
}

void ag_analyst_table_text(const ag_dict_table *t, ag_buf *out)
{
	write_head(t, out);
	for (size_t i = 0; i < t->ncolumn; i++)
		write_column(t, &t->columns[i], out);
}

static void write_enums(const ag_dictionary *d, ag_buf *out)
{
	for (size_t i = 0; i < d->nenum; i++) {
		ag_buf_addf(out, "enum %.*s: ", AG_FMT(d->enums[i].name));
		for (size_t k = 0; k < d->enums[i].nvalue; k++)
			ag_buf_addf(out, "%s%.*s", k ? ", " : "", AG_FMT(d->enums[i].values[k]));
		ag_buf_addc(out, '\n');
	}
}

static void write_full(const ag_dictionary *d, ag_buf *out)
{
	for (size_t i = 0; i < d->ntable; i++)
		ag_analyst_table_text(&d->tables[i], out);
	write_enums(d, out);
}

/* --- rank --- */

typedef struct ranked {
	const ag_dict_table *table;
	unsigned score;
	size_t at; /* in the dictionary: ties keep its order */
} ranked;

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (unsigned char)c >= 0x80;
}

/* Do a word of the question and a part of a name mean the same? "orders" and "order" do. */
static bool is_like(ag_str word, ag_str part)
{
	const size_t n = word.len < part.len ? word.len : part.len;

	return n >= 3 && word.len <= part.len + 2 && part.len <= word.len + 2 &&
	       ag_str_ieq(ag_str_make(word.ptr, n), ag_str_make(part.ptr, n));
}

/* Takes the next word of letters and digits off the front; false at the end. */
static bool next_word(ag_str *rest, ag_str *ret)
{
	size_t i = 0, begin;

	*ret = AG_S("");
	if (!rest->len) /* its pointer may be NULL */
		return false;
	while (i < rest->len && !is_letter(rest->ptr[i]))
		i++;
	begin = i;
	while (i < rest->len && is_letter(rest->ptr[i]))
		i++;
	*ret = ag_str_make(rest->ptr + begin, i - begin);
	*rest = ag_str_make(rest->ptr + i, rest->len - i);
	return ret->len > 0;
}

/* The words of a question in lists by their first letter: a name of the schema meets few of them. */
typedef struct asked {
	ag_str words[MAX_ASKED];
	short next[MAX_ASKED], head[256]; /* 1-based, 0 = the end */
} asked;

static unsigned char first_of(ag_str word)
{
	const char c = word.ptr[0];

	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static const asked *words_of(ag_str question, ag_arena *arena)
{
	asked *ret = ag_new(arena, asked);
	ag_str word;

	for (short n = 0; n < MAX_ASKED && next_word(&question, &word);) {
		short *head = &ret->head[first_of(word)];

		ret->words[n] = word;
		ret->next[n++] = *head;
		*head = n;
	}
	return ret;
}

static unsigned fits(const asked *q, ag_str name)
{
	unsigned n = 0;
	ag_str part;

	while (next_word(&name, &part)) {
		for (short i = q->head[first_of(part)]; i; i = q->next[i - 1])
			n += is_like(q->words[i - 1], part);
	}
	return n;
}

static unsigned score_of(const ag_dict_table *t, const asked *q)
{
	unsigned ret = 10 * fits(q, t->name) + fits(q, t->comment);

	for (size_t i = 0; i < t->ncolumn; i++)
		ret += 2 * fits(q, t->columns[i].name);
	return ret;
}

static int by_score(const void *a, const void *b)
{
	const ranked *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static ranked *rank(const ag_dictionary *d, ag_str question, ag_arena *arena)
{
	const asked *q = words_of(ag_utf8_prefix(question, 2000), arena);
	ranked *ret = ag_new_n(arena, ranked, d->ntable + 1);

	for (size_t i = 0; i < d->ntable; i++)
		ret[i] = (ranked){ &d->tables[i], score_of(&d->tables[i], q), i };
	if (d->ntable)
		qsort(ret, d->ntable, sizeof(*ret), by_score);
	return ret;
}

/* --- sections --- */

static void add(ag_analyst_prompt *p, const char *name, ag_str text)
{
	if (!text.len)
		return;
	AG_ASSERT(p->nsection < AG_ANALYST_MAX_SECTIONS);
	p->sections[p->nsection++] = (ag_analyst_section){ name, text };
}

/* A heading, then the text between marks. Releases text. */
static ag_str fenced_section(const char *heading, ag_str intro, ag_buf *text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(2 * SECTION_BYTES);
	ag_str ret;

	ag_buf_addf(&out, "# %s\n%.*s%s", heading, AG_FMT(intro), intro.len ? "\n" : "");
	ag_analyst_fence(&out, "dictionary", ag_str_trim(ag_buf_view(text)));
	ret = ag_str_trim(ag_buf_dup(arena, &out));
	ag_buf_release(&out);
	ag_buf_release(text);
	return ret;
}

/* Names of all tables, as far as they fit: the list is in the dictionary's order; when it does not fit, in that of the
 * question. */
static ag_status add_list(const ag_analyst_prompt_opts *o, size_t max_bytes, ag_arena *arena,
                          ag_analyst_prompt *ret, ag_err *err)
{
	const ag_dictionary *d = o->dictionary;
	const ag_prompt_value values[] = {
		{ "tables", ag_str_printf(arena, "%zu", d->ntable) },
	};
	ag_buf out = AG_BUF_INIT(16 * SECTION_BYTES);
	ag_str intro = AG_S("");
	ag_status st = AG_OK;

	for (size_t i = 0; i < d->ntable; i++)
		write_head(&d->tables[i], &out);
	if (out.len > max_bytes) {
		const ranked *best = rank(d, o->question, arena);
		size_t n = 0;

		ag_buf_clear(&out);
		for (; n < d->ntable && out.len < max_bytes; n++)
			write_head(best[n].table, &out);
		ag_buf_addf(&out, "and %zu further tables that are not shown\n", d->ntable - n);
	}
	if (d->ntable > AG_ANALYST_INLINE_TABLES)
		st = ag_prompt_file("prompts/analyst/large_schema.md", values, 1, arena, &intro,
		                    err);
	if (st)
		ag_buf_release(&out);
	else
		add(ret, "dictionary", fenced_section("Database schema", intro, &out, arena));
	return st;
}

/* The columns of the tables that fit the question best, within the budget. */
static void add_ranked(const ag_analyst_prompt_opts *o, size_t max_bytes, ag_arena *arena,
                       ag_analyst_prompt *ret)
{
	const ranked *best = rank(o->dictionary, o->question, arena);
	ag_buf out = AG_BUF_INIT(16 * SECTION_BYTES), one = AG_BUF_INIT(16 * SECTION_BYTES);

	for (size_t i = 0; i < o->dictionary->ntable; i++) {
		ag_buf_clear(&one);
		ag_analyst_table_text(best[i].table, &one);
		if (out.len + one.len <= max_bytes)
			ag_buf_add(&out, ag_buf_view(&one));
	}
	ag_buf_release(&one);
	if (out.len)
		add(ret, "ranked",
		    fenced_section("Columns of the tables that fit the question", AG_S(""), &out,
		                   arena));
	else
		ag_buf_release(&out);
}

static ag_status add_dictionary(const ag_analyst_prompt_opts *o, ag_arena *arena, bool *ret_ranked,
                                ag_analyst_prompt *ret, ag_err *err)
{
	const size_t max_bytes = o->dictionary_bytes ? o->dictionary_bytes
	                                             : AG_ANALYST_PROMPT_BYTES;
	ag_buf out = AG_BUF_INIT(16 * SECTION_BYTES);

	*ret_ranked = false;
	if (!o->dictionary) {
		add(ret, "dictionary",
		    ag_str_printf(arena,
		                  "# Database schema\nThe data dictionary cannot be read now "
		                  "(%.*s). Call describe_table before you use a table.",
		                  AG_FMT(o->no_dictionary)));
		return AG_OK;
	}
	if (o->dictionary->ntable <= AG_ANALYST_INLINE_TABLES) {
		write_full(o->dictionary, &out);
		if (!o->dictionary->ntable)
			ag_buf_adds(&out, "There is no table that you may read.");
		if (!out.failed && out.len <= max_bytes) {
			add(ret, "dictionary",
			    fenced_section("Database schema", AG_S(""), &out, arena));
			return AG_OK;
		}
		*ret_ranked = true;
	}
	ag_buf_release(&out);
	return add_list(o, max_bytes, arena, ret, err);
}

static ag_str configuration(const ag_analyst_prompt_opts *o, ag_arena *arena)
{
	const ag_project_settings *s = &o->project->settings;
	const bool is_sqlite = ag_str_starts(o->project->source, AG_S("sqlite:"));
	const ag_str schema = s->schema.len ? s->schema : is_sqlite ? AG_S("main") : AG_S("public");
	char today[AG_TIME_MAX_TEXT];

	ag_time_format(today, o->now_ms);
	return ag_str_printf(
		arena,
		"# Query Configuration\n"
		"- Database: %s\n"
		"- Maximum rows per query: %llu\n"
		"- Query timeout: %g seconds\n"
		"- Schema: %.*s\n"
		"- Today: %.10s",
		is_sqlite ? "SQLite. Dates are texts: use date(), datetime() and strftime('%Y-%m', "
			    "x). There are no types date and timestamp, no date_trunc and no ILIKE"
			  : "PostgreSQL. Use date_trunc() and extract(), and cast with x::numeric",
		(unsigned long long)(s->max_rows ? s->max_rows : DEFAULT_ROWS),
		s->timeout > 0 ? s->timeout : DEFAULT_SECOND, AG_FMT(schema), today);
}

/* "Weekly: Orders of a week (region: North, South; week)" */
static void write_recipe(const ag_know *o, ag_arena *arena, ag_buf *out)
{
	ag_recipe r;

	ag_recipe_read(&o->body, arena, &r);
	ag_buf_addf(out, "%.*s: %.*s", AG_FMT(o->name),
	            AG_FMT(ag_utf8_prefix(r.description, COMMENT_CHARS)));
	for (size_t i = 0; i < r.nvariable; i++) {
		const ag_recipe_variable *v = &r.variables[i];

		ag_buf_addf(out, "%s%.*s: %s", i ? "; " : " (", AG_FMT(v->name),
		            ag_recipe_type_name(v->type));
		for (uint32_t k = 0; v->options && k < v->options->n && k < MAX_OPTIONS; k++)
			ag_buf_addf(out, "%s%.*s", k ? ", " : " of ",
			            AG_FMT(ag_utf8_prefix(ag_val_text(&v->options->u.items[k]),
			                                  SAMPLE_BYTES)));
		if (v->has_default)
			ag_buf_addf(out, ", default %.*s",
			            AG_FMT(ag_utf8_prefix(v->by_default, SAMPLE_BYTES)));
	}
	ag_buf_adds(out, r.nvariable ? ")\n" : "\n");
}

/* What recipes are for, and those that this user may run. */
static ag_status add_recipes(const ag_analyst_prompt_opts *o, ag_arena *arena,
                             ag_analyst_prompt *ret, ag_err *err)
{
	/* In the file a placeholder of a recipe would be a place to fill. */
	const ag_prompt_value values[] = { { "placeholder", AG_S("{{name}}") } };
	const ag_know_set *set = o->knowledge;
	ag_buf list = AG_BUF_INIT(SECTION_BYTES), out = AG_BUF_INIT(2 * SECTION_BYTES);
	size_t n = 0;
	ag_str text;
	ag_status st = ag_prompt_file("prompts/analyst/recipe.md", values, AG_NELEM(values), arena,
	                              &text, err);

	for (size_t i = set->from[AG_KNOW_RECIPE]; i < set->from[AG_KNOW_RECIPE + 1] && !st; i++) {
		if (set->all[i].status != AG_KNOW_ACTIVE ||
		    !ag_know_is_visible(&set->all[i], o->recipes_of, o->project->id) ||
		    n++ >= MAX_RECIPES)
			continue;
		write_recipe(&set->all[i], arena, &list);
	}
	if (n > MAX_RECIPES)
		ag_buf_addf(&list, "and %zu further ones, which run_recipe names\n",
		            n - MAX_RECIPES);
	ag_buf_add(&out, st ? AG_S("") : text);
	if (n) {
		ag_buf_adds(&out, "\nThe project has these:\n");
		ag_analyst_fence(&out, "recipes", ag_str_trim(ag_buf_view(&list)));
	}
	if (!st && !out.failed)
		add(ret, "recipes", ag_str_trim(ag_buf_dup(arena, &out)));
	ag_buf_release(&list);
	ag_buf_release(&out);
	return st;
}

/* The knowledge, and what the tools for it are for. */
static ag_status make_knowledge(const ag_analyst_prompt_opts *o, ag_arena *arena,
                                ag_analyst_prompt *ret, ag_err *err)
{
	const ag_know_prompt_opts k = { .set = o->knowledge,
		                        .dictionary = o->dictionary,
		                        .question = o->question,
		                        .max_bytes = o->knowledge_bytes,
		                        .now_ms = o->now_ms };
	ag_str text;
	ag_status st = AG_OK;

	if (!o->knowledge)
		return AG_OK;
	ag_know_prompt_make(&k, arena, &ret->known);
	add(ret, "knowledge", ret->known.stable);
	if (o->learns) {
		st = ag_prompt_file("prompts/analyst/learning.md", NULL, 0, arena, &text, err);
		if (!st)
			add(ret, "learning", text);
	}
	if (!st && o->recipes_of)
		st = add_recipes(o, arena, ret, err);
	if (!st && o->draws) {
		/* What a specification has in the place of a column looks like a place of the file. */
		static const ag_prompt_value columns[] = {
			{ "month", { "{{sales.month}}", sizeof("{{sales.month}}") - 1 } },
			{ "total", { "{{sales.total}}", sizeof("{{sales.total}}") - 1 } },
		};

		st = ag_prompt_file("prompts/analyst/artifact.md", columns, AG_NELEM(columns),
		                    arena, &text, err);
		if (!st)
			add(ret, "artifact", text);
	}
	return st;
}

static ag_str joined(const ag_analyst_prompt *p, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64 * SECTION_BYTES);
	ag_str ret;

	for (size_t i = 0; i < p->nsection; i++)
		ag_buf_addf(&out, "%s%.*s", i ? "\n\n" : "", AG_FMT(p->sections[i].text));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_status ag_analyst_prompt_make(const ag_analyst_prompt_opts *o, ag_arena *arena,
                                 ag_analyst_prompt *ret, ag_err *err)
{
	const ag_str own = ag_str_trim(o->project->settings.system_prompt);
	const ag_prompt_value values[] = {
		{ "retries", ag_str_printf(arena, "%u", o->retries) },
	};
	bool is_ranked = false;
	ag_str base;
	ag_status st;

	*ret = (ag_analyst_prompt){ 0 };
	st = ag_prompt_file("prompts/analyst/base.md", values, AG_NELEM(values), arena, &base, err);
	if (!st)
		st = ag_prompt_file("prompts/analyst/last_words.md", NULL, 0, arena,
		                    &ret->last_words, err);
	if (st)
		return st;
	add(ret, "base", base);
	if (own.len)
		add(ret, "project",
		    ag_str_printf(arena, "# Project-Specific Instructions\n%.*s", AG_FMT(own)));
	st = make_knowledge(o, arena, ret, err);
	if (!st)
		st = add_dictionary(o, arena, &is_ranked, ret, err);
	if (st)
		return st;
	if (o->is_step) {
		st = ag_prompt_file("prompts/analyst/recipe_step.md", NULL, 0, arena, &base, err);
		if (st)
			return st;
		add(ret, "step", base);
	}
	add(ret, "configuration", configuration(o, arena));
	add(ret, "ranked_knowledge", ret->known.ranked);
	if (is_ranked)
		add_ranked(o, o->dictionary_bytes ? o->dictionary_bytes : AG_ANALYST_PROMPT_BYTES,
		           arena, ret);
	ret->system = joined(ret, arena);
	return AG_OK;
}
