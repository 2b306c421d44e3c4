/* blocks -- see the header. */
#include "artifact/blocks.h"

#define MAX_CELLS 200u
#define MAX_BYTES (2u << 20)

static ag_str peek(ag_str rest)
{
	return ag_str_split(&rest, '\n');
}

static ag_str take(ag_str *rest)
{
	const ag_str line = ag_str_split(rest, '\n');

	if (!rest->ptr)
		*rest = AG_S("");
	return line;
}

static size_t indent_of(ag_str line)
{
	size_t n = 0;

	while (n < line.len && line.ptr[n] == ' ')
		n++;
	return n;
}

static bool is_fence(ag_str line)
{
	line = ag_str_trim(line);
	return ag_str_starts(line, AG_S("```")) || ag_str_starts(line, AG_S("~~~"));
}

static size_t heading_of(ag_str line)
{
	size_t n = 0;

	while (n < line.len && line.ptr[n] == '#')
		n++;
	return n && n <= 6 && (n == line.len || line.ptr[n] == ' ') ? n : 0;
}

/* The length of "- ", "* ", "12. "; 0 = no item. */
static size_t item_of(ag_str line)
{
	size_t n = 0;

	if (line.len >= 2 && (line.ptr[0] == '-' || line.ptr[0] == '*' || line.ptr[0] == '+') &&
	    line.ptr[1] == ' ')
		return 2;
	while (n < line.len && n < 9 && line.ptr[n] >= '0' && line.ptr[n] <= '9')
		n++;
	return n && n + 1 < line.len && (line.ptr[n] == '.' || line.ptr[n] == ')') &&
	                       line.ptr[n + 1] == ' '
	               ? n + 2
	               : 0;
}

static bool is_rule(ag_str line)
{
	size_t n = 0;

	line = ag_str_trim(line);
	if (!line.len || !(line.ptr[0] == '-' || line.ptr[0] == '*' || line.ptr[0] == '_'))
		return false;
	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] != line.ptr[0] && line.ptr[i] != ' ')
			return false;
		n += line.ptr[i] == line.ptr[0];
	}
	return n >= 3;
}

/* "|---|:--:|" */
static bool is_table_rule(ag_str line)
{
	bool has_dash = false, has_pipe = false;

	line = ag_str_trim(line);
	for (size_t i = 0; i < line.len; i++) {
		const char c = line.ptr[i];

		if (c != '-' && c != '|' && c != ':' && c != ' ')
			return false;
		has_dash |= c == '-';
		has_pipe |= c == '|';
	}
	return has_dash && has_pipe;
}

static bool begins_block(ag_str rest)
{
	const ag_str line = peek(rest), text = ag_str_trim(line);

	return !text.len || heading_of(text) || item_of(text) || is_fence(line) || is_rule(line) ||
	       text.ptr[0] == '>' || text.ptr[0] == '|';
}

static ag_val cells_of(ag_str line, ag_arena *arena)
{
	ag_val *cells = ag_new_n(arena, ag_val, MAX_CELLS);
	size_t n = 0, from, i;

	line = ag_str_trim(line);
	from = line.len && line.ptr[0] == '|';
	for (i = from; i <= line.len && n < MAX_CELLS; i++) {
		if (i < line.len && (line.ptr[i] != '|' || (i && line.ptr[i - 1] == '\\')))
			continue;
		if (i == line.len && from == i && n)
			break;
		cells[n++] = ag_val_str(ag_str_trim(ag_str_make(line.ptr + from, i - from)));
		from = i + 1;
	}
	return ag_val_array(cells, n);
}

static void take_table(ag_str *rest, ag_arena *arena, ag_block *ret)
{
	ag_str ahead;
	size_t n = 0, cap = 0;
	ag_val *rows;

	ret->kind = AG_BLOCK_TABLE;
	ret->columns = cells_of(take(rest), arena);
	take(rest);
	for (ahead = *rest; ahead.len && ag_str_find(peek(ahead), '|') >= 0; cap++)
		take(&ahead);
	rows = ag_new_n(arena, ag_val, cap + 1);
	while (n < cap) {
		const ag_val cells = cells_of(take(rest), arena);
		ag_val *row = ag_new_n(arena, ag_val, ret->columns.n + 1);

		for (uint32_t i = 0; i < ret->columns.n; i++)
			row[i] = i < cells.n ? cells.u.items[i] : ag_val_str(AG_S(""));
		rows[n++] = ag_val_array(row, ret->columns.n);
	}
	ret->rows = ag_val_array(rows, n);
}

static void take_code(ag_str *rest, ag_arena *arena, ag_block *ret)
{
	ag_str body;
	size_t n = 0;

	ret->kind = AG_BLOCK_CODE;
	take(rest);
	body = *rest;
	while (rest->len) {
		const ag_str line = take(rest);

		if (is_fence(line))
			break;
		n = (size_t)(line.ptr - body.ptr) + line.len;
	}
	ret->text = ag_str_dup(arena, ag_str_make(body.ptr, n));
}

/* This line and those that go on with it. */
static ag_str take_text(ag_str *rest, size_t skip, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(MAX_BYTES);
	ag_str line = ag_str_trim(take(rest)), ret;

	ag_buf_add(&out, ag_str_trim(ag_str_make(line.ptr + skip, line.len - skip)));
	while (rest->len && !begins_block(*rest)) {
		ag_buf_addc(&out, ' ');
		ag_buf_add(&out, ag_str_trim(take(rest)));
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

bool ag_block_next(ag_str *rest, ag_arena *arena, ag_block *ret)
{
	ag_str line, text, after;
	size_t n;

	*ret = (ag_block){ 0 };
	while (rest->len && !ag_str_trim(peek(*rest)).len)
		take(rest);
	if (!rest->len)
		return false;
	line = peek(*rest);
	text = ag_str_trim(line);
	after = *rest;
	take(&after);
	if (is_fence(line)) {
		take_code(rest, arena, ret);
	} else if (ag_str_find(line, '|') >= 0 && after.len && is_table_rule(peek(after))) {
		take_table(rest, arena, ret);
	} else if ((n = heading_of(text)) != 0) {
		ret->kind = AG_BLOCK_HEADING;
		ret->level = (unsigned)n;
		take(rest);
		ret->text = ag_str_dup(arena, ag_str_trim(ag_str_make(text.ptr + n, text.len - n)));
	} else if (is_rule(line)) {
		ret->kind = AG_BLOCK_RULE;
		take(rest);
	} else if ((n = item_of(text)) != 0) {
		ret->kind = AG_BLOCK_ITEM;
		ret->level = (unsigned)(indent_of(line) / 2 < 8 ? indent_of(line) / 2 : 8);
		ret->mark = ag_str_dup(arena, ag_str_make(text.ptr, n - 1));
		ret->text = take_text(rest, n, arena);
	} else if (text.ptr[0] == '>') {
		ret->kind = AG_BLOCK_QUOTE;
		ret->text = take_text(rest, 1, arena);
	} else {
		ret->text = take_text(rest, 0, arena);
	}
	return true;
}
