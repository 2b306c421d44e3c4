/* The stores that the contract suite runs on, and what its tests share.
 *
 * To add a store: one row in store_fixtures[] of store_fixtures.c. */
#ifndef AG_TEST_STORE_FIXTURES_H
#define AG_TEST_STORE_FIXTURES_H

#include "assert_ok.h"
#include "store/store.h"

typedef struct store_fixture {
	const char *name;
	bool is_shared; /* a second handle, or another process, sees the same store */
	bool is_file;   /* of SQLite, below the test's folder */
	bool is_server; /* a real PostgreSQL, which is started for the program */
	const char *scheme;
} store_fixture;

extern const store_fixture store_fixtures[];
extern const size_t nstore_fixture;

/* Around the tests of a row: starts what it needs. NULL, or why its tests are skipped, which was printed. */
const char *store_fixture_start(const store_fixture *f);
void store_fixture_stop(const store_fixture *f);

/* For tests, which include cmocka before. */
#define assert_str(s, text) assert_true(ag_str_eqc((s), (text)))

/* One test's world: an empty folder, a store that is open in it. */
typedef struct store_env {
	const store_fixture *fixture;
	unsigned nuri;
	char folder[128];
	char uri[200];
	ag_store *store;
	ag_arena *arena;
	ag_err err;
} store_env;

store_env *store_env_new(const store_fixture *f); /* the store is not open yet */
void store_env_free(store_env *env);
void store_env_new_uri(store_env *env); /* of another store, which does not exist yet */
/* Of a server: runs SQL as its owner, past Argus; what it printed. */
ag_str store_env_sql(store_env *env, const char *sql);
void store_server_crash(void); /* kill -9 */
void store_server_again(void);
/* Close and open again; only for stores that keep something. */
ag_status store_env_reopen(store_env *env);

/* Event `seq` of a run: its payload is {"n":<seq>,"fill":"xxx…"} with nfill x. */
ag_event store_test_event(ag_arena *arena, const ag_id *run, uint64_t seq, ag_event_type type,
                          size_t nfill);
ag_run_row store_test_run(const ag_id *id, int64_t started_ms, const char *source_key);
ag_finding_row store_test_finding(const ag_id *id, const ag_id *run, const char *key);
/* Commit events first..last in one batch. */
ag_status store_test_append(ag_store *s, ag_arena *arena, const ag_id *run, uint64_t first,
                            uint64_t last, bool durable, ag_err *err);
/* Is the log 1..n without a hole, each event as store_test_event() made it? Returns n, or -1. */
int64_t store_test_log_length(ag_store *s, ag_arena *arena, const ag_id *run);

#endif
