/* regex -- patterns that can take exponential time on a server.
 *
 * A repeated group whose content is itself one repeated thing, like (a+)+ or (.*)*, tries every way to cut the text. PCRE on
 * the server gives up late; Argus's own limits do not reach there. Groups with something fixed in them, like (\.[a-z]+)*, are
 * what address and number patterns look like, and are allowed. */
#include "mongo/command.h"

#define MAX_GROUPS 250

/* A group under way, or the pattern. */
typedef struct group {
	unsigned natom;    /* of the alternative under way */
	bool is_repeating; /* its last atom is repeated without limit, or is such a group */
	bool is_bad;       /* an alternative is one such atom */
	bool last_is_bad;  /* its last atom is a group that is_bad */
} group;

static void end_alternative(group *g)
{
	g->is_bad = g->is_bad || (g->natom == 1 && g->is_repeating);
	g->natom = 0;
	g->is_repeating = g->last_is_bad = false;
}

static void add_atom(group *g, bool is_bad)
{
	g->natom++;
	g->is_repeating = g->last_is_bad = is_bad;
}

/* Behind the class that begins at `at`. */
static size_t skip_class(ag_str p, size_t at)
{
	at++;
	at += at < p.len && p.ptr[at] == '^';
	at += at < p.len && p.ptr[at] == ']';
	while (at < p.len && p.ptr[at] != ']')
		at += p.ptr[at] == '\\' ? 2 : 1;
	return at + 1;
}

/* Behind "(", "(?:", "(?<name>", "(?i" and the like. */
static size_t skip_opening(ag_str p, size_t at)
{
	at++;
	if (at >= p.len || p.ptr[at] != '?')
		return at;
	at++;
	while (at < p.len && !memchr(":=!>)", p.ptr[at], 5))
		at++;
	return at < p.len && p.ptr[at] == ')' ? at : at + 1;
}

/* Bytes of the quantifier at `at`, 0 without one; *ret_unlimited: without an upper limit. */
static size_t quantifier(ag_str p, size_t at, bool *ret_unlimited)
{
	size_t n = 1;

	*ret_unlimited = p.ptr[at] == '*' || p.ptr[at] == '+';
	if (*ret_unlimited || p.ptr[at] == '?')
		return 1;
	if (p.ptr[at] != '{')
		return 0;
	while (at + n < p.len &&
	       ((p.ptr[at + n] >= '0' && p.ptr[at + n] <= '9') || p.ptr[at + n] == ','))
		n++;
	if (n == 1 || at + n >= p.len || p.ptr[at + n] != '}')
		return 0;
	*ret_unlimited = p.ptr[at + n - 1] == ',';
	return n + 1;
}

bool ag_mongo_regex_is_unbounded(ag_str p)
{
	group stack[MAX_GROUPS] = { { 0 } };
	size_t depth = 0, at = 0, n;
	bool unlimited;

	while (at < p.len) {
		group *g = &stack[depth];
		const char c = p.ptr[at];

		if (g->natom && (n = quantifier(p, at, &unlimited)) > 0) {
			if (unlimited && g->last_is_bad)
				return true;
			g->is_repeating = g->is_repeating || unlimited;
			at += n;
		} else if (c == '(') {
			at = skip_opening(p, at);
			if (++depth == MAX_GROUPS)
				return true;
			stack[depth] = (group){ 0 };
		} else if (c == ')' && depth) {
			end_alternative(g);
			add_atom(&stack[--depth], g->is_bad);
			at++;
		} else if (c == '|') {
			end_alternative(g);
			at++;
		} else {
			add_atom(g, false);
			at = c == '[' ? skip_class(p, at) : at + (c == '\\' ? 2 : 1);
		}
	}
	return false;
}
