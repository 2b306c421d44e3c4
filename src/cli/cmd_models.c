/* argus models: which models there are, who uses them, and whether their servers answer.
 *
 * A ping asks for the server's list of models: it costs no tokens and shows address, key and name at once. Keys are
 * never printed, only where they come from. */
#include "app/models.h"
#include "cli/cli.h"
#include "llm/price.h"
#include "net/url.h"

static const ag_option options[] = {
	{ "no-ping", 0, NULL, NULL, NULL, "only list them, ask no server" },
	{ .setting = "output_format" },
};

typedef struct entry {
	ag_llm_model m;
	ag_str key_origin, roles, shown_url;
	ag_price price;
	bool has_price, key_in_the_open; /* a key over plain http to another machine */
	bool pinged, ok;
	ag_llm_ping ping;
	ag_err err;
} entry;

static bool is_named(ag_str setting, const ag_llm_model *m)
{
	return setting.len && (ag_str_eq(setting, m->name) || ag_str_eq(setting, m->model));
}

/* "default, planner, judge" */
static ag_str roles_of(const ag_cli *c, const ag_llm_model *m, bool is_first, ag_arena *arena)
{
	const ag_settings *s = &c->app.settings;
	const bool plans = s->models_of_run.name.len ? is_named(s->models_of_run.name, m)
	                                             : is_first;
	const bool judges_self = s->audit.self_model.len ? is_named(s->audit.self_model, m) : plans;
	const struct {
		const char *name;
		bool is;
	} role[] = {
		{ "default", is_first },
		{ "planner", plans && s->audit.planner },
		{ "self", judges_self && s->audit.eval_profile },
		{ "judge", is_named(s->audit.judge_model, m) },
	};
	ag_buf out = AG_BUF_INIT(256);
	ag_str ret;

	for (size_t i = 0; i < AG_NELEM(role); i++) {
		if (!role[i].is)
			continue;
		if (out.len)
			ag_buf_adds(&out, ", ");
		ag_buf_adds(&out, role[i].name);
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static void find_price(ag_cli *c, entry *e)
{
	const ag_llm_model *m = &e->m;
	ag_llm_hub *hub;
	ag_err ignored;

	if (m->input_price >= 0 && m->output_price >= 0) {
		e->price = (ag_price){ .input = m->input_price, .output = m->output_price };
		e->has_price = true;
	} else if (!ag_app_hub(&c->app, AG_S(""), AG_S(""), &hub, &ignored)) {
		e->has_price = ag_prices_find(ag_llm_hub_prices(hub), m->model, &e->price);
	}
}

static void ping(ag_cli *c, entry *e)
{
	ag_llm_hub *hub;
	ag_llm *l = NULL;

	e->pinged = true;
	e->ok = !ag_app_hub(&c->app, AG_S(""), AG_S(""), &hub, &e->err) &&
	        !ag_llm_open(hub, &e->m, &l, &e->err) &&
	        !ag_llm_ping_model(l, &c->app.ctx, c->app.arena, &e->ping, &e->err);
	ag_llm_close(l);
}

/* --- JSON --- */

static void price_json(const entry *e, ag_jw *w)
{
	ag_jw_kkey(w, "price");
	if (!e->has_price) {
		ag_jw_null(w);
		return;
	}
	ag_jw_obj(w);
	ag_jw_kdouble(w, "input", e->price.input);
	ag_jw_kdouble(w, "output", e->price.output);
	ag_jw_obj_end(w);
}

static void ping_json(const entry *e, ag_jw *w)
{
	ag_jw_kkey(w, "ping");
	if (!e->pinged) {
		ag_jw_null(w);
		return;
	}
	ag_jw_obj(w);
	ag_jw_kbool(w, "ok", e->ok);
	if (e->ok) {
		ag_jw_kint(w, "latency_ms", e->ping.latency_ms);
		ag_jw_kbool(w, "lists_models", e->ping.lists_models);
		ag_jw_kbool(w, "has_model", e->ping.has_model);
		ag_jw_kuint(w, "models", e->ping.nmodel);
	} else {
		ag_jw_kstr(w, "message", ag_str_c(e->err.msg));
		ag_jw_kstr(w, "hint", ag_str_c(e->err.hint));
	}
	ag_jw_obj_end(w);
}

/* {"models":[{"name","provider","base_url","model","key_from","roles","price","ping"}]} */
static int json(ag_cli *c, const entry *list, size_t n, int code)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	bool ok;
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "models");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "name", list[i].m.name);
		ag_jw_kstr(&w, "provider", list[i].m.provider);
		ag_jw_kstr(&w, "base_url", list[i].shown_url);
		ag_jw_kstr(&w, "model", list[i].m.model);
		ag_jw_kstr(&w, "key_from", list[i].key_origin);
		ag_jw_kstr(&w, "roles", list[i].roles);
		price_json(&list[i], &w);
		ping_json(&list[i], &w);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ok = ag_cli_print_json(c, ag_buf_view(&out));
	ag_buf_release(&out);
	return ok ? code : AG_EXIT_FAILED;
}

/* --- text --- */

static void ping_line(const entry *e, ag_paint *p)
{
	ag_paint_to(p, 2);
	if (!e->ok) {
		ag_paint_sign(p, AG_INK_RED, AG_SIGN_BAD);
		ag_paint_lit(p, AG_INK_PLAIN, " ");
		ag_paint_wrap(p, AG_INK_PLAIN, 4, ag_str_c(e->err.msg));
		if (e->err.hint[0]) {
			ag_paint_nl(p);
			ag_paint_to(p, 4);
			ag_paint_wrap(p, AG_INK_DIM, 4, ag_str_c(e->err.hint));
		}
	} else if (e->ping.lists_models && !e->ping.has_model) {
		ag_paint_sign(p, AG_INK_YELLOW, AG_SIGN_WARN);
		ag_paint_textf(p, AG_INK_PLAIN, " answers in %lld ms, but does not list this model",
		               (long long)e->ping.latency_ms);
		if (e->ping.nearest.len) {
			ag_paint_lit(p, AG_INK_PLAIN, "; it has ");
			ag_paint_text(p, AG_INK_PLAIN, e->ping.nearest);
		}
	} else {
		ag_paint_sign(p, AG_INK_GREEN, AG_SIGN_GOOD);
		ag_paint_textf(p, AG_INK_PLAIN, " answers in %lld ms%s",
		               (long long)e->ping.latency_ms,
		               e->ping.has_model ? ", knows the model" : "");
	}
	ag_paint_nl(p);
}

static void block(const entry *e, ag_paint *p)
{
	ag_paint_text(p, AG_INK_BOLD, e->m.name);
	if (e->roles.len) {
		ag_paint_lit(p, AG_INK_DIM, "  ");
		ag_paint_text(p, AG_INK_CYAN, e->roles);
	}
	ag_paint_nl(p);
	ag_paint_to(p, 2);
	ag_paint_text(p, AG_INK_PLAIN, e->m.model);
	ag_paint_lit(p, AG_INK_DIM, " at ");
	ag_paint_text(p, AG_INK_PLAIN, e->shown_url);
	ag_paint_lit(p, AG_INK_DIM, " (");
	ag_paint_text(p, AG_INK_DIM, e->m.provider);
	ag_paint_lit(p, AG_INK_DIM, "), key: ");
	ag_paint_text(p, AG_INK_PLAIN, e->key_origin);
	if (e->has_price)
		ag_paint_textf(p, AG_INK_DIM, ", %g / %g USD per million tokens in / out",
		               e->price.input, e->price.output);
	ag_paint_nl(p);
	if (e->key_in_the_open) {
		ag_paint_to(p, 2);
		ag_paint_sign(p, AG_INK_YELLOW, AG_SIGN_WARN);
		ag_paint_lit(
			p, AG_INK_PLAIN,
			" the key travels unencrypted: use https, or a server on this machine");
		ag_paint_nl(p);
	}
	if (e->pinged)
		ping_line(e, p);
}

/* The same message as from an audit that finds no model: LLM_MODEL without LLM_API_BASE is named as the cause. */
static void say_what_is_missing(ag_cli *c)
{
	ag_err err = { 0 };
	ag_llm_model m;

	if (!ag_app_model(&c->app, AG_S(""), &m, &err))
		return;
	ag_cli_note(c, "%s", err.msg);
	ag_cli_note(c, "%s", err.hint);
}

static int text(ag_cli *c, const entry *list, size_t n, int code)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);

	for (size_t i = 0; i < n; i++) {
		if (i)
			ag_paint_nl(&p);
		block(&list[i], &p);
	}
	if (!n)
		say_what_is_missing(c);
	return ag_cli_finish(c, &out, code);
}

static int run(ag_cli *c)
{
	int code = AG_EXIT_OK;
	ag_llm_model *models;
	ag_err err = { 0 };
	entry *list;
	size_t n;

	if (ag_app_models(&c->app, &models, &n, &err))
		return ag_cli_fail(c, &err);
	list = ag_new_n(c->app.arena, entry, n ? n : 1);
	for (size_t i = 0; i < n; i++) {
		list[i].m = models[i];
		list[i].key_origin = ag_app_key_origin(&c->app, &models[i]);
		list[i].roles = roles_of(c, &models[i], i == 0, c->app.arena);
		find_price(c, &list[i]);
		list[i].shown_url = ag_url_shown(models[i].base_url, c->app.arena);
		list[i].key_in_the_open = ag_app_key_in_the_open(&c->app, &models[i]);
		if (!ag_cli_has(c, "no-ping"))
			ping(c, &list[i]);
		if (list[i].pinged && !list[i].ok)
			code = list[i].err.status == AG_CANCELLED ? AG_EXIT_CANCELLED
			                                          : AG_EXIT_FAILED;
		if (code == AG_EXIT_CANCELLED)
			return code;
	}
	return ag_cli_is_json(c) ? json(c, list, n, code) : text(c, list, n, code);
}

const ag_command ag_cmd_models = {
	.name = "models",
	.summary = "List the models that can be used, and ask their servers",
	.group = AG_GROUP_SET_UP,
	.usage = "[options]",
	.about =
		"Models come from `models:` in argus.yaml and from the environment (LLM_API_BASE, "
		"LLM_API_KEY, LLM_MODEL; ANTHROPIC_API_KEY; OPENAI_API_KEY; GEMINI_API_KEY). Each server is "
		"asked for its list of models, which costs no tokens; exit code 1 when one does not answer.\n\n"
		"Keys are never printed, only the name of the variable that each comes from.",
	.examples = "argus models # is everything there?\n"
		    "argus audit orders.csv --planner llm --model NAME # use one",
	.options = options,
	.noption = AG_NELEM(options),
	.run = run,
};
