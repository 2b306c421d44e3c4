/* caret -- see the header. The line is cut into cells, one for each code point; columns are those of the cells' escaped
 * texts. */
#include "cli/caret.h"

#include <stdlib.h>

#include "base/utf8.h"

#define TAB_STOP 4
#define BEFORE \
	3 /* of four columns: so much of the line stays before the place, which what is wrong depends on */

typedef struct cell {
	ag_str text;
	size_t width;
} cell;

static ag_str line_of(ag_str text, size_t *at)
{
	size_t from = *at, to = *at;

	while (from > 0 && text.ptr[from - 1] != '\n')
		from--;
	while (to < text.len && text.ptr[to] != '\n')
		to++;
	if (to > from && to > *at && text.ptr[to - 1] == '\r')
		to--;
	*at -= from;
	return ag_str_make(text.ptr + from, to - from);
}

/* Cells of the line; *ret_place is the number of the first that is not before `at`. */
static size_t cut_into_cells(const ag_paint *p, ag_str line, size_t at, cell *cells,
                             size_t *ret_place)
{
	static const char blanks[TAB_STOP + 1] = "    ";
	size_t n = 0, column = 0, pos = 0;

	*ret_place = SIZE_MAX;
	while (pos < line.len) {
		const size_t from = pos;

		if (from >= at && *ret_place == SIZE_MAX)
			*ret_place = n;
		ag_utf8_next(line, &pos);
		cells[n].text = ag_str_make(line.ptr + from, pos - from);
		if (line.ptr[from] == '\t')
			cells[n].text = ag_str_make(blanks, TAB_STOP - column % TAB_STOP);
		cells[n].width = ag_paint_width(p, cells[n].text);
		column += cells[n++].width;
	}
	if (*ret_place == SIZE_MAX)
		*ret_place = n;
	return n;
}

static size_t width_of(const cell *cells, size_t from, size_t to)
{
	size_t sum = 0;

	for (size_t i = from; i < to; i++)
		sum += cells[i].width;
	return sum;
}

static void blanks_to(ag_buf *out, size_t n)
{
	while (n-- > 0)
		ag_buf_addc(out, ' ');
}

void ag_caret_lines(const ag_paint *p, ag_str text, size_t at, ag_buf *out)
{
	const ag_str line = line_of(text, &at), sign = p->utf8 ? AG_S("…") : AG_S("...");
	const size_t nsign = ag_utf8_count(sign);
	cell *cells = (cell *)ag_xcalloc(line.len + 1, sizeof(*cells));
	size_t place, n = cut_into_cells(p, line, at, cells, &place), from = 0, to = n, used;
	/* The caret needs a column, also after the end. */
	const size_t room = p->width > 2 * nsign + 2 ? p->width - 1 : 2 * nsign + 2;

	if (width_of(cells, 0, n) > room) {
		const size_t before = (room - 2 * nsign) * BEFORE / 4;

		while (width_of(cells, from, place) > before)
			from++;
		used = (from ? nsign : 0) + width_of(cells, from, place);
		for (to = place; to < n && used + cells[to].width + nsign <= room; to++)
			used += cells[to].width;
	}
	if (from)
		ag_buf_add(out, sign);
	for (size_t i = from; i < to; i++)
		ag_paint_escape(out, cells[i].text, p->utf8, false);
	if (to < n)
		ag_buf_add(out, sign);
	ag_buf_addc(out, '\n');
	blanks_to(out, (from ? nsign : 0) + width_of(cells, from, place));
	ag_buf_adds(out, "^\n");
	free(cells);
}
