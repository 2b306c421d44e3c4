/* grid -- layout in two passes: what each column holds and how wide it is, then line by line. */
#include "report/grid.h"

#include <math.h>

#include "base/num.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define GAP        2u
#define MIN_TEXT   8u    /* a column of texts is not cut below this */
#define MAX_CELL   2000u /* code points of a cell that are looked at */
#define MAX_BARS   30u
#define BAR_COLS   24u
#define MIN_BAR    8u
#define SPARK_ROWS 8u
#define SPARK_COLS 60u
#define MAX_SPARKS 4u
#define LABEL_COLS 30u /* of a column's name in lines "column  value" */

typedef struct grid_column {
	ag_str name;
	bool is_number, is_key, is_date;
	bool has_null, has_negative;
	double low, high;
	size_t width, shown; /* needed; given */
} grid_column;

typedef struct grid {
	const ag_grid *g;
	ag_paint *p;
	ag_arena *arena;
	grid_column *columns;
	size_t ncolumn, nrow;
	size_t bar; /* the column that bars measure; ncolumn = none */
	size_t bar_width;
} grid;

static size_t grid_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* --- cells --- */

static const ag_val *grid_cell(const grid *t, size_t row, size_t column)
{
	const ag_val *r = &t->g->rows->u.items[row];

	return r->type == AG_T_ARRAY && column < r->n ? &r->u.items[column] : NULL;
}

static bool grid_number(const ag_val *v, double *ret)
{
	if (v->type == AG_T_STRING) {
		const ag_str s = ag_val_text(v);

		return s.len && s.len <= 40 && strchr("-.0123456789", s.ptr[0]) && s.ptr[0] &&
		       ag_str_to_double(s, ret);
	}
	*ret = ag_val_number(v);
	return ag_type_is_number(v->type) && !isnan(*ret) && !isinf(*ret);
}

static ag_str grid_text(const ag_val *v, ag_arena *arena)
{
	if (!v)
		return AG_S("");
	if (v->type == AG_T_NULL)
		return AG_S("null");
	if (v->type == AG_T_STRING)
		return ag_utf8_prefix(ag_val_text(v), MAX_CELL);
	return ag_utf8_prefix(ag_extjson_str(arena, v, AG_EXTJSON_RELAXED), MAX_CELL);
}

/* 2026-05, 2026-05-01 … */
static bool grid_is_date(ag_str s)
{
	int y, m;

	if (!ag_str_take_digits(&s, 4, &y) || !s.len || s.ptr[0] != '-')
		return false;
	s = ag_str_make(s.ptr + 1, s.len - 1);
	return ag_str_take_digits(&s, 2, &m) && m >= 1 && m <= 12;
}

/* Does a column of whole numbers name its rows? */
static bool grid_names_rows(ag_str name)
{
	static const char *const words[] = { "id",  "year", "month", "quarter", "week",
		                             "day", "rank", "jahr",  "monat" };

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		if (ag_str_ieq(name, ag_str_c(words[i])))
			return true;
	}
	return name.len > 3 && ag_str_ieq(ag_str_make(name.ptr + name.len - 3, 3), AG_S("_id"));
}

static void grid_column_read(grid *t, size_t i)
{
	grid_column *c = &t->columns[i];
	size_t nnumber = 0, ndate = 0, nother = 0;

	c->name = grid_text(&t->g->columns->u.items[i], t->arena);
	c->width = ag_paint_width(t->p, c->name);
	for (size_t row = 0; row < t->nrow; row++) {
		const ag_val *v = grid_cell(t, row, i);
		const ag_str text = grid_text(v, t->arena);
		const size_t width = ag_paint_width(t->p, text);
		double d;

		c->width = width > c->width ? width : c->width;
		if (!v || v->type == AG_T_NULL) {
			c->has_null = true;
			continue;
		}
		if (!grid_number(v, &d)) {
			nother++;
			ndate += v->type == AG_T_STRING && grid_is_date(text);
			continue;
		}
		c->low = !nnumber || d < c->low ? d : c->low;
		c->high = !nnumber || d > c->high ? d : c->high;
		c->has_negative = c->has_negative || d < 0;
		nnumber++;
	}
	c->is_number = nnumber > 0 && nother == 0;
	c->is_date = ndate > 0 && ndate == nother && !nnumber;
	c->is_key = c->is_number && grid_names_rows(c->name);
	c->width = c->width ? c->width : 1;
}

/* --- layout --- */

static size_t grid_total(const grid *t)
{
	size_t total = 0;

	for (size_t i = 0; i < t->ncolumn; i++)
		total += t->columns[i].shown + (i ? GAP : 0);
	return total;
}

/* Gives each column its room: the widest texts give way first. False: it does not fit as a table. */
static bool grid_layout(grid *t)
{
	for (size_t i = 0; i < t->ncolumn; i++)
		t->columns[i].shown = t->columns[i].width;
	for (size_t total = grid_total(t); total > t->p->width;) {
		grid_column *widest = NULL;
		size_t second = MIN_TEXT, least;

		for (size_t i = 0; i < t->ncolumn; i++) {
			grid_column *c = &t->columns[i];

			if (!c->is_number && c->shown > MIN_TEXT &&
			    (!widest || c->shown > widest->shown))
				widest = c;
		}
		if (!widest)
			return false;
		for (size_t i = 0; i < t->ncolumn; i++) {
			const grid_column *c = &t->columns[i];

			if (!c->is_number && c->shown < widest->shown && c->shown > second)
				second = c->shown;
		}
		/* Down to the next widest, or by what is too much. */
		least = widest->shown - grid_least(widest->shown - second, total - t->p->width);
		total -= widest->shown - (least < widest->shown ? least : widest->shown - 1);
		widest->shown = least < widest->shown ? least : widest->shown - 1;
	}
	return true;
}

/* --- pictures --- */

static void grid_choose_bar(grid *t)
{
	size_t nkey = 0, nmeasure = 0, measure = t->ncolumn, room;
	const grid_column *c;

	t->bar = t->ncolumn;
	for (size_t i = 0; i < t->ncolumn; i++) {
		const bool is_measure = t->columns[i].is_number && !t->columns[i].is_key;

		nmeasure += is_measure;
		nkey += !is_measure;
		measure = is_measure ? i : measure;
	}
	if (t->g->no_pictures || nmeasure != 1 || !nkey || t->nrow < 2 || t->nrow > MAX_BARS)
		return;
	c = &t->columns[measure];
	room = t->p->width > grid_total(t) + GAP ? t->p->width - grid_total(t) - GAP : 0;
	if (c->has_negative || c->low >= c->high || room < MIN_BAR)
		return;
	t->bar = measure;
	t->bar_width = grid_least(room, BAR_COLS);
}

/* A bar in eighths of a column; a terminal that is not UTF-8 gets "#". */
static void grid_bar(grid *t, double v)
{
	static const char *const parts[] = { "",       "\u258f", "\u258e", "\u258d",
		                             "\u258c", "\u258b", "\u258a", "\u2589" };
	const double share = t->columns[t->bar].high > 0 ? v / t->columns[t->bar].high : 0;
	size_t eighths = (size_t)(share * 8.0 * (double)t->bar_width + 0.5);

	eighths = v > 0 && !eighths ? 1 : grid_least(eighths, t->bar_width * 8);
	if (!t->p->utf8) {
		for (size_t i = 0; i < (eighths && eighths < 8 ? 1 : (eighths + 4) / 8); i++)
			ag_paint_lit(t->p, AG_INK_BLUE, "#");
		return;
	}
	for (size_t i = 0; i < eighths / 8; i++)
		ag_paint_lit(t->p, AG_INK_BLUE, "\u2588");
	ag_paint_lit(t->p, AG_INK_BLUE, parts[eighths % 8]);
}

static double grid_mean(const grid *t, size_t column, size_t from, size_t to, bool *ret_has)
{
	double sum = 0, d;
	size_t n = 0;

	for (size_t row = from; row < to; row++) {
		const ag_val *v = grid_cell(t, row, column);

		if (v && v->type != AG_T_NULL && grid_number(v, &d)) {
			sum += d;
			n++;
		}
	}
	*ret_has = n > 0;
	return n ? sum / (double)n : 0;
}

static void grid_spark(grid *t, size_t column, size_t label)
{
	static const char *const blocks[] = { "\u2581", "\u2582", "\u2583", "\u2584",
		                              "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char ascii[] = "_.-=+*#@";
	const grid_column *c = &t->columns[column];
	const size_t room = t->p->width > label + GAP ? t->p->width - label - GAP : 0;
	const size_t n = grid_least(grid_least(t->nrow, SPARK_COLS), room);
	char one[2] = { 0 };

	if (n < SPARK_ROWS)
		return;
	ag_paint_cut(t->p, AG_INK_DIM, label, c->name);
	ag_paint_to(t->p, label + GAP);
	for (size_t i = 0; i < n; i++) {
		bool has;
		const double v = grid_mean(t, column, i * t->nrow / n, (i + 1) * t->nrow / n, &has);
		const double share = (v - c->low) / (c->high - c->low);
		const size_t level = share >= 1 ? 7 : share <= 0 ? 0 : (size_t)(share * 8);

		one[0] = has ? ascii[level] : ' ';
		ag_paint_lit(t->p, AG_INK_BLUE, !has || !t->p->utf8 ? one : blocks[level]);
	}
	ag_paint_nl(t->p);
}

static void grid_sparks(grid *t)
{
	size_t n = 0, label = 0;

	if (t->g->no_pictures || t->bar < t->ncolumn || t->nrow < SPARK_ROWS ||
	    !t->columns[0].is_date)
		return;
	for (size_t pass = 0; pass < 2; pass++) {
		n = 0;
		for (size_t i = 1; i < t->ncolumn && n < MAX_SPARKS; i++) {
			const grid_column *c = &t->columns[i];

			if (!c->is_number || c->is_key || c->low >= c->high)
				continue;
			n++;
			if (pass)
				grid_spark(t, i, grid_least(label, LABEL_COLS));
			else
				label = ag_paint_width(t->p, c->name) > label
				                ? ag_paint_width(t->p, c->name)
				                : label;
		}
	}
}

/* --- lines --- */

static bool grid_is_right_to_left(ag_str s)
{
	for (size_t pos = 0; pos < s.len;) {
		const uint32_t cp = ag_utf8_next(s, &pos);

		if ((cp >= 0x590 && cp <= 0x8FF) || (cp >= 0xFB1D && cp <= 0xFDFF) ||
		    (cp >= 0xFE70 && cp <= 0xFEFC) || (cp >= 0x10800 && cp <= 0x10FFF) ||
		    (cp >= 0x1E800 && cp <= 0x1EFFF))
			return true;
	}
	return false;
}

static void grid_put(grid *t, ag_ink ink, size_t columns, ag_str s)
{
	ag_paint_cut(t->p, ink, columns, s);
	if (t->p->utf8 && grid_is_right_to_left(s))
		ag_buf_adds(t->p->out, "\u200e"); /* from left to right again; no column */
}

static void grid_header(grid *t)
{
	size_t at = 0;

	for (size_t i = 0; i < t->ncolumn; i++) {
		const grid_column *c = &t->columns[i];
		const size_t width = ag_paint_width(t->p, c->name);

		ag_paint_to(t->p, at + (c->is_number && width < c->shown ? c->shown - width : 0));
		grid_put(t, AG_INK_BOLD, c->shown, c->name);
		at += c->shown + GAP;
	}
	ag_paint_nl(t->p);
	for (size_t i = 0; i < grid_least(at - GAP, t->p->width); i++)
		ag_paint_sign(t->p, AG_INK_DIM, AG_SIGN_RULE);
	ag_paint_nl(t->p);
}

static void grid_row(grid *t, size_t row)
{
	size_t at = 0;
	double d;

	for (size_t i = 0; i < t->ncolumn; i++) {
		const grid_column *c = &t->columns[i];
		const ag_val *v = grid_cell(t, row, i);
		const ag_str text = grid_text(v, t->arena);
		const size_t width = ag_paint_width(t->p, text);

		ag_paint_to(t->p, at + (c->is_number && width < c->shown ? c->shown - width : 0));
		grid_put(t, v && v->type == AG_T_NULL ? AG_INK_DIM : AG_INK_PLAIN, c->shown, text);
		at += c->shown + GAP;
	}
	if (t->bar < t->ncolumn) {
		const ag_val *v = grid_cell(t, row, t->bar);

		if (v && grid_number(v, &d) && d > 0) {
			ag_paint_to(t->p, at);
			grid_bar(t, d);
		}
	}
	ag_paint_nl(t->p);
}

/* A row as lines "column  value". */
static void grid_record(grid *t, size_t row, size_t label)
{
	ag_paint_textf(t->p, AG_INK_DIM, "row %zu", row + 1);
	ag_paint_nl(t->p);
	for (size_t i = 0; i < t->ncolumn; i++) {
		const ag_val *v = grid_cell(t, row, i);
		const ag_str text = grid_text(v, t->arena);

		ag_paint_lit(t->p, AG_INK_PLAIN, "  ");
		grid_put(t, AG_INK_BOLD, label, t->columns[i].name);
		ag_paint_to(t->p, 2 + label + GAP);
		ag_paint_wrap(t->p, v && v->type == AG_T_NULL ? AG_INK_DIM : AG_INK_PLAIN,
		              2 + label + GAP, text);
		if (t->p->utf8 && grid_is_right_to_left(text))
			ag_buf_adds(t->p->out, "\u200e");
		ag_paint_nl(t->p);
	}
}

static void grid_records(grid *t)
{
	size_t label = 1;

	for (size_t i = 0; i < t->ncolumn; i++) {
		const size_t width = ag_paint_width(t->p, t->columns[i].name);

		label = width > label ? width : label;
	}
	label = grid_least(grid_least(label, LABEL_COLS), t->p->width / 2);
	for (size_t row = 0; row < t->nrow; row++)
		grid_record(t, row, label);
}

static void grid_footer(grid *t)
{
	const ag_grid *g = t->g;
	const uint64_t n = g->row_count > g->rows->n ? g->row_count : g->rows->n;
	char count[AG_NUM_MAX];

	ag_num_grouped(count, n);
	if (t->nrow < n)
		ag_paint_textf(t->p, AG_INK_DIM, "the first %zu of %s row%s%s", t->nrow, count,
		               n == 1 ? "" : "s",
		               g->is_cut ? " that were read; there are more" : "");
	else
		ag_paint_textf(t->p, AG_INK_DIM, "%s row%s%s", n ? count : "no", n == 1 ? "" : "s",
		               g->is_cut ? "; there are more" : "");
	if (g->columns->n > t->ncolumn)
		ag_paint_textf(t->p, AG_INK_DIM, "; the first %zu of %u columns", t->ncolumn,
		               g->columns->n);
	ag_paint_nl(t->p);
}

void ag_grid_paint(const ag_grid *g, ag_paint *p, ag_arena *arena)
{
	grid t = { .g = g, .p = p, .arena = arena };

	if (g->columns->type != AG_T_ARRAY || g->rows->type != AG_T_ARRAY)
		return;
	t.ncolumn = grid_least(g->columns->n, AG_GRID_MAX_COLUMNS);
	t.nrow = grid_least(g->rows->n, g->max_rows ? g->max_rows : AG_GRID_MAX_ROWS);
	t.columns = ag_new_n(arena, grid_column, t.ncolumn + 1);
	for (size_t i = 0; i < t.ncolumn; i++)
		grid_column_read(&t, i);
	t.bar = t.ncolumn;
	if (!t.ncolumn) {
		grid_footer(&t);
		return;
	}
	if (grid_layout(&t)) {
		grid_choose_bar(&t);
		grid_header(&t);
		for (size_t row = 0; row < t.nrow; row++)
			grid_row(&t, row);
		grid_sparks(&t);
	} else {
		grid_records(&t);
	}
	grid_footer(&t);
}
