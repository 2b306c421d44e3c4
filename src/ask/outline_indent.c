/* outline_indent -- languages whose definitions end where the indentation falls back: Python, and Ruby and shell, where a
 * word or brace at the same column closes them.
 *
 * A route's decorator is an item of its own ("GET /items"), and what it decorates stands in it. */
#include <stdlib.h>

#include "ask/outline_code.h"

#define MAX_OPEN AG_OUTLINE_MAX_DEPTH

typedef struct open_block {
	size_t item, column;
	bool is_route; /* holds the next definition of the same column */
} open_block;

typedef struct indent {
	ag_outline_build *b;
	open_block open[MAX_OPEN];
	size_t nopen;
	unsigned line, last; /* last: of the last line that is not blank */
	int paren;
	bool goes_on; /* the line before ended with a backslash */
} indent;

typedef struct def {
	ag_str name, title;
	bool is_route, is_line;
} def;

typedef bool (*def_match)(indent *p, ag_str line, ag_str raw, size_t column, def *ret);

static size_t column_of(ag_str line)
{
	size_t n = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] == ' ')
			n++;
		else if (line.ptr[i] == '\t')
			n = (n / 8 + 1) * 8;
		else
			break;
	}
	return n;
}

static void close_block(indent *p, unsigned line)
{
	p->b->items[p->open[--p->nopen].item].stop = line;
}

/* The line stands at `column`: blocks that it is not in end above it, or with it when it is their closing word. */
static void leave_blocks(indent *p, ag_str line, size_t column, const char *closer, bool is_def)
{
	ag_code_scan c = { line, 0 };
	bool closes = closer && ag_code_eat(&c, closer);

	while (p->nopen && p->open[p->nopen - 1].column >= column) {
		open_block *top = &p->open[p->nopen - 1];

		if (top->is_route && top->column == column && is_def) {
			top->is_route = line.ptr[0] == '@';
			return;
		}
		if (closes && top->column == column) {
			close_block(p, p->line);
			return;
		}
		close_block(p, p->last);
	}
}

static void add(indent *p, const def *d, ag_str raw, size_t column)
{
	ag_outline_draft *it;

	if (p->nopen == MAX_OPEN)
		return;
	it = ag_outline_add(p->b, d->title.len ? d->title : ag_code_title(raw), d->name,
	                    (unsigned)p->nopen + 1, p->line);
	if (!it)
		return;
	it->stop = p->line;
	if (!d->is_line)
		p->open[p->nopen++] = (open_block){ p->b->n - 1, column, d->is_route };
}

static void follow(indent *p, ag_str line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] && strchr("([{", line.ptr[i]))
			p->paren++;
		else if (line.ptr[i] && strchr(")]}", line.ptr[i]))
			p->paren -= p->paren > 0;
	}
	p->goes_on = line.ptr[line.len - 1] == '\\';
}

static void read_blocks(ag_outline_build *b, unsigned mask, const char *closer, def_match match)
{
	char *masked = ag_code_mask(b->text, mask);
	indent p = { .b = b };

	for (size_t i = 1; i <= b->nline && b->n < AG_OUTLINE_MAX_ITEMS; i++) {
		ag_str raw = ag_outline_line(b, i), line = raw;
		size_t column = column_of(raw);
		def d = { .is_line = false };
		bool is_def;

		line.ptr = masked + (raw.ptr - b->text.ptr);
		line = ag_str_trim(line);
		if (!line.len)
			continue;
		raw = ag_str_make(b->text.ptr + (line.ptr - masked), line.len); /* no comment */
		p.line = (unsigned)i;
		/* Only Python counts brackets: they would be unbalanced in "case x)". */
		if (closer || (p.paren == 0 && !p.goes_on && line.ptr[0] != AG_CODE_CLOSED)) {
			is_def = match(&p, line, raw, column, &d);
			leave_blocks(&p, line, column, closer,
			             (is_def && !d.is_line) || line.ptr[0] == '@');
			if (is_def)
				add(&p, &d, raw, column);
		}
		if (!closer)
			follow(&p, line);
		p.last = (unsigned)i;
	}
	while (p.nopen)
		close_block(&p, p.last);
	free(masked);
}

/* --- Python --- */

/* @router.get("/x"), @app.route("/x", methods=["POST"]), @app.websocket("/x") */
static bool python_route(indent *p, ag_str line, ag_str raw, def *ret)
{
	ag_code_scan c = { line, 1 };
	ag_str verb;
	const char *methods = memmem(raw.ptr, raw.len, "methods=", 8);

	do {
		verb = ag_code_word(&c);
	} while (ag_code_eat(&c, "."));
	if (ag_code_peek(&c) != '(' ||
	    !ag_code_in(verb, "get post put delete patch head options route websocket"))
		return false;
	if (ag_str_eqc(verb, "route")) {
		verb = AG_S("GET");
		if (methods) {
			ag_code_scan m = { raw, (size_t)(methods - raw.ptr) + 8 };

			while (ag_code_peek(&m) && strchr("[(\"' ", ag_code_peek(&m)))
				m.i++;
			verb = ag_code_word(&m);
		}
	}
	ret->is_route = true;
	ret->title = raw;
	return ag_code_route(p->b, verb, raw, &ret->name);
}

/* NAME = …, NAME: type = …, app = FastAPI(…) at the top. The value may be a secret, so it is not in the title. */
static bool python_constant(ag_str line, ag_str raw, def *ret)
{
	ag_code_scan c = { line, 0 };
	ag_str name = ag_code_word(&c), maker;
	ptrdiff_t assign = ag_str_find(line, '=');

	if (!name.len || assign < 0 || (ag_code_peek(&c) != '=' && ag_code_peek(&c) != ':') ||
	    ag_str_starts(ag_code_rest(&c), AG_S("==")))
		return false;
	ret->name = name;
	ret->is_line = true;
	ret->title = ag_code_before(raw, '=');
	if (ag_code_is_upper(name))
		return true;
	c.i = (size_t)assign + 1;
	do {
		maker = ag_code_word(&c);
	} while (ag_code_eat(&c, "."));
	ret->title = ag_code_before(raw, '(');
	return maker.len && maker.ptr[0] >= 'A' && maker.ptr[0] <= 'Z' && ag_code_peek(&c) == '(';
}

static bool match_python(indent *p, ag_str line, ag_str raw, size_t column, def *ret)
{
	ag_code_scan c = { line, 0 };

	if (line.ptr[0] == '@')
		return python_route(p, line, raw, ret);
	ag_code_eat(&c, "async");
	if (ag_code_eat(&c, "def") || (c.i == 0 && ag_code_eat(&c, "class"))) {
		ret->name = ag_code_word(&c);
		return ret->name.len;
	}
	return column == 0 && c.i == 0 && python_constant(line, raw, ret);
}

void ag_outline_python(ag_outline_build *b)
{
	read_blocks(b, AG_CODE_HASH | AG_CODE_QUOTES | AG_CODE_SINGLE | AG_CODE_TRIPLE, NULL,
	            match_python);
}

/* --- Ruby --- */

static bool match_ruby(indent *p, ag_str line, ag_str raw, size_t column, def *ret)
{
	ag_code_scan c = { line, 0 };
	ag_str word = ag_code_word(&c);

	(void)column;
	if (ag_code_in(word, "get post put patch delete")) {
		ret->is_line = true;
		return ag_code_peek(&c) && strchr("'\"", ag_code_peek(&c)) &&
		       ag_code_route(p->b, word, raw, &ret->name);
	}
	if (ag_code_in(word, "private protected public") && ag_code_eat(&c, "def"))
		word = AG_S("def");
	if (!ag_code_in(word, "def class module"))
		return false;
	do {
		ret->name = ag_code_word(&c);
	} while (ag_code_eat(&c, "::") || ag_code_eat(&c, "."));
	/* def x = 1 and def x; end are whole. */
	ret->is_line = ag_str_eqc(word, "def") &&
	               (ag_str_ends(line, AG_S(" end")) || ag_code_peek(&c) == '=');
	return ret->name.len;
}

void ag_outline_ruby(ag_outline_build *b)
{
	read_blocks(b, AG_CODE_HASH | AG_CODE_QUOTES | AG_CODE_SINGLE, "end", match_ruby);
}

/* --- shell --- */

static bool match_shell(indent *p, ag_str line, ag_str raw, size_t column, def *ret)
{
	size_t i = 0;
	bool has_word = ag_str_starts(line, AG_S("function "));

	(void)p;
	(void)raw;
	(void)column;
	if (has_word)
		line = ag_str_trim(ag_str_make(line.ptr + 9, line.len - 9));
	while (i < line.len &&
	       (ag_code_is_word(line.ptr[i]) || (i && strchr("-.:", line.ptr[i]) && line.ptr[i])))
		i++;
	ret->name = ag_str_make(line.ptr, i);
	line = ag_str_trim(ag_str_make(line.ptr + i, line.len - i));
	if (!ret->name.len)
		return false;
	if (ag_str_starts(line, AG_S("(")))
		return ag_str_starts(ag_str_trim(ag_str_make(line.ptr + 1, line.len - 1)),
		                     AG_S(")"));
	return has_word && (!line.len || line.ptr[0] == '{');
}

void ag_outline_shell(ag_outline_build *b)
{
	read_blocks(b, AG_CODE_HASH | AG_CODE_QUOTES | AG_CODE_SINGLE, "}", match_shell);
}
