/* Conversations in the store: whose they are, which one goes on, copies, one writer, and a turn whose process died behind any
 * of its events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyst_world.h"

static int setup(void **state)
{
	analyst_world *w = ag_xcalloc(1, sizeof(*w));

	aw_open(w, AW_SHOP);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	aw_close(*state);
	free(*state);
	return 0;
}

static const sm_line short_answers[] = { AW_SAY("Ann."), AW_SAY("Bob."), AW_SAY("Cem."),
	                                 AW_SAY("Dan.") };

static size_t nturn(analyst_world *w, const ag_thread *t)
{
	ag_run_row *rows;
	size_t n;

	assert_ok(w, ag_thread_turns(w->shop.store, t, 100, w->shop.arena, &rows, &n, &w->err));
	return n;
}

/* --- finding and copying --- */

static void a_thread_is_found_by_its_beginning_and_by_its_user_alone(void **state)
{
	analyst_world *w = *state;
	const ag_str place = w->thread.place;
	ag_err err = { 0 };
	ag_thread t;

	aw_script(w, short_answers, 4);
	assert_int_equal(ag_thread_find(w->shop.store, place, AG_S(""), w->shop.arena, &t, &err),
	                 AG_NOT_FOUND);
	assert_string_equal(err.msg, "there is no thread of this project yet");
	aw_ask(w, "A?");
	assert_ok(w, ag_thread_find(w->shop.store, place, AG_S(""), w->shop.arena, &t, &w->err));
	assert_string_equal(t.id.text, w->thread.id.text);
	assert_ok(w, ag_thread_find(w->shop.store, place, ag_str_make(w->thread.id.text, 18),
	                            w->shop.arena, &t, &w->err));
	assert_string_equal(t.id.text, w->thread.id.text);
	assert_int_equal(ag_thread_find(w->shop.store, AG_S("shop/bob"), ag_id_str(&w->thread.id),
	                                w->shop.arena, &t, &err),
	                 AG_NOT_FOUND);
	assert_int_equal(ag_thread_find(w->shop.store, AG_S("bank/ann"), ag_id_str(&w->thread.id),
	                                w->shop.arena, &t, &err),
	                 AG_NOT_FOUND);
	assert_int_equal(ag_thread_find(w->shop.store, place, AG_S("%' OR 1"), w->shop.arena, &t,
	                                &err),
	                 AG_NOT_FOUND);
	assert_int_equal(nturn(w, &w->thread), 1);
}

static void the_newest_thread_goes_on(void **state)
{
	analyst_world *w = *state;
	const ag_thread first = w->thread;
	ag_run_group *g;
	ag_thread t;
	size_t n;

	aw_script(w, short_answers, 4);
	aw_ask(w, "A?");
	w->thread = ag_thread_new(&ag_clock_system, first.place, w->shop.arena);
	aw_ask(w, "B?");
	assert_ok(w,
	          ag_thread_find(w->shop.store, first.place, AG_S(""), w->shop.arena, &t, &w->err));
	assert_string_equal(t.id.text, w->thread.id.text);
	assert_ok(w,
	          ag_thread_list(w->shop.store, first.place, 10, w->shop.arena, &g, &n, &w->err));
	assert_int_equal(n, 2);
	aw_assert_str(g[0].summary, "B?");
	aw_assert_str(g[1].summary, "A?");
	assert_int_equal(g[1].nrun, 1);
}

static void a_branch_is_a_copy_up_to_a_turn(void **state)
{
	analyst_world *w = *state;
	const ag_thread first = w->thread;
	ag_thread from, branch;
	ag_run_row turn;
	ag_id second;

	aw_script(w, short_answers, 4);
	aw_ask(w, "A?");
	aw_ask(w, "B?");
	second = w->r.turn;
	aw_ask(w, "C?");
	assert_ok(w, ag_thread_of_turn(w->shop.store, first.place, ag_id_str(&second),
	                               w->shop.arena, &from, &turn, &w->err));
	assert_string_equal(from.id.text, first.id.text);
	assert_ok(w, ag_thread_branch(w->shop.store, &ag_clock_system, &from, &turn, w->shop.arena,
	                              &branch, &w->err));
	assert_int_equal(nturn(w, &branch), 2);
	assert_int_equal(nturn(w, &first), 3);
	w->thread = branch;
	aw_ask(w, "D?");
	aw_assert_has(w, 3, "B?");
	assert_false(aw_request_has(w, 3, "C?"));
	assert_int_equal(nturn(w, &branch), 3);
	assert_int_equal(nturn(w, &first), 3);
	assert_int_equal(ag_thread_of_turn(w->shop.store, AG_S("shop/bob"), ag_id_str(&second),
	                                   w->shop.arena, &from, &turn, &w->err),
	                 AG_NOT_FOUND);
}

static void a_thread_has_one_writer(void **state)
{
	analyst_world *w = *state;
	ag_err err = { 0 };

	aw_script(w, short_answers, 1);
	assert_ok(w, ag_thread_take(w->shop.store, &w->thread, AG_S("another"), &ag_clock_system,
	                            60000, &w->err));
	w->opts.question = AG_S("A?");
	assert_int_equal(ag_analyst_turn(&w->ctx, &w->opts, w->shop.arena, &w->r, &err),
	                 AG_CONFLICT);
	assert_non_null(strstr(err.msg, "is answering a question"));
	assert_int_equal(w->model.nasked, 0);
	ag_thread_give(w->shop.store, &w->thread, AG_S("another"), &ag_clock_system);
	aw_ask(w, "A?");
	aw_assert_str(w->r.answer, "Ann.");
}

static ag_status replace(analyst_world *w, const char *message, ag_str *ret)
{
	return ag_thread_replaceable(w->shop.store, &w->thread, ag_str_c(message), w->shop.arena,
	                             ret, &w->err);
}

/* The model reads what came before the edited question, and nothing else. */
static void a_replaced_turn_is_no_part_of_the_conversation(void **state)
{
	analyst_world *w = *state;
	ag_thread_versions v;
	ag_run_row *rows, turn;
	ag_thread thread, branch;
	ag_str *versions;
	ag_id a, b;
	size_t n;

	aw_script(w, short_answers, 4);
	aw_ask(w, "A?");
	a = w->r.turn;
	w->opts.message = AG_S("of-the-client");
	aw_ask(w, "B?");
	b = w->r.turn;
	w->opts.message = AG_S("");
	aw_ask(w, "C?");
	assert_ok(w, replace(w, "of-the-client", &w->opts.replaces));
	aw_assert_str(w->opts.replaces, b.text);
	aw_ask(w, "D?");
	aw_assert_has(w, 3, "A?");
	assert_false(aw_request_has(w, 3, "B?"));
	assert_false(aw_request_has(w, 3, "C?"));
	assert_int_equal(nturn(w, &w->thread), 2);

	/* Another editor has the old version in view. */
	w->opts.question = AG_S("E?");
	assert_int_equal(ag_analyst_turn(&w->ctx, &w->opts, w->shop.arena, &w->r, &w->err),
	                 AG_CONFLICT);
	assert_non_null(strstr(w->err.msg, "was changed meanwhile"));
	assert_int_equal(replace(w, "nothing", &w->opts.replaces), AG_NOT_FOUND);
	assert_ok(w, replace(w,
	                     ag_str_cstr(w->shop.arena,
	                                 ag_str_printf(w->shop.arena, "%s-user", a.text)),
	                     &w->opts.replaces));
	aw_assert_str(w->opts.replaces, a.text);

	assert_ok(w,
	          ag_thread_versions_read(w->shop.store, &w->thread, w->shop.arena, &v, &w->err));
	assert_ok(w, ag_thread_turns(w->shop.store, &w->thread, 10, w->shop.arena, &rows, &n,
	                             &w->err));
	assert_int_equal(ag_thread_versions_of(&v, &rows[0], w->shop.arena, &versions), 1);
	assert_int_equal(ag_thread_versions_of(&v, &rows[1], w->shop.arena, &versions), 2);
	aw_assert_str(versions[0], b.text);
	aw_assert_str(versions[1], rows[1].id.text);

	/* The old version can be read, and branched from. */
	assert_ok(w, ag_thread_turns_with(w->shop.store, &w->thread, ag_id_str(&b), 10,
	                                  w->shop.arena, &rows, &n, &w->err));
	assert_int_equal(n, 3);
	assert_ok(w, ag_thread_of_turn(w->shop.store, w->thread.place, ag_id_str(&b), w->shop.arena,
	                               &thread, &turn, &w->err));
	assert_ok(w, ag_thread_branch(w->shop.store, &ag_clock_system, &thread, &turn,
	                              w->shop.arena, &branch, &w->err));
	assert_int_equal(nturn(w, &branch), 2);
}

static void earlier_results_are_known_in_the_next_question(void **state)
{
	static const sm_line first[] = { AW_ASK_SQL("SELECT COUNT(*) AS n FROM users"),
		                         AW_SAY("Three.") };
	static const sm_line second[] = { AW_ASK_SQL("SELECT COUNT(*) AS m FROM orders"),
		                          AW_SAY("Three again.") };
	analyst_world *w = *state;

	aw_script(w, first, 2);
	aw_ask(w, "How many users?");
	aw_script(w, second, 2);
	aw_ask(w, "How many orders?");
	aw_assert_has(w, 0, "columns: n\n[3]");
	aw_assert_has(w, 1, "Result r2: 1 row");
	aw_assert_str(w->r.state->queries[0].name, "r2");
}

/* Its report and its log say what it was. */
static void a_turn_is_read_back_from_the_store(void **state)
{
	static const sm_line lines[] = { AW_ASK_SQL("SELECT 1"), AW_SAY("One.") };
	analyst_world *w = *state;
	ag_analyst_state s;
	ag_str report;

	aw_script(w, lines, 2);
	aw_ask(w, "A?");
	assert_ok(w, ag_store_report(w->shop.store, &w->r.turn, w->shop.arena, &report, &w->err));
	assert_true(ag_str_eq(report, w->r.json));
	assert_ok(w, ag_analyst_read_turn(w->shop.store, &w->r.turn, w->shop.arena, &s, &w->err));
	aw_assert_str(s.final, "One.");
	aw_assert_str(s.question, "A?");
	aw_assert_str(s.user, "ann");
	aw_assert_str(s.status, "ok");
	assert_int_equal(s.nquery, 1);
}

/* --- kill -9 --- */

static const sm_line script[] = {
	AW_ASK_SQL("SELECT nothing FROM orders"),
	{ .text = AG_S_INIT("Both."),
	  .calls = "[" AW_SQL("1", "SELECT COUNT(*) AS n FROM orders") "," AW_SQL(
		  "2", "SELECT COUNT(*) AS n FROM users") "]" },
	AW_SAY("Three of each.")
};

/* What the model has said in these events. */
static size_t replies(analyst_world *w, const ag_event *events, size_t n)
{
	ag_analyst_state s;

	ag_analyst_state_init(&s, w->shop.arena);
	for (size_t i = 0; i < n; i++)
		assert_ok(w, ag_analyst_apply(&s, &events[i], &w->err));
	return s.transcript.nturn;
}

static size_t count(const ag_event *events, size_t n, ag_event_type type)
{
	size_t ret = 0;

	for (size_t i = 0; i < n; i++)
		ret += events[i].type == type;
	return ret;
}

/* Another store that holds the first n events of a turn, as a process leaves it that died behind the last of them. */
static void open_cut(analyst_world *w, analyst_world *of, const ag_run_row *row,
                     const ag_event *events, size_t n)
{
	ag_run_row cut = *row;
	ag_store_batch batch = { .events = events, .nevent = n, .run = &cut };

	aw_open(w, AW_SHOP);
	w->thread = of->thread;
	cut.status = AG_S("running");
	cut.verdict = AG_S("");
	cut.finished_ms = 0;
	assert_ok(w, ag_store_commit(w->shop.store, &row->id, &batch, &w->err));
}

static void check_whole(analyst_world *w, const ag_id *turn, const char *answer, size_t nquery)
{
	ag_analyst_state s;

	assert_ok(w, ag_analyst_read_turn(w->shop.store, turn, w->shop.arena, &s, &w->err));
	aw_assert_str(s.status, "ok");
	aw_assert_str(s.final, answer);
	assert_int_equal(s.nquery, nquery);
	for (size_t i = 0; i < s.nquery; i++)
		assert_true(s.queries[i].has_output);
}

static void a_reply_that_comes_whole_is_no_event_of_its_own(void **state)
{
	analyst_world *w = *state;
	ag_event *events;
	size_t n;

	aw_script(w, short_answers, 1);
	aw_ask(w, "A?");
	assert_ok(w, ag_store_events(w->shop.store, &w->r.turn, 0, w->shop.arena, &events, &n,
	                             &w->err));
	assert_true(count(events, n, AG_EV_PROPOSAL) == 1);
	assert_int_equal(count(events, n, AG_EV_TEXT_DELTA), 0);
}

static void a_turn_goes_on_behind_each_of_its_events(void **state)
{
	analyst_world *w = *state;
	ag_event *events;
	ag_run_row *rows, *stored;
	size_t n, nrow;

	aw_script(w, script, 3);
	aw_ask(w, "How many?");
	aw_assert_str(w->r.run_result.status, "ok");
	assert_ok(w, ag_store_events(w->shop.store, &w->r.turn, 0, w->shop.arena, &events, &n,
	                             &w->err));
	assert_ok(w, ag_thread_turns(w->shop.store, &w->thread, 1, w->shop.arena, &rows, &nrow,
	                             &w->err));
	assert_true(count(events, n, AG_EV_TEXT_DELTA) > 0);
	for (size_t cut = 1; cut < n; cut++) {
		const size_t said = replies(w, events, cut);
		const size_t done = count(events, cut, AG_EV_TOOL_OUTPUT);
		analyst_world *again = ag_xcalloc(1, sizeof(*again));
		bool is_open = false;

		open_cut(again, w, &rows[0], events, cut);
		assert_ok(again, ag_thread_turns(again->shop.store, &again->thread, 1,
		                                 again->shop.arena, &stored, &nrow, &again->err));
		assert_ok(again,
		          ag_analyst_is_open(again->shop.store, &stored[0], &is_open, &again->err));
		assert_true(is_open);
		aw_script(again, script + said, AG_NELEM(script) - said);
		assert_ok(again, ag_analyst_resume(&again->ctx, &again->opts, again->shop.arena,
		                                   &again->r, &again->err));
		check_whole(again, &w->r.turn, "Three of each.", 3);
		/* What the log has is not run again. */
		assert_int_equal(aw_statements(again), 3 - done);
		assert_int_equal(again->model.nasked, AG_NELEM(script) - said);
		aw_close(again);
		free(again);
	}
}

static void another_question_goes_on_behind_each_event_too(void **state)
{
	static const sm_line next[] = { AW_SAY("Next.") };
	analyst_world *w = *state;
	ag_event *events;
	ag_run_row *rows;
	size_t n, nrow;

	aw_script(w, script, 3);
	aw_ask(w, "How many?");
	assert_ok(w, ag_store_events(w->shop.store, &w->r.turn, 0, w->shop.arena, &events, &n,
	                             &w->err));
	assert_ok(w, ag_thread_turns(w->shop.store, &w->thread, 1, w->shop.arena, &rows, &nrow,
	                             &w->err));
	for (size_t cut = 1; cut < n; cut++) {
		analyst_world *again = ag_xcalloc(1, sizeof(*again));

		open_cut(again, w, &rows[0], events, cut);
		aw_script(again, next, 1);
		aw_ask(again, "And then?");
		aw_assert_str(again->r.answer, "Next.");
		aw_assert_has(again, 0, "How many?");
		assert_int_equal(aw_statements(again), 0);
		aw_close(again);
		free(again);
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_thread_is_found_by_its_beginning_and_by_its_user_alone),
		T(the_newest_thread_goes_on),
		T(a_branch_is_a_copy_up_to_a_turn),
		T(a_thread_has_one_writer),
		T(a_replaced_turn_is_no_part_of_the_conversation),
		T(earlier_results_are_known_in_the_next_question),
		T(a_turn_is_read_back_from_the_store),
		T(a_reply_that_comes_whole_is_no_event_of_its_own),
		T(a_turn_goes_on_behind_each_of_its_events),
		T(another_question_goes_on_behind_each_event_too),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
