/* glob -- git's wildmatch without its backtracking: greedy, at most length times length steps.
 *
 * A name is matched with one place to come back to, the last "*": an earlier one never has to take more, because what
 * stands between two stars may match as early as it can. The same holds for names and "**" one level up. So a pattern
 * of strangers cannot be slow.
 *
 * What a bracket means, byte for byte, is taken from git: "]" first is itself, "!" and "^" negate, a class that is not
 * known and a bracket without end never match. Read set_has(), ag_glob_name(), ag_glob_path(). */
#include "ask/glob.h"

size_t ag_glob_plain_len(ag_str glob)
{
	size_t i = 0;

	while (i < glob.len && !memchr("*?[\\", glob.ptr[i], 4))
		i++;
	return i;
}

static bool is_between(unsigned char c, unsigned char lo, unsigned char hi)
{
	return c >= lo && c <= hi;
}

static bool is_alpha(unsigned char c)
{
	return is_between(c | 0x20, 'a', 'z');
}

static bool is_digit(unsigned char c)
{
	return is_between(c, '0', '9');
}

static bool is_graph(unsigned char c)
{
	return is_between(c, '!', '~');
}

/* False when there is no such class. */
static bool class_has(ag_str name, unsigned char c, bool *ret)
{
	if (ag_str_eqc(name, "alpha"))
		*ret = is_alpha(c);
	else if (ag_str_eqc(name, "digit"))
		*ret = is_digit(c);
	else if (ag_str_eqc(name, "alnum"))
		*ret = is_alpha(c) || is_digit(c);
	else if (ag_str_eqc(name, "lower"))
		*ret = is_between(c, 'a', 'z');
	else if (ag_str_eqc(name, "upper"))
		*ret = is_between(c, 'A', 'Z');
	else if (ag_str_eqc(name, "space"))
		*ret = c == ' ' || is_between(c, '\t', '\r');
	else if (ag_str_eqc(name, "blank"))
		*ret = c == ' ' || c == '\t';
	else if (ag_str_eqc(name, "punct"))
		*ret = is_graph(c) && !is_alpha(c) && !is_digit(c);
	else if (ag_str_eqc(name, "xdigit"))
		*ret = is_digit(c) || is_between(c | 0x20, 'a', 'f');
	else if (ag_str_eqc(name, "cntrl"))
		*ret = c < ' ' || c == 127;
	else if (ag_str_eqc(name, "graph"))
		*ret = is_graph(c);
	else if (ag_str_eqc(name, "print"))
		*ret = is_graph(c) || c == ' ';
	else
		return false;
	return true;
}

typedef struct set {
	size_t end;  /* behind the "]" */
	bool has;    /* the byte that was asked for */
	bool is_bad; /* no end, or a class that nobody knows */
} set;

/* "[:alpha:]" with *at on its "["; false: it is none, and "[" is a plain byte. */
static bool take_class(ag_str glob, size_t *at, unsigned char c, set *s)
{
	size_t from = *at + 2, i = from;
	bool has = false;

	while (i < glob.len && glob.ptr[i] != ']')
		i++;
	if (i >= glob.len) {
		s->is_bad = true;
		return true;
	}
	if (i == from || glob.ptr[i - 1] != ':')
		return false;
	if (!class_has(ag_str_make(glob.ptr + from, i - 1 - from), c, &has))
		s->is_bad = true;
	s->has |= has;
	*at = i;
	return true;
}

/* The bracket at glob[at]: where does it end, and is c in it? */
static set set_has(ag_str glob, size_t at, unsigned char c)
{
	set s = { .end = glob.len };
	size_t i = at + 1, first;
	int before = 0; /* the byte that a range may begin with, 0 = none */
	bool is_not = false;

	if (i < glob.len && (glob.ptr[i] == '!' || glob.ptr[i] == '^')) {
		is_not = true;
		i++;
	}
	for (first = i; i < glob.len && !s.is_bad; i++) {
		unsigned char p = (unsigned char)glob.ptr[i];

		if (p == ']' && i > first) {
			s.has = s.has != is_not;
			s.end = i + 1;
			return s;
		}
		if (p == '-' && before && i + 1 < glob.len && glob.ptr[i + 1] != ']') {
			i++;
			if (glob.ptr[i] == '\\' && ++i >= glob.len)
				break;
			s.has |= is_between(c, (unsigned char)before, (unsigned char)glob.ptr[i]);
			before = 0;
			continue;
		}
		if (p == '[' && i + 1 < glob.len && glob.ptr[i + 1] == ':' &&
		    take_class(glob, &i, c, &s)) {
			before = 0;
			continue;
		}
		if (p == '\\') {
			if (++i >= glob.len)
				break;
			p = (unsigned char)glob.ptr[i];
		}
		s.has |= p == c;
		before = p;
	}
	s.is_bad = true;
	return s;
}

/* One byte of the name against what stands at glob[*at] (no star); *at moves behind it. */
static bool take_one(ag_str glob, size_t *at, unsigned char c)
{
	unsigned char p = (unsigned char)glob.ptr[*at];
	set s;

	switch (p) {
	case '?': ++*at; return true;
	case '[':
		s = set_has(glob, *at, c);
		*at = s.end;
		return s.has && !s.is_bad;
	case '\\':
		if (*at + 1 >= glob.len)
			return false;
		*at += 2;
		return (unsigned char)glob.ptr[*at - 1] == c;
	default: ++*at; return p == c;
	}
}

bool ag_glob_name(ag_str glob, ag_str name)
{
	size_t g = 0, n = 0;
	size_t star = SIZE_MAX, again = 0; /* behind the last star, and where its match ends */

	for (;;) {
		if (g < glob.len && glob.ptr[g] == '*') {
			star = ++g;
			again = n;
			continue;
		}
		if (n == name.len && g == glob.len)
			return true;
		if (n < name.len && g < glob.len &&
		    take_one(glob, &g, (unsigned char)name.ptr[n])) {
			n++;
			continue;
		}
		if (star == SIZE_MAX || again == name.len)
			return false;
		g = star;
		n = ++again;
	}
}

/* --- paths --------------------------------------------------------------------------------------- */

/* A place in a list of names; next is SIZE_MAX on the last, at is SIZE_MAX behind it. */
typedef struct place {
	size_t at;
	ag_str name;
	size_t next;
	bool is_escaped; /* a backslash is before the slash that ends it */
} place;

/* A slash in brackets ends no name; an escaped one does. */
static place glob_at(ag_str glob, size_t from)
{
	place p = { .at = from, .next = SIZE_MAX };
	size_t at = from;

	if (from == SIZE_MAX)
		return p;
	while (at < glob.len && glob.ptr[at] != '/') {
		if (glob.ptr[at] == '[') {
			at = set_has(glob, at, 0).end;
		} else if (glob.ptr[at] == '\\' && at + 1 < glob.len) {
			p.is_escaped = glob.ptr[at + 1] == '/';
			if (p.is_escaped)
				break;
			at += 2;
		} else {
			at++;
		}
	}
	p.name = ag_str_make(glob.ptr + from, at - from);
	if (at < glob.len)
		p.next = at + 1 + p.is_escaped;
	return p;
}

static bool is_stars(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] != '*')
			return false;
	}
	return s.len >= 2;
}

static place path_at(ag_str path, size_t at)
{
	place p = { .at = at, .next = SIZE_MAX };
	const char *slash;

	if (at == SIZE_MAX)
		return p;
	slash = at < path.len ? memchr(path.ptr + at, '/', path.len - at) : NULL;
	p.name = ag_str_make(path.ptr + at, (slash ? (size_t)(slash - path.ptr) : path.len) - at);
	if (slash)
		p.next = (size_t)(slash - path.ptr) + 1;
	return p;
}

bool ag_glob_path(ag_str glob, ag_str path)
{
	place g = glob_at(glob, 0), n = path_at(path, 0);
	place star = { .at = SIZE_MAX }, again = { .at = SIZE_MAX };
	bool has_star = false;

	for (;;) {
		if (g.at != SIZE_MAX && is_stars(g.name)) {
			/* At the end it needs a name, in front of others it may stand for none. */
			if (g.next == SIZE_MAX)
				return n.at != SIZE_MAX;
			if (g.is_escaped) /* git sees no "**" and slash there: it is one name or more */
				n = path_at(path, n.next);
			star = g = glob_at(glob, g.next);
			again = n;
			has_star = true;
			continue;
		}
		if (g.at == SIZE_MAX && n.at == SIZE_MAX)
			return true;
		if (g.at != SIZE_MAX && n.at != SIZE_MAX && ag_glob_name(g.name, n.name)) {
			g = glob_at(glob, g.next);
			n = path_at(path, n.next);
			continue;
		}
		if (!has_star || again.at == SIZE_MAX)
			return false;
		n = again = path_at(path, again.next);
		g = star;
	}
}
