/* offline_statement -- a section cut into statements: sentences, items of lists, rows of tables.
 *
 * A row is read with the heads of its columns, an item with the line that announces its list, and a sentence that begins with
 * "it" or "this" with the sentence before it. Order: sentences, rows, ag_statements_of(). */
#include "ask/offline_proof.h"

#define MAX_AROUND      1000u /* bytes of a paragraph that says of what its sentences are */
#define MAX_FIRST_CELL  100u
#define MAX_STATEMENTS  300u /* of a section; those after them are not read */
#define MAX_CHAIN       800  /* bytes back to what "it" may be */
#define MAX_ROW         160u /* bytes: a longer one is read sentence by sentence */
#define MAX_LONG_CELL   60u
#define MAX_NUMBER_CELL 24u
#define MAX_CELLS       12u /* of a row */

typedef struct cutter {
	ag_statement *at;
	size_t n;
	ag_arena *arena;
	ag_str announced;        /* the last sentence, when it ended with a colon; else "" */
	ag_str heads[MAX_CELLS]; /* of the table that is read */
	size_t nhead;
	ag_str around;           /* the paragraph or item */
	const char *chain;       /* the last sentence that refers to none before it */
	const char *begin, *end; /* of the paragraph or item that is read; NULL = none */
	bool is_item;
} cutter;

/* --- sentences --- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "It lasts about four years", "the command corrects it" speak of what the sentence before names. */
static bool refers_back(ag_str sentence)
{
	static const char *const begins[] = { "its",  "their", "this", "these", "that",
		                              "both", "so",    "then", "on" };
	static const char *const words[] = { "it", "they", "them" };
	size_t n = 0;
	ag_str word;

	for (size_t pos = 0; ag_word_next(sentence, &pos, &word); n++) {
		for (size_t i = 0; i < AG_NELEM(begins) && !n; i++) {
			if (ag_str_ieq(word, ag_str_c(begins[i])))
				return true;
		}
		for (size_t i = 0; i < AG_NELEM(words); i++) {
			if (ag_str_ieq(word, ag_str_c(words[i])))
				return true;
		}
	}
	return false;
}

static void add_statement(cutter *c, ag_str text, ag_str before, bool is_row)
{
	text = ag_str_trim(text);
	if (text.len && c->n < MAX_STATEMENTS)
		c->at[c->n++] = (ag_statement){
			.text = text, .before = before, .around = c->around, .is_row = is_row
		};
}

/* Where the sentence that begins at `from` ends. A full stop in a code span ends nothing. */
static size_t sentence_end(ag_str s, size_t from)
{
	size_t ntick = 0;

	for (size_t i = from; i + 1 < s.len; i++) {
		ntick += s.ptr[i] == '`';
		if (ntick % 2 == 0 && strchr(".;!?", s.ptr[i]) && strchr(" \n*", s.ptr[i + 1]))
			return i + 1;
	}
	return s.len;
}

static void add_sentences(cutter *c, ag_str block)
{
	const ag_str announced = c->announced;
	ag_str last = announced;

	c->around = block.len <= MAX_AROUND ? block : AG_S("");
	for (size_t at = 0; at < block.len;) {
		const size_t end = sentence_end(block, at);
		const ag_str s = ag_str_make(block.ptr + at, end - at);

		if (!refers_back(s) || !c->chain || s.ptr - c->chain > MAX_CHAIN)
			c->chain = s.ptr;
		add_statement(c, s,
		              c->is_item ? announced
		                         : ag_str_make(c->chain, (size_t)(s.ptr - c->chain)),
		              false);
		last = s;
		at = end;
	}
	if (c->is_item)
		return;
	c->announced = ag_str_ends(ag_str_trim(block), AG_S(":")) ? last : AG_S("");
}

static void end_block(cutter *c)
{
	if (c->begin)
		add_sentences(c, ag_str_make(c->begin, (size_t)(c->end - c->begin)));
	c->begin = NULL;
}

static bool is_item(ag_str line)
{
	size_t i = 0;

	if (line.len > 2 && strchr("-*+", line.ptr[0]) && line.ptr[1] == ' ')
		return true;
	while (i < line.len && is_digit(line.ptr[i]))
		i++;
	return i && i + 1 < line.len && strchr(".)", line.ptr[i]) && line.ptr[i + 1] == ' ';
}

/* --- rows --- */

static bool is_table(ag_str line)
{
	return line.len > 1 && line.ptr[0] == '|';
}

/* Below the heads of a table. */
static bool is_rule(ag_str line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (!strchr("|-: ", line.ptr[i]))
			return false;
	}
	return is_table(line);
}

static size_t cut_row(ag_str line, ag_str *ret)
{
	size_t n = 0;

	line = ag_str_make(line.ptr + 1, line.len - 1);
	while (line.ptr && n < MAX_CELLS)
		ret[n++] = ag_str_trim(ag_str_split(&line, '|'));
	return n;
}

static bool is_number_cell(ag_str cell)
{
	while (cell.len && strchr("`<>~+- ", cell.ptr[0]))
		cell = ag_str_make(cell.ptr + 1, cell.len - 1);
	if (!cell.len || cell.len > MAX_NUMBER_CELL || !is_digit(cell.ptr[0]))
		return false;
	/* "2 minutes" counts minutes. */
	while (cell.len && strchr("0123456789.,", cell.ptr[0]))
		cell = ag_str_make(cell.ptr + 1, cell.len - 1);
	return cell.len < 2 || cell.ptr[0] != ' ' || (cell.ptr[1] | 32) < 'a' ||
	       (cell.ptr[1] | 32) > 'z';
}

/* "status 409; code room_taken". Of a long row each sentence is a statement, with the first cell of the row. */
static void add_row(cutter *c, ag_str line)
{
	AG_AUTO(ag_buf_release) ag_buf b = AG_BUF_INIT(64u << 10);
	const bool is_long = line.len > MAX_ROW;
	ag_str cells[MAX_CELLS];
	const size_t n = cut_row(line, cells);
	bool has_number = false;
	ag_str first = n ? cells[0] : AG_S("");

	first.len = first.len < MAX_FIRST_CELL ? first.len : MAX_FIRST_CELL;
	c->around = AG_S("");
	for (size_t i = 0; i < n; i++) {
		const ag_str head = i < c->nhead && c->heads[i].len < MAX_FIRST_CELL ? c->heads[i]
		                                                                     : AG_S("");
		const bool is_apart = is_long && i && cells[i].len > MAX_LONG_CELL;

		for (size_t at = 0; is_apart && at < cells[i].len;) {
			const size_t end = sentence_end(cells[i], at);

			add_statement(c,
			              ag_str_printf(c->arena, "%.*s; %.*s %.*s", AG_FMT(first),
			                            AG_FMT(head), (int)(end - at),
			                            cells[i].ptr + at),
			              c->announced, false);
			at = end;
		}
		if (!cells[i].len || is_apart || cells[i].len > AG_STATEMENT_MAX_CELL)
			continue;
		ag_buf_addf(&b, "%s%.*s %.*s", b.len ? "; " : "", AG_FMT(head), AG_FMT(cells[i]));
		has_number |= i && is_number_cell(cells[i]);
	}
	if (b.len && c->n < MAX_STATEMENTS) {
		add_statement(c, ag_buf_dup(c->arena, &b), c->announced, true);
		c->at[c->n - 1].has_number = has_number;
	}
}

/* --- all --- */

static bool is_fence(ag_str line)
{
	return ag_str_starts(line, AG_S("```")) || ag_str_starts(line, AG_S("~~~"));
}

/* Reads a line; returns the text after it, and after the rule below the heads of a table. */
static ag_str read_line(cutter *c, ag_str line, ag_str rest)
{
	if (!line.len || is_fence(line) || is_table(line) || line.ptr[0] == '#' || is_item(line))
		end_block(c);
	if (is_table(line)) {
		ag_str after = rest;

		if (rest.ptr && is_rule(ag_str_trim(ag_str_split(&after, '\n')))) {
			c->nhead = cut_row(line, c->heads);
			return after;
		}
		add_row(c, line);
	} else if (line.len && line.ptr[0] != '#' && !is_fence(line)) {
		if (!c->begin) {
			c->begin = line.ptr;
			c->is_item = is_item(line);
		}
		c->end = line.ptr + line.len;
	}
	return rest;
}

ag_statement *ag_statements_of(ag_str text, ag_arena *arena, size_t *ret_n)
{
	cutter c = { .at = ag_new_n(arena, ag_statement, MAX_STATEMENTS),
		     .arena = arena,
		     .announced = AG_S("") };
	bool is_code = false;

	while (text.ptr) {
		ag_str rest = text;
		const ag_str line = ag_str_trim(ag_str_split(&rest, '\n'));

		if (is_fence(line)) {
			end_block(&c);
			is_code = !is_code;
			if (is_code && c.n)
				c.at[c.n - 1].has_code = true;
		} else if (!is_code) {
			rest = read_line(&c, line, rest);
		}
		text = rest;
	}
	end_block(&c);
	*ret_n = c.n;
	return c.at;
}
