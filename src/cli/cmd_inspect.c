/* argus inspect: the schema of collections as a table: fields, types, how often they are there, samples. */
#include <stdio.h>

#include "audit/mask.h"
#include "audit/tools.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "query/extjson.h"
#include "report/human.h"

#define FIELD_COLS   40
#define TYPES_COLS   24
#define MIN_SAMPLES  24  /* columns; below it samples stand on a line of their own */
#define PIPE_WIDTH   160 /* a table that nobody's terminal breaks */
#define SAMPLE_BYTES 200

static const ag_option options[] = {
	{ .setting = "sample_size", .help = "documents to look at (default: all)" },
	{ .setting = "seed" },
	{ .setting = "output_format" },
	{ .setting = "show_values" },
	{ .setting = "strict" },
	{ .setting = "max_scan" },
	{ .setting = "threads" },
	{ .setting = "deadline" },
};

static ag_str sample_text(const ag_cli *c, const ag_field_stats *f, size_t i)
{
	ag_val v = f->samples[i];

	if (!c->app.settings.audit.show_values)
		v = ag_mask_val(f->path, &f->samples[i], c->app.arena);
	return ag_extjson_str(c->app.arena, &v, AG_EXTJSON_SHELL);
}

/* --- JSON --- */

static void json_one(const ag_cli *c, const ag_source_info *info, const ag_survey *s, ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "collection", info->collection);
	ag_jw_kstr(w, "database", info->database);
	ag_jw_kstr(w, "source", info->uri);
	ag_jw_kuint(w, "collection_size", info->ndoc);
	ag_jw_kuint(w, "documents_sampled", s->surveyed);
	ag_jw_kuint(w, "broken", info->broken);
	ag_jw_kbool(w, "masked", !c->app.settings.audit.show_values);
	ag_jw_kkey(w, "fields");
	ag_jw_arr(w);
	for (size_t i = 0; i < s->nfield; i++)
		ag_survey_field_json(&s->fields[i], c->app.settings.audit.show_values, c->app.arena,
		                     w);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "truncated_paths");
	ag_jw_arr(w);
	for (size_t i = 0; i < s->ntruncated; i++)
		ag_jw_str(w, s->truncated[i]);
	ag_jw_arr_end(w);
	ag_jw_kuint(w, "paths_left_out", s->paths_left_out);
	ag_jw_obj_end(w);
}

/* --- text --- */

typedef struct table {
	size_t field, types, at[6]; /* first column of each cell behind the field */
	bool samples_below;
} table;

static ag_str types_of(const ag_field_stats *f, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(4096);
	ag_str ret;

	for (size_t i = 0; i < f->ntype; i++)
		ag_buf_addf(&out, "%s%.*s", i ? ", " : "", AG_FMT(f->types[i].name));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static table lay_out(const ag_paint *p, const ag_survey *s, ag_arena *arena)
{
	table t = { .field = 5, .types = 5 };

	for (size_t i = 0; i < s->nfield; i++) {
		size_t f = ag_paint_width(p, s->fields[i].path);
		size_t y = ag_paint_width(p, types_of(&s->fields[i], arena));

		t.field = f > t.field ? f : t.field;
		t.types = y > t.types ? y : t.types;
	}
	t.field = t.field < FIELD_COLS ? t.field : FIELD_COLS;
	t.types = t.types < TYPES_COLS ? t.types : TYPES_COLS;
	/* A narrow terminal keeps the numbers whole and shortens names. */
	if (t.field + t.types + 52 > p->width) {
		t.types = t.types < 12 ? t.types : 12;
		if (t.field + t.types + 52 > p->width)
			t.field = t.field < 16 ? t.field : 16;
	}
	t.at[0] = t.field + 2;
	t.at[1] = t.at[0] + t.types + 2;
	for (size_t i = 2; i < 6; i++)
		t.at[i] = t.at[i - 1] + 12;
	t.at[3] -= 2;
	t.at[4] -= 3;
	t.at[5] -= 4;
	t.samples_below = t.at[5] + MIN_SAMPLES > p->width;
	return t;
}

static void head_row(ag_paint *p, const table *t)
{
	ag_paint_lit(p, AG_INK_BOLD, "field");
	ag_paint_to(p, t->at[0]);
	ag_paint_lit(p, AG_INK_BOLD, "types");
	ag_paint_to(p, t->at[1]);
	ag_paint_lit(p, AG_INK_BOLD, "   present");
	ag_paint_to(p, t->at[2]);
	ag_paint_lit(p, AG_INK_BOLD, " missing");
	ag_paint_to(p, t->at[3]);
	ag_paint_lit(p, AG_INK_BOLD, "null_rate");
	ag_paint_to(p, t->at[4]);
	ag_paint_lit(p, AG_INK_BOLD, "distinct");
	if (!t->samples_below) {
		ag_paint_to(p, t->at[5]);
		ag_paint_lit(p, AG_INK_BOLD, "samples");
	}
	ag_paint_nl(p);
}

static void samples(const ag_cli *c, ag_paint *p, const ag_field_stats *f)
{
	ag_buf all = AG_BUF_INIT(64 * 1024);

	for (size_t i = 0; i < f->nsample; i++) {
		ag_str v = sample_text(c, f, i);

		v.len = v.len < SAMPLE_BYTES ? v.len : SAMPLE_BYTES;
		ag_buf_addf(&all, "%s%.*s", i ? ", " : "", AG_FMT(v));
	}
	ag_paint_cut(p, AG_INK_DIM, p->width > p->col ? p->width - p->col : 0, ag_buf_view(&all));
	ag_buf_release(&all);
}

static void field_row(const ag_cli *c, ag_paint *p, const table *t, const ag_field_stats *f)
{
	ag_paint_cut(p, AG_INK_CYAN, t->field, f->path);
	ag_paint_to(p, t->at[0]);
	ag_paint_cut(p, f->ntype > 1 ? AG_INK_YELLOW : AG_INK_PLAIN, t->types,
	             types_of(f, c->app.arena));
	ag_paint_to(p, t->at[1]);
	ag_paint_textf(p, AG_INK_PLAIN, "%10llu", (unsigned long long)f->present);
	ag_paint_to(p, t->at[2]);
	ag_paint_textf(p, AG_INK_PLAIN, "%8llu", (unsigned long long)f->missing);
	ag_paint_to(p, t->at[3]);
	ag_paint_textf(p, f->null_rate > 0 ? AG_INK_YELLOW : AG_INK_PLAIN, "%9.3f", f->null_rate);
	ag_paint_to(p, t->at[4]);
	ag_paint_textf(p, AG_INK_PLAIN, "%7llu%s", (unsigned long long)f->cardinality,
	               f->cardinality_capped ? "+" : "");
	if (t->samples_below && f->nsample) {
		ag_paint_nl(p);
		ag_paint_to(p, 4);
	}
	if (f->nsample) {
		if (!t->samples_below)
			ag_paint_to(p, t->at[5]);
		samples(c, p, f);
	}
	ag_paint_nl(p);
}

static ag_str first_issue(const ag_source_info *info, ag_arena *arena)
{
	const ag_table_issue *i = &info->issues[0];
	bool is_bson = ag_str_eqc(info->format, "bson");

	return ag_str_printf(arena, "; the first: %s %llu: %.*s",
	                     is_bson   ? "document"
	                     : i->line ? "line"
	                               : "byte",
	                     (unsigned long long)(i->line ? i->line : i->byte), AG_FMT(i->what));
}

static void text_one(const ag_cli *c, const ag_source_info *info, const ag_survey *s, ag_buf *out)
{
	ag_paint p = ag_cli_paint(c, out);
	ag_arena *a = c->app.arena;
	table t;

	if (!c->term.out_is_tty && p.width < PIPE_WIDTH)
		p.width = PIPE_WIDTH;
	t = lay_out(&p, s, a);
	ag_paint_text(&p, AG_INK_BOLD, info->collection);
	ag_paint_text(&p, AG_INK_PLAIN,
	              ag_str_printf(a, ": %.*s of %.*s, %zu field%s%s",
	                            AG_FMT(ag_human_count(s->surveyed, a)),
	                            AG_FMT(ag_human_documents(info->ndoc, a)), s->nfield,
	                            s->nfield == 1 ? "" : "s",
	                            c->app.settings.audit.show_values
	                                    ? ""
	                                    : "; personal values are masked"));
	ag_paint_nl(&p);
	if (info->broken) {
		ag_paint_text(&p, AG_INK_YELLOW,
		              ag_str_printf(a, "%.*s document%s cannot be read and %s left out",
		                            AG_FMT(ag_human_count(info->broken, a)),
		                            info->broken == 1 ? "" : "s",
		                            info->broken == 1 ? "is" : "are"));
		if (info->nissue)
			ag_paint_text(&p, AG_INK_YELLOW, first_issue(info, a));
		ag_paint_nl(&p);
	}
	ag_paint_nl(&p);
	head_row(&p, &t);
	for (size_t i = 0; i < s->nfield; i++)
		field_row(c, &p, &t, &s->fields[i]);
	for (size_t i = 0; i < s->ntruncated; i++) {
		ag_paint_text(&p, AG_INK_YELLOW,
		              ag_str_printf(a, "too deep, not looked into: %.*s",
		                            AG_FMT(s->truncated[i])));
		ag_paint_nl(&p);
	}
	if (s->paths_left_out) {
		ag_paint_text(&p, AG_INK_YELLOW,
		              ag_str_printf(a, "and %.*s more fields",
		                            AG_FMT(ag_human_count(s->paths_left_out, a))));
		ag_paint_nl(&p);
	}
}

/* --- running --- */

static ag_status survey(ag_cli *c, ag_source *s, ag_survey *ret, ag_err *err)
{
	uint64_t n = c->app.settings.audit.sample_size;

	return ag_source_survey(s, &c->app.ctx, c->app.arena, n ? n : UINT64_MAX,
	                        c->app.settings.audit.seed, ret, err);
}

/* One collection into `out` or, as JSON, `w`; it is closed again before the next is opened. */
static ag_status inspect(ag_cli *c, const ag_source_place *place, ag_buf *out, ag_jw *w)
{
	const ag_source_opts so = { .strict = c->app.settings.audit.strict,
		                    .max_scan = c->app.settings.audit.max_scan };
	ag_progress_line *line = ag_progress_start(c, place->uri);
	ag_source *s = NULL;
	ag_err err = { 0 };
	ag_survey found;
	ag_status st = ag_source_open_place(&c->app.ctx, place, &so, &s, &err);

	if (!st)
		st = survey(c, s, &found, &err);
	ag_progress_stop(line);
	if (st)
		ag_cli_fail(c, &err);
	else if (ag_cli_is_json(c))
		json_one(c, ag_source_info_of(s), &found, w);
	else {
		if (out->len)
			ag_buf_adds(out, "\n\n");
		text_one(c, ag_source_info_of(s), &found, out);
	}
	ag_source_close(s);
	return st;
}

static int run(ag_cli *c)
{
	ag_source_place *places = NULL;
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_err err = { 0 };
	int code = AG_EXIT_OK;
	ag_status st = AG_OK;
	size_t n = 0;
	bool ok;
	ag_jw w;

	if (ag_source_list(&c->app.ctx, c->args[0], c->app.arena, &places, &n, &err))
		return ag_cli_fail(c, &err);
	ag_jw_init(&w, &out, 2);
	if (ag_cli_is_json(c) && n != 1) {
		ag_jw_obj(&w);
		ag_jw_kkey(&w, "collections");
		ag_jw_arr(&w);
	}
	for (size_t i = 0; i < n && st != AG_CANCELLED && st != AG_TIMEOUT; i++) {
		st = inspect(c, &places[i], &out, &w);
		if (st)
			code = st == AG_CANCELLED ? AG_EXIT_CANCELLED : AG_EXIT_FAILED;
	}
	if (ag_cli_is_json(c) && n != 1) {
		ag_jw_arr_end(&w);
		ag_jw_obj_end(&w);
	}
	if (ag_cli_is_json(c) && out.len)
		ok = ag_cli_print_json(c, ag_buf_view(&out));
	else
		ok = ag_cli_finish(c, &out, AG_EXIT_OK) == AG_EXIT_OK;
	ag_buf_release(&out);
	return ok || code ? code : AG_EXIT_FAILED;
}

const ag_command ag_cmd_inspect = {
	.name = "inspect",
	.summary = "Show the schema of collections",
	.group = AG_GROUP_LOOK,
	.usage = "SOURCE [options]",
	.about =
		"Each field with its types (most frequent first), in how many documents it is there and "
		"missing, the share of null or missing values, how many distinct values it has (100+: more "
		"than 100), and samples. JSON is one object, or {\"collections\":[...]} for a folder with "
		"several files.",
	.examples = "argus inspect orders.ndjson # every document counts\n"
		    "argus inspect orders.ndjson -n 200 --seed 7 # a sample, always the same",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1,
	.flags = AG_COMMAND_LOADS,
	.run = run,
};
