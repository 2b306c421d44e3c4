/* recipe -- see the header. Read ag_recipe_go(), do_step().
 *
 * The run says "running" before a turn begins. The turn that was begun is found again in the thread: it is the one that the run
 * does not name yet. */
#include "analyst/recipe.h"

#include "base/utf8.h"

#define ORIGIN     "analyst.recipe"
#define MAX_TURNS  AG_THREAD_MAX_TURNS
#define TRIM_EVERY 20u /* runs of a recipe */

typedef struct running {
	const ag_ctx *ctx;
	const ag_recipe_opts *o;
	ag_recipe_run *r;
	ag_recipe of; /* its definition */
	ag_thread thread;
	ag_arena *arena; /* of the run */
	ag_err *why;
} running;

ag_str ag_recipe_place(ag_str project, ag_str user, ag_arena *arena)
{
	return ag_str_printf(arena, "%.*s/recipe", AG_FMT(ag_thread_place(project, user, arena)));
}

static int64_t now(const running *x)
{
	return ag_clock_wall(x->ctx->clock);
}

static ag_status put(const running *x, ag_err *err)
{
	const ag_status st = ag_recipe_run_put(x->o->chat->store, x->o->chat->project->id, x->r,
	                                       now(x), x->arena, err);

	if (st != AG_CONFLICT)
		return st;
	ag_fail(err, AG_CONFLICT, ORIGIN, "run %.8s goes on in another process",
	        ag_str_cstr(x->arena, x->r->key));
	return ag_err_hint(err, "wait until it has ended: argus recipe show --run %.8s",
	                   ag_str_cstr(x->arena, x->r->key));
}

static void tell(const running *x, size_t i)
{
	if (x->o->on_step)
		x->o->on_step(x->o->arg, x->r, i);
}

/* --- beginning --- */

static ag_status check_model(const ag_recipe_opts *o, const ag_recipe_run *r, ag_err *err)
{
	for (size_t i = 0; i < r->nstep && !o->chat->llm; i++) {
		if (r->steps[i].sql.len || r->steps[i].state == AG_RECIPE_COMPLETED)
			continue;
		ag_fail(err, AG_INVALID, ORIGIN, "step %zu asks a model%s%s", i + 1,
		        o->no_model ? ": " : ", and there is none",
		        o->no_model ? o->no_model->msg : "");
		return ag_err_hint(err, "%s",
		                   o->no_model ? o->no_model->hint
		                               : "a step with `sql` needs none");
	}
	return AG_OK;
}

ag_status ag_recipe_begin(const ag_ctx *ctx, const ag_recipe_opts *o, const ag_know *recipe,
                          const ag_val *values, const ag_id *thread, ag_arena *arena,
                          ag_recipe_run *ret, ag_err *err)
{
	const int64_t now_ms = ag_clock_wall(ctx->clock);
	const ag_str project = o->chat->project->id;
	ag_status st = ag_recipe_run_make(recipe, values, thread, o->chat->who->user, now_ms, arena,
	                                  ret, err);

	if (!st)
		st = check_model(o, ret, err);
	/* All runs are read for it, so not each time. */
	if (!st && recipe->uses % TRIM_EVERY == 0)
		st = ag_recipe_run_trim(o->chat->store, project, recipe->name, err);
	if (!st)
		st = ag_recipe_run_put(o->chat->store, project, ret, now_ms, arena, err);
	if (!st)
		AG_IGNORE(ag_store_use_objects(o->chat->store, project, AG_S("recipe"),
		                               &recipe->key, 1, now_ms, NULL),
		          "a use that is not counted does no harm");
	return st;
}

/* --- a step --- */

/* What came of a turn. */
typedef struct outcome {
	ag_id turn;
	const ag_analyst_state *state;
	ag_str status, why;
	ag_err err;
} outcome;

static bool is_known(const ag_recipe_run *r, const ag_id *turn)
{
	for (size_t i = 0; i < r->nturn; i++) {
		if (ag_str_eq(r->turns[i], ag_id_str(turn)))
			return true;
	}
	return false;
}

/* The turn that was begun and never noted down; false = there is none. */
static ag_status find_begun(const running *x, ag_arena *arena, ag_run_row *ret, bool *ret_found,
                            ag_err *err)
{
	ag_run_row *rows;
	size_t n;
	ag_status st = ag_thread_turns(x->o->chat->store, &x->thread, MAX_TURNS, arena, &rows, &n,
	                               err);

	*ret_found = false;
	for (size_t i = 0; i < n && !st; i++) {
		if (is_known(x->r, &rows[i].id))
			continue;
		*ret = rows[i];
		*ret_found = true;
	}
	return st;
}

static ag_analyst_opts options_of(const running *x, const ag_recipe_step_run *s, ag_arena *arena)
{
	ag_analyst_opts o = *x->o->chat;

	o.thread = &x->thread;
	o.question = s->prompt;
	o.sql = s->sql;
	o.is_step = true;
	if (x->o->meter)
		o.meter = s->sql.len ? NULL : x->o->meter(x->o->arg, arena);
	return o;
}

static void take_result(const ag_analyst_turn_result *t, outcome *ret)
{
	ret->turn = t->turn;
	ret->state = t->state;
	ret->status = t->run_result.status;
	ret->why = t->run_result.why;
	ret->err = t->run_result.err;
}

/* A turn that an earlier sitting began: it goes on, unless it said its last words before that could be noted. */
static ag_status finish_begun(const running *x, const ag_recipe_step_run *s, const ag_run_row *row,
                              ag_arena *arena, outcome *ret, ag_err *err)
{
	const ag_analyst_opts o = options_of(x, s, arena);
	ag_analyst_turn_result t = { 0 };
	ag_analyst_state *state = ag_new(arena, ag_analyst_state);
	bool goes_on = false;
	ag_status st = ag_analyst_is_open(o.store, row, &goes_on, err);

	if (!st && !goes_on && ag_str_eqc(row->status, "running"))
		return ag_fail(err, AG_CONFLICT, ORIGIN, "run %.8s goes on in another process",
		               ag_str_cstr(arena, x->r->key));
	if (!st)
		st = ag_analyst_read_turn(o.store, &row->id, arena, state, err);
	if (st)
		return st;
	if (goes_on || !state->has_final) {
		st = ag_analyst_resume(x->ctx, &o, arena, &t, err);
		if (!st)
			take_result(&t, ret);
		return st;
	}
	*ret = (outcome){
		.turn = row->id, .state = state, .status = state->status, .why = state->why
	};
	return AG_OK;
}

/* The run says that the step is under way before anything of it happens. */
static ag_status note_begin(const running *x, ag_recipe_step_run *s, ag_err *err)
{
	s->state = x->r->state = AG_RECIPE_RUNNING;
	s->started_ms = now(x);
	s->ended_ms = x->r->ended_ms = 0;
	s->turn = s->error = s->response = s->warning = x->r->error = AG_S("");
	s->ntool = s->nartifact = 0;
	return put(x, err);
}

static ag_status begin_turn(const running *x, ag_recipe_step_run *s, ag_arena *arena, outcome *ret,
                            ag_err *err)
{
	const ag_analyst_opts o = options_of(x, s, arena);
	ag_analyst_turn_result t = { 0 };
	ag_status st = note_begin(x, s, err);

	if (st)
		return st;
	tell(x, (size_t)(s - x->r->steps));
	st = ag_analyst_turn(x->ctx, &o, arena, &t, err);
	if (!st)
		take_result(&t, ret);
	return st;
}

/* A step that failed or was stopped before its last words: its turn goes on, so the run forgets that it had ended. */
static ag_status reopen(const running *x, ag_recipe_step_run *s, ag_arena *arena, ag_err *err)
{
	ag_recipe_run *r = x->r;
	ag_analyst_state state;
	ag_id turn;
	ag_status st;

	if (!s->turn.len || !r->nturn || !ag_str_eq(r->turns[r->nturn - 1], s->turn) ||
	    !ag_id_parse(s->turn, &turn))
		return AG_OK;
	st = ag_analyst_read_turn(x->o->chat->store, &turn, arena, &state, err);
	if (st == AG_NOT_FOUND || (!st && state.has_final))
		return AG_OK;
	r->nturn--;
	return st ? st : note_begin(x, s, err);
}

/* --- what is kept of it --- */

static void add_once(ag_str *list, size_t *n, size_t max, ag_str one, ag_arena *arena)
{
	for (size_t i = 0; i < *n; i++) {
		if (ag_str_eq(list[i], one))
			return;
	}
	if (one.len && *n < max)
		list[(*n)++] = ag_str_dup(arena, one);
}

static void note_tools(const running *x, const ag_analyst_state *state, ag_recipe_step_run *s)
{
	for (size_t i = 0; i < state->nquery; i++) {
		const ag_analyst_query *q = &state->queries[i];

		add_once(s->tools, &s->ntool, AG_RECIPE_MAX_TOOLS, ag_utf8_prefix(q->tool, 100),
		         x->arena);
		if (q->result.ok && (ag_str_eqc(q->tool, "create_artifact") ||
		                     ag_str_eqc(q->tool, "update_artifact")))
			add_once(s->artifacts, &s->nartifact, AG_RECIPE_MAX_ARTIFACTS,
			         ag_utf8_prefix(ag_val_member_str(q->result.data, "artifact_id"),
			                        64),
			         x->arena);
	}
}

static void check_expected(const running *x, ag_recipe_step_run *s)
{
	const size_t i = (size_t)(s - x->r->steps);
	const ag_str expected = i < x->of.nstep ? x->of.steps[i].expected_tool : AG_S("");

	for (size_t k = 0; k < s->ntool; k++) {
		if (ag_str_eq(s->tools[k], expected))
			return;
	}
	if (expected.len)
		s->warning = ag_str_printf(x->arena,
		                           "the tool %.*s was expected, and was not called",
		                           AG_FMT(expected));
}

static void note_turn(const running *x, const ag_id *turn)
{
	ag_recipe_run *r = x->r;
	ag_str *grown = ag_new_n(x->arena, ag_str, r->nturn + 1);

	if (r->nturn)
		memcpy(grown, r->turns, r->nturn * sizeof(*grown));
	grown[r->nturn++] = ag_str_dup(x->arena, ag_id_str(turn));
	r->turns = grown;
}

static ag_status note_outcome(const running *x, ag_recipe_step_run *s, const outcome *e,
                              ag_err *err)
{
	const bool is_ok = ag_str_eqc(e->status, "ok");

	note_turn(x, &e->turn);
	s->turn = ag_str_dup(x->arena, ag_id_str(&e->turn));
	s->ended_ms = now(x);
	if (e->state) {
		s->response = ag_str_dup(x->arena, ag_utf8_prefix(ag_analyst_answer_text(e->state),
		                                                  AG_RECIPE_MAX_RESPONSE));
		note_tools(x, e->state, s);
	}
	check_expected(x, s);
	if (is_ok) {
		s->state = AG_RECIPE_COMPLETED;
	} else if (ag_str_eqc(e->status, "cancelled")) {
		s->state = x->r->state = AG_RECIPE_CANCELLED;
		ag_fail(x->why, AG_CANCELLED, ORIGIN, "stopped by the user");
		s->error = x->r->error = AG_S("stopped by the user");
	} else {
		s->state = x->r->state = AG_RECIPE_FAILED;
		s->error = ag_str_dup(x->arena, e->err.msg[0] ? ag_str_c(e->err.msg) : e->why);
		x->r->error = ag_str_printf(x->arena, "step %zu failed: %.*s",
		                            (size_t)(s - x->r->steps) + 1,
		                            AG_FMT(ag_utf8_prefix(s->error, 300)));
		ag_fail(x->why, e->err.status ? e->err.status : AG_INTERNAL, ORIGIN, "%.*s",
		        AG_FMT(x->r->error));
	}
	if (!is_ok)
		x->r->ended_ms = s->ended_ms;
	return put(x, err);
}

static ag_status do_step(const running *x, size_t i, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_recipe_step_run *s = &x->r->steps[i];
	bool was_begun = false;
	outcome e = { 0 };
	ag_run_row row;
	ag_status st = AG_OK;

	if (s->state == AG_RECIPE_FAILED || s->state == AG_RECIPE_CANCELLED)
		st = reopen(x, s, arena, err);
	if (!st && s->state == AG_RECIPE_RUNNING)
		st = find_begun(x, arena, &row, &was_begun, err);
	if (!st && was_begun)
		tell(x, i);
	if (!st && was_begun)
		st = finish_begun(x, s, &row, arena, &e, err);
	else if (!st)
		st = begin_turn(x, s, arena, &e, err);
	if (!st)
		st = note_outcome(x, s, &e, err);
	if (!st)
		tell(x, i);
	return st;
}

ag_status ag_recipe_go(const ag_ctx *ctx, const ag_recipe_opts *o, ag_recipe_run *r,
                       ag_arena *arena, ag_err *ret_why, ag_err *err)
{
	const ag_analyst_opts *chat = o->chat;
	running x = { .ctx = ctx,
		      .o = o,
		      .r = r,
		      .thread = ag_thread_of(
			      &r->thread,
			      ag_recipe_place(chat->project->id, chat->who->user, arena), arena),
		      .arena = arena,
		      .why = ret_why };
	ag_status st = check_model(o, r, err);

	*ret_why = (ag_err){ 0 };
	ag_recipe_read(&r->definition, arena, &x.of);
	for (size_t i = 0; i < r->nstep && !st && !ret_why->status; i++) {
		if (r->steps[i].state != AG_RECIPE_COMPLETED)
			st = do_step(&x, i, err);
	}
	if (st || ret_why->status || r->state == AG_RECIPE_COMPLETED)
		return st;
	r->state = AG_RECIPE_COMPLETED;
	r->ended_ms = now(&x);
	return put(&x, err);
}
