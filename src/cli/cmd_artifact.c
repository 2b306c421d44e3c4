/* argus artifact: charts, pages and texts that conversations leave: look at them, take them along, change and remove them. */
#include "app/artifact_files.h"
#include "artifact/diff.h"
#include "base/utf8.h"
#include "cli/artifact_out.h"
#include "cli/artifact_show.h"
#include "cli/knowledge_args.h"
#include "cli/past.h"

#define COMMON      "project store output "
#define MAX_VERSION AG_ARTIFACT_MAX_VERSIONS
#define AROUND      3u /* lines of a diff that are shown around a change */

static const ag_option options[] = {
	AG_KNOW_PROJECT_OPTION,
	{ "search", 0, "TEXT", NULL, NULL, "list: titles that have this text" },
	{ "deleted", 0, NULL, NULL, NULL, "list: what is deleted and can still come back" },
	{ "version", 0, "N", NULL, NULL, "show, export, refresh: this version, not the newest" },
	{ "code", 0, NULL, NULL, NULL, "show: its code, as it is" },
	{ "query", 0, "NAME", NULL, NULL, "export: the data of this source query" },
	{ "all", 0, NULL, NULL, NULL, "export: every artifact with all its versions" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

/* --- looking --- */

static int list_artifacts(ag_cli *c, ag_know_session *s)
{
	const ag_artifact_list_opts o = { .search = ag_cli_value(c, "search"),
		                          .deleted = ag_cli_has(c, "deleted") };
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_artifact_listing list;
	ag_err err = { 0 };
	ag_jw w;

	if (ag_artifact_list(&s->place, &o, c->app.arena, &list, &err))
		return ag_cli_fail(c, &err);
	if (!ag_cli_is_json(c)) {
		for (size_t i = 0; i < list.n; i++)
			ag_artifact_show_line(&list.rows[i], c->app.arena, &p);
		if (!list.n)
			ag_cli_note(c,
			            o.deleted ? "nothing is deleted"
			                      : "there is no artifact; ask argus chat for a chart");
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "artifacts");
	ag_jw_arr(&w);
	for (size_t i = 0; i < list.n; i++)
		ag_artifact_row_json(&list.rows[i], &w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

/* The artifact of args[0], in the version of --version. False: *ret_code. */
static bool get(ag_cli *c, ag_know_session *s, ag_artifact *ret, int *ret_code)
{
	const uint64_t version = ag_cli_number(c, "version", 1, MAX_VERSION, 0);
	ag_err err = { 0 };

	*ret_code = AG_EXIT_USAGE;
	if (ag_cli_refused(c))
		return false;
	if (!ag_artifact_get(&s->place, c->args[0], version, c->app.arena, ret, &err))
		return true;
	*ret_code = ag_cli_fail(c, &err);
	return false;
}

static void results_json(const ag_artifact_result *list, size_t n, ag_arena *arena, ag_jw *w)
{
	ag_jw_kkey(w, "results");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_artifact_result_json(&list[i], arena, w);
	ag_jw_arr_end(w);
}

static bool has_failed(const ag_artifact_result *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i].error.len)
			return true;
	}
	return false;
}

static void show_history(ag_cli *c, ag_know_session *s, const ag_artifact *a, ag_paint *p)
{
	ag_artifact_version *list;
	ag_artifact_row row;
	size_t n;

	if (a->row.nversion < 2 ||
	    ag_artifact_history(&s->place, a->row.id, c->app.arena, &row, &list, &n, NULL))
		return;
	ag_paint_nl(p);
	for (size_t i = 0; i < n; i++) {
		ag_paint_textf(p, AG_INK_DIM, "v%llu  %.*s  ", (unsigned long long)list[i].version,
		               AG_FMT(ag_past_when(list[i].created_ms, c->app.arena)));
		ag_paint_cut(p, AG_INK_DIM, p->width > p->col + 10 ? p->width - p->col : 10,
		             list[i].title);
		ag_paint_nl(p);
	}
}

static int show(ag_cli *c, ag_know_session *s)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_artifact_result *list = NULL;
	ag_artifact a;
	size_t n = 0;
	ag_err err = { 0 };
	int code;
	ag_jw w;

	if (!get(c, s, &a, &code))
		return code;
	if (ag_cli_has(c, "code")) {
		ag_paint_escape(&out, a.version.code, c->term.utf8, true);
		ag_buf_addc(&out, '\n');
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	if (ag_artifact_query(&s->place, &a, NULL, c->app.arena, &list, &n, &err))
		return ag_cli_fail(c, &err);
	if (ag_cli_is_json(c)) {
		ag_jw_init(&w, &out, 2);
		ag_artifact_json(&a, &w);
		results_json(list, n, c->app.arena, &w);
		ag_jw_obj_end(&w);
		return ag_past_print_json(c, &out);
	}
	ag_artifact_show(&a, list, n, c->app.arena, &p);
	show_history(c, s, &a, &p);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int refresh(ag_cli *c, ag_know_session *s)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_artifact_result *list = NULL;
	ag_artifact a;
	size_t n = 0;
	ag_err err = { 0 };
	int code;
	ag_jw w;

	if (!get(c, s, &a, &code))
		return code;
	if (ag_artifact_query(&s->place, &a, NULL, c->app.arena, &list, &n, &err))
		return ag_cli_fail(c, &err);
	if (!n)
		ag_cli_note(c, "it has no source queries");
	code = has_failed(list, n) ? AG_EXIT_FAILED : AG_EXIT_OK;
	if (!ag_cli_is_json(c)) {
		ag_artifact_show_results(list, n, c->app.arena, &p);
		return ag_cli_finish(c, &out, code);
	}
	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	results_json(list, n, c->app.arena, &w);
	ag_jw_obj_end(&w);
	{
		const int printed = ag_past_print_json(c, &out);

		return printed == AG_EXIT_OK ? code : printed;
	}
}

/* --- diff --- */

static void paint_diff(const char *what, ag_str a, ag_str b, ag_arena *arena, ag_paint *p)
{
	ag_diff_line *lines;
	size_t n, shown_to = 0;

	if (ag_str_eq(a, b))
		return;
	n = ag_diff_lines(a, b, arena, &lines);
	ag_paint_lit(p, AG_INK_BOLD, what);
	ag_paint_nl(p);
	for (size_t i = 0; i < n; i++) {
		bool is_near = false;

		for (size_t k = i > AROUND ? i - AROUND : 0; k <= i + AROUND && k < n; k++)
			is_near |= lines[k].mark != ' ';
		if (!is_near)
			continue;
		if (i > shown_to) {
			ag_paint_lit(p, AG_INK_DIM, "...");
			ag_paint_nl(p);
		}
		shown_to = i + 1;
		ag_paint_textf(p,
		               lines[i].mark == '-'   ? AG_INK_RED
		               : lines[i].mark == '+' ? AG_INK_GREEN
		                                      : AG_INK_PLAIN,
		               "%c", lines[i].mark);
		ag_paint_text(p,
		              lines[i].mark == '-'   ? AG_INK_RED
		              : lines[i].mark == '+' ? AG_INK_GREEN
		                                     : AG_INK_PLAIN,
		              lines[i].text);
		ag_paint_nl(p);
	}
}

/* A version's number among the arguments. */
static uint64_t version_arg(ag_cli *c, size_t at, uint64_t fallback)
{
	uint64_t n = fallback;

	if (c->narg > at && (!ag_str_to_u64(c->args[at], &n) || !n || n > MAX_VERSION))
		ag_cli_complain(c, "diff: want the number of a version, got \"%.*s\"",
		                AG_FMT(ag_utf8_prefix(c->args[at], 40)));
	return n;
}

static int diff(ag_cli *c, ag_know_session *s)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	const uint64_t from = version_arg(c, 1, 0), to = version_arg(c, 2, 0);
	ag_artifact a, b;
	ag_err err = { 0 };

	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_artifact_get(&s->place, c->args[0], to, c->app.arena, &b, &err))
		return ag_cli_fail(c, &err);
	if (!from && b.version.version < 2) {
		ag_cli_note(c, "there is one version only");
		return AG_EXIT_OK;
	}
	if (ag_artifact_get(&s->place, c->args[0], from ? from : b.version.version - 1,
	                    c->app.arena, &a, &err))
		return ag_cli_fail(c, &err);
	paint_diff("title", a.version.title, b.version.title, c->app.arena, &p);
	paint_diff("description", a.version.description, b.version.description, c->app.arena, &p);
	paint_diff("code", a.version.code, b.version.code, c->app.arena, &p);
	paint_diff("data", a.version.data, b.version.data, c->app.arena, &p);
	paint_diff("source_queries", a.version.queries, b.version.queries, c->app.arena, &p);
	if (!out.len)
		ag_cli_note(c, "versions %llu and %llu are the same",
		            (unsigned long long)a.version.version,
		            (unsigned long long)b.version.version);
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

/* --- files --- */

static int export_all(ag_cli *c, ag_know_session *s)
{
	ag_artifact_set set;
	ag_err err = { 0 };

	if (ag_artifact_export(&s->place, c->app.arena, &set, &err) ||
	    ag_app_artifacts_write(c->args[0], &set, c->app.arena, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%zu artifacts with %zu versions in %.*s", set.n, set.nversion,
	            AG_FMT(c->args[0]));
	return AG_EXIT_OK;
}

static int export_one(ag_cli *c, ag_know_session *s)
{
	ag_artifact a;
	ag_err err = { 0 };
	int code;

	if (!get(c, s, &a, &code))
		return code;
	if (ag_artifact_out(c, &s->place, &a, c->args[1], ag_cli_value(c, "query"), &err))
		return ag_cli_fail(c, &err);
	return AG_EXIT_OK;
}

static int export(ag_cli *c, ag_know_session *s)
{
	const bool all = ag_cli_has(c, "all");

	if (c->narg != (all ? 1u : 2u))
		ag_cli_complain(c, all ? "export: want --all FOLDER|FILE.zip"
		                       : "export: want ID FILE, or --all FOLDER|FILE.zip");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	return all ? export_all(c, s) : export_one(c, s);
}

static int import(ag_cli *c, ag_know_session *s)
{
	ag_artifact_set set;
	uint64_t nadded = 0;
	ag_err err = { 0 };

	if (ag_app_artifacts_read(c->args[0], c->app.ctx.cancel, c->app.arena, &set, &err) ||
	    ag_artifact_import(&s->place, &set, c->app.arena, &nadded, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%zu artifacts; %llu versions added, %llu as before", set.n,
	            (unsigned long long)nadded, (unsigned long long)(set.nversion - nadded));
	return AG_EXIT_OK;
}

/* --- changing --- */

static int rename_artifact(ag_cli *c, ag_know_session *s)
{
	ag_artifact_row row;
	ag_err err = { 0 };

	if (ag_artifact_rename(&s->place, c->args[0], c->args[1], c->app.arena, &row, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "artifact %.18s is called \"%.*s\"", row.id.ptr,
	            AG_FMT(ag_utf8_prefix(row.title, 100)));
	return AG_EXIT_OK;
}

static int delete_artifact(ag_cli *c, ag_know_session *s)
{
	ag_artifact_row row;
	ag_err err = { 0 };

	if (ag_artifact_delete(&s->place, c->args[0], c->app.arena, &row, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(
		c,
		"artifact %.18s is deleted; for 30 days argus artifact undelete %.18s brings it "
		"back",
		row.id.ptr, row.id.ptr);
	return AG_EXIT_OK;
}

static int undelete_artifact(ag_cli *c, ag_know_session *s)
{
	ag_artifact_row row;
	ag_err err = { 0 };

	if (ag_artifact_undelete(&s->place, c->args[0], c->app.arena, &row, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "artifact %.18s is back: %.*s", row.id.ptr,
	            AG_FMT(ag_utf8_prefix(row.title, 100)));
	return AG_EXIT_OK;
}

/* --- the command --- */

static int in_session(ag_cli *c, int (*work)(ag_cli *c, ag_know_session *s))
{
	ag_know_session s = { 0 };
	ag_err err = { 0 };
	int code;

	if (ag_know_session_open(c, &s, &err))
		return ag_cli_fail(c, &err);
	code = work(c, &s);
	ag_know_session_close(&s);
	return code;
}

#define IN_SESSION(name, work)                \
	static int name(ag_cli *c)            \
	{                                     \
		return in_session(c, (work)); \
	}
IN_SESSION(do_list, list_artifacts)
IN_SESSION(do_show, show)
IN_SESSION(do_refresh, refresh)
IN_SESSION(do_diff, diff)
IN_SESSION(do_export, export)
IN_SESSION(do_import, import)
IN_SESSION(do_rename, rename_artifact)
IN_SESSION(do_delete, delete_artifact)
IN_SESSION(do_undelete, undelete_artifact)

static const ag_verb verbs[] = {
	{ "list", "", 0, 0, COMMON "search deleted", do_list },
	{ "show", "ID", 1, 1, COMMON "version code", do_show },
	{ "refresh", "ID", 1, 1, COMMON "version", do_refresh },
	{ "diff", "ID [FROM [TO]]", 1, 3, COMMON, do_diff },
	{ "export", "ID FILE", 1, 2, COMMON "version query all", do_export },
	{ "import", "PATH", 1, 1, COMMON, do_import },
	{ "rename", "ID TITLE", 2, 2, COMMON, do_rename },
	{ "delete", "ID", 1, 1, COMMON, do_delete },
	{ "undelete", "ID", 1, 1, COMMON, do_undelete },
};

static int run(ag_cli *c)
{
	return ag_cli_run_verb(c, verbs, AG_NELEM(verbs));
}

const ag_command ag_cmd_artifact = {
	.name = "artifact",
	.summary = "Look at charts, pages and texts that conversations left",
	.group = AG_GROUP_ASK,
	.usage =
		"list | show ID | refresh ID | diff ID [FROM [TO]] | export ID FILE | export --all PATH | "
		"import PATH | rename ID TITLE | delete ID | undelete ID [options]",
	.about =
		"`argus chat` saves a chart, page or text as an artifact when it is asked for one. An artifact is "
		"never changed: each change is a new version. An ID is that of any version, or its beginning, as "
		"`list` shows it.\n\n"
		"`show` draws one on the terminal: text as text, a Plotly chart and tables as tables with bars and lines, "
		"then its live data: its source queries run again, as the user who looks. Figures that no result of its "
		"conversation had are listed. `refresh` reads the live data alone; exit code 1 when a query failed. `diff` "
		"compares two versions line by line: the newest two, FROM and the newest, or FROM and TO.\n\n"
		"`export` writes a file by the end of its name: .html a page that loads and runs nothing (html, "
		"markdown and svg only), .csv and .json the data, any other the code; - is standard output. With --all it writes a "
		"folder, or a zip archive, of everything, which `import` reads: all of it or nothing. `import` takes an admin. "
		"`delete` keeps an artifact for 30 days, in which `undelete` brings it back; only its author or an admin may do so.",
	.examples = "argus artifact list --search revenue # titles with that word\n"
		    "argus artifact show 0190c3e2-7b1a # a chart on the terminal\n"
		    "argus artifact export 0190c3e2-7b1a revenue.csv # its data\n"
		    "argus artifact export --all artifacts.zip # take all of them along",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 4,
	.run = run,
};
