/* known -- see the header. */
#include "analyst/known.h"

#include "analyst/state.h"
#include "base/utf8.h"
#include "knowledge/statement.h"
#include "knowledge/tools.h"
#include "query/extjson.h"

#define MAX_KNOWN 2000u /* metrics or learnings of one turn */

/* --- in the log --- */

static void write_learning(const ag_know *o, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", o->key);
	ag_jw_kstr(w, "text", o->name);
	ag_jw_kkey(w, "tables");
	ag_jw_arr(w);
	for (size_t i = 0; ag_know_item(o, "tables", i).len; i++)
		ag_jw_str(w, ag_know_item(o, "tables", i));
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
}

void ag_analyst_known_write(const ag_know_prompt *p, ag_jw *w)
{
	if (!p->nshown)
		return;
	ag_jw_kkey(w, "knowledge");
	ag_jw_obj(w);
	ag_jw_kkey(w, "metrics");
	ag_jw_arr(w);
	for (size_t i = 0; i < p->nshown; i++) {
		if (p->shown[i]->kind != AG_KNOW_METRIC)
			continue;
		ag_jw_obj(w);
		ag_jw_kstr(w, "name", p->shown[i]->name);
		ag_jw_kstr(w, "sql", ag_know_text(p->shown[i], "sql"));
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "learnings");
	ag_jw_arr(w);
	for (size_t i = 0; i < p->nshown; i++) {
		if (p->shown[i]->kind == AG_KNOW_LEARNING)
			write_learning(p->shown[i], w);
	}
	ag_jw_arr_end(w);
	ag_jw_kuint(w, "left", p->nleft);
	ag_jw_obj_end(w);
}

static void add_metric(ag_analyst_known *k, ag_str name, ag_str sql, ag_arena *arena)
{
	for (size_t i = 0; i < k->nmetric; i++) {
		if (ag_str_eq(k->metrics[i].name, name))
			return;
	}
	if (name.len && sql.len && k->nmetric < MAX_KNOWN)
		k->metrics[k->nmetric++] = (ag_known_metric){ ag_str_dup(arena, name),
			                                      ag_know_plain_sql(sql, arena) };
}

static void add_learning(ag_analyst_known *k, const ag_val *v, ag_arena *arena)
{
	const ag_val *tables = ag_val_getc(v, "tables");
	const ag_str id = ag_val_member_str(v, "id"), text = ag_val_member_str(v, "text");
	ag_val *own = ag_new(arena, ag_val);

	if (!id.len || !tables || k->nlearning >= MAX_KNOWN)
		return;
	for (size_t i = 0; i < k->nlearning; i++) {
		if (ag_str_eq(k->learnings[i].key, id))
			return;
	}
	*own = ag_val_dup(arena, tables);
	k->learnings[k->nlearning++] = (ag_known_learning){
		ag_str_dup(arena, id),
		ag_str_dup(arena, text.len ? text : ag_val_member_str(v, "description")), own
	};
}

/* Room for n more of each. */
static void grow(ag_analyst_known *k, size_t n, ag_arena *arena)
{
	ag_known_metric *m = ag_new_n(arena, ag_known_metric, k->nmetric + n + 1);
	ag_known_learning *l = ag_new_n(arena, ag_known_learning, k->nlearning + n + 1);

	if (k->nmetric)
		memcpy(m, k->metrics, k->nmetric * sizeof(*m));
	if (k->nlearning)
		memcpy(l, k->learnings, k->nlearning * sizeof(*l));
	k->metrics = m;
	k->learnings = l;
}

void ag_analyst_known_read(const ag_val *v, ag_arena *arena, ag_analyst_known *k)
{
	static const char *const names[] = { "metrics", "learnings", "found" };

	for (size_t i = 0; v && i < AG_NELEM(names); i++) {
		const ag_val *list = ag_val_getc(v, names[i]);

		if (!list || list->type != AG_T_ARRAY || !list->n)
			continue;
		grow(k, list->n, arena);
		for (uint32_t j = 0; j < list->n; j++) {
			const ag_val *one = &list->u.items[j];

			const ag_str kind = ag_val_member_str(one, "kind");

			if (i == 1 || ag_str_eqc(kind, "learning"))
				add_learning(k, one, arena);
			else if (!i || ag_str_eqc(kind, "metric"))
				add_metric(k, ag_val_member_str(one, "name"),
				           ag_val_member_str(one, "sql"), arena);
		}
	}
}

/* --- metrics --- */

ag_str ag_analyst_metric_of(const ag_analyst_known *k, ag_str sql, ag_arena *arena)
{
	ag_str plain;

	if (!k->nmetric || !sql.len)
		return AG_S("");
	plain = ag_know_plain_sql(sql, arena);
	for (size_t i = 0; i < k->nmetric; i++) {
		if (ag_know_uses_sql(plain, k->metrics[i].plain))
			return k->metrics[i].name;
	}
	return AG_S("");
}

static bool is_letter_at(ag_str text, size_t i)
{
	return i < text.len && ag_utf8_is_letter(ag_utf8_next(text, &i));
}

/* Does the text hold the name as whole words? Both in small letters. */
static bool has_name(ag_str text, ag_str name)
{
	for (size_t i = 0; name.len && i + name.len <= text.len; i++) {
		if (memcmp(text.ptr + i, name.ptr, name.len) == 0 &&
		    (!i || ((unsigned char)text.ptr[i - 1] < 0x80 && !is_letter_at(text, i - 1))) &&
		    !is_letter_at(text, i + name.len))
			return true;
	}
	return false;
}

static ag_str lower(ag_str s, ag_arena *arena)
{
	char *p = ag_arena_alloc(arena, s.len + 1);

	if (s.len)
		memcpy(p, s.ptr, s.len);
	ag_utf8_lower(p, s.len);
	return ag_str_make(p, s.len);
}

static bool uses(const ag_analyst_state *s, const ag_known_metric *m, ag_arena *arena)
{
	for (size_t i = 0; i < s->nquery; i++) {
		const ag_analyst_query *q = &s->queries[i];

		if (ag_analyst_is_table(&q->result) &&
		    ag_know_uses_sql(ag_know_plain_sql(q->sql, arena), m->plain))
			return true;
	}
	return false;
}

static bool has_table(const ag_analyst_state *s)
{
	for (size_t i = 0; i < s->nquery; i++) {
		if (ag_analyst_is_table(&s->queries[i].result))
			return true;
	}
	return false;
}

ag_str ag_analyst_metric_changed(const ag_analyst_state *s, const ag_analyst_state *const *earlier,
                                 size_t nearlier, ag_arena *arena)
{
	ag_str question, answer;

	if (!s->known.nmetric || !has_table(s))
		return AG_S("");
	question = lower(s->question, arena);
	answer = lower(s->final, arena);
	for (size_t i = 0; i < s->known.nmetric; i++) {
		const ag_known_metric *m = &s->known.metrics[i];
		const ag_str name = lower(m->name, arena);
		bool is_used = !has_name(question, name) || !has_name(answer, name) ||
		               uses(s, m, arena);

		for (size_t k = 0; k < nearlier && !is_used; k++)
			is_used = uses(earlier[k], m, arena);
		if (!is_used)
			return m->name;
	}
	return AG_S("");
}

/* --- learnings --- */

/* "orders" and "public.orders" are one table. */
static bool is_table(ag_str a, ag_str b)
{
	const size_t n = a.len < b.len ? a.len : b.len;
	const ag_str longer = a.len < b.len ? b : a;

	return n &&
	       ag_str_ieq(ag_str_make(a.ptr + a.len - n, n), ag_str_make(b.ptr + b.len - n, n)) &&
	       (a.len == b.len || longer.ptr[longer.len - n - 1] == '.');
}

static bool reads_one_of(const ag_val *tables, const ag_val *of)
{
	for (uint32_t i = 0; tables && i < tables->n; i++) {
		for (uint32_t k = 0; k < of->n; k++) {
			if (tables->u.items[i].type == AG_T_STRING &&
			    of->u.items[k].type == AG_T_STRING &&
			    is_table(ag_val_text(&tables->u.items[i]),
			             ag_val_text(&of->u.items[k])))
				return true;
		}
	}
	return false;
}

size_t ag_analyst_learnings_used(const ag_analyst_state *s, ag_arena *arena,
                                 const ag_known_learning ***ret)
{
	const ag_known_learning **list = ag_new_n(arena, const ag_known_learning *,
	                                          s->known.nlearning + 1);
	size_t n = 0;

	for (size_t i = 0; i < s->known.nlearning; i++) {
		const ag_known_learning *l = &s->known.learnings[i];
		bool is_used = false;

		for (size_t k = 0; k < s->nquery && !is_used; k++) {
			const ag_analyst_result *r = &s->queries[k].result;

			is_used = ag_analyst_is_table(r) && l->tables->type == AG_T_ARRAY &&
			          reads_one_of(r->tables, l->tables);
		}
		if (is_used)
			list[n++] = l;
	}
	*ret = list;
	return n;
}

/* Failures that say that a statement cannot be right, whatever is in the tables. */
static const struct {
	const char *class_name, *category;
} wrong_classes[] = {
	{ "column_not_found", "naming" },     { "table_not_found", "naming" },
	{ "function_not_found", "naming" },   { "type_mismatch", "type_mismatch" },
	{ "invalid_value", "type_mismatch" }, { "grouping", "aggregation" },
	{ "ambiguous", "join_pattern" },      { "syntax", "other" },
};

/* The category of a learning about such a failure; NULL: it teaches nothing. */
static const char *category_of(const ag_analyst_query *q)
{
	if (!q->has_output || q->result.ok || !q->sql.len)
		return NULL;
	for (size_t i = 0; i < AG_NELEM(wrong_classes); i++) {
		if (strcmp(ag_analyst_error_class(&q->result), wrong_classes[i].class_name) == 0)
			return wrong_classes[i].category;
	}
	return NULL;
}

size_t ag_analyst_learnings_wrong(const ag_analyst_state *s, const ag_know_set *set,
                                  ag_arena *arena, ag_str ret[AG_KNOWN_MAX_WRONG])
{
	size_t n = 0;

	for (size_t i = 0; i < s->nquery; i++) {
		const ag_str failed = category_of(&s->queries[i])
		                              ? ag_know_plain_sql(s->queries[i].sql, arena)
		                              : AG_S("");

		for (size_t k = set->from[AG_KNOW_LEARNING];
		     failed.len && k < set->from[AG_KNOW_LEARNING + 1] && n < AG_KNOWN_MAX_WRONG;
		     k++) {
			const ag_know *o = &set->all[k];

			if (o->status == AG_KNOW_ACTIVE &&
			    ag_str_eq(ag_know_plain_sql(ag_know_text(o, "corrected_sql"), arena),
			              failed))
				ret[n++] = o->key;
		}
	}
	return n;
}

bool ag_analyst_lesson_of(const ag_analyst_state *s, ag_analyst_lesson *ret)
{
	const ag_analyst_query *failed = NULL;
	bool is_found = false;

	for (size_t i = 0; i < s->nquery; i++) {
		const ag_analyst_query *q = &s->queries[i];

		if (ag_str_eqc(q->tool, AG_KNOW_TOOL_LEARN) && q->has_output && q->result.ok)
			return false;
		if (category_of(q)) {
			failed = q;
		} else if (failed && ag_analyst_is_table(&q->result) && q->sql.len && !is_found) {
			*ret = (ag_analyst_lesson){ .original_sql = failed->sql,
				                    .corrected_sql = q->sql,
				                    .error = failed->result.error,
				                    .category = category_of(failed),
				                    .tables = q->result.tables };
			is_found = true;
		}
	}
	return is_found;
}
