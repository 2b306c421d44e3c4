/* cite_route -- calls of the API that a text names, and whether one is that which was sent.
 *
 * "GET /items/", "API endpoint GET /items/", "a GET request to `/items/`", "API: /items/": a method in capitals or the word API,
 * a few small words, and a path that begins with "/". What the path says is compared by its parts with the request of a call,
 * and a name in braces stands for any one part.
 *
 * Read: ag_cite_route_at(), ag_cite_route_is(). */
#include "ask/cite_parts.h"

#define MAX_FILLER \
	5 /* words between a method and its path: "GET request to the endpoint /items/" */

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c) != NULL;
}

static bool is_alpha(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static ag_str word_at(ag_str s, size_t i)
{
	size_t j = i;

	while (j < s.len && (is_alpha(s.ptr[j]) || s.ptr[j] == '_'))
		j++;
	return ag_str_make(s.ptr + i, j - i);
}

static bool is_method(ag_str w)
{
	static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD" };

	for (size_t i = 0; i < AG_NELEM(methods); i++) {
		if (ag_str_eqc(w, methods[i]))
			return true;
	}
	return false;
}

static bool is_filler(ag_str w)
{
	static const char *const words[] = { "request",  "requests", "call", "calls", "to",   "on",
		                             "from",     "at",       "the",  "of",    "path", "api",
		                             "endpoint", "route",    "via",  "method" };

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		if (ag_str_ieq(w, ag_str_c(words[i])))
			return true;
	}
	return false;
}

/* Where the path behind a method begins, on the same line; 0 = there is none. */
static size_t skip_to_route(ag_str s, size_t i)
{
	for (unsigned nword = 0, nmark = 0; i < s.len;) {
		ag_str w = word_at(s, i), rest = ag_str_make(s.ptr + i, s.len - i);

		if (s.ptr[i] == '/')
			return i;
		if (ag_str_starts(rest, AG_S("http://")) || ag_str_starts(rest, AG_S("https://"))) {
			i += ag_str_starts(rest, AG_S("https")) ? 8 : 7;
			while (i < s.len && (ag_cite_name_char(s, i, ".-_:[]") || s.ptr[i] == '%'))
				i++;
			return i < s.len && s.ptr[i] == '/' ? i : 0;
		}
		if (w.len && is_filler(w) && nword++ < MAX_FILLER)
			i += w.len;
		else if (is_one_of(s.ptr[i], " \t`*_\"'(:") && nmark++ < 16)
			i++;
		else
			return 0;
	}
	return 0;
}

size_t ag_cite_route_end(ag_str s, size_t i)
{
	size_t begin = i;
	int depth = 0;

	for (; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '{' || c == '}')
			depth += c == '{' ? 1 : -1;
		if (depth < 0 || (unsigned char)c <= ' ' || is_one_of(c, "`\"'<>()[]|\\^*#"))
			break;
		if ((c & 0x80) && !ag_cite_name_char(s, i, ""))
			break;
		if (c & 0x80)
			i += ag_cite_name_char(s, i, "") - 1;
	}
	while (i > begin + 1 && is_one_of(s.ptr[i - 1], ".,;:!?_"))
		i--;
	return i;
}

size_t ag_cite_route_at(ag_str s, size_t i, ag_mention *m)
{
	ag_str w = word_at(s, i);
	bool has_method = is_method(w);
	size_t at;

	if (!has_method && !ag_str_ieq(w, AG_S("api")) && !ag_str_ieq(w, AG_S("endpoint")))
		return 0;
	at = skip_to_route(s, i + w.len);
	if (at <= i + w.len) /* "api/items.md" is a path */
		return 0;
	m->begin = i;
	m->end = ag_cite_route_end(s, at);
	m->method = has_method ? w : AG_S("");
	m->route = ag_str_make(s.ptr + at, m->end - at);
	return m->end;
}

static ag_str without_query(ag_str s, ag_str *ret_query)
{
	ptrdiff_t q = ag_str_find(s, '?');

	*ret_query = q < 0 ? AG_S("") : ag_str_make(s.ptr + q + 1, s.len - (size_t)q - 1);
	s.len = q < 0 ? s.len : (size_t)q;
	while (s.len > 1 && s.ptr[s.len - 1] == '/')
		s.len--;
	return s;
}

bool ag_cite_route_is(ag_str method, ag_str route, ag_str request)
{
	ag_str sent = request, sent_method = ag_str_split(&sent, ' '), query, sent_query;

	if (!sent.ptr || !route.len || (method.len && !ag_str_ieq(method, sent_method)))
		return false;
	route = without_query(route, &query);
	sent = without_query(sent, &sent_query);
	if (query.len && !ag_str_eq(query, sent_query))
		return false;
	while (route.ptr && sent.ptr) {
		ag_str want = ag_str_split(&route, '/'), got = ag_str_split(&sent, '/');
		bool any = want.len > 1 && got.len &&
		           (want.ptr[0] == '{' || want.ptr[0] == '<' || want.ptr[0] == ':');

		if (!any && !ag_str_eq(want, got))
			return false;
	}
	return !route.ptr && !sent.ptr;
}
