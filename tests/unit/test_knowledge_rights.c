/* Who may do what with a project's knowledge and artifacts: what each command, each "/" of a conversation and each page does,
 * tried as nobody, viewer, analyst and admin. On the command line the local user is an admin of all projects; over HTTP the
 * caller's token decides, for the same functions. Tools: tests/e2e/knowledge.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyst/schema.h"
#include "artifact/artifact.h"
#include "query/extjson.h"
#include "shop_hub.h"

typedef struct world {
	shop_hub shop;
	ag_ctx ctx;
	ag_know_place place; /* as the caller of the row */
	ag_know_place ann;   /* an admin, who makes what a row needs */
	ag_caller_project its, all;
	ag_caller who, admin;
	ag_str artifact; /* made by ben, whom the rows are called as, or by ann */
	ag_err err;
} world;

static ag_know object(world *w, ag_know_kind kind, const char *name, const char *fields)
{
	const ag_extjson_opts opts = { 0 };
	ag_know o;
	ag_val v;

	assert_ok(w, ag_extjson_parse(ag_str_c(fields), &opts, w->shop.arena, &v, NULL, NULL,
	                              &w->err));
	assert_ok(w, ag_know_make(kind, ag_str_c(name), &v, w->shop.arena, &o, &w->err));
	o.author = AG_S("ben");
	o.created_ms = o.changed_ms = 1;
	return o;
}

static const char *const fields_of[AG_KNOW_NKIND] = {
	[AG_KNOW_ENTRY] = "{\"content\":\"x\"}",
	[AG_KNOW_TABLE] = "{\"description\":\"x\"}",
	[AG_KNOW_METRIC] = "{\"definition\":\"x\",\"sql\":\"SELECT 1 AS n\"}",
	[AG_KNOW_LEARNING] = "{\"category\":\"other\",\"tables\":[\"users\"]}",
	[AG_KNOW_GOLDEN] = "{\"mode\":\"exact\",\"expected\":\"1\"}",
	[AG_KNOW_RECIPE] =
		"{\"description\":\"d\",\"is_shared\":true,\"steps\":[{\"prompt_template\":\"x\"}]}",
};

static const char NAME[] = "users are what the rows are about";

static ag_know of_kind(world *w, ag_know_kind kind)
{
	return object(w, kind, NAME, fields_of[kind]);
}

static ag_status put(world *w, const ag_know_place *p, ag_know_kind kind, ag_know_put_mode mode,
                     ag_err *err)
{
	const ag_know o = of_kind(w, kind);
	ag_know_counts n;

	return ag_know_put(p, &o, 1, mode, false, w->shop.arena, &n, err);
}

static ag_status drop(world *w, ag_know_kind kind, ag_err *err)
{
	const ag_know o = of_kind(w, kind);

	assert_ok(w, put(w, &w->ann, kind, AG_KNOW_IMPORT, &w->err));
	return ag_know_remove(&w->place, &o, w->shop.arena, err);
}

/* --- rows --- */

#define KIND_ROWS(kind, KIND)                                                 \
	static ag_status add_##kind(world *w, ag_err *err)                    \
	{                                                                     \
		return put(w, &w->place, KIND, AG_KNOW_IMPORT, err);          \
	}                                                                     \
	static ag_status edit_##kind(world *w, ag_err *err)                   \
	{                                                                     \
		assert_ok(w, put(w, &w->ann, KIND, AG_KNOW_IMPORT, &w->err)); \
		return put(w, &w->place, KIND, AG_KNOW_REPLACE, err);         \
	}                                                                     \
	static ag_status remove_##kind(world *w, ag_err *err)                 \
	{                                                                     \
		return drop(w, KIND, err);                                    \
	}
KIND_ROWS(entry, AG_KNOW_ENTRY)
KIND_ROWS(table, AG_KNOW_TABLE)
KIND_ROWS(metric, AG_KNOW_METRIC)
KIND_ROWS(learning, AG_KNOW_LEARNING)
KIND_ROWS(golden, AG_KNOW_GOLDEN)
KIND_ROWS(recipe, AG_KNOW_RECIPE)

static ag_status list(world *w, ag_err *err)
{
	ag_know *l;
	size_t n;

	return ag_know_list(&w->place, AG_KNOW_NKIND, w->shop.arena, &l, &n, err);
}

static ag_status search(world *w, ag_err *err)
{
	ag_know *l;
	size_t n;

	return ag_know_find_text(&w->place, AG_S("users"), 5, w->shop.arena, &l, &n, err);
}

static ag_status import_mixed(world *w, ag_err *err)
{
	const ag_know o[] = { of_kind(w, AG_KNOW_ENTRY), of_kind(w, AG_KNOW_TABLE) };
	ag_know_counts n;

	return ag_know_put(&w->place, o, 2, AG_KNOW_IMPORT, false, w->shop.arena, &n, err);
}

static ag_status check(world *w, ag_err *err)
{
	const ag_know m = of_kind(w, AG_KNOW_METRIC);
	ag_str why;

	return ag_know_check_metric(&w->place, &m, w->shop.arena, &why, err);
}

static ag_status dictionary(world *w, bool refresh, ag_err *err)
{
	ag_dictionary d;

	return ag_analyst_schema(w->shop.hub, &w->ctx, w->place.who, w->place.project, refresh,
	                         w->shop.arena, &d, err);
}

static ag_status tables(world *w, ag_err *err)
{
	return dictionary(w, false, err);
}

static ag_status refresh(world *w, ag_err *err)
{
	return dictionary(w, true, err);
}

static ag_status learn(world *w, ag_err *err)
{
	const ag_val name = ag_val_str(AG_S("users")), one = ag_val_array(&name, 1);
	const ag_know_lesson l = { .description = ag_str_c(NAME),
		                   .category = AG_S("other"),
		                   .tables = &one,
		                   .author = AG_S("ben"),
		                   .now_ms = 2 };
	ag_know_learnt ret;

	return ag_know_save_lesson(&w->place, &l, w->shop.arena, &ret, err);
}

static ag_status review(world *w, ag_err *err)
{
	ag_know o;

	assert_ok(w, put(w, &w->ann, AG_KNOW_LEARNING, AG_KNOW_IMPORT, &w->err));
	assert_ok(w, ag_know_get(&w->ann, AG_KNOW_LEARNING, ag_str_c(NAME), w->shop.arena, &o,
	                         &w->err));
	return ag_know_judge(&w->place, &o, false, AG_S("why"), w->shop.arena, &o, err);
}

static void make_artifact(world *w, const char *author)
{
	const ag_artifact_draft d = { .title = AG_S("A"),
		                      .kind = AG_S("markdown"),
		                      .code = AG_S("# A") };
	ag_artifact_saved saved;
	ag_caller who = w->admin;
	ag_know_place p = w->ann;

	who.user = ag_str_c(author);
	p.who = &who;
	assert_ok(w, ag_artifact_put(&p, &d, w->shop.arena, &saved, &w->err));
	w->artifact = saved.artifact.row.id;
}

static ag_status create(world *w, ag_err *err)
{
	const ag_artifact_draft d = { .title = AG_S("A"),
		                      .kind = AG_S("markdown"),
		                      .code = AG_S("# A") };
	ag_artifact_saved saved;

	return ag_artifact_put(&w->place, &d, w->shop.arena, &saved, err);
}

static ag_status update(world *w, ag_err *err)
{
	ag_artifact_draft d = { .code = AG_S("# B") };
	ag_artifact_saved saved;

	make_artifact(w, "ann");
	d.id = w->artifact;
	return ag_artifact_put(&w->place, &d, w->shop.arena, &saved, err);
}

static ag_status list_artifacts(world *w, ag_err *err)
{
	const ag_artifact_list_opts o = { 0 };
	ag_artifact_listing l;

	return ag_artifact_list(&w->place, &o, w->shop.arena, &l, err);
}

static ag_status show_artifact(world *w, ag_err *err)
{
	ag_artifact a;

	make_artifact(w, "ann");
	return ag_artifact_get(&w->place, w->artifact, 0, w->shop.arena, &a, err);
}

static ag_status diff_artifact(world *w, ag_err *err)
{
	ag_artifact_version *v;
	ag_artifact_row row;
	size_t n;

	make_artifact(w, "ann");
	return ag_artifact_history(&w->place, w->artifact, w->shop.arena, &row, &v, &n, err);
}

static ag_status refresh_artifact(world *w, ag_err *err)
{
	ag_artifact_result *r;
	ag_artifact a;
	size_t n;

	make_artifact(w, "ann");
	assert_ok(w, ag_artifact_get(&w->ann, w->artifact, 0, w->shop.arena, &a, &w->err));
	return ag_artifact_query(&w->place, &a, NULL, w->shop.arena, &r, &n, err);
}

static ag_status rename_artifact(world *w, ag_err *err)
{
	ag_artifact_row row;

	make_artifact(w, "ann");
	return ag_artifact_rename(&w->place, w->artifact, AG_S("B"), w->shop.arena, &row, err);
}

static ag_status delete_own(world *w, ag_err *err)
{
	ag_artifact_row row;

	make_artifact(w, "ben");
	return ag_artifact_delete(&w->place, w->artifact, w->shop.arena, &row, err);
}

static ag_status delete_others(world *w, ag_err *err)
{
	ag_artifact_row row;

	make_artifact(w, "ann");
	return ag_artifact_delete(&w->place, w->artifact, w->shop.arena, &row, err);
}

static ag_status undelete(world *w, const char *author, ag_err *err)
{
	ag_artifact_row row;

	make_artifact(w, author);
	assert_ok(w, ag_artifact_delete(&w->ann, w->artifact, w->shop.arena, &row, &w->err));
	return ag_artifact_undelete(&w->place, w->artifact, w->shop.arena, &row, err);
}

static ag_status undelete_own(world *w, ag_err *err)
{
	return undelete(w, "ben", err);
}

static ag_status undelete_others(world *w, ag_err *err)
{
	return undelete(w, "ann", err);
}

static ag_status export_artifacts(world *w, ag_err *err)
{
	ag_artifact_set set;

	return ag_artifact_export(&w->place, w->shop.arena, &set, err);
}

static ag_status import_artifacts(world *w, ag_err *err)
{
	ag_artifact_set set;
	uint64_t n;

	assert_ok(w, ag_artifact_export(&w->ann, w->shop.arena, &set, &w->err));
	return ag_artifact_import(&w->place, &set, w->shop.arena, &n, err);
}

/* What runs of recipes and evaluations do with the store. */
static ag_status no_work(ag_store *s, void *arg, ag_err *err)
{
	(void)s, (void)arg, (void)err;
	return AG_OK;
}

static ag_status list_runs(world *w, ag_err *err)
{
	return ag_know_governed(&w->place, "list_recipe_runs", AG_ROLE_VIEWER, AG_S(""), no_work,
	                        NULL, w->shop.arena, err);
}

static const struct {
	const char *what; /* commands, and what of a conversation does the same */
	ag_role least;
	ag_status (*run)(world *w, ag_err *err);
} rights[] = {
	{ "knowledge list, show, export; learnings list; recipe list, show, export, run; eval; /metric; /recipe",
	  AG_ROLE_VIEWER, list },
	{ "knowledge search", AG_ROLE_VIEWER, search },
	{ "knowledge check", AG_ROLE_VIEWER, check },
	{ "chat, prompt; /tables", AG_ROLE_VIEWER, tables },
	{ "knowledge refresh, import --comments", AG_ROLE_ANALYST, refresh },
	{ "knowledge add entry", AG_ROLE_ANALYST, add_entry },
	{ "knowledge edit entry", AG_ROLE_ANALYST, edit_entry },
	{ "knowledge remove entry", AG_ROLE_ANALYST, remove_entry },
	{ "knowledge add table", AG_ROLE_ADMIN, add_table },
	{ "knowledge edit table", AG_ROLE_ADMIN, edit_table },
	{ "knowledge remove table", AG_ROLE_ADMIN, remove_table },
	{ "knowledge import: with notes on tables", AG_ROLE_ADMIN, import_mixed },
	{ "knowledge add metric; /metric NAME", AG_ROLE_ANALYST, add_metric },
	{ "knowledge edit metric", AG_ROLE_ANALYST, edit_metric },
	{ "knowledge remove metric", AG_ROLE_ANALYST, remove_metric },
	{ "knowledge add learning", AG_ROLE_ANALYST, add_learning },
	{ "knowledge edit learning", AG_ROLE_ANALYST, edit_learning },
	{ "learnings forget", AG_ROLE_ANALYST, remove_learning },
	{ "learnings review", AG_ROLE_ANALYST, review },
	{ "/learn", AG_ROLE_ANALYST, learn },
	{ "knowledge add golden; eval --add; /golden", AG_ROLE_ANALYST, add_golden },
	{ "knowledge edit golden", AG_ROLE_ANALYST, edit_golden },
	{ "knowledge remove golden", AG_ROLE_ANALYST, remove_golden },
	{ "recipe import; /recipe save", AG_ROLE_ANALYST, add_recipe },
	{ "recipe edit", AG_ROLE_ANALYST, edit_recipe },
	{ "recipe delete", AG_ROLE_ADMIN, remove_recipe },
	{ "recipe runs, resume, show --run", AG_ROLE_VIEWER, list_runs },
	{ "artifact list; /artifact", AG_ROLE_VIEWER, list_artifacts },
	{ "artifact show, export; /artifact show, export", AG_ROLE_VIEWER, show_artifact },
	{ "artifact diff", AG_ROLE_VIEWER, diff_artifact },
	{ "artifact refresh", AG_ROLE_VIEWER, refresh_artifact },
	{ "artifact export --all", AG_ROLE_VIEWER, export_artifacts },
	{ "a new artifact", AG_ROLE_ANALYST, create },
	{ "a new version of an artifact", AG_ROLE_ANALYST, update },
	{ "artifact rename", AG_ROLE_ANALYST, rename_artifact },
	{ "artifact delete, of one's own", AG_ROLE_ANALYST, delete_own },
	{ "artifact delete, of another's", AG_ROLE_ADMIN, delete_others },
	{ "artifact undelete, of one's own", AG_ROLE_ANALYST, undelete_own },
	{ "artifact undelete, of another's", AG_ROLE_ADMIN, undelete_others },
	{ "artifact import", AG_ROLE_ADMIN, import_artifacts },
};

static void open_world(world *w)
{
	*w = (world){ .ctx = { .clock = &ag_clock_system, .nthread = 1 } };
	shop_open(&w->shop, "rights", "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT)", 4);
	w->all = (ag_caller_project){ AG_S("shop"), AG_ROLE_ADMIN };
	w->admin = (ag_caller){ .user = AG_S("ann"), .projects = &w->all, .nproject = 1 };
	w->ann = (ag_know_place){ .hub = w->shop.hub, .ctx = &w->ctx, .who = &w->admin };
	assert_ok(w,
	          ag_project_find(w->shop.hub, &w->admin, AG_S("shop"), &w->ann.project, &w->err));
	w->place = w->ann;
	w->place.who = &w->who;
}

static void each_role_may_do_what_its_row_says(void **state)
{
	static const ag_role roles[] = { AG_ROLE_NONE, AG_ROLE_VIEWER, AG_ROLE_ANALYST,
		                         AG_ROLE_ADMIN };
	world w;

	(void)state;
	open_world(&w);
	for (size_t i = 0; i < AG_NELEM(rights); i++) {
		for (size_t k = 0; k < AG_NELEM(roles); k++) {
			ag_err err = { 0 };
			ag_status st;

			w.its = (ag_caller_project){ AG_S("shop"), roles[k] };
			w.who = (ag_caller){ .user = AG_S("ben"),
				             .projects = &w.its,
				             .nproject = roles[k] != AG_ROLE_NONE };
			st = rights[i].run(&w, &err);
			if (st != (roles[k] < rights[i].least ? AG_DENIED : AG_OK))
				fail_msg("%s as %s: %s: %s", rights[i].what, ag_role_name(roles[k]),
				         ag_status_name(st), err.msg);
		}
	}
	shop_close(&w.shop);
}

static void what_is_refused_leaves_nothing(void **state)
{
	world w;
	ag_artifact_listing l;
	const ag_artifact_list_opts all = { 0 };
	ag_know *list_of;
	size_t n;

	(void)state;
	open_world(&w);
	w.its = (ag_caller_project){ AG_S("shop"), AG_ROLE_VIEWER };
	w.who = (ag_caller){ .user = AG_S("ben"), .projects = &w.its, .nproject = 1 };
	assert_int_equal(add_entry(&w, &w.err), AG_DENIED);
	assert_string_equal(
		w.err.msg,
		"save_knowledge needs the role analyst in project shop; this caller is viewer");
	assert_int_equal(import_mixed(&w, &w.err), AG_DENIED);
	assert_int_equal(learn(&w, &w.err), AG_DENIED);
	assert_int_equal(create(&w, &w.err), AG_DENIED);
	assert_ok(&w, ag_know_list(&w.ann, AG_KNOW_NKIND, w.shop.arena, &list_of, &n, &w.err));
	assert_int_equal(n, 0);
	assert_ok(&w, ag_artifact_list(&w.ann, &all, w.shop.arena, &l, &w.err));
	assert_int_equal(l.total, 0);
	w.its.role = AG_ROLE_ANALYST;
	assert_int_equal(import_mixed(&w, &w.err), AG_DENIED);
	assert_ok(&w, ag_know_list(&w.ann, AG_KNOW_NKIND, w.shop.arena, &list_of, &n, &w.err));
	assert_int_equal(n, 0);
	shop_close(&w.shop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_role_may_do_what_its_row_says),
		cmocka_unit_test(what_is_refused_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
