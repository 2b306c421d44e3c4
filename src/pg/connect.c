/* connect -- one connection: made, set up, and checked before anybody uses it.
 *
 * The server reads a statement as its caller meant it only under the settings that the caller asked for. They are read back
 * and compared: a pooler in between may have dropped the options of the start-up packet, and PGTZ or PGDATESTYLE of the
 * environment override them.
 *
 * libpq looks up host names without a time limit. So a thread makes the connection, and the caller stops waiting at its
 * deadline. A connection that the thread completes after that goes into the pool. */
#include "pg/parts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/time.h"

#define STACK_BYTES (512u * 1024) /* name services and TLS are deep */
typedef struct making {
	pthread_mutex_t lock;
	pthread_cond_t is_over;
	ag_pg *pg; /* counted */
	int64_t deadline_us;
	bool has_ended, is_left;
	unsigned nref;
	ag_pg_conn *conn; /* NULL = failed: state and message say why */
	char state[6];
	ag_buf message;
} making;

static void unref(making *m)
{
	unsigned left;

	pthread_mutex_lock(&m->lock);
	left = --m->nref;
	pthread_mutex_unlock(&m->lock);
	if (left > 0)
		return;
	ag_pg_unref(m->pg);
	ag_buf_release(&m->message);
	pthread_cond_destroy(&m->is_over);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

static bool fail(making *m, const char *state, ag_str message)
{
	memcpy(m->state, state, sizeof(m->state));
	ag_buf_clear(&m->message);
	ag_buf_add(&m->message, message);
	return false;
}

static bool is_state(const char *s)
{
	for (size_t i = 0; i < 5; i++) {
		if (!(s[i] >= '0' && s[i] <= '9') && !(s[i] >= 'A' && s[i] <= 'Z'))
			return false;
	}
	return s[5] == ':' && s[6] == ' ';
}

/* libpq's verbose message, "… failed: FATAL:  28P01: password authentication failed …\nLOCATION: …", is the only form that
 * has the SQLSTATE. Several hosts give several lines: the last SQLSTATE counts. */
static bool fail_with_message(making *m, const PGconn *db)
{
	const char *text = m->pg->pq->errorMessage(db);
	AG_AUTO(ag_buf_release) ag_buf message = AG_BUF_INIT(16u * 1024);
	char state[6] = "08001";
	ag_str rest = ag_str_c(text), line;

	while (rest.len > 0) {
		const char *found;

		line = ag_str_split(&rest, '\n');
		found = (const char *)memmem(line.ptr, line.len, ":  ", 3);
		if (ag_str_starts(line, AG_S("LOCATION:")))
			continue;
		if (message.len > 0)
			ag_buf_addc(&message, ' ');
		if (found && found + 10 <= line.ptr + line.len && is_state(found + 3)) {
			memcpy(state, found + 3, 5);
			ag_buf_add(&message, ag_str_make(line.ptr, (size_t)(found - line.ptr)));
			ag_buf_adds(&message, ": ");
			line.len -= (size_t)(found + 10 - line.ptr);
			line.ptr = found + 10;
		}
		ag_buf_add(&message, line);
	}
	return fail(m, state,
	            message.len > 0 ? ag_buf_view(&message)
	                            : AG_S("the database cannot be reached"));
}

/* false at the deadline. */
static bool wait_for(const making *m, const PGconn *db, short events)
{
	struct pollfd server = { .fd = m->pg->pq->socket(db), .events = events };
	int rc;

	do {
		int64_t left_us = m->deadline_us - ag_time_mono_us();

		if (left_us <= 0)
			return false;
		rc = poll(&server, 1, (int)(left_us / 1000) + 1);
	} while (rc == 0 || (rc < 0 && errno == EINTR));
	return rc > 0;
}

static bool too_late(making *m)
{
	return fail(m, "08001", AG_S("the database did not answer in time"));
}

static bool reach(making *m, PGconn *db)
{
	const ag_pq *pq = m->pg->pq;
	PostgresPollingStatusType step = PGRES_POLLING_WRITING;

	if (pq->status(db) == CONNECTION_BAD)
		return fail_with_message(m, db);
	pq->setErrorVerbosity(db, PQERRORS_VERBOSE);
	while (step != PGRES_POLLING_OK) {
		if (!wait_for(m, db, step == PGRES_POLLING_READING ? POLLIN : POLLOUT))
			return too_late(m);
		step = pq->connectPoll(db);
		if (step == PGRES_POLLING_FAILED)
			return fail_with_message(m, db);
	}
	/* So PQfinish() never waits for a server that does not read. */
	pq->setnonblocking(db, 1);
	return true;
}

/* Runs a statement of ours through libpq, before take_over(). NULL: m says why. */
static PGresult *ask(making *m, PGconn *db, const char *sql)
{
	const ag_pq *pq = m->pg->pq;
	PGresult *last = NULL, *r;

	if (!pq->sendQuery(db, sql)) {
		fail_with_message(m, db);
		return NULL;
	}
	for (;;) {
		while (pq->isBusy(db)) {
			if (!wait_for(m, db, POLLIN)) {
				pq->clear(last);
				too_late(m);
				return NULL;
			}
			if (!pq->consumeInput(db)) {
				pq->clear(last);
				fail_with_message(m, db);
				return NULL;
			}
		}
		r = pq->getResult(db);
		if (!r)
			break;
		pq->clear(last);
		last = r;
	}
	if (last && pq->resultStatus(last) == PGRES_TUPLES_OK)
		return last;
	fail_with_message(m, db);
	pq->clear(last);
	return NULL;
}

/* --- is the session what the caller asked for? --- */

static bool wrong(making *m, const char *what, const char *is, const char *wanted)
{
	AG_AUTO(ag_buf_release) ag_buf message = AG_BUF_INIT(2048);

	ag_buf_addf(&message,
	            "the session's %s is \"%.100s\", not \"%.200s\": no pooler may drop start-up "
	            "options, no variable like PGTZ may change them, and the database must be UTF8",
	            what, is, wanted);
	return fail(m, "0A000", ag_buf_view(&message));
}

static bool check_reported(making *m, const PGconn *db)
{
	static const struct {
		const char *name, *wanted;
	} settings[] = {
		{ "server_encoding", "UTF8" },
		{ "client_encoding", "UTF8" },
		{ "standard_conforming_strings", "on" },
		{ "IntervalStyle", "iso_8601" },
		{ "TimeZone", "UTC" },
	};
	const char *is;

	for (size_t i = 0; i < AG_NELEM(settings); i++) {
		is = m->pg->pq->parameterStatus(db, settings[i].name);
		if (!is || strcmp(is, settings[i].wanted) != 0)
			return wrong(m, settings[i].name, is ? is : "", settings[i].wanted);
	}
	is = m->pg->pq->parameterStatus(db, "DateStyle");
	if (!is || strncmp(is, "ISO", 3) != 0)
		return wrong(m, "DateStyle", is ? is : "", "ISO");
	return true;
}

/* ALTER ROLE writes pg_catalog,"a",pg_temp as pg_catalog, a, pg_temp where the name needs no quotes. */
static bool is_same_path(const char *is, const char *wanted)
{
	if (strstr(wanted, "\"\"")) /* a quote in the name itself */
		return false;
	for (; *wanted; wanted++) {
		if (*wanted == '"')
			continue;
		if (!(*wanted >= 'a' && *wanted <= 'z') && *wanted != '_' && *wanted != ',')
			return false;
		if (*is++ != *wanted || (*wanted == ',' && *is++ != ' '))
			return false;
	}
	return !*is;
}

static bool check_asked(making *m, PGconn *db)
{
	static const char sql[] =
		"SELECT current_setting('search_path'), current_setting('default_transaction_read_only'),"
		" current_setting('bytea_output'), current_setting('extra_float_digits'), current_user,"
		" current_setting('statement_timeout') <> '0'";
	const char *wanted[] = {
		m->pg->search_path, m->pg->is_read_only ? "on" : "off", "hex", "3", m->pg->role, "t"
	};
	static const char *const names[] = { "search_path",  "default_transaction_read_only",
		                             "bytea_output", "extra_float_digits",
		                             "role",         "statement_timeout" };
	const ag_pq *pq = m->pg->pq;
	PGresult *r = ask(m, db, sql);
	bool is_right = true;

	if (!r)
		return false;
	for (size_t i = 0; is_right && i < AG_NELEM(wanted); i++) {
		const char *is = pq->getvalue(r, 0, (int)i);

		if (*wanted[i] && strcmp(is, wanted[i]) != 0 &&
		    (i > 0 || !is_same_path(is, wanted[i])))
			is_right = wrong(m, names[i], is, wanted[i]);
	}
	pq->clear(r);
	return is_right;
}

/* Copies a value of an answer. false: it is longer than any that a server sends. */
static bool copy_value(char to[AG_PG_MAX_IDENTITY], const char *from)
{
	const size_t n = strlen(from);

	if (n >= AG_PG_MAX_IDENTITY)
		return false;
	memcpy(to, from, n + 1);
	return true;
}

/* Is the server itself at the other end of the socket? A pooler reports process numbers of its own; with address translation
 * the server sees another address than the one that was connected to. */
static bool is_direct(making *m, PGconn *db, int pid, const char *address, const char *port)
{
	const ag_pq *pq = m->pg->pq;
	struct sockaddr_storage peer = { 0 };
	socklen_t size = sizeof(peer);
	char host[INET6_ADDRSTRLEN], shown[INET6_ADDRSTRLEN + 16];
	unsigned peer_port = 0;

	if (!pid || pq->backendPID(db) != pid ||
	    getpeername(pq->socket(db), (struct sockaddr *)&peer, &size) != 0)
		return false;
	if (peer.ss_family == AF_UNIX)
		return !*address;
	if (peer.ss_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)&peer;

		peer_port = ntohs(in->sin_port);
		if (!inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host)))
			return false;
	} else if (peer.ss_family == AF_INET6) {
		const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)(const void *)&peer;

		peer_port = ntohs(in->sin6_port);
		if (!inet_ntop(AF_INET6, &in->sin6_addr, host, sizeof(host)))
			return false;
	} else {
		return false;
	}
	snprintf(shown, sizeof(shown), "%u", peer_port);
	return strcmp(host, address) == 0 && strcmp(shown, port) == 0;
}

bool ag_pg_is_pooled(const ag_pg *pg, const ag_pg_conn *c)
{
	return c->backend.pid && pg->pq->backendPID(c->db) != c->backend.pid;
}

bool ag_pg_is_shared(const ag_pg_conn *a, const ag_pg_conn *b)
{
	return a->backend.pid && a->backend.pid == b->backend.pid &&
	       strcmp(a->backend.started, b->backend.started) == 0 &&
	       strcmp(a->backend.server, b->backend.server) == 0;
}

/* Identifies the server's process, so stuck.c can find it again. A server that shows no sessions reports only the process
 * number. */
static bool read_backend(making *m, PGconn *db, ag_pg_backend *ret)
{
	static const char full[] =
		"SELECT pid, concat(pid, '/', datid, '/', usesysid, '/'),"
		" concat(extract(epoch FROM backend_start)),"
		" concat(extract(epoch FROM pg_postmaster_start_time())),"
		" coalesce(host(inet_server_addr()), ''), concat(inet_server_port())"
		" FROM pg_catalog.pg_stat_activity WHERE pid = pg_backend_pid()";
	static const char plain[] =
		"SELECT pg_backend_pid(), '', '', '', coalesce(host(inet_server_addr()), ''),"
		" concat(inet_server_port())";
	const ag_pq *pq = m->pg->pq;
	PGresult *r = ask(m, db, full);
	int64_t pid;

	if ((!r || pq->ntuples(r) != 1) && ag_time_mono_us() < m->deadline_us) {
		pq->clear(r);
		r = ask(m, db, plain);
	}
	if (!r)
		return false;
	*ret = (ag_pg_backend){ 0 };
	if (ag_str_to_i64(ag_str_c(pq->getvalue(r, 0, 0)), &pid) && pid > 0 && pid <= INT32_MAX)
		ret->pid = (int)pid;
	if (!copy_value(ret->session, pq->getvalue(r, 0, 1)) ||
	    !copy_value(ret->started, pq->getvalue(r, 0, 2)) ||
	    !copy_value(ret->server, pq->getvalue(r, 0, 3)))
		ret->session[0] = '\0';
	ret->is_direct = is_direct(m, db, ret->pid, pq->getvalue(r, 0, 4), pq->getvalue(r, 0, 5));
	pq->clear(r);
	return true;
}

/* Reads the names of the users' types, once for each target, so no statement has to ask for them. */
static bool read_types(making *m, PGconn *db)
{
	const ag_pq *pq = m->pg->pq;
	PGresult *r;
	bool has_types;

	if (!m->pg->needs_type_names)
		return true;
	pthread_mutex_lock(&m->pg->lock);
	has_types = m->pg->has_types;
	pthread_mutex_unlock(&m->pg->lock);
	if (has_types)
		return true;
	r = ask(m, db, ag_pg_types_all);
	if (!r)
		return false;
	for (int row = 0; row < pq->ntuples(r); row++) {
		ag_str cell[AG_PG_TYPES_NCOLUMN];

		for (int i = 0; i < AG_PG_TYPES_NCOLUMN; i++)
			cell[i] = ag_str_make(pq->getvalue(r, row, i),
			                      (size_t)pq->getlength(r, row, i));
		ag_pg_types_add(m->pg, cell);
	}
	pq->clear(r);
	pthread_mutex_lock(&m->pg->lock);
	m->pg->has_types = true;
	pthread_mutex_unlock(&m->pg->lock);
	return true;
}

static bool limit_idling(making *m, PGconn *db)
{
	AG_AUTO(ag_buf_release) ag_buf sql = AG_BUF_INIT(256);
	PGresult *r;

	if (!m->pg->idle_session_ms || m->pg->pq->serverVersion(db) < 140000)
		return true; /* older servers have no such setting */
	ag_buf_addf(&sql, "SELECT set_config('idle_session_timeout', '%lld', false)",
	            (long long)m->pg->idle_session_ms);
	r = ask(m, db, sql.ptr);
	m->pg->pq->clear(r);
	return r != NULL;
}

/* Limits memory and temporary files of one statement, never above the server's own limits. Setting temp_file_limit needs a
 * superuser or GRANT SET ON PARAMETER; a refusal leaves the server's own limit. */
static bool limit_resources(making *m, PGconn *db)
{
	static const char memory[] =
		"SELECT set_config('work_mem', least(pg_size_bytes(current_setting('work_mem')),"
		" 64 * 1024 * 1024) / 1024 || 'kB', false)";
	static const char files[] =
		"SELECT set_config('temp_file_limit', '1GB', false) WHERE current_setting('temp_file_limit') ="
		" '-1' OR pg_size_bytes(current_setting('temp_file_limit')) > 1024 * 1024 * 1024";
	PGresult *r;

	if (!m->pg->has_small_memory)
		return true;
	r = ask(m, db, memory);
	if (!r)
		return false;
	m->pg->pq->clear(r);
	m->pg->pq->clear(ask(m, db, files));
	return m->pg->pq->status(db) == CONNECTION_OK;
}

/* --- the thread --- */

static void ignore_notice(void *arg, const PGresult *r)
{
	(void)arg;
	(void)r; /* libpq would print it */
}

/* From here on libpq reads and writes nothing but its last message in PQfinish(). */
static ag_pg_conn *take_over(making *m, PGconn *db)
{
	const ag_pq *pq = m->pg->pq;
	const ag_pq_tls *tls = NULL;
	void *ssl = NULL;
	ag_pg_conn *c;
	ag_err err;

	if (pq->sslInUse(db)) {
		ssl = pq->sslStruct(db, "OpenSSL");
		if (!ssl || ag_pq_tls_load(&tls, &err)) {
			fail(m, "08001",
			     AG_S("libpq speaks TLS by another library than OpenSSL 3"));
			return NULL;
		}
	} else if (pq->gssEncInUse(db)) {
		fail(m, "08001", AG_S("encryption by GSSAPI is not supported: use TLS"));
		return NULL;
	}
	c = (ag_pg_conn *)ag_xcalloc(1, sizeof(*c));
	c->db = db;
	c->is_new = true;
	ag_pg_wire_init(&c->wire, pq->socket(db), ssl, tls, m->pg->max_send_bytes);
	return c;
}

static ag_pg_conn *make(making *m)
{
	ag_pg *pg = m->pg;
	const ag_pq *pq = pg->pq;
	PGconn *db = pq->connectStartParams((const char *const *)pg->keyword,
	                                    (const char *const *)pg->value, 0);
	ag_pg_backend backend;
	ag_pg_conn *c;

	if (!db)
		ag_oom();
	pq->setNoticeReceiver(db, ignore_notice, NULL);
	if (!reach(m, db) || !check_reported(m, db) || !check_asked(m, db) || !read_types(m, db) ||
	    !limit_idling(m, db) || !limit_resources(m, db) || !read_backend(m, db, &backend)) {
		pq->finish(db);
		return NULL;
	}
	c = take_over(m, db);
	if (!c)
		pq->finish(db);
	else
		c->backend = backend;
	return c;
}

PGconn *ag_pg_watch_open(ag_pg *pg, int64_t deadline_us)
{
	making m = { .pg = pg, .deadline_us = deadline_us };
	const ag_pq *pq = pg->pq;
	PGconn *db = pq->connectStartParams((const char *const *)pg->keyword,
	                                    (const char *const *)pg->value, 0);
	PGresult *r = NULL;

	if (!db)
		ag_oom();
	ag_buf_init(&m.message, 32u * 1024);
	pq->setNoticeReceiver(db, ignore_notice, NULL);
	/* The login may end its own sessions; the role that it takes on may not. */
	if (reach(&m, db))
		r = ask(&m, db, "SELECT set_config('role', 'none', false)");
	ag_buf_release(&m.message);
	if (r) {
		pq->clear(r);
		return db;
	}
	pq->finish(db);
	return NULL;
}

PGresult *ag_pg_watch_ask(ag_pg *pg, PGconn *db, const char *sql, int64_t deadline_us)
{
	making m = { .pg = pg, .deadline_us = deadline_us };
	PGresult *r;

	ag_buf_init(&m.message, 32u * 1024);
	r = ask(&m, db, sql);
	ag_buf_release(&m.message);
	return r;
}

static void *work(void *arg)
{
	making *m = (making *)arg;
	ag_pg_conn *c = make(m);
	bool is_left;

	pthread_mutex_lock(&m->lock);
	is_left = m->is_left;
	m->has_ended = true;
	m->conn = c;
	pthread_cond_signal(&m->is_over);
	pthread_mutex_unlock(&m->lock);
	if (is_left && c)
		ag_pg_give(m->pg, c);
	else if (is_left)
		ag_pg_give_place(m->pg);
	unref(m);
	return NULL;
}

/* Waits for the thread. false: gave up, *ret_failure says why. */
static bool await(making *m, const ag_ctx *ctx, int watch_fd, ag_pg_failure *ret_failure)
{
	bool must_look = ag_ctx_can_be_cancelled(ctx) || watch_fd >= 0, goes_on = true;

	pthread_mutex_lock(&m->lock);
	while (!m->has_ended && goes_on) {
		int64_t now = ag_time_mono_us();
		/* The thread has the same deadline and reports the cause; only looking up a host name makes it late. */
		int64_t until = m->deadline_us + AG_PG_SLICE_MS * 1000;
		struct timespec at;

		if (must_look && now + AG_PG_SLICE_MS * 1000 < until)
			until = now + AG_PG_SLICE_MS * 1000;
		at = ag_pg_timespec(until);
		pthread_cond_timedwait(&m->is_over, &m->lock, &at);
		now = ag_time_mono_us();
		if (!m->has_ended && now >= m->deadline_us + AG_PG_SLICE_MS * 1000) {
			ag_pg_failure_of(AG_PG_LOST, AG_S("the database did not answer in time"),
			                 ret_failure);
			memcpy(ret_failure->sqlstate, "08001", sizeof("08001"));
			goes_on = false;
		} else if (!m->has_ended && must_look) {
			goes_on = !ag_pg_is_given_up(ctx, watch_fd, ret_failure);
		}
	}
	m->is_left = !m->has_ended;
	goes_on = m->has_ended;
	pthread_mutex_unlock(&m->lock);
	return goes_on;
}

bool ag_pg_connect(ag_pg *pg, const ag_ctx *ctx, int watch_fd, int64_t deadline_us, ag_arena *arena,
                   ag_pg_conn **ret, bool *ret_is_left, ag_pg_failure *ret_failure)
{
	making *m = (making *)ag_xcalloc(1, sizeof(*m));
	bool is_made = false;

	m->pg = ag_pg_ref(pg);
	m->deadline_us = deadline_us;
	m->nref = 2;
	ag_buf_init(&m->message, 32u * 1024);
	pthread_mutex_init(&m->lock, NULL);
	ag_pg_cond_init(&m->is_over);
	*ret_is_left = false;
	if (!ag_pg_thread(pg, STACK_BYTES, work, m)) {
		m->nref = 1;
		ag_pg_failure_of(AG_PG_NO_THREAD,
		                 AG_S("no thread could be started to connect to the database"),
		                 ret_failure);
	} else if (!await(m, ctx, watch_fd, ret_failure)) {
		*ret_is_left = true;
	} else if (m->conn) {
		*ret = m->conn;
		is_made = true;
	} else {
		ag_pg_failure_of_connection(ag_buf_view(&m->message), m->state, arena, ret_failure);
	}
	unref(m);
	return is_made;
}

void ag_pg_disconnect(ag_pg *pg, ag_pg_conn *c)
{
	ag_pg_wire_release(&c->wire);
	pg->pq->finish(c->db);
	free(c);
}
