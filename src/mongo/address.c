/* address -- see the header. */
#include "mongo/address.h"

#include <stdlib.h>

#include "base/log.h"

#define ORIGIN     "mongo.address"
#define LOCAL_PORT ":27017"

static const char shape[] =
	"write mongodb://user@host:27017/database.collection?options; signs such as @ / : % in names "
	"and passwords are percent-encoded";

/* Options whose values are secrets: kept for the driver, not shown. */
static const char *const secret_options[] = { "tlscertificatekeyfilepassword",
	                                      "sslclientcertificatekeypassword",
	                                      "authmechanismproperties",
	                                      "password",
	                                      "accountkey",
	                                      "key" };

bool ag_mongo_is_uri(ag_str uri)
{
	return ag_str_starts(uri, AG_S("mongodb://")) || ag_str_starts(uri, AG_S("mongodb+srv://"));
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool decode(ag_str s, ag_arena *arena, ag_str *ret)
{
	char *to = (char *)ag_arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] != '%') {
			to[n++] = s.ptr[i];
			continue;
		}
		if (i + 2 >= s.len || hex(s.ptr[i + 1]) < 0 || hex(s.ptr[i + 2]) < 0)
			return false;
		to[n] = (char)(hex(s.ptr[i + 1]) * 16 + hex(s.ptr[i + 2]));
		if (!to[n++])
			return false;
		i += 2;
	}
	*ret = ag_str_make(to, n);
	return true;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       memchr("-_.~$", c, 5) || (unsigned char)c >= 0x80;
}

static void encode(ag_buf *b, ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (is_plain(s.ptr[i]))
			ag_buf_addc(b, s.ptr[i]);
		else
			ag_buf_addf(b, "%%%02X", (unsigned char)s.ptr[i]);
	}
}

static ag_status bad(const char *what, ag_err *err)
{
	ag_fail(err, AG_INVALID, ORIGIN, "the address of the MongoDB server is wrong: %s", what);
	ag_err_hint(err, "%s", shape);
	return AG_INVALID;
}

/* --- the parts of the text ----------------------------------------------------------------------- */

typedef struct parts {
	ag_str scheme, user, password, hosts, path, options;
	bool has_password;
} parts;

static ag_status cut(ag_str uri, parts *ret, ag_err *err)
{
	ag_str rest = uri, info;
	ptrdiff_t at;

	*ret = (parts){ 0 };
	at = ag_str_find(rest, ':');
	ret->scheme = ag_str_make(rest.ptr, (size_t)at + 3);
	rest = ag_str_make(rest.ptr + at + 3, rest.len - (size_t)at - 3);
	at = ag_str_find(rest, '?');
	if (at >= 0) {
		ret->options = ag_str_make(rest.ptr + at + 1, rest.len - (size_t)at - 1);
		rest.len = (size_t)at;
	}
	/* A password may hold an unencoded '/' by mistake: the last '@' tells. */
	for (at = (ptrdiff_t)rest.len - 1; at >= 0 && rest.ptr[at] != '@'; at--)
		;
	if (at >= 0) {
		info = ag_str_make(rest.ptr, (size_t)at);
		rest = ag_str_make(rest.ptr + at + 1, rest.len - (size_t)at - 1);
		at = ag_str_find(info, ':');
		ret->has_password = at >= 0;
		ret->user = at < 0 ? info : ag_str_make(info.ptr, (size_t)at);
		if (at >= 0)
			ret->password = ag_str_make(info.ptr + at + 1, info.len - (size_t)at - 1);
		if (memchr(info.ptr, '/', info.len) || memchr(info.ptr, '@', info.len) ||
		    (at >= 0 && memchr(ret->password.ptr, ':', ret->password.len)))
			return bad("user and password hold a sign that must be percent-encoded",
			           err);
		if (!ret->user.len)
			return bad("the user before \"@\" is empty", err);
	}
	at = ag_str_find(rest, '/');
	ret->hosts = at < 0 ? rest : ag_str_make(rest.ptr, (size_t)at);
	if (at >= 0)
		ret->path = ag_str_make(rest.ptr + at + 1, rest.len - (size_t)at - 1);
	return ret->hosts.len ? AG_OK : bad("it names no host", err);
}

static bool is_secret(ag_str option)
{
	const ptrdiff_t at = ag_str_find(option, '=');
	const ag_str name = at < 0 ? option : ag_str_make(option.ptr, (size_t)at);

	for (size_t i = 0; i < AG_NELEM(secret_options); i++)
		if (ag_str_ieq(name, ag_str_c(secret_options[i])))
			return true;
	return false;
}

/* The options that may be shown; values of the others are hidden wherever they turn up. */
static ag_str shown_options(ag_str options, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(8192);
	ag_str ret;

	while (options.len) {
		const ag_str one = ag_str_split(&options, '&');
		const ptrdiff_t at = ag_str_find(one, '=');

		if (is_secret(one)) {
			if (at >= 0)
				ag_log_redact(
					ag_str_make(one.ptr + at + 1, one.len - (size_t)at - 1));
			continue;
		}
		ag_buf_addc(&b, b.len ? '&' : '?');
		ag_buf_add(&b, one);
	}
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

/* Lower case, with a port each; the order is the address's. */
static ag_str place_of(const parts *p, ag_arena *arena)
{
	const bool is_srv = ag_str_eqc(p->scheme, "mongodb+srv://");
	ag_buf b = AG_BUF_INIT(8192);
	ag_str rest = p->hosts, ret;

	while (rest.len) {
		const ag_str one = ag_str_split(&rest, ',');
		const char *bracket = memchr(one.ptr, ']', one.len);
		const size_t from = bracket ? (size_t)(bracket - one.ptr) : 0;

		if (b.len)
			ag_buf_addc(&b, ',');
		for (size_t i = 0; i < one.len; i++)
			ag_buf_addc(&b, one.ptr[i] >= 'A' && one.ptr[i] <= 'Z'
			                        ? (char)(one.ptr[i] | 0x20)
			                        : one.ptr[i]);
		if (!is_srv && !memchr(one.ptr + from, ':', one.len - from) && one.ptr[0] != '%')
			ag_buf_adds(&b, LOCAL_PORT);
	}
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

/* --- the path ------------------------------------------------------------------------------------ */

static ag_status check_database(ag_str name, ag_err *err)
{
	for (size_t i = 0; i < name.len; i++)
		if (memchr("/\\. \"$*?", name.ptr[i], 8)) {
			ag_fail(err, AG_INVALID, ORIGIN,
			        "\"%.*s\" is no name of a database: it may not hold / \\ . \" $ * ? or a blank",
			        (int)(name.len < 60 ? name.len : 60), name.ptr);
			ag_err_hint(err, "%s", shape);
			return AG_INVALID;
		}
	if (name.len > 63)
		return bad("a database name has at most 63 bytes", err);
	return AG_OK;
}

static ag_status take_path(const parts *p, ag_arena *arena, ag_mongo_address *ret, ag_err *err)
{
	const ptrdiff_t dot = ag_str_find(p->path, '.');
	ag_str collection = p->path;
	const ag_str database = ag_str_split(&collection, '.');

	if (!decode(database, arena, &ret->database) ||
	    !decode(collection, arena, &ret->collection))
		return bad("\"%\" in the path is not followed by two hexadecimal digits", err);
	if (dot >= 0 && !collection.len)
		return bad("the name of the collection after the dot is empty", err);
	if (dot == 0)
		return bad("the name of the database before the dot is empty", err);
	/* An encoded * is a character of the name. */
	ret->is_pattern = (collection.len && memchr(collection.ptr, '*', collection.len)) != 0;
	return check_database(ret->database, err);
}

static void add_driver_text(const parts *p, const char *password, ag_buf *b)
{
	ag_buf_add(b, p->scheme);
	if (p->user.len) {
		ag_buf_add(b, p->user);
		if (p->has_password)
			ag_buf_addf(b, ":%.*s", AG_FMT(p->password));
		else if (password) {
			ag_buf_addc(b, ':');
			encode(b, ag_str_c(password));
		}
		ag_buf_addc(b, '@');
	}
	ag_buf_add(b, p->hosts);
	ag_buf_addc(b, '/');
}

/* Hosts of Azure Cosmos DB with request units; its vCore clusters have other names, and behave as MongoDB does. */
static bool is_charging(ag_str place)
{
	static const ag_str hosts[] = { AG_S_INIT(".mongo.cosmos.azure.com"),
		                        AG_S_INIT(".mongo.cosmos.azure.cn"),
		                        AG_S_INIT(".mongo.cosmos.azure.us"),
		                        AG_S_INIT(".documents.azure.com") };

	while (place.len) {
		ag_str one = ag_str_split(&place, ',');
		const ag_str host = ag_str_split(&one, ':');

		for (size_t i = 0; i < AG_NELEM(hosts); i++)
			if (ag_str_ends(host, hosts[i]))
				return true;
	}
	return false;
}

ag_status ag_mongo_address_parse(ag_str uri, ag_arena *arena, ag_mongo_address *ret, ag_err *err)
{
	const char *password = getenv(AG_MONGO_PASSWORD_ENV);
	ag_buf b = AG_BUF_INIT(16384);
	ag_str plain;
	parts p;
	ag_status st;

	*ret = (ag_mongo_address){ 0 };
	if (memchr(uri.ptr, 0, uri.len))
		return bad("it holds a NUL byte", err);
	st = cut(uri, &p, err);
	if (!st)
		st = take_path(&p, arena, ret, err);
	if (st)
		return st;
	if (p.has_password) {
		ag_log_redact(p.password);
		if (decode(p.password, arena, &plain))
			ag_log_redact(plain);
	} else if (p.user.len && password && *password) {
		ag_log_redact(ag_str_c(password));
	}
	/* The database stays in the driver's text: it is where the user is known, unless authSource says another. */
	add_driver_text(&p, password && *password ? password : NULL, &b);
	encode(&b, ret->database);
	if (p.options.len)
		ag_buf_addf(&b, "?%.*s", AG_FMT(p.options));
	ret->driver = ag_str_dup(arena, ag_buf_view(&b));
	ag_buf_clear(&b);
	p.has_password = false;
	add_driver_text(&p, NULL, &b);
	ret->shown = ag_str_dup(arena, ag_buf_view(&b));
	ag_buf_release(&b);
	ret->options = shown_options(p.options, arena);
	ret->path = ag_str_dup(arena, p.path);
	ret->place = place_of(&p, arena);
	ret->has_charge = is_charging(ret->place);
	return AG_OK;
}

ag_str ag_mongo_address_of(const ag_mongo_address *a, ag_str database, ag_str collection,
                           ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(16384);
	ag_str ret;

	ag_buf_add(&b, a->shown);
	encode(&b, database);
	ag_buf_addc(&b, '.');
	encode(&b, collection);
	ag_buf_add(&b, a->options);
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

ag_str ag_mongo_address_shown(const ag_mongo_address *a, ag_arena *arena)
{
	return ag_str_printf(arena, "%.*s%.*s%.*s", AG_FMT(a->shown), AG_FMT(a->path),
	                     AG_FMT(a->options));
}

bool ag_mongo_name_fits(ag_str pattern, ag_str name)
{
	size_t p = 0, n = 0, star = SIZE_MAX, mark = 0;

	while (n < name.len) {
		if (p < pattern.len && pattern.ptr[p] == '*') {
			star = p++;
			mark = n;
		} else if (p < pattern.len &&
		           (pattern.ptr[p] == '?' || pattern.ptr[p] == name.ptr[n])) {
			p++;
			n++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			n = ++mark;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.ptr[p] == '*')
		p++;
	return p == pattern.len;
}
