/* uri -- makes libpq's keywords and values from an address and the options.
 *
 * Settings travel in the start-up packet: they are then the session's defaults, which RESET and DISCARD ALL restore, and
 * they need no statement. */
#include "pg/parts.h"

#include <stdlib.h>

#include "base/log.h"

#define ORIGIN                 "pg"
#define MAX_URI_BYTES          8192u
#define MAX_NAME_BYTES         63u   /* PostgreSQL cuts longer names: they would be other names */
#define LOCK_TIMEOUT_MS        10000 /* readers wait only for ALTER TABLE and the like */
#define IDLE_IN_TRANSACTION_MS 60000 /* ends a transaction whose client process is suspended */

static char *copy(const char *text)
{
	size_t n = strlen(text) + 1;

	return (char *)memcpy(ag_xmalloc(n), text, n);
}

static void set(ag_pg *pg, const char *keyword, const char *value)
{
	size_t i = 0;

	while (pg->keyword[i] && strcmp(pg->keyword[i], keyword) != 0)
		i++;
	AG_ASSERT(i < AG_PG_MAX_KEYWORDS);
	if (!pg->keyword[i])
		pg->keyword[i] = copy(keyword);
	free(pg->value[i]);
	pg->value[i] = copy(value);
}

static const char *get(const ag_pg *pg, const char *keyword)
{
	for (size_t i = 0; pg->keyword[i]; i++) {
		if (strcmp(pg->keyword[i], keyword) == 0)
			return pg->value[i];
	}
	return "";
}

static void set_default(ag_pg *pg, const char *keyword, const char *value)
{
	if (!*get(pg, keyword))
		set(pg, keyword, value);
}

static ag_status check_name(const char *what, ag_str name, ag_err *err)
{
	if (name.len > MAX_NAME_BYTES || memchr(name.ptr ? name.ptr : "", '\0', name.len))
		return ag_fail(err, AG_INVALID, ORIGIN, "the %s is no name of PostgreSQL", what);
	return AG_OK;
}

/* libpq's message quotes what it cannot parse, which may be a password: only the text before the quote is shown. */
static ag_status not_an_address(const char *why, ag_err *err)
{
	ag_str said = ag_str_trim(ag_str_c(why));
	ptrdiff_t quote = ag_str_find(said, '"');

	if (quote >= 0)
		said = ag_str_trim(ag_str_make(said.ptr, (size_t)quote));
	ag_fail(err, AG_INVALID, ORIGIN, "the address of the database cannot be read%s%.*s",
	        said.len ? ": " : "", AG_FMT(said));
	return ag_err_hint(err, "write postgresql://user@host:5432/database; signs such as @ / : # "
	                        "in a password are percent-encoded");
}

/* "u:a/b@host", "u:a?b@host", "u:a@b@host": libpq would take a part of the password for the host, the port or the database,
 * and its messages would show it. */
static bool has_open_sign(ag_str uri)
{
	ag_str rest = uri, authority, path;
	size_t nat = 0, n = 0;

	ag_str_split(&rest, '/');
	ag_str_split(&rest, '/');
	while (n < rest.len && rest.ptr[n] != '/' && rest.ptr[n] != '?')
		nat += rest.ptr[n++] == '@';
	authority = ag_str_make(rest.ptr, n);
	rest = ag_str_make(rest.ptr + n, rest.len - n);
	path = ag_str_split(&rest, '?');
	rest = ag_str_split(&rest, '@');
	return nat > 1 || ag_str_find(path, '@') >= 0 ||
	       (!nat && authority.len && rest.len && ag_str_find(uri, '@') >= 0 &&
	        ag_str_find(rest, '=') < 0);
}

static ag_status take_uri(ag_pg *pg, ag_str uri, ag_err *err)
{
	char *text, *why = NULL;
	PQconninfoOption *all;
	ag_status st = AG_OK;
	size_t n = 0;

	if (uri.len > MAX_URI_BYTES || memchr(uri.ptr, '\0', uri.len))
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "the address of the database is longer than %u bytes, or no text",
		               MAX_URI_BYTES);
	if (has_open_sign(uri))
		return not_an_address("an @ is where none belongs", err);
	text = (char *)ag_xmalloc(uri.len + 1);
	memcpy(text, uri.ptr, uri.len);
	text[uri.len] = '\0';
	all = pg->pq->conninfoParse(text, &why);
	free(text);
	if (!all) {
		st = not_an_address(why ? why : "", err);
		pg->pq->freemem(why);
		return st;
	}
	for (PQconninfoOption *o = all; o->keyword; o++) {
		if (!o->val || !*o->val)
			continue;
		if (strcmp(o->keyword, "replication") == 0)
			st = ag_fail(err, AG_INVALID, ORIGIN,
			             "replication has no place in the address of a database");
		else if (n++ < AG_PG_MAX_KEYWORDS - 16) /* leaves room for ours */
			set(pg, o->keyword, o->val);
	}
	pg->pq->conninfoFree(all);
	return st;
}

/* Appends -c name=value, with a backslash before characters that would end the value. */
static void option(ag_buf *out, const char *name, ag_str value)
{
	ag_buf_addf(out, "%s-c %s=", out->len > 0 ? " " : "", name);
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] == ' ' || value.ptr[i] == '\\' || value.ptr[i] == '\t' ||
		    value.ptr[i] == '\n' || value.ptr[i] == '\r' || value.ptr[i] == '\v' ||
		    value.ptr[i] == '\f')
			ag_buf_addc(out, '\\');
		ag_buf_addc(out, value.ptr[i]);
	}
}

/* The user's own options come first, so ours win. */
static void set_options(ag_pg *pg, ag_str role)
{
	ag_buf out = AG_BUF_INIT(4 * MAX_URI_BYTES);
	int64_t lock_ms = pg->statement_timeout_ms < LOCK_TIMEOUT_MS ? pg->statement_timeout_ms
	                                                             : LOCK_TIMEOUT_MS;

	ag_buf_adds(&out, get(pg, "options"));
	option(&out, "default_transaction_read_only", pg->is_read_only ? AG_S("on") : AG_S("off"));
	option(&out, "search_path", ag_str_c(pg->search_path));
	option(&out, "standard_conforming_strings", AG_S("on"));
	option(&out, "DateStyle", AG_S("ISO")); /* the order of day and month stays the server's */
	option(&out, "IntervalStyle", AG_S("iso_8601"));
	option(&out, "TimeZone", AG_S("UTC"));
	option(&out, "extra_float_digits", AG_S("3")); /* exact, also before version 12 */
	option(&out, "bytea_output", AG_S("hex"));
	ag_buf_addf(&out, " -c statement_timeout=%lld -c lock_timeout=%lld",
	            (long long)pg->statement_timeout_ms, (long long)lock_ms);
	ag_buf_addf(&out, " -c idle_in_transaction_session_timeout=%d", IDLE_IN_TRANSACTION_MS);
	if (role.len > 0)
		option(&out, "role", role);
	set(pg, "options", ag_buf_view(&out).ptr);
	ag_buf_release(&out);
}

static char *path_of(ag_str schema)
{
	ag_arena *arena = ag_arena_new();
	ag_str quoted = ag_pg_ident(arena, schema);
	char *text;

	/* pg_catalog first, so that no function or operator of a user hides a built-in one; pg_temp last, where it would
	 * otherwise come before all. */
	text = copy(ag_str_cstr(arena,
	                        ag_str_printf(arena, "pg_catalog,%.*s,pg_temp", AG_FMT(quoted))));
	ag_arena_free(arena);
	return text;
}

/* "a,b" and "1,2" are a:1,b:2; one port is that of all hosts. */
static void show_hosts(ag_buf *out, ag_str hosts, ag_str ports)
{
	const bool is_one_port = ag_str_find(ports, ',') < 0;
	ag_str rest = ports, port = ports;

	for (bool is_first = true; hosts.len; is_first = false) {
		const ag_str host = ag_str_split(&hosts, ',');

		if (!is_one_port)
			port = ag_str_split(&rest, ',');
		ag_buf_adds(out, is_first ? "" : ",");
		ag_buf_addf(out, ag_str_find(host, ':') >= 0 ? "[%.*s]" : "%.*s", AG_FMT(host));
		ag_buf_addf(out, port.len ? ":%.*s" : "%.*s", AG_FMT(port));
	}
}

/* Neither user nor password; a socket's folder is no host of an address. */
static char *shown_of(const ag_pg *pg)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(4 * MAX_URI_BYTES);
	const char *host = get(pg, "host"), *port = get(pg, "port");

	if (!*host)
		host = get(pg, "hostaddr");
	ag_buf_adds(&out, "postgresql://");
	if (*host != '/')
		show_hosts(&out, ag_str_c(host), ag_str_c(port));
	ag_buf_addf(&out, "/%s", get(pg, "dbname"));
	if (*host == '/')
		ag_buf_addf(&out, *port ? "?host=%s&port=%s" : "?host=%s%s", host, port);
	return copy(ag_buf_view(&out).ptr);
}

ag_str ag_pg_ident(ag_arena *arena, ag_str name)
{
	char *text = (char *)ag_arena_alloc(arena, 2 * name.len + 3), *to = text;

	*to++ = '"';
	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] == '"')
			*to++ = '"';
		*to++ = name.ptr[i];
	}
	*to++ = '"';
	return ag_str_make(text, (size_t)(to - text));
}

ag_status ag_pg_address(ag_pg *pg, ag_str uri, const ag_pg_opts *opts, ag_err *err)
{
	ag_str schema = opts->schema.len > 0 ? opts->schema : AG_S("public");
	ag_arena *arena;
	ag_status st = take_uri(pg, uri, err);

	if (!st)
		st = check_name("schema", schema, err);
	if (!st)
		st = check_name("role", opts->role, err);
	if (!st && ag_str_eqc(opts->role, "none")) /* a keyword of SET ROLE */
		st = ag_fail(err, AG_INVALID, ORIGIN, "no role can be called \"none\"");
	if (st)
		return st;
	arena = ag_arena_new();
	if (opts->password.len > 0)
		set(pg, "password", ag_str_cstr(arena, opts->password));
	set(pg, "application_name",
	    opts->application.len > 0 ? ag_str_cstr(arena, opts->application) : "argus");
	pg->role = copy(ag_str_cstr(arena, opts->role));
	ag_arena_free(arena);
	ag_log_redact(ag_str_c(get(pg, "password")));
	ag_log_redact(ag_str_c(get(pg, "sslpassword")));
	set(pg, "client_encoding", "UTF8");
	set_default(pg, "gssencmode", "disable"); /* take_over() in connect.c */
	set_default(pg, "keepalives_idle", "30");
	set_default(pg, "keepalives_interval", "10");
	set_default(pg, "keepalives_count", "3");
	pg->search_path = path_of(schema);
	set_options(pg, opts->role);
	pg->shown = shown_of(pg);
	return AG_OK;
}
