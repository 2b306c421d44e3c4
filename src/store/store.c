/* Opening a store, and the checks before its operations.
 *
 * Invariant: what reaches runs*.c is well formed (ids parse, texts are UTF-8 without NUL, sequence
 * numbers have no hole within the batch) and within the limits of store.h, so these files check only
 * what needs the data. Read drivers[], then ag_store_commit(). */
#include "store/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "store/jobs.h"
#include "store/parts.h"

#define ORIGIN "store"

/* What SQLite and PostgreSQL can hold, and the wall times that a date of four digits can. */
#define MAX_INT     ((uint64_t)INT64_MAX)
#define MAX_WALL_MS INT64_C(253402300799999)

static const ag_db_type *const drivers[] = {
	&ag_db_sqlite_file, /* also what a plain path means */
	&ag_db_sqlite_memory,
	&ag_db_postgresql,
	&ag_db_postgres,
};

static void known_schemes(ag_buf *out)
{
	for (size_t i = 0; i < AG_NELEM(drivers); i++)
		ag_buf_addf(out, "%s%s:", i ? ", " : "", drivers[i]->scheme);
}

/* Is the text before the first ':' written like a scheme? Then *ret is that text. */
static bool scheme_of(ag_str uri, ag_str *ret)
{
	ptrdiff_t colon = ag_str_find(uri, ':');

	if (colon < 2)
		return false;
	for (ptrdiff_t i = 0; i < colon; i++) {
		char c = uri.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(i > 0 && ((c >= '0' && c <= '9') || c == '+')))
			return false;
	}
	*ret = ag_str_make(uri.ptr, (size_t)colon);
	return true;
}

/* An address of a database that is written wrongly: as a path it would make a file with the password in its name. */
static bool is_wrong_address(ag_str uri)
{
	static const char *const signs[] = { "://", "password=", "dbname=" };
	ag_str scheme;

	if (scheme_of(uri, &scheme))
		return ag_str_starts(scheme, AG_S("postgres")) &&
		       !ag_str_starts(ag_str_make(uri.ptr + scheme.len + 1,
		                                  uri.len - scheme.len - 1),
		                      AG_S("//"));
	for (size_t i = 0; i < AG_NELEM(signs); i++) {
		if (ag_str_contains(uri, ag_str_c(signs[i])))
			return true;
	}
	return ag_str_contains(uri, AG_S("//")) && ag_str_find(uri, '@') >= 0;
}

static ag_status wrong_address(ag_err *err)
{
	ag_fail(err, AG_INVALID, ORIGIN,
	        "the store's address is neither a path nor an address of a "
	        "database");
	return ag_err_hint(err, "write postgresql://user@host:5432/database, beginning with these "
	                        "letters");
}

static ag_status open_db(ag_str uri, ag_db **ret, ag_err *err)
{
	ag_str scheme;

	if (uri.len == 0)
		return ag_fail(err, AG_INVALID, ORIGIN, "the name of the store is empty");
	if (uri.len > AG_STORE_MAX_TEXT_BYTES || memchr(uri.ptr, '\0', uri.len))
		return ag_fail(err, AG_INVALID, ORIGIN, "the name of the store is not a path");
	if (is_wrong_address(uri))
		return wrong_address(err);
	if (!scheme_of(uri, &scheme))
		return drivers[0]->open(uri, ret, err);
	for (size_t i = 0; i < AG_NELEM(drivers); i++) {
		if (ag_str_eqc(scheme, drivers[i]->scheme))
			return drivers[i]->open(ag_str_make(uri.ptr + scheme.len + 1,
			                                    uri.len - scheme.len - 1),
			                        ret, err);
	}

	char known[120];
	ag_buf names = AG_BUF_INIT(sizeof(known) - 1);

	known_schemes(&names);
	memcpy(known, names.len ? names.ptr : "", names.len);
	known[names.len] = '\0';
	ag_buf_release(&names);
	ag_fail(err, AG_INVALID, ORIGIN, "unknown kind of store \"%.*s:\"", AG_FMT(scheme));
	ag_err_hint(err, "known are %s; a path with a colon in front of a slash starts with ./",
	            known);
	return AG_INVALID;
}

ag_status ag_db_open_only(ag_str uri, ag_db **ret, ag_err *err)
{
	return open_db(uri, ret, err);
}

static ag_status no_store(ag_str uri, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();

	return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no store in \"%.*s\"",
	               AG_FMT(ag_store_shown(uri, arena)));
}

/* Only a file is made by opening it. */
static bool is_missing_file(ag_str uri)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_str scheme, path = uri;

	if (scheme_of(uri, &scheme)) {
		if (!ag_str_eqc(scheme, drivers[0]->scheme))
			return false;
		path = ag_str_make(uri.ptr + scheme.len + 1, uri.len - scheme.len - 1);
	}
	return access(ag_str_cstr(arena, path), F_OK) != 0;
}

static ag_status open_and_migrate(ag_str uri, bool makes, ag_db **ret, ag_err *err)
{
	ag_db *db = NULL;
	bool is_there = true;
	ag_status st = !makes && is_missing_file(uri) ? no_store(uri, err) : open_db(uri, &db, err);

	if (!st && !makes)
		st = db->type->has_store(db, &is_there, err);
	if (!st && !is_there)
		st = no_store(uri, err);
	if (!st)
		st = db->type->migrate(db, err);
	if (st)
		ag_db_close(db);
	else
		*ret = db;
	return st;
}

ag_status ag_db_open(ag_str uri, ag_db **ret, ag_err *err)
{
	return open_and_migrate(uri, true, ret, err);
}

ag_str ag_store_shown(ag_str uri, ag_arena *arena)
{
	ag_str rest = uri, scheme, query;
	size_t at;

	if (is_wrong_address(uri))
		return AG_S("(an address that cannot be read)");
	if (!scheme_of(uri, &scheme) || ag_str_starts(scheme, AG_S("sqlite")) ||
	    ag_str_starts(scheme, AG_S("memory")))
		return uri;
	if (!ag_str_starts(scheme, AG_S("postgres")))
		return ag_str_printf(arena, "%.*s:…", AG_FMT(scheme));
	ag_str_split(&rest, '/');
	ag_str_split(&rest, '/');
	query = rest;
	rest = ag_str_split(&query, '?');
	/* A sign of the password that is not encoded: what is before it is not shown. */
	if (ag_str_find(rest, '@') < 0 && ag_str_find(ag_str_split(&query, '='), '@') >= 0)
		rest = AG_S("…");
	at = rest.len;
	while (at > 0 && rest.ptr[at - 1] != '@')
		at--;
	return ag_str_printf(arena, "postgresql://%.*s",
	                     AG_FMT(ag_str_make(rest.ptr + at, rest.len - at)));
}

static ag_status open_store(ag_str uri, bool makes, ag_store **ret, ag_err *err)
{
	ag_db *db = NULL;
	ag_status st = open_and_migrate(uri, makes, &db, err);

	if (st)
		return st;
	*ret = ag_xcalloc(1, sizeof(**ret));
	(*ret)->db = db;
	return AG_OK;
}

ag_status ag_store_open(ag_str uri, ag_store **ret, ag_err *err)
{
	return open_store(uri, true, ret, err);
}

ag_status ag_store_open_existing(ag_str uri, ag_store **ret, ag_err *err)
{
	return open_store(uri, false, ret, err);
}

ag_store *ag_store_close(ag_store *s)
{
	if (s)
		ag_db_close(s->db);
	free(s);
	return NULL;
}

void ag_store_set_patience(ag_store *s, unsigned ms)
{
	s->db->patience_ms = ms;
	s->db->type->set_patience(s->db, ms);
}

bool ag_store_is_kept(const ag_store *s)
{
	return s->db->type->is_kept;
}

bool ag_store_is_damaged(const ag_err *err)
{
	for (size_t i = 0; i < AG_NELEM(drivers); i++) {
		if (drivers[i]->is_damage(err))
			return true;
	}
	return false;
}

void ag_store_closep(ag_store **s)
{
	*s = ag_store_close(*s);
}

ag_status ag_store_state_folder(ag_arena *arena, ag_str *ret, ag_err *err)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (state && state[0] == '/') { /* the XDG rules ignore relative paths */
		*ret = ag_str_printf(arena, "%s/argus", state);
	} else if (home && home[0] == '/') {
		*ret = ag_str_printf(arena, "%s/.local/state/argus", home);
	} else {
		ag_fail(err, AG_INVALID, ORIGIN, "there is no home folder to keep the store in");
		return ag_err_hint(err, "set ARGUS_STORE to a path, or HOME");
	}
	return AG_OK;
}

ag_status ag_store_default_uri(ag_arena *arena, ag_str *ret, ag_err *err)
{
	const char *own = getenv("ARGUS_STORE");
	ag_str folder;
	ag_status st;

	if (own && own[0] && strcmp(own, "auto") != 0) { /* the settings' word for "not given" */
		*ret = ag_str_dup(arena, ag_str_c(own));
		return AG_OK;
	}
	st = ag_store_state_folder(arena, &folder, err);
	if (!st)
		*ret = ag_str_printf(arena, "%.*s/argus.db", AG_FMT(folder));
	return st;
}

/* --- checks of a batch --- */

static bool is_id(const ag_id *id)
{
	ag_id parsed;

	return memchr(id->text, '\0', sizeof(id->text)) && ag_id_parse(ag_id_str(id), &parsed) &&
	       strcmp(parsed.text, id->text) == 0;
}

static bool is_wall(int64_t ms)
{
	return ms >= 0 && ms <= MAX_WALL_MS;
}

static ag_status check_run_id(const ag_id *run, ag_err *err)
{
	if (!is_id(run))
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "the id of the run is not a UUID in lower case");
	return AG_OK;
}

ag_status ag_store_check_text(const char *origin, const char *what, ag_str s, size_t max_bytes,
                              ag_err *err)
{
	if (s.len > max_bytes)
		return ag_fail(err, AG_LIMIT, origin, "%s has %zu bytes, at most %zu are kept",
		               what, s.len, max_bytes);
	if (!ag_utf8_is_text(s))
		return ag_fail(err, AG_INVALID, origin, "%s is not UTF-8 text", what);
	return AG_OK;
}

/* Looks only at both ends: that the inside is JSON is the writer's promise. */
static ag_status check_object(const char *what, ag_str s, size_t max_bytes, ag_err *err)
{
	ag_str t = ag_str_trim(s);

	if (t.len < 2 || t.ptr[0] != '{' || t.ptr[t.len - 1] != '}')
		return ag_fail(err, AG_INVALID, ORIGIN, "%s is not a JSON object", what);
	return ag_store_check_text(ORIGIN, what, s, max_bytes, err);
}

static ag_status check_word(const char *what, ag_str word, const char *const *words, size_t n,
                            ag_err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(word, words[i]))
			return AG_OK;
	}
	return ag_fail(err, AG_INVALID, ORIGIN, "%s cannot be \"%.*s\"", what,
	               (int)(word.len < 40 ? word.len : 40), word.len ? word.ptr : "");
}

static ag_status check_event(const ag_id *run, const ag_event *ev, uint64_t seq, ag_err *err)
{
	bool is_unknown = ev->type == AG_EV_UNKNOWN;
	ag_status st;

	if (strcmp(ev->run.text, run->text) != 0)
		return ag_fail(err, AG_INVALID, ORIGIN, "event %" PRIu64 " is of another run",
		               ev->seq);
	if (ev->seq != seq || seq == 0 || seq > MAX_INT)
		return ag_fail(err, AG_CONFLICT, ORIGIN,
		               "event %" PRIu64 " stands where %" PRIu64 " was expected", ev->seq,
		               seq ? seq : 1);
	if ((unsigned)ev->type > AG_EV_UNKNOWN || (is_unknown && ev->type_text.len == 0))
		return ag_fail(err, AG_INVALID, ORIGIN, "event %" PRIu64 " has no type", seq);
	if (ev->v < 1 || ev->cause >= seq || !is_wall(ev->at_ms))
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "event %" PRIu64 ": version, cause or time is out of range", seq);
	if (ev->call_id.text[0] && !is_id(&ev->call_id))
		return ag_fail(err, AG_INVALID, ORIGIN, "event %" PRIu64 ": call_id is not a UUID",
		               seq);
	st = ag_store_check_text(ORIGIN, "the type of an event",
	                         is_unknown ? ev->type_text : AG_S(""), 64, err);
	if (st)
		return st;
	return check_object("the payload of an event", ev->payload, AG_STORE_MAX_PAYLOAD_BYTES,
	                    err);
}

static ag_status check_run_row(const ag_id *run, const ag_run_row *r, ag_err *err)
{
	static const char *const status[] = { "running", "ok", "partial", "failed", "cancelled" };
	static const char *const verdict[] = { "", "pass", "warn", "fail" };
	const ag_str texts[] = { r->agent, r->source_uri, r->source_key, r->collection,
		                 r->summary };
	ag_id replaced;
	ag_status st;

	if (strcmp(r->id.text, run->text) != 0)
		return ag_fail(err, AG_INVALID, ORIGIN, "the row of the run has another id");
	st = check_word("the status of a run", r->status, status, AG_NELEM(status), err);
	if (!st)
		st = check_word("the verdict of a run", r->verdict, verdict, AG_NELEM(verdict),
		                err);
	for (size_t i = 0; i < AG_NELEM(texts) && !st; i++)
		st = ag_store_check_text(ORIGIN, "a text of the run's row", texts[i],
		                         AG_STORE_MAX_TEXT_BYTES, err);
	if (st)
		return st;
	if (r->replaces.len && !ag_id_parse(r->replaces, &replaced))
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "the row of the run: what it replaces is not a UUID");
	if (!is_wall(r->started_ms) || !is_wall(r->finished_ms) || r->documents > MAX_INT)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "the row of the run: a time or count is out of range");
	return AG_OK;
}

static ag_status check_finding(const ag_id *run, const ag_finding_row *f, ag_err *err)
{
	static const char *const status[] = { "committed", "pending_review", "dismissed",
		                              "dropped" };
	static const char *const label[] = { "", "tp", "fp" };
	const ag_str texts[] = { f->key, f->field, f->category, f->severity };
	ag_status st;

	if (!is_id(&f->id))
		return ag_fail(err, AG_INVALID, ORIGIN, "the id of a finding is not a UUID");
	if (strcmp(f->run.text, run->text) != 0)
		return ag_fail(err, AG_INVALID, ORIGIN, "finding %s is of another run", f->id.text);
	if (f->affected > MAX_INT || !(f->share >= 0 && f->share <= 1) || !is_wall(f->labelled_ms))
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "finding %s: count, share or time is out of range", f->id.text);
	st = check_word("the status of a finding", f->status, status, AG_NELEM(status), err);
	if (!st)
		st = check_word("the label of a finding", f->label, label, AG_NELEM(label), err);
	for (size_t i = 0; i < AG_NELEM(texts) && !st; i++)
		st = ag_store_check_text(ORIGIN, "a text of a finding", texts[i],
		                         AG_STORE_MAX_TEXT_BYTES, err);
	if (!st)
		st = check_object("the body of a finding", f->body, AG_STORE_MAX_PAYLOAD_BYTES,
		                  err);
	return st;
}

static ag_status check_lease(const ag_store_leased *l, ag_err *err)
{
	ag_status st = check_run_id(&l->run, err);

	if (!st)
		st = ag_store_check_text(ORIGIN, "the owner of a lease", l->owner, 200, err);
	if (!st && (l->owner.len == 0 || !is_wall(l->now_ms) || l->ttl_ms < 0 ||
	            l->ttl_ms > AG_STORE_MAX_LEASE_MS))
		st = ag_fail(err, AG_INVALID, ORIGIN, "a lease needs an owner and 0 to 24 hours");
	return st;
}

static ag_status check_batch(const ag_id *run, const ag_store_batch *b, ag_err *err)
{
	size_t nbyte = b->report.len;
	ag_status st = check_run_id(run, err);

	if (st)
		return st;
	for (size_t i = 0; i < b->nlease && !st; i++)
		st = check_lease(&b->leases[i], err);
	if (st)
		return st;
	if (b->nevent > AG_STORE_MAX_ROWS || b->nfinding > AG_STORE_MAX_ROWS)
		return ag_fail(err, AG_LIMIT, ORIGIN, "a batch has at most %u events and findings",
		               AG_STORE_MAX_ROWS);
	for (size_t i = 0; i < b->nevent; i++) {
		st = check_event(run, &b->events[i], b->events[0].seq + i, err);
		if (st)
			return st;
		nbyte += b->events[i].payload.len;
	}
	for (size_t i = 0; i < b->nfinding; i++) {
		st = check_finding(run, &b->findings[i], err);
		if (st)
			return st;
		nbyte += b->findings[i].body.len;
	}
	if (nbyte > AG_STORE_MAX_BATCH_BYTES)
		return ag_fail(err, AG_LIMIT, ORIGIN, "a batch of %zu bytes, at most %u are taken",
		               nbyte, AG_STORE_MAX_BATCH_BYTES);
	if (b->report.len)
		st = check_object("the report", b->report, AG_STORE_MAX_REPORT_BYTES, err);
	if (!st && b->run)
		st = check_run_row(run, b->run, err);
	return st;
}

/* --- operations --- */

ag_status ag_store_commit(ag_store *s, const ag_id *run, const ag_store_batch *b, ag_err *err)
{
	ag_store_batch batch = *b;
	ag_status st = check_batch(run, b, err);

	if (st)
		return st;
	if (!b->nevent && !b->run && !b->nfinding && !b->report.len)
		return AG_OK;
	if (b->on_disk == AG_STORE_BY_TYPE) {
		batch.on_disk = AG_STORE_SOON;
		for (size_t i = 0; i < b->nevent; i++)
			if (ag_event_type_durable(b->events[i].type))
				batch.on_disk = AG_STORE_NOW;
	}
	return ag_runs_commit(s->db, run, &batch, err);
}

ag_status ag_store_events(ag_store *s, const ag_id *run, uint64_t after_seq, ag_arena *arena,
                          ag_event **ret, size_t *nret, ag_err *err)
{
	return ag_store_events_at(s, run, &(ag_log_place){ .after_seq = after_seq }, arena, ret,
	                          nret, err);
}

ag_status ag_store_events_at(ag_store *s, const ag_id *run, const ag_log_place *at, ag_arena *arena,
                             ag_event **ret, size_t *nret, ag_err *err)
{
	const ag_log_place from = { at->after_seq < MAX_INT ? at->after_seq : MAX_INT,
		                    at->limit < AG_STORE_MAX_ROWS ? at->limit : 0 };
	ag_status st = check_run_id(run, err);

	return st ? st : ag_runs_events(s->db, run, &from, arena, ret, nret, err);
}

ag_status ag_store_runs(ag_store *s, ag_str source_key, size_t limit, size_t offset,
                        ag_arena *arena, ag_run_row **ret, size_t *nret, ag_err *err)
{
	ag_status st = ag_store_check_text(ORIGIN, "the source", source_key,
	                                   AG_STORE_MAX_TEXT_BYTES, err);

	if (st)
		return st;
	if (limit > AG_STORE_MAX_RUNS)
		return ag_fail(err, AG_INVALID, ORIGIN, "a listing has at most %u runs, not %zu",
		               AG_STORE_MAX_RUNS, limit);
	return ag_runs_list(s->db, source_key, limit, offset < MAX_INT ? offset : MAX_INT, arena,
	                    ret, nret, err);
}

ag_status ag_store_turns(ag_store *s, const ag_turns_question *q, ag_arena *arena, ag_run_row **ret,
                         size_t *nret, ag_err *err)
{
	ag_status st = ag_store_check_text(ORIGIN, "the conversation", q->source_key,
	                                   AG_STORE_MAX_TEXT_BYTES, err);

	if (!st && q->limit > AG_STORE_MAX_RUNS)
		st = ag_fail(err, AG_INVALID, ORIGIN, "a listing has at most %u runs, not %zu",
		             AG_STORE_MAX_RUNS, q->limit);
	return st ? st : ag_runs_turns(s->db, q, arena, ret, nret, err);
}

ag_status ag_store_replacing(ag_store *s, ag_str source_key, ag_arena *arena, ag_run_row **ret,
                             size_t *nret, ag_err *err)
{
	ag_status st = ag_store_check_text(ORIGIN, "the conversation", source_key,
	                                   AG_STORE_MAX_TEXT_BYTES, err);

	return st ? st : ag_runs_replacing(s->db, source_key, arena, ret, nret, err);
}

ag_status ag_store_groups(ag_store *s, const ag_group_question *q, ag_arena *arena,
                          ag_run_group **ret, size_t *nret, ag_err *err)
{
	const ag_str texts[] = { q->agent, q->source_uri, q->prefix };
	ag_status st = AG_OK;

	for (size_t i = 0; i < AG_NELEM(texts) && !st; i++)
		st = ag_store_check_text(ORIGIN, "what the listing is of", texts[i],
		                         AG_STORE_MAX_TEXT_BYTES, err);
	if (!st && q->limit > AG_STORE_MAX_RUNS)
		st = ag_fail(err, AG_INVALID, ORIGIN, "a listing has at most %u groups, not %zu",
		             AG_STORE_MAX_RUNS, q->limit);
	return st ? st : ag_runs_groups(s->db, texts, q->limit, arena, ret, nret, err);
}

static ag_status not_a_prefix(ag_str prefix, ag_err *err)
{
	ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" cannot be the start of a run's id",
	        (int)(prefix.len < 60 ? prefix.len : 60), prefix.len ? prefix.ptr : "");
	ag_err_hint(err,
	            "give at least 4 characters of the id that \"argus runs\" shows, or \"last\"");
	return AG_INVALID;
}

ag_status ag_store_find_run(ag_store *s, ag_str prefix, ag_arena *arena, ag_run_row *ret,
                            ag_err *err)
{
	/* The rest of a well-formed id: what is missing is filled in to be parsed. */
	char text[] = "00000000-0000-0000-0000-000000000000";
	ag_id id;

	if (ag_str_eqc(prefix, "last"))
		return ag_runs_find(s->db, prefix, arena, ret, err);
	if (prefix.len < 4 || prefix.len > AG_ID_LEN)
		return not_a_prefix(prefix, err);
	memcpy(text, prefix.ptr, prefix.len);
	if (!ag_id_parse(ag_str_make(text, AG_ID_LEN), &id))
		return not_a_prefix(prefix, err);
	return ag_runs_find(s->db, ag_str_make(id.text, prefix.len), arena, ret, err);
}

ag_status ag_store_report(ag_store *s, const ag_id *run, ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_status st = check_run_id(run, err);

	return st ? st : ag_runs_report(s->db, run, arena, ret, err);
}

ag_status ag_store_findings(ag_store *s, const ag_id *run, ag_arena *arena, ag_finding_row **ret,
                            size_t *nret, ag_err *err)
{
	ag_status st = check_run_id(run, err);

	return st ? st : ag_runs_findings(s->db, run, arena, ret, nret, err);
}

ag_status ag_store_past(ag_store *s, const ag_past_query *q, ag_arena *arena, ag_past_run **ret,
                        size_t *nret, ag_err *err)
{
	ag_status st = ag_store_check_text(ORIGIN, "the source", q->source_key,
	                                   AG_STORE_MAX_TEXT_BYTES, err);

	if (!st)
		st = ag_store_check_text(ORIGIN, "the agent", q->agent, AG_STORE_MAX_TEXT_BYTES,
		                         err);
	if (!st && q->before)
		st = check_run_id(q->before, err);
	if (!st && q->max_runs > AG_STORE_MAX_RUNS)
		st = ag_fail(err, AG_INVALID, ORIGIN, "one looks back on at most %u runs, not %zu",
		             AG_STORE_MAX_RUNS, q->max_runs);
	return st ? st : ag_runs_past(s->db, q, arena, ret, nret, err);
}

ag_status ag_store_pending(ag_store *s, const ag_id *run, size_t limit, ag_arena *arena,
                           ag_past_run **ret, size_t *nret, ag_err *err)
{
	ag_status st = run ? check_run_id(run, err) : AG_OK;

	if (!st && limit > AG_STORE_MAX_ROWS)
		st = ag_fail(err, AG_INVALID, ORIGIN, "a listing has at most %u findings, not %zu",
		             AG_STORE_MAX_ROWS, limit);
	return st ? st : ag_runs_pending(s->db, run, limit, arena, ret, nret, err);
}

ag_status ag_store_labels(ag_store *s, ag_str source_key, ag_str agent, ag_arena *arena,
                          ag_label_row **ret, size_t *nret, ag_err *err)
{
	ag_status st = ag_store_check_text(ORIGIN, "the source", source_key,
	                                   AG_STORE_MAX_TEXT_BYTES, err);

	if (!st)
		st = ag_store_check_text(ORIGIN, "the agent", agent, AG_STORE_MAX_TEXT_BYTES, err);
	return st ? st : ag_runs_labels(s->db, source_key, agent, arena, ret, nret, err);
}

/* What is known of the process that holds the lease now, when it is another one. */
static ag_status look_at_holder(ag_store *s, const ag_id *run, ag_str owner, int64_t now_ms,
                                ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_str holder = AG_S("");
	int64_t until_ms;
	ag_status st = ag_runs_lease_holder(s->db, run, arena, &holder, &until_ms, err);

	/* Given back: the end of its time says so, whether its holder lives or not. */
	if (st || !holder.len || !until_ms || ag_str_eq(holder, owner) ||
	    ag_owner_pid(holder) == (long)getpid())
		return st;
	switch (ag_owner_state_of(holder)) {
	case AG_OWNER_DEAD: /* given back in its name; of several that do so one gets it then */
		return until_ms > now_ms ? ag_runs_lease(s->db, run, holder, now_ms, 0, err)
		                         : AG_OK;
	case AG_OWNER_ALIVE:
		ag_fail(err, AG_CONFLICT, ORIGIN, "run %s is written by process %ld", run->text,
		        ag_owner_pid(holder));
		return ag_err_hint(err, "wait until it is done, or end that process");
	default: return AG_OK;
	}
}

ag_status ag_store_writer(ag_store *s, const ag_id *run, ag_owner_state *ret, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_str holder = AG_S("");
	int64_t until_ms;
	ag_status st = check_run_id(run, err);

	if (!st)
		st = ag_runs_lease_holder(s->db, run, arena, &holder, &until_ms, err);
	if (!st)
		*ret = ag_owner_state_of(holder);
	return st;
}

ag_status ag_store_take_over(ag_store *s, const ag_id *run, int64_t now_ms, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_str holder = AG_S("");
	int64_t until_ms = 0;
	ag_status st = check_run_id(run, err);

	if (!st)
		st = ag_runs_lease_holder(s->db, run, arena, &holder, &until_ms, err);
	if (st || until_ms <= now_ms || ag_owner_state_of(holder) == AG_OWNER_ALIVE)
		return st;
	return ag_runs_lease(s->db, run, holder, now_ms, 0, err); /* given back in its name */
}

ag_status ag_store_lease(ag_store *s, const ag_id *run, ag_str owner, int64_t now_ms,
                         int64_t ttl_ms, ag_err *err)
{
	const ag_store_leased l = { *run, owner, now_ms, ttl_ms };
	ag_status st = check_lease(&l, err);

	if (!st && ttl_ms)
		st = look_at_holder(s, run, owner, now_ms, err);
	return st ? st : ag_runs_lease(s->db, run, owner, now_ms, ttl_ms, err);
}

ag_status ag_store_check(ag_store *s, ag_arena *arena, ag_str **ret, size_t *nret, ag_err *err)
{
	return s->db->type->check(s->db, arena, ret, nret, err);
}

ag_status ag_store_purge(ag_store *s, int64_t older_than_ms, uint64_t *ret_runs, ag_err *err)
{
	ag_db *db = s->db;
	uint64_t nrun = 0;
	bool is_index = false, is_ledger = false, is_jobs = false, is_artifacts = false,
	     is_shares = false;
	ag_status st;

	if (older_than_ms < 0)
		return ag_fail(err, AG_INVALID, ORIGIN, "the age limit lies before 1970");
	st = db->type->purge_begin(db, err);
	if (st)
		return st;
	st = ag_runs_purge(db, older_than_ms, &nrun, err);
	if (!st)
		st = ag_index_purge(db, older_than_ms, &is_index, err);
	if (!st)
		st = ag_ledger_purge(db, older_than_ms, &is_ledger, err);
	if (!st)
		st = ag_jobs_purge(db, older_than_ms, &is_jobs, err);
	if (!st)
		st = ag_artifacts_purge(db, older_than_ms, &is_artifacts, err);
	if (!st)
		st = ag_shares_purge(db, older_than_ms, &is_shares, err);
	db->type->purge_end(db,
	                    nrun || is_index || is_ledger || is_jobs || is_artifacts || is_shares);
	if (!st)
		*ret_runs = nrun;
	return st;
}

/* --- others --- */

ag_status ag_store_now(ag_store *s, const ag_clock *clock, int64_t *ret, ag_err *err)
{
	if (s->db->type->now)
		return s->db->type->now(s->db, ret, err);
	*ret = ag_clock_wall(clock);
	return AG_OK;
}

ag_status ag_store_wait(ag_store *s, int64_t ms, const atomic_bool *cancel, bool *ret_told,
                        ag_err *err)
{
	return s->db->type->wait(s->db, ms < 0 ? 0 : ms, cancel, ret_told, err);
}
