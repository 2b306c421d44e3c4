/* argus inspect: the fields of collections with their figures: types, how often they are there, quantiles, histograms.
 *
 * Each collection is written as JSON (docs/reference/report.md); text and page are made from that (report/inspect.h), so they
 * cannot say more than it, and values are masked in one place. */
#include "audit/inspect.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "query/extjson.h"
#include "report/inspect.h"

#include <stdlib.h>

static const ag_option options[] = {
	AG_ACCOUNT_OPTIONS,
	{ "details", 0, NULL, NULL, NULL,
	  "in text: all figures of each field after the table: quantiles, histograms, frequent values" },
	{ "path", 'p', "FIELD", NULL, NULL,
	  "all figures of this field and those below it; may be repeated" },
	{ .setting = "sample_size", .help = "documents to look at (default: all)" },
	{ .setting = "seed" },
	{ .setting = "output_format", .help = "text, json, or html: one page with pictures" },
	{ .setting = "show_values" },
	{ .setting = "strict" },
	{ .setting = "max_scan" },
	{ .setting = "max_ru", .help = "request units that Azure Cosmos DB may charge" },
	{ .setting = "threads" },
	{ .setting = "deadline" },
};

/* What of the collections is wanted, and what of it was found. */
typedef struct wanted {
	const ag_str *paths;
	size_t npath; /* 0 = all */
	bool any;     /* some collection has one of them */
	ag_str near;  /* a name like the first of them; "" = none seen */
} wanted;

static void look_for_near(const ag_profile *p, ag_arena *arena, wanted *w)
{
	const char **names = ag_new_n(arena, const char *, p->npath + 1);
	const char *near;

	for (size_t i = 0; i < p->npath; i++)
		names[i] = ag_str_cstr(arena, p->paths[i].path);
	near = ag_str_nearest(w->paths[0], names, p->npath);
	if (near && !w->near.len)
		w->near = ag_str_c(near);
}

/* --- running --- */

/* One collection as JSON into `ret`; it is closed again before the next is opened. */
static ag_status inspect(ag_cli *c, const ag_source_place *place, wanted *want, ag_buf *ret)
{
	const ag_source_opts so = ag_app_source_opts(&c->app);
	const uint64_t asked = c->app.settings.audit.sample_size;
	const ag_inspect_opts o = { .paths = want->paths,
		                    .npath = want->npath,
		                    .sample = asked ? asked : UINT64_MAX,
		                    .seed = c->app.settings.audit.seed,
		                    .show_values = c->app.settings.audit.show_values };
	ag_progress_line *line = ag_progress_start(c, place->uri);
	ag_source *s = NULL;
	ag_err err = { 0 };
	ag_inspected seen = { 0 };
	const ag_profile *p = &seen.profile;
	ag_jw w;
	ag_status st = ag_source_open_place(&c->app.ctx, place, &so, &s, &err);

	ag_jw_init(&w, ret, 2);
	if (!st)
		st = ag_inspect(s, &c->app.ctx, &o, c->app.arena, &w, &seen, &err);
	for (size_t i = 0; !st && want->npath && i < p->npath; i++)
		want->any = want->any ||
		            ag_inspect_is_wanted(&o, p->paths[i].path, p->paths[i].query);
	if (!st && want->npath && !want->any)
		look_for_near(p, c->app.arena, want);
	ag_progress_stop(line);
	if (st)
		ag_cli_fail(c, &err);
	ag_source_close(s);
	return st;
}

static ag_status parse_one(ag_cli *c, const ag_buf *json, ag_val *ret)
{
	static const ag_extjson_opts opts = { .typed = true, .query = true };
	ag_err err = { 0 };
	const ag_status st = ag_extjson_parse(ag_buf_dup(c->app.arena, json), &opts, c->app.arena,
	                                      ret, NULL, NULL, &err);

	if (st)
		ag_cli_fail(c, &err);
	return st;
}

static void text_one(const ag_cli *c, const wanted *want, const ag_val *v, ag_buf *out)
{
	const ag_inspect_look look = { .table = want->npath == 0,
		                       .details = want->npath > 0 || ag_cli_has(c, "details") };
	const ag_val *paths = ag_val_getc(v, "distributions");
	ag_paint p = ag_cli_paint(c, out);

	if (want->npath && !(paths && paths->n))
		return; /* another collection has the field */
	if (out->len)
		ag_buf_adds(out, "\n\n");
	ag_inspect_text(v, &look, &p);
}

static int no_such_field(ag_cli *c, const wanted *w)
{
	const ag_str name = w->paths[0];
	ag_err err = { 0 };

	ag_fail(&err, AG_NOT_FOUND, "cli.inspect", "there is no field \"%.*s\"",
	        (int)(name.len < 200 ? name.len : 200), name.ptr);
	if (w->near.len)
		AG_IGNORE(ag_err_hint(&err, "did you mean \"%.*s\"?", AG_FMT(w->near)),
		          "it is the error");
	return ag_cli_fail(c, &err);
}

/* The collections in the form that was asked for. */
static int print_all(ag_cli *c, ag_buf *json, ag_buf *text, ag_val **pages, size_t npage,
                     bool is_list)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	bool ok;

	if (c->app.settings.output_format == AG_OUTPUT_HTML) {
		ag_inspect_html((const ag_val *const *)pages, npage, c->app.arena, &out);
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	}
	if (!ag_cli_is_json(c))
		return ag_cli_finish(c, text, AG_EXIT_OK);
	if (is_list)
		ag_buf_addf(&out, "{\n  \"collections\": [%.*s\n  ]\n}", AG_FMT(ag_buf_view(json)));
	else
		ag_buf_add(&out, ag_buf_view(json));
	ok = !out.len || ag_cli_print_json(c, ag_buf_view(&out));
	ag_buf_release(&out);
	return ok ? AG_EXIT_OK : AG_EXIT_FAILED;
}

static int run(ag_cli *c)
{
	ag_source_place *places = NULL;
	ag_buf text = AG_BUF_INIT(AG_LIMIT_OUTPUT), json = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	wanted want = { 0 };
	ag_err err = { 0 };
	int code = AG_EXIT_OK, printed;
	size_t n = 0, ndone = 0;
	ag_status st = AG_OK;
	ag_val **pages;

	want.npath = ag_cli_values(c, "path", &want.paths);
	if (ag_source_list(&c->app.ctx, c->args[0], c->app.arena, &places, &n, &err))
		return ag_cli_fail(c, &err);
	pages = ag_new_n(c->app.arena, ag_val *, n + 1);
	for (size_t i = 0; i < n && st != AG_CANCELLED && st != AG_TIMEOUT; i++) {
		ag_buf one = AG_BUF_INIT(AG_LIMIT_OUTPUT);

		st = inspect(c, &places[i], &want, &one);
		if (!st && ag_cli_is_json(c)) {
			ag_buf_adds(&json, ndone ? ",\n" : n > 1 ? "\n" : "");
			ag_buf_add(&json, ag_buf_view(&one));
		} else if (!st) {
			pages[ndone] = ag_new(c->app.arena, ag_val);
			st = parse_one(c, &one, pages[ndone]);
			if (!st && c->app.settings.output_format == AG_OUTPUT_TEXT)
				text_one(c, &want, pages[ndone], &text);
		}
		ndone += !st;
		if (st)
			code = st == AG_CANCELLED ? AG_EXIT_CANCELLED : AG_EXIT_FAILED;
		ag_buf_release(&one);
	}
	if (!code && want.npath && !want.any)
		code = no_such_field(c, &want);
	else if (ndone || n != 1) {
		printed = print_all(c, &json, &text, pages, ndone, n != 1);
		code = code ? code : printed;
	}
	ag_buf_release(&text);
	ag_buf_release(&json);
	return code;
}

const ag_command ag_cmd_inspect = {
	.name = "inspect",
	.summary = "Show the fields of collections with their figures",
	.group = AG_GROUP_LOOK,
	.usage = "SOURCE [options]",
	.about =
		"A line for each field: its types (most frequent first), the share of documents in which it has a "
		"value that is not null, how many different values it has, a picture of them, and least, median and "
		"greatest value, or the most frequent ones. \"items[].price\" are the items of an array. --details and "
		"--path give all figures: quantiles, mean, histograms over value, time, length or size, frequent and "
		"rare values. All figures are exact, over the documents that were read: of a server's large collection a sample.\n\n"
		"JSON is one object, or {\"collections\":[...]} for a folder with several files; "
		"docs/reference/report.md describes it. --output html prints one page that needs no network.",
	.examples =
		"argus inspect orders.ndjson # one line for each field\n"
		"argus inspect orders.ndjson --path total # all figures of one field\n"
		"argus inspect orders.ndjson --output html > orders.html # as a page with pictures\n"
		"argus inspect orders.ndjson -n 200 --seed 7 # a sample, always the same",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1,
	.flags = AG_COMMAND_LOADS | AG_COMMAND_PAGE,
	.run = run,
};
