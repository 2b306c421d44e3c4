/* mongo_server -- see the header.
 *
 * A thread per connection; one lock for everything, held while a command is answered. */
#include "fake/mongo_server.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "columns/table.h"
#include "guard/docquery.h"
#include "query/bson.h"

#define MAX_MESSAGE     (48u << 20)
#define MAX_BATCH       (16u << 20)
#define MAX_COLLECTIONS 4096
#define MAX_RULES       32
#define MAX_CURSORS     256
#define OP_REPLY        1
#define OP_QUERY        2004
#define OP_MSG          2013

typedef struct collection {
	char ns[256];
	char type[16];
	ag_table *t;
	uint64_t nbyte;
} collection;

typedef struct rule {
	char command[32], action[8], text[128];
	unsigned from, to; /* occurrences */
	unsigned seen;
	int number;
} rule;

typedef struct counter {
	char command[32];
	unsigned n;
} counter;

typedef struct cursor {
	int64_t id; /* 0 = free */
	ag_arena *arena;
	const ag_val *docs;
	size_t n, at;
	char ns[256];
} cursor;

struct fake_mongo {
	int fd;
	unsigned port;
	FILE *record;
	pthread_mutex_t lock;
	collection all[MAX_COLLECTIONS];
	size_t n;
	rule rules[MAX_RULES];
	size_t nrule;
	counter counters[64];
	cursor cursors[MAX_CURSORS];
	int64_t last_cursor;
	unsigned time;
	char refused[64];
};

typedef struct connection {
	fake_mongo *f;
	int fd;
} connection;

/* One command under way. */
typedef struct job {
	fake_mongo *f;
	ag_arena *arena;
	const ag_val *command;
	ag_str name, database;
	ag_member *m; /* of the answer */
	size_t n;
} job;

static void put(job *j, const char *name, ag_val v)
{
	j->m[j->n++] = (ag_member){ ag_str_c(name), v };
}

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

static void fail(job *j, int code, const char *text)
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
	ag_val docs = ag_val_array(c->docs + c->at, n);
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
	fail(j, 43, "cursor id not found");
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
	fail(j, strstr(err.msg, "$sample") ? 40324 : 2, err.msg);
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
		fail(j, 2, err.msg);
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
		fail(j, 166, "Namespace is a view, not a collection");
		return;
	}
	put(j, "count", ag_val_int((int64_t)n));
	put(j, "size", ag_val_int(c ? (int64_t)c->nbyte : 0));
	put(j, "avgObjSize", ag_val_int(n ? (int64_t)(c->nbyte / n) : 0));
}

static void run_hello(job *j)
{
	put(j, "helloOk", ag_val_bool(true));
	put(j, "isWritablePrimary", ag_val_bool(true));
	put(j, "ismaster", ag_val_bool(true));
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

/* The read list; authentication is refused by a rule, there are no users. */
static const struct {
	const char *name;
	void (*run)(job *j);
} commands[] = {
	{ "hello", run_hello },
	{ "isMaster", run_hello },
	{ "ismaster", run_hello },
	{ "ping", run_nothing },
	{ "buildInfo", run_build_info },
	{ "saslStart", run_nothing },
	{ "saslContinue", run_nothing },
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

/* --- rules --------------------------------------------------------------------------------------- */

int fake_mongo_add_rule(fake_mongo *f, const char *text)
{
	rule *r = &f->rules[f->nrule];
	char when[16] = "";
	int used = 0;

	*r = (rule){ .from = 1, .to = ~0u };
	if (f->nrule == MAX_RULES || sscanf(text, "%31[A-Za-z]%n", r->command, &used) != 1)
		return 0;
	text += used;
	if (*text == ':') {
		if (sscanf(text, ":%15[0-9+-]%n", when, &used) != 1)
			return 0;
		text += used;
		r->from = (unsigned)strtoul(when, NULL, 10);
		r->to = strchr(when, '+')   ? ~0u
		        : strchr(when, '-') ? (unsigned)strtoul(strchr(when, '-') + 1, NULL, 10)
		                            : r->from;
	}
	if (sscanf(text, " %7[a-z]%n", r->action, &used) != 1)
		return 0;
	text += used;
	if (sscanf(text, " %d%n", &r->number, &used) == 1)
		text += used;
	snprintf(r->text, sizeof(r->text), "%s", *text == ' ' ? text + 1 : text);
	pthread_mutex_lock(&f->lock);
	f->nrule++;
	pthread_mutex_unlock(&f->lock);
	return !strcmp(r->action, "close") || !strcmp(r->action, "half") ||
	       !strcmp(r->action, "error") || !strcmp(r->action, "slow");
}

static const rule *rule_for(fake_mongo *f, ag_str name)
{
	const rule *found = NULL;

	for (size_t i = 0; i < f->nrule; i++) {
		rule *r = &f->rules[i];

		if (!ag_str_eqc(name, r->command))
			continue;
		r->seen++;
		if (!found && r->seen >= r->from && r->seen <= r->to)
			found = r;
	}
	return found;
}

static void note(job *j)
{
	fake_mongo *f = j->f;
	size_t i = 0;

	while (i < AG_NELEM(f->counters) - 1 && f->counters[i].n &&
	       !ag_str_eqc(j->name, f->counters[i].command))
		i++;
	snprintf(f->counters[i].command, sizeof(f->counters[i].command), "%.*s", AG_FMT(j->name));
	f->counters[i].n++;
	if (f->record) {
		const ag_str text = ag_extjson_str(j->arena, j->command, AG_EXTJSON_RELAXED);

		fprintf(f->record, "%.*s %.*s\n", AG_FMT(j->database), AG_FMT(text));
		fflush(f->record);
	}
}

const char *fake_mongo_refused(fake_mongo *f)
{
	return f->refused[0] ? f->refused : NULL;
}

unsigned fake_mongo_count(fake_mongo *f, const char *command)
{
	unsigned n = 0;

	pthread_mutex_lock(&f->lock);
	for (size_t i = 0; i < AG_NELEM(f->counters); i++)
		if (!strcmp(f->counters[i].command, command))
			n = f->counters[i].n;
	pthread_mutex_unlock(&f->lock);
	return n;
}

/* --- the wire ------------------------------------------------------------------------------------ */

static void run(job *j, const rule *r)
{
	for (size_t i = 0; i < AG_NELEM(commands); i++) {
		if (!ag_str_eqc(j->name, commands[i].name))
			continue;
		if (r && !strcmp(r->action, "error"))
			fail(j, r->number, r->text);
		else
			commands[i].run(j);
		return;
	}
	if (!j->f->refused[0])
		snprintf(j->f->refused, sizeof(j->f->refused), "%.*s", AG_FMT(j->name));
	if (j->f->record)
		fprintf(j->f->record, "REFUSED %.*s\n", AG_FMT(j->name));
	fail(j, 59, "this command does not read");
}

static uint32_t u32_at(const char *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

static bool read_all(int fd, char *to, size_t n)
{
	while (n) {
		const ssize_t k = recv(fd, to, n, 0);

		if (k <= 0)
			return false;
		to += k;
		n -= (size_t)k;
	}
	return true;
}

static bool write_all(int fd, ag_str s)
{
	while (s.len) {
		const ssize_t k = send(fd, s.ptr, s.len, MSG_NOSIGNAL);

		if (k <= 0)
			return false;
		s = ag_str_make(s.ptr + k, s.len - (size_t)k);
	}
	return true;
}

/* The command's document in a message without its header, "" when it is something else. */
static ag_str body_of(const char *p, size_t n, uint32_t op)
{
	size_t at = 5; /* OP_MSG: flags, kind of the first section */

	if (op == OP_QUERY) {
		const char *end = (const char *)memchr(p + 4, 0, n - 4);

		at = end ? (size_t)(end + 1 - p) + 8 : n;
	}
	if (at + 4 > n || u32_at(p + at) > n - at)
		return AG_S("");
	return ag_str_make(p + at, u32_at(p + at));
}

static bool answer(const connection *c, const char *head, const char *p, size_t n)
{
	static const char zeros[20];
	const uint32_t op = u32_at(head + 12);
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(MAX_MESSAGE);
	job j = { .f = c->f, .arena = arena, .m = ag_new_n(arena, ag_member, 32) };
	uint32_t size, reply_op = op == OP_QUERY ? OP_REPLY : OP_MSG, one = 1;
	const rule *r = NULL;
	rule now = { 0 };
	ag_val command, reply;
	bool ok = false;

	if ((op == OP_MSG || op == OP_QUERY) &&
	    !ag_bson_read(body_of(p, n, op), arena, &command, NULL) && command.n) {
		pthread_mutex_lock(&c->f->lock);
		j.command = &command;
		j.name = command.u.members[0].key;
		j.database = ag_val_member_str(&command, "$db");
		note(&j);
		r = rule_for(c->f, j.name);
		if (r)
			now = *r;
		run(&j, r);
		if (c->f->time)
			put(&j, "operationTime",
			    (ag_val){ .type = AG_T_TIMESTAMP,
			              .u.i = (int64_t)((uint64_t)c->f->time << 32 | 1) });
		pthread_mutex_unlock(&c->f->lock);
		if (!j.n || !ag_str_eqc(j.m[0].key, "ok"))
			put(&j, "ok", ag_val_double(1));
		reply = ag_val_object(j.m, j.n);
		ag_buf_add(&out, ag_str_make(zeros, 4)); /* the length comes last */
		ag_buf_add(&out, ag_str_make(zeros, 4));
		ag_buf_add(&out, ag_str_make(head + 4, 4));
		ag_buf_add(&out, ag_str_make((const char *)&reply_op, 4));
		ag_buf_add(&out, ag_str_make(zeros, op == OP_QUERY ? 16 : 5));
		if (op == OP_QUERY) /* flags, cursor, first, number of documents */
			ag_buf_add(&out, ag_str_make((const char *)&one, 4));
		ok = ag_bson_write(&out, &reply) && !out.failed;
		size = (uint32_t)out.len;
		if (ok)
			memcpy(out.ptr, &size, 4);
	}
	if (ok && !strcmp(now.action, "slow"))
		usleep((useconds_t)now.number * 1000);
	if (ok && !strcmp(now.action, "half"))
		write_all(c->fd, ag_str_make(out.ptr, out.len / 2));
	if (!strcmp(now.action, "half") || !strcmp(now.action, "close"))
		ok = false;
	ok = ok && write_all(c->fd, ag_buf_view(&out));
	ag_buf_release(&out);
	ag_arena_free(arena);
	return ok;
}

static void *serve(void *arg)
{
	connection *c = arg;
	char head[16], *p;
	bool ok = true;

	while (ok && read_all(c->fd, head, sizeof(head))) {
		const uint32_t size = u32_at(head);

		if (size < 16 + 5 || size > MAX_MESSAGE)
			break;
		p = ag_xmalloc(size - 16);
		ok = read_all(c->fd, p, size - 16) && answer(c, head, p, size - 16);
		free(p);
	}
	close(c->fd);
	free(c);
	return NULL;
}

static void *accept_all(void *arg)
{
	fake_mongo *f = arg;

	for (;;) {
		connection *c = ag_xcalloc(1, sizeof(*c));
		pthread_t t;

		*c = (connection){ f, accept(f->fd, NULL, NULL) };
		if (c->fd < 0 || pthread_create(&t, NULL, serve, c)) {
			free(c);
			continue;
		}
		pthread_detach(t);
	}
	return NULL;
}

fake_mongo *fake_mongo_start(FILE *record, unsigned port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_port = htons((uint16_t)port),
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int on = 1;
	fake_mongo *f = ag_xcalloc(1, sizeof(*f));
	pthread_t t;

	f->record = record;
	pthread_mutex_init(&f->lock, NULL);
	f->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	AG_ASSERT(f->fd >= 0);
	AG_ASSERT(!setsockopt(f->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
	AG_ASSERT(!bind(f->fd, (const struct sockaddr *)(const void *)&at, sizeof(at)));
	AG_ASSERT(!listen(f->fd, 64));
	AG_ASSERT(!getsockname(f->fd, (struct sockaddr *)(void *)&at, &n));
	f->port = ntohs(at.sin_port);
	AG_ASSERT(!pthread_create(&t, NULL, accept_all, f));
	pthread_detach(t);
	return f;
}

unsigned fake_mongo_port(const fake_mongo *f)
{
	return f->port;
}
