/* mongo_commands -- the collections of the fake server, its cursors, and the answers to commands that read. */
#include <stdlib.h>

#include "fake/mongo_parts.h"
#include "guard/docquery.h"
#include "query/bson.h"

static ag_val object(ag_arena *a, size_t n, const ag_member *m)
{
	ag_member *copy = ag_new_n(a, ag_member, n + 1);

	if (n)
		memcpy(copy, m, n * sizeof(*m));
	return ag_val_object(copy, n);
}

static ag_val int64_val(int64_t i)
{
	return (ag_val){ .type = AG_T_INT64, .u.i = i };
}

void fake_mongo_fail(job *j, int code, const char *text)
{
	j->n = 0;
	put(j, "ok", ag_val_double(0));
	put(j, "errmsg", ag_val_str(ag_str_dup(j->arena, ag_str_c(text))));
	put(j, "code", ag_val_int(code));
	put(j, "codeName", ag_val_str(AG_S("Error")));
}

/* --- collections --------------------------------------------------------------------------------- */

static collection *find_collection(fake_mongo *f, const char *ns)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->all[i].ns, ns))
			return &f->all[i];
	return NULL;
}

static collection *make_collection(fake_mongo *f, const char *ns)
{
	collection *c = find_collection(f, ns);

	if (c)
		return c;
	AG_ASSERT(f->n < MAX_COLLECTIONS);
	c = &f->all[f->n++];
	snprintf(c->ns, sizeof(c->ns), "%s", ns);
	snprintf(c->type, sizeof(c->type), "collection");
	return c;
}

static void set_table(fake_mongo *f, const char *ns, ag_table *t)
{
	ag_arena *scratch = ag_arena_new();
	ag_buf b = AG_BUF_INIT(MAX_MESSAGE);
	collection *c;

	pthread_mutex_lock(&f->lock);
	c = make_collection(f, ns);
	if (c->t)
		ag_table_free(c->t);
	c->t = t;
	c->nbyte = 0;
	for (uint64_t i = 0; i < ag_table_info_of(t)->ndoc; i++) {
		const ag_val doc = ag_table_doc(t, scratch, i);

		ag_buf_clear(&b);
		ag_bson_write(&b, &doc);
		c->nbyte += b.len;
		ag_arena_reset(scratch);
	}
	pthread_mutex_unlock(&f->lock);
	ag_buf_release(&b);
	ag_arena_free(scratch);
}

void fake_mongo_put(fake_mongo *f, const char *ns, const ag_val *docs, size_t n)
{
	ag_table *t;

	AG_ASSERT(!ag_table_from_values(NULL, docs, n, &t, NULL));
	set_table(f, ns, t);
}

int fake_mongo_put_file(fake_mongo *f, const char *ns, const char *path)
{
	ag_table *t;
	ag_err err;

	if (ag_table_load(NULL, &path, 1, NULL, &t, &err)) {
		fprintf(stderr, "fake_mongo: %s\n", err.msg);
		return 0;
	}
	set_table(f, ns, t);
	return 1;
}

void fake_mongo_set_type(fake_mongo *f, const char *ns, const char *type)
{
	pthread_mutex_lock(&f->lock);
	snprintf(make_collection(f, ns)->type, 16, "%s", type);
	pthread_mutex_unlock(&f->lock);
}

void fake_mongo_set_time(fake_mongo *f, unsigned seconds)
{
	pthread_mutex_lock(&f->lock);
	f->time = seconds;
	pthread_mutex_unlock(&f->lock);
}

static collection *collection_of(job *j, const char *member)
{
	const ag_str name = ag_val_member_str(j->command, member);

	return find_collection(
		j->f, ag_str_printf(j->arena, "%.*s.%.*s", AG_FMT(j->database), AG_FMT(name)).ptr);
}

/* --- cursors ------------------------------------------------------------------------------------- */

static size_t batch_of(const ag_val *v, const char *name, size_t otherwise)
{
	const ag_val *n = ag_val_getc(v, name);
	int64_t i;

	return n && ag_val_to_i64(n, &i) && i >= 0 ? (size_t)i : otherwise;
}

/* As many documents as fit into a batch: 16 MiB, or one. */
static size_t fitting(const cursor *c, size_t batch)
{
	ag_buf b = AG_BUF_INIT(MAX_MESSAGE);
	size_t n = 0, nbyte = 0;

	while (n < batch && c->at + n < c->n) {
		ag_buf_clear(&b);
		ag_bson_write(&b, &c->docs[c->at + n]);
		nbyte += b.len;
		if (n && nbyte > MAX_BATCH)
			break;
		n++;
	}
	ag_buf_release(&b);
	return n;
}

/* {"cursor": {"firstBatch": […], "id": …, "ns": …}} */
static void put_batch(job *j, const char *name, cursor *c, size_t batch)
{
	const size_t n = fitting(c, batch);
	ag_val docs = ag_val_array(n ? c->docs + c->at : NULL, n);
	ag_member m[3];
	cursor *keep = NULL;

	docs = ag_val_dup(j->arena, &docs);
	c->at += n;
	for (size_t i = 0; !c->id && c->at < c->n && i < MAX_CURSORS && !keep; i++)
		keep = j->f->cursors[i].id ? NULL : &j->f->cursors[i];
	if (keep) {
		c->id = ++j->f->last_cursor;
		*keep = *c;
	}
	m[0] = (ag_member){ ag_str_c(name), docs };
	m[1] = (ag_member){ AG_S("id"), int64_val(c->at < c->n ? c->id : 0) };
	m[2] = (ag_member){ AG_S("ns"), ag_val_str(ag_str_dup(j->arena, ag_str_c(c->ns))) };
	put(j, "cursor", object(j->arena, 3, m));
	if (c->at == c->n) {
		ag_arena_free(c->arena);
		c->arena = NULL;
		c->id = 0;
	}
}

static void first_batch(job *j, ag_arena *arena, const ag_val *docs, size_t n, size_t batch)
{
	cursor c = { .arena = arena, .docs = docs, .n = n };

	snprintf(c.ns, sizeof(c.ns), "%.*s.x", AG_FMT(j->database));
	put_batch(j, "firstBatch", &c, batch);
}

static void run_get_more(job *j)
{
	const int64_t id = (int64_t)ag_val_member_u64(j->command, "getMore");

	for (size_t i = 0; i < MAX_CURSORS; i++) {
		if (!id || j->f->cursors[i].id != id)
			continue;
		put_batch(j, "nextBatch", &j->f->cursors[i],
		          batch_of(j->command, "batchSize", 1000));
		return;
	}
	fake_mongo_fail(j, 43, "cursor id not found");
}

static void run_kill_cursors(job *j)
{
	const ag_val *ids = ag_val_getc(j->command, "cursors");

	for (uint32_t k = 0; ids && k < ids->n; k++) {
		for (size_t i = 0; i < MAX_CURSORS; i++) {
			cursor *c = &j->f->cursors[i];

			if (c->id && c->id == ids->u.items[k].u.i) {
				ag_arena_free(c->arena);
				*c = (cursor){ 0 };
			}
		}
	}
}

/* --- commands ------------------------------------------------------------------------------------ */

static bool is_known(job *j, const ag_val *query, ag_safe_query *ret)
{
	static const ag_val all = { .type = AG_T_OBJECT };
	ag_err err;

	if (!ag_docquery_check(query ? query : &all, j->arena, ret, &err))
		return true;
	fake_mongo_fail(j, strstr(err.msg, "$sample") ? 40324 : 2, err.msg);
	return false;
}

static void run_find(job *j)
{
	const collection *c = collection_of(j, "find");
	const size_t skip = batch_of(j->command, "skip", 0);
	size_t limit = batch_of(j->command, "limit", 0), n = 0;
	ag_arena *arena = ag_arena_new();
	ag_bits hits;
	ag_safe_query q;
	ag_val *docs;

	if (!is_known(j, ag_val_getc(j->command, "filter"), &q) || !c || !c->t) {
		if (!c || !c->t)
			first_batch(j, arena, NULL, 0, 1);
		else
			ag_arena_free(arena);
		return;
	}
	AG_ASSERT(!ag_table_match(c->t, NULL, q.filter, &hits, NULL));
	docs = ag_new_n(arena, ag_val, hits.n + 1);
	limit = limit ? skip + limit : SIZE_MAX;
	for (uint64_t i = ag_bits_next(&hits, 0); i < hits.n && n < limit;
	     i = ag_bits_next(&hits, i + 1))
		docs[n++] = ag_table_doc(c->t, arena, i);
	ag_bits_release(&hits);
	first_batch(j, arena, docs + (skip < n ? skip : n), skip < n ? n - skip : 0,
	            batch_of(j->command, "batchSize", 101));
}

static void run_count(job *j)
{
	const collection *c = collection_of(j, "count");
	ag_safe_query q;
	uint64_t n = 0;

	if (!is_known(j, ag_val_getc(j->command, "query"), &q))
		return;
	if (c && c->t)
		AG_ASSERT(!ag_table_count(c->t, NULL, q.filter, &n, NULL));
	put(j, "n", ag_val_int((int64_t)n));
}

/* {"name": [results], …} of a lone $facet. */
static ag_val facet_of(job *j, const collection *c, const ag_val *facet, ag_arena *arena)
{
	ag_member *m = ag_new_n(arena, ag_member, facet->n + 1);

	for (uint32_t i = 0; i < facet->n; i++) {
		const ag_val *docs = NULL;
		ag_safe_query q;
		size_t n = 0;

		AG_ASSERT(!ag_docquery_check(&facet->u.members[i].val, j->arena, &q, NULL));
		AG_ASSERT(
			!ag_table_aggregate(c->t, NULL, q.pipeline, arena, 1000, &docs, &n, NULL));
		m[i] = (ag_member){ facet->u.members[i].key, ag_val_array(docs, n) };
	}
	return ag_val_object(m, facet->n);
}

static void run_aggregate(job *j)
{
	const collection *c = collection_of(j, "aggregate");
	const ag_val *stages = ag_val_getc(j->command, "pipeline");
	const ag_val *sample = stages && stages->n == 1
	                               ? ag_val_getc(&stages->u.items[0], "$sample")
	                               : NULL;
	const ag_val *facet = stages && stages->n == 1 ? ag_val_getc(&stages->u.items[0], "$facet")
	                                               : NULL;
	const size_t batch = batch_of(ag_val_getc(j->command, "cursor"), "batchSize", 101);
	ag_arena *arena = ag_arena_new();
	const ag_val *docs = NULL;
	ag_safe_query q;
	size_t n = 0;
	ag_err err;

	if (facet && j->f->is_router) {
		fake_mongo_fail(j, 2, "a router fetches every document for $facet");
		ag_arena_free(arena);
		return;
	}
	if (facet && c && c->t) {
		ag_val *one = ag_new(arena, ag_val);

		*one = facet_of(j, c, facet, arena);
		docs = one;
		n = 1;
	} else if (sample && c && c->t) {
		const size_t want = batch_of(sample, "size", 1);
		ag_val *some = ag_new_n(arena, ag_val, ag_table_info_of(c->t)->ndoc + 1);

		for (uint64_t i = 0; i < ag_table_info_of(c->t)->ndoc && n < want; i++)
			some[n++] = ag_table_doc(c->t, arena, i);
		docs = some;
	} else if (stages && !is_known(j, stages, &q)) {
		ag_arena_free(arena);
		return;
	} else if (stages && c && c->t &&
	           ag_table_aggregate(c->t, NULL, q.pipeline, arena, 4000000, &docs, &n, &err)) {
		fake_mongo_fail(j, 2, err.msg);
		ag_arena_free(arena);
		return;
	}
	first_batch(j, arena, docs, n, batch);
}

static void run_list_databases(job *j)
{
	ag_val *list = ag_new_n(j->arena, ag_val, j->f->n + 1);
	uint32_t n = 0;

	for (size_t i = 0; i < j->f->n; i++) {
		const ag_str ns = ag_str_c(j->f->all[i].ns);
		ag_str rest = ns;
		const ag_val name = ag_val_str(ag_str_split(&rest, '.'));
		bool is_there = false;

		for (uint32_t k = 0; k < n; k++)
			is_there = is_there || ag_val_eq(&list[k].u.members[0].val, &name);
		if (!is_there)
			list[n++] = object(j->arena, 1, &(ag_member){ AG_S("name"), name });
	}
	put(j, "databases", ag_val_array(list, n));
}

static void run_list_collections(job *j)
{
	ag_arena *arena = ag_arena_new();
	ag_val *list = ag_new_n(arena, ag_val, j->f->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < j->f->n; i++) {
		const collection *c = &j->f->all[i];
		const ag_str ns = ag_str_c(c->ns);
		const bool is_capped = !strcmp(c->type, "capped");
		const ag_member options = { AG_S("capped"), ag_val_bool(true) };
		ag_member m[3];

		if (!ag_str_starts(ns, j->database) || ns.ptr[j->database.len] != '.')
			continue;
		m[0] = (ag_member){ AG_S("name"),
			            ag_val_str(ag_str_c(c->ns + j->database.len + 1)) };
		m[1] = (ag_member){ AG_S("type"), ag_val_str(is_capped ? AG_S("collection")
			                                               : ag_str_c(c->type)) };
		m[2] = (ag_member){ AG_S("options"), object(arena, is_capped, &options) };
		list[n++] = object(arena, 3, m);
	}
	first_batch(j, arena, list, n,
	            batch_of(ag_val_getc(j->command, "cursor"), "batchSize", 101));
}

static void run_coll_stats(job *j)
{
	const collection *c = collection_of(j, "collStats");
	const uint64_t n = c && c->t ? ag_table_info_of(c->t)->ndoc : 0;

	if (c && !strcmp(c->type, "view")) {
		fake_mongo_fail(j, 166, "Namespace is a view, not a collection");
		return;
	}
	put(j, "count", ag_val_int((int64_t)n));
	put(j, "size", ag_val_int(c ? (int64_t)c->nbyte : 0));
	put(j, "avgObjSize", ag_val_int(n ? (int64_t)(c->nbyte / n) : 0));
}

static bool is_primary(const job *j)
{
	return j->c->m->i == j->f->primary;
}

static ag_val address(job *j, unsigned member)
{
	return ag_val_str(ag_str_printf(j->arena, "127.0.0.1:%u", j->f->members[member].port));
}

static void put_set(job *j)
{
	ag_val *hosts = ag_new_n(j->arena, ag_val, FAKE_MONGO_MEMBERS);

	for (unsigned i = 0; i < j->f->nmember; i++)
		hosts[i] = address(j, i);
	put(j, "secondary", ag_val_bool(!is_primary(j)));
	put(j, "setName", ag_val_str(ag_str_c(j->f->set)));
	put(j, "setVersion", ag_val_int(1));
	put(j, "hosts", ag_val_array(hosts, j->f->nmember));
	put(j, "primary", address(j, j->f->primary));
	put(j, "me", address(j, j->c->m->i));
}

static void run_hello(job *j)
{
	put(j, "helloOk", ag_val_bool(true));
	put(j, "isWritablePrimary", ag_val_bool(is_primary(j)));
	put(j, "ismaster", ag_val_bool(is_primary(j)));
	if (j->f->set[0])
		put_set(j);
	if (j->f->is_router)
		put(j, "msg", ag_val_str(AG_S("isdbgrid")));
	if (j->f->user[0]) {
		ag_val *mechanism = ag_new(j->arena, ag_val);

		*mechanism = ag_val_str(AG_S("SCRAM-SHA-256"));
		put(j, "saslSupportedMechs", ag_val_array(mechanism, 1));
	}
	put(j, "maxBsonObjectSize", ag_val_int(16 << 20));
	put(j, "maxMessageSizeBytes", ag_val_int(48000000));
	put(j, "maxWriteBatchSize", ag_val_int(100000));
	put(j, "minWireVersion", ag_val_int(0));
	put(j, "maxWireVersion", ag_val_int(21));
	put(j, "readOnly", ag_val_bool(false));
}

static void run_build_info(job *j)
{
	put(j, "version", ag_val_str(AG_S("7.0.0")));
}

/* Every filter reads all documents here. */
static void run_explain(job *j)
{
	const ag_val plan = object(j->arena, 1,
	                           &(ag_member){ AG_S("stage"), ag_val_str(AG_S("COLLSCAN")) });
	const ag_val planner = object(j->arena, 1, &(ag_member){ AG_S("winningPlan"), plan });

	put(j, "queryPlanner", planner);
}

static void run_nothing(job *j)
{
	(void)j;
}

static ag_val binary(ag_str bytes)
{
	ag_val v = ag_val_str(bytes);

	v.type = AG_T_BINARY;
	v.subtype = 0;
	return v;
}

/* A step of a login. Without a user of its own, only rules answer. */
static void run_sasl(job *j)
{
	const ag_val *payload = ag_val_getc(j->command, "payload");
	const bool is_first = ag_str_eqc(j->name, "saslStart");
	ag_str answer;

	if (!j->f->user[0])
		return;
	if (!payload || payload->type != AG_T_BINARY) {
		fake_mongo_fail(j, 18, "Authentication failed.");
		return;
	}
	answer = is_first ? mongo_scram_first(&j->c->scram, ag_val_text(payload), j->arena)
	                  : mongo_scram_final(&j->c->scram, j->f->user, j->f->password,
	                                      ag_val_text(payload), j->arena);
	if (!answer.len) {
		fake_mongo_fail(j, 18, "Authentication failed.");
		return;
	}
	j->c->is_known = !is_first;
	put(j, "conversationId", ag_val_int(1));
	put(j, "done", ag_val_bool(!is_first));
	put(j, "payload", binary(ag_str_dup(j->arena, answer)));
}

/* Of the command before on the same connection. */
static void run_statistics(job *j)
{
	if (!(j->f->charge > 0)) {
		fake_mongo_fail(j, 59, "no such command: 'getLastRequestStatistics'");
		return;
	}
	put(j, "CommandName", ag_val_str(ag_str_dup(j->arena, ag_str_c(j->c->last))));
	put(j, "RequestCharge", ag_val_double(j->f->charge));
	put(j, "RequestDurationInMilliSeconds", ag_val_int(3));
}

/* The read list. */
static const struct {
	const char *name;
	void (*run)(job *j);
} commands[] = {
	{ "hello", run_hello },
	{ "isMaster", run_hello },
	{ "ismaster", run_hello },
	{ "ping", run_nothing },
	{ "buildInfo", run_build_info },
	{ "saslStart", run_sasl },
	{ "saslContinue", run_sasl },
	{ "authenticate", run_nothing }, /* by a certificate: TLS has seen it */
	{ "getLastRequestStatistics", run_statistics },
	{ "listDatabases", run_list_databases },
	{ "listCollections", run_list_collections },
	{ "collStats", run_coll_stats },
	{ "count", run_count },
	{ "find", run_find },
	{ "aggregate", run_aggregate },
	{ "getMore", run_get_more },
	{ "killCursors", run_kill_cursors },
	{ "endSessions", run_nothing },
	{ "explain", run_explain },
};

static int find_command(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(commands); i++)
		if (ag_str_eqc(name, commands[i].name))
			return (int)i;
	return -1;
}

bool fake_mongo_reads(ag_str command)
{
	return find_command(command) >= 0;
}

void fake_mongo_answer(job *j)
{
	commands[find_command(j->name)].run(j);
}
