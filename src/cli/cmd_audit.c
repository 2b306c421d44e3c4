/* argus audit: every collection behind every source, one after another; reports as text or JSON.
 *
 * Everything that can be refused is refused before the first byte of data is read: options, the place of
 * --out, the store. A collection that fails does not hide the others: the exit code reports it at the end. */
#include "app/jobs.h"
#include "app/models.h"
#include "app/retention.h"
#include "audit/neighbours.h"
#include "base/log.h"
#include "cli/audit_jobs.h"
#include "cli/baseline_out.h"
#include "cli/cells_out.h"
#include "cli/past.h"
#include "cli/progress.h"
#include "cli/report_out.h"
#include "columns/csv.h"
#include "mongo/address.h"
#include "query/extjson.h"
#include "report/read.h"

#define MAX_SOURCES 1000

static const ag_option options[] = {
	AG_ACCOUNT_OPTIONS,
	{ "all", 0, NULL, NULL, NULL,
	  "instead of SOURCE: the documents of all projects, of argus.yaml and of the store" },
	{ "jobs", 'j', "N", NULL, NULL, "so many processes, a collection each at a time (1)" },
	{ "collections", 0, "NAME,...", NULL, NULL,
	  "of a folder or database only these; * and ? stand for others" },
	{ .setting = "deadline", .help = "then everything stops: a failed run" },
	{ .setting = "model" },
	{ .setting = "max_tokens" },
	{ .setting = "max_cost" },
	AG_RECORD_OPTIONS,
	AG_REPORT_OUT_OPTIONS,
	AG_BASELINE_OPTIONS,
	AG_CELLS_OPTIONS,
	{ .setting = "threads" },
	{ .setting = "store" },
};

typedef struct job {
	ag_cli *c;
	ag_arena *arena;
	ag_audit_opts opts;
	ag_store *store;
	bool remembered, wants_many; /* more than one source was given */
	ag_str *reports, *compared;  /* JSON, and what --baseline says of it, in order */
	const ag_val **parsed;
	size_t nreport, cap;
	struct {
		ag_str source, message;
	} failed[MAX_SOURCES]; /* sources and collections without a report */
	size_t nfailed;
	ag_baseline_use baseline;
	ag_cells_out cells;
	ag_source_skip *skipped; /* of all folders, in order */
	size_t nskipped;
	bool any_failed, cancelled, found; /* found: something at or above --fail-on */
} job;

static void fail_source(job *j, ag_str source, const ag_err *err)
{
	if (err->status == AG_CANCELLED)
		j->cancelled = true;
	j->any_failed = true;
	ag_cli_fail(j->c, err);
	if (j->nfailed < MAX_SOURCES) {
		j->failed[j->nfailed].source = source;
		j->failed[j->nfailed++].message = ag_str_dup(j->arena, ag_str_c(err->msg));
	}
}

static void keep(job *j, ag_str report, const ag_val *parsed, ag_str compared)
{
	if (j->nreport == j->cap) {
		size_t cap = j->cap ? j->cap * 2 : 16;
		ag_str *r = ag_new_n(j->arena, ag_str, cap), *t = ag_new_n(j->arena, ag_str, cap);
		const ag_val **p = ag_new_n(j->arena, const ag_val *, cap);

		for (size_t i = 0; i < j->nreport; i++) {
			r[i] = j->reports[i];
			t[i] = j->compared[i];
			p[i] = j->parsed[i];
		}
		j->reports = r;
		j->compared = t;
		j->parsed = p;
		j->cap = cap;
	}
	j->reports[j->nreport] = report;
	j->compared[j->nreport] = compared;
	j->parsed[j->nreport++] = parsed;
}

static void text_of(const job *j, size_t i, ag_buf *out)
{
	const ag_report_look look = ag_report_out_look(j->c, j->store);
	ag_str compared = j->compared[i];
	ag_paint p;

	ag_report_text(j->parsed[i], &look, out);
	if (!compared.len)
		return;
	ag_paint_init(&p, out, look.width, look.colour, look.utf8);
	ag_paint_nl(&p);
	while (compared.len) {
		ag_paint_to(&p, 2);
		ag_paint_wrap(&p, AG_INK_PLAIN, 4, ag_str_split(&compared, '\n'));
		ag_paint_nl(&p);
	}
}

/* While its source is open. */
static void take_cells(job *j, ag_source *s, const ag_val *report)
{
	ag_err err = { 0 };

	if (ag_cells_out_add(j->c, &j->cells, s, report, &err))
		fail_source(j, ag_source_info_of(s)->uri, &err);
}

static void take_result(job *j, ag_source *s, const ag_audit_result *r)
{
	const ag_source_info *info = ag_source_info_of(s);
	const ag_extjson_opts read = { .typed = true };
	int fail_on = j->c->app.settings.audit.fail_on;
	ag_val *v = ag_new(j->arena, ag_val);
	ag_baseline_result compared = { .json = r->report };
	ag_err err = { 0 };

	if (ag_str_eqc(r->run_result.status, "cancelled"))
		j->cancelled = true;
	/* A model that failed leaves a partial report; the error is printed. */
	if (ag_str_eqc(r->run_result.status, "failed") ||
	    (ag_str_eqc(r->run_result.status, "partial") && r->run_result.err.status)) {
		j->any_failed = true;
		err = r->run_result.err;
		if (!err.msg[0])
			ag_fail(&err, AG_INTERNAL, "cli.audit", "%.*s: the audit failed: %.*s",
			        AG_FMT(info->collection), AG_FMT(r->run_result.why));
		if (err.status != AG_CANCELLED)
			ag_cli_fail(j->c, &err);
	}
	/* What stopped for a reason that may pass goes on where it stopped. */
	if (j->remembered && (ag_str_eqc(r->run_result.status, "cancelled") ||
	                      (ag_str_eqc(r->run_result.status, "partial") && err.status)))
		ag_cli_note(j->c, "`argus resume %s` goes on where it stopped", r->run.text);
	if (!j->baseline.is_on && fail_on && ag_audit_reaches(r, (ag_severity)(fail_on - 1)))
		j->found = true;
	if (ag_extjson_parse(r->report, &read, j->arena, v, NULL, NULL, &err)) {
		fail_source(j, info->uri, &err);
		return;
	}
	if (j->baseline.is_on)
		ag_baseline_out_compare(j->c, &j->baseline, r->report, v, &compared);
	j->found = j->found || compared.reaches;
	keep(j, compared.json, v, compared.text);
	take_cells(j, s, v);
}

/* The log says what happened, never with which values: those are in the store. */
static void log_event(void *arg, const ag_event *ev)
{
	bool is_step = ev->type == AG_EV_PROPOSAL || ev->type == AG_EV_TOOL_INPUT ||
	               ev->type == AG_EV_TOOL_OUTPUT || ev->type == AG_EV_VERDICT;

	(void)arg;
	ag_log(is_step ? AG_LOG_DEBUG : AG_LOG_INFO, ag_event_type_text(ev->type),
	       "run %s, event %llu", ev->run.text, (unsigned long long)ev->seq);
}

static void audit_one(job *j, ag_source *s)
{
	const ag_source_info *info = ag_source_info_of(s);
	ag_progress_line *line = ag_progress_start(j->c, info->collection);
	ag_audit_result result = { 0 };
	ag_err err = { 0 };
	ag_status st;

	j->opts.meter = ag_app_meter(&j->c->app, j->arena); /* budgets are per run */
	st = ag_audit_run(&j->c->app.ctx,
	                  &(ag_audit_job){ .source = s,
	                                   .store = j->store,
	                                   .opts = &j->opts,
	                                   .make = ag_app_planner(&j->c->app),
	                                   .on_event = log_event },
	                  j->arena, &result, &err);

	ag_progress_stop(line);
	if (st)
		fail_source(j, ag_str_dup(j->arena, info->uri), &err);
	else
		take_result(j, s, &result);
}

/* Nothing could be read: the report says so, and a build must not take it for a clean one. */
static void fail_unread(job *j, const ag_source_info *info)
{
	ag_err err = { 0 };

	if (info->ndoc || !info->broken)
		return;
	ag_fail(&err, AG_INVALID, "cli.audit", "%.*s: no document could be read%s%.*s",
	        AG_FMT(info->uri), info->nissue ? ": " : "",
	        AG_FMT(info->nissue ? info->issues[0].what : AG_S("")));
	if (strstr(err.msg, "invalid UTF-8"))
		AG_IGNORE(ag_err_hint(&err, "%s", AG_CSV_HINT_UTF8), "told by the next call");
	j->any_failed = true;
	ag_cli_fail(j->c, &err);
}

static void retain(job *j)
{
	ag_str uri;

	if (j->remembered && !ag_app_store_uri(&j->c->app, &uri, NULL))
		ag_app_retain(&j->c->app, uri);
}

/* The run is listed from here on. A store that cannot take it, because its disk is full, is replaced by one in memory. A
 * store that was asked for is kept: a warning says that the run is listed later, and the run itself ends with the error
 * when the store still fails. */
static bool begin_early(job *j, const ag_source_place *place, ag_audit_early *ret)
{
	ag_err err = { 0 };
	ag_status st;

	if (!j->remembered)
		return false;
	st = ag_audit_begin(&j->c->app.ctx, j->store, place, NULL, j->arena, ret, &err);
	if ((st == AG_IO || st == AG_DENIED) &&
	    !ag_past_store_or_memory(j->c, true, &j->store, &err))
		j->remembered = ag_store_is_kept(j->store);
	else if (st)
		ag_cli_warn(j->c, "%s; this run is listed only after its data is read", err.msg);
	return !st;
}

static void audit_place(job *j, const ag_source_place *place)
{
	const ag_source_opts so = ag_app_source_opts(&j->c->app);
	ag_progress_line *line = ag_progress_start(j->c, place->uri);
	ag_audit_early early;
	const bool is_kept = begin_early(j, place, &early);
	ag_source *s = NULL;
	ag_err err = { 0 };
	ag_status st = ag_app_open_source(&j->c->app, place, &so, &j->opts.budget, &s, &err);

	ag_progress_stop(line);
	if (st) {
		if (is_kept)
			ag_audit_abandon(&j->c->app.ctx, j->store, &early, &err);
		fail_source(j, place->uri, &err);
		return;
	}
	j->opts.early = is_kept ? &early : NULL;
	audit_one(j, s);
	fail_unread(j, ag_source_info_of(s));
	ag_source_close(s);
}

static ag_severity skip_severity(const ag_source_skip *s)
{
	return s->is_data ? AG_MEDIUM : AG_LOW;
}

/* The previous run in the store knows nothing of skipped files, so nothing about them is new. */
static bool skip_counts(const job *j, const ag_source_skip *s)
{
	if (j->baseline.is_on)
		return j->baseline.file.nreport &&
		       skip_severity(s) >= ag_baseline_out_level(j->c) &&
		       !ag_baseline_skipped(&j->baseline.file, s->path);
	return j->c->app.settings.audit.fail_on &&
	       (int)skip_severity(s) >= j->c->app.settings.audit.fail_on - 1;
}

/* Files of a folder that nobody looks at: a build must hear of them. */
static void note_skipped(job *j, ag_str uri)
{
	ag_source_skip *list = NULL, *all;
	ag_err err = { 0 };
	size_t n = 0;

	if (ag_source_skipped(&j->c->app.ctx, uri, j->arena, &list, &n, &err)) {
		fail_source(j, ag_source_shown(uri, j->arena), &err);
		return;
	}
	if (!n)
		return;
	all = ag_new_n(j->arena, ag_source_skip, j->nskipped + n);
	if (j->nskipped)
		memcpy(all, j->skipped, j->nskipped * sizeof(*all));
	memcpy(all + j->nskipped, list, n * sizeof(*all));
	for (size_t i = 0; i < n; i++)
		j->found = j->found || skip_counts(j, &list[i]);
	j->skipped = all;
	j->nskipped += n;
	j->wants_many = true;
}

/* --collections: does the name fit one of the patterns? */
static bool is_named(ag_cli *c, ag_str collection)
{
	ag_str rest = ag_cli_value(c, "collections");
	bool fits = !ag_cli_has(c, "collections");

	while (rest.len && !fits)
		fits = ag_mongo_name_fits(ag_str_trim(ag_str_split(&rest, ',')), collection);
	return fits;
}

/* The places of these names. */
static ag_status keep_named(job *j, ag_str shown, ag_source_place *places, size_t *n, ag_err *err)
{
	const ag_str wanted = ag_cli_value(j->c, "collections");
	size_t kept = 0;

	if (!ag_cli_has(j->c, "collections"))
		return AG_OK;
	for (size_t i = 0; i < *n; i++) {
		if (is_named(j->c, places[i].collection))
			places[kept++] = places[i];
	}
	if (!kept) {
		ag_fail(err, AG_NOT_FOUND, "cli.audit", "%.*s: no collection fits %.*s",
		        AG_FMT(shown), AG_FMT(wanted));
		ag_err_hint(err, "it has %zu%s%.*s", *n, *n ? ", such as " : "",
		            AG_FMT(*n ? places[0].collection : AG_S("")));
		return AG_NOT_FOUND;
	}
	*n = kept;
	return AG_OK;
}

/* The collections of a folder one after another: the memory of one, and none hides the others. */
static void audit_uri(job *j, ag_str uri)
{
	const ag_str shown = ag_source_shown(uri, j->arena);
	ag_source_place *places = NULL, *all;
	ag_neighbours *neighbours;
	ag_err err = { 0 };
	size_t n = 0, nall;
	ag_status st = ag_source_list(&j->c->app.ctx, uri, j->arena, &places, &n, &err);

	all = ag_new_n(j->arena, ag_source_place, n + 1);
	for (nall = 0; !st && nall < n; nall++)
		all[nall] = places[nall];
	if (st || keep_named(j, shown, places, &n, &err)) {
		fail_source(j, shown, &err);
		return;
	}
	ag_log(AG_LOG_INFO, "source_listed", "%.*s: %zu collection%s", AG_FMT(shown), n,
	       n == 1 ? "" : "s");
	j->wants_many = j->wants_many || n > 1;
	/* Who names collections has left the others out. */
	if (!ag_cli_has(j->c, "collections"))
		note_skipped(j, uri);
	/* References are checked in all collections of the folder, whichever are audited. */
	j->opts.neighbours = neighbours = nall > 1 ? ag_neighbours_new(all, nall) : NULL;
	for (size_t i = 0; i < n && !j->cancelled; i++)
		audit_place(j, &places[i]);
	j->opts.neighbours = NULL;
	ag_past_warn_unread(j->c, neighbours);
	ag_neighbours_free(neighbours);
}

/* --- by several processes --- */

/* What the job that audited a collection has left. */
static void take_job(job *j, ag_store *store, const ag_job *made)
{
	const ag_str what = ag_job_shown(made->kind, made->payload, j->arena);
	const ag_extjson_opts read = { .typed = true };
	const bool is_left = made->state == AG_JOB_QUEUED || made->state == AG_JOB_RUNNING;
	const int fail_on = j->c->app.settings.audit.fail_on;
	ag_val *v = ag_new(j->arena, ag_val), result;
	ag_baseline_result compared = { 0 };
	ag_severity worst;
	ag_err err = { 0 };
	ag_status st;

	if (made->state == AG_JOB_DEAD || (is_left && !ag_signals_cancelled())) {
		ag_fail(&err, AG_INTERNAL, "cli.audit", "%.*s: %.*s", AG_FMT(what),
		        AG_FMT(is_left ? AG_S("its process has failed") : made->error));
		fail_source(j, what, &err);
	} else if (made->state != AG_JOB_DONE) {
		j->cancelled = true;
	}
	if (made->state != AG_JOB_DONE)
		return;
	st = ag_store_report(store, &made->run, j->arena, &compared.json, &err);
	if (!st)
		st = ag_extjson_parse(compared.json, &read, j->arena, v, NULL, NULL, &err);
	if (!st)
		st = ag_extjson_parse(made->result, &read, j->arena, &result, NULL, NULL, &err);
	if (st) {
		fail_source(j, what, &err);
		return;
	}
	for (int i = 0; i < 2 && fail_on && !j->baseline.is_on; i++)
		j->found = j->found ||
		           (ag_severity_parse(ag_val_member_str(&result, i ? "worst_gap" : "worst"),
		                              &worst) &&
		            worst >= (ag_severity)(fail_on - 1));
	if (j->baseline.is_on)
		ag_baseline_out_compare(j->c, &j->baseline, compared.json, v, &compared);
	j->found = j->found || compared.reaches;
	keep(j, compared.json, v, compared.text);
}

static ag_status audit_by_jobs(job *j, const ag_audit_uri *uris, size_t n, unsigned nprocess,
                               ag_err *err)
{
	ag_job *jobs = NULL;
	size_t njob = 0;
	ag_status st = ag_audit_jobs_run(j->c, uris, n, is_named, nprocess, &jobs, &njob, err);

	for (size_t i = 0; i < n && !st; i++) {
		if (!ag_cli_has(j->c, "collections"))
			note_skipped(j, uris[i].uri);
	}
	if (!st)
		st = ag_app_store(&j->c->app, &j->store, err);
	j->remembered = !st;
	j->wants_many = j->wants_many || njob > 1;
	for (size_t i = 0; i < njob && !st; i++)
		take_job(j, j->store, &jobs[i]);
	if (!st && j->cancelled && njob)
		ag_cli_note(j->c, "`argus worker --queue %.*s --drain` does what is left",
		            AG_FMT(jobs[0].queue));
	return st;
}

/* --- the end --- */

/* [{"path","reason","severity","next_step"}] */
static void skipped_json(const job *j, ag_jw *w)
{
	ag_jw_kkey(w, "skipped");
	ag_jw_arr(w);
	for (size_t i = 0; i < j->nskipped; i++) {
		const ag_source_skip *s = &j->skipped[i];

		ag_jw_obj(w);
		ag_jw_kstr(w, "path", s->path);
		ag_jw_kstr(w, "reason", ag_str_c(s->reason));
		ag_jw_kstr(w, "severity", ag_str_c(ag_severity_name(skip_severity(s))));
		ag_jw_kstr(w, "next_step", ag_str_c(s->next_step));
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

/* One report as it is; several as {"reports":[…],"failed":[{"source":…,"message":…}],"skipped":[…]}. */
static void json_of(const job *j, bool wants_many, ag_buf *out)
{
	ag_jw w;

	if (!wants_many) {
		if (j->nreport)
			ag_buf_add(out, j->reports[0]);
		return;
	}
	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "reports");
	ag_jw_arr(&w);
	for (size_t i = 0; i < j->nreport; i++)
		ag_jw_raw(&w, j->reports[i]);
	ag_jw_arr_end(&w);
	ag_jw_kkey(&w, "failed");
	ag_jw_arr(&w);
	for (size_t i = 0; i < j->nfailed; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "source", j->failed[i].source);
		ag_jw_kstr(&w, "message", j->failed[i].message);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	skipped_json(j, &w);
	ag_jw_obj_end(&w);
}

#define SHOWN_SKIPPED 20

static void skipped_text(job *j, ag_buf *out)
{
	const ag_report_look look = ag_report_out_look(j->c, j->store);
	ag_paint p;

	if (!j->nskipped)
		return;
	if (out->len)
		ag_buf_adds(out, "\n");
	ag_paint_init(&p, out, look.width, look.colour, look.utf8);
	ag_paint_textf(&p, AG_INK_YELLOW, "not checked: %zu entr%s of the folder", j->nskipped,
	               j->nskipped == 1 ? "y" : "ies");
	ag_paint_nl(&p);
	for (size_t i = 0; i < j->nskipped && i < SHOWN_SKIPPED; i++) {
		const ag_source_skip *s = &j->skipped[i];

		ag_paint_to(&p, 2);
		ag_paint_wrap(&p, AG_INK_PLAIN, 4,
		              ag_str_printf(j->arena, "%.*s (%s): %s; %s", AG_FMT(s->path),
		                            ag_severity_name(skip_severity(s)), s->reason,
		                            s->next_step));
		ag_paint_nl(&p);
	}
	if (j->nskipped > SHOWN_SKIPPED) {
		ag_paint_to(&p, 2);
		ag_paint_textf(&p, AG_INK_DIM, "and %zu more", j->nskipped - SHOWN_SKIPPED);
		ag_paint_nl(&p);
	}
}

/* One report, or a summary of all and then each of them. */
static void all_text(job *j, ag_buf *out)
{
	const ag_report_look look = ag_report_out_look(j->c, j->store);

	if (j->nreport > 1)
		ag_report_overview(j->parsed, j->nreport, &look, out);
	skipped_text(j, out);
	for (size_t i = 0; i < j->nreport; i++) {
		if (out->len)
			ag_buf_adds(out, "\n\n");
		text_of(j, i, out);
	}
}

/* In a format of another tool, which also says what failed. */
static void format_of(job *j, ag_buf *out)
{
	const ag_extjson_opts read = { .typed = true };
	ag_buf json = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_err err = { 0 };
	ag_val v;

	json_of(j, j->wants_many || !j->nreport, &json);
	if (json.failed) {
		out->failed = true;
	} else if (ag_extjson_parse(ag_buf_dup(j->arena, &json), &read, j->arena, &v, NULL, NULL,
	                            &err)) {
		ag_cli_fail(j->c, &err);
		j->any_failed = true;
	} else {
		ag_report_out_format(j->c, &v, out);
	}
	ag_buf_release(&json);
}

static void to_file(job *j, const ag_buf *out)
{
	ag_err err = { 0 };

	if (ag_report_out_write(j->c, out, &err)) {
		j->any_failed = true;
		ag_cli_fail(j->c, &err);
		return;
	}
	for (size_t i = 0; i < j->nreport && !j->c->quiet; i++)
		ag_cli_note(j->c, "%.*s", AG_FMT(ag_report_headline(j->parsed[i], j->arena)));
	ag_cli_note(j->c, "report written to %.*s", AG_FMT(ag_cli_value(j->c, "out")));
}

static void finish(job *j)
{
	bool is_file = ag_report_out_is_file(j->c);
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);

	if (ag_cli_is_json(j->c)) {
		json_of(j, j->wants_many, &out);
	} else if (ag_report_out_is_format(j->c)) {
		format_of(j, &out);
	} else if (j->c->app.settings.output_format == AG_OUTPUT_TEXT) {
		all_text(j, &out);
	}
	/* A format without findings may be empty. Its file is written, so that no older one is taken for it. */
	if (is_file && (out.len || (ag_report_out_is_format(j->c) && !j->any_failed)))
		to_file(j, &out);
	else if (ag_cli_is_json(j->c) && out.len && !ag_cli_print_json(j->c, ag_buf_view(&out)))
		j->any_failed = true;
	else if (!ag_cli_is_json(j->c) && out.len && !ag_cli_print(j->c, ag_buf_view(&out)))
		j->any_failed = true;
	ag_buf_release(&out);
}

static void write_cells(job *j)
{
	ag_err err = { 0 };

	if (ag_cells_out_write(j->c, &j->cells, &err)) {
		j->any_failed = true;
		ag_cli_fail(j->c, &err);
	}
	ag_cells_out_release(&j->cells);
}

/* A listing that fails is reported later, when it fails again. An I/O error may not fail again, so it is reported here. */
static ag_status keep_off_sources(ag_cli *c, const char *option, ag_str out, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; out.len && st != AG_IO && i < c->narg; i++) {
		ag_source_place *places = NULL;
		size_t n = 0;

		st = ag_source_list(&c->app.ctx, c->args[i], c->app.arena, &places, &n, err);
		for (size_t k = 0; !st && k < n; k++) {
			if (!ag_str_eq(places[k].key, out))
				continue;
			ag_report_out_refuse(c, option, places[k].uri);
			return AG_OK;
		}
	}
	return st == AG_IO ? st : AG_OK;
}

/* Who names a model and gets none must not take the report for its word. */
static void note_no_model(ag_cli *c)
{
	static const char *const flags[] = { "model", "max-tokens", "max-cost", "record",
		                             "replay" };

	for (size_t i = 0; i < AG_NELEM(flags) && !c->app.hub; i++) {
		if (ag_cli_has(c, flags[i])) {
			ag_cli_note(c, "--%s does nothing here: the builtin planner asks no model",
			            flags[i]);
			return;
		}
	}
}

/* What cannot be done by several processes, or is meant in two ways. */
static unsigned check_jobs(ag_cli *c)
{
	static const char *const alone[] = { "record", "replay", "cells", "repairs" };
	const unsigned n = (unsigned)ag_cli_number(c, "jobs", 1, 64, 1);

	if (ag_cli_has(c, "all") && c->narg)
		ag_cli_complain(c, "want either SOURCE or --all, not both");
	if (!ag_cli_has(c, "all") && !c->narg)
		ag_cli_complain(c, "argus audit: want SOURCE... or --all");
	for (size_t i = 0; i < AG_NELEM(alone) && n > 1; i++) {
		if (ag_cli_has(c, alone[i]))
			ag_cli_complain(c, "--%s needs one process: leave --jobs out", alone[i]);
	}
	for (size_t i = 0; i < c->narg && n > 1; i++) {
		if (ag_str_eqc(c->args[i], "-"))
			ag_cli_complain(c, "standard input needs one process: leave --jobs out");
	}
	return n;
}

/* The sources of the command line, or of the projects. */
static ag_status name_sources(ag_cli *c, ag_audit_uri **ret, size_t *nret, ag_err *err)
{
	ag_str *args;
	ag_status st;

	if (!ag_cli_has(c, "all")) {
		*ret = ag_new_n(c->app.arena, ag_audit_uri, c->narg);
		for (size_t i = 0; i < c->narg; i++)
			(*ret)[i] = (ag_audit_uri){ c->args[i], AG_S("") };
		*nret = c->narg;
		return AG_OK;
	}
	st = ag_audit_jobs_all(c, ret, nret, err);
	if (st)
		return st;
	args = ag_new_n(c->app.arena, ag_str, *nret);
	for (size_t i = 0; i < *nret; i++)
		args[i] = (*ret)[i].uri;
	c->args = args;
	c->narg = *nret;
	return AG_OK;
}

/* Exit code; -1 = go on. Everything that can be refused. */
static int refuse(ag_cli *c, ag_baseline_use *baseline)
{
	size_t nstdin = 0;
	ag_err err = { 0 };

	if (c->narg > MAX_SOURCES)
		ag_cli_complain(c, "at most %d sources", MAX_SOURCES);
	for (size_t i = 0; i < c->narg; i++)
		nstdin += ag_str_eqc(c->args[i], "-");
	if (nstdin > 1)
		ag_cli_complain(c, "- is given %zu times, but standard input can be read once",
		                nstdin);
	if (keep_off_sources(c, "out", ag_report_out_check(c), &err) ||
	    keep_off_sources(c, "cells", ag_cells_out_check(c, 0), &err) ||
	    keep_off_sources(c, "repairs", ag_cells_out_check(c, 1), &err))
		return ag_cli_fail(c, &err);
	err = (ag_err){ 0 };
	if (ag_baseline_out_open(c, baseline, &err))
		return ag_cli_fail(c, &err);
	return ag_cli_refused(c) ? AG_EXIT_USAGE : -1;
}

/* Exit code; -1 = all was audited, or tried to. */
static int audit_in_turn(job *j)
{
	ag_cli *c = j->c;
	ag_err err = { 0 };

	if (ag_app_open_models(&c->app, ag_cli_value(c, "record"), ag_cli_value(c, "replay"),
	                       &j->opts, &err))
		return ag_report_out_no_models(c, &err);
	note_no_model(c);
	ag_report_out_note_models(c);
	if (ag_past_store_or_memory(c, false, &j->store, &err))
		return ag_cli_fail(c, &err);
	j->remembered = ag_store_is_kept(j->store);
	for (size_t i = 0; i < c->narg && !j->cancelled; i++)
		audit_uri(j, c->args[i]);
	return -1;
}

static int run(ag_cli *c)
{
	const unsigned nprocess = check_jobs(c);
	ag_baseline_use baseline;
	ag_audit_uri *uris = NULL;
	size_t nuri = 0;
	ag_err err = { 0 };
	job *j;
	int code;

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (name_sources(c, &uris, &nuri, &err))
		return ag_cli_fail(c, &err);
	code = refuse(c, &baseline);
	if (code >= 0)
		return code;
	j = ag_new(c->app.arena, job);
	*j = (job){
		.c = c, .arena = c->app.arena, .wants_many = c->narg > 1, .baseline = baseline
	};
	ag_cells_out_init(&j->cells);
	ag_app_audit_opts(&c->app, j->arena, &j->opts);
	if (nprocess > 1 && audit_by_jobs(j, uris, nuri, nprocess, &err))
		return ag_cli_fail(c, &err);
	code = nprocess > 1 ? -1 : audit_in_turn(j);
	if (code >= 0)
		return code;
	finish(j);
	write_cells(j);
	if (!ag_report_out_recorded(c))
		j->any_failed = true;
	retain(j);
	return j->cancelled    ? AG_EXIT_CANCELLED
	       : j->any_failed ? AG_EXIT_FAILED
	       : j->found      ? AG_EXIT_FINDINGS
	                       : AG_EXIT_OK;
}

const ag_command ag_cmd_audit = {
	.name = "audit",
	.summary = "Look for data-quality problems in collections",
	.group = AG_GROUP_CHECK,
	.usage = "SOURCE... | --all [options]",
	.about =
		"SOURCE is a file (NDJSON, JSON, BSON, CSV, TSV), a folder, each of whose data files is a "
		"collection, - for standard input, or a MongoDB server: mongodb://host/database.collection, "
		"mongodb://host/database for all of it, or an account of Azure Cosmos DB: cosmos://ACCOUNT/database.collection, "
		"or -a ACCOUNT -d DATABASE -c COLLECTION.\n\n"
		"A problem is reported only after its evidence was run over the whole collection; the report "
		"carries that evidence. Nothing is ever written to a source. The run and its report are kept "
		"in the store: see `argus show` and `argus verify`.\n\n"
		"--baseline and --fail-on-new compare by the stable key of a finding: source, field and category. Only "
		"findings and gaps that were not there fail, at or above --fail-on (low without it); more documents of a "
		"known finding do not. --fail-on-new alone compares with the baseline that the page of `argus serve` keeps for the "
		"source, else with the previous run. Without anything to compare with, everything is new.\n\n"
		"--jobs makes several processes audit collections at the same time; each has its own memory. One that dies is replaced, and "
		"its run goes on where its log ends. `argus worker` does the same on other machines.\n\n"
		"JSON is one report, or {\"reports\":[...]} when several sources or a folder with several files "
		"were given, or when files of a folder were skipped.",
	.examples =
		"argus audit orders.ndjson # a report for people\n"
		"argus audit data/ --output json --out report.json # all collections of a folder\n"
		"argus audit orders.csv --fail-on high --quiet # for a build: exit 3 when it is bad\n"
		"zcat orders.ndjson.gz | argus audit - # data from another program\n"
		"argus audit mongodb://ann@db.example.org/shop --collections orders,customers # of a server\n"
		"argus audit orders.csv --baseline main.json --fail-on medium # only what is new fails the build\n"
		"argus audit --all --jobs 4 # the documents of all projects, four at a time\n"
		"argus audit orders.csv --planner both --max-cost 0.50 # all checks, then a model adds what it understands",
	.options = options,
	.noption = AG_NELEM(options),
	.agent = &ag_agent_audit,
	.max_args = 100000,
	.flags = AG_COMMAND_SILENT | AG_COMMAND_LOADS | AG_COMMAND_REPORTS,
	.run = run,
};
