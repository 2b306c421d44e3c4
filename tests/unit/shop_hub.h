/* shop_hub -- projects "shop" and "bank" on one SQLite database, and ann, who may read both: what tests of governed tools
 * stand on. Store, hub and audit table are real. */
#ifndef AG_TEST_SHOP_HUB_H
#define AG_TEST_SHOP_HUB_H

#include <stdio.h>

#include <sqlite3.h>

#include "../contract/assert_ok.h"
#include "../contract/folder.h"
#include "project/project.h"

typedef struct shop_hub {
	char folder[128], path[200];
	ag_arena *arena;
	ag_store *store;
	ag_project_hub *hub;
	ag_caller_project mine[2];
	ag_caller who;
	ag_err err;
} shop_hub;

static inline void shop_put(shop_hub *s, const char *id)
{
	const ag_project_row row = {
		.id = ag_str_c(id),
		.name = ag_str_c(id),
		.source = ag_str_printf(s->arena, "sqlite:%s/shop.db", s->folder),
		.settings = AG_S("{}"),
		.is_active = true,
		.created_ms = 1,
		.changed_ms = 1,
	};

	assert_ok(s, ag_store_put_project(s->store, &row, &s->err));
}

/* name: of its folder; sql: what is in the database. */
static inline void shop_open(shop_hub *s, const char *name, const char *sql, unsigned connections)
{
	ag_project_hub_opts o = { .clock = &ag_clock_system,
		                  .per_minute = 100000,
		                  .connections = connections };
	char database[200];
	sqlite3 *db;

	s->arena = ag_arena_new();
	test_folder_make(s->folder, name);
	snprintf(s->path, sizeof(s->path), "%s/argus.db", s->folder);
	snprintf(database, sizeof(database), "%s/shop.db", s->folder);
	assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_ok(s, ag_store_open(ag_str_c(s->path), &s->store, &s->err));
	shop_put(s, "shop");
	shop_put(s, "bank");
	o.store = s->store;
	o.store_uri = ag_str_c(s->path);
	assert_ok(s, ag_project_hub_open(&o, &s->hub, &s->err));
	s->mine[0] = (ag_caller_project){ AG_S("bank"), AG_ROLE_VIEWER };
	s->mine[1] = (ag_caller_project){ AG_S("shop"), AG_ROLE_VIEWER };
	s->who = (ag_caller){ .user = AG_S("ann"), .projects = s->mine, .nproject = 2 };
}

static inline void shop_close(shop_hub *s)
{
	ag_project_hub_close(s->hub);
	ag_store_close(s->store);
	ag_arena_free(s->arena);
	test_folder_remove(s->folder);
}

#endif
