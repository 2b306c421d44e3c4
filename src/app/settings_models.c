/* The entries under "models:" of argus.yaml, and the variables that hold addresses and keys of models.
 *
 * lint: table. A key is never in the settings file: an entry names the variable that holds it. */
#include "app/settings.h"

#include "base/log.h"
#include "base/utf8.h"

#define ORIGIN        "app.settings"
#define FIELD(name)   offsetof(ag_model_setting, name)
#define MAX_NAME      64
#define MAX_VAR_BYTES 8192

static const char *const providers[] = { "openai", "anthropic", NULL };
static const char *const tools[] = { "auto", "native", "text", NULL };
static const char *const thinking[] = { "auto", "off", NULL };
static const char *const structured[] = { "auto", "schema", "tool", "prompt", NULL };

static const ag_setting table[] = {
	{ "models", "provider", AG_SET_CHOICE, .one_of = providers, .fallback = "openai",
	  .offset = FIELD(provider),
	  .help = "The protocol: openai (chat completions; llama-server, Ollama, vLLM, OpenRouter …) or "
	          "anthropic (Messages API)." },
	{ "models", "base_url", AG_SET_TEXT, .unset = "auto", .fallback = "auto",
	  .offset = FIELD(base_url),
	  .help = "Where the server is, with or without /v1. auto: the provider's own." },
	{ "models", "model", AG_SET_TEXT, .unset = "auto", .fallback = "auto",
	  .offset = FIELD(model),
	  .help = "What the server calls the model. auto: the entry's name." },
	{ "models", "key_env", AG_SET_TEXT, .unset = "auto", .fallback = "auto",
	  .offset = FIELD(key_env),
	  .help = "The environment variable that holds the key. auto: the one that belongs to the "
	          "address (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, LLM_API_KEY), else no "
	          "key is sent." },
	{ "models", "max_output_tokens", AG_SET_COUNT, .min = 64, .max = 1000000, .unset = "auto",
	  .fallback = "auto", .offset = FIELD(max_output_tokens),
	  .help = "Tokens of one answer. auto: 4096." },
	{ "models", "thinking_tokens", AG_SET_COUNT, .min = 1024, .max = 1000000, .unset = "none",
	  .fallback = "none", .offset = FIELD(thinking_tokens),
	  .help = "Tokens that the model may think with before it answers." },
	{ "models", "temperature", AG_SET_NUMBER, .max = 2, .unset = "auto", .unset_number = -1,
	  .fallback = "auto", .offset = FIELD(temperature), .help = "auto: none is sent." },
	{ "models", "structured", AG_SET_CHOICE, .one_of = structured, .fallback = "auto",
	  .offset = FIELD(structured),
	  .help = "How the server is made to answer in JSON: by schema, by a forced tool call, or by "
	          "the prompt. auto: the best that it takes." },
	{ "models", "tools", AG_SET_CHOICE, .one_of = tools, .fallback = "auto",
	  .offset = FIELD(tools),
	  .help = "How tools are offered to the model: native (the protocol's own way) or text (described "
	          "in the prompt, calls are read from the answer). auto: native, and text where the "
	          "server refuses tools." },
	{ "models", "thinking", AG_SET_CHOICE, .one_of = thinking, .fallback = "auto",
	  .offset = FIELD(thinking),
	  .help = "off: ask the model not to think: enable_thinking false for local servers, /no_think "
	          "for Qwen3, SmolLM3 and Nemotron. auto: the server decides." },
	{ "models", "extra_body", AG_SET_TEXT, .unset = "none", .fallback = "none",
	  .offset = FIELD(extra_body),
	  .help = "Further members of each request, as a mapping or as JSON text: {top_k: 20}. They "
	          "cannot set what Argus writes itself, such as model, messages and stream." },
	{ "models", "stream", AG_SET_BOOL, .fallback = "true", .offset = FIELD(stream),
	  .help = "Take the answer as it is made." },
	{ "models", "attempts", AG_SET_COUNT, .min = 1, .max = 20, .unset = "auto",
	  .fallback = "auto", .offset = FIELD(attempts),
	  .help = "How often one call is tried when the server is busy or away. auto: 4." },
	{ "models", "connect_timeout", AG_SET_NUMBER, .min = 0.001, .max = 86400, .unset = "auto",
	  .fallback = "auto", .offset = FIELD(connect_timeout),
	  .help = "Seconds to reach the server. auto: 10." },
	{ "models", "first_byte_timeout", AG_SET_NUMBER, .min = 0.001, .max = 86400,
	  .unset = "auto", .fallback = "auto", .offset = FIELD(first_byte_timeout),
	  .help = "Seconds until the answer begins. auto: 120." },
	{ "models", "idle_timeout", AG_SET_NUMBER, .min = 0.001, .max = 86400, .unset = "auto",
	  .fallback = "auto", .offset = FIELD(idle_timeout),
	  .help = "Seconds without anything new. auto: 60." },
	{ "models", "total_timeout", AG_SET_NUMBER, .min = 0.001, .max = 86400, .unset = "auto",
	  .fallback = "auto", .offset = FIELD(total_timeout),
	  .help = "Seconds of one attempt. auto: 600." },
	{ "models", "input_price", AG_SET_NUMBER, .max = 100000, .unset = "auto",
	  .unset_number = -1, .fallback = "auto", .offset = FIELD(input_price),
	  .help = "US dollars per million tokens in. auto: of the price table." },
	{ "models", "output_price", AG_SET_NUMBER, .max = 100000, .unset = "auto",
	  .unset_number = -1, .fallback = "auto", .offset = FIELD(output_price),
	  .help = "US dollars per million tokens out. auto: of the price table." },
};

/* What users of other tools have set already. */
static const char *const known_vars[] = {
	"LLM_API_KEY",
	"LLM_API_BASE",
	"LLM_API_BASE_URL",
	"LLM_MODEL",
	"LLM_API_MODEL",
	"ANTHROPIC_API_KEY",
	"ANTHROPIC_MODEL",
	"ANTHROPIC_BASE_URL",
	"OPENAI_API_KEY",
	"OPENAI_BASE_URL",
	"OPENAI_MODEL",
	"GEMINI_API_KEY",
	"GEMINI_MODEL",
	"ARGUS_API_KEY",
	"LMS_API_KEY",
	"AGENT_API_BASE_URL",
	"DB_CREDENTIAL_KEY",
	"OIDC_CLIENT_SECRET",
	"OTEL_EXPORTER_OTLP_ENDPOINT",
	"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
	"OTEL_EXPORTER_OTLP_HEADERS",
	"OTEL_EXPORTER_OTLP_TRACES_HEADERS",
	"OTEL_EXPORTER_OTLP_PROTOCOL",
	"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
	"OTEL_EXPORTER_OTLP_TIMEOUT",
	"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
	"OTEL_TRACES_EXPORTER",
	"OTEL_TRACES_SAMPLER",
	"OTEL_TRACES_SAMPLER_ARG",
	"OTEL_SERVICE_NAME",
	"OTEL_RESOURCE_ATTRIBUTES",
	"OTEL_BSP_SCHEDULE_DELAY",
	"OTEL_SDK_DISABLED",
	"POSTGRES_URL",
	"ARGUS_PROJECT_PASSWORD",
	"ARGUS_MCP_TOKEN",
	"MCP_SERVER_URL",
	"MAX_QUERIES_PER_MINUTE",
	"MAX_CONNECTIONS_PER_PROJECT",
};

const ag_setting *ag_settings_model_table(size_t *ret_n)
{
	*ret_n = AG_NELEM(table);
	return table;
}

static bool is_name(ag_str s)
{
	if (!s.len || s.len > MAX_NAME)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '.' && c != '_' && c != '-')
			return false;
	}
	return true;
}

ag_status ag_settings_entry_add(ag_settings *s, ag_str group, ag_str name, ag_str where,
                                const ag_val *value, ag_arena *arena, ag_err *err)
{
	if (!is_name(name))
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "%.*s: \"%.*s\" is no name: want letters, digits, . _ -",
		               AG_FMT(where), AG_FMT(ag_utf8_prefix(name, MAX_NAME)));
	for (size_t i = 0; i < s->nentry; i++)
		if (ag_str_eq(s->entries[i].name, name) && ag_str_eq(s->entries[i].group, group))
			return ag_fail(err, AG_INVALID, ORIGIN,
			               "%.*s: \"%.*s\" was set at %.*s already", AG_FMT(where),
			               AG_FMT(name), AG_FMT(s->entries[i].where));
	if (s->nentry == AG_ENTRIES_MAX)
		return ag_fail(err, AG_LIMIT, ORIGIN, "%.*s: at most %d projects and servers",
		               AG_FMT(where), AG_ENTRIES_MAX);
	s->entries[s->nentry++] = (ag_entry_setting){ .group = ag_str_dup(arena, group),
		                                      .name = ag_str_dup(arena, name),
		                                      .where = ag_str_dup(arena, where),
		                                      .value = ag_val_dup(arena, value) };
	return AG_OK;
}

/* password_env of a project, token_env of a server. */
static bool is_variable_of_entry(const ag_settings *s, ag_str name)
{
	for (size_t i = 0; i < s->nentry; i++)
		if (ag_str_eq(name, ag_val_member_str(&s->entries[i].value, "password_env")) ||
		    ag_str_eq(name, ag_val_member_str(&s->entries[i].value, "token_env")))
			return true;
	return false;
}

ag_status ag_settings_model_add(ag_settings *s, ag_str name, ag_str where, ag_arena *arena,
                                ag_model_setting **ret, ag_err *err)
{
	const ag_str shown = ag_utf8_prefix(name, MAX_NAME);
	ag_model_setting *m;

	if (!is_name(name))
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "%.*s: \"%.*s\" is no name of a model: want letters, digits, . _ -",
		               AG_FMT(where), AG_FMT(shown));
	for (size_t i = 0; i < s->nmodel; i++)
		if (ag_str_eq(s->models[i].name, name))
			return ag_fail(err, AG_INVALID, ORIGIN,
			               "%.*s: the model \"%.*s\" was set at %.*s already",
			               AG_FMT(where), AG_FMT(name), AG_FMT(s->models[i].where));
	if (s->nmodel == AG_MODELS_MAX)
		return ag_fail(err, AG_LIMIT, ORIGIN, "%.*s: at most %d models", AG_FMT(where),
		               AG_MODELS_MAX);
	m = &s->models[s->nmodel];
	*m = (ag_model_setting){ .name = ag_str_dup(arena, name),
		                 .where = ag_str_dup(arena, where) };
	for (size_t i = 0; i < AG_NELEM(table); i++)
		if (ag_settings_model_set(m, i, ag_str_c(table[i].fallback), AG_S("default"), arena,
		                          err))
			return err ? err->status : AG_INTERNAL;
	s->nmodel++;
	*ret = m;
	return AG_OK;
}

bool ag_settings_wants_var(const ag_settings *s, ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(known_vars); i++)
		if (ag_str_eqc(name, known_vars[i]))
			return true;
	for (size_t i = 0; i < s->nmodel; i++)
		if (s->models[i].key_env.len && ag_str_eq(s->models[i].key_env, name))
			return true;
	return name.len && is_variable_of_entry(s, name);
}

/* Everything but what plainly is an address or a model's name counts as a secret. */
static bool is_secret(ag_str name)
{
	if (ag_str_starts(name, AG_S("OTEL_")))
		return ag_str_ends(name, AG_S("_HEADERS"));
	return !ag_str_ends(name, AG_S("_MODEL")) && !ag_str_ends(name, AG_S("_BASE")) &&
	       !ag_str_ends(name, AG_S("_URL")) && !ag_str_starts(name, AG_S("MAX_"));
}

ag_status ag_settings_var_set(ag_settings *s, ag_str name, ag_str value, ag_place place,
                              ag_str where, ag_arena *arena, ag_err *err)
{
	ag_var *v = NULL;

	value = ag_str_trim(value);
	if (value.len > MAX_VAR_BYTES || memchr(value.ptr, '\0', value.len) ||
	    !ag_utf8_valid(value))
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s%s%.*s is no text of at most %d bytes",
		               AG_FMT(ag_str_eq(where, name) ? AG_S("") : where),
		               ag_str_eq(where, name) ? "" : ": ", AG_FMT(name), MAX_VAR_BYTES);
	if (value.len > 2 && value.ptr[0] == '<' && value.ptr[value.len - 1] == '>') {
		ag_fail(err, AG_INVALID, ORIGIN, "%.*s%s%.*s still holds a placeholder",
		        AG_FMT(ag_str_eq(where, name) ? AG_S("") : where),
		        ag_str_eq(where, name) ? "" : ": ", AG_FMT(name));
		return ag_err_hint(err, "put the real value in its place, or remove the line");
	}
	for (size_t i = 0; i < s->nvar && !v; i++)
		if (ag_str_eq(s->vars[i].name, name))
			v = &s->vars[i];
	if (!v && s->nvar == AG_VARS_MAX)
		return ag_fail(err, AG_LIMIT, ORIGIN, "%.*s: more than %d variables are needed",
		               AG_FMT(where), AG_VARS_MAX);
	if (!v)
		v = &s->vars[s->nvar++];
	*v = (ag_var){ ag_str_dup(arena, name), ag_str_dup(arena, value), ag_str_dup(arena, where),
		       place };
	if (is_secret(name))
		ag_log_redact(v->value);
	return AG_OK;
}

const ag_var *ag_settings_var(const ag_settings *s, const char *name)
{
	for (size_t i = 0; i < s->nvar; i++)
		if (ag_str_eqc(s->vars[i].name, name))
			return &s->vars[i];
	return NULL;
}
