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

static bool names(ag_str text, const char *word)
{
	return ag_str_contains(text, ag_str_c(word));
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

	m.refused = f->refused & (AG_LLM_NO_STREAM_OPTIONS | AG_LLM_NO_MAX_TOKENS);
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
	if (names(text, "max_completion_tokens") && names(text, "max_tokens") &&
	    leave_out(l, f, AG_LLM_NO_MAX_TOKENS, "max_tokens"))
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

	return weaken_members(l, a, text, f) || weaken_format(l, r, text, a->response.status, f);
}

void ag_llm_form_works(ag_llm *l, const ag_llm_form *f)
{
	if (f->guessed)
		keep_format(l, f->how);
}
