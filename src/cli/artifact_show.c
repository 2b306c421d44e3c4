/* artifact_show -- see the header. */
#include "cli/artifact_show.h"

#include "artifact/blocks.h"
#include "artifact/markup.h"
#include "base/utf8.h"
#include "cli/past.h"
#include "query/extjson.h"
#include "report/grid.h"

#define SHOWN_FIGURES 20u

/* --- a line --- */

void ag_artifact_show_line(const ag_artifact_row *r, ag_arena *arena, ag_paint *p)
{
	ag_paint_text(p, AG_INK_CYAN, ag_utf8_prefix(r->id, 18));
	ag_paint_to(p, 20);
	ag_paint_text(p, AG_INK_DIM, r->kind);
	ag_paint_to(p, 30);
	ag_paint_textf(p, AG_INK_PLAIN, "v%llu", (unsigned long long)r->nversion);
	ag_paint_to(p, 36);
	ag_paint_text(p, AG_INK_DIM, ag_past_when(r->changed_ms, arena));
	ag_paint_to(p, 54);
	ag_paint_cut(p, AG_INK_PLAIN, p->width > p->col + 10 ? p->width - p->col : 10, r->title);
	ag_paint_nl(p);
}

/* --- tables --- */

static void show_table(const ag_artifact_table *t, ag_arena *arena, ag_paint *p)
{
	const ag_grid g = { .columns = &t->columns,
		            .rows = &t->rows,
		            .row_count = t->row_count,
		            .is_cut = t->is_cut };

	if (t->name.len) {
		ag_paint_text(p, AG_INK_BOLD, t->name);
		ag_paint_nl(p);
	}
	ag_grid_paint(&g, p, arena);
}

static void show_tables(const ag_artifact_table *list, size_t n, ag_arena *arena, ag_paint *p)
{
	for (size_t i = 0; i < n; i++) {
		ag_paint_nl(p);
		show_table(&list[i], arena, p);
	}
}

void ag_artifact_show_results(const ag_artifact_result *results, size_t n, ag_arena *arena,
                              ag_paint *p)
{
	for (size_t i = 0; i < n; i++) {
		const ag_artifact_result *r = &results[i];
		const ag_artifact_table t = { r->name, r->columns, r->rows, r->row_count,
			                      r->is_cut };

		ag_paint_nl(p);
		if (!r->error.len) {
			show_table(&t, arena, p);
			continue;
		}
		ag_paint_text(p, AG_INK_BOLD, r->name);
		ag_paint_lit(p, AG_INK_RED, " failed: ");
		ag_paint_wrap(p, AG_INK_PLAIN, 2, r->error);
		ag_paint_nl(p);
	}
}

/* --- Markdown --- */

static void show_block(const ag_block *b, ag_arena *arena, ag_paint *p)
{
	const ag_grid g = {
		.columns = &b->columns, .rows = &b->rows, .row_count = b->rows.n, .max_rows = 200
	};
	ag_str code = b->text;

	switch (b->kind) {
	case AG_BLOCK_HEADING: ag_paint_wrap(p, AG_INK_BOLD, 0, b->text); break;
	case AG_BLOCK_RULE: ag_paint_rule(p, 0); return;
	case AG_BLOCK_TABLE: ag_grid_paint(&g, p, arena); return;
	case AG_BLOCK_CODE:
		while (code.len) {
			ag_paint_to(p, 4);
			ag_paint_text(p, AG_INK_CYAN, ag_str_split(&code, '\n'));
			ag_paint_nl(p);
		}
		return;
	case AG_BLOCK_ITEM:
		ag_paint_to(p, 2 * (size_t)b->level);
		ag_paint_text(p, AG_INK_DIM, b->mark);
		ag_paint_lit(p, AG_INK_PLAIN, " ");
		ag_paint_wrap(p, AG_INK_PLAIN, p->col, b->text);
		break;
	case AG_BLOCK_QUOTE:
		ag_paint_lit(p, AG_INK_DIM, "> ");
		ag_paint_wrap(p, AG_INK_PLAIN, 2, b->text);
		break;
	case AG_BLOCK_TEXT: ag_paint_wrap(p, AG_INK_PLAIN, 0, b->text); break;
	}
	ag_paint_nl(p);
}

static void show_markdown(ag_str text, ag_arena *arena, ag_paint *p)
{
	ag_block_kind before = AG_BLOCK_ITEM;
	ag_block b;

	while (ag_block_next(&text, arena, &b)) {
		if (b.kind != AG_BLOCK_ITEM || before != AG_BLOCK_ITEM)
			ag_paint_nl(p);
		show_block(&b, arena, p);
		before = b.kind;
	}
}

/* --- the whole --- */

static void fact(ag_paint *p, const char *label, ag_str value)
{
	if (!value.len)
		return;
	ag_paint_to(p, 2);
	ag_paint_lit(p, AG_INK_DIM, label);
	ag_paint_to(p, 16);
	ag_paint_wrap(p, AG_INK_PLAIN, 16, value);
	ag_paint_nl(p);
}

static void show_figures(const ag_artifact *a, ag_arena *arena, ag_paint *p)
{
	const ag_extjson_opts opts = { 0 };
	const ag_val *list;
	uint64_t n;
	ag_val v;

	if (!a->version.figures.len ||
	    ag_extjson_parse(a->version.figures, &opts, arena, &v, NULL, NULL, NULL)) {
		fact(p, "figures", AG_S("not checked: it was made outside of a conversation"));
		return;
	}
	list = ag_val_getc(&v, "unproven");
	n = ag_val_member_u64(&v, "unproven_count");
	fact(p, "figures",
	     ag_str_printf(arena, "%llu proven by results, %llu without a source%s%.*s",
	                   (unsigned long long)ag_val_member_u64(&v, "proven"),
	                   (unsigned long long)n,
	                   ag_val_member_bool(&v, "checked") ? "" : "; not all checked: ",
	                   AG_FMT(ag_val_member_str(&v, "why"))));
	for (uint32_t i = 0; list && list->type == AG_T_ARRAY && i < list->n && i < SHOWN_FIGURES;
	     i++) {
		ag_paint_to(p, 16);
		ag_paint_lit(p, AG_INK_YELLOW, "no source: ");
		ag_paint_text(p, AG_INK_BOLD, ag_val_member_str(&list->u.items[i], "text"));
		ag_paint_lit(p, AG_INK_PLAIN, " in ");
		ag_paint_wrap(p, AG_INK_PLAIN, 18, ag_val_member_str(&list->u.items[i], "where"));
		ag_paint_nl(p);
	}
	if (n > SHOWN_FIGURES) {
		ag_paint_to(p, 16);
		ag_paint_textf(p, AG_INK_DIM, "and %llu more",
		               (unsigned long long)(n - SHOWN_FIGURES));
		ag_paint_nl(p);
	}
}

static void show_head(const ag_artifact *a, ag_arena *arena, ag_paint *p)
{
	const ag_artifact_version *v = &a->version;

	ag_paint_wrap(p, AG_INK_BOLD, 0, a->row.title);
	ag_paint_nl(p);
	fact(p, "type", a->row.kind);
	fact(p, "id", a->row.id);
	fact(p, "version",
	     ag_str_printf(arena, "%llu of %llu, by %.*s, %.*s", (unsigned long long)v->version,
	                   (unsigned long long)a->row.nversion,
	                   AG_FMT(v->author.len ? v->author : AG_S("nobody")),
	                   AG_FMT(ag_past_when(v->created_ms, arena))));
	if (!ag_str_eq(v->title, a->row.title))
		fact(p, "saved as", v->title);
	fact(p, "description", v->description);
	fact(p, "thread", a->row.thread);
	show_figures(a, arena, p);
}

void ag_artifact_show(const ag_artifact *a, const ag_artifact_result *results, size_t n,
                      ag_arena *arena, ag_paint *p)
{
	ag_artifact_table *tables = NULL;
	size_t ntable = 0;

	show_head(a, arena, p);
	switch (a->kind) {
	case AG_ARTIFACT_MARKDOWN: show_markdown(a->version.code, arena, p); break;
	case AG_ARTIFACT_HTML:
	case AG_ARTIFACT_SVG:
		show_markdown(ag_markup_text(a->version.code, arena), arena, p);
		break;
	case AG_ARTIFACT_PLOTLY: ntable = ag_artifact_plotly_tables(a, arena, &tables); break;
	case AG_ARTIFACT_REACT:
	case AG_ARTIFACT_NKIND:
		ag_paint_nl(p);
		ag_paint_lit(p, AG_INK_DIM,
		             "A component that a browser draws; this is the data that it has.");
		ag_paint_nl(p);
		break;
	}
	show_tables(tables, ntable, arena, p);
	ntable = ag_artifact_data_tables(a, arena, &tables);
	show_tables(tables, ntable, arena, p);
	ag_artifact_show_results(results, n, arena, p);
}

/* --- JSON --- */
