/* connections -- see the header.
 *
 * An address is taken apart by its signs alone and put together by nobody: what the driver would read otherwise than this file is
 * refused. So one host stands where a host stands, and among the parameters are those of the lists below, which name neither
 * hosts nor files. */
#include "app/connections.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "app/ask_project.h"
#include "documents/source.h"
#include "mongo/address.h"
#include "net/url.h"
#include "project/credential.h"
#include "sql/sql.h"

#define ORIGIN    "app.connections"
#define MAX_HOSTS 64u
#define MAX_SEEN  2000u /* tables or collections that a test shows */

static ag_status refuse(ag_err *err, const char *what, const char *hint)
{
	ag_fail(err, AG_INVALID, ORIGIN, "%s", what);
	return ag_err_hint(err, "%s", hint);
}

/* --- hosts --- */

static bool is_listed(ag_str list, ag_str host)
{
	const ptrdiff_t colon = ag_str_find(host, ':');
	const ag_str name = colon >= 0 ? ag_str_make(host.ptr, (size_t)colon) : host;

	if (ag_str_eqc(list, "any"))
		return true;
	for (unsigned i = 0; list.len && i < MAX_HOSTS; i++) {
		const ag_str one = ag_str_trim(ag_str_split(&list, ','));

		if (one.len && (ag_str_ieq(one, host) || ag_str_ieq(one, name)))
			return true;
	}
	return false;
}

/* A name or an IPv4 address, perhaps with a port: no socket, no IPv6, nothing encoded. */
static bool is_host(ag_str host)
{
	size_t colons = 0;

	for (size_t i = 0; i < host.len; i++) {
		const char c = host.ptr[i];

		colons += c == ':';
		if (!(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z') &&
		    !memchr(".-_:", c, 4))
			return false;
	}
	return host.len > 0 && host.ptr[0] != ':' && colons <= 1;
}

static ag_status check_hosts(const ag_app *app, ag_str hosts, bool is_many, ag_err *err)
{
	if (!is_many && ag_str_find(hosts, ',') >= 0)
		return refuse(err, "the address names several hosts",
		              "want one: postgresql://user@host:5432/name");
	do {
		const ag_str host = ag_str_split(&hosts, ',');

		if (!is_host(host))
			return refuse(err, "the address has no host that can be used",
			              "want a name or an IPv4 address, like db.example.com:5432");
		if (!is_listed(app->settings.connection_hosts, host)) {
			ag_fail(err, AG_DENIED, ORIGIN, "the server does not allow the host %.*s",
			        AG_FMT(host));
			return ag_err_hint(
				err,
				"the administrator of the server lists hosts in connection_hosts");
		}
	} while (hosts.len);
	return AG_OK;
}

static ag_status check_parameters(ag_str query, const char *const *allowed, ag_err *err)
{
	while (query.len) {
		const ag_str one = ag_str_split(&query, '&');
		ag_str value = one;
		const ag_str name = ag_str_split(&value, '=');
		size_t i = 0;

		while (allowed[i] && !ag_str_eqc(name, allowed[i]))
			i++;
		if (allowed[i])
			continue;
		ag_fail(err, AG_INVALID, ORIGIN, "the parameter \"%.*s\" cannot be set here",
		        (int)(name.len < 40 ? name.len : 40), name.len ? name.ptr : "");
		return ag_err_hint(err, "leave it out");
	}
	return AG_OK;
}

static ag_status check_server(const ag_app *app, const ag_server_address *a, ag_err *err)
{
	static const char *const of_postgres[] = { "sslmode", "connect_timeout", "application_name",
		                                   NULL };
	static const char *const of_mongo[] = {
		"tls",        "ssl",        "authSource",     "authMechanism",
		"replicaSet", "retryReads", "readPreference", "directConnection",
		NULL
	};
	const ptrdiff_t colon = ag_str_find(a->uri, ':');
	ag_str rest = ag_str_make(a->uri.ptr + colon + 3, a->uri.len - (size_t)colon - 3);
	ag_str path = rest, query, hosts;
	ptrdiff_t at;
	ag_status st;

	if (ag_str_find(rest, '#') >= 0)
		return refuse(err, "the address has a #", "write it as %23");
	query = path;
	path = ag_str_split(&query, '?');
	hosts = ag_str_split(&path, '/');
	at = ag_str_find(hosts, '@');
	if (at >= 0)
		hosts = ag_str_make(hosts.ptr + at + 1, hosts.len - (size_t)at - 1);
	if (at < 0 && a->password.len)
		return refuse(err, "there is a password and no user",
		              "name the user: postgresql://user@host/name");
	if (!path.len)
		return refuse(err, "the address names no database",
		              a->is_documents ? "mongodb://user@host:27017/database"
		                              : "postgresql://user@host:5432/name");
	st = check_hosts(app, hosts, a->is_documents, err);
	return st ? st : check_parameters(query, a->is_documents ? of_mongo : of_postgres, err);
}

/* --- files --- */

static ag_status check_file(const ag_app *app, ag_str path, ag_arena *arena, ag_str *ret,
                            ag_err *err)
{
	struct stat sb;
	char *real;

	if (!path.len || path.ptr[0] != '/' || memchr(path.ptr, 0, path.len))
		return refuse(err, "this is no path of a SQLite file",
		              "want a whole path, like sqlite:/srv/data/shop.db");
	real = realpath(ag_str_cstr(arena, path), NULL);
	/* The same words whether it is there or not: else they tell what is on the server. */
	if (!real || !ag_app_is_within(app->settings.connection_folders, ag_str_c(real), arena) ||
	    stat(real, &sb) || !S_ISREG(sb.st_mode)) {
		free(real);
		ag_fail(err, AG_DENIED, ORIGIN, "this is no file that the server allows");
		return ag_err_hint(
			err, "the administrator of the server lists folders in connection_folders");
	}
	*ret = ag_str_printf(arena, "sqlite:%s", real);
	free(real);
	return AG_OK;
}

static ag_status check(void *arg, const ag_server_address *a, ag_arena *arena, ag_str *ret,
                       ag_err *err)
{
	const ag_app *app = (const ag_app *)arg;
	const bool is_postgres = ag_str_starts(a->uri, AG_S("postgresql://")) ||
	                         ag_str_starts(a->uri, AG_S("postgres://"));

	*ret = a->uri;
	if (!a->is_documents && ag_str_starts(a->uri, AG_S("sqlite:")) && !a->password.len)
		return check_file(app, ag_str_make(a->uri.ptr + 7, a->uri.len - 7), arena, ret,
		                  err);
	if (a->is_documents ? ag_str_starts(a->uri, AG_S("mongodb://")) : is_postgres)
		return check_server(app, a, err);
	return a->is_documents ? refuse(err, "this is no address of documents",
	                                "mongodb://user@host:27017/database")
	                       : refuse(err, "this is no address of a database",
	                                "postgresql://user@host:5432/name, or sqlite:/path");
}

/* --- passwords --- */

static ag_str key_of(const ag_app *app)
{
	const ag_var *key = ag_settings_var(&app->settings, "DB_CREDENTIAL_KEY");

	return key ? key->value : AG_S("");
}

static ag_status seal(void *arg, ag_str password, ag_arena *arena, ag_str *ret, ag_err *err)
{
	const ag_app *app = (const ag_app *)arg;

	return ag_credential_seal(key_of(app), password, ag_clock_wall(app->ctx.clock), arena, ret,
	                          err);
}

static ag_status open_password(void *arg, ag_str sealed, ag_str project, ag_arena *arena,
                               ag_str *ret, ag_err *err)
{
	return ag_credential_open(key_of((const ag_app *)arg), sealed, project, arena, ret, err);
}

/* --- a look --- */

typedef struct looking {
	ag_arena *arena;
	ag_server_seen *list;
	ag_str *names;
	size_t n, nname;
} looking;

/* Names come by schema. */
static void see(looking *l, ag_str schema, ag_str name)
{
	ag_server_seen *last = l->n ? &l->list[l->n - 1] : NULL;

	if (l->nname == MAX_SEEN)
		return;
	l->names[l->nname] = ag_str_dup(l->arena, name);
	if (!last || !ag_str_eq(last->schema, schema)) {
		last = &l->list[l->n++];
		*last = (ag_server_seen){ .schema = ag_str_dup(l->arena, schema),
			                  .names = &l->names[l->nname] };
	}
	l->nname++;
	last->n++;
}

static ag_status look_at_database(const ag_ctx *ctx, const ag_server_address *a, looking *l,
                                  ag_err *err)
{
	/* All schemas that the user of the address may use: a project chooses among them later. */
	const ag_sql_opts o = { .password = a->password,
		                .max_connections = 1,
		                .statement_timeout_ms = 10000,
		                .connect_timeout_ms = 10000 };
	const ag_dictionary_opts how = { .with_samples = false };
	ag_sql_failure failure = { 0 };
	ag_sql_source *s = NULL;
	ag_dictionary d = { 0 };
	ag_status st = ag_sql_open(a->uri, &o, &s, err);

	if (!st)
		st = ag_sql_introspect(s, ctx, &how, l->arena, &d, &failure, err);
	if (!st && failure.code != AG_SQLCODE_NONE) {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%.*s", AG_FMT(failure.message));
		if (failure.hint.len)
			ag_err_hint(err, "%.*s", AG_FMT(failure.hint));
	}
	for (size_t i = 0; !st && i < d.ntable; i++)
		see(l, d.tables[i].schema, d.tables[i].name);
	ag_sql_close(s);
	return st;
}

static ag_status look_at_documents(const ag_ctx *ctx, const ag_server_address *a, looking *l,
                                   ag_err *err)
{
	ag_source_place *places;
	ag_mongo_address where;
	size_t n = 0;
	ag_status st = ag_mongo_address_parse(a->uri, l->arena, &where, err);

	if (!st)
		st = ag_source_list(ctx, ag_credential_put(a->uri, a->password, l->arena), l->arena,
		                    &places, &n, err);
	for (size_t i = 0; !st && i < n; i++)
		see(l, where.database, places[i].collection);
	return st;
}

static ag_status test(void *arg, const ag_ctx *ctx, const ag_server_address *a, ag_arena *arena,
                      ag_server_seen **ret, size_t *nret, ag_err *err)
{
	looking l = { .arena = arena,
		      .list = ag_new_n(arena, ag_server_seen, MAX_SEEN),
		      .names = ag_new_n(arena, ag_str, MAX_SEEN) };
	const ag_status st = a->is_documents ? look_at_documents(ctx, a, &l, err)
	                                     : look_at_database(ctx, a, &l, err);

	(void)arg;
	*ret = l.list;
	*nret = l.n;
	return st;
}

ag_server_connections ag_app_connections(ag_app *app)
{
	return (ag_server_connections){ .check = check,
		                        .seal = seal,
		                        .open = open_password,
		                        .test = test,
		                        .arg = app,
		                        .hosts = app->settings.connection_hosts,
		                        .folders = app->settings.connection_folders };
}
