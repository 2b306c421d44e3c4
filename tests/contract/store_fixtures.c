/* Worlds and rows for the tests of the stores. */
#include "store_fixtures.h"

#include "contract/folder.h"
#include "contract/postgres_server.h"

#include <inttypes.h>

const store_fixture store_fixtures[] = {
	{ .name = "sqlite", .is_shared = true, .is_file = true, .scheme = "sqlite:" },
	{ .name = "memory", .is_shared = false, .scheme = "memory:" },
	{ .name = "postgresql", .is_shared = true, .is_server = true, .scheme = "postgresql:" },
};
const size_t nstore_fixture = AG_NELEM(store_fixtures);

const char *store_fixture_start(const store_fixture *f)
{
	const char *why = f->is_server ? pg_server_start() : NULL;

	if (why)
		printf("# %s: skipped, %s\n", f->name, why);
	return why;
}

void store_fixture_stop(const store_fixture *f)
{
	if (f->is_server)
		pg_stop();
}

/* One database, emptied for each test: to make one takes a quarter of a second. */
static void empty_database(store_env *env)
{
	char out[256];

	if (!pg.ndatabase++)
		AG_ASSERT(psql("postgres", "CREATE DATABASE s TEMPLATE template0 ENCODING 'UTF8'",
		               out, sizeof(out)) == 0);
	AG_ASSERT(psql("s", "SET client_min_messages = error; DROP SCHEMA IF EXISTS argus CASCADE",
	               out, sizeof(out)) == 0);
	snprintf(env->uri, sizeof(env->uri), "postgresql://postgres:secret@127.0.0.1:%s/s",
	         pg.port);
}

void store_env_new_uri(store_env *env)
{
	const store_fixture *f = env->fixture;

	if (f->is_server)
		empty_database(env);
	else
		snprintf(env->uri, sizeof(env->uri), f->is_file ? "%s%s/deep/er/argus%u.db" : "%s",
		         f->scheme, env->folder, ++env->nuri);
}

store_env *store_env_new(const store_fixture *f)
{
	store_env *env = ag_xcalloc(1, sizeof(*env));

	env->fixture = f;
	env->arena = ag_arena_new();
	test_folder_make(env->folder, "store");
	store_env_new_uri(env);
	return env;
}

ag_str store_env_sql(store_env *env, const char *sql)
{
	char out[4096];

	AG_ASSERT(env->fixture->is_server);
	AG_ASSERT(psql(strrchr(env->uri, '/') + 1, sql, out, sizeof(out)) == 0);
	return ag_str_dup(env->arena, ag_str_trim(ag_str_c(out)));
}

void store_server_crash(void)
{
	char out[256];

	AG_ASSERT(postgres_sh("crash", out, sizeof(out)) == 0);
}

void store_server_again(void)
{
	char out[256];

	AG_ASSERT(postgres_sh("again", out, sizeof(out)) == 0);
}

void store_env_free(store_env *env)
{
	env->store = ag_store_close(env->store);
	ag_arena_free(env->arena);
	test_folder_remove(env->folder);
	free(env);
}

ag_status store_env_reopen(store_env *env)
{
	env->store = ag_store_close(env->store);
	return ag_store_open(ag_str_c(env->uri), &env->store, &env->err);
}

static ag_str payload(ag_arena *arena, uint64_t seq, size_t nfill)
{
	char head[60];
	size_t n = (size_t)snprintf(head, sizeof(head), "{\"n\":%" PRIu64 ",\"fill\":\"", seq);
	char *text = ag_arena_alloc(arena, n + nfill + 3);

	memcpy(text, head, n);
	memset(text + n, 'x', nfill);
	memcpy(text + n + nfill, "\"}", 2);
	return ag_str_make(text, n + nfill + 2);
}

ag_event store_test_event(ag_arena *arena, const ag_id *run, uint64_t seq, ag_event_type type,
                          size_t nfill)
{
	ag_event ev = {
		.v = AG_EVENT_VERSION,
		.run = *run,
		.seq = seq,
		.type = type,
		.cause = seq - 1,
		.at_ms = 1700000000000 + (int64_t)seq,
		.payload = payload(arena, seq, nfill),
	};

	return ev;
}

ag_run_row store_test_run(const ag_id *id, int64_t started_ms, const char *source_key)
{
	ag_run_row r = {
		.id = *id,
		.agent = AG_S("audit"),
		.source_uri = AG_S("data/orders.ndjson"),
		.source_key = ag_str_c(source_key),
		.collection = AG_S("orders"),
		.status = AG_S("running"),
		.started_ms = started_ms,
		.documents = 12,
		.critical = 1,
		.high = 2,
		.medium = 3,
		.low = 4,
	};

	return r;
}

ag_finding_row store_test_finding(const ag_id *id, const ag_id *run, const char *key)
{
	ag_finding_row f = {
		.id = *id,
		.run = *run,
		.key = ag_str_c(key),
		.field = AG_S("total"),
		.category = AG_S("null_values"),
		.severity = AG_S("high"),
		.status = AG_S("committed"),
		.affected = 7,
		.share = 0.1,
		.body = AG_S("{\"title\":\"sieben \xc3\xa4\"}"),
	};

	return f;
}

ag_status store_test_append(ag_store *s, ag_arena *arena, const ag_id *run, uint64_t first,
                            uint64_t last, bool durable, ag_err *err)
{
	ag_event *events = ag_new_n(arena, ag_event, last - first + 1);
	ag_store_batch b = { .events = events,
		             .nevent = last - first + 1,
		             .on_disk = durable ? AG_STORE_NOW : AG_STORE_BY_TYPE };

	for (uint64_t seq = first; seq <= last; seq++)
		events[seq - first] = store_test_event(arena, run, seq, AG_EV_TEXT_DELTA, 20);
	return ag_store_commit(s, run, &b, err);
}

int64_t store_test_log_length(ag_store *s, ag_arena *arena, const ag_id *run)
{
	ag_event *events = NULL;
	size_t n = 0;

	if (ag_store_events(s, run, 0, arena, &events, &n, NULL))
		return -1;
	for (size_t i = 0; i < n; i++) {
		char head[60];

		snprintf(head, sizeof(head), "{\"n\":%zu,\"fill\":\"x", i + 1);
		if (events[i].seq != i + 1 || !ag_str_starts(events[i].payload, ag_str_c(head)) ||
		    !ag_str_ends(events[i].payload, AG_S("x\"}")))
			return -1;
	}
	return (int64_t)n;
}
