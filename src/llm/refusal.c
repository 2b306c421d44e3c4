/* refusal -- servers that speak "the OpenAI API" differ in what they take. What one refuses by name is left out from
 * then on, for that origin and model, in all calls of the hub; nothing is tried that would change what is asked.
 *
 * Ways to JSON go only downwards (schema, tool, prompt), and only when the setting leaves the choice to us. */
#include "llm/refusal.h"

#include "base/log.h"

#define HEAD_BYTES \
	512 /* of a body without a message: further down servers quote the request, which names everything */

static const char *const about_format[] = {
	"response_format", "json_schema",   "json_object",   "tool_choice",
	"tools",           "output_config", "output_format", "structured output",
	"guided",          "grammar",       "function call", "tool use",
	"schema",          "strict",
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Either the server's message or the beginning of what it sent, in lower case. */
static ag_str complaint(const ag_llm_attempt *a, ag_arena *arena)
{
	ag_str body = a->response.body, text = ag_wire_error_text(body, arena);
	ag_str head = ag_str_make(body.ptr, body.len < HEAD_BYTES ? body.len : HEAD_BYTES);
	char *p = ag_str_cstr(arena, ag_str_printf(arena, "%.*s %.*s", AG_FMT(text), AG_FMT(head)));
	size_t n = strlen(p);

	for (size_t i = 0; i < n; i++)
		p[i] = lower(p[i]);
	return ag_str_make(p, n);
}

/* What a server says about tools that it does not take, and words without which it says something else about them. */
static const char *const about_tools[] = {
	"tools",       "tool use",      "tool call",        "tool_call", "tool choice",
	"tool_choice", "function call", "function_calling", "functions",
};
static const char *const about_lack[] = {
	"support",       "require", "not allowed", "not permitted", "not enabled",
	"not available", "unknown", "unexpected",  "unrecognized",  "extra",
};

static bool names(ag_str text, const char *word)
{
	return ag_str_contains(text, ag_str_c(word));
}

static bool names_one(ag_str text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (names(text, words[i]))
			return true;
	}
	return false;
}

static bool refuses_tools(ag_str text)
{
	return names_one(text, about_tools, AG_NELEM(about_tools)) &&
	       names_one(text, about_lack, AG_NELEM(about_lack));
}

bool ag_llm_refuses_tools(const ag_llm_attempt *a, ag_arena *arena)
{
	return refuses_tools(complaint(a, arena));
}

ag_llm_form ag_llm_form_of(const ag_llm *l)
{
	ag_llm_form f = { .how = l->model.structured, .refused = atomic_load(&l->known->refused) };

	if (f.how == AG_LLM_STRUCTURED_AUTO)
		f.how = (ag_llm_structured)atomic_load(&l->known->how);
	if (f.how == AG_LLM_STRUCTURED_AUTO)
		f.how = l->wire->best_structured;
	return f;
}

ag_llm_model ag_llm_form_model(const ag_llm *l, const ag_llm_form *f)
{
	ag_llm_model m = l->model;

	m.refused = f->refused & (AG_LLM_NO_STREAM_OPTIONS | AG_LLM_NO_MAX_TOKENS |
	                          AG_LLM_NO_TOOLS | AG_LLM_NO_THINKING_WORDS | AG_LLM_NO_STREAM);
	m.no_stream = m.no_stream || (f->refused & AG_LLM_NO_STREAM);
	if (f->refused & AG_LLM_NO_TEMPERATURE)
		m.temperature = -1;
	return m;
}

static bool leave_out(ag_llm *l, ag_llm_form *f, unsigned bit, const char *what)
{
	if (f->refused & bit)
		return false;
	f->refused |= bit;
	atomic_fetch_or(&l->known->refused, bit);
	ag_log(AG_LOG_INFO, "model_refuses",
	       "%.*s does not take %s for model \"%.*s\": it is left out", AG_FMT(l->host), what,
	       AG_FMT(l->model.model));
	return true;
}

static bool weaken_members(ag_llm *l, const ag_llm_attempt *a, ag_str text, ag_llm_form *f)
{
	if (a->is_stream && names(text, "stream_options") &&
	    leave_out(l, f, AG_LLM_NO_STREAM_OPTIONS, "stream_options"))
		return true;
	if (a->is_stream && names(text, "stream") &&
	    names_one(text, about_lack, AG_NELEM(about_lack)) &&
	    leave_out(l, f, AG_LLM_NO_STREAM, "streaming"))
		return true;
	if (names(text, "max_completion_tokens") && names(text, "max_tokens") &&
	    leave_out(l, f, AG_LLM_NO_MAX_TOKENS, "max_tokens"))
		return true;
	if (l->model.thinking == AG_LLM_THINKING_OFF &&
	    (names(text, "chat_template_kwargs") || names(text, "enable_thinking") ||
	     names(text, "reasoning")) &&
	    leave_out(l, f, AG_LLM_NO_THINKING_WORDS, "what switches thinking off"))
		return true;
	return l->model.temperature >= 0 && names(text, "temperature") &&
	       leave_out(l, f, AG_LLM_NO_TEMPERATURE, "the temperature");
}

static bool is_about_format(ag_str text)
{
	for (size_t i = 0; i < AG_NELEM(about_format); i++) {
		if (names(text, about_format[i]))
			return true;
	}
	return false;
}

/* The same turn is asked again with the tools in words, and so is every later one of this process. */
static bool weaken_tools(ag_llm *l, const ag_llm_request *r, ag_str text, ag_llm_form *f)
{
	if (!r->ntool || l->model.tools != AG_LLM_TOOLS_AUTO || (f->refused & AG_LLM_NO_TOOLS) ||
	    !refuses_tools(text))
		return false;
	f->refused |= AG_LLM_NO_TOOLS;
	if (!(atomic_fetch_or(&l->known->refused, AG_LLM_NO_TOOLS) & AG_LLM_NO_TOOLS))
		ag_log(AG_LOG_WARN, "model_refuses_tools",
		       "%.*s takes no tools for model \"%.*s\": they are described in the prompt, "
		       "and calls are read from the text (tools: text asks so at once)",
		       AG_FMT(l->host), AG_FMT(l->model.model));
	return true;
}

static void keep_format(ag_llm *l, ag_llm_structured how)
{
	/* Another thread may have found a weaker one meanwhile: the weakest stays. */
	unsigned now = atomic_load(&l->known->how);

	while (now < (unsigned)how && !atomic_compare_exchange_weak(&l->known->how, &now, how))
		;
}

/* A 400 that does not say why is tried in the next weaker form, once; a 404 must say it (OpenRouter's "no endpoints found
 * that support tool use"). */
static bool weaken_format(ag_llm *l, const ag_llm_request *r, ag_str text, int status,
                          ag_llm_form *f)
{
	bool is_named = is_about_format(text);

	if (!r->format_name.len || l->model.structured != AG_LLM_STRUCTURED_AUTO ||
	    f->how == AG_LLM_STRUCTURED_PROMPT || (!is_named && (f->guessed || status == 404)))
		return false;
	f->how = (ag_llm_structured)(f->how + 1);
	f->guessed = f->guessed || !is_named;
	if (!f->guessed)
		keep_format(l, f->how);
	return true;
}

bool ag_llm_form_weaken(ag_llm *l, const ag_llm_request *r, const ag_llm_attempt *a, ag_llm_form *f,
                        ag_arena *arena)
{
	ag_str text = complaint(a, arena);

	return weaken_members(l, a, text, f) || weaken_tools(l, r, text, f) ||
	       weaken_format(l, r, text, a->response.status, f);
}

void ag_llm_form_works(ag_llm *l, const ag_llm_form *f)
{
	if (f->guessed)
		keep_format(l, f->how);
}
