/* argus import: a CSV file as a table that a project can be asked about. The work is in app/import.c. */
#include "app/import.h"
#include "cli/past.h"
#include "report/human.h"

static const ag_option options[] = {
	{ "project", 'p', "ID", NULL, NULL,
	  "the project that sees it; one that is not there is made" },
	{ "table", 0, "NAME", NULL, NULL, "what the table is called; else the name of the file" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
	{ .setting = "deadline" },
	{ .setting = "threads" },
};

static int import_json(ag_cli *c, const ag_app_imported *to)
{
	const ag_import *r = &to->made;
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "project", to->project);
	ag_jw_kstr(&w, "table", r->table);
	ag_jw_kuint(&w, "rows", r->nrow);
	ag_jw_kuint(&w, "short_rows", r->short_rows);
	ag_jw_kbool(&w, "replaced", r->replaced);
	ag_jw_kkey(&w, "columns");
	ag_jw_arr(&w);
	for (size_t i = 0; i < r->ncolumn; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "name", r->columns[i].name);
		ag_jw_kstr(&w, "type", ag_str_c(r->columns[i].type));
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_kstr(&w, "file", to->path);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static void import_text(ag_cli *c, const ag_import *r)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_arena *arena = c->app.arena;

	ag_paint_textf(&p, AG_INK_BOLD, "%.*s", AG_FMT(r->table));
	ag_paint_textf(&p, AG_INK_PLAIN, ": %.*s row%s, %zu column%s%s",
	               AG_FMT(ag_human_count(r->nrow, arena)), r->nrow == 1 ? "" : "s", r->ncolumn,
	               r->ncolumn == 1 ? "" : "s",
	               r->replaced ? "; the table of that name was replaced" : "");
	ag_paint_nl(&p);
	for (size_t i = 0; i < r->ncolumn && i < 200; i++) {
		ag_paint_to(&p, 2);
		ag_paint_cut(&p, AG_INK_CYAN, 40, r->columns[i].name);
		ag_paint_to(&p, 44);
		ag_paint_lit(&p, AG_INK_DIM, r->columns[i].type);
		ag_paint_nl(&p);
	}
	AG_IGNORE(ag_cli_finish(c, &out, AG_EXIT_OK), "reported once");
}

static int run(ag_cli *c)
{
	ag_app_imported r = { 0 };
	ag_err err = { 0 };

	if (!ag_cli_has(c, "project"))
		ag_cli_complain(c, "which project? want --project ID");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_import(&c->app, c->args[0], ag_cli_value(c, "project"), ag_cli_value(c, "table"),
	                  &r, &err))
		return ag_cli_fail(c, &err);
	if (r.made.short_rows)
		ag_cli_warn(c,
		            "%.*s row%s had fewer cells than the header: the missing ones are null",
		            AG_FMT(ag_human_count(r.made.short_rows, c->app.arena)),
		            r.made.short_rows == 1 ? "" : "s");
	if (ag_cli_is_json(c))
		return import_json(c, &r);
	import_text(c, &r.made);
	if (!ag_str_eq(r.project, ag_cli_value(c, "project")))
		ag_cli_note(
			c,
			"Project %.*s has a database of its own, which Argus does not write to: the table is in "
			"project %.*s.",
			AG_FMT(ag_cli_value(c, "project")), AG_FMT(r.project));
	ag_cli_note(c, "Ask about it: argus chat --project %.*s", AG_FMT(r.project));
	return c->out_failed ? AG_EXIT_FAILED : AG_EXIT_OK;
}

const ag_command ag_cmd_import = {
	.name = "import",
	.summary = "Make a CSV file a table that a project can be asked about",
	.group = AG_GROUP_SET_UP,
	.usage = "FILE.csv --project ID [options]",
	.about =
		"The table goes into a SQLite file that Argus keeps beside its store, never into a database of yours. A "
		"project that is not there is made in the store; for one that has a database the table is in the project "
		"ID-files. A table of the same name is replaced. It is there whole or not at all: a line that cannot be "
		"read is an error with its number.\n\n"
		"Names become lower case, blanks and signs become \"_\", a name that begins with a digit gets \"col_\", and "
		"a second column of one name \"_2\". Types come from the cells: INTEGER, REAL, BOOLEAN (1 and 0), DATE, "
		"DATETIME, else TEXT; numbers with leading zeros stay text. Empty cells are null.",
	.examples = "argus import orders.csv --project shop # the table orders\n"
		    "argus import export-2026.csv -p shop --table sales # under another name\n"
		    "argus chat --project shop # then ask",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1,
	.flags = AG_COMMAND_LOADS,
	.run = run,
};
