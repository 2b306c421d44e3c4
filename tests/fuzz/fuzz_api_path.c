/* Any bytes as a path for query_api: refused with words, or something that is printable ASCII, stays below its base, and
 * makes no other host, line or folder of the address. */
#include <stdlib.h>

#include "ask/api.h"
#include "fuzz.h"
#include "net/url.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void is_refused_properly(const ag_err *err)
{
	check(err->status == AG_DENIED || err->status == AG_INVALID);
	check(err->msg[0]);
	for (const char *p = err->msg; *p; p++)
		check(*p >= ' ' && *p <= '~');
}

/* No dot segment, however often it is decoded. Written apart from the code under test. */
static void does_not_climb(char *p, size_t n)
{
	for (int round = 0; round < 10; round++) {
		size_t from = 0, to = 0;

		for (size_t i = 0; i <= n; i++) {
			if (i < n && p[i] != '/' && p[i] != '\\')
				continue;
			check(!(i - from == 1 && p[from] == '.'));
			check(!(i - from == 2 && p[from] == '.' && p[from + 1] == '.'));
			from = i + 1;
		}
		for (size_t i = 0; i < n; i++) {
			char hex[3] = { i + 2 < n ? p[i + 1] : ' ', i + 2 < n ? p[i + 2] : ' ', 0 };
			char *end = hex;
			unsigned long c = p[i] == '%' && hex[0] != '-' && hex[0] != '+'
			                          ? strtoul(hex, &end, 16)
			                          : 0;

			if (end == hex + 2 && hex[0] > ' ' && hex[1] != 'x' && hex[1] != 'X') {
				p[to++] = (char)c;
				i += 2;
			} else {
				p[to++] = p[i];
			}
		}
		n = to;
	}
}

static void is_proper(ag_str sent, ag_arena *arena)
{
	ag_str base = AG_S("http://127.0.0.1:8080"), whole, again;
	ptrdiff_t query = ag_str_find(sent, '?');
	ag_err err = { 0 };
	ag_url u;

	check(sent.len > 0 && sent.len <= AG_API_MAX_PATH && sent.ptr[0] == '/');
	check(sent.len == 1 || (sent.ptr[1] != '/' && sent.ptr[1] != '\\'));
	for (size_t i = 0; i < sent.len; i++)
		check(sent.ptr[i] > ' ' && sent.ptr[i] <= '~' && sent.ptr[i] != '#');
	/* Behind a base it is that host's, whole and unchanged. */
	whole = ag_str_printf(arena, "%.*s%.*s", AG_FMT(base), AG_FMT(sent));
	check(!ag_url_parse(whole, arena, &u, &err));
	check(ag_str_eqc(u.host, "127.0.0.1") && u.port == 8080 && ag_str_eq(u.path, sent));
	check(!ag_api_check_path(sent, arena, &again, &err) && ag_str_eq(again, sent));
	does_not_climb(ag_str_cstr(arena, sent), query < 0 ? sent.len : (size_t)query);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_arena *arena = ag_arena_new();
	ag_str sent = AG_S("untouched");
	ag_err err = { 0 };

	check(copy);
	if (size)
		memcpy(copy, data, size);
	if (ag_api_check_path(ag_str_make(copy, size), arena, &sent, &err)) {
		is_refused_properly(&err);
		check(ag_str_eqc(sent, "untouched"));
	} else {
		is_proper(sent, arena);
	}
	ag_arena_free(arena);
	free(copy);
	return 0;
}
