/* golden_run -- see the header. */
#include "analyst/golden_run.h"

#include <stdlib.h>

#include "analyst/golden.h"
#include "query/extjson.h"

#define ORIGIN      "analyst.golden_run"
#define MAX_HISTORY 20u /* that are read for what was right before */
#define BODY        (512u << 10)

double ag_golden_run_accuracy(const ag_golden_run *e)
{
	return e->n ? (double)e->nright / (double)e->n : 0;
}

/* --- which questions --- */

static bool has_tag(const ag_know *o, ag_str tag)
{
	for (size_t i = 0; ag_know_item(o, "tags", i).len; i++) {
		if (ag_str_ieq(ag_know_item(o, "tags", i), tag))
			return true;
	}
	return !tag.len;
}

static ag_status choose(const ag_know_place *p, ag_arena *arena, ag_golden_run *e, ag_err *err)
{
	ag_know *list;
	size_t n;
	ag_status st = ag_know_list(p, AG_KNOW_GOLDEN, arena, &list, &n, err);

	if (st)
		return st;
	e->list = ag_new_n(arena, ag_golden_run_result, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (list[i].status == AG_KNOW_ACTIVE && has_tag(&list[i], e->tag))
			e->list[e->n++] = (ag_golden_run_result){ .golden = &list[i],
				                                  .before = -1 };
	}
	if (e->n)
		return AG_OK;
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "project %.*s has no golden question%s",
	        AG_FMT(e->project), e->tag.len ? " with that tag" : "");
	ag_err_hint(err, "/golden in argus chat, or argus knowledge add golden \"QUESTION\" "
	                 "mode=exact expected=42");
	return AG_NOT_FOUND;
}

/* --- what they were before --- */

static int newest_first(const void *a, const void *b)
{
	const ag_object_row *x = a, *y = b;

	if (x->created_ms != y->created_ms)
		return x->created_ms < y->created_ms ? 1 : -1;
	return ag_str_cmp(x->key, y->key);
}

ag_status ag_golden_run_list(ag_store *s, ag_str project, bool done_only, ag_arena *arena,
                             ag_object_row **ret, size_t *nret, ag_err *err)
{
	size_t n = 0, kept = 0;
	ag_status st = ag_store_objects(s, project, AG_S(AG_GOLDEN_RUN_KIND), arena, ret, &n, err);

	for (size_t i = 0; i < n && !st; i++) {
		if (!done_only || ag_str_eqc((*ret)[i].status, "done"))
			(*ret)[kept++] = (*ret)[i];
	}
	*nret = kept;
	if (kept)
		qsort(*ret, kept, sizeof(**ret), newest_first);
	return st;
}

/* What an earlier evaluation says of the questions that no later one asked. */
static void take_before(ag_golden_run *e, ag_str body, ag_arena *arena)
{
	const ag_extjson_opts opts = { .max_depth = 8 };
	const ag_val *list;
	ag_val was;

	if (ag_extjson_parse(body, &opts, arena, &was, NULL, NULL, NULL))
		return;
	list = ag_val_getc(&was, "results");
	for (uint32_t i = 0; list && list->type == AG_T_ARRAY && i < list->n; i++) {
		for (size_t k = 0; k < e->n; k++) {
			ag_golden_run_result *o = &e->list[k];

			if (o->before < 0 &&
			    ag_str_eq(o->golden->key, ag_val_member_str(&list->u.items[i], "id")))
				o->before = ag_val_member_bool(&list->u.items[i], "ok");
		}
	}
}

static ag_status compare(ag_store *s, ag_arena *arena, ag_golden_run *e, ag_err *err)
{
	ag_object_row *rows;
	size_t n = 0, nasked = 0, nright = 0;
	ag_status st = ag_golden_run_list(s, e->project, true, arena, &rows, &n, err);

	for (size_t i = 0; i < n && i < MAX_HISTORY && !st; i++)
		take_before(e, rows[i].body, arena);
	for (size_t k = 0; k < e->n; k++) {
		nasked += e->list[k].before >= 0;
		nright += e->list[k].before == 1;
	}
	e->before = nasked ? (double)nright / (double)nasked : -1;
	return st;
}

ag_status ag_golden_run_make(const ag_know_place *p, ag_store *s, ag_str tag, ag_arena *arena,
                             ag_golden_run *ret, ag_err *err)
{
	const ag_id id = ag_id_new(p->ctx->clock);
	ag_status st;

	*ret = (ag_golden_run){ .project = p->project->id,
		                .key = ag_know_key(ag_id_str(&id), arena),
		                .user = p->who->user,
		                .tag = ag_str_dup(arena, tag),
		                .at_ms = ag_clock_wall(p->ctx->clock),
		                .before = -1 };
	st = choose(p, arena, ret, err);
	return st ? st : compare(s, arena, ret, err);
}

/* --- asking --- */

static void ask_one(const ag_ctx *ctx, const ag_golden_run_opts *o, ag_golden_run_result *one,
                    ag_arena *arena)
{
	const int64_t began = ag_clock_mono(ctx->clock);
	ag_analyst_opts opts = *o->chat;
	/* Not among the user's conversations. */
	const ag_str place = ag_thread_place(opts.project->id, opts.who->user, arena);
	const ag_thread thread =
		ag_thread_new(ctx->clock, ag_str_printf(arena, "%.*s/eval", AG_FMT(place)), arena);
	ag_analyst_turn_result r = { 0 };
	ag_err err = { 0 };

	opts.thread = &thread;
	opts.question = one->golden->name;
	opts.meter = o->meter(o->arg, arena);
	opts.is_trial = true;
	if (ag_analyst_turn(ctx, &opts, arena, &r, &err)) {
		one->is_error = true;
		one->why = ag_str_printf(arena, "%s", err.msg);
	} else if (!r.answer.len) {
		one->is_error = true;
		one->why = r.run_result.err.msg[0]
		                   ? ag_str_printf(arena, "%s", r.run_result.err.msg)
		                   : AG_S("there is no answer");
	} else {
		ag_golden_check(one->golden, r.state, arena, &one->why);
	}
	one->ms = ag_clock_mono(ctx->clock) - began;
	one->turn = ag_str_dup(arena, ag_id_str(&r.turn));
	if (r.state) {
		one->tokens = r.state->input_tokens + r.state->output_tokens;
		one->usd = r.state->usd;
	}
}

ag_status ag_golden_run_go(const ag_ctx *ctx, const ag_golden_run_opts *o, ag_golden_run *e,
                           ag_arena *arena, ag_err *err)
{
	ag_status st = AG_OK;

	while (e->nasked < e->n && !st) {
		ag_golden_run_result *one = &e->list[e->nasked];

		if (!ag_ctx_is_cancelled(ctx))
			ask_one(ctx, o, one, arena);
		if (ag_ctx_is_cancelled(ctx))
			return ag_fail(err, AG_CANCELLED, ORIGIN, "stopped by the user");
		e->nasked++;
		e->nright += !one->why.len;
		e->ms += one->ms;
		e->tokens += one->tokens;
		e->usd += one->usd;
		if (o->on_asked)
			st = o->on_asked(o->asked_arg, e, err);
	}
	return st;
}

/* --- what is kept --- */

static void write_result(const ag_golden_run_result *o, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", o->golden->key);
	ag_jw_kstr(w, "question", o->golden->name);
	ag_jw_kstr(w, "mode", ag_know_text(o->golden, "mode"));
	ag_jw_kbool(w, "ok", !o->why.len);
	ag_jw_kbool(w, "error", o->is_error);
	ag_jw_kstr(w, "why", o->why);
	ag_jw_kstr(w, "turn", o->turn);
	ag_jw_kint(w, "latency_ms", o->ms);
	ag_jw_kuint(w, "tokens", o->tokens);
	ag_jw_kdouble(w, "usd", o->usd);
	if (o->before >= 0)
		ag_jw_kbool(w, "ok_before", o->before == 1);
	ag_jw_obj_end(w);
}

void ag_golden_run_json(const ag_golden_run *e, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "project", e->project);
	ag_jw_kstr(w, "model", e->model);
	ag_jw_kstr(w, "tag", e->tag);
	ag_jw_ktime(w, "at", e->at_ms);
	ag_jw_kuint(w, "questions", e->n);
	ag_jw_kuint(w, "asked", e->nasked);
	ag_jw_kuint(w, "right", e->nright);
	ag_jw_kdouble(w, "accuracy", ag_golden_run_accuracy(e));
	if (e->before >= 0)
		ag_jw_kdouble(w, "accuracy_before", e->before);
	ag_jw_kint(w, "latency_ms", e->ms);
	ag_jw_kuint(w, "tokens", e->tokens);
	ag_jw_kdouble(w, "usd", e->usd);
	if (e->error.len)
		ag_jw_kstr(w, "error", e->error);
	ag_jw_kkey(w, "results");
	ag_jw_arr(w);
	for (size_t i = 0; i < e->nasked; i++)
		write_result(&e->list[i], w);
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
}

ag_status ag_golden_run_put(ag_store *s, ag_golden_run *e, const char *status, int64_t now_ms,
                            ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(BODY);
	ag_object_row row = { .project = e->project,
		              .kind = AG_S(AG_GOLDEN_RUN_KIND),
		              .key = e->key,
		              .name = e->model.len ? e->model : AG_S("none"),
		              .status = ag_str_c(status),
		              .author = e->user,
		              .confidence = ag_golden_run_accuracy(e),
		              .version = e->version,
		              .created_ms = e->at_ms,
		              .changed_ms = now_ms };
	ag_status st;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_golden_run_json(e, &w);
	row.body = ag_buf_view(&out);
	st = out.failed ? ag_fail(err, AG_LIMIT, ORIGIN, "the evaluation is larger than %u bytes",
	                          BODY)
	                : ag_store_put_objects(s, &row, 1, err);
	if (!st)
		e->version++;
	return st;
}
