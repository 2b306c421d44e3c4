/* What a question's process needs of the machine, for the kernel to forbid the rest.
 *
 * Names are resolved and certificates read by libraries that open their own files: those are in the list. What does not
 * exist here is skipped by the sandbox. */
#include <stdio.h>
#include <stdlib.h>

#include "app/ask_opts.h"
#include "net/http.h"
#include "net/url.h"

#define ORIGIN    "app.ask"
#define MAX_PATHS 64
#define MAX_PORTS 16

typedef struct lists {
	const char *read[MAX_PATHS], *write[2];
	size_t nread, nwrite;
	uint16_t ports[MAX_PORTS];
	size_t nport;
	bool any_port;
} lists;

static void add_read(lists *l, const char *path)
{
	if (path && path[0] && l->nread < MAX_PATHS)
		l->read[l->nread++] = path;
}

static void add_port(lists *l, unsigned port)
{
	if (l->nport < MAX_PORTS)
		l->ports[l->nport++] = (uint16_t)port;
}

/* A proxy may be anywhere: then the port is not limited. */
static bool has_proxy(void)
{
	static const char *const names[] = { "https_proxy", "HTTPS_PROXY", "all_proxy",
		                             "ALL_PROXY" };

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		const char *v = getenv(names[i]);

		if (v && v[0])
			return true;
	}
	return false;
}

/* SSL_CERT_DIR may name several folders, as PATH does. */
static void add_cert_folders(lists *l, const char *folders, ag_arena *arena)
{
	ag_str rest = ag_str_c(folders);

	while (rest.len) {
		const ag_str one = ag_str_split(&rest, ':');

		if (one.len)
			add_read(l, ag_str_cstr(arena, one));
	}
}

static void model_port(lists *l, ag_llm *llm, ag_arena *arena)
{
	const ag_llm_model *m = ag_llm_model_of(llm);
	ag_err ignored;
	ag_url u;

	if (ag_url_parse(m->base_url, arena, &u, &ignored)) {
		l->any_port = true;
		return;
	}
	add_port(l, u.port);
	if (ag_str_eqc(u.scheme, "https") && has_proxy())
		l->any_port = true;
}

/* A server that restarts is connected to again. Of several hosts any port. */
static void store_port(lists *l, ag_str uri)
{
	ag_str rest = uri, authority, port;
	uint64_t n = 5432;
	ptrdiff_t at;

	ag_str_split(&rest, '/');
	ag_str_split(&rest, '/');
	authority = ag_str_split(&rest, '/');
	at = ag_str_find(authority, '@');
	port = ag_str_make(authority.ptr + at + 1, authority.len - (size_t)(at + 1));
	at = ag_str_find(port, ':');
	if (at >= 0 &&
	    (!ag_str_to_u64(ag_str_make(port.ptr + at + 1, port.len - (size_t)at - 1), &n) ||
	     n > 65535))
		l->any_port = true;
	else if (ag_str_contains(rest, AG_S("port=")) || ag_str_find(port, ',') >= 0)
		l->any_port = true;
	else
		add_port(l, (unsigned)n);
}

/* The folder of the store's file: SQLite makes and removes files beside it. */
static void store_place(lists *l, ag_app *app)
{
	ag_str uri, path;
	ag_err ignored;
	size_t end;

	if (ag_app_store_uri(app, &uri, &ignored) || ag_str_starts(uri, AG_S("memory:")))
		return;
	if (ag_str_starts(uri, AG_S("postgres"))) {
		store_port(l, uri);
		return;
	}
	path = ag_str_starts(uri, AG_S("sqlite:")) ? ag_str_make(uri.ptr + 7, uri.len - 7) : uri;
	for (end = path.len; end > 0 && path.ptr[end - 1] != '/'; end--)
		;
	l->write[l->nwrite++] = end ? ag_str_cstr(app->arena, ag_str_make(path.ptr, end)) : ".";
}

static void collect(ag_app *app, const ag_app_ask *ask, ag_llm *llm, lists *l)
{
	size_t n;
	const char *const *system = ag_sandbox_system_paths(&n);

	/* The root first: the list has an end. */
	add_read(l, ag_str_cstr(app->arena, ag_root_path(ask->root)));
	for (size_t i = 0; i < n; i++)
		add_read(l, system[i]);
	/* A run's writer is named by its process (run/owner.h), so that others see when it has died. */
	add_read(l, "/proc/self");
	add_read(l, "/proc/sys/kernel/random/boot_id");
	add_read(l, getenv("SSL_CERT_FILE"));
	add_cert_folders(l, getenv("SSL_CERT_DIR"), app->arena);
	store_place(l, app);
	if (llm)
		model_port(l, llm, app->arena);
	if (ask->api) {
		add_port(l, ag_api_port(ask->api));
		if (ag_str_starts(ag_api_shown(ask->api), AG_S("https:")) && has_proxy())
			l->any_port = true;
	}
	for (size_t i = 0; i < ask->servers.n; i++) {
		if (ask->servers.ports[i])
			add_port(l, ask->servers.ports[i]);
	}
	if (l->nport)
		add_port(l, 53);
}

static ag_status preload(ag_err *err)
{
	ag_http *http;
	const ag_status st = ag_http_new(&http, err);

	if (!st)
		ag_http_free(http);
	return st;
}

ag_status ag_app_ask_confine(ag_app *app, const ag_app_ask *ask, ag_llm *llm,
                             ag_sandbox_report *ret, ag_err *err)
{
	lists *l = ag_new(app->arena, lists);
	ag_sandbox_opts o;
	ag_status st = AG_OK;

	*ret = (ag_sandbox_report){ 0 };
	if (app->settings.ask.sandbox == AG_SANDBOX_OFF && ag_app_is_vouched(app, "sandbox"))
		return AG_OK;
	if (llm || ask->api) /* what it loads is loaded before the doors close */
		st = preload(err);
	if (st)
		return st;
	collect(app, ask, llm, l);
	o = (ag_sandbox_opts){ .read = l->read,
		               .nread = l->nread,
		               .write = l->write,
		               .nwrite = l->nwrite,
		               .ports = l->ports,
		               .nport = l->nport,
		               .any_port = l->any_port };
	st = ag_sandbox_enter(&o, ret, err);
	/* A library that somebody put in front (LD_PRELOAD) has a thread: then nothing is limited, and told. */
	if (st == AG_INTERNAL && app->settings.ask.sandbox == AG_SANDBOX_AUTO) {
		snprintf(ret->missing, sizeof(ret->missing), "%.190s", err->msg);
		st = AG_OK;
	}
	if (st || app->settings.ask.sandbox != AG_SANDBOX_REQUIRED || !ret->missing[0])
		return st;
	ag_fail(err, AG_UNAVAILABLE, ORIGIN, "the sandbox is required, but: %s", ret->missing);
	return ag_err_hint(err, "--set sandbox=auto goes on with what the kernel has");
}
