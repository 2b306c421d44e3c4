/* argus repair: the certain repairs of an audit as a script for mongosh or SQL, or as a corrected copy of a CSV file. What it
 * prints is never applied: a source is only read. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/file.h"
#include "base/path_near.h"
#include "cli/cli.h"
#include "cli/past.h"
#include "cli/progress.h"
#include "query/extjson.h"
#include "repair/script.h"
#include "report/human.h"

#define MAX_REPORT_BYTES (512u * 1024 * 1024)
#define PEEK_BYTES       4096 /* a report says what it is in its first lines */

static const ag_option options[] = {
	{ "as", 0, "FORMAT", NULL, NULL,
	  "mongosh, sql, csv, or NDJSON: repairs, cells (default: csv of a CSV file, else mongosh)",
	  "mongosh sql csv repairs cells" },
	{ "key", 0, "FIELD,...", NULL, NULL,
	  "mongosh, sql: the fields that find a document again (default: _id, or the field that is a key)" },
	{ "table", 0, "NAME", NULL, NULL, "sql: the table (default: the name of the collection)" },
	{ "flatten", 0, "TEXT", NULL, NULL,
	  "sql: nested fields are columns; TEXT (_ or .) joins their names" },
	{ "source", 0, "URI", NULL, NULL, "of a run or report: its data is here now" },
	{ "changed", 0, NULL, NULL, NULL,
	  "of a run or report: its data may have changed since; what the evidence finds now is repaired" },
	{ "out", 0, "FILE", NULL, NULL,
	  "write it to a file, whole or not at all; - is standard output" },
	{ .setting = "deadline" },
	{ .setting = "threads" },
	AG_PAST_STORE_OPTION,
};

typedef enum form { FORM_AUTO, FORM_MONGOSH, FORM_SQL, FORM_CSV, FORM_REPAIRS, FORM_CELLS } form;

static const char *const forms[] = { "", "mongosh", "sql", "csv", "repairs", "cells" };

typedef struct job {
	ag_cli *c;
	form as, last; /* last: of the source before */
	ag_str keys[AG_MEND_MAX_KEYS];
	size_t nkey;
	ag_str out_real; /* canonical path of the file that --out replaces, "" = none */
	ag_buf out;
	bool has_escapes; /* its texts are JSON strings */
	size_t nsource;
} job;

/* --- one source --- */

static void note(void *arg, const char *line)
{
	ag_cli_warn(((const job *)arg)->c, "not repaired: %s", line);
}

static ag_status write_csv(job *j, ag_source *s, const ag_mends *m, ag_script *ret, ag_err *err)
{
	const ag_source_info *info = ag_source_info_of(s);
	const ag_csv_change *changes;
	size_t n;

	ag_script_csv(m, s, j->c->app.arena, &changes, &n, ret);
	return ag_csv_copy(&j->c->app.ctx,
	                   &(ag_csv_original){ ag_str_cstr(j->c->app.arena, info->key),
	                                       ag_str_eqc(info->format, "tsv"), info->nbyte,
	                                       info->mtime_ms },
	                   changes, n, &j->out, err);
}

/* As `argus audit --cells` and --repairs write them. */
typedef struct listing {
	job *j;
	const ag_source_info *info;
	form as;
} listing;

static ag_status add_line(void *arg, const ag_cell *cell, ag_err *err)
{
	const listing *l = (const listing *)arg;

	(l->as == FORM_CELLS ? ag_cell_write : ag_repair_write)(cell, l->info, &l->j->out);
	return l->j->out.failed
	               ? ag_fail(err, AG_LIMIT, "cli.repair", "the lines take more than 1 GiB")
	               : AG_OK;
}

static void note_line(void *arg, const char *line)
{
	ag_cli_warn(((const listing *)arg)->j->c, "its cells cannot be listed: %s", line);
}

static ag_status write_lines(job *j, ag_source *s, const ag_val *report, form as, ag_err *err)
{
	listing l = { j, ag_source_info_of(s), as };
	const ag_cells cells = { .source = s,
		                 .report = report,
		                 .wants_repairs = as == FORM_REPAIRS,
		                 .fn = add_line,
		                 .arg = &l,
		                 .note = note_line };

	return ag_cells_each(&j->c->app.ctx, &cells, err);
}

static void say_counts(const job *j, const ag_mends *m, const ag_script *r)
{
	ag_arena *a = j->c->app.arena;

	ag_cli_note(j->c, "%.*s: %.*s values in %.*s, of %.*s flagged cells",
	            AG_FMT(m->info->collection), AG_FMT(ag_human_count(r->nvalue, a)),
	            AG_FMT(ag_human_documents(r->ndocument, a)),
	            AG_FMT(ag_human_count(m->ncell, a)));
	if (m->ndisagree)
		ag_cli_note(j->c, "left out: %.*s cells on whose value findings disagree",
		            AG_FMT(ag_human_count(m->ndisagree, a)));
	if (m->nkeyless)
		ag_cli_note(j->c,
		            "left out: %.*s values of documents that %.*s does not find alone",
		            AG_FMT(ag_human_count(m->nkeyless, a)), AG_FMT(m->keys[0]));
	if (r->nleft_out)
		ag_cli_note(j->c, "left out: %.*s values: %s",
		            AG_FMT(ag_human_count(r->nleft_out, a)), r->why);
}

/* Only a CSV file has a copy, and its values have other types in a database of documents. */
static ag_status form_of(job *j, const ag_source_info *info, form *ret, ag_err *err)
{
	const bool is_csv = ag_str_eqc(info->format, "csv") || ag_str_eqc(info->format, "tsv");

	*ret = j->as ? j->as : is_csv ? FORM_CSV : FORM_MONGOSH;
	if (*ret == FORM_CSV && !is_csv)
		return ag_fail(err, AG_INVALID, "cli.repair",
		               "%.*s is no CSV file: want --as mongosh or --as sql",
		               AG_FMT(info->uri));
	if (*ret == FORM_MONGOSH && is_csv)
		return ag_fail(err, AG_INVALID, "cli.repair",
		               "%.*s is a CSV file, whose values have no types: want --as csv or "
		               "--as sql",
		               AG_FMT(info->uri));
	if (j->nsource && *ret != j->last)
		return ag_fail(
			err, AG_INVALID, "cli.repair",
			"%.*s has another form of repairs than the source before it; name one "
			"source at a time, or --as",
			AG_FMT(info->uri));
	if (*ret == FORM_CSV && j->nsource)
		return ag_fail(err, AG_INVALID, "cli.repair",
		               "%.*s: a copy holds one file; name one source at a time",
		               AG_FMT(info->uri));
	j->last = *ret;
	return AG_OK;
}

static ag_status write_source(job *j, ag_source *s, const ag_val *report, ag_err *err)
{
	const ag_source_info *info = ag_source_info_of(s);
	ag_mend_opts opts = { .keys = j->keys, .nkey = j->nkey, .note = note, .note_arg = j };
	ag_mends mends;
	ag_script r = { .why = "" };
	form as;
	ag_status st;

	st = form_of(j, info, &as, err);
	if (st)
		return st;
	if (j->out_real.len && ag_str_eq(j->out_real, info->key))
		return ag_fail(err, AG_INVALID, "cli.repair",
		               "--out: %.*s is the source; choose another place",
		               AG_FMT(info->uri));
	j->has_escapes = as == FORM_MONGOSH || as >= FORM_REPAIRS;
	if (as >= FORM_REPAIRS)
		return write_lines(j, s, report, as, err);
	opts.needs_key = as != FORM_CSV;
	st = ag_mends_collect(&j->c->app.ctx, s, report, &opts, j->c->app.arena, &mends, err);
	if (st)
		return st;
	if (as == FORM_MONGOSH)
		ag_script_mongosh(&mends, &j->out, &r);
	else if (as == FORM_SQL)
		ag_script_sql(&mends, ag_cli_value(j->c, "table"), ag_cli_value(j->c, "flatten"),
		              j->c->app.arena, &j->out, &r);
	else
		st = write_csv(j, s, &mends, &r, err);
	if (st)
		return st;
	j->nsource++;
	say_counts(j, &mends, &r);
	return AG_OK;
}

/* --- a report --- */

static ag_status repair_report(job *j, const ag_val *report, ag_err *err)
{
	ag_progress_line *line = ag_progress_start(j->c, ag_val_member_str(report, "collection"));
	ag_source *s = NULL;
	ag_str why;
	ag_status st;

	st = ag_audit_open_reported(&j->c->app.ctx, report, ag_cli_value(j->c, "source"),
	                            j->c->app.arena, &s, err);
	if (!st && !ag_cli_has(j->c, "changed") &&
	    ag_audit_is_other_data(report, ag_source_info_of(s), j->c->app.arena, &why)) {
		st = ag_fail(err, AG_CONFLICT, "cli.repair",
		             "%.*s is not what the run audited: %.*s",
		             AG_FMT(ag_source_info_of(s)->uri), AG_FMT(why));
		ag_err_hint(err, "audit it again, or give --changed to repair what the evidence "
		                 "finds now");
	}
	if (!st)
		st = write_source(j, s, report, err);
	ag_progress_stop(line);
	ag_source_close(s);
	return st;
}

static ag_status repair_text(job *j, ag_str name, ag_str text, ag_err *err)
{
	const ag_extjson_opts read = { .typed = true };
	const ag_val *list;
	ag_err why = { 0 };
	ag_status st = AG_OK;
	ag_val root;

	if (ag_extjson_parse(text, &read, j->c->app.arena, &root, NULL, NULL, &why) ||
	    root.type != AG_T_OBJECT)
		return ag_fail(err, AG_INVALID, "cli.repair", "%.*s is no audit report: %s",
		               AG_FMT(name), why.msg[0] ? why.msg : "it is no object");
	list = ag_val_getc(&root, "reports");
	if (!list && !ag_val_getc(&root, "findings"))
		return ag_fail(err, AG_INVALID, "cli.repair",
		               "%.*s is no audit report: \"findings\" is missing", AG_FMT(name));
	if (!list)
		return repair_report(j, &root, err);
	for (uint32_t i = 0; !st && list->type == AG_T_ARRAY && i < list->n; i++)
		st = repair_report(j, &list->u.items[i], err);
	return st;
}

/* --- a data file --- */

/* Without a model and without a trace in the store. */
static ag_status repair_place(job *j, const ag_source_place *place, ag_store *store, ag_err *err)
{
	ag_cli *c = j->c;
	const ag_extjson_opts read = { .typed = true };
	const ag_source_opts so = { .strict = false };
	ag_progress_line *line = ag_progress_start(c, place->collection);
	ag_audit_result result = { 0 };
	ag_source *s = NULL;
	ag_audit_opts opts;
	ag_status st;
	ag_val report;

	ag_app_audit_opts(&c->app, c->app.arena, &opts);
	opts.planner = 0;
	opts.eval_profile = AG_PROFILE_FAST;
	for (size_t g = 0; g < AG_NGATE; g++)
		opts.evaluators[g] = AG_EVAL_PROFILE;
	st = ag_app_open_source(&c->app, place, &so, &opts.budget, &s, err);
	if (!st)
		st = ag_audit_run(&c->app.ctx,
		                  &(ag_audit_job){ .source = s,
		                                   .store = store,
		                                   .opts = &opts,
		                                   .make = ag_planner_builtin_make },
		                  c->app.arena, &result, err);
	if (!st && !ag_str_eqc(result.run_result.status, "ok")) {
		*err = result.run_result.err;
		st = err->status ? err->status
		                 : ag_fail(err, AG_INTERNAL, "cli.repair",
		                           "%.*s: the audit ended: %.*s", AG_FMT(place->uri),
		                           AG_FMT(result.run_result.why));
	}
	if (!st)
		st = ag_extjson_parse(result.report, &read, c->app.arena, &report, NULL, NULL, err);
	if (!st)
		st = write_source(j, s, &report, err);
	ag_progress_stop(line);
	ag_source_close(s);
	return st;
}

static ag_status repair_data(job *j, ag_str uri, ag_err *err)
{
	ag_source_place *places = NULL;
	ag_store *store = NULL;
	size_t n = 0;
	ag_status st = ag_source_list(&j->c->app.ctx, uri, j->c->app.arena, &places, &n, err);

	if (!st)
		st = ag_store_open(AG_S("memory:"), &store, err);
	for (size_t i = 0; !st && i < n; i++)
		st = repair_place(j, &places[i], store, err);
	ag_store_close(store);
	return st;
}

/* --- which of them an argument is --- */

/* A report begins with an object that says when it was run, or with the list of reports of several collections. */
static bool is_report_file(ag_cli *c, ag_str name)
{
	const char *path = ag_str_cstr(c->app.arena, name);
	char head[PEEK_BYTES];
	struct stat sb;
	ag_str text;
	size_t n;
	FILE *f;

	if (stat(path, &sb) || !S_ISREG(sb.st_mode) || !(f = fopen(path, "rb")))
		return false;
	n = fread(head, 1, sizeof(head), f);
	fclose(f);
	text = ag_str_trim(ag_str_make(head, n));
	if (!ag_str_starts(text, AG_S("{")))
		return false;
	return ag_str_starts(ag_str_trim(ag_str_make(text.ptr + 1, text.len - 1)),
	                     AG_S("\"reports\"")) ||
	       (ag_str_contains(text, AG_S("\"run_at\"")) &&
	        ag_str_contains(text, AG_S("\"collection_size\"")));
}

static ag_status repair_argument(job *j, ag_str name, ag_err *err)
{
	ag_app *app = &j->c->app;
	ag_str text;
	ag_status st;

	if (ag_str_eqc(name, "-") ||
	    (!access(ag_str_cstr(app->arena, name), F_OK) && is_report_file(j->c, name))) {
		st = ag_file_read(name, MAX_REPORT_BYTES, true, app->ctx.cancel, app->arena, &text,
		                  err);
		return st ? st : repair_text(j, name, text, err);
	}
	if (!access(ag_str_cstr(app->arena, name), F_OK) || ag_source_scheme(name).len)
		return repair_data(j, name, err);
	st = ag_app_report(app, name, &text, err);
	if (st == AG_NOT_FOUND || st == AG_INVALID) {
		ag_err why = *err;

		ag_fail(err, st, "cli.repair", "%.*s is no file, and in the store: %s",
		        AG_FMT(name), why.msg);
		ag_err_hint(err, "want a data file, a report, or a run of `argus runs`");
		return ag_path_near_hint(name, app->arena, err);
	}
	return st ? st : repair_text(j, name, text, err);
}

/* --- the command --- */

static void read_options(job *j)
{
	ag_cli *c = j->c;
	ag_str keys = ag_cli_value(c, "key"), as = ag_cli_value(c, "as");
	ag_err err = { 0 };
	char *real;

	while (as.len && j->as < FORM_CELLS && !ag_str_eqc(as, forms[j->as]))
		j->as++;
	if (as.len && !ag_str_eqc(as, forms[j->as]))
		ag_cli_complain(c, "--as: want mongosh, sql, csv, repairs or cells, not \"%.*s\"",
		                (int)(as.len < 60 ? as.len : 60), as.ptr);
	if (ag_cli_has(c, "key") && !keys.len)
		ag_cli_complain(c, "--key: want the name of a field");
	while (keys.len) {
		const ag_str key = ag_str_split(&keys, ',');

		if (!key.len || j->nkey == AG_MEND_MAX_KEYS) {
			ag_cli_complain(c, "--key: want 1 to %d names with commas between",
			                AG_MEND_MAX_KEYS);
			break;
		}
		j->keys[j->nkey++] = key;
	}
	if (ag_cli_has(c, "key") && j->as >= FORM_CSV)
		ag_cli_complain(c, "--key goes with mongosh and sql");
	if ((ag_cli_has(c, "table") || ag_cli_has(c, "flatten")) && j->as != FORM_SQL)
		ag_cli_complain(c, "--table and --flatten go with --as sql");
	if (!ag_cli_has(c, "out") || ag_str_eqc(ag_cli_value(c, "out"), "-"))
		return;
	if (ag_file_can_replace(ag_cli_value(c, "out"), &err))
		ag_cli_complain(c, "--out: %s", err.msg);
	real = realpath(ag_str_cstr(c->app.arena, ag_cli_value(c, "out")), NULL);
	if (real)
		j->out_real = ag_str_dup(c->app.arena, ag_str_c(real));
	free(real);
}

/* In a script for mongosh and in NDJSON what would steer a terminal has an escape; in SQL and CSV it is what it is. */
static ag_status print(job *j, ag_err *err)
{
	ag_cli *c = j->c;
	ag_buf safe = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	const bool is_file = ag_cli_has(c, "out") && !ag_str_eqc(ag_cli_value(c, "out"), "-");
	ag_status st = AG_OK;
	ag_str text;

	ag_paint_escape(&safe, ag_buf_view(&j->out), true, true);
	text = ag_buf_view(j->has_escapes ? &safe : &j->out);
	if (j->out.failed || (j->has_escapes && safe.failed)) {
		st = ag_fail(err, AG_LIMIT, "cli.repair", "the output is larger than 1 GiB");
	} else if (is_file) {
		st = ag_file_replace(ag_cli_value(c, "out"), text, err);
		if (!st)
			ag_cli_note(c, "written to %.*s", AG_FMT(ag_cli_value(c, "out")));
	} else if (c->term.out_is_tty && !ag_str_eq(ag_buf_view(&safe), text)) {
		st = ag_fail(err, AG_INVALID, "cli.repair",
		             "it holds control characters, which would steer the terminal");
		ag_err_hint(err, "write it to a file: --out FILE");
	} else if (!ag_cli_print(c, text)) {
		st = AG_IO; /* it is printed already */
	}
	ag_buf_release(&safe);
	return st;
}

static int run(ag_cli *c)
{
	job j = { .c = c, .out = AG_BUF_INIT(AG_LIMIT_OUTPUT) };
	ag_err err = { 0 };
	ag_status st = AG_OK;
	int code = AG_EXIT_OK;

	read_options(&j);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	for (size_t i = 0; !st && i < c->narg; i++)
		st = repair_argument(&j, c->args[i], &err);
	if (!st)
		st = print(&j, &err);
	if (st)
		code = err.status ? ag_cli_fail(c, &err) : AG_EXIT_FAILED;
	ag_buf_release(&j.out);
	return ag_signals_cancelled() ? AG_EXIT_CANCELLED : code;
}

const ag_command ag_cmd_repair = {
	.name = "repair",
	.summary = "Print the certain repairs of an audit as a script or a copy",
	.group = AG_GROUP_CHECK,
	.usage = "RUN|REPORT|SOURCE... [options]",
	.about =
		"RUN is an id of `argus runs`, the beginning of one, or \"last\"; REPORT a report of `argus audit "
		"--output json`, - for standard input; SOURCE a data file or a folder, which is audited first, without "
		"a model.\n\n"
		"mongosh is a script of updates, each with a filter on the key and on the old values; sql is one "
		"UPDATE for each row with the same conditions, in a transaction; csv is a copy of the file, byte for "
		"byte the same outside of the repaired cells; repairs and cells are the lines of `argus audit --repairs` and --cells. A source is never written: look at the output, then apply "
		"it yourself.\n\n"
		"Only values that are certain are repaired: see docs/guide/repair.md. What is left out is counted on "
		"standard error. The source is read again; when it is not what the run audited, nothing is printed.",
	.examples = "argus repair last > repairs.js # then: mongosh DATABASE repairs.js\n"
		    "argus repair customers.csv --out customers.repaired.csv\n"
		    "argus repair last --as sql --table customers --key customer_no > repairs.sql",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1000,
	.flags = AG_COMMAND_LOADS,
	.run = run,
};
