/* api_base -- the base address and the key: taken apart and checked once, when the handle is opened.
 *
 * What is wrong with a setting is said with the name of its variable and never with its value: a password may stand in the
 * address, and the key is one.
 *
 * Order: the address, the key, opening. */
#include <stdlib.h>

#include "ask/api_parts.h"

#define ORIGIN             "ask.api"
#define DEFAULT_TIMEOUT_MS 15000
#define DEFAULT_SHOWN      (24u << 10)
#define DEFAULT_READ       (16u << 20)
#define MAX_BASE_BYTES     2000
#define MAX_KEY_BYTES      8192

/* --- the base */

static ag_status want_base(const char *name, ag_err *err)
{
	return ag_err_hint(err, "set %s to an address like http://localhost:42002", name);
}

/* The user part, if there is one: "user:password@". ag_url_parse() refuses it; an address of a deployment may have it. */
static ag_str without_user(ag_str text, ag_arena *arena, bool *ret_had)
{
	ptrdiff_t colon = ag_str_find(text, ':');
	size_t from, host, i;

	*ret_had = false;
	if (colon < 0 ||
	    !ag_str_starts(ag_str_make(text.ptr + colon, text.len - (size_t)colon), AG_S("://")))
		return text;
	from = host = (size_t)colon + 3;
	for (i = from; i < text.len && !strchr("/?#\\", text.ptr[i]); i++) {
		if (text.ptr[i] == '@')
			host = i + 1;
	}
	*ret_had = host > from;
	return ag_str_printf(arena, "%.*s%.*s", (int)from, text.ptr, (int)(text.len - host),
	                     text.ptr + host);
}

static ag_status read_prefix(const char *name, ag_str path, ag_arena *arena, ag_str *ret,
                             ag_err *err)
{
	ag_err why = { 0 };
	ag_str sent;

	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	*ret = path;
	if (!path.len)
		return AG_OK;
	if (ag_api_check_path(path, arena, &sent, &why)) {
		ag_fail(err, AG_INVALID, ORIGIN, "%s: the path in it cannot be used: %s", name,
		        why.msg);
		return want_base(name, err);
	}
	*ret = sent;
	return AG_OK;
}

/* As people write it: without user, password and the scheme's own port. */
static ag_str shown_base(const ag_url *u, ag_str prefix, ag_arena *arena)
{
	ag_str origin = ag_url_origin(u, arena);
	unsigned own = ag_str_eqc(u->scheme, "https") ? 443 : 80;

	if (u->port == own)
		while (origin.ptr[origin.len - 1] != ':')
			origin.len--;
	if (u->port == own)
		origin.len--;
	return ag_str_printf(arena, "%.*s%.*s", AG_FMT(origin), AG_FMT(prefix));
}

static ag_status read_base(ag_api *a, const char *name, ag_str text, ag_arena *arena,
                           ag_str *ret_note, ag_err *err)
{
	ag_err why = { 0 };
	bool had_user;
	ag_status st;

	if (!text.len) {
		ag_fail(err, AG_INVALID, ORIGIN, "%s is empty", name);
		return want_base(name, err);
	}
	if (text.len > MAX_BASE_BYTES)
		return ag_fail(err, AG_INVALID, ORIGIN, "%s is longer than %d bytes", name,
		               MAX_BASE_BYTES);
	text = without_user(text, a->arena, &had_user);
	if (ag_str_find(text, '?') >= 0 || ag_str_find(text, '#') >= 0) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "%s has a query or fragment (? or #) in it: paths are put behind it", name);
		return want_base(name, err);
	}
	if (ag_url_parse(text, a->arena, &a->base, &why)) {
		ag_fail(err, AG_INVALID, ORIGIN, "%s: %s", name, why.msg);
		return want_base(name, err);
	}
	st = read_prefix(name, a->base.path, a->arena, &a->prefix, err);
	if (st)
		return st;
	a->origin = ag_url_origin(&a->base, a->arena);
	a->shown = shown_base(&a->base, a->prefix, a->arena);
	*ret_note = had_user ? ag_str_printf(arena, "the user name in %s is not used", name)
	                     : AG_S("");
	return AG_OK;
}

/* --- the key */

static ag_status check_key(const char *name, ag_str key, ag_err *err)
{
	if (key.len > MAX_KEY_BYTES)
		return ag_fail(err, AG_INVALID, ORIGIN, "%s is longer than %d bytes", name,
		               MAX_KEY_BYTES);
	for (size_t i = 0; i < key.len; i++) {
		if (key.ptr[i] <= ' ' || key.ptr[i] > '~') {
			ag_fail(err, AG_INVALID, ORIGIN,
			        "%s has a blank, a line break or another character in it that no "
			        "key has",
			        name);
			return ag_err_hint(err, "was it copied with its line end?");
		}
	}
	if (key.len > 1 && key.ptr[0] == '<' && key.ptr[key.len - 1] == '>') {
		ag_fail(err, AG_INVALID, ORIGIN, "%s is a placeholder in <...>, not a key", name);
		return ag_err_hint(err, "put the real key in its place");
	}
	return AG_OK;
}

ag_status ag_api_open(const ag_api_opts *o, ag_arena *arena, ag_api **ret, ag_str *ret_note,
                      ag_err *err)
{
	const char *base_name = o->base_name ? o->base_name : "the address of the API";
	const char *key_name = o->key_name ? o->key_name : "the key of the API";
	ag_api *a = ag_xcalloc(1, sizeof(*a));
	ag_status st;

	a->arena = ag_arena_new();
	st = check_key(key_name, o->key, err);
	if (!st)
		st = read_base(a, base_name, o->base_url, arena, ret_note, err);
	if (st) {
		ag_api_close(a);
		return st;
	}
	a->key = ag_str_dup(a->arena, o->key);
	a->key_name = ag_str_dup(a->arena, ag_str_c(key_name));
	a->methods = o->methods ? o->methods : AG_API_READING;
	a->limit = o->limit;
	a->timeout_ms = o->timeout_ms > 0 ? o->timeout_ms : DEFAULT_TIMEOUT_MS;
	a->max_shown = o->max_shown_bytes ? o->max_shown_bytes : DEFAULT_SHOWN;
	a->max_read = o->max_read_bytes ? o->max_read_bytes : DEFAULT_READ;
	*ret = a;
	return AG_OK;
}

ag_api *ag_api_close(ag_api *a)
{
	if (a)
		ag_arena_free(a->arena);
	free(a);
	return NULL;
}

ag_str ag_api_shown(const ag_api *a)
{
	return a->shown;
}

uint16_t ag_api_port(const ag_api *a)
{
	return (uint16_t)a->base.port;
}
