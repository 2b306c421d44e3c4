/* mongo -- see the header.
 *
 * A connection is a client of libmongoc with one server selected; a cursor keeps its connection and server until its end.
 * libmongoc is used single-threaded: a client belongs to one call at a time and starts no threads. */
#include "mongo/parts.h"

#include <stdlib.h>

#include "mongo/charge.h"
#include "query/bson.h"

#define ORIGIN               "mongo"
#define MAX_COMMAND_BYTES    (16u << 20) /* what a server takes */
#define SELECTION_TIMEOUT_MS 8000
#define CONNECT_TIMEOUT_MS   5000
#define MAX_EMPTY_BATCHES \
	1000 /* in a row; Azure Cosmos DB sends some, for partitions without results */

/* --- open and close ------------------------------------------------------------------------------ */

/* Only logins by certificate, ticket or instance role go without. */
static ag_status check_password(const ag_mongo *m, ag_err *err)
{
	const char *user = m->lib->uri_get_username(m->uri),
		   *password = m->lib->uri_get_password(m->uri),
		   *how = m->lib->uri_get_auth_mechanism(m->uri);

	if (!user || !*user || (password && *password) ||
	    (how && strncmp(how, "SCRAM", 5) != 0 && strcmp(how, "PLAIN") != 0))
		return AG_OK;
	ag_fail(err, AG_INVALID, ORIGIN, "%.*s: user \"%s\" has no password", AG_FMT(m->place),
	        user);
	ag_err_hint(err, "put it into %s, where no list of processes shows it, or into the address",
	            AG_MONGO_PASSWORD_ENV);
	return AG_INVALID;
}

/* An address that libmongoc refuses, or an option in it that it would leave out: "tsl=true" must not mean no TLS. */
static ag_status read_uri(ag_mongo *m, const char *text, ag_err *err)
{
	bson_error_t why = { 0 };
	char warning[200];

	AG_IGNORE(ag_mongoc_take_warning(warning), "older than this address");
	m->uri = m->lib->uri_new_with_error(text, &why);
	if (m->uri && !ag_mongoc_take_warning(warning))
		return check_password(m, err);
	ag_fail(err, AG_INVALID, ORIGIN, "the address of the MongoDB server is wrong: %.250s",
	        m->uri ? warning : why.message);
	ag_err_hint(err, "check the hosts, and the options after \"?\"");
	return AG_INVALID;
}

static void set_defaults(const ag_mongo *m)
{
	const ag_mongoc *lib = m->lib;
	mongoc_read_prefs_t *prefs;

	if (!lib->uri_has_option(m->uri, MONGOC_URI_SERVERSELECTIONTIMEOUTMS))
		lib->uri_set_option_as_int32(m->uri, MONGOC_URI_SERVERSELECTIONTIMEOUTMS,
		                             SELECTION_TIMEOUT_MS);
	if (!lib->uri_has_option(m->uri, MONGOC_URI_CONNECTTIMEOUTMS))
		lib->uri_set_option_as_int32(m->uri, MONGOC_URI_CONNECTTIMEOUTMS,
		                             CONNECT_TIMEOUT_MS);
	/* The stream ends a wait itself. */
	lib->uri_set_option_as_int32(m->uri, MONGOC_URI_SOCKETTIMEOUTMS,
	                             AG_MONGO_MAX_TIME_MS + 2 * AG_MONGO_GRACE_MS);
	if (!lib->uri_has_option(m->uri, MONGOC_URI_APPNAME))
		lib->uri_set_appname(m->uri, "argus");
	if (lib->uri_get_option_as_utf8(m->uri, MONGOC_URI_READPREFERENCE, NULL))
		return;
	prefs = lib->read_prefs_new(MONGOC_READ_SECONDARY_PREFERRED);
	lib->uri_set_read_prefs_t(m->uri, prefs);
	lib->read_prefs_destroy(prefs);
}

ag_status ag_mongo_make(const ag_mongo_address *a, ag_mongo **ret, ag_err *err)
{
	const ag_mongoc *lib;
	ag_mongo *m;
	ag_arena *arena;
	ag_status st = ag_mongoc_load(&lib, err);

	if (st)
		return st;
	arena = ag_arena_new();
	m = ag_new(arena, ag_mongo);
	m->arena = arena;
	m->lib = lib;
	m->place = ag_str_dup(arena, a->place);
	m->driver = ag_str_dup(arena, a->driver);
	m->has_charge = a->has_charge;
	st = read_uri(m, ag_str_cstr(arena, a->driver), err);
	if (st) {
		if (m->uri)
			lib->uri_destroy(m->uri);
		ag_arena_free(arena);
		return st;
	}
	set_defaults(m);
	m->user = ag_str_dup(arena, ag_str_c(lib->uri_get_username(m->uri)));
	m->auth_source = ag_str_dup(arena, ag_str_c(lib->uri_get_auth_source(m->uri)));
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->returned, NULL);
	*ret = m;
	return AG_OK;
}

static void conn_free(ag_mongo *m, ag_mongo_conn *c)
{
	/* endSessions must not wait for a server that has gone. */
	c->watch.give_up_ms = ag_clock_mono(&ag_clock_system) + 1000;
	c->watch.ctx = NULL;
	if (c->session)
		m->lib->client_session_destroy(c->session);
	m->lib->client_destroy(c->client);
	free(c);
}

void ag_mongo_free(ag_mongo *m)
{
	ag_mongo_conn *next;

	for (ag_mongo_conn *c = m->idle; c; c = next) {
		next = c->next;
		conn_free(m, c);
	}
	m->lib->uri_destroy(m->uri);
	pthread_cond_destroy(&m->returned);
	pthread_mutex_destroy(&m->lock);
	ag_arena_free(m->arena);
}

ag_mongo_server ag_mongo_server_of(ag_mongo *m)
{
	ag_mongo_server ret;

	pthread_mutex_lock(&m->lock);
	ret = m->server;
	pthread_mutex_unlock(&m->lock);
	return ret;
}

uint64_t ag_mongo_commands(ag_mongo *m)
{
	return atomic_load_explicit(&m->ncommand, memory_order_relaxed);
}

/* --- connections --------------------------------------------------------------------------------- */

static ag_mongo_conn *conn_new(ag_mongo *m, ag_err *err)
{
	ag_mongo_conn *c = ag_xcalloc(1, sizeof(*c));
	bson_error_t why = { 0 };

	c->watch.lib = m->lib;
	c->client = m->lib->client_new_from_uri_with_error(m->uri, &why);
	if (!c->client) {
		ag_fail(err, AG_INVALID, ORIGIN, "%.*s: %.300s", AG_FMT(m->place), why.message);
		free(c);
		return NULL;
	}
	m->lib->client_set_error_api(c->client, MONGOC_ERROR_API_VERSION_2);
	m->lib->client_set_stream_initiator(c->client, ag_mongo_stream_open, &c->watch);
	return c;
}

/* An idle connection, a new one, or one that another call gives back. */
static ag_status take(ag_mongo *m, const ag_ctx *ctx, ag_mongo_conn **ret, ag_err *err)
{
	ag_status st = AG_OK;
	ag_mongo_conn *c;
	struct timespec until;

	pthread_mutex_lock(&m->lock);
	while (!st && !m->idle && m->nopen == AG_MONGO_MAX_CONNECTIONS) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += AG_MONGO_SLICE_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		pthread_cond_timedwait(&m->returned, &m->lock, &until);
		st = ag_ctx_check(ctx, err);
	}
	c = m->idle;
	if (!st && c)
		m->idle = c->next;
	else if (!st)
		m->nopen++;
	pthread_mutex_unlock(&m->lock);
	if (st)
		return st;
	if (!c) {
		c = conn_new(m, err);
		if (!c) {
			pthread_mutex_lock(&m->lock);
			m->nopen--;
			pthread_mutex_unlock(&m->lock);
			return AG_INVALID;
		}
	}
	c->watch.ctx = ctx;
	c->watch.is_stopped = c->watch.is_late = c->watch.is_garbled = false;
	*ret = c;
	return AG_OK;
}

/* A connection on which a wait was ended is closed: what the server still sends is nobody's. The server ends an operation
 * whose client has gone. */
static void give_back(ag_mongo *m, ag_mongo_conn *c)
{
	const bool is_spoilt = c->watch.is_stopped || c->watch.is_late || c->watch.is_garbled;

	c->watch.ctx = NULL;
	c->watch.give_up_ms = 0;
	if (is_spoilt)
		conn_free(m, c);
	pthread_mutex_lock(&m->lock);
	if (is_spoilt) {
		m->nopen--;
	} else {
		c->next = m->idle;
		m->idle = c;
	}
	pthread_cond_signal(&m->returned);
	pthread_mutex_unlock(&m->lock);
}

/* --- one command --------------------------------------------------------------------------------- */

/* What its hello says of the server. */
static void learn(ag_mongo *m, const bson_t *hello)
{
	ag_arena *scratch = ag_arena_new();
	ag_val v;

	pthread_mutex_lock(&m->lock);
	if (!m->is_known &&
	    !ag_bson_read(ag_str_make((const char *)m->lib->bson_get_data(hello), hello->len),
	                  scratch, &v, NULL)) {
		m->is_known = true;
		m->server.max_wire_version = (int32_t)ag_val_member_u64(&v, "maxWireVersion");
		m->server.is_sharded = ag_str_eqc(ag_val_member_str(&v, "msg"), "isdbgrid");
	}
	pthread_mutex_unlock(&m->lock);
	ag_arena_free(scratch);
}

static bool choose_server(ag_mongo *m, ag_mongo_conn *c, bson_error_t *why)
{
	mongoc_server_description_t *s = m->lib->client_select_server(
		c->client, false, m->lib->uri_get_read_prefs_t(m->uri), why);

	if (!s)
		return false;
	c->server = m->lib->server_description_id(s);
	learn(m, m->lib->server_description_hello_response(s));
	m->lib->server_description_destroy(s);
	/* A cursor may be continued only in the session that opened it, so a connection has one. */
	if (!c->has_asked_session) {
		bson_error_t ignored;

		c->has_asked_session = true;
		c->session = m->lib->client_start_session(c->client, NULL, &ignored);
	}
	return true;
}

static bool call(ag_mongo *m, ag_mongo_conn *c, ag_str database, ag_str command, ag_arena *arena,
                 ag_str *ret_reply, bson_error_t *why)
{
	bson_t body, opts, reply;
	bool ok;

	if (!m->lib->bson_init_static(&body, (const uint8_t *)command.ptr, command.len))
		return false;
	m->lib->bson_init(&opts);
	m->lib->bson_append_int32(&opts, "serverId", -1, (int32_t)c->server);
	if (c->session && !m->lib->client_session_append(c->session, &opts, why)) {
		m->lib->bson_destroy(&opts);
		return false;
	}
	atomic_fetch_add_explicit(&m->ncommand, 1, memory_order_relaxed);
	ok = m->lib->client_read_command_with_opts(c->client, ag_str_cstr(arena, database), &body,
	                                           m->lib->uri_get_read_prefs_t(m->uri), &opts,
	                                           &reply, why);
	if (ok)
		*ret_reply = ag_str_dup(
			arena, ag_str_make((const char *)m->lib->bson_get_data(&reply), reply.len));
	m->lib->bson_destroy(&reply);
	m->lib->bson_destroy(&opts);
	return ok;
}

static int64_t time_for(const ag_ctx *ctx)
{
	const int64_t left = ag_ctx_left_ms(ctx);

	if (left < 0 || left > AG_MONGO_MAX_TIME_MS)
		return AG_MONGO_MAX_TIME_MS;
	return left > 0 ? left : 1;
}

static ag_status form(const ag_ctx *ctx, const ag_mongo_command *c, ag_arena *arena, ag_str *ret,
                      ag_str *ret_database, ag_err *err)
{
	ag_mongo_command timed = *c;
	ag_buf b = AG_BUF_INIT(MAX_COMMAND_BYTES);
	ag_val v;
	ag_status st;

	timed.max_time_ms = time_for(ctx);
	if (!timed.comment.len)
		timed.comment = AG_S("argus");
	st = ag_mongo_form(&timed, arena, &v, ret_database, err);
	if (!st && (!ag_bson_write(&b, &v) || b.failed))
		st = b.failed ? ag_fail(err, AG_LIMIT, ORIGIN,
		                        "the query is larger than the 16 MiB that a server takes")
		              : ag_fail(err, AG_INVALID, ORIGIN,
		                        "the query holds a value or name that BSON cannot hold");
	*ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return st;
}

/* Is it worth asking the same again, of whichever server answers now? */
static bool is_passing(const ag_mongo_conn *c, const bson_error_t *why)
{
	static const uint32_t moved[] = { 91, 189, 10107, 10058, 11600, 11602, 13435, 13436 };

	if (c->watch.is_stopped || c->watch.is_late || c->watch.is_garbled)
		return false;
	if (why->domain == MONGOC_ERROR_STREAM)
		return true;
	for (size_t i = 0; why->domain == MONGOC_ERROR_SERVER && i < AG_NELEM(moved); i++)
		if (why->code == moved[i])
			return true;
	return false;
}

/* A command, and the database that it goes to. */
typedef struct formed {
	ag_str command, database;
} formed;

/* Sends the command once, and once more to another server when the first cannot answer. False: *why says why. */
static bool send_command(ag_mongo *m, ag_mongo_conn *conn, const ag_ctx *ctx, bool is_bound,
                         const formed *f, ag_arena *arena, ag_str *ret, bson_error_t *why)
{
	conn->watch.give_up_ms = ag_clock_mono(&ag_clock_system) + time_for(ctx) +
	                         AG_MONGO_GRACE_MS;
	for (int i = 0; i < 2; i++) {
		*why = (bson_error_t){ 0 };
		if ((is_bound || choose_server(m, conn, why)) &&
		    call(m, conn, f->database, f->command, arena, ret, why))
			return true;
		if (is_bound || !is_passing(conn, why))
			break;
	}
	return false;
}

bool ag_mongo_has_statistics(const ag_mongo *m)
{
	return m->has_charge && !atomic_load_explicit(&m->has_no_statistics, memory_order_relaxed);
}

/* What the command before cost. The server knows it of the connection, so it is asked on the same one. */
static void read_charge(ag_mongo *m, ag_mongo_conn *conn, const ag_ctx *ctx,
                        const ag_mongo_command *c)
{
	const ag_mongo_command ask = { .verb = AG_MONGO_REQUEST_STATISTICS,
		                       .database = c->database.len ? c->database : AG_S("admin") };
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_str reply = { 0 };
	formed f;
	bson_error_t why = { 0 };
	ag_val v;

	if (!ag_mongo_has_statistics(m) || c->verb == AG_MONGO_PING ||
	    c->verb == AG_MONGO_KILL_CURSORS ||
	    form(ctx, &ask, scratch, &f.command, &f.database, NULL))
		return;
	if (!send_command(m, conn, ctx, true, &f, scratch, &reply, &why)) {
		/* A connection that broke is met by the next command. */
		if (why.domain == MONGOC_ERROR_SERVER)
			atomic_store_explicit(&m->has_no_statistics, true, memory_order_relaxed);
		return;
	}
	if (ag_bson_read(reply, scratch, &v, NULL) || !ag_mongo_take_charge(ctx, c->meter, &v))
		atomic_store_explicit(&m->has_no_statistics, true, memory_order_relaxed);
}

/* On a connection: the bytes of the answer, in arena. GET_MORE and KILL_CURSORS go where the cursor is. A command that the
 * server throttles is sent again when it says so. */
static ag_status run_on(ag_mongo *m, ag_mongo_conn *conn, const ag_ctx *ctx,
                        const ag_mongo_command *c, ag_arena *arena, ag_str *ret, ag_err *err)
{
	const bool is_bound = c->verb == AG_MONGO_GET_MORE || c->verb == AG_MONGO_KILL_CURSORS;
	ag_mongo_patience patience = { 0 };
	bson_error_t why = { 0 };
	formed f;
	ag_status st = ag_ctx_check(ctx, err);

	if (!st && m->has_charge && c->verb != AG_MONGO_KILL_CURSORS)
		st = ag_mongo_check_budget(c->meter, ag_mongo_has_statistics(m), err);
	while (!st) {
		st = form(ctx, c, arena, &f.command, &f.database, err);
		if (st)
			return st;
		if (send_command(m, conn, ctx, is_bound, &f, arena, ret, &why)) {
			read_charge(m, conn, ctx, c);
			return AG_OK;
		}
		if (why.domain != MONGOC_ERROR_SERVER ||
		    !ag_mongo_is_throttled(why.code, ag_str_c(why.message)))
			break;
		st = ag_mongo_wait_throttled(ctx, c->meter, ag_str_c(why.message), &patience, err);
	}
	if (st && st != AG_UNAVAILABLE)
		return st;
	if (st)
		why.code = 16500; /* whatever the server called it */
	st = ag_mongo_failure(m, conn, c, &why, ctx, err);
	if (patience.nwait)
		ag_err_hint(
			err,
			"it was sent %u times, with waits of %lld ms; give the database more throughput, or "
			"Argus more time",
			patience.nwait, (long long)patience.waited_ms);
	if (why.domain != MONGOC_ERROR_SERVER)
		atomic_store_explicit(&m->is_spoilt, true, memory_order_relaxed);
	return st;
}

/* The seconds of a cluster's timestamp, as ms since 1970. */
static int64_t time_of(const ag_val *v)
{
	return v && v->type == AG_T_TIMESTAMP ? (int64_t)((uint64_t)v->u.i >> 32) * 1000 : 0;
}

ag_status ag_mongo_run(ag_mongo *m, const ag_ctx *ctx, const ag_mongo_command *c, ag_arena *arena,
                       ag_val *ret, ag_err *err)
{
	ag_mongo_conn *conn;
	ag_str reply = { 0 };
	ag_status st = take(m, ctx, &conn, err);

	if (st)
		return st;
	st = run_on(m, conn, ctx, c, arena, &reply, err);
	if (!st)
		st = ag_bson_read(reply, arena, ret, err);
	if (!st && c->time_ms)
		*c->time_ms = time_of(ag_val_getc(ret, "operationTime"));
	give_back(m, conn);
	return st;
}

/* --- cursors ------------------------------------------------------------------------------------- */

typedef struct batch {
	int64_t id; /* 0 = that was the last one */
	bool is_there;
	bool stop;
	size_t ndoc;
	int64_t time_ms; /* operationTime; 0 = none */
} batch;

/* The documents of firstBatch or nextBatch, each as its bytes. */
static ag_status each_of_batch(ag_bson_reader *r, batch *b, ag_mongo_doc_fn *fn, void *arg,
                               ag_err *err)
{
	size_t outer;
	unsigned type;
	ag_str name;
	ag_status st = AG_OK;

	if (!ag_bson_enter(r, &outer))
		return AG_OK;
	while (!st && !b->stop && ag_bson_next(r, &type, &name)) {
		const size_t from = r->at;
		size_t end;

		if (type != AG_T_OBJECT) {
			ag_bson_wrong(r, "a batch holds something that is no document");
			return AG_OK;
		}
		if (!ag_bson_enter(r, &end))
			return AG_OK;
		b->ndoc++;
		st = fn(arg, ag_str_make((const char *)r->p + from, r->end + 1 - from), &b->stop,
		        err);
		r->at = r->end;
		if (!ag_bson_leave(r, end))
			return AG_OK;
	}
	if (st || b->stop || r->why)
		return st;
	ag_bson_leave(r, outer);
	return AG_OK;
}

static ag_status in_cursor(ag_bson_reader *r, batch *b, ag_mongo_doc_fn *fn, void *arg, ag_err *err)
{
	unsigned type;
	ag_str name;
	ag_val v;
	ag_status st = AG_OK;

	while (!st && !b->stop && ag_bson_next(r, &type, &name)) {
		if (type == AG_T_ARRAY &&
		    (ag_str_eqc(name, "firstBatch") || ag_str_eqc(name, "nextBatch"))) {
			b->is_there = true;
			st = each_of_batch(r, b, fn, arg, err);
		} else if (!ag_bson_value(r, type, 1, &v)) {
			break;
		} else if (ag_str_eqc(name, "id")) {
			if (!ag_val_to_i64(&v, &b->id))
				ag_bson_wrong(r, "the id of the cursor is no number");
		}
	}
	return st;
}

/* The id of a cursor and the time may come after the documents, so a first look finds them. */
static ag_status no_document(void *arg, ag_str bson, bool *stop, ag_err *err)
{
	(void)arg;
	(void)bson;
	(void)stop;
	(void)err;
	return AG_OK;
}

static ag_status read_batch(const ag_mongo *m, ag_str reply, ag_arena *scratch, batch *ret,
                            ag_mongo_doc_fn *fn, void *arg, ag_err *err)
{
	ag_bson_reader r = { .arena = scratch,
		             .p = (const unsigned char *)reply.ptr,
		             .end = reply.len };
	size_t outer, cursor;
	unsigned type;
	ag_str name;
	ag_val v;
	ag_status st = AG_OK;

	if (ag_bson_enter(&r, &outer)) {
		while (ag_bson_next(&r, &type, &name)) {
			if (type == AG_T_OBJECT && ag_str_eqc(name, "cursor")) {
				if (ag_bson_enter(&r, &cursor))
					st = in_cursor(&r, ret, fn, arg, err);
				if (st || ret->stop || r.why || !ag_bson_leave(&r, cursor))
					break;
			} else if (!ag_bson_value(&r, type, 1, &v)) {
				break;
			} else if (type == AG_T_TIMESTAMP && ag_str_eqc(name, "operationTime")) {
				ret->time_ms = time_of(&v);
			}
		}
	}
	if (st || (ret->is_there && !r.why))
		return st;
	return ag_fail(err, AG_PROTOCOL, ORIGIN, "%.*s: the answer is no batch of documents: %s",
	               AG_FMT(m->place), r.why ? r.why : "it has no cursor");
}

static void kill_cursor(ag_mongo *m, ag_mongo_conn *conn, const ag_mongo_command *of, int64_t id,
                        ag_arena *scratch)
{
	const ag_mongo_command c = { .verb = AG_MONGO_KILL_CURSORS,
		                     .database = of->database,
		                     .collection = of->collection.len ? of->collection
		                                                      : AG_S("$cmd"),
		                     .cursor = id };
	const ag_ctx brief = { .clock = &ag_clock_system,
		               .deadline_ms = ag_clock_mono(&ag_clock_system) + 1000,
		               .nthread = 1 };
	ag_str reply;

	if (conn->watch.is_stopped || conn->watch.is_late || conn->watch.is_garbled)
		return; /* the connection is closed, and with it the operation */
	conn->watch.ctx = &brief;
	AG_IGNORE(run_on(m, conn, &brief, &c, scratch, &reply, NULL),
	          "then the server closes it after ten minutes");
}

static ag_status fail_endless(const ag_mongo *m, ag_err *err)
{
	ag_fail(err, AG_PROTOCOL, ORIGIN,
	        "%.*s: the server has sent %d batches without a document, and does not end",
	        AG_FMT(m->place), MAX_EMPTY_BATCHES);
	ag_err_hint(err, "run it again; when it happens again, the server is at fault");
	return AG_PROTOCOL;
}

ag_status ag_mongo_each(ag_mongo *m, const ag_ctx *ctx, const ag_mongo_command *c,
                        ag_mongo_doc_fn *fn, void *arg, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_mongo_command command = *c;
	ag_mongo_conn *conn;
	batch b = { 0 };
	unsigned nempty = 0;
	ag_str reply;
	ag_status st = take(m, ctx, &conn, err);

	if (st)
		return st;
	for (;;) {
		st = run_on(m, conn, ctx, &command, scratch, &reply, err);
		if (!st) {
			b = (batch){ 0 };
			st = read_batch(m, reply, scratch, &b, no_document, NULL, err);
		}
		if (!st && command.time_ms)
			*command.time_ms = b.time_ms;
		if (!st)
			st = read_batch(m, reply, scratch, &b, fn, arg, err);
		nempty = b.ndoc ? 0 : nempty + 1;
		if (!st && !b.stop && b.id && nempty == MAX_EMPTY_BATCHES)
			st = fail_endless(m, err);
		if (st || b.stop || !b.id)
			break;
		command = (ag_mongo_command){ .verb = AG_MONGO_GET_MORE,
			                      .database = c->database,
			                      .collection = c->collection.len
			                                            ? c->collection
			                                            : AG_S("$cmd.listCollections"),
			                      .batch = c->batch,
			                      .meter = c->meter,
			                      .cursor = b.id };
		ag_arena_reset(scratch);
	}
	if (b.id)
		kill_cursor(m, conn, c, b.id, scratch);
	give_back(m, conn);
	return st;
}
