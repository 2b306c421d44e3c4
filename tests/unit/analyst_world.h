/* analyst_world -- a shop in SQLite, its project and user, and a scripted model that is asked about it: what tests of
 * conversations use. Store, hub, guard and audit table are real. */
#ifndef AG_TEST_ANALYST_WORLD_H
#define AG_TEST_ANALYST_WORLD_H

#include "analyst/analyst.h"
#include "analyst/schema.h"
#include "base/json.h"
#include "query/extjson.h"
#include "scripted_model.h"
#include "shop_hub.h"

#define AW_SHOP                                                                              \
	"CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL, region TEXT);"       \
	"CREATE TABLE orders(id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users(id), " \
	"total NUMERIC, note TEXT);"                                                         \
	"INSERT INTO users VALUES (1,'Ann','North'),(2,'Bob','South'),(3,'Cem','North');"    \
	"INSERT INTO orders VALUES (1,1,10.5,'error: none'),(2,1,20,''),(3,2,30,'syntax error');"

#define AW_CALL(id, name, args)                                                   \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name \
	"\",\"arguments\":\"" args "\"}}"
#define AW_SQL(id, sql) AW_CALL(id, "execute_sql", "{\\\"query\\\":\\\"" sql "\\\"}")
/* A line of the script that calls execute_sql once. */
/* clang-format off */
#define AW_ASK_SQL(sql) { .calls = "[" AW_SQL("c", sql) "]" }
#define AW_SAY(words)   { .text = AG_S_INIT(words) }
/* clang-format on */

typedef struct analyst_world {
	shop_hub shop;
	ag_ctx ctx;
	scripted_model model;
	bool has_model;
	const ag_project *project;
	ag_dictionary dictionary;
	ag_thread thread;
	ag_analyst_opts opts;
	ag_analyst_turn_result r;
	ag_err err;
} analyst_world;

static inline void aw_open(analyst_world *w, const char *sql)
{
	*w = (analyst_world){ 0 };
	shop_open(&w->shop, "analyst", sql, 4);
	w->ctx = (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
	assert_ok(w,
	          ag_project_find(w->shop.hub, &w->shop.who, AG_S("shop"), &w->project, &w->err));
	assert_ok(w, ag_analyst_schema(w->shop.hub, &w->ctx, &w->shop.who, w->project, false,
	                               w->shop.arena, &w->dictionary, &w->err));
	w->thread = ag_thread_new(&ag_clock_system,
	                          ag_thread_place(w->project->id, w->shop.who.user, w->shop.arena),
	                          w->shop.arena);
	w->opts = (ag_analyst_opts){ .thread = &w->thread,
		                     .hub = w->shop.hub,
		                     .who = &w->shop.who,
		                     .project = w->project,
		                     .dictionary = &w->dictionary,
		                     .store = w->shop.store,
		                     .choices = { .retries = 3 } };
}

static inline void aw_script(analyst_world *w, const sm_line *lines, size_t n)
{
	if (w->has_model)
		sm_close(&w->model);
	sm_open(&w->model, "m", lines, n);
	w->has_model = true;
	w->opts.llm = w->model.llm;
}

static inline void aw_ask(analyst_world *w, const char *question)
{
	w->opts.question = ag_str_c(question);
	assert_ok(w, ag_analyst_turn(&w->ctx, &w->opts, w->shop.arena, &w->r, &w->err));
}

static inline void aw_close(analyst_world *w)
{
	if (w->has_model)
		sm_close(&w->model);
	shop_close(&w->shop);
}

/* A request's messages, as one JSON array. */
static inline const ag_val *aw_messages(analyst_world *w, size_t request)
{
	const ag_extjson_opts opts = { 0 };
	ag_val *v = ag_new(w->shop.arena, ag_val);

	assert_true(request < w->model.nasked);
	assert_ok(w, ag_extjson_parse(w->model.requests[request], &opts, w->shop.arena, v, NULL,
	                              NULL, &w->err));
	return ag_val_getc(v, "messages");
}

static inline bool aw_request_has(analyst_world *w, size_t request, const char *text)
{
	const ag_val *m = aw_messages(w, request);

	for (uint32_t i = 0; i < m->n; i++) {
		if (ag_str_contains(ag_val_member_str(&m->u.items[i], "content"), ag_str_c(text)))
			return true;
	}
	return false;
}

#define aw_assert_has(w, request, text)                                                     \
	do {                                                                                \
		if (!aw_request_has((w), (request), (text)))                                \
			fail_msg("request %d has no \"%s\":\n%.*s", (int)(request), (text), \
			         AG_FMT((w)->model.requests[request]));                     \
	} while (0)

/* Statements that were run, or are refused: rows of the audit table. */
static inline size_t aw_statements(analyst_world *w)
{
	const ag_ledger_query q = { .tool = AG_S("execute_sql"), .limit = 1000, .calls = true };
	ag_ledger_row *rows;
	size_t n;

	assert_ok(w, ag_store_ledger_rows(w->shop.store, &q, w->shop.arena, &rows, &n, &w->err));
	return n;
}

static inline void aw_assert_str(ag_str got, const char *want)
{
	if (!ag_str_eqc(got, want))
		fail_msg("want %s\ngot  %.*s", want, AG_FMT(got));
}

#endif
