/* chat_know -- see the header. */
#include "cli/chat_know.h"

#include "analyst/golden.h"
#include "base/utf8.h"
#include "knowledge/knowledge.h"

#define SHOWN 200u

static ag_know_place place_of(const ag_cli *c, const ag_app_chat *chat)
{
	return (ag_know_place){ chat->hub, &c->app.ctx, &chat->who, chat->project };
}

/* With MCP_SERVER_URL the project's knowledge is where its database is. */
static bool is_elsewhere(ag_cli *c, const ag_app_chat *chat)
{
	if (!chat->sql.client)
		return false;
	ag_cli_note(c,
	            "the project's knowledge is with the MCP server, and cannot be changed here");
	return true;
}

static void fail(ag_cli *c, const ag_err *err)
{
	AG_IGNORE(ag_cli_fail(c, err), "a conversation goes on");
}

/* The last statement of the turn that gave a table. */
static const ag_analyst_query *last_table(const ag_analyst_state *last)
{
	for (size_t i = last ? last->nquery : 0; i-- > 0;) {
		if (ag_analyst_is_table(&last->queries[i].result) && last->queries[i].sql.len)
			return &last->queries[i];
	}
	return NULL;
}

/* --- /learn --- */

static void note_learnt(ag_cli *c, const ag_know_learnt *l)
{
	const int percent = (int)(l->learning.confidence * 100 + 0.5);

	ag_cli_note(c, "learning %.*s: %s, confidence %d%%", AG_FMT(ag_know_short(&l->learning)),
	            l->is_new                              ? "saved"
	            : l->learning.status == AG_KNOW_REVIEW ? "waits for a review"
	                                                   : "said again",
	            percent);
	for (size_t i = 0; i < l->nreview; i++)
		ag_cli_note(c, "learning %.*s says otherwise: it waits for a review",
		            AG_FMT(l->reviews[i]));
}

void ag_chat_learn(ag_cli *c, const ag_app_chat *chat, const ag_analyst_state *last, ag_str rest)
{
	const ag_know_place place = place_of(c, chat);
	const ag_analyst_query *q = last_table(last);
	ag_analyst_lesson lesson = { .category = "other" };
	ag_know_lesson l = { .description = rest,
		             .author = chat->who.user,
		             .now_ms = ag_clock_wall(c->app.ctx.clock) };
	ag_know_learnt learnt;
	ag_err err = { 0 };

	if (is_elsewhere(c, chat))
		return;
	if (!last || (!ag_analyst_lesson_of(last, &lesson) && !q)) {
		ag_cli_note(c, "/learn: ask something first: a learning is about the tables of the "
		               "last answer; else argus knowledge add learning");
		return;
	}
	if (!rest.len) {
		ag_cli_note(
			c,
			"/learn: want what to do next time, like /learn orders.total is in cents");
		return;
	}
	if (!lesson.tables && q)
		lesson.tables = q->result.tables;
	l.category = ag_str_c(lesson.category);
	l.tables = lesson.tables;
	l.original_sql = lesson.original_sql;
	l.corrected_sql = lesson.corrected_sql;
	l.original_error = ag_utf8_prefix(lesson.error, 2000);
	if (ag_know_save_lesson(&place, &l, c->app.arena, &learnt, &err))
		fail(c, &err);
	else
		note_learnt(c, &learnt);
}

void ag_chat_offer_learning(ag_cli *c, const ag_app_chat *chat, const ag_analyst_state *last)
{
	ag_analyst_lesson lesson;

	if (!chat->sql.client && !chat->is_demo && ag_analyst_lesson_of(last, &lesson))
		ag_cli_note(c, "an error was corrected; /learn TEXT keeps what to do next time");
}

/* --- /metric --- */

static void list_metrics(ag_cli *c, const ag_know_place *place)
{
	ag_know *list;
	ag_err err = { 0 };
	size_t n;

	if (ag_know_list(place, AG_KNOW_METRIC, c->app.arena, &list, &n, &err)) {
		fail(c, &err);
		return;
	}
	for (size_t i = 0; i < n; i++)
		ag_cli_note(c, "%.*s: %.*s", AG_FMT(list[i].name),
		            AG_FMT(ag_utf8_prefix(ag_know_text(&list[i], "definition"), SHOWN)));
	if (!n)
		ag_cli_note(c,
		            "there is no metric yet; /metric NAME: WHAT IT MEASURES makes the last "
		            "statement one");
}

static ag_status make_metric(ag_cli *c, ag_str text, const ag_analyst_query *q, ag_know *ret,
                             ag_err *err)
{
	ag_str words = text;
	const ag_str name = ag_str_trim(ag_str_split(&words, ':'));
	const ag_member m[] = {
		{ AG_S("definition"), ag_val_str(ag_str_trim(words.ptr ? words : AG_S(""))) },
		{ AG_S("sql"), ag_val_str(q->sql) },
		{ AG_S("tables"), q->result.tables ? *q->result.tables : ag_val_null() },
	};
	const ag_val fields = ag_val_object(m, AG_NELEM(m));

	return ag_know_make(AG_KNOW_METRIC, name, &fields, c->app.arena, ret, err);
}

void ag_chat_metric(ag_cli *c, const ag_app_chat *chat, const ag_analyst_state *last, ag_str rest)
{
	const ag_know_place place = place_of(c, chat);
	const ag_analyst_query *q = last_table(last);
	ag_know_counts n;
	ag_know o;
	ag_err err = { 0 };

	if (is_elsewhere(c, chat))
		return;
	if (!rest.len) {
		list_metrics(c, &place);
		return;
	}
	if (!q) {
		ag_cli_note(c, "/metric: no statement of the last answer gave a result; else argus "
		               "knowledge add metric");
		return;
	}
	if (make_metric(c, rest, q, &o, &err)) {
		fail(c, &err);
		return;
	}
	o.author = chat->who.user;
	o.created_ms = o.changed_ms = ag_clock_wall(c->app.ctx.clock);
	if (ag_know_put(&place, &o, 1, AG_KNOW_ADD, true, c->app.arena, &n, &err))
		fail(c, &err);
	else
		ag_cli_note(c, "metric %.*s: %.*s", AG_FMT(o.name),
		            AG_FMT(ag_utf8_prefix(q->sql, SHOWN)));
}

/* --- /golden --- */

void ag_chat_golden(ag_cli *c, const ag_app_chat *chat, const ag_analyst_state *last, ag_str rest)
{
	const ag_know_place place = place_of(c, chat);
	ag_know_counts n;
	ag_know o;
	ag_err err = { 0 };

	if (is_elsewhere(c, chat))
		return;
	if (!last) {
		ag_cli_note(c, "/golden: ask something first");
		return;
	}
	if (ag_golden_of_turn(last, rest, c->app.arena, &o, &err)) {
		fail(c, &err);
		return;
	}
	o.author = chat->who.user;
	o.created_ms = o.changed_ms = ag_clock_wall(c->app.ctx.clock);
	if (ag_know_put(&place, &o, 1, AG_KNOW_ADD, false, c->app.arena, &n, &err))
		fail(c, &err);
	else
		ag_cli_note(c, "golden %.*s: %.*s %.*s", AG_FMT(ag_know_short(&o)),
		            AG_FMT(ag_know_text(&o, "mode")),
		            AG_FMT(ag_utf8_prefix(ag_know_text(&o, "expected"), SHOWN)));
}
