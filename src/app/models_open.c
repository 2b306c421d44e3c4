/* Models opened for a run: on the hub, with their prices and budgets looked at before anything is asked. */
#include "app/models_parts.h"
#include "llm/price.h"

#define ORIGIN "app.models"

static bool is_set(const ag_var *v)
{
	return v && v->value.len > 0;
}

static ag_str either(ag_str a, ag_str b)
{
	return a.len ? a : b;
}

ag_status ag_app_hub(ag_app *app, ag_str record, ag_str replay, ag_llm_hub **ret, ag_err *err)
{
	const ag_llm_hub_opts o = { .record = record,
		                    .replay = replay,
		                    .clock = app->ctx.clock,
		                    .jitter_seed = (uint64_t)ag_clock_wall(app->ctx.clock) };
	ag_status st = AG_OK;

	if (!app->hub)
		st = ag_llm_hub_open(&o, &app->hub, err);
	*ret = app->hub;
	return st;
}

static bool needs(const ag_audit_opts *o, ag_evaluator_kind kind)
{
	for (size_t g = 0; g < AG_NGATE; g++)
		if (ag_audit_evaluator(o, (ag_gate)g) == kind)
			return true;
	return false;
}

static ag_status open_one(ag_app *app, ag_str name, size_t slot, ag_llm **ret, ag_err *err)
{
	ag_llm_model m;
	ag_status st = ag_app_model(app, name, &m, err);

	if (!st)
		st = ag_llm_open(app->hub, &m, &app->llms[slot], err);
	if (!st)
		*ret = app->llms[slot];
	return st;
}

ag_status ag_app_check_price(const ag_app *app, const ag_llm *llm, ag_err *err)
{
	const ag_llm_model *m;

	if (app->settings.models_of_run.max_cost <= 0 || ag_llm_is_priced(llm))
		return AG_OK;
	m = ag_llm_model_of(llm);
	ag_fail(err, AG_INVALID, ORIGIN,
	        "a budget of %g USD is set, but the price of \"%.*s\" is not known",
	        app->settings.models_of_run.max_cost, (int)(m->model.len < 80 ? m->model.len : 80),
	        m->model.ptr);
	return ag_err_hint(err, "give the model input_price and output_price in "
	                        "argus.yaml, or limit tokens with --max-tokens");
}

/* Before a run begins. A run that asks no model needs no price. */
static ag_status check_prices(const ag_app *app, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < AG_NELEM(app->llms); i++) {
		if (app->llms[i])
			st = ag_app_check_price(app, app->llms[i], err);
	}
	return st;
}

ag_status ag_app_open_models(ag_app *app, ag_str record, ag_str replay, ag_audit_opts *o,
                             ag_err *err)
{
	const ag_settings *s = &app->settings;
	const bool judge = s->audit.judge_model.len > 0 &&
	                   (needs(o, AG_EVAL_JUDGE) || needs(o, AG_EVAL_COMPOSITE));
	const bool self = needs(o, AG_EVAL_SELF) || needs(o, AG_EVAL_COMPOSITE);
	const bool planner = s->audit.planner != 0;
	ag_llm_hub *hub;
	ag_status st = AG_OK;

	if (!planner && !self && !judge)
		return ag_audit_opts_check(o, err);
	st = ag_app_hub(app, record, replay, &hub, err);
	if (st)
		return st;
	if (planner)
		st = open_one(app, s->models_of_run.name, 0, &o->planner_llm, err);
	if (!st && self)
		st = open_one(app, either(s->audit.self_model, s->models_of_run.name), 1,
		              &o->self_llm, err);
	if (!st && judge)
		st = open_one(app, s->audit.judge_model, 2, &o->judge_llm, err);
	if (st == AG_NOT_FOUND && replay.len)
		return ag_err_hint(err, "a replay wants the models named as they were when it was "
		                        "recorded: set LLM_MODEL and LLM_API_BASE as then; no "
		                        "server is asked");
	if (!st)
		st = check_prices(app, err);
	if (st)
		return st;
	o->history_before_ms = ag_llm_hub_recorded_at(hub);
	o->pricing_version = ag_prices_version(ag_llm_hub_prices(hub));
	return ag_audit_opts_check(o, err);
}

/* Somebody who began to set LLM_… meant that server: another one is not asked in its place. */
static ag_status check_env_model(const ag_app *app, ag_err *err)
{
	const bool base = is_set(ag_models_newer(app, "LLM_API_BASE", "LLM_API_BASE_URL")),
		   model = is_set(ag_models_newer(app, "LLM_MODEL", "LLM_API_MODEL")),
		   key = ag_models_var(app, "LLM_API_KEY").len > 0;
	const char *missing = !base  ? "LLM_API_BASE_URL (or LLM_API_BASE)"
	                      : !key ? "LLM_API_KEY"
	                             : "LLM_API_MODEL (or LLM_MODEL)";

	if (app->settings.nmodel || (!base && !model && !key) ||
	    (base && key && (model || app->settings.models_of_run.name.len)))
		return AG_OK;
	ag_fail(err, AG_NOT_FOUND, ORIGIN,
	        "%s is not set, neither in the environment nor in .env.agent.secret", missing);
	return ag_err_hint(err, base && !key ? "for a server that needs no key: LLM_API_KEY=none; "
	                                       "`argus ask --offline` answers without a model"
	                                     : "`argus ask --offline` answers without a model");
}

/* A question is short: not more patience than its deadline. */
static void for_questions(ag_llm_model *m)
{
	if (!m->attempts)
		m->attempts = 3;
	if (!m->total_ms || m->total_ms > 60000)
		m->total_ms = 60000;
}

ag_status ag_app_ask_model(ag_app *app, ag_str name, ag_llm_model *ret, ag_err *err)
{
	ag_status st = check_env_model(app, err);

	if (st)
		return st;
	st = ag_app_model(app, either(name, app->settings.models_of_run.name), ret, err);
	if (st == AG_NOT_FOUND && !app->settings.nmodel)
		return ag_err_hint(err,
		                   "set LLM_API_BASE_URL, LLM_API_MODEL and LLM_API_KEY, in the "
		                   "environment or in .env.agent.secret; `argus ask --offline` "
		                   "answers without a model");
	if (!st)
		for_questions(ret);
	return st;
}

ag_status ag_app_open_ask_model(ag_app *app, ag_str record, ag_str replay, ag_llm **ret,
                                ag_err *err)
{
	ag_llm_hub *hub;
	ag_llm_model m;
	ag_status st = ag_app_ask_model(app, AG_S(""), &m, err);

	if (!st)
		st = ag_app_hub(app, record, replay, &hub, err);
	if (!st)
		st = ag_llm_open(hub, &m, &app->llms[0], err);
	if (!st)
		st = check_prices(app, err);
	if (!st)
		*ret = app->llms[0];
	return st;
}

/* Two attempts: a provider that is overloaded is asked once more, and a notice says so. */
#define CHAT_ATTEMPTS 2u
#define CHAT_MODEL    "anthropic"
#define CHAT_MODEL_ID "claude-sonnet-4-5-20250929"

static ag_status choose_chat_model(ag_app *app, ag_str name, ag_llm_model *ret, ag_err *err)
{
	const ag_settings *s = &app->settings;
	const int row = ag_settings_find(AG_S("model"));
	bool is_default;
	ag_status st;

	if (s->place[row] == AG_PLACE_FLAG)
		name = s->models_of_run.name;
	if (!name.len)
		name = s->models_of_run.name;
	is_default = !name.len && !s->nmodel && ag_models_var(app, "ANTHROPIC_API_KEY").len;
	st = ag_app_model(app, is_default ? AG_S(CHAT_MODEL) : name, ret, err);
	if (!st && is_default && !ag_models_var(app, "ANTHROPIC_MODEL").len)
		ret->model = AG_S(CHAT_MODEL_ID);
	if (!st && !ret->attempts)
		ret->attempts = CHAT_ATTEMPTS;
	return st;
}

ag_status ag_app_chat_model(ag_app *app, ag_str name, ag_llm_model *ret, ag_err *err)
{
	const ag_status st = choose_chat_model(app, name, ret, err);

	if (st == AG_NOT_FOUND && name.len) {
		err->status = AG_INVALID;
		return AG_INVALID;
	}
	if (st == AG_NOT_FOUND && !app->settings.nmodel)
		return ag_err_hint(err, "set ANTHROPIC_API_KEY, or LLM_API_BASE, LLM_MODEL and "
		                        "LLM_API_KEY, or models: in argus.yaml");
	return st;
}

ag_status ag_app_open_chat_model(ag_app *app, ag_str name, ag_str record, ag_str replay,
                                 ag_llm **ret, ag_err *err)
{
	ag_llm_hub *hub;
	ag_llm_model m;
	ag_status st = ag_app_chat_model(app, name, &m, err);

	if (!st)
		st = ag_app_hub(app, record, replay, &hub, err);
	if (!st)
		st = ag_llm_open(hub, &m, &app->llms[0], err);
	if (!st)
		st = check_prices(app, err);
	if (!st)
		*ret = app->llms[0];
	return st;
}

ag_planner_make ag_app_planner(const ag_app *app)
{
	AG_ASSERT(app->settings.audit.planner < ag_agent_audit.nplanner);
	return ag_agent_audit.planners[app->settings.audit.planner].make;
}

unsigned ag_app_planner_setting(ag_str name)
{
	const ag_planner_kind *kind = ag_agent_planner(&ag_agent_audit, name);

	return kind ? (unsigned)(kind - ag_agent_audit.planners) : 0;
}

ag_llm_meter *ag_app_meter(const ag_app *app, ag_arena *arena)
{
	ag_llm_meter *m;

	if (!app->hub)
		return NULL;
	m = ag_new(arena, ag_llm_meter);
	ag_llm_meter_init(m, arena, app->settings.models_of_run.max_tokens,
	                  app->settings.models_of_run.max_cost);
	return m;
}
