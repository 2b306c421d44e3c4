/* Cutting an answer out of a section.
 *
 * A section is blocks: paragraphs, lists, tables, fenced code, with empty lines between them. What fits is told whole.
 * Else the lead is told (what this is about) and the block that has most of the question, with what it announces ("run:"
 * and the code below it) and as many of its neighbours as there is room for. Blocks keep their order; "…" stands where
 * some were left out. */
#include "ask/offline_passage.h"

#include "base/utf8.h"

#define MAX_BLOCKS 400u
#define GAP        "\xe2\x80\xa6" /* … */

typedef enum kind { PARAGRAPH, LIST, CODE, TABLE } kind;

typedef struct block {
	ag_str text; /* without line breaks at its end */
	kind kind;
	double score;
	bool is_chosen;
} block;

typedef struct blocks {
	block at[MAX_BLOCKS];
	size_t n;
} blocks;

/* --- into blocks --- */

static ag_str skip_blanks(ag_str s)
{
	while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
		s = ag_str_make(s.ptr + 1, s.len - 1);
	return s;
}

/* The marks that open or close fenced code; 0 = none. */
static size_t fence_of(ag_str line)
{
	const ag_str t = skip_blanks(line);
	size_t n = 0;

	while (n < t.len && (t.ptr[0] == '`' || t.ptr[0] == '~') && t.ptr[n] == t.ptr[0])
		n++;
	return n >= 3 ? n : 0;
}

static bool is_closing(ag_str line, size_t nopen, char mark)
{
	const ag_str t = skip_blanks(line);
	const size_t n = fence_of(line);

	return n >= nopen && t.ptr[0] == mark && ag_str_trim(t).len == n;
}

static bool is_item(ag_str line)
{
	const ag_str t = skip_blanks(line);
	size_t i = 0;

	if (t.len >= 2 && strchr("-*+", t.ptr[0]) && (t.ptr[1] == ' ' || t.ptr[1] == '\t'))
		return true;
	while (i < t.len && t.ptr[i] >= '0' && t.ptr[i] <= '9')
		i++;
	return i && i + 1 < t.len && (t.ptr[i] == '.' || t.ptr[i] == ')') && t.ptr[i + 1] == ' ';
}

static bool is_indented(ag_str line)
{
	return line.len && (line.ptr[0] == ' ' || line.ptr[0] == '\t');
}

static kind kind_of(ag_str first_line)
{
	if (fence_of(first_line))
		return CODE;
	if (is_item(first_line))
		return LIST;
	return ag_str_starts(skip_blanks(first_line), AG_S("|")) ? TABLE : PARAGRAPH;
}

typedef struct cutter {
	ag_str rest;
	ag_str line; /* the one that is looked at */
	bool is_end;
} cutter;

static void next_line(cutter *c)
{
	c->is_end = !c->rest.ptr || (!c->rest.len);
	c->line = c->is_end ? AG_S("") : ag_str_split(&c->rest, '\n');
}

/* An open fence runs to its close, also over empty lines; one that is never closed runs to the end. */
static void skip_fence(cutter *c)
{
	const size_t n = fence_of(c->line);
	const char mark = n ? skip_blanks(c->line).ptr[0] : '\0';

	do {
		next_line(c);
	} while (!c->is_end && !is_closing(c->line, n, mark));
}

/* Does the block go on with this line, after `nempty` empty ones? */
static bool goes_on(kind k, ag_str line, size_t nempty)
{
	if (k == LIST)
		return is_item(line) || is_indented(line) || (!nempty && !fence_of(line));
	return !nempty && !fence_of(line) && !(k == PARAGRAPH && is_item(line));
}

/* One block from c->line on; c->line is then the first that is not of it. */
static void take_block(cutter *c, block *b)
{
	const char *begin = c->line.ptr;
	const char *end;
	size_t nempty = 0;

	b->kind = kind_of(c->line);
	if (b->kind == CODE)
		skip_fence(c);
	end = c->is_end ? begin : c->line.ptr + c->line.len;
	if (c->is_end && c->rest.ptr)
		end = c->rest.ptr;
	next_line(c);
	while (!c->is_end && b->kind != CODE) {
		if (!ag_str_trim(c->line).len) {
			nempty++;
		} else if (goes_on(b->kind, c->line, nempty)) {
			nempty = 0;
			if (fence_of(c->line)) /* code within a list item */
				skip_fence(c);
			if (!c->is_end)
				end = c->line.ptr + c->line.len;
		} else {
			break;
		}
		next_line(c);
	}
	b->text = ag_str_make(begin, (size_t)(end - begin));
}

static void cut_blocks(ag_str text, blocks *ret)
{
	cutter c = { .rest = text };

	next_line(&c);
	while (!c.is_end && ret->n < MAX_BLOCKS) {
		if (!ag_str_trim(c.line).len) {
			next_line(&c);
			continue;
		}
		take_block(&c, &ret->at[ret->n++]);
	}
}

/* --- which of them --- */

static void score(const ag_question *q, blocks *b)
{
	for (size_t i = 0; i < b->n; i++) {
		ag_found f = { 0 };

		ag_question_look(q, b->at[i].text, &f);
		b->at[i].score = ag_question_share(q, &f, false);
		if (q->asks == AG_ASKS_HOW && b->at[i].kind != PARAGRAPH)
			b->at[i].score += 0.15; /* steps and commands */
		if (i == 0)
			b->at[i].score += 0.1;
	}
}

static size_t best_of(const blocks *b)
{
	size_t best = 0;

	for (size_t i = 1; i < b->n; i++) {
		if (b->at[i].score > b->at[best].score + 1e-9)
			best = i;
	}
	return best;
}

static bool announces(const block *b)
{
	return b->kind == PARAGRAPH && ag_str_ends(ag_str_trim(b->text), AG_S(":"));
}

static bool choose(blocks *b, size_t i, size_t *left)
{
	const size_t need = b->at[i].text.len + 8; /* empty line, gap */

	if (b->at[i].is_chosen)
		return true;
	if (need > *left)
		return false;
	b->at[i].is_chosen = true;
	*left -= need;
	return true;
}

static void choose_all(blocks *b, size_t best)
{
	size_t left = AG_PASSAGE_MAX_BYTES;
	size_t last = best;

	if (!choose(b, best, &left))
		return;
	if (best && announces(&b->at[best - 1]))
		AG_IGNORE(choose(b, best - 1, &left), "when there is room");
	if (announces(&b->at[best]) && best + 1 < b->n && choose(b, best + 1, &left))
		last = best + 1;
	/* The lead, when it is not half of all that may be told. */
	if (b->at[0].kind == PARAGRAPH && b->at[0].text.len < AG_PASSAGE_MAX_BYTES / 2)
		AG_IGNORE(choose(b, 0, &left), "when there is room");
	for (size_t i = last + 1; i < b->n && choose(b, i, &left); i++)
		;
	for (size_t i = best; i-- > 0 && choose(b, i, &left);)
		;
	/* A line that announces what is not told says nothing. */
	for (size_t i = b->n; i-- > 0;) {
		if (announces(&b->at[i]) && i != best && (i + 1 == b->n || !b->at[i + 1].is_chosen))
			b->at[i].is_chosen = false;
	}
}

/* --- one that is too large --- */

/* At most `max` bytes: whole lines, or when the first line is longer, whole words. */
static ag_str head_of(ag_str s, size_t max)
{
	size_t cut = max;

	if (s.len <= max)
		return s;
	while (cut && s.ptr[cut] != '\n')
		cut--;
	if (!cut) {
		for (cut = max; cut && s.ptr[cut] != ' ' && s.ptr[cut] != '\t'; cut--)
			;
	}
	if (!cut) {
		for (cut = max; cut && ((unsigned char)s.ptr[cut] & 0xc0) == 0x80; cut--)
			;
	}
	return ag_str_make(s.ptr, cut);
}

/* Fences that `text` leaves open are closed. */
static void add_head(ag_buf *out, ag_str text, size_t max)
{
	const ag_str head = head_of(text, max);
	ag_str open = AG_S("");
	size_t n = 0;

	for (ag_str rest = head; rest.ptr;) {
		const ag_str line = ag_str_split(&rest, '\n');

		if (!n && fence_of(line)) {
			n = fence_of(line);
			open = line;
		} else if (n && is_closing(line, n, skip_blanks(open).ptr[0])) {
			n = 0;
		}
	}
	ag_buf_add(out, head);
	ag_buf_addc(out, '\n');
	if (n) {
		const ag_str mark = skip_blanks(open);

		ag_buf_add(out, ag_str_make(open.ptr, (size_t)(mark.ptr - open.ptr) + n));
		ag_buf_addc(out, '\n');
	}
	if (head.len < text.len)
		ag_buf_adds(out, GAP);
}

ag_str ag_passage_of_section(const ag_question *q, ag_str text, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(4 * AG_PASSAGE_MAX_BYTES);
	const ag_str all = ag_str_trim(text);
	blocks *b = ag_new(arena, blocks);
	size_t best, last = SIZE_MAX;

	if (all.len <= AG_PASSAGE_MAX_BYTES)
		return ag_str_dup(arena, all);
	cut_blocks(text, b);
	score(q, b);
	best = best_of(b);
	choose_all(b, best);
	for (size_t i = 0; i < b->n; i++) {
		if (!b->at[i].is_chosen)
			continue;
		if (last == SIZE_MAX ? i > 0 : i > last + 1)
			ag_buf_adds(&out, last == SIZE_MAX ? GAP "\n\n" : "\n\n" GAP);
		if (last != SIZE_MAX)
			ag_buf_adds(&out, "\n\n");
		ag_buf_add(&out, b->at[i].text);
		last = i;
	}
	if (last == SIZE_MAX && b->n)
		add_head(&out, b->at[best].text, AG_PASSAGE_MAX_BYTES);
	return ag_buf_dup(arena, &out);
}

/* --- lines --- */

static double line_score(const ag_question *q, ag_str line)
{
	ag_found f = { 0 };

	ag_question_look(q, line, &f);
	return ag_question_share(q, &f, false);
}

/* A definition is shown from where it begins; of settings, what is around the best line. */
static unsigned first_line(const ag_question *q, ag_str text, bool is_definition)
{
	enum { LINES_BEFORE = 4 };
	double best = 0;
	unsigned line = 0, at = 0;

	if (is_definition || text.len <= AG_PASSAGE_MAX_BYTES - 40)
		return 0;
	for (ag_str rest = text; rest.ptr; line++) {
		const double s = line_score(q, ag_str_split(&rest, '\n'));

		if (s > best + 1e-9) {
			best = s;
			at = line;
		}
	}
	return at > LINES_BEFORE ? at - LINES_BEFORE : 0;
}

ag_str ag_passage_of_code(const ag_question *q, ag_str text, const char *language,
                          bool is_definition, ag_arena *arena, unsigned *ret_first,
                          unsigned *ret_last)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(4 * AG_PASSAGE_MAX_BYTES);
	const unsigned first = first_line(q, text, is_definition);
	const char *fence = "```";
	unsigned line = 0;
	size_t left = AG_PASSAGE_MAX_BYTES - 40;

	if (ag_str_contains(text, AG_S("```")))
		fence = "~~~~~~";
	ag_buf_addf(&out, "%s%s\n", fence, language);
	*ret_first = *ret_last = first;
	for (ag_str rest = text; rest.ptr; line++) {
		ag_str l = ag_str_split(&rest, '\n');

		if (line < first)
			continue;
		if (l.len + 1 > left && line > first)
			break;
		l = head_of(l, left);
		left -= l.len + 1 < left ? l.len + 1 : left;
		ag_buf_add(&out, l);
		ag_buf_addc(&out, '\n');
		*ret_last = line;
	}
	ag_buf_adds(&out, fence);
	return ag_buf_dup(arena, &out);
}

/* --- quote --- */

ag_str ag_passage_quote(const ag_question *q, ag_str text)
{
	ag_str best = AG_S("");
	double best_score = -1;

	for (ag_str rest = text; rest.ptr;) {
		const ag_str line = ag_str_trim(ag_str_split(&rest, '\n'));
		double s;

		if (!line.len || fence_of(line))
			continue;
		s = line_score(q, line);
		if (s > best_score + 1e-9) {
			best_score = s;
			best = line;
		}
	}
	return ag_str_trim(head_of(best, AG_QUOTE_MAX_BYTES));
}
