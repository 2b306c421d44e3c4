/* The folder and the API of a question; see the header for the rule about keys. */
#include "app/ask_opts.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "net/url.h"

#define ORIGIN       "app.ask"
#define DEFAULT_BASE "http://localhost:42002"

static void note(ag_app_ask *ask, ag_str text)
{
	if (text.len && ask->nnote < AG_APP_MAX_NOTES)
		ask->notes[ask->nnote++] = text;
}

static bool is_current_folder(ag_app *app, ag_str root)
{
	char *cwd = getcwd(NULL, 0);
	const bool ret = cwd && ag_str_eqc(root, cwd);

	(void)app;
	free(cwd);
	return ret;
}

/* A file that lies in a folder may name a part of that folder, and nothing beside it: what is read is shown to a model, which
 * the same file may have chosen. */
static ag_status check_root(const ag_app *app, const ag_root *root, ag_err *err)
{
	const ag_settings *s = &app->settings;
	const int row = ag_settings_find(AG_S("root"));
	const ag_str path = ag_root_path(root);
	char *cwd = getcwd(NULL, 0);
	ag_str here = ag_str_c(cwd ? cwd : "");
	bool is_below;

	if (here.len > 1)
		is_below = ag_str_starts(path, here) &&
		           (path.len == here.len || path.ptr[here.len] == '/');
	else
		is_below = here.len == 1;
	free(cwd);
	if (is_below || (s->place[row] != AG_PLACE_DOTENV &&
	                 (s->place[row] != AG_PLACE_YAML || app->config_is_named)))
		return AG_OK;
	ag_fail(err, AG_DENIED, ORIGIN, "%.*s: root leads out of the folder that this file is in",
	        AG_FMT(s->where[row]));
	return ag_err_hint(err, "if you trust this folder, name the root with --root");
}

ag_status ag_app_ask_root(ag_app *app, ag_app_ask *ask, ag_err *err)
{
	ag_root_opts o = { .path = app->settings.ask.root };
	ag_status st = AG_OK;

	if (!o.path.len)
		st = ag_root_find_project(AG_S(""), app->arena, &o.path, err);
	if (!st)
		st = ag_root_open(&o, &ask->root, err);
	if (!st)
		st = check_root(app, ask->root, err);
	if (!st && !is_current_folder(app, ag_root_path(ask->root)))
		st = ag_app_load_dotenv(app, ag_root_path(ask->root), err);
	for (size_t i = 0; !st && i < app->ndotenv; i++)
		ag_root_add_secret(ask->root, ag_str_cstr(app->arena, app->dotenv[i]));
	return st;
}

/* --- the API --- */

typedef struct address {
	ag_str url, where; /* "argus.yaml:3:9", "AGENT_API_BASE_URL" */
	const char *name;
	int place;
} address;

static address api_address(const ag_app *app)
{
	const ag_settings *s = &app->settings;
	const int row = ag_settings_find(AG_S("api_base_url"));
	const ag_var *seed = ag_settings_var(s, "AGENT_API_BASE_URL");

	if (s->ask.api_base.len && !(seed && seed->value.len && seed->place > (int)s->place[row]))
		return (address){ s->ask.api_base, s->where[row],
			          s->place[row] == AG_PLACE_FLAG   ? "--api-base"
			          : s->place[row] == AG_PLACE_YAML ? "api_base_url"
			                                           : "ARGUS_API_BASE_URL",
			          (int)s->place[row] };
	if (seed && seed->value.len)
		return (address){ seed->value, seed->where, "AGENT_API_BASE_URL", seed->place };
	return (address){ AG_S(DEFAULT_BASE), AG_S("default"), "AGENT_API_BASE_URL",
		          AG_PLACE_DEFAULT };
}

static const ag_var *api_key(const ag_app *app)
{
	const ag_var *general = ag_settings_var(&app->settings, "ARGUS_API_KEY"),
		     *seed = ag_settings_var(&app->settings, "LMS_API_KEY");

	if (!general || !general->value.len)
		return seed && seed->value.len ? seed : NULL;
	return seed && seed->value.len && seed->place > general->place ? seed : general;
}

/* Does the address come with the folder? */
static bool is_found(const ag_app *app, const address *to)
{
	return to->place == AG_PLACE_DOTENV ||
	       (to->place == AG_PLACE_YAML && !app->config_is_named);
}

/* May this key go there? */
static ag_status check_place(const ag_app *app, const address *to, const ag_var *key,
                             ag_arena *arena, ag_err *err)
{
	ag_err ignored;
	ag_url u;

	if (!is_found(app, to) || key->place <= AG_PLACE_DOTENV ||
	    ag_url_parse(ag_url_shown(to->url, arena), arena, &u, &ignored) ||
	    ag_url_is_loopback(&u))
		return AG_OK;
	ag_fail(err, AG_DENIED, ORIGIN,
	        "%.*s: %s would send the %.*s of the environment to %.*s, where it does not belong",
	        AG_FMT(to->where), to->name, AG_FMT(key->name), AG_FMT(ag_url_origin(&u, arena)));
	return ag_err_hint(err, "if you trust this folder, give the address with --api-base");
}

bool ag_app_is_vouched(const ag_app *app, const char *setting)
{
	const ag_place place = app->settings.place[ag_settings_find(ag_str_c(setting))];

	return place == AG_PLACE_ENV || place == AG_PLACE_FLAG ||
	       (place == AG_PLACE_YAML && app->config_is_named);
}

/* Which methods the API gets: those of the list when the user gave one, else GET, HEAD and what the question orders.
 * --read-only and an address that comes with the folder leave GET and HEAD. */
static ag_status name_methods(ag_app *app, ag_app_ask *ask, const address *to, ag_str question,
                              ag_api_opts *o, ag_err *err)
{
	const ag_settings *s = &app->settings;
	ag_status st = AG_OK;

	o->methods = AG_API_READING | ag_api_methods_ordered(question);
	o->limit = AG_API_BY_QUESTION;
	if (s->ask.api_methods.len && ag_app_is_vouched(app, "api_methods")) {
		st = ag_api_methods_parse(s->ask.api_methods, &o->methods, err);
		o->limit = AG_API_BY_LIST;
	} else if (s->ask.api_methods.len) {
		note(ask,
		     ag_str_printf(app->arena,
		                   "%.*s: api_methods is not taken from a file of the folder; give "
		                   "it with --api-methods",
		                   AG_FMT(s->where[ag_settings_find(AG_S("api_methods"))])));
	}
	if (st)
		return st;
	/* The author of the folder may name any service of this machine, so Argus only reads from it. */
	if (is_found(app, to)) {
		if (!s->ask.read_only)
			note(ask, ag_str_printf(app->arena,
			                        "%.*s: the address of the API comes from a file of "
			                        "the folder, so only GET and HEAD are sent; "
			                        "--api-base lifts that",
			                        AG_FMT(to->where)));
		o->methods = AG_API_READING;
		o->limit = AG_API_BY_ADDRESS;
	}
	if (s->ask.read_only) {
		o->methods = AG_API_READING;
		o->limit = AG_API_BY_READ_ONLY;
	}
	ask->api_methods = o->methods;
	return AG_OK;
}

ag_status ag_app_ask_api(ag_app *app, ag_app_ask *ask, ag_str question, ag_err *err)
{
	const address to = api_address(app);
	const ag_var *key = api_key(app);
	ag_api_opts o = { .base_url = to.url, .base_name = to.name };
	ag_str said = AG_S("");
	ag_status st;

	if (!app->settings.ask.api)
		return AG_OK;
	if (!key) {
		ag_fail(err, AG_NOT_FOUND, ORIGIN,
		        "the key of the project's API is not set: LMS_API_KEY (or ARGUS_API_KEY), "
		        "in the environment or in .env.docker.secret");
		return ag_err_hint(err, "--no-api answers from files alone and needs none");
	}
	st = check_place(app, &to, key, app->arena, err);
	if (st)
		return st;
	st = name_methods(app, ask, &to, question, &o, err);
	if (st)
		return st;
	o.key = key->value;
	o.key_name = ag_str_cstr(app->arena, key->name);
	st = ag_api_open(&o, app->arena, &ask->api, &said, err);
	if (st)
		return st;
	note(ask, said);
	if (!ag_log_can_redact(key->value))
		note(ask, ag_str_printf(app->arena,
		                        "%.*s is too short to be kept out of answers for sure",
		                        AG_FMT(key->name)));
	return AG_OK;
}

void ag_app_ask_release(ag_app_ask *ask)
{
	ag_app_servers_close(&ask->servers);
	ask->api = ag_api_close(ask->api);
	ask->root = ag_root_close(ask->root);
}
