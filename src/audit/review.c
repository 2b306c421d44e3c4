/* review -- find the finding, take the lease, commit event, row and report as one.
 *
 * Read ag_review_write() at the end. Everything that the word depends on is read again under the lease. */
#include "audit/review.h"

#include <time.h>

#include "audit/audit.h"
#include "base/utf8.h"
#include "query/extjson.h"
#include "run/owner.h"

#define ORIGIN "audit.review"
/* A writer that died gives its right back after this; another word waits that long and a little more. */
#define LEASE_MS      5000
#define WAIT_MS       8000
#define WAIT_STEP_MS  20
#define MIN_ID_PREFIX 4

static const ag_extjson_opts parse_opts = { .typed = true, .query = true };

/* --- which finding --- */

/* The beginning of an id; case is folded. */
static bool is_id_of(const ag_finding_row *row, ag_str name)
{
	return name.len >= MIN_ID_PREFIX && name.len <= AG_ID_LEN &&
	       ag_str_ieq(ag_str_make(row->id.text, name.len), name);
}

static bool is_field_of(const ag_finding_row *row, ag_str field, ag_arena *scratch)
{
	return ag_str_eq(row->field, field) ||
	       ag_str_eq(ag_finding_canonical_field(row->field, scratch),
	                 ag_finding_canonical_field(field, scratch));
}

/* "field", or "field/category": the last slash parts them, but a field may hold slashes as well. */
static bool is_name_of(const ag_finding_row *row, ag_str name, ag_arena *scratch)
{
	size_t at = name.len;

	if (is_field_of(row, name, scratch))
		return true;
	while (at > 0 && name.ptr[at - 1] != '/')
		at--;
	return at && is_field_of(row, ag_str_make(name.ptr, at - 1), scratch) &&
	       ag_str_eq(row->category,
	                 ag_category_canonical(ag_str_make(name.ptr + at, name.len - at), scratch));
}

static ag_status fits_several(ag_str name, const ag_finding_row *a, const ag_finding_row *b,
                              ag_err *err)
{
	ag_fail(err, AG_INVALID, ORIGIN,
	        "\"%.60s\" fits several findings, as %.*s/%.*s (%s) and %.*s/%.*s (%s)", name.ptr,
	        AG_FMT(a->field), AG_FMT(a->category), a->id.text, AG_FMT(b->field),
	        AG_FMT(b->category), b->id.text);
	return ag_err_hint(err, "give FIELD/CATEGORY, or more of the id");
}

ag_status ag_review_find(ag_store *store, const ag_run_row *run, ag_str name, ag_arena *arena,
                         ag_finding_row *ret, ag_err *err)
{
	const ag_str shown = ag_str_dup(arena,
	                                ag_str_make(name.ptr, name.len < 60 ? name.len : 60));
	const ag_finding_row *hit = NULL;
	ag_finding_row *rows;
	ag_status st;
	size_t n;

	st = ag_store_findings(store, &run->id, arena, &rows, &n, err);
	if (st)
		return st;
	for (int by_name = 0; by_name < 2 && !hit; by_name++) {
		for (size_t i = 0; i < n; i++) {
			if (by_name ? !is_name_of(&rows[i], name, arena)
			            : !is_id_of(&rows[i], name))
				continue;
			if (hit)
				return fits_several(shown, hit, &rows[i], err);
			hit = &rows[i];
		}
	}
	if (!hit) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "run %s has no finding \"%s\"", run->id.text,
		        shown.ptr);
		return ag_err_hint(err,
		                   "`argus show %s` lists them; give an id of --output json, "
		                   "FIELD or FIELD/CATEGORY",
		                   run->id.text);
	}
	*ret = *hit;
	return AG_OK;
}

/* --- what a word changes --- */

bool ag_review_apply(ag_finding *f, const ag_review *word, ag_str decision, int64_t at_ms,
                     ag_arena *arena)
{
	f->user_label = word->label;
	f->label_reason = word->reason;
	f->label_by = word->by;
	f->labelled_ms = at_ms;
	if (!ag_str_eqc(f->status, "pending_review"))
		return false;
	if (ag_str_eqc(decision, "published"))
		f->status = AG_S("committed");
	if (!ag_str_eqc(decision, "dropped"))
		return false;
	f->status = AG_S("dropped");
	f->evaluation_id = AG_S("");
	f->evaluation_verdict = AG_S("fail");
	f->evaluation_reason = AG_S("a reviewer rejected it");
	f->evaluation_critique = AG_S("");
	f->evaluation_score = 0;
	f->evaluated_by = ag_str_printf(arena, "review:%.*s", AG_FMT(word->by));
	return true;
}

static ag_str decision_of(const ag_review *word)
{
	if (!word->decides)
		return AG_S("");
	return ag_str_eqc(word->label, "tp") ? AG_S("published") : AG_S("dropped");
}

/* {"finding_id":…,"key":…,"label":"tp","decision":"published","by":…,"reason":…,"at":…} */
static ag_str payload(const ag_finding_row *f, const ag_review *word, int64_t at_ms,
                      ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "finding_id", ag_id_str(&f->id));
	ag_jw_kstr(&w, "key", f->key);
	ag_jw_kstr(&w, "label", word->label);
	ag_jw_kstr(&w, "decision", decision_of(word));
	ag_jw_kstr(&w, "by", word->by);
	ag_jw_kstr(&w, "reason", word->reason);
	ag_jw_ktime(&w, "at", at_ms);
	ag_jw_obj_end(&w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* The row's finding with the word in it. A body that cannot be read stays as it is. */
static ag_status change_row(ag_finding_row *row, const ag_review *word, int64_t at_ms,
                            ag_arena *arena, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(AG_STORE_MAX_PAYLOAD_BYTES);
	ag_finding f = { 0 };
	ag_err ignored;
	ag_status st = AG_OK;
	bool is_read;
	ag_val v;
	ag_jw w;

	is_read = !ag_extjson_parse(row->body, &parse_opts, arena, &v, NULL, NULL, &ignored) &&
	          !ag_finding_read(&v, arena, &f, &ignored);
	f.status = row->status;
	ag_review_apply(&f, word, decision_of(word), at_ms, arena);
	row->status = f.status;
	row->label = word->label;
	row->labelled_ms = at_ms > row->labelled_ms ? at_ms
	                                            : row->labelled_ms; /* a clock set back */
	if (is_read) {
		ag_jw_init(&w, &out, 0);
		ag_finding_write(&f, true, &w);
		if (out.failed)
			st = ag_fail(err, AG_LIMIT, ORIGIN, "the finding is larger than %u bytes",
			             AG_STORE_MAX_PAYLOAD_BYTES);
		else
			row->body = ag_buf_dup(arena, &out);
	}
	ag_buf_release(&out);
	return st;
}

/* A dropped finding no longer counts in the list of runs. */
static void count_again(const ag_finding_row *rows, size_t n, ag_run_row *run)
{
	uint32_t *const count[] = { &run->low, &run->medium, &run->high, &run->critical };
	ag_severity s;

	run->low = run->medium = run->high = run->critical = 0;
	for (size_t i = 0; i < n; i++)
		if ((ag_str_eqc(rows[i].status, "committed") ||
		     ag_str_eqc(rows[i].status, "pending_review")) &&
		    ag_severity_parse(rows[i].severity, &s))
			(*count[s])++;
}

/* The report as it will be, "" when the run has none yet; its values are masked as they were. */
static ag_status make_report(ag_store *store, const ag_run_row *run, const ag_event *ev,
                             ag_arena *arena, ag_str *ret, ag_str *ret_summary, ag_err *err)
{
	const ag_val *masked;
	ag_str stored;
	ag_status st = ag_store_report(store, &run->id, arena, &stored, err);
	ag_val v;

	*ret = *ret_summary = AG_S("");
	if (st == AG_NOT_FOUND)
		return AG_OK;
	if (!st)
		st = ag_extjson_parse(stored, &parse_opts, arena, &v, NULL, NULL, err);
	if (st)
		return st;
	masked = ag_val_getc(&v, "masked");
	st = ag_audit_rebuild_with(store, run, ev, masked && !ag_val_truthy(masked), arena, ret,
	                           err);
	if (!st)
		st = ag_extjson_parse(*ret, &parse_opts, arena, &v, NULL, NULL, err);
	if (!st)
		*ret_summary = ag_val_member_str(&v, "summary");
	return st;
}

/* The report of a run without a log (audit/seed.h): the finding's object in it is replaced, or left out when it was
 * dropped. */
static ag_val changed_list(const ag_val *list, const ag_finding_row *row, const ag_val *body,
                           ag_arena *arena)
{
	ag_val *items = ag_new_n(arena, ag_val, list->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (!ag_str_eq(ag_val_member_str(&list->u.items[i], "id"), ag_id_str(&row->id)))
			items[n++] = list->u.items[i];
		else if (!ag_str_eqc(row->status, "dropped"))
			items[n++] = *body;
	}
	return ag_val_array(items, n);
}

static ag_status change_report(ag_store *store, const ag_run_row *run, const ag_finding_row *row,
                               ag_arena *arena, ag_str *ret, ag_err *err)
{
	const ag_extjson_opts as_written = { .repair_utf8 = true };
	ag_member *members;
	ag_val report = ag_val_missing(), body = ag_val_missing();
	ag_str stored;
	ag_status st = ag_store_report(store, &run->id, arena, &stored, err);

	if (!st)
		st = ag_extjson_parse(stored, &as_written, arena, &report, NULL, NULL, err);
	if (!st)
		st = ag_extjson_parse(row->body, &as_written, arena, &body, NULL, NULL, err);
	if (st || report.type != AG_T_OBJECT)
		return st;
	members = ag_new_n(arena, ag_member, report.n + 1);
	for (size_t i = 0; i < report.n; i++) {
		members[i] = report.u.members[i];
		if (ag_str_eqc(members[i].key, "findings") && members[i].val.type == AG_T_ARRAY)
			members[i].val = changed_list(&members[i].val, row, &body, arena);
	}
	report = ag_val_object(members, report.n);
	*ret = ag_extjson_str(arena, &report, AG_EXTJSON_RELAXED);
	return AG_OK;
}

/* --- the lease --- */

static void nap(void)
{
	const struct timespec t = { .tv_nsec = WAIT_STEP_MS * 1000000L };

	nanosleep(&t, NULL);
}

/* Another word is soon written; a run that is written is not, and is not waited for. */
static ag_status take_lease(const ag_ctx *ctx, ag_store *store, const ag_id *run, ag_str owner,
                            ag_arena *arena, ag_err *err)
{
	const int64_t until = ag_clock_mono(ctx->clock) + WAIT_MS;
	ag_run_row row;
	ag_err why = { 0 };

	for (;;) {
		ag_status st = ag_store_lease(store, run, owner, ag_clock_wall(ctx->clock),
		                              LEASE_MS, &why);

		if (st != AG_CONFLICT) {
			if (st)
				*err = why;
			return st;
		}
		st = ag_store_find_run(store, ag_id_str(run), arena, &row, err);
		if (!st)
			st = ag_ctx_check(ctx, err);
		if (st)
			return st;
		if (ag_str_eqc(row.status, "running")) {
			ag_fail(err, AG_CONFLICT, ORIGIN, "run %s is still being written",
			        run->text);
			return ag_err_hint(err, "wait until it is done; if it was killed on "
			                        "another machine, a minute");
		}
		if (ag_clock_mono(ctx->clock) >= until) {
			*err = why;
			return AG_CONFLICT;
		}
		nap();
	}
}

/* --- writing --- */

/* What is committed; everything in it was read under the lease. */
typedef struct draft {
	ag_run_row run;
	ag_finding_row *rows;
	size_t nrow;
	ag_finding_row *row; /* one of them */
	ag_event ev;
	bool has_log; /* else the run was taken over from another system, and its rows are all there is */
	ag_str report;
} draft;

static ag_status read_draft(ag_store *store, const ag_id *run, const ag_id *finding, draft *d,
                            ag_arena *arena, ag_err *err)
{
	ag_event *events;
	size_t n;
	ag_status st = ag_store_find_run(store, ag_id_str(run), arena, &d->run, err);

	if (!st)
		st = ag_store_findings(store, run, arena, &d->rows, &d->nrow, err);
	if (!st)
		st = ag_store_events(store, run, 0, arena, &events, &n, err);
	if (st)
		return st;
	for (size_t i = 0; i < d->nrow && !d->row; i++)
		if (ag_str_eq(ag_id_str(&d->rows[i].id), ag_id_str(finding)))
			d->row = &d->rows[i];
	if (!d->row)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "run %s has no finding %s", run->text,
		               finding->text);
	d->has_log = n > 0;
	d->ev.seq = n ? events[n - 1].seq + 1 : 1;
	return AG_OK;
}

static ag_status write_word(const ag_ctx *ctx, ag_store *store, draft *d, const ag_review *word,
                            ag_arena *arena, ag_err *err)
{
	const int64_t now = ag_clock_wall(ctx->clock);
	ag_store_batch batch = { .events = &d->ev, .nevent = d->has_log, .nfinding = 1 };
	ag_str summary = AG_S("");
	ag_status st;

	if (word->decides && !ag_str_eqc(d->row->status, "pending_review")) {
		ag_fail(err, AG_CONFLICT, ORIGIN,
		        "finding %s does not wait for a review: it is %.*s", d->row->id.text,
		        AG_FMT(d->row->status));
		return ag_err_hint(err, "`argus rate` changes its label");
	}
	d->ev.v = AG_EVENT_VERSION;
	d->ev.run = d->run.id;
	d->ev.type = AG_EV_REVIEW;
	d->ev.at_ms = now;
	d->ev.payload = payload(d->row, word, now, arena);
	st = change_row(d->row, word, now, arena, err);
	if (!st && d->has_log)
		st = make_report(store, &d->run, &d->ev, arena, &d->report, &summary, err);
	else if (!st)
		st = change_report(store, &d->run, d->row, arena, &d->report, err);
	if (st)
		return st;
	batch.findings = d->row;
	batch.report = d->report;
	if (word->decides) {
		count_again(d->rows, d->nrow, &d->run);
		if (summary.len)
			d->run.summary = summary;
		batch.run = &d->run;
	}
	return ag_store_commit(store, &d->run.id, &batch, err);
}

ag_status ag_review_write(const ag_ctx *ctx, ag_store *store, const ag_id *run,
                          const ag_id *finding, const ag_review *word, ag_arena *arena,
                          ag_finding_row *ret, ag_err *err)
{
	const ag_str owner = ag_owner_new(ctx->clock, arena);
	ag_review w = *word;
	draft d = { 0 };
	ag_err ignored;
	ag_status st;

	w.by.len = w.by.len < AG_REVIEW_MAX_BY ? w.by.len : AG_REVIEW_MAX_BY;
	w.reason = ag_utf8_prefix(w.reason, AG_REVIEW_MAX_REASON);
	st = take_lease(ctx, store, run, owner, arena, err);
	if (st)
		return st;
	st = read_draft(store, run, finding, &d, arena, err);
	if (!st)
		st = write_word(ctx, store, &d, &w, arena, err);
	AG_IGNORE(ag_store_lease(store, run, owner, ag_clock_wall(ctx->clock), 0, &ignored),
	          "it ends by itself");
	if (!st)
		*ret = *d.row;
	return st;
}
