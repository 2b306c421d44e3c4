/* split_json -- where JSON documents begin and end, without reading what is in them.
 *
 * Brackets are counted outside of strings; whether a document is right is decided later by its reader. What
 * is broken must not swallow what follows, so three signs end a document early: a closing bracket that fits
 * only an outer opening one closes that; a raw newline in a string, which JSON forbids, ends it; and when a
 * document never ends, reading goes on at the first line below its start that is not indented deeper and
 * begins with "{" (items of an array that was written by a program stand like that). */
#include "columns/split.h"

#define MAX_STACK 1024 /* nested deeper, brackets are counted but not told apart */
#define MAX_RETRIES \
	100 /* so that a file of unclosed brackets is read 100 times at most, in pieces */

/* Bytes that matter outside of strings. */
static const unsigned char matters[256] = {
	['"'] = 1, ['{'] = 1, ['}'] = 1, ['['] = 1, [']'] = 1, ['\n'] = 1,
};

/* Bytes that end the plain part of a string. */
static const unsigned char in_string[256] = { ['"'] = 1, ['\\'] = 1, ['\n'] = 1 };

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Behind the closing quote of the string whose text starts at i; len: it does not end here; a newline
 * in it: *ret_broken and the place of that. */
static size_t skip_string(const char *p, size_t len, size_t i, bool *ret_broken)
{
	const unsigned char *u = (const unsigned char *)p;

	for (;;) {
		while (i < len && !in_string[u[i]])
			i++;
		if (i >= len)
			return len;
		if (p[i] == '"')
			return i + 1;
		if (p[i] == '\n') {
			*ret_broken = true;
			return i;
		}
		i += 2;
	}
}

/* Move over p[from .. to) and keep the indent of the line that holds p[to] up to date. The state
 * carries the indent, so no call looks back further than its own bytes, and a window or block that
 * starts in the middle of a line knows the same indent as one that starts before it. */
static void pass_bytes(ag_json_split *s, const char *p, size_t from, size_t to)
{
	const char *nl = (const char *)memrchr(p + from, '\n', to - from);
	size_t i = from;

	if (nl) {
		i = (size_t)(nl - p) + 1;
		s->indent = 0;
		s->past_indent = false;
	}
	if (s->past_indent)
		return;
	for (; i < to && (p[i] == ' ' || p[i] == '\t'); i++)
		s->indent++;
	s->past_indent = i < to;
}

/* A line that starts a document, at or after i; len when there is none in sight. */
static size_t find_start(const char *p, size_t len, size_t i, size_t indent)
{
	while (i < len) {
		const char *nl = (const char *)memchr(p + i, '\n', len - i);
		size_t line, k;

		if (!nl)
			return len;
		line = (size_t)(nl - p) + 1;
		for (k = line; k < len && (p[k] == ' ' || p[k] == '\t'); k++)
			;
		if (k < len && p[k] == '{' && k - line <= indent)
			return k;
		i = line;
	}
	return len;
}

typedef struct nesting {
	unsigned char open[MAX_STACK];
	size_t depth;
} nesting;

/* False: the bracket closes nothing in this document. */
static bool close_bracket(nesting *n, char c)
{
	char opener = c == '}' ? '{' : '[';
	size_t d = n->depth;

	if (d > MAX_STACK) {
		n->depth--;
		return true;
	}
	while (d && n->open[d - 1] != (unsigned char)opener)
		d--;
	if (d == 0)
		return false;
	n->depth = d - 1;
	return true;
}

typedef enum scan_end { CLOSED, NEWLINE_IN_STRING, OUTER_CLOSED, UNCLOSED } scan_end;

/* From the opening bracket at `at` to behind its closing one. */
static scan_end scan_container(const char *p, size_t len, size_t at, bool in_array, size_t *ret_end)
{
	const unsigned char *u = (const unsigned char *)p;
	nesting n = { .depth = 0 };
	size_t i = at;

	for (;;) {
		bool broken = false;

		while (i < len && !matters[u[i]])
			i++;
		if (i >= len) {
			*ret_end = len;
			return UNCLOSED;
		}
		switch (p[i]) {
		case '"':
			i = skip_string(p, len, i + 1, &broken);
			*ret_end = i;
			if (broken)
				return NEWLINE_IN_STRING;
			continue;
		case '{':
		case '[':
			if (n.depth < MAX_STACK)
				n.open[n.depth] = u[i];
			n.depth++;
			break;
		case '}':
		case ']':
			*ret_end = i;
			if (!close_bracket(&n, p[i]) && p[i] == ']' && in_array)
				return OUTER_CLOSED;
			if (n.depth == 0) {
				*ret_end = i + 1;
				return CLOSED;
			}
			break;
		default: break;
		}
		i++;
	}
}

/* A number, word or string where a document should be: up to what may follow a value. */
static size_t scan_scalar(const char *p, size_t len, size_t i)
{
	bool broken = false;

	if (p[i] == '"')
		return skip_string(p, len, i + 1, &broken);
	/* A zero byte is no end; strchr would find it. At least one byte goes, so that there is progress. */
	for (i++; i < len && !is_space(p[i]) && (!p[i] || !strchr(",[]{}\"", p[i]));)
		i++;
	return i;
}

/* After white space and what stands between documents. */
static size_t skip_between(ag_json_split *s, const char *p, size_t len, size_t i)
{
	for (; i < len; i++) {
		if (p[i] == '[' && !s->in_array)
			s->in_array = true;
		else if (p[i] == ']' && s->in_array)
			s->in_array = false;
		else if (!is_space(p[i]) && p[i] != ',')
			break;
	}
	return i;
}

static ag_split_result broken_container(ag_json_split *s, const char *p, scan_end how,
                                        ag_split_item *ret)
{
	size_t retry = find_start(p, ret->end, ret->at, s->indent);

	ret->why = how == NEWLINE_IN_STRING ? "a string is not closed" : "a bracket is not closed";
	ret->next = ret->end;
	if (retry < ret->end && s->retries < MAX_RETRIES) {
		s->retries++;
		ret->end = ret->next = retry;
	} else if (how != OUTER_CLOSED) {
		s->lost = true; /* keeps the indent of this document until a start is found */
		return AG_SPLIT_ITEM;
	}
	pass_bytes(s, p, ret->at, ret->next);
	return AG_SPLIT_ITEM;
}

static ag_split_result pass_item(ag_json_split *s, const char *p, ag_split_item *ret, size_t end)
{
	ret->end = ret->next = end;
	pass_bytes(s, p, ret->at, end);
	return AG_SPLIT_ITEM;
}

ag_split_result ag_json_split_next(ag_json_split *s, const char *p, size_t len, bool eof, size_t at,
                                   ag_split_item *ret)
{
	scan_end how;
	size_t i = at;

	memset(ret, 0, sizeof(*ret));
	if (s->lost) {
		i = find_start(p, len, i, s->indent);
		ret->next = i;
		if (i == len) {
			/* The last line may be cut: keep it in sight. */
			while (ret->next > at && p[ret->next - 1] != '\n')
				ret->next--;
			if (ret->next > at)
				ret->next--;
			if (eof)
				return AG_SPLIT_END;
			return ret->next > at ? AG_SPLIT_SKIP : AG_SPLIT_MORE;
		}
		s->lost = false;
		s->past_indent = true;
		for (s->indent = 0; i - s->indent > at && p[i - s->indent - 1] != '\n';)
			s->indent++;
	}
	at = i;
	i = skip_between(s, p, len, i);
	pass_bytes(s, p, at, i);
	ret->at = ret->end = ret->next = i;
	if (i == len)
		return eof ? AG_SPLIT_END : AG_SPLIT_SKIP;
	if (p[i] == ']' || p[i] == '}') {
		ret->why = "a closing bracket without an opening one";
		return pass_item(s, p, ret, i + 1);
	}
	if (p[i] != '{' && p[i] != '[') {
		size_t end = scan_scalar(p, len, i);

		if (end == len && !eof)
			return AG_SPLIT_MORE; /* next is i */
		return pass_item(s, p, ret, end);
	}
	how = scan_container(p, len, i, s->in_array, &ret->end);
	if (how == UNCLOSED && !eof)
		return AG_SPLIT_MORE; /* next is i */
	return how == CLOSED ? pass_item(s, p, ret, ret->end) : broken_container(s, p, how, ret);
}
