/* What reads runs, and what looks back on earlier ones. Each operation is one statement, so it sees one state of the store.
 *
 * Rows collect in a growing array and are copied into the arena at the end; texts go to the arena at once. A run and its
 * findings come as rows of one statement, side by side; rows of one run follow each other (take_past()). */
#include "store/parts.h"

#define ORIGIN "store"

/* In the order of take_run() and of take_finding(). */
#define RUN_COLUMNS_OF(r)                                                                          \
	r ".id, " r ".agent, " r ".source_uri, " r ".source_key, " r ".collection, " r             \
	  ".status, " r ".verdict, " r ".summary, " r ".started_at, " r ".finished_at, " r         \
	  ".documents, " r ".critical, " r ".high, " r ".medium, " r ".low, " r                    \
	  ".input_tokens, " r ".output_tokens, " r ".usd, " r ".request_units, " r ".replaces, " r \
	  ".null_values, " r ".counted_values, " r ".is_compared, " r ".new_findings, " r          \
	  ".resolved_findings, " r ".regressed_fields"
#define RUN_NCOLUMN 26
/* No run before `before` replaces r, or one that began before r. Ids ascend with time. */
#define IS_SHOWN(r, before)                                                                   \
	"NOT EXISTS (SELECT 1 FROM runs q WHERE q.source_key = " r ".source_key AND "         \
	"q.replaces <> '' AND (q.replaces = " r ".id OR (q.replaces < " r ".id AND q.id > " r \
	".id)) AND (" before " = '' OR q.id < " before "))"
/* A flat place: the rest of the key has no "/". */
#define AT_KEY(key, flat)                                                             \
	"(source_key = " key " OR (substr(source_key, 1, length(" key ") + 1) = " key \
	" || '/' AND (" flat " = 0 OR substr(source_key, length(" key                 \
	") + 2) = replace(substr(source_key, length(" key ") + 2), '/', ''))))"
#define AT_URI(key, flat)                                                                  \
	"(source_uri = " key " OR substr(source_uri, 1, length(" key ") + 1) = " key       \
	" || '?' OR (" flat " = 0 AND substr(source_uri, 1, length(" key ") + 1) IN (" key \
	" || '/', " key " || '.')))"
#define AT_PLACE(key, flat, uri)    \
	"(" key " <> '' AND ((" uri \
	" = 0 AND " AT_KEY(key, flat) ") OR (" uri " <> 0 AND " AT_URI(key, flat) ")))"
#define FINDING_COLUMNS_OF(f)                                                             \
	f ".id, " f ".key, " f ".field, " f ".category, " f ".severity, " f ".status, " f \
	  ".affected, " f ".share, " f ".label, " f ".labelled_at, " f ".body"

enum {
	EVENTS,
	RUNS,
	RUNS_OF_SOURCE,
	TURNS,
	REPLACING,
	RUNS_BELOW,
	NEWEST_BELOW,
	RUNS_BY_PREFIX,
	RUN_NEWEST,
	GROUPS,
	REPORT,
	FINDINGS,
	PAST,
	PENDING,
	LABELS
};

static const ag_sql sql[] = {
	[EVENTS] = { "SELECT seq, v, type, call_id, cause, at, payload FROM events "
	             "WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3" },
	[RUNS] = { "SELECT " RUN_COLUMNS_OF(
		"r") " FROM runs r "
	             "ORDER BY started_at DESC, id DESC LIMIT $1 OFFSET $2" },
	[RUNS_OF_SOURCE] = { "SELECT " RUN_COLUMNS_OF(
		"r") " FROM runs r WHERE source_key = $3 "
	             "ORDER BY started_at DESC, id DESC LIMIT $1 OFFSET $2" },
	[TURNS] = { "SELECT " RUN_COLUMNS_OF(
		"r") " FROM runs r WHERE r.source_key = $1 "
	             "AND ($2 = '' OR r.id < $2) AND " IS_SHOWN(
			     "r", "$2") " ORDER BY r.started_at DESC, r.id DESC LIMIT $3" },
	[REPLACING] = { "SELECT " RUN_COLUMNS_OF(
		"r") " FROM runs r WHERE r.source_key = $1 "
	             "AND r.replaces <> '' ORDER BY r.id LIMIT $2" },
	/* Of the place $2 or below it, and of the place $3. */
	[RUNS_BELOW] = { "SELECT " RUN_COLUMNS_OF(
		"r") " FROM runs r WHERE agent = $1 AND "
	             "(" AT_PLACE("$2", "$3", "$4") " OR " AT_PLACE(
			     "$5", "$6",
			     "$7") ") "
	                           "ORDER BY started_at DESC, id DESC LIMIT $8 OFFSET $9" },
	/* Ids ascend with time. */
	[NEWEST_BELOW] = { "SELECT " RUN_COLUMNS_OF(
		"r") " FROM runs r WHERE r.id IN "
	             "(SELECT max(id) FROM runs WHERE agent = $1 AND finished_at > 0 AND "
	             "(" AT_PLACE("$2", "$3", "$4") " OR " AT_PLACE(
			     "$5", "$6",
			     "$7") ") "
	                           "GROUP BY source_key) "
	                           "ORDER BY started_at DESC, id DESC LIMIT $8 OFFSET $9" },
	/* 'g' follows every character of an id. */
	[RUNS_BY_PREFIX] = { "SELECT " RUN_COLUMNS_OF(
		"r") " FROM runs r "
	             "WHERE id >= $1 AND id < $1 || 'g' ORDER BY id LIMIT 2" },
	[RUN_NEWEST] = { "SELECT " RUN_COLUMNS_OF(
		"r") " FROM runs r WHERE "
	             "EXISTS (SELECT 1 FROM events WHERE events.run = r.id) OR "
	             "EXISTS (SELECT 1 FROM reports WHERE reports.run = r.id) "
	             "ORDER BY started_at DESC, id DESC LIMIT 1" },
	/* Ids ascend with time, so the greatest one of a group is its newest run. */
	[GROUPS] = { "SELECT r.source_key, (SELECT f.summary FROM runs f "
	             "WHERE f.source_key = r.source_key AND " IS_SHOWN(
			     "f",
			     "''") " ORDER BY f.started_at, f.id LIMIT 1), "
	                           "max(r.id), min(r.started_at), max(r.started_at), count(*) FROM runs r "
	                           "WHERE r.agent = $1 AND r.source_uri = $2 "
	                           "AND substr(r.source_key, 1, length($3)) = $3 AND " IS_SHOWN(
					   "r",
					   "''") " GROUP BY r.source_key ORDER BY max(r.started_at) DESC, max(r.id) DESC "
	                                         "LIMIT $4" },
	[REPORT] = { "SELECT body FROM reports WHERE run = $1" },
	[FINDINGS] = { "SELECT " FINDING_COLUMNS_OF("f") " FROM findings f WHERE f.run = $1 "
	                                                 "ORDER BY f.{stored}" },
	/* A run without findings gives one row with NULLs. */
	[PAST] = { "SELECT " RUN_COLUMNS_OF("r") ", " FINDING_COLUMNS_OF(
		"f") " FROM "
	             "(SELECT * FROM runs p WHERE ($1 = '' OR p.source_key = $1) "
	             "AND ($2 = '' OR p.agent = $2) AND ($3 = '' OR p.id < $3) "
	             "AND (p.status = 'ok' OR (p.status IN ('partial', 'failed', 'cancelled') "
	             "AND EXISTS (SELECT 1 FROM findings WHERE run = p.id))) "
	             "ORDER BY p.started_at DESC, p.id DESC LIMIT $4) r "
	             "LEFT JOIN findings f ON f.run = r.id "
	             "ORDER BY r.started_at DESC, r.id DESC, f.{stored}" },
	[PENDING] = { "SELECT " RUN_COLUMNS_OF("r") ", " FINDING_COLUMNS_OF(
		"f") " "
	             "FROM findings f JOIN runs r ON r.id = f.run "
	             "WHERE f.status = 'pending_review' AND ($1 = '' OR f.run = $1) "
	             "ORDER BY r.started_at DESC, r.id DESC, f.{stored} LIMIT $2" },
	[LABELS] = { "SELECT f.run, f.id, f.key, f.field, f.category, f.label, f.labelled_at, f.body "
	             "FROM runs r JOIN findings f ON f.run = r.id "
	             "WHERE r.source_key = $1 AND ($2 = '' OR r.agent = $2) AND f.label <> '' "
	             "ORDER BY f.labelled_at DESC, f.{stored} DESC LIMIT $3" },
};

/* --- events --- */

typedef struct log_reading {
	ag_reading list;
	const ag_id *run;
} log_reading;

static ag_status take_event(void *arg, const ag_db_val *row, ag_err *err)
{
	log_reading *r = arg;
	ag_event *ev = ag_rows_add(&r->list.rows);
	ag_str type = ag_db_get_text(&row[2], r->list.arena);

	ev->run = *r->run;
	ev->seq = ag_db_get_u64(&row[0]);
	ev->v = (int)ag_db_get_int(&row[1]);
	ev->type = ag_event_type_parse(type);
	ev->type_text = ev->type == AG_EV_UNKNOWN ? type : AG_S("");
	ev->call_id = ag_db_get_id(&row[3]);
	ev->cause = ag_db_get_u64(&row[4]);
	ev->at_ms = ag_db_get_int(&row[5]);
	ev->payload = ag_db_get_text(&row[6], r->list.arena);
	r->list.nbyte += ev->payload.len + sizeof(*ev);
	return ag_reading_check(&r->list, err);
}

static void log_reading_release(log_reading *r)
{
	ag_reading_release(&r->list);
}

ag_status ag_runs_events(ag_db *db, const ag_id *run, const ag_log_place *at, ag_arena *arena,
                         ag_event **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(log_reading_release)
	log_reading r = { .list = { .rows = { .size = sizeof(ag_event) },
		                    .arena = arena,
		                    .what = "the log is" },
		          .run = run };
	ag_db_out out = { .on_row = take_event, .arg = &r };
	ag_status st = ag_db_run(db, &sql[EVENTS],
	                         AG_DB_ARGS(ag_db_text(ag_id_str(run)),
	                                    ag_db_int((int64_t)at->after_seq),
	                                    ag_db_int(at->limit ? (int64_t)at->limit : INT64_MAX)),
	                         &out, err);

	if (st)
		return st;
	*ret = ag_rows_dup(&r.list.rows, arena);
	*nret = r.list.rows.n;
	return AG_OK;
}

/* --- runs --- */

static void read_run(const ag_db_val *row, ag_arena *arena, ag_run_row *r)
{
	r->id = ag_db_get_id(&row[0]);
	r->agent = ag_db_get_text(&row[1], arena);
	r->source_uri = ag_db_get_text(&row[2], arena);
	r->source_key = ag_db_get_text(&row[3], arena);
	r->collection = ag_db_get_text(&row[4], arena);
	r->status = ag_db_get_text(&row[5], arena);
	r->verdict = ag_db_get_text(&row[6], arena);
	r->summary = ag_db_get_text(&row[7], arena);
	r->started_ms = ag_db_get_int(&row[8]);
	r->finished_ms = ag_db_get_int(&row[9]);
	r->documents = ag_db_get_u64(&row[10]);
	r->critical = (uint32_t)ag_db_get_int(&row[11]);
	r->high = (uint32_t)ag_db_get_int(&row[12]);
	r->medium = (uint32_t)ag_db_get_int(&row[13]);
	r->low = (uint32_t)ag_db_get_int(&row[14]);
	r->input_tokens = ag_db_get_u64(&row[15]);
	r->output_tokens = ag_db_get_u64(&row[16]);
	r->usd = ag_db_get_real(&row[17]);
	r->request_units = ag_db_get_real(&row[18]);
	r->replaces = ag_db_get_text(&row[19], arena);
	r->figures = (ag_run_figures){ .nulls = ag_db_get_u64(&row[20]),
		                       .values = ag_db_get_u64(&row[21]),
		                       .is_compared = ag_db_get_int(&row[22]) != 0,
		                       .added = (uint32_t)ag_db_get_int(&row[23]),
		                       .resolved = (uint32_t)ag_db_get_int(&row[24]),
		                       .regressed = (uint32_t)ag_db_get_int(&row[25]) };
}

static ag_status take_run(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *list = arg;
	ag_run_row *r = ag_rows_add(&list->rows);

	read_run(row, list->arena, r);
	list->nbyte += sizeof(*r) + r->summary.len + r->source_uri.len;
	return ag_reading_check(list, err);
}

static ag_status read_runs(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                           ag_run_row **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_run_row) },
		            .arena = arena,
		            .what = "the list of runs is" };
	ag_db_out out = { .on_row = take_run, .arg = &list };
	ag_status st = ag_db_run(db, which, args, &out, err);

	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

ag_status ag_runs_list(ag_db *db, ag_str source_key, size_t limit, size_t offset, ag_arena *arena,
                       ag_run_row **ret, size_t *nret, ag_err *err)
{
	const ag_db_val args[] = { ag_db_int((int64_t)limit), ag_db_int((int64_t)offset),
		                   ag_db_text(source_key) };
	const bool is_one = source_key.len > 0;

	return read_runs(db, &sql[is_one ? RUNS_OF_SOURCE : RUNS],
	                 (ag_db_args){ args, is_one ? 3 : 2 }, arena, ret, nret, err);
}

ag_status ag_runs_turns(ag_db *db, const ag_turns_question *q, ag_arena *arena, ag_run_row **ret,
                        size_t *nret, ag_err *err)
{
	return read_runs(db, &sql[TURNS],
	                 AG_DB_ARGS(ag_db_text(q->source_key), ag_db_text(q->before),
	                            ag_db_int((int64_t)q->limit)),
	                 arena, ret, nret, err);
}

ag_status ag_runs_replacing(ag_db *db, ag_str source_key, ag_arena *arena, ag_run_row **ret,
                            size_t *nret, ag_err *err)
{
	return read_runs(db, &sql[REPLACING],
	                 AG_DB_ARGS(ag_db_text(source_key), ag_db_int(AG_STORE_MAX_RUNS)), arena,
	                 ret, nret, err);
}

ag_status ag_runs_below(ag_db *db, const ag_runs_question *q, bool only_newest, ag_arena *arena,
                        ag_run_row **ret, size_t *nret, ag_err *err)
{
	return read_runs(db, &sql[only_newest ? NEWEST_BELOW : RUNS_BELOW],
	                 AG_DB_ARGS(ag_db_text(q->agent), ag_db_text(q->places[0].key),
	                            ag_db_int(q->places[0].is_flat), ag_db_int(q->places[0].is_uri),
	                            ag_db_text(q->places[1].key), ag_db_int(q->places[1].is_flat),
	                            ag_db_int(q->places[1].is_uri), ag_db_int((int64_t)q->limit),
	                            ag_db_int((int64_t)q->offset)),
	                 arena, ret, nret, err);
}

/* A run that ended while its data was read has nothing to show: "last" is the one before it. */
static ag_status newest_run(ag_db *db, ag_arena *arena, ag_run_row *ret, ag_err *err)
{
	ag_run_row *row = NULL;
	size_t n = 0;
	ag_status st = read_runs(db, &sql[RUN_NEWEST], AG_DB_NO_ARGS, arena, &row, &n, err);

	if (!st && !n)
		st = ag_runs_list(db, AG_S(""), 1, 0, arena, &row, &n, err);
	if (st)
		return st;
	if (!n)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "the store has no run yet");
	*ret = row[0];
	return AG_OK;
}

ag_status ag_runs_find(ag_db *db, ag_str prefix, ag_arena *arena, ag_run_row *ret, ag_err *err)
{
	ag_run_row *row = NULL;
	size_t n = 0;
	ag_status st;

	if (ag_str_eqc(prefix, "last"))
		return newest_run(db, arena, ret, err);
	st = read_runs(db, &sql[RUNS_BY_PREFIX], AG_DB_ARGS(ag_db_text(prefix)), arena, &row, &n,
	               err);
	if (st)
		return st;
	if (n == 0) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "no run begins with \"%.*s\"", AG_FMT(prefix));
		ag_err_hint(err, "\"argus runs\" lists them");
		return AG_NOT_FOUND;
	}
	if (n == 2) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" fits several runs, as %s and %s",
		        AG_FMT(prefix), row[0].id.text, row[1].id.text);
		ag_err_hint(err, "give more characters of the id");
		return AG_INVALID;
	}
	*ret = row[0];
	return AG_OK;
}

/* --- groups --- */

static ag_status take_group(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *list = arg;
	ag_run_group *g = ag_rows_add(&list->rows);

	g->source_key = ag_db_get_text(&row[0], list->arena);
	g->summary = ag_db_get_text(&row[1], list->arena);
	g->last = ag_db_get_id(&row[2]);
	g->first_ms = ag_db_get_int(&row[3]);
	g->last_ms = ag_db_get_int(&row[4]);
	g->nrun = ag_db_get_u64(&row[5]);
	list->nbyte += sizeof(*g) + g->summary.len + g->source_key.len;
	return ag_reading_check(list, err);
}

ag_status ag_runs_groups(ag_db *db, const ag_str texts[3], size_t limit, ag_arena *arena,
                         ag_run_group **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_run_group) },
		            .arena = arena,
		            .what = "the list of conversations is" };
	ag_db_out out = { .on_row = take_group, .arg = &list };
	ag_status st = ag_db_run(db, &sql[GROUPS],
	                         AG_DB_ARGS(ag_db_text(texts[0]), ag_db_text(texts[1]),
	                                    ag_db_text(texts[2]), ag_db_int((int64_t)limit)),
	                         &out, err);

	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}

/* --- report and findings --- */

typedef struct report {
	ag_arena *arena;
	ag_str body;
	bool is_there;
} report;

static ag_status take_report(void *arg, const ag_db_val *row, ag_err *err)
{
	report *r = arg;

	(void)err;
	r->body = ag_db_get_text(&row[0], r->arena);
	r->is_there = true;
	return AG_OK;
}

ag_status ag_runs_report(ag_db *db, const ag_id *run, ag_arena *arena, ag_str *ret, ag_err *err)
{
	report r = { .arena = arena };
	ag_db_out out = { .on_row = take_report, .arg = &r };
	ag_status st = ag_db_run(db, &sql[REPORT], AG_DB_ARGS(ag_db_text(ag_id_str(run))), &out,
	                         err);

	if (st)
		return st;
	if (!r.is_there)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "run %s has no report", run->text);
	*ret = r.body;
	return AG_OK;
}

static void read_finding(const ag_db_val *row, const ag_id *run, ag_arena *arena, ag_finding_row *f)
{
	f->id = ag_db_get_id(&row[0]);
	f->run = *run;
	f->key = ag_db_get_text(&row[1], arena);
	f->field = ag_db_get_text(&row[2], arena);
	f->category = ag_db_get_text(&row[3], arena);
	f->severity = ag_db_get_text(&row[4], arena);
	f->status = ag_db_get_text(&row[5], arena);
	f->affected = ag_db_get_u64(&row[6]);
	f->share = ag_db_get_real(&row[7]);
	f->label = ag_db_get_text(&row[8], arena);
	f->labelled_ms = ag_db_get_int(&row[9]);
	f->body = ag_db_get_text(&row[10], arena);
}

/* Runs grow beside the findings, so a run counts its findings until both have their place. */
typedef struct past_reading {
	ag_reading runs; /* none when only the findings of `run` are read */
	ag_rows findings;
	const ag_id *run;
} past_reading;

static void past_reading_release(past_reading *r)
{
	ag_reading_release(&r->runs);
	ag_rows_release(&r->findings);
}

static ag_status take_finding(void *arg, const ag_db_val *row, ag_err *err)
{
	past_reading *r = arg;
	ag_finding_row *f = ag_rows_add(&r->findings);

	read_finding(row, r->run, r->runs.arena, f);
	r->runs.nbyte += f->body.len + sizeof(*f);
	return ag_reading_check(&r->runs, err);
}

ag_status ag_runs_findings(ag_db *db, const ag_id *run, ag_arena *arena, ag_finding_row **ret,
                           size_t *nret, ag_err *err)
{
	AG_AUTO(past_reading_release)
	past_reading r = { .runs = { .arena = arena, .what = "the findings are" },
		           .findings = { .size = sizeof(ag_finding_row) },
		           .run = run };
	ag_db_out out = { .on_row = take_finding, .arg = &r };
	ag_status st = ag_db_run(db, &sql[FINDINGS], AG_DB_ARGS(ag_db_text(ag_id_str(run))), &out,
	                         err);

	if (st)
		return st;
	*ret = ag_rows_dup(&r.findings, arena);
	*nret = r.findings.n;
	return AG_OK;
}

/* --- looking back --- */

static ag_past_run *last_run(const past_reading *r)
{
	return r->runs.rows.n ? (ag_past_run *)(void *)r->runs.rows.ptr + (r->runs.rows.n - 1)
	                      : NULL;
}

/* Columns of a run, then those of a finding or NULLs. A new run begins where the id changes. */
static ag_status take_past(void *arg, const ag_db_val *row, ag_err *err)
{
	past_reading *r = arg;
	const ag_id id = ag_db_get_id(&row[0]);
	ag_past_run *run = last_run(r);

	if (!run || !ag_str_eq(ag_id_str(&run->run.id), ag_id_str(&id))) {
		run = ag_rows_add(&r->runs.rows);
		read_run(row, r->runs.arena, &run->run);
		r->runs.nbyte += sizeof(*run) + run->run.summary.len;
	}
	if (row[RUN_NCOLUMN].kind == AG_DB_NULL)
		return ag_reading_check(&r->runs, err);
	run->nfinding++;
	r->run = &run->run.id;
	return take_finding(r, row + RUN_NCOLUMN, err);
}

static ag_status read_past(ag_db *db, const ag_sql *which, ag_db_args args, ag_arena *arena,
                           ag_past_run **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(past_reading_release)
	past_reading r = { .runs = { .rows = { .size = sizeof(ag_past_run) },
		                     .arena = arena,
		                     .what = "the findings are" },
		           .findings = { .size = sizeof(ag_finding_row) } };
	ag_db_out out = { .on_row = take_past, .arg = &r };
	const ag_finding_row *next;
	ag_past_run *runs;
	ag_status st = ag_db_run(db, which, args, &out, err);

	if (st)
		return st;
	runs = ag_rows_dup(&r.runs.rows, arena);
	next = ag_rows_dup(&r.findings, arena);
	for (size_t i = 0; i < r.runs.rows.n; i++) {
		runs[i].findings = next;
		next += runs[i].nfinding;
	}
	*ret = runs;
	*nret = r.runs.rows.n;
	return AG_OK;
}

ag_status ag_runs_past(ag_db *db, const ag_past_query *q, ag_arena *arena, ag_past_run **ret,
                       size_t *nret, ag_err *err)
{
	return read_past(db, &sql[PAST],
	                 AG_DB_ARGS(ag_db_text(q->source_key), ag_db_text(q->agent),
	                            ag_db_text(q->before ? ag_id_str(q->before) : AG_S("")),
	                            ag_db_int((int64_t)q->max_runs)),
	                 arena, ret, nret, err);
}

ag_status ag_runs_pending(ag_db *db, const ag_id *run, size_t limit, ag_arena *arena,
                          ag_past_run **ret, size_t *nret, ag_err *err)
{
	return read_past(db, &sql[PENDING],
	                 AG_DB_ARGS(ag_db_text(run ? ag_id_str(run) : AG_S("")),
	                            ag_db_int((int64_t)limit)),
	                 arena, ret, nret, err);
}

static ag_status take_label(void *arg, const ag_db_val *row, ag_err *err)
{
	ag_reading *list = arg;
	ag_label_row *r = ag_rows_add(&list->rows);

	r->run = ag_db_get_id(&row[0]);
	r->finding = ag_db_get_id(&row[1]);
	r->key = ag_db_get_text(&row[2], list->arena);
	r->field = ag_db_get_text(&row[3], list->arena);
	r->category = ag_db_get_text(&row[4], list->arena);
	r->label = ag_db_get_text(&row[5], list->arena);
	r->labelled_ms = ag_db_get_int(&row[6]);
	r->body = ag_db_get_text(&row[7], list->arena);
	list->nbyte += sizeof(*r) + r->body.len;
	return ag_reading_check(list, err);
}

ag_status ag_runs_labels(ag_db *db, ag_str source_key, ag_str agent, ag_arena *arena,
                         ag_label_row **ret, size_t *nret, ag_err *err)
{
	AG_AUTO(ag_reading_release)
	ag_reading list = { .rows = { .size = sizeof(ag_label_row) },
		            .arena = arena,
		            .what = "the labels are" };
	ag_db_out out = { .on_row = take_label, .arg = &list };
	ag_status st = ag_db_run(db, &sql[LABELS],
	                         AG_DB_ARGS(ag_db_text(source_key), ag_db_text(agent),
	                                    ag_db_int(AG_STORE_MAX_ROWS)),
	                         &out, err);

	if (st)
		return st;
	*ret = ag_rows_dup(&list.rows, arena);
	*nret = list.rows.n;
	return AG_OK;
}
