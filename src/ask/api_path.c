/* api_path -- is this a path below the base, and nothing but a path?
 *
 * Joined to an address, text that a model wrote can name another host ("@evil/", "//evil/"), a further header line (CR LF),
 * or climb out of a prefix. So it is read byte by byte, and what is not certain is refused with words that say how to
 * write it. Percent signs are never decoded in what is sent; only the look for dot segments decodes, on a copy, and
 * more than once, because some servers do.
 *
 * What comes out is printable ASCII that begins with one slash; given in again it comes out the same. */
#include "ask/api.h"
#include "base/utf8.h"

#define ORIGIN     "ask.api"
#define MAX_DECODE 4 /* %252e, %25252e; deeper nobody writes in good faith */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static unsigned hex_value(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

static size_t query_at(ag_str path)
{
	ptrdiff_t at = ag_str_find(path, '?');

	return at < 0 ? path.len : (size_t)at;
}

/* --- the beginning: which host */

static ag_status check_begin(ag_str path, ag_err *err)
{
	ag_str slash = AG_S("/");

	if (!path.len) {
		ag_fail(err, AG_INVALID, ORIGIN, "the path is empty");
		return ag_err_hint(err, "begin it with one /: /items/");
	}
	if (ag_str_contains(ag_str_make(path.ptr, query_at(path)), AG_S("://"))) {
		ag_fail(err, AG_DENIED, ORIGIN,
		        "the path is a whole address: only the project's own API is asked");
		return ag_err_hint(err, "give the path alone, beginning with one /: /items/");
	}
	if (!ag_str_starts(path, slash)) {
		ag_fail(err, AG_INVALID, ORIGIN, "the path must begin with one /");
		return ag_err_hint(err, "begin it with one /: /items/");
	}
	if (path.len > 1 && (path.ptr[1] == '/' || path.ptr[1] == '\\')) {
		ag_fail(err, AG_DENIED, ORIGIN,
		        "the path begins with two slashes, which would name another host");
		return ag_err_hint(err, "begin it with one /: /items/");
	}
	return AG_OK;
}

/* --- the bytes */

static ag_status bad_percent(size_t at, ag_err *err)
{
	ag_fail(err, AG_INVALID, ORIGIN,
	        "byte %zu of the path: a %% without two hexadecimal digits", at);
	return ag_err_hint(err, "write a %% as %%25");
}

static ag_status bad_template(size_t at, char c, ag_err *err)
{
	ag_fail(err, AG_INVALID, ORIGIN, "byte %zu of the path: %c marks a place to fill in", at,
	        c);
	return ag_err_hint(err, "put a real value there: /items/1 and not /items/{id}");
}

static ag_status check_byte(ag_str path, size_t i, bool in_query, ag_err *err)
{
	unsigned char c = (unsigned char)path.ptr[i];

	if (c == ' ') {
		ag_fail(err, AG_INVALID, ORIGIN, "byte %zu of the path is a blank", i);
		return ag_err_hint(err, "write a blank as %%20");
	}
	if (c < ' ' || c == 0x7f) {
		ag_fail(err, AG_DENIED, ORIGIN,
		        "byte %zu of the path is a control character (0x%02x)", i, c);
		return ag_err_hint(err, "a path is one line without line breaks and tabs");
	}
	if (c == '\\') {
		ag_fail(err, AG_DENIED, ORIGIN, "byte %zu of the path is a backslash", i);
		return ag_err_hint(err, "names are parted by /; a backslash in a value is %%5C");
	}
	if (c == '#') {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "byte %zu of the path: what follows a # is never sent", i);
		return ag_err_hint(err, "leave out # and what follows; in a value it is %%23");
	}
	if (c == '%' && (i + 2 >= path.len || !is_hex(path.ptr[i + 1]) || !is_hex(path.ptr[i + 2])))
		return bad_percent(i, err);
	if (!in_query && strchr("{}<>", c))
		return bad_template(i, (char)c, err);
	return AG_OK;
}

static ag_status check_bytes(ag_str path, ag_err *err)
{
	size_t query = query_at(path);

	for (size_t i = 0; i < path.len; i++) {
		ag_status st = check_byte(path, i, i > query, err);

		if (st)
			return st;
	}
	if (!ag_utf8_valid(path))
		return ag_fail(err, AG_INVALID, ORIGIN, "the path is not valid UTF-8");
	return AG_OK;
}

/* --- dot segments */

/* "..;x" climbs as well where a server knows parameters of a segment. */
static bool is_dots(ag_str segment)
{
	ag_str name = ag_str_split(&segment, ';');

	return ag_str_eqc(name, ".") || ag_str_eqc(name, "..");
}

static bool has_dots(ag_str path)
{
	size_t from = 0;

	for (size_t i = 0; i <= path.len; i++) {
		if (i < path.len && path.ptr[i] != '/' && path.ptr[i] != '\\')
			continue;
		if (is_dots(ag_str_make(path.ptr + from, i - from)))
			return true;
		from = i + 1;
	}
	return false;
}

/* In place; the number of bytes that are left. */
static size_t decode(char *p, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++, to++) {
		p[to] = p[i];
		if (p[i] == '%' && i + 2 < n && is_hex(p[i + 1]) && is_hex(p[i + 2])) {
			p[to] = (char)(hex_value(p[i + 1]) << 4 | hex_value(p[i + 2]));
			i += 2;
		}
	}
	return to;
}

static ag_status check_dots(ag_str path, ag_arena *arena, ag_err *err)
{
	size_t n = query_at(path), left;
	char *p = ag_str_cstr(arena, ag_str_make(path.ptr, n));

	for (int i = 0; i <= MAX_DECODE; i++) {
		if (has_dots(ag_str_make(p, n))) {
			ag_fail(err, AG_DENIED, ORIGIN,
			        "the path has a . or .. between its slashes%s",
			        i ? ", percent-encoded" : "");
			return ag_err_hint(err, "write the path out: /pipeline/sync");
		}
		left = decode(p, n);
		if (left == n)
			return AG_OK;
		n = left;
	}
	ag_fail(err, AG_DENIED, ORIGIN, "the path is percent-encoded many times over");
	return ag_err_hint(err, "encode it once");
}

/* --- what goes out */

static ag_str encode(ag_str path, ag_arena *arena)
{
	static const char hex[] = "0123456789ABCDEF";
	char *p = ag_arena_alloc_n(arena, path.len, 3), *to = p;

	for (size_t i = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.ptr[i];

		if (c < 0x80 && !strchr("\"<>^`{|}", c)) {
			*to++ = (char)c;
			continue;
		}
		*to++ = '%';
		*to++ = hex[c >> 4];
		*to++ = hex[c & 15];
	}
	return ag_str_make(p, (size_t)(to - p));
}

ag_status ag_api_check_path(ag_str path, ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_status st = AG_OK;
	ag_str sent;

	if (path.len > AG_API_MAX_PATH)
		return ag_fail(err, AG_INVALID, ORIGIN, "the path is longer than %u bytes",
		               AG_API_MAX_PATH);
	st = check_begin(path, err);
	if (!st)
		st = check_bytes(path, err);
	if (!st)
		st = check_dots(path, arena, err);
	if (st)
		return st;
	sent = encode(path, arena);
	if (sent.len > AG_API_MAX_PATH)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "the path is longer than %u bytes when percent-encoded",
		               AG_API_MAX_PATH);
	*ret = sent;
	return AG_OK;
}
