/* inspect_text -- one screen first: a line for each path, with a picture of its values beside it; all figures on demand.
 *
 *   field        types  filled  distinct              values
 *   total        float   99.1%     3,554  ▁▁▁█▇▄▃▂▁▁  -954.41 … 42.65 … 2348.22
 *
 * A terminal that is not UTF-8 gets "#" and ".." where others get blocks and "…". */
#include "report/inspect.h"

#include <string.h>

#include "report/bars.h"

#define GAP         2
#define FILLED_COLS 6
#define COUNT_COLS  8
#define NARROW      66 /* below: no types and no pictures */
#define MOST_BARS   30
#define LABEL_COLS  28 /* of a bar in the details */
#define MIN_BAR     8

typedef struct view {
	ag_paint *p;
	ag_arena *arena;
	const ag_val *collection;
} view;

typedef struct columns {
	size_t field, types, bars; /* types and bars 0: not shown */
} columns;

/* Words of this program as the terminal can show them. */
static ag_str shown(const view *v, ag_str s)
{
	ag_buf out = AG_BUF_INIT(1024 * 1024);
	ag_str ret;

	if (v->p->utf8 || !ag_str_contains(s, AG_S("…")))
		return s;
	for (size_t i = 0; i < s.len; i++) {
		if (s.len - i >= 3 && memcmp(s.ptr + i, "…", 3) == 0) {
			ag_buf_adds(&out, "..");
			i += 2;
		} else {
			ag_buf_addc(&out, s.ptr[i]);
		}
	}
	ret = ag_buf_dup(v->arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* The survey's field of that path, NULL for items of arrays. */
static const ag_val *schema_field(const ag_val *collection, ag_str path)
{
	size_t n;
	const ag_val *fields = ag_report_items(collection, "fields", &n);
	size_t lo = 0, hi = n;

	while (lo < hi) { /* sorted by path */
		const size_t mid = lo + (hi - lo) / 2;

		if (ag_str_cmp(ag_report_str(&fields[mid], "path"), path) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && ag_str_eq(ag_report_str(&fields[lo], "path"), path) ? &fields[lo] : NULL;
}

static ag_str types_of(const view *v, const ag_val *d)
{
	return ag_bars_types(d, schema_field(v->collection, ag_report_str(d, "path")), v->arena);
}

static size_t at_most(size_t n, size_t most)
{
	return n < most ? n : most;
}

static columns layout(const view *v, const ag_val *paths, size_t n)
{
	const size_t width = v->p->width;
	columns c = { 5, 5, width < 90 ? 10 : width < 140 ? 16 : MOST_BARS };

	for (size_t i = 0; i < n; i++) {
		const size_t field = ag_paint_width(v->p, ag_report_str(&paths[i], "path")),
			     types = ag_paint_width(v->p, types_of(v, &paths[i]));

		c.field = field > c.field ? field : c.field;
		c.types = types > c.types ? types : c.types;
	}
	if (width < NARROW) {
		c.types = c.bars = 0;
		c.field = at_most(c.field, width - FILLED_COLS - COUNT_COLS - 2 * GAP);
		return c;
	}
	c.types = at_most(c.types, width < 90 ? 8 : width < 140 ? 12 : 24);
	c.field = at_most(c.field, width < 90 ? 22 : width < 140 ? 32 : 48);
	return c;
}

static void right(ag_paint *p, ag_ink ink, size_t end, ag_str s)
{
	const size_t w = ag_paint_width(p, s);

	ag_paint_to(p, end > w ? end - w : 0);
	ag_paint_text(p, ink, s);
}

/* Where the column of values begins. */
static size_t words_at(const columns *c)
{
	return c->field + GAP + (c->types ? c->types + GAP : 0) + FILLED_COLS + GAP + COUNT_COLS +
	       (c->bars ? GAP + c->bars : 0) + GAP;
}

static void head_row(const view *v, const columns *c)
{
	ag_paint *p = v->p;
	size_t at = c->field + GAP;

	ag_paint_lit(p, AG_INK_BOLD, "field");
	if (c->types) {
		ag_paint_to(p, at);
		ag_paint_lit(p, AG_INK_BOLD, "types");
		at += c->types + GAP;
	}
	right(p, AG_INK_BOLD, at + FILLED_COLS, AG_S("filled"));
	right(p, AG_INK_BOLD, at + FILLED_COLS + GAP + COUNT_COLS, AG_S("distinct"));
	if (c->bars && words_at(c) + 6 <= p->width) {
		ag_paint_to(p, words_at(c));
		ag_paint_lit(p, AG_INK_BOLD, "values");
	}
	ag_paint_nl(p);
}

/* One column for each height. What is there is never drawn as nothing. */
static void picture(const view *v, const ag_val *d, size_t most_bars)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const plain[] = { " ", ".", ".", ":", ":", "=", "=", "#", "#" };
	uint64_t heights[AG_BARS_MAX], most = 0;
	const size_t n = ag_bars_heights(d, most_bars, heights);

	for (size_t i = 0; i < n; i++)
		most = heights[i] > most ? heights[i] : most;
	for (size_t i = 0; i < n && most; i++) {
		size_t level = (size_t)((double)heights[i] / (double)most * 8 + 0.5);

		level = heights[i] && !level ? 1 : level;
		ag_paint_lit(v->p, AG_INK_BLUE, v->p->utf8 ? blocks[level] : plain[level]);
	}
}

static void path_row(const view *v, const columns *c, const ag_val *d)
{
	const ag_str types = types_of(v, d), filled = ag_bars_filled(d, v->arena);
	const bool is_whole = ag_str_eqc(filled, "100%");
	ag_paint *p = v->p;
	size_t at = c->field + GAP, room;

	ag_paint_cut_front(p, AG_INK_CYAN, c->field, ag_report_str(d, "path"));
	if (c->types) {
		ag_paint_to(p, at);
		ag_paint_cut(p, ag_str_contains(types, AG_S(", ")) ? AG_INK_YELLOW : AG_INK_PLAIN,
		             c->types, types);
		at += c->types + GAP;
	}
	right(p, is_whole ? AG_INK_PLAIN : AG_INK_YELLOW, at + FILLED_COLS, filled);
	at += FILLED_COLS + GAP;
	if (ag_report_count(d, "distinct"))
		right(p, AG_INK_PLAIN, at + COUNT_COLS,
		      ag_human_count(ag_report_count(d, "distinct"), v->arena));
	at += COUNT_COLS + GAP;
	if (c->bars) {
		ag_paint_to(p, at);
		picture(v, d, c->bars);
		at += c->bars + GAP;
		room = p->width > at ? p->width - at : 0;
		if (room > 4) {
			ag_paint_to(p, at);
			ag_paint_cut(p, AG_INK_DIM, room,
			             shown(v, ag_bars_words(d, room, v->arena)));
		}
	}
	ag_paint_nl(p);
}

/* --- all figures of a path --- */

static void line(const view *v, ag_ink ink, ag_str text)
{
	ag_paint_to(v->p, 2);
	ag_paint_wrap(v->p, ink, 2, shown(v, text));
	ag_paint_nl(v->p);
}

/* "float 5,353, missing 47 of 5,400 documents; 3,554 different values" */
static void counts(const view *v, const ag_val *d)
{
	const ag_val *types = ag_report_get(d, "types");
	const uint64_t missing = ag_report_count(d, "missing_count"),
		       all = ag_report_count(d, "present_count") + missing,
		       distinct = ag_report_count(d, "distinct");
	ag_buf out = AG_BUF_INIT(64 * 1024);

	for (uint32_t i = 0; types && types->type == AG_T_OBJECT && i < types->n; i++)
		ag_buf_addf(&out, "%s%.*s %.*s", i ? ", " : "", AG_FMT(types->u.members[i].key),
		            AG_FMT(ag_human_count((uint64_t)ag_val_number(&types->u.members[i].val),
		                                  v->arena)));
	if (missing)
		ag_buf_addf(&out, ", missing in %.*s of %.*s",
		            AG_FMT(ag_human_count(missing, v->arena)),
		            AG_FMT(ag_human_documents(all, v->arena)));
	else
		ag_buf_addf(&out, ", in all %.*s", AG_FMT(ag_human_documents(all, v->arena)));
	if (distinct)
		ag_buf_addf(&out, "; %.*s different value%s",
		            AG_FMT(ag_human_count(distinct, v->arena)), distinct == 1 ? "" : "s");
	line(v, AG_INK_PLAIN, ag_buf_view(&out));
	ag_buf_release(&out);
}

/* "12 negative, 3 zero": what of the members is not 0. */
static void kinds(const view *v, const ag_val *stats, const char *const *names, size_t n)
{
	ag_buf out = AG_BUF_INIT(4096);

	for (size_t i = 0; i < n; i++)
		if (ag_report_count(stats, names[i]))
			ag_buf_addf(&out, "%s%.*s %s", out.len ? ", " : "",
			            AG_FMT(ag_human_count(ag_report_count(stats, names[i]),
			                                  v->arena)),
			            names[i]);
	if (out.len)
		line(v, AG_INK_PLAIN, ag_buf_view(&out));
	ag_buf_release(&out);
}

static void statistics(const view *v, const ag_bars *b)
{
	static const struct {
		const char *member, *name;
	} rows[] = {
		{ "min", "min" },    { "p1", "1%" },     { "p5", "5%" },   { "p25", "25%" },
		{ "p50", "median" }, { "p75", "75%" },   { "p95", "95%" }, { "p99", "99%" },
		{ "max", "max" },    { "mean", "mean" },
	};
	ag_paint *p = v->p;
	bool is_first = true;

	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		const ag_str figure = ag_bars_figure(b, rows[i].member, v->arena);

		if (!figure.len)
			continue;
		if (is_first)
			ag_paint_to(p, 2);
		else
			ag_paint_fit(p, 2, 3 + strlen(rows[i].name) + ag_paint_width(p, figure));
		if (!is_first && p->col > 2)
			ag_paint_to(p, p->col + 2);
		ag_paint_lit(p, AG_INK_DIM, rows[i].name);
		ag_paint_lit(p, AG_INK_PLAIN, " ");
		ag_paint_text(p, AG_INK_PLAIN, figure);
		is_first = false;
	}
	if (!is_first)
		ag_paint_nl(p);
}

/* In eighths of a column. */
static void bar(const view *v, double share, size_t room)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	size_t eighths = (size_t)(share * 8 * (double)room + 0.5);

	if (share > 0 && !eighths)
		eighths = 1;
	for (size_t i = 0; i < eighths / 8; i++)
		ag_paint_lit(v->p, AG_INK_BLUE, v->p->utf8 ? "█" : "#");
	if (eighths % 8)
		ag_paint_lit(v->p, AG_INK_BLUE,
		             v->p->utf8    ? parts[eighths % 8]
		             : eighths < 8 ? "."
		                           : "");
}

static void bar_row(const view *v, size_t label_cols, ag_str label, uint64_t n, uint64_t most)
{
	ag_paint *p = v->p;
	const size_t at = 4 + label_cols + GAP + 10 + GAP;

	label = shown(v, label);
	if (ag_paint_width(p, label) > label_cols) {
		ag_paint_to(p, 4);
		ag_paint_cut(p, AG_INK_PLAIN, label_cols, label);
	} else {
		right(p, AG_INK_PLAIN, 4 + label_cols, label);
	}
	right(p, AG_INK_PLAIN, 4 + label_cols + GAP + 10, ag_human_count(n, v->arena));
	if (at + MIN_BAR <= p->width && n) {
		ag_paint_to(p, at);
		bar(v, (double)n / (double)most, p->width - at);
	}
	ag_paint_nl(p);
}

static size_t label_columns(const view *v, const ag_bars *b)
{
	size_t most = 0;

	for (size_t i = 0; i < b->n; i++) {
		const size_t w = ag_paint_width(v->p, shown(v, ag_bars_label(b, i, v->arena)));

		most = w > most ? w : most;
	}
	most = b->below || b->above ? (most > 16 ? most : 16) : most;
	return at_most(at_most(most, LABEL_COLS), v->p->width - 4 - GAP - 10);
}

static void histogram(const view *v, const ag_bars *b)
{
	const size_t cols = label_columns(v, b);

	line(v, AG_INK_BOLD, ag_bars_title(b, v->arena));
	if (b->below)
		bar_row(v, cols, ag_bars_below(b, v->arena), b->below, b->most);
	for (size_t i = 0; i < b->n; i++)
		bar_row(v, cols, ag_bars_label(b, i, v->arena), b->counts[i], b->most);
	if (b->above)
		bar_row(v, cols, ag_bars_above(b, v->arena), b->above, b->most);
}

static void listed(const view *v, const ag_val *d, const char *member, const char *title)
{
	size_t n;
	const ag_val *items = ag_report_items(d, member, &n),
		     *top = ag_report_items(d, "top_values", &(size_t){ 0 });
	const uint64_t most = top ? ag_report_count(&top[0], "count") : 0;

	if (!n || !most)
		return;
	line(v, AG_INK_BOLD, ag_str_c(title));
	for (size_t i = 0; i < n; i++)
		bar_row(v, at_most(LABEL_COLS, v->p->width - 4 - GAP - 10),
		        ag_bars_value(ag_report_get(&items[i], "value"), v->p->utf8, v->arena),
		        ag_report_count(&items[i], "count"), most);
}

static void path_details(const view *v, const ag_val *d)
{
	static const char *const number_kinds[] = { "negative", "zero", "nan", "infinite" };
	static const char *const text_kinds[] = { "empty", "blank" };
	ag_bars b[AG_BARS_KINDS];
	const size_t n = ag_bars_of(d, b);

	ag_paint_nl(v->p);
	ag_paint_text(v->p, AG_INK_CYAN, ag_report_str(d, "path"));
	ag_paint_nl(v->p);
	counts(v, d);
	kinds(v, ag_report_get(d, "numbers"), number_kinds, AG_NELEM(number_kinds));
	kinds(v, ag_report_get(d, "texts"), text_kinds, AG_NELEM(text_kinds));
	for (size_t i = 0; i < n; i++) {
		histogram(v, &b[i]);
		statistics(v, &b[i]);
	}
	listed(v, d, "top_values",
	       ag_report_count(d, "repeated") ? "frequent values" : "values, each once");
	listed(v, d, "rare_values", "rare values");
}

/* --- a collection --- */

static void headline(const view *v, size_t npath)
{
	const ag_val *c = v->collection, *masked = ag_report_get(c, "masked");
	const uint64_t size = ag_report_count(c, "collection_size"),
		       sampled = ag_report_count(c, "documents_sampled");
	ag_arena *a = v->arena;

	ag_paint_text(v->p, AG_INK_BOLD, ag_report_str(c, "collection"));
	ag_paint_lit(v->p, AG_INK_BOLD, ": ");
	ag_paint_wrap(v->p, AG_INK_PLAIN, 2,
	              ag_str_printf(a, "%.*s%s%.*s, %zu field%s%s",
	                            AG_FMT(sampled < size ? ag_human_count(sampled, a) : AG_S("")),
	                            sampled < size ? " of " : "",
	                            AG_FMT(ag_human_documents(size, a)), npath,
	                            npath == 1 ? "" : "s",
	                            masked && ag_val_truthy(masked) ? "; personal values are masked"
	                                                            : ""));
	ag_paint_nl(v->p);
}

static void warning(const view *v, ag_str text)
{
	ag_paint_wrap(v->p, AG_INK_YELLOW, 0, text);
	ag_paint_nl(v->p);
}

static void unreadable(const view *v)
{
	const uint64_t n = ag_report_count(v->collection, "broken");
	const ag_str first = ag_report_str(v->collection, "first_issue");

	if (n)
		warning(v, ag_str_printf(v->arena, "%.*s cannot be read and %s left out%s%.*s",
		                         AG_FMT(ag_human_documents(n, v->arena)),
		                         n == 1 ? "is" : "are", first.len ? "; the first: " : "",
		                         AG_FMT(first)));
}

static void left_out(const view *v)
{
	size_t n;
	const ag_val *cut = ag_report_items(v->collection, "truncated_paths", &n);
	const uint64_t more = ag_report_count(v->collection, "paths_left_out");

	for (size_t i = 0; i < n; i++)
		if (cut[i].type == AG_T_STRING)
			warning(v, ag_str_printf(v->arena, "too deep, not looked into: %.*s",
			                         AG_FMT(ag_val_text(&cut[i]))));
	if (more)
		warning(v, ag_str_printf(v->arena, "and %.*s more fields",
		                         AG_FMT(ag_human_count(more, v->arena))));
}

void ag_inspect_text(const ag_val *collection, const ag_inspect_look *look, ag_paint *p)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const view v = { p, arena, collection };
	size_t n;
	const ag_val *paths = ag_report_items(collection, "distributions", &n);
	const columns c = layout(&v, paths, n);

	headline(&v, n);
	unreadable(&v);
	if (look->table && n) {
		ag_paint_nl(p);
		head_row(&v, &c);
		for (size_t i = 0; i < n; i++)
			path_row(&v, &c, &paths[i]);
		left_out(&v);
	}
	for (size_t i = 0; look->details && i < n; i++)
		path_details(&v, &paths[i]);
}
