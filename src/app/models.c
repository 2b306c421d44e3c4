/* Models out of settings and environment; see the header for the rule about keys.
 *
 * Read in the order: key_home (where a well-known key belongs), key_for, the lists, then what a run opens. */
#include "app/models_parts.h"

#include "llm/wire.h"
#include "net/url.h"

#define ORIGIN "app.models"

typedef struct known {
	const char *name, *provider;
	const char *key, *base, *base_too, *model, *model_too; /* variables */
	const char *url, *fallback;                            /* when they are not set */
} known;

/* In the order in which they are taken as the default. */
static const known knowns[] = {
	{ .name = "env",
	  .provider = "openai",
	  .key = "LLM_API_KEY",
	  .base = "LLM_API_BASE",
	  .base_too = "LLM_API_BASE_URL",
	  .model = "LLM_MODEL",
	  .model_too = "LLM_API_MODEL" },
	{ .name = "anthropic",
	  .provider = "anthropic",
	  .key = "ANTHROPIC_API_KEY",
	  .base = "ANTHROPIC_BASE_URL",
	  .model = "ANTHROPIC_MODEL",
	  .url = "https://api.anthropic.com",
	  .fallback = "claude-sonnet-4-5" },
	{ .name = "openai",
	  .provider = "openai",
	  .key = "OPENAI_API_KEY",
	  .base = "OPENAI_BASE_URL",
	  .model = "OPENAI_MODEL",
	  .url = "https://api.openai.com/v1",
	  .fallback = "gpt-4o-mini" },
	{ .name = "gemini",
	  .provider = "openai",
	  .key = "GEMINI_API_KEY",
	  .model = "GEMINI_MODEL",
	  .url = "https://generativelanguage.googleapis.com/v1beta/openai",
	  .fallback = "gemini-2.5-flash" },
};

ag_str ag_models_var(const ag_app *app, const char *name)
{
	const ag_var *v = name ? ag_settings_var(&app->settings, name) : NULL;

	return v ? v->value : AG_S("");
}

static ag_str either(ag_str a, ag_str b)
{
	return a.len ? a : b;
}

/* Two names for one thing: what stands in the higher place counts, in the same place the newer name. */
const ag_var *ag_models_newer(const ag_app *app, const char *old_name, const char *new_name)
{
	const ag_var *a = old_name ? ag_settings_var(&app->settings, old_name) : NULL;
	const ag_var *b = new_name ? ag_settings_var(&app->settings, new_name) : NULL;

	if (!a || !a->value.len)
		return b;
	return b && b->value.len && b->place >= a->place ? b : a;
}

static ag_str value_of(const ag_var *v)
{
	return v ? v->value : AG_S("");
}

static ag_str base_of(const ag_app *app, const known *k)
{
	return either(value_of(ag_models_newer(app, k->base, k->base_too)), ag_str_c(k->url));
}

static ag_status origin_of(ag_app *app, ag_str url, ag_str *ret, bool *is_loopback, ag_err *err)
{
	ag_url u;
	ag_status st = ag_url_parse(url, app->arena, &u, err);

	if (st)
		return st;
	*ret = ag_url_origin(&u, app->arena);
	*is_loopback = ag_url_is_loopback(&u);
	return AG_OK;
}

/* A .env file comes with its folder, as a found settings file does: the address in it gets a key that is in it too, not
 * the one of the user's environment. Its own address and this machine are no other places. */
static ag_status check_base(ag_app *app, const known *k, ag_err *err)
{
	const ag_var *key = ag_settings_var(&app->settings, k->key);
	const ag_var *base = ag_models_newer(app, k->base, k->base_too);
	ag_str to, own = AG_S("");
	bool is_loopback;
	ag_err ignored;

	if (!key || !key->value.len || key->place == AG_PLACE_DOTENV || !base || !base->value.len ||
	    base->place != AG_PLACE_DOTENV)
		return AG_OK;
	/* An invalid address is reported where it is used. */
	if (origin_of(app, base->value, &to, &is_loopback, &ignored) || is_loopback)
		return AG_OK;
	if (k->url && origin_of(app, ag_str_c(k->url), &own, &is_loopback, &ignored))
		return AG_OK;
	if (ag_str_eq(to, own))
		return AG_OK;
	ag_fail(err, AG_DENIED, ORIGIN,
	        "%.*s: %.*s would send the %s of the environment to %.*s, where it does not belong",
	        AG_FMT(base->where), AG_FMT(base->name), k->key, AG_FMT(to));
	return ag_err_hint(err,
	                   "if you trust this file, set %.*s in the environment, too, or put %s "
	                   "into the file",
	                   AG_FMT(base->name), k->key);
}

/* The well-known service at that origin, or NULL. */
static const known *home_at(ag_app *app, ag_str origin)
{
	for (size_t i = 0; i < AG_NELEM(knowns); i++) {
		const ag_str base = base_of(app, &knowns[i]);
		bool is_loopback;
		ag_err ignored;
		ag_str at;

		if (base.len && !origin_of(app, base, &at, &is_loopback, &ignored) &&
		    ag_str_eq(at, origin))
			return &knowns[i];
	}
	return NULL;
}

static const known *home_of(ag_str key_env)
{
	for (size_t i = 0; i < AG_NELEM(knowns); i++)
		if (ag_str_eqc(key_env, knowns[i].key))
			return &knowns[i];
	return NULL;
}

/* May a settings file that nobody named send this variable there? */
static bool may_send(ag_app *app, ag_str key_env, ag_str origin, bool is_loopback)
{
	const known *home = home_of(key_env);
	bool ignored_loopback;
	ag_err ignored;
	ag_str at;

	if (app->config_is_named || (home && is_loopback))
		return true;
	/* That of the project's own API is for no model. */
	if (ag_str_starts(key_env, AG_S("ARGUS_")) && !ag_str_eqc(key_env, "ARGUS_API_KEY"))
		return true;
	return home && base_of(app, home).len &&
	       !origin_of(app, base_of(app, home), &at, &ignored_loopback, &ignored) &&
	       ag_str_eq(at, origin);
}

static ag_status key_for(ag_app *app, const ag_model_setting *s, ag_llm_model *m, ag_err *err)
{
	const known *home;
	bool is_loopback;
	ag_str origin;
	ag_status st = origin_of(app, m->base_url, &origin, &is_loopback, err);

	if (st)
		return ag_err_hint(err, "the base_url of the model \"%.*s\" (%.*s)",
		                   AG_FMT(s->name), AG_FMT(s->where));
	if (!s->key_env.len) {
		home = home_at(app, origin);
		m->key = home ? ag_models_var(app, home->key) : AG_S("");
		return AG_OK;
	}
	m->key = ag_models_var(app, ag_str_cstr(app->arena, s->key_env));
	if (!m->key.len || may_send(app, s->key_env, origin, is_loopback))
		return AG_OK;
	ag_fail(err, AG_DENIED, ORIGIN,
	        "%.*s: the model \"%.*s\" would send %.*s to %.*s, where it does not belong",
	        AG_FMT(s->where), AG_FMT(s->name), AG_FMT(s->key_env), AG_FMT(origin));
	return ag_err_hint(err, "if you trust this file, name it with --config, or call the "
	                        "variable ARGUS_..._KEY");
}

static int64_t ms(double seconds)
{
	return (int64_t)(seconds * 1000);
}

static ag_status from_setting(ag_app *app, const ag_model_setting *s, ag_llm_model *m, ag_err *err)
{
	size_t n;
	const char *provider = ag_settings_model_table(&n)[0].one_of[s->provider];
	const ag_llm_wire *wire = ag_llm_wire_find(ag_str_c(provider));

	ag_llm_model_init(m);
	m->name = s->name;
	m->provider = ag_str_c(provider);
	m->base_url = either(s->base_url, ag_str_c(wire ? wire->base_url : ""));
	m->model = either(s->model, s->name);
	m->max_output_tokens = (unsigned)s->max_output_tokens;
	m->thinking_tokens = (unsigned)s->thinking_tokens;
	m->temperature = s->temperature;
	m->structured = (ag_llm_structured)s->structured;
	m->tools = (ag_llm_tools)s->tools;
	m->thinking = (ag_llm_thinking)s->thinking;
	m->extra_body = s->extra_body;
	m->no_stream = !s->stream;
	m->attempts = (unsigned)s->attempts;
	m->connect_ms = ms(s->connect_timeout);
	m->first_byte_ms = ms(s->first_byte_timeout);
	m->idle_ms = ms(s->idle_timeout);
	m->total_ms = ms(s->total_timeout);
	m->input_price = s->input_price;
	m->output_price = s->output_price;
	return key_for(app, s, m, err);
}

/* Out of the environment, when it names enough. */
static bool from_known(ag_app *app, const known *k, ag_llm_model *m)
{
	const ag_str model = either(value_of(ag_models_newer(app, k->model, k->model_too)),
	                            ag_str_c(k->fallback));
	const ag_str base = base_of(app, k);

	if (!base.len || !model.len)
		return false;
	/* A public service without a key is not meant. */
	if (k->url && !ag_models_var(app, k->key).len)
		return false;
	ag_llm_model_init(m);
	m->name = ag_str_c(k->name);
	m->provider = ag_str_c(k->provider);
	m->base_url = base;
	m->model = model;
	m->key = ag_models_var(app, k->key);
	return true;
}

static bool has(const ag_llm_model *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eqc(list[i].name, name))
			return true;
	return false;
}

/* "default" first, then that of LLM_API_BASE, which somebody set on purpose. */
static void default_first(ag_llm_model *list, size_t n)
{
	size_t at = n;

	for (size_t i = 0; i < n && at == n; i++)
		if (ag_str_eqc(list[i].name, "default"))
			at = i;
	for (size_t i = 0; i < n && at == n; i++)
		if (ag_str_eqc(list[i].name, "env"))
			at = i;
	if (at < n && at > 0) {
		const ag_llm_model m = list[at];

		memmove(&list[1], &list[0], at * sizeof(*list));
		list[0] = m;
	}
}

ag_status ag_app_models(ag_app *app, ag_llm_model **ret, size_t *nret, ag_err *err)
{
	const ag_settings *s = &app->settings;
	ag_llm_model *list = ag_new_n(app->arena, ag_llm_model, s->nmodel + AG_NELEM(knowns));
	size_t n = 0;

	for (size_t i = 0; i < AG_NELEM(knowns); i++) {
		const ag_status st = check_base(app, &knowns[i], err);

		if (st)
			return st;
	}
	for (; n < s->nmodel; n++) {
		const ag_status st = from_setting(app, &s->models[n], &list[n], err);

		if (st)
			return st;
	}
	for (size_t i = 0; i < AG_NELEM(knowns); i++)
		if (!has(list, n, knowns[i].name) && from_known(app, &knowns[i], &list[n]))
			n++;
	default_first(list, n);
	*ret = list;
	*nret = n;
	return AG_OK;
}

/* LLM_API_KEY without an address is a common slip: say what is missing. */
static ag_status no_model(const ag_app *app, ag_err *err)
{
	const bool has_base = base_of(app, &knowns[0]).len > 0;
	const bool has_model = ag_models_var(app, "LLM_MODEL").len > 0 ||
	                       ag_models_var(app, "LLM_API_MODEL").len > 0;

	if (has_base && !has_model)
		ag_fail(err, AG_NOT_FOUND, ORIGIN,
		        "LLM_API_BASE is set, but not which model: set LLM_MODEL");
	else if (!has_base && (has_model || ag_models_var(app, "LLM_API_KEY").len))
		ag_fail(err, AG_NOT_FOUND, ORIGIN,
		        "LLM_MODEL or LLM_API_KEY is set, but not where the server is: set "
		        "LLM_API_BASE");
	else
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "no model is set");
	return ag_err_hint(err,
	                   "set LLM_API_BASE, LLM_MODEL and, if it needs one, LLM_API_KEY; or "
	                   "ANTHROPIC_API_KEY; or models: in argus.yaml. --planner builtin needs "
	                   "none");
}

/* Other figures name another model of a family ("qwen3-4b" beside "qwen3-8b"): no slip of the finger. */
static bool differs_in_digits_only(ag_str a, ag_str b)
{
	size_t i = 0, k = 0;

	while (i < a.len || k < b.len) {
		if (i < a.len && a.ptr[i] >= '0' && a.ptr[i] <= '9')
			i++;
		else if (k < b.len && b.ptr[k] >= '0' && b.ptr[k] <= '9')
			k++;
		else if (i == a.len || k == b.len || a.ptr[i++] != b.ptr[k++])
			return false;
	}
	return true;
}

/* "carefull" would go to the default model's server, and many servers answer to any name. */
static ag_status check_slip(const ag_app *app, ag_str name, ag_err *err)
{
	const ag_settings *s = &app->settings;

	for (size_t i = 0; i < s->nmodel; i++) {
		const ag_str other = s->models[i].name;

		if (name.len < 4 || ag_str_distance(name, other) > 2 ||
		    differs_in_digits_only(name, other))
			continue;
		ag_fail(err, AG_NOT_FOUND, ORIGIN,
		        "no model is called \"%.*s\": did you mean \"%.*s\"?", AG_FMT(name),
		        AG_FMT(other));
		return ag_err_hint(err,
		                   "if a server really calls a model so, give it an entry of its "
		                   "own below models: in argus.yaml");
	}
	return AG_OK;
}

ag_status ag_app_model(ag_app *app, ag_str name, ag_llm_model *ret, ag_err *err)
{
	ag_llm_model *list;
	size_t n;
	ag_status st = ag_app_models(app, &list, &n, err);

	if (st)
		return st;
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eq(list[i].name, name)) {
			*ret = list[i];
			return AG_OK;
		}
	}
	for (size_t i = 0; i < n && name.len; i++) {
		if (ag_str_eq(list[i].model, name)) {
			*ret = list[i];
			return AG_OK;
		}
	}
	st = check_slip(app, name, err);
	if (st)
		return st;
	if (n) {
		*ret = list[0];
		if (name.len)
			ret->model = name;
		return AG_OK;
	}
	/* A model is named, an address is set: that is enough. */
	if (name.len && base_of(app, &knowns[0]).len) {
		ag_llm_model_init(ret);
		ret->name = ag_str_c(knowns[0].name);
		ret->provider = ag_str_c(knowns[0].provider);
		ret->base_url = base_of(app, &knowns[0]);
		ret->key = ag_models_var(app, knowns[0].key);
		ret->model = name;
		return AG_OK;
	}
	return no_model(app, err);
}

ag_str ag_app_key_origin(ag_app *app, const ag_llm_model *m)
{
	const ag_settings *s = &app->settings;

	for (size_t i = 0; m->key.len && i < s->nvar; i++) {
		const ag_var *v = &s->vars[i];

		if (!ag_str_eq(v->value, m->key))
			continue;
		return v->place == AG_PLACE_ENV ? v->name
		                                : ag_str_printf(app->arena, "%.*s (%.*s)",
		                                                AG_FMT(v->name), AG_FMT(v->where));
	}
	return AG_S("none");
}

static void add_origin(ag_buf *out, const ag_var *v)
{
	if (!v || !v->value.len)
		return;
	ag_buf_addf(out, "%s%.*s", out->len ? ", " : "", AG_FMT(v->name));
	if (v->place != AG_PLACE_ENV)
		ag_buf_addf(out, " (%.*s)", AG_FMT(v->where));
}

ag_str ag_app_model_origin(ag_app *app, const ag_llm_model *m)
{
	ag_buf out = AG_BUF_INIT(4096);
	ag_str ret;

	for (size_t i = 0; i < AG_NELEM(knowns); i++) {
		const known *k = &knowns[i];

		if (!ag_str_eqc(m->name, k->name) || !ag_str_eq(m->base_url, base_of(app, k)))
			continue;
		add_origin(&out, ag_models_newer(app, k->base, k->base_too));
		add_origin(&out, ag_models_newer(app, k->model, k->model_too));
		add_origin(&out, ag_models_newer(app, NULL, k->key));
	}
	ret = ag_buf_dup(app->arena, &out);
	ag_buf_release(&out);
	return ret;
}

bool ag_app_key_in_the_open(ag_app *app, const ag_llm_model *m)
{
	ag_err ignored;
	ag_url u;

	return m->key.len && !ag_url_parse(m->base_url, app->arena, &u, &ignored) &&
	       ag_str_eqc(u.scheme, "http") && !ag_url_is_loopback(&u);
}

ag_str ag_app_models_warning(ag_app *app)
{
	for (size_t i = 0; i < AG_NELEM(app->llms); i++) {
		const ag_llm_model *m = app->llms[i] ? ag_llm_model_of(app->llms[i]) : NULL;

		if (m && ag_app_key_in_the_open(app, m))
			return ag_str_printf(
				app->arena,
				"the key of the model \"%.*s\" travels unencrypted to %.*s: use "
				"https, or a server on this machine",
				AG_FMT(m->name), AG_FMT(ag_url_shown(m->base_url, app->arena)));
	}
	return AG_S("");
}
