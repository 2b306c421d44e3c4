/* The PostgreSQL driver: one session of one database, whose statements are sent as late as possible.
 *
 * A statement of a writing transaction that gives nothing back waits, with a copy of its arguments, until one is run whose
 * answer is needed, or the commit: they go in one write and are answered in one read (pg/exchange.h). So the commit of a
 * batch of events takes one round trip: BEGIN, the lock of its scope, the rows and COMMIT. What fails while it waits is the error of the call that sends it.
 *
 * A scope is an advisory lock that the transaction holds until its end. Each transaction is on disk when its commit returns,
 * so a crash of the server loses none (postgres_session.c sets synchronous_commit).
 * Reading order: ag_postgres_run(), ag_postgres_run_many(), ag_postgres_statement(), ag_postgres_begin(). */
#include "store/postgres.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"
#include "base/num.h"
#include "base/sha256.h"
#include "store/store.h"

#define ORIGIN "store.postgres"
/* Above it what waits is sent, so that memory has a limit. */
#define MAX_WAITING_BYTES (1u << 20)
#define MAX_WAITING_CALLS 1024u
#define MAX_TEXT_BYTES    8192u /* of a statement */
#define OID_INT8          20u
#define OID_TEXT          25u
#define OID_FLOAT8        701u

/* --- statements --- */

static ag_str text_of(const ag_sql *row)
{
	static const char *const words[][2] = { { "{stored}", "stored" },
		                                { "{skip locked}", "FOR UPDATE SKIP LOCKED" } };
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(MAX_TEXT_BYTES);
	char *copy;

	for (const char *p = row->text; *p;) {
		const char *const *word = NULL;

		for (size_t i = 0; i < AG_NELEM(words) && !word; i++) {
			if (strncmp(p, words[i][0], strlen(words[i][0])) == 0)
				word = words[i];
		}
		if (word)
			ag_buf_adds(&out, word[1]);
		else
			ag_buf_add(&out, ag_str_make(p, 1));
		p += word ? strlen(word[0]) : 1;
	}
	AG_ASSERT(!out.failed);
	copy = ag_xmalloc(out.len + 1);
	memcpy(copy, out.ptr, out.len);
	copy[out.len] = '\0';
	return ag_str_make(copy, out.len);
}

static size_t slot_of(const ag_postgres *s, const ag_sql *row)
{
	size_t i = ((uintptr_t)row / sizeof(*row) * 0x9E3779B9u >> 7) & (s->cap - 1);

	while (s->stmts[i] && s->stmts[i]->row != row)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static void make_room(ag_postgres *s)
{
	ag_postgres_stmt **old = s->stmts;
	const size_t ncap = s->cap;

	if (4 * (s->nstmt + 1) <= 3 * s->cap)
		return;
	s->cap = ncap ? 2 * ncap : 32;
	s->stmts = ag_xcalloc(s->cap, sizeof(ag_postgres_stmt *));
	for (size_t i = 0; i < ncap; i++) {
		if (old[i])
			s->stmts[slot_of(s, old[i]->row)] = old[i];
	}
	free(old);
}

void ag_postgres_forget(ag_postgres *s)
{
	for (size_t i = 0; i < s->cap; i++) {
		if (s->stmts[i]) {
			free((char *)(uintptr_t)s->stmts[i]->text.ptr);
			free(s->stmts[i]);
		}
	}
	free(s->stmts);
	s->stmts = NULL;
	s->nstmt = s->cap = 0;
}

/* The server would take every parameter that it cannot place for a text. */
static void read_types(ag_postgres_stmt *k, ag_db_args args)
{
	AG_ASSERT(args.n <= AG_DB_MAX_ARGS);
	for (size_t i = 0; i < args.n; i++)
		k->types[i] = args.at[i].kind == AG_DB_INT    ? OID_INT8
		              : args.at[i].kind == AG_DB_REAL ? OID_FLOAT8
		                                              : OID_TEXT;
}

ag_postgres_stmt *ag_postgres_statement(ag_postgres *s, const ag_sql *row, ag_db_args args)
{
	ag_postgres_stmt *k;
	size_t at;

	make_room(s);
	at = slot_of(s, row);
	if (!s->stmts[at]) {
		k = ag_xcalloc(1, sizeof(*k));
		k->row = row;
		k->text = text_of(row);
		k->is_reading = ag_str_starts(k->text, AG_S("SELECT")) ||
		                ag_str_starts(k->text, AG_S("WITH"));
		read_types(k, args);
		s->stmts[at] = k;
		s->nstmt++;
	}
	return s->stmts[at];
}

/* --- what waits --- */

static ag_str write_arg(ag_arena *arena, const ag_db_val *v, bool keeps)
{
	char text[AG_NUM_MAX];

	switch (v->kind) {
	case AG_DB_INT: return ag_str_dup(arena, ag_str_make(text, ag_num_i64(text, v->i)));
	case AG_DB_REAL:
		return ag_str_dup(arena, ag_str_make(text, ag_num_double(text, v->real, false)));
	case AG_DB_TEXT:
		if (!v->text.len)
			return ag_str_make("", 0);
		return keeps ? ag_str_dup(arena, v->text) : v->text;
	case AG_DB_NULL: break;
	}
	AG_ASSERT(false);
	return AG_S("");
}

/* keeps: the call waits, so its texts are copied. */
static ag_postgres_call *add_call(ag_postgres *s, ag_postgres_stmt *k, ag_db_args args, bool keeps)
{
	ag_str *values = ag_new_n(s->arena, ag_str, args.n ? args.n : 1);
	ag_postgres_call *c;

	for (size_t i = 0; i < args.n; i++) {
		values[i] = write_arg(s->arena, &args.at[i], keeps);
		s->nwaiting_byte += values[i].len;
	}
	c = ag_rows_add(&s->waiting);
	c->stmt = k;
	c->values = values;
	c->nvalue = args.n;
	return c;
}

static void empty(ag_postgres *s)
{
	s->waiting.n = 0;
	s->nwaiting_byte = 0;
	ag_arena_reset(s->arena);
}

static bool is_in_transaction(const ag_postgres *s)
{
	return s->state != AG_POSTGRES_OUTSIDE;
}

static bool is_writing(const ag_postgres *s)
{
	return is_in_transaction(s) && s->kind != AG_DB_READ;
}

static ag_status send(ag_postgres *s, ag_db_out *out, bool commits, ag_err *err)
{
	const ag_postgres_end end = { .out = out, .commits = commits };
	const ag_status st = ag_postgres_send(s, &end, err);

	/* An answer needs the calls: out->nchange is read by then. */
	if (st && is_in_transaction(s))
		s->state = AG_POSTGRES_FAILED;
	return st;
}

/* A writing transaction fails as a whole, also where it reads. */
static ag_status check_usable(const ag_postgres *s, bool is_reading, ag_err *err)
{
	const bool reads = is_reading && !is_writing(s);

	if (ag_fault(reads ? "store.read" : "store.write")) {
		ag_fail(err, AG_IO, ORIGIN, "cannot %s the store: the disk is full (a fault)",
		        reads ? "read" : "write to");
		return ag_err_hint(err, "the server's disk may be full or failing");
	}
	if (s->state == AG_POSTGRES_FAILED)
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		               "the transaction of the store has failed already");
	return AG_OK;
}

ag_status ag_postgres_run(ag_db *base, const ag_sql *sql, ag_db_args args, ag_db_out *out,
                          ag_err *err)
{
	ag_postgres *s = (ag_postgres *)base;
	ag_postgres_stmt *k = ag_postgres_statement(s, sql, args);
	const bool waits = !out && is_writing(s);
	ag_status st = check_usable(s, k->is_reading, err);

	if (st)
		return st;
	add_call(s, k, args, waits);
	if (waits && s->nwaiting_byte <= MAX_WAITING_BYTES && s->waiting.n < MAX_WAITING_CALLS)
		return AG_OK;
	st = send(s, out, false, err);
	if (!st && out)
		out->nchange = k->is_reading ? 0
		                             : ((ag_postgres_call *)(void *)s->waiting.ptr +
		                                (s->waiting.n - 1))
		                                       ->nrow;
	empty(s);
	return st;
}

static size_t first_unchanged(const ag_postgres *s, size_t nrow)
{
	const ag_postgres_call *c = (const ag_postgres_call *)(void *)s->waiting.ptr +
	                            (s->waiting.n - nrow);

	for (size_t i = 0; i < nrow; i++) {
		if (!c[i].nrow)
			return i;
	}
	return nrow;
}

ag_status ag_postgres_run_many(ag_db *base, const ag_sql *sql, ag_db_args args, size_t nrow,
                               size_t *ret_unchanged, ag_err *err)
{
	ag_postgres *s = (ag_postgres *)base;
	ag_postgres_stmt *k;
	bool waits;
	ag_status st;

	if (!nrow) {
		if (ret_unchanged)
			*ret_unchanged = 0;
		return AG_OK;
	}
	k = ag_postgres_statement(s, sql, args);
	waits = !ret_unchanged && is_writing(s);
	st = check_usable(s, false, err);
	if (st)
		return st;
	for (size_t i = 0; i < nrow; i++)
		add_call(s, k, (ag_db_args){ args.at + i * args.n, args.n }, waits);
	if (waits && s->nwaiting_byte <= MAX_WAITING_BYTES && s->waiting.n < MAX_WAITING_CALLS)
		return AG_OK;
	st = send(s, NULL, false, err);
	if (!st && ret_unchanged)
		*ret_unchanged = first_unchanged(s, nrow);
	empty(s);
	return st;
}

ag_status ag_postgres_exec(ag_postgres *s, ag_str text, ag_err *err)
{
	ag_status st = s->waiting.n || s->state == AG_POSTGRES_BEGUN ? send(s, NULL, false, err)
	                                                             : AG_OK;

	empty(s);
	if (!st)
		st = ag_postgres_send_text(s, text, err);
	if (st && is_in_transaction(s))
		s->state = AG_POSTGRES_FAILED;
	return st;
}

/* --- transactions --- */

int64_t ag_postgres_lock_of(ag_str scope)
{
	AG_AUTO(ag_buf_release) ag_buf text = AG_BUF_INIT(1024);
	ag_sha256_hex hash;
	uint64_t n = 0;

	/* Advisory locks are of the database: other programs may have some, too. */
	ag_buf_adds(&text, AG_POSTGRES_SCHEMA "/");
	ag_buf_add(&text, scope);
	hash = ag_sha256(ag_buf_view(&text));
	for (size_t i = 0; i < 16; i++)
		n = n << 4 |
		    (uint64_t)(hash.text[i] <= '9' ? hash.text[i] - '0' : hash.text[i] - 'a' + 10);
	return (int64_t)n;
}

ag_status ag_postgres_begin(ag_db *base, ag_db_begin_kind kind, ag_str scope, ag_err *err)
{
	ag_postgres *s = (ag_postgres *)base;

	AG_ASSERT(!is_in_transaction(s));
	if (ag_fault(kind == AG_DB_READ ? "store.read" : "store.begin")) {
		ag_fail(err, AG_IO, ORIGIN, "cannot begin a transaction of the store (a fault)");
		return ag_err_hint(err, "the server's disk may be full or failing");
	}
	empty(s);
	s->state = AG_POSTGRES_BEGUN;
	s->kind = kind;
	s->lock = kind == AG_DB_READ ? 0 : ag_postgres_lock_of(scope);
	return AG_OK;
}

ag_status ag_postgres_commit(ag_db *base, ag_err *err)
{
	ag_postgres *s = (ag_postgres *)base;
	ag_status st;

	if (ag_fault("store.commit")) {
		ag_fail(err, AG_IO, ORIGIN, "cannot commit to the store (a fault)");
		return ag_err_hint(err, "the server's disk may be full or failing");
	}
	if (s->state == AG_POSTGRES_FAILED)
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		               "the transaction of the store has failed already");
	if (s->state == AG_POSTGRES_BEGUN && !s->waiting.n) {
		s->state = AG_POSTGRES_OUTSIDE; /* nothing was done in it */
		return AG_OK;
	}
	st = send(s, NULL, true, err);
	empty(s);
	if (!st) {
		ag_fault_after("store.commit");
		s->state = AG_POSTGRES_OUTSIDE;
	}
	return st;
}

void ag_postgres_rollback(ag_db *base)
{
	ag_postgres *s = (ag_postgres *)base;

	if (s->conn && (s->state == AG_POSTGRES_OPEN || s->state == AG_POSTGRES_FAILED) &&
	    !ag_postgres_send_rollback(s))
		ag_postgres_disconnect(s); /* the server rolls back */
	empty(s);
	s->state = AG_POSTGRES_OUTSIDE;
}

/* --- the whole --- */

static void set_patience(ag_db *base, unsigned ms)
{
	ag_postgres *s = (ag_postgres *)base;

	s->is_patience_old |= s->patience_ms != ms;
	s->patience_ms = ms;
}

/* Each commit waits for the server's disk. */
static ag_status sync(ag_db *base, ag_err *err)
{
	(void)base;
	if (!ag_fault("store.sync"))
		return AG_OK;
	ag_fail(err, AG_IO, ORIGIN, "cannot bring the store to disk (a fault)");
	return ag_err_hint(err, "the server's disk may be full or failing");
}

static ag_status take_version(void *arg, const ag_db_val *row, ag_err *err)
{
	const ag_str text = ag_db_get_view(&row[0]);
	uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */

	(void)err;
	for (size_t i = 0; i < text.len; i++)
		h = (h ^ (unsigned char)text.ptr[i]) * UINT64_C(1099511628211);
	*(uint64_t *)arg = h;
	return AG_OK;
}

/* The transactions that are visible: each commit that changes something adds one, in any process. Those of other databases
 * of the server count as well, which costs a look too many. */
static ag_status version(ag_db *base, uint64_t *ret, ag_err *err)
{
	static const ag_sql snapshot = { "SELECT CAST(pg_current_snapshot() AS TEXT)" };
	ag_db_out out = { .on_row = take_version, .arg = ret };

	return ag_postgres_run(base, &snapshot, AG_DB_NO_ARGS, &out, err);
}

/* Never known without a question to the server. */
static bool others(ag_db *base, uint64_t *ret)
{
	(void)base;
	(void)ret;
	return false;
}

static ag_status purge_begin(ag_db *base, ag_err *err)
{
	(void)base;
	(void)err;
	return AG_OK;
}

/* Best effort: a role that does not own the tables may not, and then autovacuum does it. */
static void purge_end(ag_db *base, bool has_removed)
{
	static const char *const tables[] = { "events",     "runs",        "findings",
		                              "reports",    "ledger",      "texts",
		                              "index_docs", "index_words", "jobs" };
	char sql[60];

	for (size_t i = 0; i < AG_NELEM(tables) && has_removed; i++) {
		snprintf(sql, sizeof(sql), "VACUUM %s", tables[i]);
		AG_IGNORE(ag_postgres_exec((ag_postgres *)base, ag_str_c(sql), NULL), "see above");
	}
}

/* clang-format off */
/* Two ways to write the same address. */
#define POSTGRES(name) { \
	.scheme = name, \
	.help = "a PostgreSQL database, shared by any number of machines", \
	.is_kept = true, \
	.open = ag_postgres_open, \
	.has_store = ag_postgres_has_store, \
	.migrate = ag_postgres_migrate, \
	.close = ag_postgres_close, \
	.set_patience = set_patience, \
	.is_damage = ag_postgres_is_damage, \
	.is_lost = ag_postgres_is_lost, \
	.begin = ag_postgres_begin, \
	.commit = ag_postgres_commit, \
	.rollback = ag_postgres_rollback, \
	.run = ag_postgres_run, \
	.run_many = ag_postgres_run_many, \
	.words = &ag_postgres_words, \
	.sync = sync, \
	.version = version, \
	.others = others, \
	.tell = ag_postgres_tell, \
	.wait = ag_postgres_wait, \
	.now = ag_postgres_now, \
	.check = ag_postgres_check, \
	.purge_begin = purge_begin, \
	.purge_end = purge_end, \
}
/* clang-format on */

const ag_db_type ag_db_postgresql = POSTGRES("postgresql");
const ag_db_type ag_db_postgres = POSTGRES("postgres");
