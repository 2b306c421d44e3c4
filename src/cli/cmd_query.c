/* argus query: run a filter or pipeline of MongoDB over a collection, read only.
 *
 * Documents are printed as they are, not masked: a filter asks for exactly these documents. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/query_names.h"
#include "query/extjson.h"
#include "query/shell_read.h"
#include "report/human.h"

#define DEFAULT_LIMIT 20

static const ag_option options[] = {
	{ "limit", 'n', "N", NULL, NULL, "documents to print (20); 0 only counts" },
	{ .setting = "output_format" },
	{ .setting = "strict" },
	{ .setting = "max_scan" },
	{ .setting = "threads" },
	{ .setting = "deadline" },
};

typedef struct answer {
	bool is_pipeline;
	ag_found found; /* matched: filters only */
	const ag_str *notes;
	size_t nnote;
} answer;

static ag_status ask(ag_cli *c, ag_source *s, const ag_val *query, size_t limit, answer *ret,
                     ag_err *err)
{
	ag_status st;

	*ret = (answer){ .is_pipeline = query->type == AG_T_ARRAY };
	if (ret->is_pipeline) {
		st = ag_source_aggregate(s, &c->app.ctx, c->app.arena, query, limit ? limit : 1,
		                         &ret->found.docs, &ret->found.ndoc, err);
		if (st == AG_LIMIT && !err->hint[0])
			return ag_err_hint(
				err, "end the pipeline with {\"$limit\": %zu}, or raise --limit",
				limit ? limit : 1);
		return st;
	}
	if (!limit)
		return ag_source_count(s, &c->app.ctx, c->app.arena, query, &ret->found.matched,
		                       err);
	return ag_source_find(s, &c->app.ctx, c->app.arena, query, limit, &ret->found, err);
}

static int text(ag_cli *c, const ag_source_info *info, const answer *a)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT), line = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_arena *arena = c->app.arena;
	int code;

	if (info->broken)
		ag_cli_note(c, "%.*s document%s of %.*s could not be read",
		            AG_FMT(ag_human_count(info->broken, arena)),
		            info->broken == 1 ? "" : "s", AG_FMT(info->uri));
	if (!a->is_pipeline) {
		ag_paint_text(&p, AG_INK_BOLD,
		              ag_str_printf(arena, "%.*s of %.*s match%s",
		                            AG_FMT(ag_human_count(a->found.matched, arena)),
		                            AG_FMT(ag_human_documents(info->ndoc, arena)),
		                            info->ndoc == 1 ? "es" : ""));
		if (a->found.ndoc && a->found.ndoc < a->found.matched)
			ag_paint_text(&p, AG_INK_DIM,
			              ag_str_printf(arena, "; the first %zu:", a->found.ndoc));
		ag_paint_nl(&p);
	}
	for (size_t i = 0; i < a->found.ndoc; i++) {
		ag_buf_clear(&line);
		ag_extjson_write(&line, &a->found.docs[i], AG_EXTJSON_RELAXED);
		ag_paint_text(&p, AG_INK_PLAIN, ag_buf_view(&line));
		ag_paint_nl(&p);
	}
	ag_buf_release(&line);
	code = ag_cli_finish(c, &out, AG_EXIT_OK);
	for (size_t i = 0; i < a->nnote; i++)
		ag_cli_note(c, "%.*s", AG_FMT(a->notes[i]));
	return code;
}

/* {"collection":…,"collection_size":90,"broken":0,"matched":3,"documents":[…],"where":["orders.ndjson:17",…],
 * "notes":["no document has the field …"]} */
static int json(ag_cli *c, const ag_source_info *info, const answer *a)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT), doc = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	bool ok;
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "collection", info->collection);
	ag_jw_kuint(&w, "collection_size", info->ndoc);
	ag_jw_kuint(&w, "broken", info->broken);
	if (a->is_pipeline)
		ag_jw_knull(&w, "matched");
	else
		ag_jw_kuint(&w, "matched", a->found.matched);
	ag_jw_kkey(&w, "documents");
	ag_jw_arr(&w);
	for (size_t i = 0; i < a->found.ndoc; i++) {
		ag_buf_clear(&doc);
		ag_extjson_write(&doc, &a->found.docs[i], AG_EXTJSON_RELAXED);
		ag_jw_raw(&w, ag_buf_view(&doc));
	}
	ag_jw_arr_end(&w);
	ag_jw_kkey(&w, "where");
	ag_jw_arr(&w);
	for (size_t i = 0; i < a->found.ndoc && a->found.where; i++)
		ag_jw_str(&w, a->found.where[i]);
	ag_jw_arr_end(&w);
	ag_jw_kkey(&w, "notes");
	ag_jw_arr(&w);
	for (size_t i = 0; i < a->nnote; i++)
		ag_jw_str(&w, a->notes[i]);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ok = ag_cli_print_json(c, ag_buf_view(&out));
	ag_buf_release(&doc);
	ag_buf_release(&out);
	return ok ? AG_EXIT_OK : AG_EXIT_FAILED;
}

static int answer_query(ag_cli *c, ag_source *s, const ag_val *query, const ag_safe_query *checked,
                        size_t limit)
{
	ag_progress_line *line = ag_progress_start(c, ag_source_shown(c->args[0], c->app.arena));
	ag_err err = { 0 };
	answer a;
	ag_status st = ask(c, s, query, limit, &a, &err);

	if (!st)
		a.nnote = ag_query_absent(s, &c->app.ctx, checked, &a.found, c->app.arena,
		                          &a.notes);
	ag_progress_stop(line);
	if (st)
		return ag_cli_fail(c, &err);
	return ag_cli_is_json(c) ? json(c, ag_source_info_of(s), &a)
	                         : text(c, ag_source_info_of(s), &a);
}

static ag_status open_one(ag_cli *c, ag_source **ret, ag_err *err)
{
	const ag_source_opts so = { .strict = c->app.settings.audit.strict,
		                    .max_scan = c->app.settings.audit.max_scan };
	ag_source_place *places = NULL;
	size_t n = 0;
	ag_status st = ag_source_list(&c->app.ctx, c->args[0], c->app.arena, &places, &n, err);

	if (st)
		return st;
	if (n == 1)
		return ag_source_open_place(&c->app.ctx, &places[0], &so, ret, err);
	ag_fail(err, AG_INVALID, "cli.query", "%.*s holds %zu collections",
	        AG_FMT(ag_source_shown(c->args[0], c->app.arena)), n);
	return n ? ag_err_hint(err, "name one of them, like %.*s", AG_FMT(places[0].uri))
	         : AG_INVALID;
}

static int run(ag_cli *c)
{
	size_t limit = (size_t)ag_cli_number(c, "limit", 0, AG_FIND_LIMIT_MAX, DEFAULT_LIMIT);
	ag_progress_line *line;
	ag_source *source = NULL;
	ag_safe_query checked;
	ag_err err = { 0 };
	ag_status st;
	ag_val q;
	int code;

	/* Report a wrong filter before a large file is read. */
	st = ag_shell_parse(c->args[1], c->app.arena, &q, &err);
	if (!st)
		st = ag_docquery_check(&q, c->app.arena, &checked, &err);
	if (st)
		ag_cli_complain(c, "FILTER: %s%s%s", err.msg, err.hint[0] ? "; " : "", err.hint);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	line = ag_progress_start(c, ag_source_shown(c->args[0], c->app.arena));
	st = open_one(c, &source, &err);
	ag_progress_stop(line);
	code = st ? ag_cli_fail(c, &err) : answer_query(c, source, &q, &checked, limit);
	ag_source_close(source);
	return code;
}

const ag_command ag_cmd_query = {
	.name = "query",
	.summary = "Run a MongoDB filter or pipeline over a collection",
	.group = AG_GROUP_LOOK,
	.usage = "SOURCE FILTER [options]",
	.about =
		"FILTER is a filter {...} or an aggregation pipeline [...], as MongoDB extended JSON or as the "
		"shell writes it: keys without quotes, single quotes, ISODate(\"...\"), ObjectId(\"...\"), "
		"NumberLong(\"...\"), /regex/i, comments; also a whole db.orders.find({...}), countDocuments or "
		"aggregate. What a report gives as evidence can be pasted here. No code runs. A time without a "
		"zone is UTC; SOURCE decides what is read, whatever collection a statement names. Documents are printed one a line, as relaxed "
		"extended JSON, unmasked. Stages that write and operators that run code are refused. A note on standard error names fields "
		"of the filter that no document has, each with the nearest name that exists.",
	.examples =
		"argus query orders.ndjson '{\"total\": {\"$lt\": 0}}' # documents below zero\n"
		"argus query orders.ndjson 'db.orders.find({created_at: {$lt: ISODate(\"2000-01-01\")}})' # as in "
		"the shell\n"
		"argus query orders.ndjson '[{\"$group\": {\"_id\": \"$status\", \"n\": {\"$sum\": 1}}}]' # "
		"how many of each",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 2,
	.max_args = 2,
	.flags = AG_COMMAND_LOADS,
	.run = run,
};
