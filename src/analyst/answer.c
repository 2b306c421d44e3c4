/* answer -- see the header. */
#include "analyst/answer.h"

#include "base/time.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define TEXT_BYTES   (1u << 20)
#define FILTER_BYTES 300u

ag_str ag_analyst_answer_text(const ag_analyst_state *s)
{
	return s->has_final ? s->final : AG_S("");
}

/* --- JSON --- */

static void write_value(ag_jw *w, const char *key, const ag_val *v, ag_arena *arena)
{
	if (v)
		ag_jw_kraw(w, key, ag_extjson_str(arena, v, AG_EXTJSON_RELAXED));
}

static void write_filters(ag_jw *w, ag_str sql)
{
	ag_str filters[AG_ANALYST_MAX_FILTERS];
	const size_t n = ag_analyst_filters(sql, filters);

	ag_jw_kkey(w, "filters");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_jw_str(w, filters[i]);
	ag_jw_arr_end(w);
}

static void write_query(ag_jw *w, const ag_analyst_state *s, const ag_analyst_query *q,
                        bool with_rows, ag_arena *arena)
{
	const ag_analyst_result *r = &q->result;
	const ag_str metric = ag_analyst_metric_of(&s->known, q->sql, arena);

	ag_jw_obj(w);
	if (q->name.len)
		ag_jw_kstr(w, "name", q->name);
	ag_jw_kstr(w, "tool", q->tool);
	if (q->sql.len)
		ag_jw_kstr(w, "sql", q->sql);
	ag_jw_kbool(w, "ok", q->has_output && r->ok);
	if (!q->has_output && !q->is_refused) {
		ag_jw_kstr(w, "error", AG_S("it was interrupted"));
	} else if (!r->ok) {
		ag_jw_kstr(w, "error", r->error);
		ag_jw_kstr(w, "class",
		           q->is_refused ? AG_S("not_run") : ag_str_c(ag_analyst_error_class(r)));
	}
	write_value(w, "tables", r->tables, arena);
	if (q->sql.len)
		write_filters(w, q->sql);
	if (metric.len)
		ag_jw_kstr(w, "metric", metric);
	if (ag_analyst_is_table(r)) {
		write_value(w, "columns", r->columns, arena);
		ag_jw_kuint(w, "row_count", r->row_count);
		ag_jw_kbool(w, "truncated", r->is_cut);
		if (with_rows)
			write_value(w, "rows", r->rows, arena);
	}
	if (q->has_output) {
		ag_jw_ktime(w, "at", q->at_ms);
		ag_jw_kint(w, "latency_ms", q->latency_ms);
	}
	ag_jw_obj_end(w);
}

/* "learnings": what the prompt said about tables that the answer reads. */
static void write_learnings(ag_jw *w, const ag_analyst_state *s, ag_arena *arena)
{
	const ag_known_learning **list;
	const size_t n = ag_analyst_learnings_used(s, arena, &list);

	ag_jw_kkey(w, "learnings");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		ag_jw_obj(w);
		ag_jw_kstr(w, "id", list[i]->key);
		ag_jw_kstr(w, "text", list[i]->text);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

/* "figures": those of the last words. Left out when they cannot be checked: "doubt" says why. */
static void write_figures(ag_jw *w, const ag_analyst_answer *a)
{
	const ag_str text = ag_analyst_answer_text(a->state);
	ag_figures_input in;
	ag_figures f = { 0 };

	if (a->proof && text.len && !ag_analyst_figures(a->proof, text, &in, &f, NULL)) {
		ag_jw_kkey(w, "figures");
		ag_figures_json(&in, &f, w);
	}
	ag_jw_kstr(w, "doubt", a->state->doubt);
	ag_jw_kkey(w, "replaced");
	ag_jw_arr(w);
	for (size_t i = 0; i < a->state->nrejected; i++)
		ag_jw_str(w, a->state->rejected[i]);
	ag_jw_arr_end(w);
}

void ag_analyst_answer_json(const ag_analyst_answer *a, bool with_rows, ag_arena *arena,
                            ag_buf *out)
{
	const ag_analyst_state *s = a->state;
	const ag_str text = ag_analyst_answer_text(s);
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "agent", AG_S("analyst"));
	if (text.len)
		ag_jw_kstr(&w, "answer", text);
	else
		ag_jw_knull(&w, "answer");
	ag_jw_kstr(&w, "status", a->status);
	ag_jw_kstr(&w, "why", a->why);
	ag_jw_kstr(&w, "question", s->question);
	ag_jw_kstr(&w, "thread", a->thread);
	ag_jw_kstr(&w, "turn", a->turn);
	ag_jw_kstr(&w, "project", s->project);
	ag_jw_kstr(&w, "model", s->model);
	if (a->is_demo)
		ag_jw_kbool(&w, "demo", true);
	ag_jw_kkey(&w, "queries");
	ag_jw_arr(&w);
	for (size_t i = 0; i < s->nquery; i++)
		write_query(&w, s, &s->queries[i], with_rows, arena);
	ag_jw_arr_end(&w);
	write_learnings(&w, s, arena);
	write_figures(&w, a);
	ag_jw_kkey(&w, "usage");
	ag_jw_obj(&w);
	ag_jw_kuint(&w, "model_calls", s->model_calls);
	ag_jw_kuint(&w, "input_tokens", s->input_tokens);
	ag_jw_kuint(&w, "output_tokens", s->output_tokens);
	ag_jw_kdouble(&w, "usd", s->usd);
	ag_jw_obj_end(&w);
	ag_jw_obj_end(&w);
}

/* --- for people --- */

static void write_names(ag_buf *out, const ag_val *list)
{
	for (uint32_t i = 0; list && i < list->n; i++) {
		if (list->u.items[i].type == AG_T_STRING)
			ag_buf_addf(out, "%s%.*s", i ? ", " : "",
			            AG_FMT(ag_val_text(&list->u.items[i])));
	}
}

/* "r1: orders, customers; where status = 'paid'; 12 rows, the whole result; read 2026-11-25 22:30:01 UTC" */
static void write_source(ag_buf *out, const ag_analyst_query *q, ag_str metric)
{
	const ag_analyst_result *r = &q->result;
	ag_str filters[AG_ANALYST_MAX_FILTERS];
	const size_t n = ag_analyst_filters(q->sql, filters);
	char at[AG_TIME_MAX_TEXT];

	ag_time_format(at, q->at_ms);
	ag_buf_addf(out, "%s%.*s: ", out->len ? "\n" : "", AG_FMT(q->name));
	if (r->tables && r->tables->n)
		write_names(out, r->tables);
	else
		ag_buf_adds(out, "no table");
	for (size_t i = 0; i < n; i++)
		ag_buf_addf(out, "%s%.*s", i ? "; " : "; where ",
		            AG_FMT(ag_utf8_prefix(filters[i], FILTER_BYTES)));
	if (!n)
		ag_buf_adds(out, "; no filter");
	if (metric.len)
		ag_buf_addf(out, "; metric %.*s as it is defined", AG_FMT(metric));
	ag_buf_addf(out, "; %llu row%s%s; read %.10s %.8s UTC", (unsigned long long)r->row_count,
	            r->row_count == 1 ? "" : "s",
	            r->is_cut ? ", cut: there are more" : ", the whole result", at, at + 11);
}

ag_str ag_analyst_provenance(const ag_analyst_state *s, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(TEXT_BYTES);
	const ag_known_learning **used;
	const size_t nused = ag_analyst_learnings_used(s, arena, &used);
	ag_str ret;

	for (size_t i = 0; i < s->nquery; i++) {
		if (ag_analyst_is_table(&s->queries[i].result))
			write_source(&out, &s->queries[i],
			             ag_analyst_metric_of(&s->known, s->queries[i].sql, arena));
	}
	for (size_t i = 0; i < nused; i++)
		ag_buf_addf(&out, "%slearning %.*s: %.*s", out.len ? "\n" : "",
		            AG_FMT(ag_str_make(used[i]->key.ptr, AG_KNOW_SHORT)),
		            AG_FMT(ag_utf8_prefix(used[i]->text, FILTER_BYTES)));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}
