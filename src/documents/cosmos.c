/* cosmos -- see the header. */
#include "documents/cosmos.h"

#include <stdlib.h>

#include "azure/azure.h"

#define ORIGIN  "documents.cosmos"
#define ID_PART 8 /* parts of an ARM id */

/* The emulator's key is the same everywhere and published by its maker; its certificate is its own. */
static const char emulator[] =
	"mongodb://localhost:C2y6yDjf5%2FR%2Bob0N8A7Cgv30VRDJIWEHLM%2B4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnq"
	"yMsEcaGQy67XIw%2FJw%3D%3D@localhost:10255/"
	"?tls=true&tlsAllowInvalidCertificates=true&retryWrites=false";

static const char shape[] =
	"write cosmos://ACCOUNT/database.collection; `argus accounts` lists the accounts";

bool ag_cosmos_is_uri(ag_str uri)
{
	return ag_str_starts(uri, AG_S("cosmos://"));
}

static const char *variable(const char *name)
{
	const char *v = getenv(name);

	return v && *v ? v : NULL;
}

static bool wants_emulator(void)
{
	const ag_str v = ag_str_c(variable("QUERYARGUS_EMULATOR"));

	return ag_str_ieq(v, AG_S("true")) || ag_str_eqc(v, "1");
}

const char *ag_cosmos_stand_in(void)
{
	return wants_emulator()              ? "QUERYARGUS_EMULATOR"
	       : variable("LOCAL_MONGO_URI") ? "LOCAL_MONGO_URI"
	                                     : NULL;
}

static ag_status bad(const char *what, ag_err *err)
{
	ag_fail(err, AG_INVALID, ORIGIN, "the address of the Cosmos DB account is wrong: %s", what);
	ag_err_hint(err, "%s", shape);
	return AG_INVALID;
}

/* --- the parts of an address --------------------------------------------------------------------- */

typedef struct parts {
	ag_str user, account, path;
	bool can_write;
} parts;

static ag_status take_options(ag_str options, parts *p, ag_err *err)
{
	while (options.len) {
		const ag_str one = ag_str_split(&options, '&');

		if (ag_str_ieq(one, AG_S("allowReadWrite=true")))
			p->can_write = true;
		else if (one.len && !ag_str_ieq(one, AG_S("allowReadWrite=false")))
			return bad("the only option after \"?\" is allowReadWrite=true", err);
	}
	return AG_OK;
}

static ag_status check_account(ag_str name, ag_err *err)
{
	if (!name.len)
		return bad("it names no account", err);
	for (size_t i = 0; i < name.len; i++)
		if (!((name.ptr[i] >= 'a' && name.ptr[i] <= 'z') ||
		      (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z') ||
		      (name.ptr[i] >= '0' && name.ptr[i] <= '9') || name.ptr[i] == '-'))
			return bad("the name of an account has letters, digits and hyphens only",
			           err);
	return name.len <= 63 ? AG_OK
	                      : bad("the name of an account has at most 63 characters", err);
}

static ag_status cut(ag_str uri, parts *ret, ag_err *err)
{
	ag_str rest = ag_str_make(uri.ptr + 9, uri.len - 9);
	const ptrdiff_t at = ag_str_find(rest, '?');
	ag_status st = AG_OK;

	*ret = (parts){ 0 };
	if (at >= 0) {
		st = take_options(ag_str_make(rest.ptr + at + 1, rest.len - (size_t)at - 1), ret,
		                  err);
		rest.len = (size_t)at;
	}
	if (st)
		return st;
	if (ag_str_starts(rest, AG_S("/"))) {
		size_t n = 0, i = 0;

		while (i < rest.len && !(rest.ptr[i] == '/' && n++ == ID_PART))
			i++;
		ret->account = ag_str_make(rest.ptr, i);
		ret->path = i < rest.len ? ag_str_make(rest.ptr + i + 1, rest.len - i - 1)
		                         : AG_S("");
		return ag_azure_is_id(ret->account)
		               ? AG_OK
		               : bad("what follows cosmos:// is no id of an account, such as "
		                     "/subscriptions/S/resourceGroups/G/providers/Microsoft.DocumentDB/"
		                     "databaseAccounts/NAME",
		                     err);
	}
	ret->path = rest;
	ret->account = ag_str_split(&ret->path, '/');
	if (ag_str_find(ret->account, '@') >= 0) {
		ag_str name = ret->account;

		ret->user = ag_str_split(&name, '@');
		ret->account = name;
		if (ag_str_find(ret->user, ':') >= 0)
			return bad("a password does not belong into it; set " AG_MONGO_PASSWORD_ENV,
			           err);
	}
	return check_account(ret->account, err);
}

/* --- connection strings -------------------------------------------------------------------------- */

static bool has_option(ag_str options, const char *name)
{
	while (options.len) {
		ag_str one = ag_str_split(&options, '&');

		if (ag_str_ieq(ag_str_split(&one, '='), ag_str_c(name)))
			return true;
	}
	return false;
}

static bool is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       memchr("-_.~", c, 4);
}

/* `also` are signs that stay as they are. */
static void add_encoded(ag_buf *b, ag_str s, const char *also)
{
	for (size_t i = 0; i < s.len; i++) {
		if (is_unreserved(s.ptr[i]) || (s.ptr[i] && strchr(also, s.ptr[i])))
			ag_buf_addc(b, s.ptr[i]);
		else
			ag_buf_addf(b, "%%%02X", (unsigned char)s.ptr[i]);
	}
}

/* Keys are base64 and may hold / and +, which Azure does not always encode. */
#define IN_KEY "%="

/* A connection string with this path and, when it is not "", this user in place of its own:
 * "mongodb://user:key@hosts/" + path + "?options". */
static ag_status with_path(ag_str text, ag_str user, ag_str path, bool is_azure, ag_arena *arena,
                           ag_str *ret, ag_err *err)
{
	ag_buf b = AG_BUF_INIT(16384);
	ag_str rest = text, options = AG_S(""), info = AG_S(""), name;
	ptrdiff_t at;

	if (!ag_mongo_is_uri(text))
		return bad("the connection string does not begin with mongodb:// or mongodb+srv://",
		           err);
	at = ag_str_find(rest, '?');
	if (at >= 0) {
		options = ag_str_make(rest.ptr + at + 1, rest.len - (size_t)at - 1);
		rest.len = (size_t)at;
	}
	at = ag_str_find(rest, ':') + 3;
	ag_buf_add(&b, ag_str_make(rest.ptr, (size_t)at));
	rest = ag_str_make(rest.ptr + at, rest.len - (size_t)at);
	for (at = (ptrdiff_t)rest.len - 1; at >= 0 && rest.ptr[at] != '@'; at--)
		;
	if (at >= 0) {
		info = ag_str_make(rest.ptr, (size_t)at);
		rest = ag_str_make(rest.ptr + at + 1, rest.len - (size_t)at - 1);
	}
	name = ag_str_split(&info, ':');
	if (user.len)
		add_encoded(&b, user, IN_KEY); /* its password comes from the environment */
	else
		add_encoded(&b, name, IN_KEY);
	if (info.len && !user.len) {
		ag_buf_addc(&b, ':');
		add_encoded(&b, info, IN_KEY);
	}
	if (name.len || user.len)
		ag_buf_addc(&b, '@');
	ag_buf_add(&b, ag_str_split(&rest, '/'));
	ag_buf_addf(&b, "/%.*s", AG_FMT(path));
	if (options.len || is_azure)
		ag_buf_addf(&b, "?%.*s", AG_FMT(options));
	/* Keys are of the account and not of a database, which the path would be taken for. */
	if (is_azure && !has_option(options, "authSource"))
		ag_buf_addf(&b, "%sauthSource=admin", options.len ? "&" : "");
	if (is_azure && !has_option(options, "retryWrites"))
		ag_buf_adds(&b, "&retryWrites=false");
	*ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return AG_OK;
}

/* --- addresses ----------------------------------------------------------------------------------- */

static ag_status connection_of(const ag_ctx *ctx, const parts *p, ag_arena *arena, ag_str *ret,
                               bool *has_charge, ag_err *err)
{
	const ag_str account = p->account;
	ag_azure_string s;
	ag_status st;

	*has_charge = wants_emulator();
	if (wants_emulator())
		return with_path(ag_str_c(emulator), AG_S(""), p->path, true, arena, ret, err);
	if (variable("LOCAL_MONGO_URI"))
		return with_path(ag_str_c(variable("LOCAL_MONGO_URI")), AG_S(""), p->path, false,
		                 arena, ret, err);
	st = ag_azure_connection(ctx, account, p->can_write, arena, &s, err);
	if (st)
		return st;
	if (s.is_cluster && !p->user.len) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "\"%.*s\" is a vCore cluster, which has users with passwords and no keys",
		        (int)(account.len < 100 ? account.len : 100), account.ptr);
		return ag_err_hint(
			err, "write cosmos://USER@%.*s/database, and put the password into %s",
			(int)(account.len < 60 ? account.len : 60), account.ptr,
			AG_MONGO_PASSWORD_ENV);
	}
	*has_charge = !s.is_cluster;
	return with_path(s.text, s.is_cluster ? p->user : AG_S(""), p->path, true, arena, ret, err);
}

static ag_str shown(const parts *p, ag_arena *arena)
{
	return ag_str_printf(arena, "cosmos://%.*s%s%.*s/", AG_FMT(p->user), p->user.len ? "@" : "",
	                     AG_FMT(p->account));
}

ag_str ag_cosmos_base(ag_str uri, ag_arena *arena, bool *ret_is_one)
{
	ag_mongo_address a;
	ag_str one;
	parts p;

	*ret_is_one = false;
	if (cut(uri, &p, NULL) ||
	    ag_mongo_address_parse(ag_str_printf(arena, "mongodb://h/%.*s", AG_FMT(p.path)), arena,
	                           &a, NULL))
		return AG_S("");
	a.shown = shown(&p, arena);
	a.options = AG_S("");
	if (!a.database.len)
		return ag_str_make(a.shown.ptr, a.shown.len - 1);
	*ret_is_one = a.collection.len && !a.is_pattern;
	one = ag_mongo_address_of(&a, a.database, *ret_is_one ? a.collection : AG_S(""), arena);
	return *ret_is_one ? one : ag_str_make(one.ptr, one.len - 1);
}

ag_status ag_cosmos_address(const ag_ctx *ctx, ag_str uri, ag_arena *arena, ag_mongo_address *ret,
                            ag_err *err)
{
	bool has_charge = false;
	ag_str driver = { 0 };
	parts p;
	ag_status st = cut(uri, &p, err);

	if (!st)
		st = connection_of(ctx, &p, arena, &driver, &has_charge, err);
	if (!st)
		st = ag_mongo_address_parse(driver, arena, ret, err);
	if (st)
		return st;
	ret->has_charge = ret->has_charge || has_charge;
	ret->shown = shown(&p, arena);
	ret->options = p.can_write ? AG_S("?allowReadWrite=true") : AG_S("");
	return AG_OK;
}

ag_status ag_cosmos_uri(ag_str account, ag_str database, ag_str collection, bool can_write,
                        ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_buf b = AG_BUF_INIT(4096);
	ag_str path;

	if (collection.len && !database.len)
		return bad("a collection needs its database: -d DATABASE", err);
	if (ag_str_find(database, '.') >= 0) /* it would end there */
		return bad("the name of a database has no dot", err);
	add_encoded(&b, database, "$");
	if (collection.len)
		ag_buf_addc(&b, '.');
	add_encoded(&b, collection, "*$");
	path = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	if (ag_mongo_is_uri(account))
		return with_path(account, AG_S(""), path, false, arena, ret, err);
	if (ag_str_find(account, ';') >= 0 || ag_str_contains(account, AG_S("://")))
		return bad("a connection string for MongoDB begins with mongodb://", err);
	*ret = ag_str_printf(arena, "cosmos://%.*s/%.*s%s", AG_FMT(account), AG_FMT(path),
	                     can_write ? "?allowReadWrite=true" : "");
	return AG_OK;
}
