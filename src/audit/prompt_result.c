/* prompt_result -- what a tool gave, in the few lines that a planner needs of it.
 *
 * The log and the report have all of a result; here documents are excerpts and values are short. Values of personal
 * fields are masked as in a report; of a pipeline that reads a personal field everything is, because its results may hold
 * that field's values under any name. */
#include "audit/mask.h"
#include "audit/prompt_parts.h"
#include "audit/tools.h"
#include "base/num.h"
#include "query/extjson.h"

#define DOCUMENTS      3
#define DOCUMENT_BYTES 500
#define RESULTS        12
#define RESULT_BYTES   240
#define TOP_VALUES     3
#define VALUE_BYTES    40

typedef struct result {
	const ag_val *v;
	bool show_values;
	ag_arena *arena;
	ag_buf *out;
} result;

static ag_val shown(const result *r, ag_str path, const ag_val *v)
{
	return r->show_values ? *v : ag_mask_val(path, v, r->arena);
}

static uint32_t items_of(const ag_val *v, const char *name, const ag_val **ret)
{
	const ag_val *list = ag_val_getc(v, name);

	*ret = list;
	return list && list->type == AG_T_ARRAY ? list->n : 0;
}

static void documents(const result *r)
{
	const ag_val *docs, *where;
	const uint32_t n = items_of(r->v, "documents", &docs),
		       nwhere = items_of(r->v, "where", &where);

	for (uint32_t i = 0; i < n && i < DOCUMENTS; i++) {
		const ag_val v = shown(r, AG_S(""), &docs->u.items[i]);

		if (i < nwhere && where->u.items[i].type == AG_T_STRING) {
			ag_prompt_data(r->out, ag_val_text(&where->u.items[i]), 80);
			ag_buf_adds(r->out, ": ");
		}
		ag_prompt_json(r->out, &v, DOCUMENT_BYTES, r->arena);
		ag_buf_addc(r->out, '\n');
	}
	if (n > DOCUMENTS)
		ag_buf_addf(r->out, "+%u documents that were returned are not shown\n",
		            n - DOCUMENTS);
}

static void results(const result *r)
{
	const ag_val *rows, *pipeline = ag_val_getc(r->v, "pipeline");
	const uint32_t n = items_of(r->v, "results", &rows);
	const ag_str field = pipeline && !r->show_values ? ag_mask_query_field(pipeline, r->arena)
	                                                 : AG_S("");

	for (uint32_t i = 0; i < n && i < RESULTS; i++) {
		const ag_val v = shown(r, field, &rows->u.items[i]);

		ag_prompt_json(r->out, &v, RESULT_BYTES, r->arena);
		ag_buf_addc(r->out, '\n');
	}
	if (n > RESULTS)
		ag_buf_addf(r->out, "+%u results that were returned are not shown\n", n - RESULTS);
}

/* ---- profile_fields ---- */

/* "min 0, median 41, max 430" of those that the result has. */
static void range(const result *r, const ag_val *f, ag_str path)
{
	static const char *const names[] = { "min",    "median",        "max",          "earliest",
		                             "latest", "median_length", "empty_strings" };
	bool first = true;

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		const ag_val *v = ag_val_getc(f, names[i]);
		ag_val value;

		if (!v || (ag_type_is_number(v->type) && i >= 5 && ag_val_number(v) == 0))
			continue;
		value = i < 5 ? shown(r, path, v) : *v;
		ag_buf_addf(r->out, "%s%s ", first ? " | " : ", ", names[i]);
		ag_prompt_json(r->out, &value, VALUE_BYTES, r->arena);
		first = false;
	}
}

static void top_values(const result *r, const ag_val *f, ag_str path, unsigned max)
{
	const ag_val *list;
	const uint32_t n = items_of(f, "top_values", &list);

	for (uint32_t i = 0; i < n && i < max; i++) {
		const ag_val *v = ag_val_getc(&list->u.items[i], "value");
		const ag_val value = v ? shown(r, path, v) : ag_val_null();

		ag_buf_adds(r->out, i ? ", " : " | top ");
		ag_prompt_json(r->out, &value, VALUE_BYTES, r->arena);
		ag_buf_addf(r->out, " x%llu",
		            (unsigned long long)ag_val_member_u64(&list->u.items[i], "count"));
	}
}

static void profile(const result *r, unsigned ntop)
{
	const ag_val *fields;
	const uint32_t n = items_of(r->v, "fields", &fields);

	for (uint32_t i = 0; i < n && !r->out->failed; i++) {
		const ag_val *f = &fields->u.items[i];
		const ag_str path = ag_val_member_str(f, "path");

		ag_prompt_data(r->out, path, 120);
		ag_buf_adds(r->out, " | ");
		ag_prompt_types(r->out, ag_val_getc(f, "types"), r->arena);
		ag_buf_addf(r->out, " | missing %llu, null %llu | distinct %llu",
		            (unsigned long long)ag_val_member_u64(f, "missing_count"),
		            (unsigned long long)ag_val_member_u64(f, "null_count"),
		            (unsigned long long)ag_val_member_u64(f, "distinct"));
		range(r, f, path);
		top_values(r, f, path, ntop);
		ag_buf_addc(r->out, '\n');
	}
}

/* ---- one result ---- */

/* Whole lines of text, as many as fit; what is left out is counted. */
static void add_lines(ag_buf *out, ag_str text, size_t max)
{
	size_t left_out = 0;

	for (size_t used = 0; text.len;) {
		const ag_str line = ag_str_split(&text, '\n');

		used += line.len + 1;
		if (used + 40 > max) {
			left_out++;
			continue;
		}
		ag_buf_add(out, line);
		ag_buf_addc(out, '\n');
	}
	if (left_out)
		ag_buf_addf(out, "… +%zu more lines are not shown\n", left_out);
}

static ag_val masked_stat(const ag_trace_entry *t, bool show_values, ag_arena *arena)
{
	const ag_val *v = ag_val_getc(&t->result, "value");

	if (!v)
		return ag_val_null();
	return show_values ? *v : ag_mask_val(ag_val_member_str(&t->result, "field"), v, arena);
}

void ag_prompt_result(ag_buf *out, const ag_trace_entry *t, bool show_values, size_t max,
                      ag_arena *arena)
{
	ag_buf text = AG_BUF_INIT(64UL * 1024);
	const result r = { &t->result, show_values, arena, &text };

	if (!t->ok || t->result.type != AG_T_OBJECT)
		return;
	if (ag_str_eqc(t->action, "run_query")) {
		documents(&r);
	} else if (ag_str_eqc(t->action, "aggregate")) {
		results(&r);
	} else if (ag_str_eqc(t->action, "profile_fields")) {
		/* Many fields: their top values are given up first. */
		for (unsigned ntop = TOP_VALUES;; ntop--) {
			ag_buf_clear(&text);
			profile(&r, ntop);
			if (!ntop || text.len <= max)
				break;
		}
	}
	add_lines(out, ag_buf_view(&text), max);
	ag_buf_release(&text);
}

static const ag_evaluation *verdict_on(const ag_audit_state *s, ag_str call_id)
{
	for (size_t i = s->evaluations.n; i-- > 0;) {
		const ag_evaluation *e = &s->evaluations.items[i];

		if (ag_str_eqc(e->gate, "action") && ag_str_eq(e->target_id, call_id))
			return e;
	}
	return NULL;
}

/* Of the candidate of that step. An earlier one of the same field and category was replaced by it. */
static const char *what_became(const ag_audit_state *s, unsigned iteration)
{
	for (size_t i = 0; i < s->findings.n; i++)
		if (s->findings.items[i].iteration == iteration)
			return ag_str_eqc(s->findings.items[i].status, "pending_review")
			               ? "; waits for a person"
			               : "; committed";
	for (size_t i = 0; i < s->dismissed.n; i++)
		if (s->dismissed.items[i].iteration == iteration)
			return "; dismissed";
	return "; not kept";
}

void ag_prompt_outcome(ag_buf *out, const ag_audit_state *s, const ag_trace_entry *t,
                       bool show_values, size_t max, ag_arena *arena)
{
	const ag_evaluation *e;
	ag_val value;

	if (t->executed && !t->ok) {
		ag_buf_adds(out, "failed: ");
		ag_prompt_data(out,
		               t->hint.len ? ag_str_printf(arena, "%.*s (%.*s)", AG_FMT(t->error),
		                                           AG_FMT(t->hint))
		                           : t->error,
		               max);
		return;
	}
	if (t->executed && ag_str_eqc(t->action, "get_stats")) {
		/* The summary quotes the value: written again, with the masked one. */
		value = masked_stat(t, show_values, arena);
		ag_prompt_data(
			out,
			ag_str_printf(arena, "%.*s of %.*s: %.*s",
		                      AG_FMT(ag_val_member_str(&t->result, "operation")),
		                      AG_FMT(ag_val_member_str(&t->result, "field")),
		                      AG_FMT(ag_extjson_str(arena, &value, AG_EXTJSON_RELAXED))),
			max);
		return;
	}
	if (t->executed) {
		ag_prompt_data(out, t->summary, max);
		if (ag_str_eqc(t->action, "write_finding"))
			ag_buf_adds(out, what_became(s, t->iteration));
		return;
	}
	e = verdict_on(s, t->call_id);
	if (t->note.len)
		ag_prompt_data(out, t->note, max);
	else if (e && ag_str_eqc(e->verdict, "fail")) {
		ag_buf_adds(out, "rejected: ");
		ag_prompt_data(out, e->reason, max);
	} else {
		ag_buf_adds(out, "not run");
	}
}
