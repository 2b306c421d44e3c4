/* url -- taking an address apart, strictly.
 *
 * The HTTP client hands libcurl an address that is put together again from these parts, so what is checked here (scheme,
 * host, port) is what is contacted: two readers that differ are how keys end up elsewhere. That is why shorthands
 * of IPv4 ("127.1", "0x7f000001"), backslashes and percent signs in the host are refused and not guessed at.
 *
 * Order: pieces of text, host, port, then ag_url_parse(). */
#include "net/url.h"

#include <arpa/inet.h>

#define ORIGIN           "net.url"
#define MAX_HOST_BYTES   253 /* of a name in DNS */
#define MAX_LABEL_BYTES  63
#define MAX_QUOTED_BYTES 80

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static ag_str lower_dup(ag_arena *arena, ag_str s)
{
	char *p = ag_str_cstr(arena, s);

	for (size_t i = 0; i < s.len; i++)
		p[i] = lower(p[i]);
	return ag_str_make(p, s.len);
}

static ag_str from(ag_str s, size_t i)
{
	return ag_str_make(s.ptr + i, s.len - i);
}

static size_t find_any(ag_str s, const char *set)
{
	size_t i = 0;

	while (i < s.len && !strchr(set, s.ptr[i]))
		i++;
	return i;
}

/* The address as far as it may be shown: no query (keys stand there), and nothing at all when a user name could be in
 * it: "https://user:pass/word@host" has its "@" behind the first slash. */
static ag_status refuse(ag_err *err, ag_str text, const char *why)
{
	ag_str shown = ag_str_make(text.ptr, find_any(text, "?#"));

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '@')
			shown.len = 0;
	}
	for (size_t i = 0; i < shown.len; i++) {
		if (shown.ptr[i] < ' ' || shown.ptr[i] > '~')
			shown.len = 0;
	}
	if (!shown.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "the address %s", why);
	return ag_fail(err, AG_INVALID, ORIGIN, "the address \"%.*s%s\" %s",
	               (int)(shown.len < MAX_QUOTED_BYTES ? shown.len : MAX_QUOTED_BYTES),
	               shown.ptr, shown.len > MAX_QUOTED_BYTES ? "..." : "", why);
}

/* What RFC 3986 does not allow anywhere in an address, and percent signs without their two digits. */
static const char *wrong_byte(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c == ' ')
			return "has a blank in it";
		if (c < ' ' || c == 0x7f)
			return "has a control character in it";
		if (c > 0x7f)
			return "has a character outside ASCII: write it percent-encoded (host: punycode)";
		if (strchr("\"<>\\^`{|}", c))
			return "has a character in it that must be percent-encoded";
		if (c == '%' && (i + 2 >= s.len || !is_hex(s.ptr[i + 1]) || !is_hex(s.ptr[i + 2])))
			return "has a % without two hexadecimal digits";
	}
	return NULL;
}

/* --- the host */

/* Would a client take it for an IPv4 address? Then its last label is a number: digits, or 0x and hexadecimal digits. */
static bool looks_like_ipv4(ag_str host)
{
	size_t end = host.len && host.ptr[host.len - 1] == '.' ? host.len - 1 : host.len;
	size_t begin = end;
	bool is_hexadecimal;

	while (begin > 0 && host.ptr[begin - 1] != '.')
		begin--;
	is_hexadecimal = end - begin > 1 && host.ptr[begin] == '0' &&
	                 lower(host.ptr[begin + 1]) == 'x';
	for (size_t i = is_hexadecimal ? begin + 2 : begin; i < end; i++) {
		if (is_hexadecimal ? !is_hex(host.ptr[i]) : !is_digit(host.ptr[i]))
			return false;
	}
	return begin < end;
}

/* Four decimal numbers, no leading zero (which some read as octal): what inet_pton takes. */
static bool is_ipv4(ag_str host)
{
	char text[INET_ADDRSTRLEN];
	struct in_addr addr;

	if (host.len >= sizeof(text))
		return false;
	memcpy(text, host.ptr, host.len);
	text[host.len] = '\0';
	return inet_pton(AF_INET, text, &addr) == 1;
}

static const char *read_ipv6(ag_str host, ag_arena *arena, ag_str *ret)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr addr;

	if (host.len >= sizeof(text))
		return "has brackets without an IPv6 address";
	memcpy(text, host.ptr, host.len);
	text[host.len] = '\0';
	if (inet_pton(AF_INET6, text, &addr) != 1 ||
	    !inet_ntop(AF_INET6, &addr, text, sizeof(text)))
		return "has brackets without an IPv6 address";
	*ret = ag_str_dup(arena,
	                  ag_str_c(text)); /* one spelling: equal addresses are equal texts */
	return NULL;
}

static const char *read_name(ag_str host, ag_arena *arena, ag_str *ret)
{
	ag_str rest = host;

	if (!host.len)
		return "has no host";
	if (looks_like_ipv4(host) && !is_ipv4(host))
		return "has a number as host that is no IPv4 address of four parts";
	if (host.len > MAX_HOST_BYTES)
		return "has a host name of more than 253 bytes";
	if (host.ptr[host.len - 1] == '.')
		rest.len--;
	do {
		ag_str label = ag_str_split(&rest, '.');

		if (!label.len || label.len > MAX_LABEL_BYTES)
			return "has a host name with a part of 0 or more than 63 bytes";
		for (size_t i = 0; i < label.len; i++) {
			char c = lower(label.ptr[i]);

			if (!is_digit(c) && (c < 'a' || c > 'z') && c != '-' && c != '_')
				return "has a host name with something else than letters, digits, - and .";
		}
	} while (rest.ptr);
	*ret = lower_dup(arena, host);
	return NULL;
}

/* "" is the scheme's own port. */
static const char *read_port(ag_str text, unsigned *ret)
{
	unsigned port = 0;

	if (!text.len)
		return NULL;
	if (text.len > 5)
		return "has a port that is no number from 1 to 65535";
	for (size_t i = 0; i < text.len; i++) {
		if (!is_digit(text.ptr[i]))
			return "has a port that is no number from 1 to 65535";
		port = port * 10 + (unsigned)(text.ptr[i] - '0');
	}
	if (port < 1 || port > 65535)
		return "has a port that is no number from 1 to 65535";
	*ret = port;
	return NULL;
}

static const char *read_authority(ag_str text, ag_arena *arena, ag_url *u)
{
	ag_str host = text, port;
	const char *why;
	ptrdiff_t at;

	if (ag_str_find(text, '@') >= 0)
		return "has a user name in it; a key belongs into its setting";
	if (ag_str_starts(text, AG_S("["))) {
		at = ag_str_find(text, ']');
		if (at < 0)
			return "has an opening bracket without a closing one";
		port = from(text, (size_t)at + 1);
		if (port.len && port.ptr[0] != ':')
			return "has something between host and port";
		why = read_ipv6(ag_str_make(text.ptr + 1, (size_t)at - 1), arena, &u->host);
	} else {
		at = ag_str_find(text, ':');
		host.len = at < 0 ? text.len : (size_t)at;
		port = from(text, host.len);
		why = read_name(host, arena, &u->host);
	}
	if (why)
		return why;
	return read_port(port.len ? from(port, 1) : port, &u->port);
}

ag_status ag_url_parse(ag_str text, ag_arena *arena, ag_url *ret, ag_err *err)
{
	static const ag_str http = AG_S_INIT("http://"), https = AG_S_INIT("https://");
	ag_url u = { 0 };
	ag_str rest;
	const char *why;
	size_t n;

	if (!text.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "the address is empty");
	if (text.len > AG_URL_MAX_BYTES)
		return ag_fail(err, AG_INVALID, ORIGIN, "the address is longer than %d bytes",
		               AG_URL_MAX_BYTES);
	why = wrong_byte(text);
	if (why)
		return refuse(err, text, why);
	if (text.len >= http.len && ag_str_ieq(ag_str_make(text.ptr, http.len), http)) {
		u.scheme = AG_S("http");
		u.port = 80;
		rest = from(text, http.len);
	} else if (text.len >= https.len && ag_str_ieq(ag_str_make(text.ptr, https.len), https)) {
		u.scheme = AG_S("https");
		u.port = 443;
		rest = from(text, https.len);
	} else {
		return refuse(err, text, "does not begin with http:// or https://");
	}
	n = find_any(rest, "/?#");
	why = read_authority(ag_str_make(rest.ptr, n), arena, &u);
	if (why)
		return refuse(err, text, why);
	rest = from(rest, n);
	rest.len = find_any(rest, "#"); /* a fragment is never sent */
	if (rest.len && rest.ptr[0] == '/')
		u.path = ag_str_dup(arena, rest);
	else
		u.path = ag_str_printf(arena, "/%.*s", AG_FMT(rest));
	*ret = u;
	return AG_OK;
}

ag_str ag_url_origin(const ag_url *u, ag_arena *arena)
{
	bool is_ipv6 = ag_str_find(u->host, ':') >= 0;

	return ag_str_printf(arena, "%.*s://%s%.*s%s:%u", AG_FMT(u->scheme), is_ipv6 ? "[" : "",
	                     AG_FMT(u->host), is_ipv6 ? "]" : "", u->port);
}

bool ag_url_is_loopback(const ag_url *u)
{
	return ag_str_eqc(u->host, "localhost") || ag_str_eqc(u->host, "::1") ||
	       (ag_str_starts(u->host, AG_S("127.")) && is_ipv4(u->host));
}

ag_str ag_url_join(ag_str base, const char *path, ag_arena *arena)
{
	if (ag_str_ends(base, AG_S("/")))
		base.len--;
	return ag_str_printf(arena, "%.*s%s", AG_FMT(base), path);
}

ag_str ag_url_shown(ag_str text, ag_arena *arena)
{
	const ptrdiff_t scheme = ag_str_find(text, ':');
	size_t host = 0;

	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '?' || text.ptr[i] == '#')
			text.len = i;
	if (scheme > 0 && text.len > (size_t)scheme + 3 && text.ptr[scheme + 1] == '/')
		host = (size_t)scheme + 3;
	for (size_t i = host; i < text.len && text.ptr[i] != '/'; i++)
		if (text.ptr[i] == '@')
			return ag_url_shown(ag_str_printf(arena, "%.*s%.*s", (int)host, text.ptr,
			                                  (int)(text.len - i - 1),
			                                  text.ptr + i + 1),
			                    arena);
	return text;
}
