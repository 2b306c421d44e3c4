/* models -- which models there are, and what a run needs of them.
 *
 * From argus.yaml ("models:") and from the environment, where users of other tools have set theirs already:
 *   env        LLM_API_BASE (or LLM_API_BASE_URL), LLM_API_KEY, LLM_MODEL (or LLM_API_MODEL)
 *   anthropic  ANTHROPIC_API_KEY       openai  OPENAI_API_KEY       gemini  GEMINI_API_KEY
 * each only when it is set and argus.yaml has no model of that name.
 *
 * A key goes only where it belongs. A settings file that was found in the current folder (and not named by --config) may
 * send a well-known key only to its own address, and any other variable only when its name begins with ARGUS_. An
 * address in a .env file gets a key of a .env file, not the one of the environment. A folder from somewhere cannot carry
 * secrets away. What runs on this machine is trusted with the keys of models, and with nothing else. */
#ifndef AG_APP_MODELS_H
#define AG_APP_MODELS_H

#include "app/app.h"
#include "llm/llm.h"

/* All models, the default first; texts in the app's arena.
 * errors  AG_DENIED: a key would go to a place that it does not belong to; AG_INVALID: an address */
AG_CHECK ag_status ag_app_models(ag_app *app, ag_llm_model **ret, size_t *nret, ag_err *err);
/* By name, then by what a server calls it; another text is taken as a model of the default model's server; "" = the
 * default.
 * errors  AG_NOT_FOUND: there is none at all, says how to set one; or the name is nearly that of another */
AG_CHECK ag_status ag_app_model(ag_app *app, ag_str name, ag_llm_model *ret, ag_err *err);

/* Where the key of a model comes from: "LLM_API_KEY (.env.agent.secret:2)", "none"; never the key. */
ag_str ag_app_key_origin(ag_app *app, const ag_llm_model *m);

/* Of a model of the environment, the variables that name it and where each stands: "LLM_API_BASE_URL, LLM_MODEL
 * (.env.agent.secret:2), LLM_API_KEY"; "" for others. */
ag_str ag_app_model_origin(ag_app *app, const ag_llm_model *m);

/* Would its key travel unencrypted to another machine? */
bool ag_app_key_in_the_open(ag_app *app, const ag_llm_model *m);
/* What a user should know of the models that are open, one sentence, "" = nothing. */
ag_str ag_app_models_warning(ag_app *app);

/* The hub, opened on first use; record and replay: files, "" = none. */
AG_CHECK ag_status ag_app_hub(ag_app *app, ag_str record, ag_str replay, ag_llm_hub **ret,
                              ag_err *err);

/* Open the models that planner and evaluators of `o` need, on the hub. */
AG_CHECK ag_status ag_app_open_models(ag_app *app, ag_str record, ag_str replay, ag_audit_opts *o,
                                      ag_err *err);
/* The model that answers questions: that of the setting "model". Whole answers, at most three attempts, 60 s each. The
 * variables of LLM_… must be there all or not at all.
 * errors  AG_NOT_FOUND: names the variable that is missing, and where it may stand */
AG_CHECK ag_status ag_app_open_ask_model(ag_app *app, ag_str record, ag_str replay, ag_llm **ret,
                                         ag_err *err);
/* The model of conversations, opened: --model, else that of the project, else the setting "model", else Anthropic's when
 * ANTHROPIC_API_KEY is set and argus.yaml has no models, else the default. A server that fails is asked once more.
 * errors  AG_NOT_FOUND: no model is set, says what to set; AG_INVALID: the project names a model that there is not */
AG_CHECK ag_status ag_app_open_chat_model(ag_app *app, ag_str name, ag_str record, ag_str replay,
                                          ag_llm **ret, ag_err *err);
/* The same without opening it, for a server whose turns each open one of their own. */
AG_CHECK ag_status ag_app_chat_model(ag_app *app, ag_str name, ag_llm_model *ret, ag_err *err);
/* ag_app_open_ask_model() without opening it, for a server whose questions each open one of their own. name "" = that of the
 * setting. */
AG_CHECK ag_status ag_app_ask_model(ag_app *app, ag_str name, ag_llm_model *ret, ag_err *err);
/* errors  AG_INVALID: a budget in money is set, and the price of this model is unknown */
AG_CHECK ag_status ag_app_check_price(const ag_app *app, const ag_llm *llm, ag_err *err);
/* The planner that the settings name; and the setting that names this one, 0 when no planner has that name. */
ag_planner_make ag_app_planner(const ag_app *app);
unsigned ag_app_planner_setting(ag_str name);
/* A meter for one run, with the budgets of the settings; lives in arena. NULL when no model is open. */
ag_llm_meter *ag_app_meter(const ag_app *app, ag_arena *arena);

#endif
