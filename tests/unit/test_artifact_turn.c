/* Artifacts, from a conversation to their data: a scripted model saves them over a real database, people look at them, change
 * and remove them, each as far as his role goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyst_world.h"
#include "artifact/tools.h"

#define PER_REGION                                                                        \
	"SELECT region, SUM(total) AS revenue FROM users u JOIN orders o ON o.user_id = " \
	"u.id GROUP BY region ORDER BY region"
#define CREATE(args)                                                   \
	{                                                              \
		.calls = "[" AW_CALL("a", "create_artifact", args) "]" \
	}
#define Q(name, text) "\\\"" name "\\\":\\\"" text "\\\""
#define PLAIN(title, code) \
	"{" Q("title", title) "," Q("artifact_type", "markdown") "," Q("code", code) "}"

static int setup(void **state)
{
	analyst_world *w = ag_xcalloc(1, sizeof(*w));

	aw_open(w, AW_SHOP);
	w->shop.mine[1].role = AG_ROLE_ANALYST;
	w->opts.knowledge = ag_xcalloc(1, sizeof(ag_know_set *));
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	analyst_world *w = *state;

	ag_know_set_free(*w->opts.knowledge);
	free(w->opts.knowledge);
	aw_close(w);
	free(w);
	return 0;
}

static ag_know_place place(analyst_world *w)
{
	return (ag_know_place){ w->shop.hub, &w->ctx, &w->shop.who, w->project };
}

static bool has(ag_str text, const char *part)
{
	return ag_str_contains(text, ag_str_c(part));
}

static ag_val parse(analyst_world *w, const char *json)
{
	const ag_extjson_opts opts = { 0 };
	ag_val v;

	assert_ok(w,
	          ag_extjson_parse(ag_str_c(json), &opts, w->shop.arena, &v, NULL, NULL, &w->err));
	return v;
}

static size_t count(analyst_world *w)
{
	const ag_know_place p = place(w);
	const ag_artifact_list_opts o = { 0 };
	ag_artifact_listing l;

	assert_ok(w, ag_artifact_list(&p, &o, w->shop.arena, &l, &w->err));
	return l.n;
}

static ag_artifact_saved put(analyst_world *w, ag_artifact_draft d)
{
	const ag_know_place p = place(w);
	ag_artifact_saved s;

	assert_ok(w, ag_artifact_put(&p, &d, w->shop.arena, &s, &w->err));
	return s;
}

static ag_artifact_saved a_report(analyst_world *w)
{
	return put(w, (ag_artifact_draft){ .title = AG_S("Report"),
	                                   .kind = AG_S("markdown"),
	                                   .code = AG_S("# Report"),
	                                   .thread = AG_S("t1") });
}

/* --- in a conversation --- */

static void a_model_saves_one_with_its_thread(void **state)
{
	static const sm_line lines[] = {
		AW_ASK_SQL(PER_REGION),
		CREATE("{" Q("title", "Revenue") "," Q("artifact_type", "plotly") "," Q("code", "{}") "," Q("description", "The revenue of North is 30.5.") ",\\\"data\\\":[{" Q(
			"region",
			"North") ",\\\"revenue\\\":30.5}],\\\"source_queries\\\":[{" Q("name",
		                                                                       "sales") "," Q("sql",
		                                                                                      "SELECT * FROM orders") "}]}"),
		AW_SAY("The revenue of North is 30.5.")
	};
	analyst_world *w = *state;
	const ag_know_place p = place(w);
	const ag_artifact_list_opts o = { 0 };
	ag_artifact_listing l;
	ag_artifact a;

	aw_script(w, lines, 3);
	aw_ask(w, "Draw the revenue of each region");
	aw_assert_has(w, 0, "# Artifacts");
	assert_true(has(w->model.requests[0], "\"update_artifact\""));
	aw_assert_str(w->r.run_result.status, "ok");
	aw_assert_has(w, 2, "\"status\":\"created\"");
	aw_assert_has(w, 2, "\"render_url\":null");
	assert_ok(w, ag_artifact_list(&p, &o, w->shop.arena, &l, &w->err));
	assert_int_equal(l.n, 1);
	assert_true(ag_str_eq(l.rows[0].thread, ag_id_str(&w->thread.id)));
	assert_ok(w, ag_artifact_get(&p, l.rows[0].id, 0, w->shop.arena, &a, &w->err));
	assert_true(has(a.version.figures, "\"unproven_count\":0"));
	assert_true(has(a.version.figures, "\"proven\":2"));
	aw_assert_str(a.version.data, "[{\"region\":\"North\",\"revenue\":30.5}]");
}

static void an_unproven_figure_is_marked(void **state)
{
	static const sm_line lines[] = {
		AW_ASK_SQL(PER_REGION),
		CREATE("{" Q("title", "Revenue") "," Q("artifact_type", "html") "," Q("code", "<p>The revenue of North is 77.</p>") ",\\\"data\\\":{" Q(
			"note", "x") ",\\\"rows\\\":[{" Q("region",
		                                          "South") ",\\\"revenue\\\":31}]}}"),
		AW_SAY("The revenue of North is 30.5.")
	};
	analyst_world *w = *state;
	const ag_know_place p = place(w);
	const ag_artifact_list_opts o = { 0 };
	ag_artifact_listing l;
	ag_artifact a;

	aw_script(w, lines, 3);
	aw_ask(w, "Draw the revenue of each region");
	aw_assert_has(w, 2, "2 figures of this artifact have no source in the results");
	assert_ok(w, ag_artifact_list(&p, &o, w->shop.arena, &l, &w->err));
	assert_ok(w, ag_artifact_get(&p, l.rows[0].id, 0, w->shop.arena, &a, &w->err));
	assert_true(has(a.version.figures, "\"unproven_count\":2"));
	assert_true(has(a.version.figures, "\"where\":\"code\",\"text\":\"77\""));
	assert_true(has(a.version.figures, "\"where\":\"data.rows[0]\",\"text\":\"31\""));
}

static void a_wrong_type_names_the_five(void **state)
{
	static const sm_line lines[] = {
		CREATE("{" Q("title", "") "," Q("artifact_type", "chart") "," Q("code", " ") "}"),
		CREATE("{" Q("title", "") "," Q("artifact_type", "svg") "," Q("code", " ") "}"),
		CREATE("{" Q("title", " ") "," Q("artifact_type", "svg") "," Q("code",
		                                                               "<svg/>") "}"),
		AW_SAY("It did not work.")
	};
	analyst_world *w = *state;

	aw_script(w, lines, 4);
	aw_ask(w, "Draw something");
	aw_assert_has(w, 1, "want react, plotly, html, markdown or svg, got \"chart\"");
	aw_assert_has(w, 2, "code: is blank");
	aw_assert_has(w, 3, "title: is blank");
	assert_int_equal(count(w), 0);
}

static void a_viewer_may_list_only(void **state)
{
	static const sm_line lines[] = { CREATE(PLAIN("A", "B")), AW_SAY("It did not work.") };
	analyst_world *w = *state;
	const ag_know_place p = place(w);
	const ag_artifact_draft d = { .title = AG_S("A"),
		                      .kind = AG_S("markdown"),
		                      .code = AG_S("B") };
	ag_artifact_saved saved = a_report(w);
	ag_artifact_row row;
	ag_artifact a;

	w->shop.mine[1].role = AG_ROLE_VIEWER;
	aw_script(w, lines, 2);
	aw_ask(w, "Draw something");
	assert_true(has(w->model.requests[0], "\"list_artifacts\""));
	assert_false(has(w->model.requests[0], "\"create_artifact\""));
	assert_false(aw_request_has(w, 0, "# Artifacts"));
	assert_int_equal(count(w), 1);
	assert_ok(w, ag_artifact_get(&p, saved.artifact.row.id, 0, w->shop.arena, &a, &w->err));
	assert_int_equal(ag_artifact_put(&p, &d, w->shop.arena, &saved, &w->err), AG_DENIED);
	assert_int_equal(ag_artifact_rename(&p, a.row.id, AG_S("X"), w->shop.arena, &row, &w->err),
	                 AG_DENIED);
	assert_int_equal(ag_artifact_delete(&p, a.row.id, w->shop.arena, &row, &w->err), AG_DENIED);
}

/* The dispatcher refuses the row itself, whoever offers it. */
static void the_dispatcher_asks_for_the_role(void **state)
{
	analyst_world *w = *state;
	const ag_tool_set *set = &ag_artifact_tools;
	const ag_val input =
		parse(w, "{\"title\":\"A\",\"artifact_type\":\"svg\",\"code\":\"<svg/>\"}");

	for (int i = 0; i < 2; i++) {
		ag_call c = { .tool = ag_tool_find(set->tools, set->ntool, AG_S("create_artifact")),
			      .who = &w->shop.who,
			      .hub = w->shop.hub,
			      .project = w->project,
			      .ctx = w->ctx,
			      .arena = w->shop.arena,
			      .session = AG_S("s"),
			      .watch_fd = -1 };
		ag_tool_output out;

		w->shop.mine[1].role = i ? AG_ROLE_ANALYST : AG_ROLE_VIEWER;
		ag_tool_output_init(&out, c.tool);
		assert_ok(w, ag_tool_call(&c, &input, &out, &w->err));
		assert_int_equal(out.is_error, !i);
		assert_true(has(ag_buf_view(&out.json),
		                i ? "\"status\":\"created\"" : "needs the role analyst"));
		ag_tool_output_release(&out);
	}
	assert_int_equal(count(w), 1);
}

/* --- versions --- */

static void two_updates_make_versions_two_and_three(void **state)
{
	analyst_world *w = *state;
	const ag_know_place p = place(w);
	const ag_artifact_saved one = a_report(w);
	const ag_artifact_saved two = put(w, (ag_artifact_draft){ .id = one.artifact.version.id,
	                                                          .code = AG_S("# Two") });
	const ag_artifact_saved three = put(w, (ag_artifact_draft){ .id = one.artifact.version.id,
	                                                            .title = AG_S("Third"),
	                                                            .code = AG_S("# Three") });
	const ag_artifact_saved same = put(w, (ag_artifact_draft){ .id = two.artifact.version.id,
	                                                           .code = AG_S("# Three") });
	ag_artifact_version *list;
	ag_artifact_row row;
	ag_artifact a;
	size_t n;

	assert_int_equal(two.artifact.version.version, 2);
	assert_true(ag_str_eq(two.previous, one.artifact.version.id));
	assert_int_equal(three.artifact.version.version, 3);
	assert_true(ag_str_eq(three.artifact.version.parent, two.artifact.version.id));
	assert_true(same.is_same);
	assert_true(ag_str_eq(same.artifact.version.id, three.artifact.version.id));
	assert_ok(w, ag_artifact_history(&p, one.artifact.row.id, w->shop.arena, &row, &list, &n,
	                                 &w->err));
	assert_int_equal(n, 3);
	aw_assert_str(row.title, "Third");
	aw_assert_str(row.thread, "t1");
	assert_ok(w, ag_artifact_get(&p, three.artifact.version.id, 1, w->shop.arena, &a, &w->err));
	aw_assert_str(a.version.code, "# Report");
	aw_assert_str(a.version.title, "Report");
}

static void another_projects_id_is_unknown(void **state)
{
	analyst_world *w = *state;
	const ag_artifact_saved one = a_report(w);
	ag_know_place p = place(w);
	const ag_artifact_draft d = { .id = one.artifact.row.id, .code = AG_S("x") };
	ag_artifact_saved saved;
	ag_artifact a;

	w->shop.mine[0].role = AG_ROLE_ADMIN;
	assert_ok(w, ag_project_find(w->shop.hub, &w->shop.who, AG_S("bank"), &p.project, &w->err));
	assert_int_equal(ag_artifact_get(&p, one.artifact.row.id, 0, w->shop.arena, &a, &w->err),
	                 AG_NOT_FOUND);
	assert_int_equal(ag_artifact_put(&p, &d, w->shop.arena, &saved, &w->err), AG_NOT_FOUND);
}

/* --- limits --- */

static void assert_refused(analyst_world *w, ag_artifact_draft d, ag_status want, const char *words)
{
	const ag_know_place p = place(w);
	ag_artifact_saved saved;

	assert_int_equal(ag_artifact_put(&p, &d, w->shop.arena, &saved, &w->err), want);
	if (!strstr(w->err.msg, words))
		fail_msg("want \"%s\" in: %s", words, w->err.msg);
}

static ag_str many(analyst_world *w, size_t n)
{
	char *p = ag_arena_alloc(w->shop.arena, n + 1);

	memset(p, 'x', n);
	return ag_str_make(p, n);
}

static void what_is_too_large_is_named(void **state)
{
	analyst_world *w = *state;
	const ag_artifact_draft good = { .title = AG_S("A"),
		                         .kind = AG_S("html"),
		                         .code = AG_S("<p>") };
	ag_artifact_draft d = good;
	ag_val v;

	d.code = many(w, 10u << 20);
	assert_refused(w, d, AG_LIMIT, "code: want at most 524288 bytes, got 10485760");
	d = good;
	d.title = many(w, 501);
	assert_refused(w, d, AG_LIMIT, "title: want at most 500 characters, got 501");
	d = good;
	v = parse(w, "[1]");
	d.data = &v;
	assert_refused(w, d, AG_INVALID, "data: want a list of objects, item 1 is int");
	v = ag_val_str(AG_S("no json"));
	assert_refused(w, d, AG_INVALID, "data: a text that is no JSON");
	v = ag_val_str(many(w, 2u << 20));
	assert_refused(w, d, AG_LIMIT, "data: want at most 1048576 bytes");
	d = good;
	d.queries = &v;
	v = parse(w, "[{\"name\":\"a\"}]");
	assert_refused(w, d, AG_INVALID, "source_queries: item 1: want {\"name\", \"sql\"}");
	v = parse(
		w,
		"[{\"name\":\"good\",\"sql\":\"select 1\"},{\"name\":\"bad\",\"sql\":\"DROP TABLE "
		"orders\"}]");
	assert_refused(w, d, AG_INVALID, "source_queries: \"bad\": ");
	v = parse(w, "[{\"name\":\"gone\",\"sql\":\"select nothing from orders\"}]");
	assert_refused(w, d, AG_INVALID, "source_queries: \"gone\": ");
	assert_int_equal(count(w), 0);
	v = parse(w, "{\"a\":1}");
	d = good;
	d.data = &v;
	put(w, d);
	assert_int_equal(count(w), 1);
}

/* --- data --- */

static void its_queries_run_at_the_same_time_and_are_kept(void **state)
{
	analyst_world *w = *state;
	const ag_know_place p = place(w);
	const ag_val queries = parse(
		w, "[{\"name\":\"n\",\"sql\":\"SELECT count(*) AS n FROM orders\"},"
		   "{\"name\":\"gone\",\"sql\":\"SELECT note FROM orders\"},"
		   "{\"name\":\"all\",\"sql\":\"SELECT id, total FROM orders ORDER BY id\"}]");
	const ag_val data = parse(w, "{\"title\":\"x\",\"all\":[]}");
	const ag_ledger_query rows_of = { .tool = AG_S("query_artifact"),
		                          .limit = 100,
		                          .calls = true };
	ag_artifact_cache *cache = ag_artifact_cache_new(&ag_clock_system);
	const ag_artifact_saved saved = put(w, (ag_artifact_draft){ .title = AG_S("A"),
	                                                            .kind = AG_S("react"),
	                                                            .code = AG_S("x"),
	                                                            .data = &data,
	                                                            .queries = &queries });
	ag_artifact_result *list;
	ag_ledger_row *rows;
	size_t n;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(ag_str_cstr(w->shop.arena,
	                                          ag_str_printf(w->shop.arena, "%s/shop.db",
	                                                        w->shop.folder)),
	                              &db),
	                 SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "ALTER TABLE orders DROP COLUMN note", NULL, NULL, NULL),
	                 SQLITE_OK);
	for (int i = 0; i < 2; i++) {
		assert_ok(w, ag_artifact_query(&p, &saved.artifact, cache, w->shop.arena, &list, &n,
		                               &w->err));
		assert_int_equal(n, 3);
		aw_assert_str(list[0].name, "n");
		assert_int_equal(list[0].row_count, 1);
		assert_int_equal(list[0].is_cached, i == 1);
		/* An error is never kept. */
		assert_true(list[1].error.len > 0 && !list[1].is_cached);
		assert_int_equal(list[2].row_count, 3);
	}
	aw_assert_str(ag_artifact_data(&saved.artifact, list, n, w->shop.arena),
	              "{\"title\":\"x\",\"n\":[{\"n\":3}],\"all\":[{\"id\":1,\"total\":10.5},"
	              "{\"id\":2,\"total\":20},{\"id\":3,\"total\":30}]}");
	/* Each query that ran has a row of its own. */
	assert_ok(w,
	          ag_store_ledger_rows(w->shop.store, &rows_of, w->shop.arena, &rows, &n, &w->err));
	assert_int_equal(n, 4);
	sqlite3_close(db);
	ag_artifact_cache_free(cache);
}

/* --- changing --- */

static void who_made_it_or_an_admin_may_delete_it(void **state)
{
	analyst_world *w = *state;
	const ag_know_place p = place(w);
	const ag_str id = a_report(w).artifact.row.id;
	const ag_artifact_list_opts gone = { .deleted = true };
	ag_artifact_row row;
	ag_artifact_listing l;
	ag_artifact a;

	w->shop.who.user = AG_S("bob");
	assert_int_equal(ag_artifact_delete(&p, id, w->shop.arena, &row, &w->err), AG_DENIED);
	assert_non_null(strstr(w->err.msg, "was made by ann"));
	assert_ok(w, ag_artifact_rename(&p, id, AG_S(" New "), w->shop.arena, &row, &w->err));
	aw_assert_str(row.title, "New");
	w->shop.mine[1].role = AG_ROLE_ADMIN;
	assert_ok(w, ag_artifact_delete(&p, id, w->shop.arena, &row, &w->err));
	assert_int_equal(ag_artifact_get(&p, id, 0, w->shop.arena, &a, &w->err), AG_NOT_FOUND);
	assert_int_equal(count(w), 0);
	assert_ok(w, ag_artifact_list(&p, &gone, w->shop.arena, &l, &w->err));
	assert_int_equal(l.n, 1);
	w->shop.mine[1].role = AG_ROLE_ANALYST;
	assert_int_equal(ag_artifact_undelete(&p, id, w->shop.arena, &row, &w->err), AG_DENIED);
	w->shop.who.user = AG_S("ann");
	assert_ok(w, ag_artifact_undelete(&p, id, w->shop.arena, &row, &w->err));
	assert_int_equal(ag_artifact_undelete(&p, id, w->shop.arena, &row, &w->err), AG_CONFLICT);
	assert_ok(w, ag_artifact_get(&p, id, 0, w->shop.arena, &a, &w->err));
}

static void after_thirty_days_it_does_not_come_back(void **state)
{
	analyst_world *w = *state;
	const ag_know_place p = place(w);
	const ag_artifact_list_opts gone = { .deleted = true };
	ag_artifact_row row = a_report(w).artifact.row;
	ag_artifact_listing l;

	row.deleted_ms = ag_clock_wall(&ag_clock_system) - AG_ARTIFACT_KEPT_MS - 1000;
	assert_ok(w, ag_store_set_artifact(w->shop.store, &row, &w->err));
	assert_ok(w, ag_artifact_list(&p, &gone, w->shop.arena, &l, &w->err));
	assert_int_equal(l.n, 0);
	assert_int_equal(ag_artifact_undelete(&p, row.id, w->shop.arena, &row, &w->err),
	                 AG_NOT_FOUND);
	a_report(w); /* a change takes it for good */
	assert_int_equal(ag_store_artifact(w->shop.store, AG_S("shop"), row.id, w->shop.arena, &row,
	                                   &w->err),
	                 AG_NOT_FOUND);
}

static void all_of_them_come_back_from_an_export(void **state)
{
	analyst_world *w = *state;
	ag_know_place p = place(w);
	const ag_str id = a_report(w).artifact.row.id;
	ag_artifact_set set, again;
	uint64_t nadded;
	ag_artifact a;

	put(w, (ag_artifact_draft){ .id = id, .code = AG_S("# Two") });
	assert_ok(w, ag_artifact_export(&p, w->shop.arena, &set, &w->err));
	assert_int_equal(set.n, 1);
	assert_int_equal(set.nversion, 2);
	assert_int_equal(ag_artifact_import(&p, &set, w->shop.arena, &nadded, &w->err), AG_DENIED);
	w->shop.mine[0].role = w->shop.mine[1].role = AG_ROLE_ADMIN;
	assert_ok(w, ag_artifact_import(&p, &set, w->shop.arena, &nadded, &w->err));
	assert_int_equal(nadded, 0);
	assert_ok(w, ag_project_find(w->shop.hub, &w->shop.who, AG_S("bank"), &p.project, &w->err));
	assert_ok(w, ag_artifact_import(&p, &set, w->shop.arena, &nadded, &w->err));
	assert_int_equal(nadded, 2);
	assert_ok(w, ag_artifact_export(&p, w->shop.arena, &again, &w->err));
	assert_int_equal(again.nversion, 2);
	assert_true(ag_str_eq(again.versions[1].code, set.versions[1].code));
	assert_int_equal(again.versions[0].created_ms, set.versions[0].created_ms);
	assert_int_equal(again.rows[0].changed_ms, set.rows[0].changed_ms);
	/* A code that is not the one of the hash. */
	again.versions[1].code = AG_S("# Else");
	assert_int_equal(ag_artifact_import(&p, &again, w->shop.arena, &nadded, &w->err),
	                 AG_INVALID);
	assert_non_null(strstr(w->err.msg, "version 2: sha256"));
	assert_ok(w, ag_artifact_get(&p, id, 2, w->shop.arena, &a, &w->err));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_model_saves_one_with_its_thread),
		T(an_unproven_figure_is_marked),
		T(a_wrong_type_names_the_five),
		T(a_viewer_may_list_only),
		T(the_dispatcher_asks_for_the_role),
		T(two_updates_make_versions_two_and_three),
		T(another_projects_id_is_unknown),
		T(what_is_too_large_is_named),
		T(its_queries_run_at_the_same_time_and_are_kept),
		T(who_made_it_or_an_admin_may_delete_it),
		T(after_thirty_days_it_does_not_come_back),
		T(all_of_them_come_back_from_an_export),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
