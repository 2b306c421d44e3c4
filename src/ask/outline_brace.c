/* outline_brace -- definitions of languages with braces: which line may begin one, and where it ends.
 *
 * One pass over the masked text with a stack of open definitions. A line is shown to the language's match function when it
 * begins a statement: outside of everything, or directly in the body of a container. What matched waits for its body; the
 * brace that closes it gives its last line. Code in several variants (#ifdef) or with signs we do not know may unbalance the
 * braces: a "}" in the column where a definition began closes it, and a line at column 0 that can only be a definition
 * begins anew. */
#include <stdlib.h>

#include "ask/outline_code.h"

#define MAX_OPEN AG_OUTLINE_MAX_DEPTH
#define MAX_HEAD \
	400u /* bytes of a line that are matched: brackets in it are followed more than once */

typedef struct open_def {
	size_t item; /* in b->items, unless is_hidden */
	ag_code_found found;
	int depth, paren; /* before it began */
	size_t column;
	bool in_body;
} open_def;

typedef struct braces {
	ag_outline_build *b;
	ag_code_match match;
	open_def open[MAX_OPEN];
	size_t nopen;
	int depth, paren;
	unsigned line, last; /* last: of the last line with code */
	bool goes_on;        /* the line before did not end its statement */
} braces;

static open_def *top(braces *p)
{
	return p->nopen ? &p->open[p->nopen - 1] : NULL;
}

static void close_top(braces *p, unsigned line)
{
	open_def *d = top(p);

	if (!d->found.is_hidden)
		p->b->items[d->item].stop = line;
	p->nopen--;
}

/* It was only declared, or is none: the last item goes again. */
static void drop_top(braces *p)
{
	if (!top(p)->found.is_hidden)
		p->b->n--;
	p->nopen--;
}

static void end_of_waiting(braces *p, unsigned line)
{
	if (top(p)->found.needs_body)
		drop_top(p);
	else
		close_top(p, line);
}

/* typedef struct { … } name; */
static void name_typedef(braces *p, ag_str after)
{
	open_def *d = top(p);
	ag_code_scan c = { after, 0 };
	ag_str name;

	while (ag_code_eat(&c, "*"))
		;
	name = ag_code_word(&c);
	if (!d->found.is_typedef || d->found.is_hidden || !name.len)
		return;
	p->b->items[d->item].item.name = ag_str_dup(p->b->arena, name);
	p->b->items[d->item].item.title = ag_str_printf(p->b->arena, "%.*s %.*s",
	                                                AG_FMT(d->found.title), AG_FMT(name));
}

static void brace_opens(braces *p)
{
	open_def *d = top(p);

	if (d && !d->in_body && p->depth == d->depth && p->paren == d->paren)
		d->in_body = true;
	p->depth++;
}

static void brace_closes(braces *p, ag_str after)
{
	open_def *d;

	if (p->depth)
		p->depth--;
	while ((d = top(p)) && p->depth <= d->depth && (d->in_body || p->depth < d->depth)) {
		p->paren = d->paren;
		name_typedef(p, after);
		if (d->in_body)
			close_top(p, p->line);
		else
			end_of_waiting(p, p->line);
		if (p->depth == d->depth)
			return;
	}
}

static void follow(braces *p, ag_str line)
{
	for (size_t i = 0; i < line.len; i++) {
		open_def *d = top(p);

		switch (line.ptr[i]) {
		case '(':
		case '[': p->paren++; break;
		case ')':
		case ']': p->paren -= p->paren > 0; break;
		case '{': brace_opens(p); break;
		case '}': brace_closes(p, ag_str_make(line.ptr + i + 1, line.len - i - 1)); break;
		case ';':
			if (d && !d->in_body && p->depth == d->depth && p->paren <= d->paren)
				end_of_waiting(p, p->line);
			break;
		default: break;
		}
	}
}

/* May the statement go on behind a line that ends so? */
static bool goes_on(ag_str line)
{
	return line.len && strchr(",(=+&|:?<>.[-*/\\", line.ptr[line.len - 1]);
}

/* Does the line go on with the head of a definition whose body is still to come? */
static bool is_head(ag_str line)
{
	ag_code_scan c = { line, 0 };

	return strchr("{:-(,)&|=", line.ptr[0]) ||
	       ag_code_in(ag_code_word(&c), "throws where noexcept override final extends "
	                                    "implements requires permits");
}

/* A waiting definition that this line does not go on with has no body. */
static void before_line(braces *p, ag_str line, size_t column)
{
	open_def *d = top(p);

	if (d && !d->in_body && p->depth == d->depth && p->paren <= d->paren && !is_head(line) &&
	    !(d->found.is_line && p->goes_on))
		end_of_waiting(p, p->last);
	if (line.ptr[0] != '}')
		return;
	for (size_t i = p->nopen; i > 0; i--) {
		d = &p->open[i - 1];
		if (d->column != column || !d->in_body)
			continue;
		while (p->nopen > i) {
			if (top(p)->in_body)
				close_top(p, p->last);
			else
				end_of_waiting(p, p->last);
		}
		p->depth = d->depth + 1;
		p->paren = d->paren;
		return;
	}
}

static bool is_statement(braces *p)
{
	open_def *d = top(p);

	if (p->nopen == MAX_OPEN)
		return false;
	if (!d)
		return p->depth == 0 && p->paren == 0;
	return d->in_body && d->found.is_container && p->depth == d->depth + 1 &&
	       p->paren == d->paren;
}

/* A definition for sure, in column 0, where none was expected: whatever is open was not closed as we thought. */
static void begin_anew(braces *p)
{
	while (p->nopen && !top(p)->found.is_space) {
		if (top(p)->in_body)
			close_top(p, p->last);
		else
			end_of_waiting(p, p->last);
	}
	p->depth = p->nopen ? top(p)->depth + 1 : 0;
	p->paren = p->nopen ? top(p)->paren : 0;
}

static void push(braces *p, const ag_code_found *f, ag_str raw, size_t column)
{
	ag_str title = f->title.len ? f->title : ag_code_title(raw);
	open_def d = { .found = *f, .depth = p->depth, .paren = p->paren, .column = column };
	unsigned level = 1;

	for (size_t i = 0; i < p->nopen; i++)
		level += !p->open[i].found.is_hidden;
	if (!f->is_hidden) {
		ag_outline_draft *it = ag_outline_add(p->b, title, f->name, level, p->line);

		if (!it)
			return;
		it->stop = p->line;
		d.item = p->b->n - 1;
		d.found.title = it->item.title;
	}
	if (!f->is_whole)
		p->open[p->nopen++] = d;
}

/* `raw` is the whole line, for what the mask hides. */
static void try_match(braces *p, ag_str line, ag_str raw, size_t column)
{
	ag_code_place place = { .b = p->b, .raw = ag_str_trim(raw), .is_top = true };
	ag_code_found f = { .name = AG_S("") };
	bool expected = is_statement(p);

	if (!expected && (column != 0 || p->nopen == MAX_OPEN))
		return;
	line.len = line.len < MAX_HEAD ? line.len : MAX_HEAD;
	for (size_t i = 0; i < p->nopen; i++)
		place.is_top = place.is_top && p->open[i].found.is_space;
	if (expected && top(p))
		place.owner = top(p)->found.name;
	if (!p->match(&place, line, &f) || (!expected && !f.is_strong))
		return;
	if (!expected)
		begin_anew(p);
	push(p, &f, ag_str_make(raw.ptr + column, line.len), column); /* without comments */
}

void ag_code_braces(ag_outline_build *b, unsigned mask, ag_code_match match)
{
	char *masked = ag_code_mask(b->text, mask);
	braces *p = ag_xcalloc(1, sizeof(*p));

	p->b = b;
	p->match = match;
	for (size_t i = 1; i <= b->nline && b->n < AG_OUTLINE_MAX_ITEMS; i++) {
		ag_str raw = ag_outline_line(b, i), line = raw;
		size_t column;

		line.ptr = masked + (raw.ptr - b->text.ptr);
		line = ag_str_trim(line);
		if (!line.len)
			continue;
		column = (size_t)(line.ptr - (masked + (raw.ptr - b->text.ptr)));
		p->line = (unsigned)i;
		before_line(p, line, column);
		try_match(p, line, raw, column);
		follow(p, line);
		p->goes_on = goes_on(line);
		p->last = p->line;
	}
	while (p->nopen) {
		if (top(p)->in_body)
			close_top(p, (unsigned)b->nline);
		else
			end_of_waiting(p, p->line);
	}
	free(p);
	free(masked);
}
