/* The entries of "mcp_servers:", checked and opened: a command is started, an address is reached, the tools are listed. */
#include "app/mcp_servers.h"

#include <string.h>

#include "base/log.h"
#include "net/url.h"

#define ORIGIN    "app.mcp_servers"
#define MAX_WORDS 64

static ag_status wrong(const ag_entry_setting *e, const char *what, ag_err *err)
{
	return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: server %.*s: %s", AG_FMT(e->where),
	               AG_FMT(e->name), what);
}

/* A list of texts, or one text. */
static ag_status list_of(const ag_entry_setting *e, const char *key, ag_arena *arena, ag_str **ret,
                         size_t *nret, ag_err *err)
{
	const ag_val *v = ag_val_getc(&e->value, key);

	*ret = NULL;
	*nret = 0;
	if (!v)
		return AG_OK;
	*ret = ag_new_n(arena, ag_str, MAX_WORDS);
	if (v->type == AG_T_STRING) {
		(*ret)[(*nret)++] = ag_val_text(v);
		return AG_OK;
	}
	if (v->type != AG_T_ARRAY || v->n > MAX_WORDS)
		return wrong(e, "want a list of at most 64 texts", err);
	for (uint32_t i = 0; i < v->n; i++)
		(*ret)[(*nret)++] = ag_val_text(&v->u.items[i]);
	return AG_OK;
}

static ag_status check_keys(const ag_entry_setting *e, ag_err *err)
{
	static const char *const known[] = { "command", "url", "token_env", "tools", "projects" };

	for (uint32_t i = 0; i < e->value.n; i++) {
		const ag_str key = e->value.u.members[i].key;
		const char *near = ag_str_nearest(key, known, AG_NELEM(known));
		size_t k = 0;

		while (k < AG_NELEM(known) && !ag_str_eqc(key, known[k]))
			k++;
		if (k < AG_NELEM(known))
			continue;
		wrong(e, "want command or url, token_env, tools, projects", err);
		return near ? ag_err_hint(err, "did you mean \"%s\"?", near) : AG_INVALID;
	}
	return AG_OK;
}

static ag_status token_of(const ag_app *app, const ag_entry_setting *e, ag_arena *arena,
                          ag_str *ret, ag_err *err)
{
	const ag_str name = ag_val_member_str(&e->value, "token_env");
	const ag_var *v;

	if (!name.len)
		return AG_OK;
	if (!app->config_is_named && !ag_str_starts(name, AG_S("ARGUS_")))
		return ag_fail(
			err, AG_DENIED, ORIGIN,
			"%.*s: token_env: a settings file of the current folder may only name a "
			"variable that begins with ARGUS_",
			AG_FMT(e->where));
	v = ag_settings_var(&app->settings, ag_str_cstr(arena, name));
	if (!v)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "%.*s: the variable %.*s is not set",
		               AG_FMT(e->where), AG_FMT(name));
	ag_log_redact(v->value);
	*ret = v->value;
	return AG_OK;
}

static ag_status options_of(const ag_app *app, const ag_entry_setting *e, ag_arena *arena,
                            ag_mcp_client_opts *o, unsigned *ret_port, ag_err *err)
{
	ag_str *words = NULL;
	size_t n = 0;
	ag_url url;
	ag_status st = check_keys(e, err);

	*o = (ag_mcp_client_opts){ .name = e->name, .url = ag_val_member_str(&e->value, "url") };
	*ret_port = 0;
	if (!st)
		st = list_of(e, "command", arena, &words, &n, err);
	if (!st && (n > 0) == (o->url.len > 0))
		st = wrong(e, "want either command or url", err);
	if (!st && n && !app->config_is_named) {
		ag_fail(err, AG_DENIED, ORIGIN,
		        "%.*s: a settings file of the current folder may not name a command to run",
		        AG_FMT(e->where));
		st = ag_err_hint(err, "if you trust it, name the file with --config");
	}
	if (!st && n) {
		char **argv = ag_new_n(arena, char *, n + 1);

		for (size_t i = 0; i < n; i++)
			argv[i] = ag_str_cstr(arena, words[i]);
		o->argv = argv;
	}
	if (!st && !n) {
		st = ag_url_parse(o->url, arena, &url, err);
		*ret_port = st ? 0 : url.port;
	}
	return st ? st : token_of(app, e, arena, &o->token, err);
}

static void add_tools(ag_arena *arena, ag_app_servers *s, const ag_tool *tools, size_t n)
{
	ag_tool *all = ag_new_n(arena, ag_tool, s->ntool + n + 1);

	if (s->ntool)
		memcpy(all, s->tools, s->ntool * sizeof(*all));
	if (n)
		memcpy(all + s->ntool, tools, n * sizeof(*all));
	s->tools = all;
	s->ntool += n;
}

ag_status ag_app_servers_add(const ag_app *app, const ag_ctx *ctx, const ag_entry_setting *e,
                             int64_t start_ms, ag_arena *arena, ag_app_servers *s, ag_err *err)
{
	ag_mcp_client_opts o;
	ag_str *allowed;
	ag_tool *tools;
	size_t nallowed, ntool;
	ag_status st;

	if (s->n == AG_APP_MAX_SERVERS)
		return wrong(e, "at most 8 servers can be used at once", err);
	st = options_of(app, e, arena, &o, &s->ports[s->n], err);
	o.start_timeout_ms = start_ms;
	if (!st)
		st = list_of(e, "tools", arena, &allowed, &nallowed, err);
	if (!st)
		st = ag_mcp_client_open(ctx, &o, &s->clients[s->n], err);
	if (st)
		return st;
	st = ag_mcp_client_offer(s->clients[s->n], ctx, allowed, nallowed, arena, &tools, &ntool,
	                         err);
	if (st) {
		s->clients[s->n] = ag_mcp_client_close(s->clients[s->n]);
		return st;
	}
	s->n++;
	add_tools(arena, s, tools, ntool);
	return AG_OK;
}

ag_status ag_app_servers_open(ag_app *app, ag_app_servers *ret, ag_err *err)
{
	const ag_settings *s = &app->settings;
	ag_status st = AG_OK;

	*ret = (ag_app_servers){ 0 };
	for (size_t i = 0; !st && i < s->nentry; i++) {
		if (ag_str_eqc(s->entries[i].group, "mcp_servers"))
			st = ag_app_servers_add(app, &app->ctx, &s->entries[i], 0, app->arena, ret,
			                        err);
	}
	if (st)
		ag_app_servers_close(ret);
	return st;
}

void ag_app_servers_close(ag_app_servers *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->clients[i] = ag_mcp_client_close(s->clients[i]);
	s->n = 0;
	s->ntool = 0;
}

bool ag_app_server_is_of(const ag_entry_setting *e, ag_str project, ag_arena *arena)
{
	ag_str *ids;
	size_t n;

	if (!ag_str_eqc(e->group, "mcp_servers") || list_of(e, "projects", arena, &ids, &n, NULL))
		return false;
	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(ids[i], project))
			return true;
	return false;
}

ag_status ag_app_servers_check(const ag_app *app, ag_arena *arena, ag_err *err)
{
	const ag_settings *s = &app->settings;
	ag_mcp_client_opts o;
	ag_str *list;
	unsigned port;
	size_t n;
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < s->nentry; i++) {
		const ag_entry_setting *e = &s->entries[i];

		if (!ag_str_eqc(e->group, "mcp_servers"))
			continue;
		st = check_keys(e, err);
		if (!st)
			st = list_of(e, "projects", arena, &list, &n, err);
		if (!st && n)
			st = options_of(app, e, arena, &o, &port, err);
		if (!st && n)
			st = list_of(e, "tools", arena, &list, &n, err);
	}
	return st;
}
