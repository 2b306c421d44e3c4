/* chat_show -- see the header. Everything that a model or a database wrote goes through the escaping of base/paint.h. */
#include "cli/chat_show.h"

#include <stdio.h>
#include <unistd.h>

#include "app/chat_demo.h"
#include "base/log.h"
#include "base/utf8.h"
#include "cli/chat_sql.h"
#include "query/extjson.h"

#define STEP_BYTES  160u
#define DOUBT_CHARS 120u /* of at most 4 bytes: ag_chat_show.doubt */
#define STEP_ROWS   12u  /* of a result, shown while a question is answered */

/* Prints the buffer and releases it. */
static void put(ag_cli *c, ag_buf *out)
{
	if (!out->failed)
		AG_IGNORE(ag_cli_print(c, ag_buf_view(out)),
		          "reported once; the exit code says it");
	ag_buf_release(out);
}

static void put_text(ag_cli *c, ag_str text)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);

	ag_paint_escape(&out, text, c->term.utf8, true);
	put(c, &out);
}

/* A piece of text as it comes. */
static void put_live(ag_chat_show *s, ag_str text)
{
	ag_buf clean = AG_BUF_INIT(AG_LIMIT_OUTPUT), out = AG_BUF_INIT(AG_LIMIT_OUTPUT);

	ag_paint_escape(&clean, text, s->c->term.utf8, true);
	ag_live_wrap_add(&s->wrap, ag_buf_view(&clean), &out);
	ag_buf_release(&clean);
	put(s->c, &out);
}

/* Ends the line of text that the cursor is in. */
static void end_text(ag_chat_show *s)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);

	ag_live_wrap_end(&s->wrap, &out);
	if (s->in_text)
		ag_buf_addc(&out, '\n');
	put(s->c, &out);
	s->wrap.col = 0;
	s->in_text = false;
}

/* mark: what the line begins with; further lines are indented to its text. */
static void put_line(ag_chat_show *s, ag_ink ink, const char *mark, ag_str text)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(s->c, &out);

	end_text(s);
	ag_paint_lit(&p, ink, mark);
	ag_paint_wrap(&p, ink, strlen(mark), text);
	ag_paint_nl(&p);
	put(s->c, &out);
}

/* --- while it runs --- */

static void on_delta(void *arg, const ag_llm_delta *d)
{
	ag_chat_show *s = arg;

	switch (d->type) {
	case AG_LLM_DELTA_TEXT:
		if (!d->text.len)
			return;
		put_live(s, d->text);
		s->in_text = d->text.ptr[d->text.len - 1] != '\n';
		s->has_text = true;
		s->ntext += d->text.len;
		break;
	case AG_LLM_DELTA_CALL: end_text(s); break;
	case AG_LLM_DELTA_VOID:
		if (s->has_text)
			put_line(s, AG_INK_DIM, "",
			         AG_S("(the text above does not count: the model "
			              "was asked once more)"));
		s->has_text = false;
		s->ntext = 0;
		break;
	default: break;
	}
}

static void on_retry(void *arg, const ag_err *why, int64_t wait_ms)
{
	ag_chat_show *s = arg;
	ag_buf out = AG_BUF_INIT(1024);

	(void)wait_ms;
	ag_buf_addf(&out, "The model's server did not answer (%.200s); it is asked once more.",
	            why->msg);
	if (s->is_live)
		put_line(s, AG_INK_YELLOW, "", ag_buf_view(&out));
	else
		ag_cli_note(s->c, "%.*s", AG_FMT(ag_buf_view(&out)));
	ag_buf_release(&out);
}

static void show_call(ag_chat_show *s, const ag_val *p)
{
	const ag_val *input = ag_val_getc(p, "action_input");
	const ag_str sql = ag_analyst_sql_of(input), tool = ag_val_member_str(p, "action");
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);

	ag_buf_addf(&out, "%.*s", AG_FMT(tool));
	if (sql.len)
		ag_buf_addf(&out, ": %.*s", AG_FMT(sql));
	else if (ag_val_member_str(input, "table_name").len)
		ag_buf_addf(&out, ": %.*s", AG_FMT(ag_val_member_str(input, "table_name")));
	put_line(s, AG_INK_CYAN, "> ", ag_buf_view(&out));
	ag_buf_release(&out);
}

static void show_output(ag_chat_show *s, const ag_val *p, ag_arena *arena)
{
	ag_analyst_result r;

	const bool is_error = ag_val_member_bool(p, "is_error") || !ag_val_member_bool(p, "ok");
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);

	ag_buf_addf(&out, "%.*s, %lld ms",
	            AG_FMT(ag_utf8_prefix(ag_val_member_str(p, "summary"), STEP_BYTES)),
	            (long long)ag_val_member_num(p, "latency_ms"));
	put_line(s, is_error ? AG_INK_RED : AG_INK_DIM, "  ", ag_buf_view(&out));
	ag_buf_release(&out);
	ag_analyst_result_read(ag_val_getc(p, "result"), is_error, arena, &r);
	if (ag_analyst_is_table(&r) && r.rows->n)
		ag_chat_print_rows(s->c, &r, STEP_ROWS);
}

/* Why an answer is not the last word: figures without a source, or a metric whose SQL was changed. */
static void put_doubted(ag_chat_show *s, const char *what, ag_str why)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);

	ag_buf_addf(&out, "(%s: %.*s)", what, AG_FMT(ag_utf8_prefix(why, DOUBT_CHARS)));
	put_line(s, AG_INK_DIM, "", ag_buf_view(&out));
	ag_buf_release(&out);
}

static bool is_run_gate(const ag_val *p)
{
	return ag_str_eqc(ag_val_member_str(p, "gate"), ag_gate_name(AG_GATE_RUN));
}

static void on_event(void *arg, const ag_event *ev)
{
	const ag_extjson_opts opts = { 0 };
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_chat_show *s = arg;
	ag_val p;

	if (ag_extjson_parse(ev->payload, &opts, arena, &p, NULL, NULL, NULL))
		return;
	if (ev->type == AG_EV_TOOL_OUTPUT) {
		show_output(s, &p, arena);
	} else if (ev->type == AG_EV_VERDICT && is_run_gate(&p)) {
		snprintf(s->doubt, sizeof(s->doubt), "%.*s",
		         AG_FMT(ag_utf8_prefix(ag_val_member_str(&p, "reason"), DOUBT_CHARS)));
	} else if (ev->type == AG_EV_CRITIQUE && is_run_gate(&p)) {
		put_doubted(s, "this answer is corrected", ag_str_c(s->doubt));
		s->has_text = false;
	} else if (ev->type == AG_EV_PROPOSAL && !ag_val_member_bool(&p, "final")) {
		show_call(s, &p);
		s->has_text = false;
		s->ntext = 0;
	}
}

void ag_chat_show_init(ag_chat_show *s, ag_cli *c, bool is_live)
{
	*s = (ag_chat_show){ .c = c,
		             .is_live = is_live,
		             .wrap.width = isatty(STDOUT_FILENO) ? c->term.width : 0 };
}

void ag_chat_show_watch(ag_chat_show *s, ag_analyst_opts *o)
{
	o->watch = (ag_watch){ .on_delta = s->is_live ? on_delta : NULL,
		               .on_retry = on_retry,
		               .arg = s };
	o->on_event = s->is_live ? on_event : NULL;
	o->on_event_arg = s;
}

/* --- the end --- */

static void put_sources(ag_cli *c, const ag_analyst_state *s)
{
	ag_str rest = ag_analyst_provenance(s, c->app.arena);
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);

	if (!rest.len)
		return;
	ag_paint_nl(&p);
	ag_paint_lit(&p, AG_INK_DIM, "Sources:");
	ag_paint_nl(&p);
	while (rest.len) {
		ag_paint_lit(&p, AG_INK_PLAIN, "  ");
		ag_paint_wrap(&p, AG_INK_DIM, 4, ag_str_split(&rest, '\n'));
		ag_paint_nl(&p);
	}
	put(c, &out);
}

/* Name each figure that could not be proven, on every kind of output. */
static void put_doubt(ag_chat_show *s, const ag_analyst_state *state)
{
	if (state->nrejected)
		put_doubted(s, "an earlier answer to this question was replaced",
		            state->rejected_why[state->nrejected - 1]);
	if (state->doubt.len)
		put_line(s, AG_INK_YELLOW, "! ", state->doubt);
}

static int no_answer(ag_cli *c, const ag_run_result *r)
{
	ag_err err = r->err;

	if (ag_signals_cancelled() || ag_str_eqc(r->status, "cancelled")) {
		ag_fail(&err, AG_CANCELLED, "cli.chat", "stopped by the user");
		err.status = AG_CANCELLED;
	} else if (!err.msg[0]) {
		ag_fail(&err, AG_INTERNAL, "cli.chat", "there is no answer: %.*s", AG_FMT(r->why));
		ag_err_hint(&err, "ask again, or in other words");
	}
	return ag_cli_fail(c, &err);
}

static bool is_demo(const ag_analyst_state *state)
{
	return ag_str_eqc(state->model, AG_CHAT_DEMO_MODEL);
}

static void put_demo(ag_chat_show *s, const ag_analyst_state *state)
{
	if (is_demo(state))
		put_line(s, AG_INK_YELLOW, "! ",
		         AG_S("demo: a script wrote this answer, no model was asked"));
}

int ag_chat_show_end(ag_chat_show *s, const ag_analyst_turn_result *r)
{
	end_text(s);
	if (s->wrap.width && ag_signals_cancelled()) /* after the terminal's own "^C" */
		put_text(s->c, AG_S("\n"));
	if (!r->answer.len)
		return no_answer(s->c, &r->run_result);
	if (!s->is_live || !s->has_text) {
		put_text(s->c, r->answer);
		put_text(s->c, AG_S("\n"));
	}
	put_demo(s, r->state);
	put_doubt(s, r->state);
	put_sources(s->c, r->state);
	if (!ag_str_eqc(r->run_result.status, "ok"))
		ag_cli_note(s->c, "warning: the answer is partial: %.*s",
		            AG_FMT(r->run_result.why));
	return s->c->out_failed ? AG_EXIT_FAILED : AG_EXIT_OK;
}

int ag_chat_show_json(ag_cli *c, const ag_thread *thread, const ag_analyst_turn_result *r)
{
	const ag_analyst_answer a = { .state = r->state,
		                      .proof = r->proof,
		                      .thread = ag_id_str(&thread->id),
		                      .turn = ag_id_str(&r->turn),
		                      .status = r->run_result.status,
		                      .why = r->run_result.why,
		                      .is_demo = is_demo(r->state) };
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT), clean = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	bool ok;

	if (!r->answer.len)
		return no_answer(c, &r->run_result);
	ag_analyst_answer_json(&a, true, c->app.arena, &out);
	ok = !out.failed && ag_log_clean(ag_buf_view(&out), &clean) && !clean.failed &&
	     ag_cli_print_json(c, ag_buf_view(&clean)) && !c->out_gone;
	ag_buf_release(&out);
	ag_buf_release(&clean);
	return ok ? AG_EXIT_OK : AG_EXIT_FAILED;
}

bool ag_chat_show_turn(ag_cli *c, const ag_analyst_state *s)
{
	ag_chat_show show;

	ag_chat_show_init(&show, c, true);
	put_line(&show, AG_INK_BOLD, "> ", s->question);
	if (s->has_final) {
		put_live(&show, s->final);
		show.in_text = true;
		end_text(&show);
		put_demo(&show, s);
		put_doubt(&show, s);
		put_sources(c, s);
	} else {
		put_line(&show, AG_INK_DIM, "", AG_S("(no answer)"));
	}
	return !c->out_failed;
}
