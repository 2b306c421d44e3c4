/* argus knowledge: what a project knows: entries, notes on tables, verified metrics, golden questions. Learnings have further
 * verbs of their own: argus learnings. */
#include "analyst/schema.h"
#include "app/file.h"
#include "app/knowledge_files.h"
#include "base/utf8.h"
#include "cli/knowledge_args.h"
#include "cli/past.h"

#define COMMON     "project store output "
#define FOUND      20u
#define FILE_BYTES (1u << 20)

static const ag_option options[] = {
	AG_KNOW_PROJECT_OPTION,
	{ "file", 0, "FILE", NULL, NULL,
	  "add, edit: the text is in this file; - is standard input" },
	{ "no-check", 0, NULL, NULL, NULL,
	  "add, edit, import: do not let the database look at the SQL of a metric" },
	{ "comments", 0, NULL, NULL, NULL,
	  "import: what the database itself says about its tables and columns" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

static int64_t now(const ag_cli *c)
{
	return ag_clock_wall(c->app.ctx.clock);
}

/* --- looking --- */

static int print_list(ag_cli *c, const ag_know *list, size_t n, bool with_kind)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_jw w;

	if (!ag_cli_is_json(c)) {
		for (size_t i = 0; i < n; i++)
			ag_know_show_line(&list[i], now(c), with_kind, &p);
		if (!n)
			ag_cli_note(c, "there is nothing; `argus knowledge add` writes it down");
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "knowledge");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		ag_know_show_json(&list[i], now(c), c->app.arena, &w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static int list_objects(ag_cli *c, ag_know_session *s)
{
	ag_know_kind kind = AG_KNOW_NKIND;
	ag_know *list;
	ag_err err = { 0 };
	size_t n;

	if (c->narg && !ag_know_arg_kind(c, c->args[0], &kind) && ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_know_list(&s->place, kind, c->app.arena, &list, &n, &err))
		return ag_cli_fail(c, &err);
	return print_list(c, list, n, kind == AG_KNOW_NKIND);
}

static int search(ag_cli *c, ag_know_session *s)
{
	ag_buf query = AG_BUF_INIT(AG_STORE_MAX_TEXT_BYTES);
	ag_know *list;
	ag_err err = { 0 };
	size_t n;
	int code;

	for (size_t i = 0; i < c->narg; i++)
		ag_buf_addf(&query, "%s%.*s", i ? " " : "", AG_FMT(c->args[i]));
	if (ag_know_find_text(&s->place, ag_buf_view(&query), FOUND, c->app.arena, &list, &n, &err))
		code = ag_cli_fail(c, &err);
	else
		code = print_list(c, list, n, true);
	ag_buf_release(&query);
	return code;
}

static int show(ag_cli *c, ag_know_session *s)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_know_kind kind;
	ag_know o;
	ag_err err = { 0 };
	ag_jw w;

	if (!ag_know_arg_kind(c, c->args[0], &kind) && ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_know_get(&s->place, kind, c->args[1], c->app.arena, &o, &err))
		return ag_cli_fail(c, &err);
	if (!ag_cli_is_json(c)) {
		ag_know_show_text(&o, now(c), &p);
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	ag_jw_init(&w, &out, 2);
	ag_know_show_json(&o, now(c), c->app.arena, &w);
	return ag_past_print_json(c, &out);
}

/* --- changing --- */

/* --file is the text of the object: of its field that is one. */
static ag_status take_file(ag_cli *c, ag_know_kind kind, ag_val *fields, ag_err *err)
{
	const char *field = ag_know_types[kind].text;
	ag_str text;
	ag_val v;
	ag_status st;

	if (!ag_cli_has(c, "file"))
		return AG_OK;
	st = ag_file_read(ag_cli_value(c, "file"), FILE_BYTES, true, c->app.ctx.cancel,
	                  c->app.arena, &text, err);
	if (st)
		return st;
	if (!field)
		return ag_fail(err, AG_INVALID, "cli.knowledge", "a %s has no text beside its %s",
		               ag_know_types[kind].name, ag_know_types[kind].title);
	v = ag_val_str(text);
	*fields = ag_know_with(fields, field, &v, c->app.arena);
	return AG_OK;
}

static ag_status put(ag_cli *c, ag_know_session *s, ag_know_kind kind, const ag_know *old,
                     ag_err *err)
{
	ag_know_counts counts;
	ag_know o;
	ag_val fields;
	ag_status st = ag_know_arg_fields(c, kind, c->args + 2, c->narg - 2,
	                                  old ? &old->body : NULL, &fields, err);

	if (!st)
		st = take_file(c, kind, &fields, err);
	if (!st)
		st = ag_know_make(kind, c->args[1], &fields, c->app.arena, &o, err);
	if (st)
		return st;
	if (old) {
		o.name = old->name;
		o.key = old->key;
		o.status = old->status;
		o.confidence = old->confidence;
	}
	o.author = s->who.user;
	o.created_ms = o.changed_ms = now(c);
	st = ag_know_put(&s->place, &o, 1, old ? AG_KNOW_REPLACE : AG_KNOW_ADD,
	                 !ag_cli_has(c, "no-check"), c->app.arena, &counts, err);
	if (!st)
		ag_cli_note(c, "%s %.*s: %s", ag_know_types[kind].name, AG_FMT(ag_know_short(&o)),
		            old ? "changed" : "saved");
	return st;
}

static int add(ag_cli *c, ag_know_session *s)
{
	ag_know_kind kind;
	ag_err err = { 0 };

	if (!ag_know_arg_kind(c, c->args[0], &kind) && ag_cli_refused(c))
		return AG_EXIT_USAGE;
	return put(c, s, kind, NULL, &err) ? ag_cli_fail(c, &err) : AG_EXIT_OK;
}

static int edit(ag_cli *c, ag_know_session *s)
{
	ag_know_kind kind;
	ag_know old;
	ag_err err = { 0 };

	if (!ag_know_arg_kind(c, c->args[0], &kind) && ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_know_get(&s->place, kind, c->args[1], c->app.arena, &old, &err))
		return ag_cli_fail(c, &err);
	c->args[1] = old.name;
	return put(c, s, kind, &old, &err) ? ag_cli_fail(c, &err) : AG_EXIT_OK;
}

static int remove_object(ag_cli *c, ag_know_session *s)
{
	ag_know_kind kind;
	ag_know o;
	ag_err err = { 0 };

	if (!ag_know_arg_kind(c, c->args[0], &kind) && ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_know_get(&s->place, kind, c->args[1], c->app.arena, &o, &err) ||
	    ag_know_remove(&s->place, &o, c->app.arena, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%s %.*s is gone", ag_know_types[kind].name, AG_FMT(ag_know_short(&o)));
	return AG_EXIT_OK;
}

/* --- files --- */

/* What a person wrote wins: a source that is none of ours only adds what is missing. */
static bool merge(ag_cli *c, const ag_know *old, ag_know *o)
{
	const ag_val *was = ag_val_getc(&old->body, "column_notes"),
		     *now_has = ag_val_getc(&o->body, "column_notes");
	ag_val body = old->body, notes = was ? *was : ag_val_object(NULL, 0);

	for (uint32_t i = 0; i < o->body.n; i++) {
		const ag_member *m = &o->body.u.members[i];

		if (!ag_val_get(&body, m->key))
			body = ag_know_with(&body, ag_str_cstr(c->app.arena, m->key), &m->val,
			                    c->app.arena);
	}
	for (uint32_t i = 0; now_has && i < now_has->n; i++) {
		const ag_member *m = &now_has->u.members[i];

		if (!ag_val_get(&notes, m->key))
			notes = ag_know_with(&notes, ag_str_cstr(c->app.arena, m->key), &m->val,
			                     c->app.arena);
	}
	if (notes.n)
		body = ag_know_with(&body, "column_notes", &notes, c->app.arena);
	*o = *old;
	return !ag_know_make(old->kind, old->name, &body, c->app.arena, o, NULL);
}

/* The objects as they are put: a metric that a person wrote stays, notes are merged. */
static ag_status prepare(ag_cli *c, ag_know_session *s, ag_know_source *from, ag_err *err)
{
	ag_know *list;
	size_t n, kept = 0;
	ag_status st = ag_know_list(&s->place, AG_KNOW_NKIND, c->app.arena, &list, &n, err);

	for (size_t i = 0; i < from->n && !st; i++) {
		ag_know o = from->objects[i];
		bool is_kept = true;

		o.author = s->who.user;
		for (size_t k = 0; k < n; k++) {
			const ag_know *old = &list[k];

			if (old->kind != o.kind || !ag_str_eq(old->key, o.key))
				continue;
			if (o.kind == AG_KNOW_METRIC &&
			    !ag_str_starts(ag_know_text(old, "source"), AG_S("dbt: "))) {
				ag_cli_note(c, "metric %.*s stays as it was written here",
				            AG_FMT(old->name));
				is_kept = false;
			} else if (o.kind == AG_KNOW_TABLE) {
				is_kept = merge(c, old, &o);
			}
			o.status = old->status;
			o.author = old->author;
			o.uses = old->uses;
			o.confidence = old->confidence;
			o.created_ms = old->created_ms;
			o.used_ms = old->used_ms;
			if (is_kept && ag_val_eq(&o.body, &old->body))
				o.changed_ms = old->changed_ms;
			else
				o.changed_ms = now(c);
		}
		if (is_kept)
			from->objects[kept++] = o;
	}
	from->n = kept;
	return st;
}

static ag_status read_comments(ag_cli *c, ag_know_session *s, ag_know_source *ret, ag_err *err)
{
	ag_dictionary d = { 0 };
	ag_status st = ag_analyst_schema(s->hub, &c->app.ctx, &s->who, s->place.project, true,
	                                 c->app.arena, &d, err);

	return st ? st : ag_app_knowledge_comments(&d, now(c), c->app.arena, ret, err);
}

static int import(ag_cli *c, ag_know_session *s)
{
	ag_know_source from = { 0 };
	ag_know_counts n;
	bool is_own = false;
	ag_err err = { 0 };
	ag_status st;

	if ((c->narg > 0) == ag_cli_has(c, "comments"))
		ag_cli_complain(c, "import: want a PATH or --comments");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	st = c->narg ? ag_app_knowledge_read(c->args[0], now(c), c->app.ctx.cancel, c->app.arena,
	                                     &from, &is_own, &err)
	             : read_comments(c, s, &from, &err);
	if (!st && !is_own)
		st = prepare(c, s, &from, &err);
	if (!st)
		st = ag_know_put(&s->place, from.objects, from.n, AG_KNOW_IMPORT,
		                 !ag_cli_has(c, "no-check"), c->app.arena, &n, &err);
	if (st)
		return ag_cli_fail(c, &err);
	for (size_t i = 0; i < from.nleft; i++)
		ag_cli_note(c, "left out: %.*s", AG_FMT(from.left[i]));
	ag_cli_note(c, "%zu added, %zu changed, %zu as before", n.nadded, n.nchanged, n.nsame);
	return AG_EXIT_OK;
}

static int export(ag_cli *c, ag_know_session *s)
{
	ag_know *list;
	ag_err err = { 0 };
	size_t n;

	if (ag_know_list(&s->place, AG_KNOW_NKIND, c->app.arena, &list, &n, &err) ||
	    ag_app_knowledge_write(c->args[0], list, n, c->app.arena, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "%zu objects in %.*s", n, AG_FMT(c->args[0]));
	return AG_EXIT_OK;
}

/* --- does the database still know them? --- */

static int check_metrics(ag_cli *c, ag_know_session *s)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_know *list;
	ag_err err = { 0 };
	size_t n, nbad = 0;
	ag_jw w;

	if (ag_know_list(&s->place, AG_KNOW_METRIC, c->app.arena, &list, &n, &err))
		return ag_cli_fail(c, &err);
	ag_jw_init(&w, &out, 2);
	if (ag_cli_is_json(c))
		ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		ag_str why;

		if (ag_know_check_metric(&s->place, &list[i], c->app.arena, &why, &err)) {
			ag_buf_release(&out);
			return ag_cli_fail(c, &err);
		}
		nbad += why.len > 0;
		if (ag_cli_is_json(c)) {
			ag_jw_obj(&w);
			ag_jw_kstr(&w, "metric", list[i].name);
			ag_jw_kbool(&w, "ok", !why.len);
			ag_jw_kstr(&w, "error", why);
			ag_jw_obj_end(&w);
			continue;
		}
		ag_paint_lit(&p, why.len ? AG_INK_RED : AG_INK_GREEN, why.len ? "broken" : "ok");
		ag_paint_to(&p, 8);
		ag_paint_textf(&p, AG_INK_PLAIN, "%.*s%s", AG_FMT(list[i].name),
		               why.len ? ": " : "");
		ag_paint_text(&p, AG_INK_PLAIN, why);
		ag_paint_nl(&p);
	}
	if (!ag_cli_is_json(c))
		return ag_cli_finish(c, &out, nbad ? AG_EXIT_FINDINGS : AG_EXIT_OK);
	ag_jw_arr_end(&w);
	{
		const int code = ag_past_print_json(c, &out);

		return code == AG_EXIT_OK && nbad ? AG_EXIT_FINDINGS : code;
	}
}

static int refresh(ag_cli *c, ag_know_session *s)
{
	ag_dictionary d = { 0 };
	ag_err err = { 0 };

	if (ag_analyst_schema(s->hub, &c->app.ctx, &s->who, s->place.project, true, c->app.arena,
	                      &d, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "the data dictionary was read anew: %zu tables", d.ntable);
	return AG_EXIT_OK;
}

/* --- the command --- */

/* Each verb works in a session. */
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
IN_SESSION(do_list, list_objects)
IN_SESSION(do_show, show)
IN_SESSION(do_search, search)
IN_SESSION(do_add, add)
IN_SESSION(do_edit, edit)
IN_SESSION(do_remove, remove_object)
IN_SESSION(do_import, import)
IN_SESSION(do_export, export)
IN_SESSION(do_check, check_metrics)
IN_SESSION(do_refresh, refresh)

#define EDITING COMMON "file no-check"

static const ag_verb verbs[] = {
	{ "list", "[KIND]", 0, 1, COMMON, do_list },
	{ "show", "KIND NAME", 2, 2, COMMON, do_show },
	{ "search", "WORD...", 1, 64, COMMON, do_search },
	{ "add", "KIND NAME [FIELD=VALUE]...", 2, 1000, EDITING, do_add },
	{ "edit", "KIND NAME [FIELD=VALUE]...", 2, 1000, EDITING, do_edit },
	{ "remove", "KIND NAME", 2, 2, COMMON, do_remove },
	{ "import", "PATH", 0, 1, COMMON "comments no-check", do_import },
	{ "export", "FOLDER|FILE.zip", 1, 1, COMMON, do_export },
	{ "check", "", 0, 0, COMMON, do_check },
	{ "refresh", "", 0, 0, COMMON, do_refresh },
};

static int run(ag_cli *c)
{
	return ag_cli_run_verb(c, verbs, AG_NELEM(verbs));
}

const ag_command ag_cmd_knowledge = {
	.name = "knowledge",
	.summary = "Write down what a project means: terms, metrics, notes on tables",
	.group = AG_GROUP_ASK,
	.usage =
		"list [KIND] | show KIND NAME | search WORD... | add KIND NAME [FIELD=VALUE]... | "
		"edit KIND NAME [FIELD=VALUE]... | remove KIND NAME | import PATH | export PATH | check | refresh [options]",
	.about =
		"What `argus chat` tells its model about a project, beside the data dictionary. A KIND is entry (a "
		"term, a rule), table (notes on a table and its columns), metric (verified SQL that answers use as "
		"it is, so that a figure can name its metric), learning (see `argus learnings`) or golden (a "
		"question with its expected answer, see `argus eval`). A NAME is the title, or the first digits of the id "
		"that `list` shows.\n\n"
		"FIELD=VALUE: of an entry content and tables; of a table description, column_notes.COLUMN, "
		"use_cases, data_quality_notes, owner, refresh_frequency, related_tables (TABLE: HOW TO JOIN); of a "
		"metric definition, sql, unit, caveats, tables, source; of a golden question mode, expected, "
		"tolerance, sql, tags. A field that is a list is given several times. `edit` replaces the fields that it "
		"names; FIELD= takes one away. The database looks at the SQL of a metric before it is saved, and `check` asks it "
		"again: exit code 3 when one is broken.\n\n"
		"`export` writes a folder of Markdown files with front matter, or a zip archive of them. `import` reads such a "
		"folder or archive. It also reads a schema.yml of dbt (descriptions, simple metrics of the semantic layer) and, "
		"with --comments, the comments of the database. An import that fails changes nothing. Texts of dbt and of the "
		"database never replace what a person wrote. `refresh` reads the data dictionary of the database anew.",
	.examples =
		"argus knowledge add entry \"Active user\" content=\"Logged in within 30 days.\" tables=users\n"
		"argus knowledge add metric MRR definition=\"Monthly recurring revenue\" unit=USD "
		"sql=\"SELECT SUM(amount) AS mrr FROM subscriptions WHERE status = 'active'\"\n"
		"argus knowledge add table orders description=\"One row an order\" "
		"column_notes.total=\"In cents\"\n"
		"argus knowledge search revenue # full text\n"
		"argus knowledge export knowledge/ # files for a repository\n"
		"argus knowledge import models/schema.yml # of dbt",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1001,
	.run = run,
};
