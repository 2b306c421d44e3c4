/* argus verify: run the evidence of a report again and say, per finding, what became of it. An answer of argus ask is looked
 * at in verify_answer.c. */
#include <unistd.h>

#include "app/file.h"
#include "ask/answer.h"
#include "audit/rows.h"
#include "base/path_near.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/verify_answer.h"
#include "query/extjson.h"
#include "report/human.h"

#define MAX_REPORT_BYTES (512u * 1024 * 1024)

static const ag_option options[] = {
	{ "source", 0, "URI", NULL, NULL, "of a report: check other data with the same evidence" },
	{ "root", 0, "DIR", NULL, NULL,
	  "of an answer: the project's folder (default: the answer's own)" },
	{ .setting = "output_format", .help = "text, json or silent" },
	{ .setting = "deadline" },
	{ .setting = "threads" },
	{ .setting = "store" },
};

/* --- where the report is --- */

static ag_status from_store(ag_cli *c, ag_str name, ag_str *ret, ag_err *err)
{
	ag_store *store;
	ag_status st = ag_app_store(&c->app, &store, err);

	if (st)
		return st;
	st = ag_app_report(&c->app, name, ret, err);
	/* INVALID: the name is not even the beginning of an id. */
	if (st == AG_NOT_FOUND || st == AG_INVALID) {
		ag_err why = *err;

		ag_fail(err, st, "cli.verify", "%.*s is no file, and in the store: %s",
		        AG_FMT(name), why.msg);
		ag_err_hint(err, "want a file, - for standard input, or a run of `argus runs`");
		return ag_path_near_hint(name, c->app.arena, err);
	}
	return st;
}

static ag_status load(ag_cli *c, ag_val *ret, ag_err *err)
{
	const ag_extjson_opts read = { .typed = true };
	ag_str name = c->args[0], text;
	ag_err why = { 0 };
	ag_status st;

	if (ag_str_eqc(name, "-") || !access(ag_str_cstr(c->app.arena, name), F_OK))
		st = ag_file_read(name, MAX_REPORT_BYTES, true, c->app.ctx.cancel, c->app.arena,
		                  &text, err);
	else
		st = from_store(c, name, &text, err);
	if (st)
		return st;
	if (ag_extjson_parse(text, &read, c->app.arena, ret, NULL, NULL, &why))
		return ag_fail(err, AG_INVALID, "cli.verify",
		               "%.*s is no audit report and no answer: %s", AG_FMT(name), why.msg);
	return AG_OK;
}

/* --- what is printed --- */

static const struct {
	ag_ink ink;
	ag_sign sign;
} looks[] = {
	[AG_CONFIRMED] = { AG_INK_PLAIN, AG_SIGN_GOOD },
	[AG_CHANGED] = { AG_INK_YELLOW, AG_SIGN_WARN },
	[AG_RESOLVED] = { AG_INK_GREEN, AG_SIGN_GOOD },
	[AG_NOT_CHECKABLE] = { AG_INK_RED, AG_SIGN_BAD },
	[AG_BACK] = { AG_INK_RED, AG_SIGN_BAD },
};

static ag_str counts_text(uint64_t was, uint64_t now, ag_arena *arena)
{
	return was == now ? ag_human_documents(now, arena)
	                  : ag_str_printf(arena, "%.*s, %.*s before",
	                                  AG_FMT(ag_human_documents(now, arena)),
	                                  AG_FMT(ag_human_count(was, arena)));
}

/* Parts are shown when their count is not the main one's story: it changed. */
static void text_parts(const ag_verified *f, ag_paint *p, ag_arena *arena)
{
	const size_t indent = 6;

	for (size_t i = 0; i < f->npart; i++) {
		const ag_verified_part *part = &f->parts[i];

		if (part->result == AG_CONFIRMED || part->result == AG_NOT_CHECKABLE)
			continue;
		ag_paint_to(p, indent);
		ag_paint_wrap(p, AG_INK_DIM, indent,
		              ag_str_printf(arena, "part %.*s %s: %.*s", AG_FMT(part->category),
		                            ag_check_result_name(part->result),
		                            AG_FMT(counts_text(part->was, part->now, arena))));
		ag_paint_nl(p);
	}
}

static void text_finding(const ag_verified *f, ag_paint *p, ag_arena *arena)
{
	size_t indent = 4;

	ag_paint_to(p, 2);
	ag_paint_sign(p, looks[f->result].ink, looks[f->result].sign);
	ag_paint_to(p, indent);
	ag_paint_textf(p, looks[f->result].ink, "%-13s", ag_check_result_name(f->result));
	ag_paint_lit(p, AG_INK_PLAIN, " ");
	ag_paint_wrap(p, AG_INK_BOLD, indent, f->field.len ? f->field : AG_S("whole documents"));
	ag_paint_wrap(p, AG_INK_DIM, indent, ag_str_printf(arena, ", %.*s: ", AG_FMT(f->category)));
	if (f->result == AG_NOT_CHECKABLE)
		ag_paint_wrap(p, AG_INK_PLAIN, indent, f->why);
	else if (f->result == AG_BACK)
		ag_paint_wrap(p, AG_INK_PLAIN, indent,
		              ag_str_printf(arena, "%.*s, resolved before",
		                            AG_FMT(ag_human_documents(f->now, arena))));
	else
		ag_paint_wrap(p, AG_INK_PLAIN, indent, counts_text(f->was, f->now, arena));
	ag_paint_nl(p);
	text_parts(f, p, arena);
}

static void text_one(const ag_verification *v, ag_paint *p, ag_arena *arena)
{
	const struct {
		size_t n;
		const char *what;
	} sums[] = { { v->nconfirmed, "confirmed" },
		     { v->nchanged, "changed" },
		     { v->nresolved, "resolved" },
		     { v->nnot_checkable, "not checkable" },
		     { v->nback, "resolved earlier and back" } };
	ag_buf sum = AG_BUF_INIT(256);

	for (size_t i = 0; i < AG_NELEM(sums); i++) {
		if (sums[i].n)
			ag_buf_addf(&sum, "%s%zu %s", sum.len ? ", " : "", sums[i].n, sums[i].what);
	}
	ag_paint_text(p, AG_INK_BOLD, v->collection);
	ag_paint_lit(p, AG_INK_BOLD, ": ");
	ag_paint_wrap(p, AG_INK_PLAIN, 2,
	              sum.len ? ag_buf_view(&sum) : AG_S("the report has no findings"));
	ag_paint_nl(p);
	ag_paint_to(p, 2);
	ag_paint_wrap(p, AG_INK_DIM, 2, v->source_uri);
	ag_paint_nl(p);
	if (v->other_data) {
		ag_paint_to(p, 2);
		ag_paint_wrap(p, AG_INK_YELLOW, 2,
		              ag_str_printf(arena,
		                            "The data is not what the report was made from: %.*s.",
		                            AG_FMT(v->other_data_why)));
		ag_paint_nl(p);
	}
	if (v->nfinding)
		ag_paint_nl(p);
	for (size_t i = 0; i < v->nfinding; i++)
		text_finding(&v->findings[i], p, arena);
	for (size_t i = 0; i < v->nearlier; i++)
		if (v->earlier[i].result != AG_RESOLVED)
			text_finding(&v->earlier[i], p, arena);
	ag_buf_release(&sum);
}

/* One object, or {"verifications":[…]} when the report was a {"reports":[…]}. */
static int print(ag_cli *c, const ag_verification *v, size_t n, bool many, int code)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	bool ok = true;
	ag_jw w;

	if (c->app.settings.output_format == AG_OUTPUT_TEXT) {
		for (size_t i = 0; i < n; i++) {
			if (i)
				ag_paint_nl(&p);
			text_one(&v[i], &p, c->app.arena);
		}
		return ag_cli_finish(c, &out, code);
	}
	if (c->app.settings.output_format == AG_OUTPUT_SILENT)
		return code;
	ag_jw_init(&w, &out, 2);
	if (many) {
		ag_jw_obj(&w);
		ag_jw_kkey(&w, "verifications");
		ag_jw_arr(&w);
	}
	for (size_t i = 0; i < n; i++)
		ag_audit_verification_json(&v[i], &w);
	if (many) {
		ag_jw_arr_end(&w);
		ag_jw_obj_end(&w);
	}
	ok = ag_cli_print_json(c, ag_buf_view(&out));
	ag_buf_release(&out);
	return ok ? code : AG_EXIT_FAILED;
}

static int run(ag_cli *c)
{
	ag_str source = ag_cli_value(c, "source");
	const ag_val *reports;
	ag_verification *v;
	ag_err err = { 0 };
	ag_status st = AG_OK;
	ag_val root;
	size_t n = 1, done = 0;
	bool is_more = false, is_unchecked = false;
	int code = AG_EXIT_OK;
	bool many;

	if (load(c, &root, &err))
		return ag_cli_fail(c, &err);
	if (ag_answer_is(&root) && ag_cli_has(c, "source"))
		ag_cli_complain(
			c, "--source: this is an answer, not a report: --root names its folder");
	else if (!ag_answer_is(&root) && ag_cli_has(c, "root"))
		ag_cli_complain(c,
		                "--root: this is a report, not an answer: --source names its data");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_answer_is(&root))
		return ag_cli_verify_answer(c, &root);
	reports = ag_val_getc(&root, "reports");
	many = reports && reports->type == AG_T_ARRAY;
	n = many ? reports->n : 1;
	if (!n) {
		ag_fail(&err, AG_INVALID, "cli.verify", "%.*s holds no report: every audit failed",
		        AG_FMT(c->args[0]));
		return ag_cli_fail(c, &err);
	}
	reports = many ? reports->u.items : &root;
	v = ag_new_n(c->app.arena, ag_verification, n ? n : 1);
	for (size_t i = 0; i < n && st != AG_CANCELLED && st != AG_TIMEOUT; i++) {
		ag_progress_line *line = ag_progress_start(c, AG_S("verify"));

		st = ag_audit_verify(&c->app.ctx, &reports[i], source, c->app.arena, &v[done],
		                     &err);
		ag_progress_stop(line);
		if (st)
			code = ag_cli_fail(c, &err);
		if (!st) {
			is_more |= v[done].is_more;
			is_unchecked |= v[done].is_unchecked;
			done++;
		}
	}
	/* What could not be checked may hide anything, so it comes before what is worse. */
	if (!code && (is_unchecked || is_more))
		code = is_unchecked ? AG_EXIT_FAILED : AG_EXIT_FINDINGS;
	if (done)
		code = print(c, v, done, many, code);
	return ag_signals_cancelled() ? AG_EXIT_CANCELLED : code;
}

const ag_command ag_cmd_verify = {
	.name = "verify",
	.summary = "Check a report or an answer again",
	.group = AG_GROUP_CHECK,
	.usage = "FILE [options]",
	.about =
		"FILE is a report of `argus audit --output json` or an answer of `argus ask`, - for standard "
		"input, a run's id or its beginning, or \"last\".\n\n"
		"Of a report the evidence is run again, with that of its parts: each finding is confirmed (the "
		"same counts), changed, resolved (no document is affected any more) or not checkable. A finding "
		"that the report lists as resolved must still be so; else it is back.\n\n"
		"Of an answer the calls, the citations and the source are compared with the project's files: "
		"each is confirmed, changed (what is cited is still there), gone, false (the answer contradicts "
		"itself or its files) or not checkable (the API is not asked again). Answers of other programs "
		"in the same form are checked as far as they say what they read.\n\n"
		"Exit code 0: everything is confirmed, resolved, or affects fewer documents. 3: a count of a "
		"finding or of a part rose, or a resolved finding is back; in an answer something changed, is gone "
		"or is false. 1: something could not be checked, or the command failed; 1 comes before 3. A "
		"search or a failed call in an answer's trace is never run again and does not count.",
	.examples = "argus verify last # has anything changed since?\n"
		    "argus verify report.json --source repaired.ndjson # did the repair help?\n"
		    "argus ask \"Which port?\" | argus verify - # is the answer's source true?",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1,
	.flags = AG_COMMAND_SILENT | AG_COMMAND_LOADS,
	.run = run,
};
