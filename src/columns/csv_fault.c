/* Where in a broken record of a CSV file the fault is. Messages name the record's first byte, which is enough for a program; a person
 * who opens the file needs the line and the column. */
#include "base/utf8.h"
#include "columns/csv.h"
#include "columns/load.h"
#include "columns/scan.h"
#include "columns/split.h"

/* The offset in the record of the cell that cannot be read, or of the first one that has no column. */
static size_t bad_cell(ag_str record, const ag_csv_head *head)
{
	size_t at = 0, begin = 0;
	bool quoted, doubled;
	ag_str cell;

	for (uint32_t i = 0; at < record.len; i++, at++) {
		begin = at;
		if (i == head->ncol ||
		    !ag_csv_cell(record.ptr, record.len, head->sep, &at, &cell, &quoted, &doubled))
			return begin;
	}
	return 0;
}

static size_t fault_of(ag_str text, size_t begin)
{
	ag_arena *arena = ag_arena_new();
	ag_csv_head head = { .sep = ',' };
	ag_split_item item = { 0 };
	size_t ret = 0;

	if (!ag_csv_head_read("", text.ptr, text.len, '\0', arena, &head, NULL) &&
	    ag_csv_split_next(head.sep, text.ptr + begin, text.len - begin, true, 0, &item) ==
	            AG_SPLIT_ITEM) {
		const ag_str record = ag_str_make(text.ptr + begin + item.at, item.end - item.at);
		const ptrdiff_t bad = ag_scan_bad_utf8(record.ptr, record.len);

		ret = item.at + (bad >= 0 ? (size_t)bad : bad_cell(record, &head));
	}
	ag_arena_free(arena);
	return ret;
}

void ag_table_csv_fault(ag_str text, const ag_table_issue *issue, uint64_t *ret_line,
                        uint64_t *ret_column)
{
	const size_t begin = issue->byte < text.len ? (size_t)issue->byte : text.len;
	const size_t at = begin + fault_of(text, begin);
	size_t line = begin;

	*ret_line = issue->line;
	*ret_column = 1;
	for (size_t i = begin; i < at; i++) {
		if (text.ptr[i] == '\n') {
			line = i + 1;
			*ret_line += 1;
		}
	}
	while (line < at) {
		ag_utf8_next(ag_str_make(text.ptr, at), &line);
		*ret_column += 1;
	}
}
