/* scan_csv -- records of a CSV block into the builder: every cell a string, beside it the view that its
 * text suggests when it was not quoted. csv_quoted.c adds the views of columns whose cells are all quoted. */
#include <stdlib.h>

#include "base/utf8.h"
#include "columns/csv.h"
#include "columns/scan.h"
#include "columns/split.h"

typedef struct csv_block {
	ag_scan *s;
	ag_bcol **cols; /* by position */
	uint32_t line;
} csv_block;

static uint64_t heap_undoubled(ag_builder *b, ag_str cell)
{
	uint64_t ref = ag_build_heap(b, cell.ptr, cell.len);
	char *to = b->chunk->heap + (ref >> 32);
	size_t n = 0;

	if (b->failed)
		return 0;
	for (size_t i = 0; i < cell.len; i++) {
		to[n++] = cell.ptr[i];
		if (cell.ptr[i] == '"')
			i++;
	}
	to[n] = '\0';
	b->chunk->heap_len -= cell.len - n;
	return ref - (cell.len - n);
}

static void add_cell(csv_block *k, ag_bcol *c, uint32_t up, ag_str cell, bool quoted, bool doubled)
{
	ag_builder *b = &k->s->b;
	uint64_t ref = doubled ? heap_undoubled(b, cell) : ag_build_heap(b, cell.ptr, cell.len);
	uint32_t row = ag_build_row(b, c, up, AG_T_STRING, ref);

	if (quoted) {
		ag_build_view(c, row, AG_T_MISSING, AG_CSV_QUOTED);
	} else {
		ag_val view = ag_csv_view(cell);

		ag_build_view(c, row, view.type, ag_build_bits(b, &view, k->s->scratch));
	}
	ag_build_member(b, c);
}

/* Cells of the record into the open object, and how many there were; false: more cells than columns. */
static bool add_cells(csv_block *k, const ag_build_obj *o, const ag_split_item *item,
                      uint32_t *ret_n)
{
	const char *p = k->s->p;
	const ag_csv_head *head = k->s->csv;
	size_t at = item->at;

	for (uint32_t i = 0;; i++, at++) {
		ag_str cell;
		bool quoted, doubled;

		if (i == head->ncol ||
		    !ag_csv_cell(p, item->end, head->sep, &at, &cell, &quoted, &doubled))
			return false;
		add_cell(k, k->cols[i], o->row, cell, quoted, doubled);
		if (at >= item->end) {
			*ret_n = i + 1;
			return true;
		}
	}
}

static void add_record(csv_block *k, const ag_split_item *item)
{
	ag_scan *s = k->s;
	ptrdiff_t bad = ag_scan_bad_utf8(s->p + item->at, item->end - item->at);
	const char *why = NULL;
	uint32_t ncell = 0;
	ag_build_obj o;

	if (item->why || bad >= 0) {
		if (item->why)
			ag_scan_issue_add(s, k->line, item->at, "%s", item->why);
		else
			ag_scan_issue_add(s, k->line, item->at,
			                  "invalid UTF-8 at byte %td of the record", bad);
		return;
	}
	ag_build_doc(&s->b, s->at + item->at, k->line);
	ag_build_object(&s->b, &o, s->b.root, s->b.chunk->ndoc);
	if (!add_cells(k, &o, item, &ncell)) {
		ag_build_doc_drop(&s->b);
		ag_scan_issue_add(s, k->line, item->at,
		                  "more cells than the %u columns of the header", s->csv->ncol);
		return;
	}
	ag_build_object_end(&s->b, &o);
	if (!ag_build_doc_end(&s->b, &why))
		ag_scan_issue_add(s, k->line, item->at, "%s", why);
	else if (ncell < s->csv->ncol)
		s->short_rows++;
}

static bool is_blank(const ag_scan *s, const ag_split_item *item)
{
	size_t n = item->end - item->at;

	return n == 0 || (n == 1 && s->p[item->at] == '\r');
}

void ag_scan_csv(ag_scan *s)
{
	csv_block k = { .s = s };
	ag_split_item item;
	size_t at = 0;

	k.cols = (ag_bcol **)ag_xcalloc(s->csv->ncol + 1, sizeof(*k.cols));
	for (uint32_t i = 0; i < s->csv->ncol; i++) {
		k.cols[i] = ag_build_named(&s->b, s->b.root, s->csv->names[i]);
		ag_build_with_views(k.cols[i]);
	}
	while (ag_scan_goes_on(s) &&
	       ag_csv_split_next(s->csv->sep, s->p, s->len, true, at, &item) == AG_SPLIT_ITEM) {
		if (item.end - item.at > s->max_doc_bytes)
			item.why = "a record that is too long";
		if (!is_blank(s, &item))
			add_record(&k, &item);
		k.line += (uint32_t)ag_split_count_lines(s->p + item.at, item.next - item.at);
		at = item.next;
	}
	s->nline = k.line;
	free(k.cols);
}
