/* argus query: run a filter or pipeline of MongoDB over a collection, read only.
 *
 * Documents are printed as they are, not masked: a filter asks for exactly these documents. */
#include "cli/caret.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "documents/query_names.h"
#include "query/extjson.h"
#include "query/shell_read.h"
#include "report/human.h"

#define DEFAULT_LIMIT 20

static const ag_option options[] = {
	AG_ACCOUNT_OPTIONS,
	{ "limit", 'n', "N", NULL, NULL,
	  "documents to print (20, or what the statement says); 0 only counts" },
	{ .setting = "output_format" },
	{ .setting = "strict" },
	{ .setting = "max_scan" },
	{ .setting = "max_ru", .help = "request units that Azure Cosmos DB may charge" },
	{ .setting = "threads" },
	{ .setting = "deadline" },
};

/* What is asked for. */
typedef struct asked {
	ag_shell_statement statement;
	ag_val query;          /* what runs: filter or pipeline */
	ag_safe_query checked; /* the same */
	ag_safe_query
		named; /* for the names of its fields: also those of an order and a projection */
	size_t limit;  /* documents; 0 only counts */
} asked;

typedef struct answer {
	bool has_matched; /* matched is known: of filters */
	bool is_sorted;   /* the documents are not the first of those that match */
	ag_found found;
	const ag_str *notes;
	size_t nnote;
} answer;

static ag_status ask_pipeline(ag_cli *c, ag_source *s, const asked *q, answer *ret, ag_err *err)
{
	const size_t most = q->limit ? q->limit : 1;
	const ag_status st = ag_source_aggregate(s, &c->app.ctx, c->app.arena, &q->query, most,
	                                         &ret->found.docs, &ret->found.ndoc, err);

	if (st == AG_LIMIT && !err->hint[0])
		return ag_err_hint(err, "end the pipeline with {\"$limit\": %zu}, or raise --limit",
		                   most);
	return st;
}

static ag_status ask(ag_cli *c, ag_source *s, const asked *q, answer *ret, ag_err *err)
{
	const bool is_find = q->statement.query.type != AG_T_ARRAY,
		   is_pipeline = q->query.type == AG_T_ARRAY;
	const ag_val *filter = &q->statement.query;
	ag_status st = AG_OK;

	*ret = (answer){ .has_matched = is_find, .is_sorted = is_find && is_pipeline };
	if (is_find && !is_pipeline && q->limit)
		return ag_source_find(s, &c->app.ctx, c->app.arena, filter, q->limit, &ret->found,
		                      err);
	if (is_find)
		st = ag_source_count(s, &c->app.ctx, c->app.arena, filter, &ret->found.matched,
		                     err);
	if (!st && is_pipeline && (q->limit || !is_find))
		st = ask_pipeline(c, s, q, ret, err);
	return st;
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
	if (a->has_matched) {
		ag_paint_text(&p, AG_INK_BOLD,
		              ag_str_printf(arena, "%.*s of %.*s match%s",
		                            AG_FMT(ag_human_count(a->found.matched, arena)),
		                            AG_FMT(ag_human_documents(info->ndoc, arena)),
		                            info->ndoc == 1 ? "es" : ""));
		if (a->found.ndoc && a->found.ndoc < a->found.matched)
			ag_paint_text(&p, AG_INK_DIM,
			              ag_str_printf(arena,
			                            a->is_sorted ? "; %zu of them:"
			                                         : "; the first %zu:",
			                            a->found.ndoc));
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
	for (size_t i = 0; a->notes && i < a->nnote; i++)
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
	if (a->has_matched)
		ag_jw_kuint(&w, "matched", a->found.matched);
	else
		ag_jw_knull(&w, "matched");
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
	for (size_t i = 0; a->notes && i < a->nnote; i++)
		ag_jw_str(&w, a->notes[i]);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ok = ag_cli_print_json(c, ag_buf_view(&out));
	ag_buf_release(&doc);
	ag_buf_release(&out);
	return ok ? AG_EXIT_OK : AG_EXIT_FAILED;
}

static int answer_query(ag_cli *c, ag_source *s, const asked *q)
{
	ag_progress_line *line = ag_progress_start(c, ag_source_shown(c->args[0], c->app.arena));
	ag_err err = { 0 };
	answer a;
	ag_status st = ask(c, s, q, &a, &err);

	if (!st)
		a.nnote = ag_query_absent(s, &c->app.ctx, &q->named, a.is_sorted ? NULL : &a.found,
		                          c->app.arena, &a.notes);
	ag_progress_stop(line);
	if (st)
		return ag_cli_fail(c, &err);
	return ag_cli_is_json(c) ? json(c, ag_source_info_of(s), &a)
	                         : text(c, ag_source_info_of(s), &a);
}

static ag_status open_one(ag_cli *c, ag_source **ret, ag_err *err)
{
	const ag_source_opts so = ag_app_source_opts(&c->app);
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

/* {$and: [the filter, {field: {$exists: true}} …]}: as if order and projection were conditions, so that their names are looked
 * at, too. Computed fields are new names. */
static ag_val with_names(const ag_shell_statement *q, ag_arena *arena)
{
	const ag_val *parts[] = { &q->sort, &q->projection };
	ag_val *list = ag_new_n(arena, ag_val, 1 + q->sort.n + q->projection.n);
	ag_member *and = ag_new(arena, ag_member);
	size_t n = 0;

	list[n++] = q->query;
	for (size_t i = 0; i < AG_NELEM(parts); i++) {
		for (uint32_t k = 0; parts[i]->type == AG_T_OBJECT && k < parts[i]->n; k++) {
			const ag_member *m = &parts[i]->u.members[k];
			ag_member *exists = ag_new(arena, ag_member),
				  *field = ag_new(arena, ag_member);

			if (!ag_type_is_number(m->val.type) && m->val.type != AG_T_BOOL)
				continue;
			if (parts[i] == &q->projection && !ag_val_truthy(&m->val))
				continue; /* what is left out may be missing */
			*exists = (ag_member){ AG_S("$exists"), ag_val_bool(true) };
			*field = (ag_member){ m->key, ag_val_object(exists, 1) };
			list[n++] = ag_val_object(field, 1);
		}
	}
	*and = (ag_member){ AG_S("$and"), ag_val_array(list, n) };
	return ag_val_object(and, 1);
}

static void complain_at(ag_cli *c, size_t at, const ag_err *err)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_paint p;
	ag_str rest;

	ag_cli_complain(c, "FILTER: %s%s%s", err->msg, err->hint[0] ? "; " : "", err->hint);
	if (at == SIZE_MAX)
		return;
	ag_paint_init(&p, &out, c->term.err_width, false, c->term.utf8);
	p.width -= 2;
	ag_caret_lines(&p, c->args[1], at, &out);
	rest = ag_buf_view(&out);
	while (rest.len) {
		const ag_str line = ag_str_split(&rest, '\n');

		ag_cli_complain(c, "  %.*s", AG_FMT(line));
	}
	ag_buf_release(&out);
}

/* Read and check it all, before a large file is read. --limit counts where the statement has no limit, or a larger one. */
static void read_query(ag_cli *c, asked *q)
{
	const size_t flag = (size_t)ag_cli_number(c, "limit", 0, AG_FIND_LIMIT_MAX, DEFAULT_LIMIT);
	ag_shell_statement *s = &q->statement;
	ag_arena *a = c->app.arena;
	size_t at = SIZE_MAX;
	ag_err err = { 0 };
	ag_status st = ag_shell_parse(c->args[1], a, s, &at, &err);
	ag_val *names = ag_new(a, ag_val);

	q->limit = flag;
	if (!st && s->limit && (s->limit < flag || !ag_cli_has(c, "limit")))
		q->limit = s->limit < AG_FIND_LIMIT_MAX ? (size_t)s->limit : AG_FIND_LIMIT_MAX;
	if (!st && s->counts)
		q->limit = 0;
	if (!st) {
		q->query = ag_shell_needs_pipeline(s) ? ag_shell_pipeline(s, q->limit, a)
		                                      : s->query;
		st = ag_docquery_check(&q->query, a, &q->checked, &err);
	}
	q->named = q->checked;
	if (!st && ag_shell_needs_pipeline(s)) {
		*names = with_names(s, a);
		if (ag_docquery_check(names, a, &q->named, &(ag_err){ 0 }))
			q->named = q->checked;
	}
	if (st)
		complain_at(c, at, &err);
}

static int run(ag_cli *c)
{
	ag_progress_line *line;
	ag_source *source = NULL;
	ag_err err = { 0 };
	ag_status st;
	asked q = { 0 };
	int code;

	read_query(c, &q);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	line = ag_progress_start(c, ag_source_shown(c->args[0], c->app.arena));
	st = open_one(c, &source, &err);
	ag_progress_stop(line);
	code = st ? ag_cli_fail(c, &err) : answer_query(c, source, &q);
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
		"NumberLong(\"...\"), /regex/i, comments; also a whole statement: db.orders.find({...}, {...}) with "
		".sort({...}), .skip(n), .limit(n), .project({...}) and .count(), findOne, countDocuments, aggregate. "
		"What a report gives as evidence can be pasted here. No code runs. A time without a "
		"zone is UTC; SOURCE decides what is read, whatever collection a statement names. Documents are printed one a line, as relaxed "
		"extended JSON, unmasked. Stages that write and operators that run code are refused. A note on standard error names fields "
		"of the filter that no document has, each with the nearest name that exists.",
	.examples =
		"argus query orders.ndjson '{\"total\": {\"$lt\": 0}}' # documents below zero\n"
		"argus query orders.ndjson 'db.orders.find({created_at: {$lt: ISODate(\"2000-01-01\")}})' # as in "
		"the shell\n"
		"argus query orders.ndjson 'db.orders.find({}, {total: 1}).sort({total: -1}).limit(3)' # the "
		"three greatest\n"
		"argus query orders.ndjson '[{\"$group\": {\"_id\": \"$status\", \"n\": {\"$sum\": 1}}}]' # "
		"how many of each",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 2,
	.max_args = 2,
	.flags = AG_COMMAND_LOADS,
	.run = run,
};
