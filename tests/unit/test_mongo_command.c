/* The former of commands: every name that MongoDB knows is offered to it, and only commands that read are formed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mongo/command.h"
#include "query/extjson.h"

/* The commands of MongoDB 4.4 to 8.0 and of Azure Cosmos DB, from their manuals. */
static const char *const names[] = {
	"abortReshardCollection",
	"abortTransaction",
	"addShard",
	"addShardToZone",
	"aggregate",
	"analyze",
	"analyzeShardKey",
	"appendOplogNote",
	"applyOps",
	"authenticate",
	"autoCompact",
	"balancerCollectionStatus",
	"balancerStart",
	"balancerStatus",
	"balancerStop",
	"buildInfo",
	"bulkWrite",
	"captrunc",
	"checkMetadataConsistency",
	"checkShardingIndex",
	"cleanupOrphaned",
	"cleanupReshardCollection",
	"clearJumboFlag",
	"cloneCollection",
	"cloneCollectionAsCapped",
	"collMod",
	"collStats",
	"commitReshardCollection",
	"commitTransaction",
	"compact",
	"compactStructuredEncryptionData",
	"configureCollectionBalancing",
	"configureFailPoint",
	"configureQueryAnalyzer",
	"connPoolStats",
	"connPoolSync",
	"connectionStatus",
	"convertToCapped",
	"copydb",
	"count",
	"create",
	"createIndexes",
	"createRole",
	"createSearchIndexes",
	"createUser",
	"currentOp",
	"customAction",
	"dataSize",
	"dbHash",
	"dbStats",
	"delete",
	"deleteIndexes",
	"distinct",
	"driverOIDTest",
	"drop",
	"dropAllRolesFromDatabase",
	"dropAllUsersFromDatabase",
	"dropConnections",
	"dropDatabase",
	"dropIndexes",
	"dropRole",
	"dropSearchIndex",
	"dropUser",
	"enableSharding",
	"endSessions",
	"eval",
	"explain",
	"features",
	"filemd5",
	"find",
	"findAndModify",
	"findandmodify",
	"flushRouterConfig",
	"fsync",
	"fsyncUnlock",
	"geoSearch",
	"getAuditConfig",
	"getClusterParameter",
	"getCmdLineOpts",
	"getDefaultRWConcern",
	"getLastError",
	"getLastRequestStatistics",
	"getLog",
	"getMore",
	"getParameter",
	"getShardMap",
	"getShardVersion",
	"godinsert",
	"grantPrivilegesToRole",
	"grantRolesToRole",
	"grantRolesToUser",
	"group",
	"hello",
	"hostInfo",
	"insert",
	"internalRenameIfOptionsAndIndexesMatch",
	"invalidateUserCache",
	"isMaster",
	"isSelf",
	"isdbgrid",
	"ismaster",
	"killAllSessions",
	"killAllSessionsByPattern",
	"killCursors",
	"killOp",
	"killSessions",
	"listCollections",
	"listCommands",
	"listDatabases",
	"listIndexes",
	"listShards",
	"lockInfo",
	"logApplicationMessage",
	"logRotate",
	"logout",
	"makeSnapshot",
	"mapReduce",
	"mapreduce",
	"medianKey",
	"mergeAllChunksOnShard",
	"mergeChunks",
	"moveChunk",
	"moveCollection",
	"movePrimary",
	"moveRange",
	"netstat",
	"parallelCollectionScan",
	"ping",
	"planCacheClear",
	"planCacheClearFilters",
	"planCacheListFilters",
	"planCacheSetFilter",
	"prepareTransaction",
	"profile",
	"reIndex",
	"refineCollectionShardKey",
	"refreshSessions",
	"reapLogicalSessionCacheNow",
	"removeQuerySettings",
	"removeShard",
	"removeShardFromZone",
	"renameCollection",
	"replSetAbortPrimaryCatchUp",
	"replSetFreeze",
	"replSetGetConfig",
	"replSetGetStatus",
	"replSetHeartbeat",
	"replSetInitiate",
	"replSetMaintenance",
	"replSetReconfig",
	"replSetResizeOplog",
	"replSetStepDown",
	"replSetSyncFrom",
	"repairDatabase",
	"resetError",
	"reshardCollection",
	"resync",
	"revokePrivilegesFromRole",
	"revokeRolesFromRole",
	"revokeRolesFromUser",
	"rolesInfo",
	"rotateCertificates",
	"saslContinue",
	"saslStart",
	"serverStatus",
	"setAllowMigrations",
	"setAuditConfig",
	"setClusterParameter",
	"setDefaultRWConcern",
	"setFeatureCompatibilityVersion",
	"setIndexCommitQuorum",
	"setParameter",
	"setProfilingFilterGlobally",
	"setQuerySettings",
	"setShardVersion",
	"setUserWriteBlockMode",
	"shardCollection",
	"shardConnPoolStats",
	"shardingState",
	"shutdown",
	"sleep",
	"split",
	"splitChunk",
	"splitVector",
	"startSession",
	"testDeprecation",
	"top",
	"touch",
	"transitionFromDedicatedConfigServer",
	"transitionToDedicatedConfigServer",
	"unsetSharding",
	"unshardCollection",
	"update",
	"updateRole",
	"updateSearchIndex",
	"updateUser",
	"updateZoneKeyRange",
	"usersInfo",
	"validate",
	"validateDBMetadata",
	"voteCommitIndexBuild",
	"waitForFailPoint",
	"whatsmyuri",
};

static const char *const reading[] = {
	"aggregate",   "buildInfo",       "collStats",
	"count",       "distinct",        "find",
	"getMore",     "killCursors",     "getLastRequestStatistics",
	"ping",        "listCollections", "listDatabases",
	"listIndexes",
};

static bool reads(const char *name)
{
	for (size_t i = 0; i < AG_NELEM(reading); i++)
		if (!strcmp(name, reading[i]))
			return true;
	return false;
}

static void test_every_name(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < AG_NELEM(names); i++) {
		ag_mongo_verb verb;
		ag_err err;
		const ag_status st = ag_mongo_verb_of(ag_str_c(names[i]), &verb, &err);

		if (st != (reads(names[i]) ? AG_OK : AG_DENIED))
			fail_msg("%s: status %d", names[i], st);
		if (!st)
			assert_string_equal(ag_mongo_verb_name(verb), names[i]);
		n += !st;
	}
	/* None is in the table that is not in this test. */
	assert_int_equal(n, AG_MONGO_NVERB);
	assert_int_equal(n, AG_NELEM(reading));
}

static void test_names_that_are_nearly_right(void **state)
{
	static const char *const wrong[] = { "",           "FIND",    "Find",        "find ",
		                             " find",      "find\n",  "aggregate\"", "$find",
		                             "count,drop", "getmore", "killcursors", "explain" };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(wrong); i++) {
		ag_mongo_verb verb;

		assert_int_equal(ag_mongo_verb_of(ag_str_c(wrong[i]), &verb, NULL), AG_DENIED);
	}
	{
		ag_mongo_verb verb;

		assert_int_equal(ag_mongo_verb_of(ag_str_make("find\0x", 6), &verb, NULL),
		                 AG_DENIED);
	}
}

typedef struct env {
	ag_arena *arena;
	ag_err err;
} env;

static int setup(void **state)
{
	env *e = ag_xcalloc(1, sizeof(*e));

	e->arena = ag_arena_new();
	*state = e;
	return 0;
}

static int teardown(void **state)
{
	env *e = *state;

	ag_arena_free(e->arena);
	free(e);
	return 0;
}

static ag_val query_of(env *e, const char *text)
{
	const ag_extjson_opts o = { .typed = true, .query = true };
	ag_val v;

	assert_int_equal(ag_extjson_parse(ag_str_c(text), &o, e->arena, &v, NULL, NULL, NULL),
	                 AG_OK);
	return v;
}

static ag_mongo_command command(ag_mongo_verb verb)
{
	return (ag_mongo_command){ .verb = verb,
		                   .database = AG_S("shop"),
		                   .collection = AG_S("orders"),
		                   .max_time_ms = 1000,
		                   .comment = AG_S("argus 1") };
}

static void assert_formed(env *e, const ag_mongo_command *c, const char *want, const char *database)
{
	ag_val v;
	ag_str db;

	if (ag_mongo_form(c, e->arena, &v, &db, &e->err))
		fail_msg("%s", e->err.msg);
	assert_string_equal(ag_str_cstr(e->arena, ag_extjson_str(e->arena, &v, AG_EXTJSON_RELAXED)),
	                    want);
	assert_string_equal(ag_str_cstr(e->arena, db), database);
}

static void test_forms(void **state)
{
	env *e = *state;
	const ag_val filter = query_of(e, "{\"a\":{\"$gt\":1}}");
	const ag_val stages = query_of(e, "[{\"$match\":{\"a\":1}}]");
	ag_mongo_command c = command(AG_MONGO_FIND);

	c.query = &filter;
	c.limit = 3;
	c.batch = 100;
	assert_formed(
		e, &c,
		"{\"find\":\"orders\",\"filter\":{\"a\":{\"$gt\":1}},\"limit\":3,\"batchSize\":100,"
		"\"maxTimeMS\":1000,\"comment\":\"argus 1\"}",
		"shop");
	c.explain = true;
	assert_formed(
		e, &c,
		"{\"explain\":{\"find\":\"orders\",\"filter\":{\"a\":{\"$gt\":1}},\"limit\":3,"
		"\"batchSize\":100},\"verbosity\":\"queryPlanner\",\"maxTimeMS\":1000,"
		"\"comment\":\"argus 1\"}",
		"shop");
	c = command(AG_MONGO_AGGREGATE);
	c.query = &stages;
	c.uses_disk = true;
	assert_formed(
		e, &c,
		"{\"aggregate\":\"orders\",\"pipeline\":[{\"$match\":{\"a\":1}}],\"cursor\":{},"
		"\"allowDiskUse\":true,\"maxTimeMS\":1000,\"comment\":\"argus 1\"}",
		"shop");
	c = command(AG_MONGO_GET_MORE);
	c.cursor = 7;
	assert_formed(e, &c, "{\"getMore\":7,\"collection\":\"orders\"}", "shop");
	c = command(AG_MONGO_KILL_CURSORS);
	c.cursor = 7;
	assert_formed(e, &c, "{\"killCursors\":\"orders\",\"cursors\":[7]}", "shop");
	c = command(AG_MONGO_LIST_DATABASES);
	assert_formed(e, &c, "{\"listDatabases\":1,\"nameOnly\":true,\"maxTimeMS\":1000}", "admin");
	c = command(AG_MONGO_COLL_STATS);
	assert_formed(e, &c, "{\"collStats\":\"orders\",\"maxTimeMS\":1000}", "shop");
	c = command(AG_MONGO_COUNT);
	c.query = &filter;
	assert_formed(e, &c,
	              "{\"count\":\"orders\",\"query\":{\"a\":{\"$gt\":1}},\"maxTimeMS\":1000,"
	              "\"comment\":\"argus 1\"}",
	              "shop");
}

/* The guard refuses these long before; here they are refused whatever came before. */
static void test_refuses_what_writes(void **state)
{
	static const char *const wrong[] = {
		"[{\"$out\":\"x\"}]",
		"[{\"$match\":{}},{\"$merge\":{\"into\":\"x\"}}]",
		"[{\"$facet\":{\"a\":[{\"$out\":\"x\"}]}}]",
		"[{\"$match\":{\"$where\":\"1\"}}]",
		"[{\"$match\":{\"$or\":[{\"a\":1},{\"$where\":\"1\"}]}}]",
		"[{\"$project\":{\"a\":{\"$function\":{\"body\":\"\",\"args\":[],\"lang\":\"js\"}}}}]",
		"[{\"$group\":{\"_id\":1,\"a\":{\"$accumulator\":{}}}}]",
		"[{\"$match\":{\"a\":{\"$regex\":\"(a+)+$\"}}}]",
		("[{\"$match\":{\"a\":{\"$in\":[{\"$regularExpression\":{\"pattern\":\"(a+)+$\","
		 "\"options\":\"\"}}]}}}]"),
		"[{\"$match\":{\"$expr\":{\"$regexMatch\":{\"input\":\"$a\",\"regex\":\"(a*)*b\"}}}}]",
	};
	env *e = *state;

	for (size_t i = 0; i < AG_NELEM(wrong); i++) {
		const ag_val q = query_of(e, wrong[i]);
		ag_mongo_command c = command(AG_MONGO_AGGREGATE);
		ag_val v;
		ag_str db;

		c.query = &q;
		if (ag_mongo_form(&c, e->arena, &v, &db, NULL) != AG_DENIED)
			fail_msg("%s is formed", wrong[i]);
	}
}

static void test_patterns(void **state)
{
	static const char *const unbounded[] = {
		"(a+)+",    "(a*)*",    "(.*)+$",   "^(\\w+)*$",        "([a-z]+)*",
		"((a+))+",  "(?:a+)+",  "(a+){2,}", "(b|a+)+",          "(?i)(x+)+y",
		"(a+|b)*c", "([]a]+)+", "x(a+)+y",  "((x|y+)z?)|(a+)+", "(?<n>a+)*",
		"(\\(+)+",
	};
	static const char *const bounded[] = {
		"",
		"^a",
		"a+b*",
		"(ab)+",
		"(a+b)+",
		"(a+){2,3}",
		"(\\.[a-z]+)*",
		"[(a+)]+",
		"\\(a+\\)+",
		"(a+)",
		"(a+)?",
		"(a|b)+",
		"^[^@\\s.,;<>()]+(\\.[^@\\s.,;<>()]+)*@[^@\\s]+$",
		"^(https?|ftp)://[^\\s/.]+(\\.[^\\s/.]+)+(/\\S*)?$",
		"^[0-9]{1,2}/[0-9]{4}( [0-9:.]+( ?[AaPp]\\.?[Mm]\\.?)?)?$",
		"a{,}",
		"(a{2})+",
		"(",
		")+",
		"[",
		"\\",
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(unbounded); i++)
		if (!ag_mongo_regex_is_unbounded(ag_str_c(unbounded[i])))
			fail_msg("%s is allowed", unbounded[i]);
	for (size_t i = 0; i < AG_NELEM(bounded); i++)
		if (ag_mongo_regex_is_unbounded(ag_str_c(bounded[i])))
			fail_msg("%s is refused", bounded[i]);
}

static void test_wrong_use(void **state)
{
	env *e = *state;
	ag_mongo_command c = command(AG_MONGO_FIND);
	ag_val v;
	ag_str db;

	c.collection = AG_S("");
	assert_int_equal(ag_mongo_form(&c, e->arena, &v, &db, NULL), AG_INVALID);
	c.collection = AG_S("a\0b");
	assert_int_equal(ag_mongo_form(&c, e->arena, &v, &db, NULL), AG_INVALID);
	c = command(AG_MONGO_LIST_COLLECTIONS);
	c.database = AG_S("");
	assert_int_equal(ag_mongo_form(&c, e->arena, &v, &db, NULL), AG_INVALID);
	c = command(AG_MONGO_PING);
	c.explain = true;
	assert_int_equal(ag_mongo_form(&c, e->arena, &v, &db, NULL), AG_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_name),
		cmocka_unit_test(test_names_that_are_nearly_right),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test_setup_teardown(test_forms, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refuses_what_writes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_use, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
