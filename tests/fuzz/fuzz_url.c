/* Any bytes as an address: refused with a message that is one printable line and shows nothing before an "@", or parts that
 * are what they promise and give the same parts when put together and read again. */
#include <stdlib.h>

#include "fuzz.h"
#include "net/http.h"
#include "net/url.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void is_refused_properly(ag_str text, const ag_err *err)
{
	check(err->status == AG_INVALID && err->msg[0]);
	for (const char *p = err->msg; *p; p++)
		check(*p >= ' ' && *p <= '~');
	if (ag_str_find(text, '@') >= 0)
		check(!strchr(err->msg, '@') && !strchr(err->msg, '"'));
}

static void is_proper(const ag_url *u)
{
	check(ag_str_eqc(u->scheme, "http") || ag_str_eqc(u->scheme, "https"));
	check(u->port >= 1 && u->port <= 65535);
	check(u->host.len > 0);
	for (size_t i = 0; i < u->host.len; i++) {
		char c = u->host.ptr[i];

		check((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || strchr("-_.:", c));
	}
	check(u->path.len > 0 && u->path.ptr[0] == '/');
	for (size_t i = 0; i < u->path.len; i++)
		check(u->path.ptr[i] > ' ' && u->path.ptr[i] <= '~' && u->path.ptr[i] != '#');
}

static void comes_back(const ag_url *u, ag_arena *arena)
{
	ag_str origin = ag_url_origin(u, arena);
	ag_str whole = ag_str_printf(arena, "%.*s%.*s", AG_FMT(origin), AG_FMT(u->path));
	ag_err err = { 0 };
	ag_url again;

	if (whole.len > AG_URL_MAX_BYTES) /* the port may have been left out before */
		return;
	check(!ag_url_parse(whole, arena, &again, &err));
	check(ag_str_eq(ag_url_origin(&again, arena), origin));
	check(ag_str_eq(again.path, u->path) && ag_str_eq(again.host, u->host));
	check(again.port == u->port && ag_url_is_loopback(&again) == ag_url_is_loopback(u));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_str text = ag_str_make(copy, size);
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };
	int64_t ms = -1;
	ag_url u;

	check(copy);
	if (size)
		memcpy(copy, data, size);
	if (ag_url_parse(text, arena, &u, &err)) {
		is_refused_properly(text, &err);
	} else {
		is_proper(&u);
		comes_back(&u, arena);
	}
	/* The other small text that a server writes. */
	if (ag_http_retry_after(text, 1795314695000, &ms))
		check(ms >= 0);
	else
		check(ms == -1);
	ag_arena_free(arena);
	free(copy);
	return 0;
}
