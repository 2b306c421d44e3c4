/* argus init: a project from a database. The work is in app/init.c. */
#include "analyst/samples.h"
#include "app/import.h"
#include "app/init.h"
#include "app/models.h"
#include "cli/past.h"
#include "report/human.h"

#define MAX_SHOWN_TABLES 12u

static const ag_option options[] = {
	{ "project", 'p', "ID", NULL, NULL, "what the project is called; else as the database" },
	{ "demo", 0, NULL, NULL, NULL, "the example shop, in the place of a database" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
	{ .setting = "deadline" },
};

static uint64_t init_columns(const ag_dictionary *d)
{
	uint64_t n = 0;

	for (size_t i = 0; i < d->ntable; i++)
		n += d->tables[i].ncolumn;
	return n;
}

static int init_json(ag_cli *c, const ag_init *r, const ag_str *samples, size_t nsample)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "project", r->id);
	ag_jw_kstr(&w, "source", r->source);
	ag_jw_kstr(&w, "settings", r->file);
	ag_jw_kstr(&w, "password_env", r->password_env);
	ag_jw_kuint(&w, "tables", r->dictionary.ntable);
	ag_jw_kuint(&w, "columns", init_columns(&r->dictionary));
	ag_jw_kkey(&w, "questions");
	ag_jw_arr(&w);
	for (size_t i = 0; i < nsample; i++)
		ag_jw_str(&w, samples[i]);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static void init_tables(ag_cli *c, ag_paint *p, const ag_dictionary *d)
{
	for (size_t i = 0; i < d->ntable && i < MAX_SHOWN_TABLES; i++) {
		const ag_dict_table *t = &d->tables[i];

		ag_paint_to(p, 2);
		ag_paint_cut(p, AG_INK_CYAN, 34, t->name);
		ag_paint_to(p, 38);
		ag_paint_textf(p, AG_INK_PLAIN, "%zu columns", t->ncolumn);
		if (t->row_count >= 0)
			ag_paint_textf(p, AG_INK_DIM, ", %s%.*s rows",
			               t->is_row_count_exact ? "" : "about ",
			               AG_FMT(ag_human_count((uint64_t)t->row_count,
			                                     c->app.arena)));
		ag_paint_nl(p);
	}
	if (d->ntable > MAX_SHOWN_TABLES) {
		ag_paint_textf(p, AG_INK_DIM, "  and %zu more", d->ntable - MAX_SHOWN_TABLES);
		ag_paint_nl(p);
	}
}

/* What is still missing before a question can be asked. */
static void init_missing(ag_cli *c, const ag_init *r)
{
	ag_llm_model *models = NULL;
	ag_err err = { 0 };
	size_t n = 0;

	if (r->password_env.len && !r->password_is_set)
		ag_cli_note(c, "The password is not in %.*s: set the variable %.*s to it.",
		            AG_FMT(r->file), AG_FMT(r->password_env));
	if (ag_app_models(&c->app, &models, &n, &err) || !n)
		ag_cli_note(
			c,
			"There is no model yet: set ANTHROPIC_API_KEY, or LLM_API_BASE and LLM_MODEL; `argus models` "
			"shows what is found.");
}

static int init_text(ag_cli *c, const ag_init *r, const ag_str *samples, size_t nsample)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	int code;

	ag_paint_sign(&p, AG_INK_GREEN, AG_SIGN_GOOD);
	ag_paint_textf(&p, AG_INK_PLAIN, " connected in %.1f ms: %zu table%s, %llu columns",
	               (double)r->connect_us / 1000, r->dictionary.ntable,
	               r->dictionary.ntable == 1 ? "" : "s",
	               (unsigned long long)init_columns(&r->dictionary));
	ag_paint_nl(&p);
	init_tables(c, &p, &r->dictionary);
	ag_paint_sign(&p, AG_INK_GREEN, AG_SIGN_GOOD);
	ag_paint_textf(&p, AG_INK_PLAIN, " %.*s: %s with project %.*s", AG_FMT(r->file),
	               r->made_file ? "made" : "completed", AG_FMT(r->id));
	ag_paint_nl(&p);
	if (nsample) {
		ag_paint_nl(&p);
		ag_paint_textf(&p, AG_INK_PLAIN, "Ask: argus chat --project %.*s", AG_FMT(r->id));
		ag_paint_nl(&p);
	}
	for (size_t i = 0; i < nsample; i++) {
		ag_paint_to(&p, 2);
		ag_paint_wrap(&p, AG_INK_BOLD, 2, samples[i]);
		ag_paint_nl(&p);
	}
	code = ag_cli_finish(c, &out, AG_EXIT_OK);
	init_missing(c, r);
	return code;
}

static int run(ag_cli *c)
{
	const bool demo = ag_cli_has(c, "demo");
	ag_str samples[AG_ANALYST_MAX_SAMPLES], source = c->narg ? c->args[0] : AG_S(""),
						id = ag_cli_value(c, "project");
	ag_init r = { 0 };
	ag_err err = { 0 };
	size_t n;

	if (demo == (c->narg > 0))
		ag_cli_complain(
			c,
			demo ? "--demo is a database of its own: want no other beside it"
			     : "which database? want postgresql://user@host/name, sqlite:PATH, a SQLite file, or "
			       "--demo");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (demo) {
		if (ag_app_demo_database(&c->app, &source, &err))
			return ag_cli_fail(c, &err);
		id = id.len ? id : AG_S(AG_DEMO_PROJECT);
	}
	if (ag_app_init_project(&c->app, source, id, &r, &err))
		return ag_cli_fail(c, &err);
	n = ag_analyst_samples(&r.dictionary, c->app.arena, samples);
	if (!r.dictionary.ntable)
		ag_cli_warn(c, "the database has no table that this user may see");
	return ag_cli_is_json(c) ? init_json(c, &r, samples, n) : init_text(c, &r, samples, n);
}

const ag_command ag_cmd_init = {
	.name = "init",
	.summary = "Make a project from a database, and try it",
	.group = AG_GROUP_SET_UP,
	.usage = "[SOURCE] [options]",
	.about =
		"Connects, reads which tables and columns there are, writes the project into argus.yaml of the current folder "
		"(or the file of --config), and names questions that the database can answer. Nothing is overwritten: a "
		"project of the same name is an error, everything else in the file stays as it is, and when the database "
		"does not answer nothing is written.\n\n"
		"A password in the address is used for the test only. argus.yaml gets the name of a variable in its place: "
		"ARGUS_SHOP_PASSWORD for the project shop; when that is set already, the address needs none.",
	.examples = "argus init postgresql://reader@db/shop # the project shop\n"
		    "argus init data/shop.db --project shop # a SQLite file\n"
		    "argus init --demo # an example shop to try questions on",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 0,
	.max_args = 1,
	.run = run,
};
