/* anthropic -- requests of the Messages protocol.
 *
 *   {"model","system":[…],"tools":[…],"messages":[…],"tool_choice",…,"stream","max_tokens"}
 *
 * What the API refuses is never sent: empty texts, two messages of one role in a row, a tool's result behind other
 * blocks, thinking without signature, a forced tool or a temperature together with thinking, more than four cache
 * marks. Order: wire_request.c. Replies are read in anthropic_read.c. */
#include "llm/anthropic.h"

#include "llm/wire_request.h"

/* Of one request; the API refuses more. */
#define MAX_CACHE_MARKS 4

typedef struct writer {
	ag_jw w;
	ag_arena *arena;
	const ag_llm_model *m;
	const ag_llm_request *r;
	ag_llm_structured how; /* AUTO = free text */
	unsigned thinking;     /* tokens; 0 = without */
	size_t skip_marks;     /* the first ones of too many: the last ones cover more */
} writer;

static size_t headers(const ag_llm_model *m, ag_arena *arena, ag_http_header *ret)
{
	size_t n = 0;

	ret[n++] = (ag_http_header){ AG_S("content-type"), AG_S("application/json") };
	ret[n++] = (ag_http_header){ AG_S("accept"), AG_S("application/json, text/event-stream") };
	ret[n++] = (ag_http_header){ AG_S("anthropic-version"), AG_S("2023-06-01") };
	if (m->key.len)
		ret[n++] = (ag_http_header){ AG_S("x-api-key"), ag_str_dup(arena, m->key) };
	return n;
}

/* --- thinking --- */

/* Number at *p of at most two digits (a longer one is a date); *p moves behind it. */
static bool small_number(ag_str s, size_t *p, unsigned *ret)
{
	size_t i = *p;

	for (*ret = 0; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9' && i - *p < 3; i++)
		*ret = *ret * 10 + (unsigned)(s.ptr[i] - '0');
	if (i == *p || i - *p > 2)
		return false;
	*p = i;
	return true;
}

/* Claude from 4.6 on decides itself how much to think ("adaptive"; 4.7 refuses a budget); older ones, and what other
 * vendors offer behind this protocol, take a budget. */
static bool thinks_by_itself(ag_str model)
{
	static const char *const families[] = { "opus-", "sonnet-", "haiku-" };
	unsigned major, minor = 0;

	if (!ag_str_contains(model, AG_S("claude")) || ag_str_contains(model, AG_S("claude-3")))
		return false;
	for (size_t i = 0; i < AG_NELEM(families); i++) {
		const char *p = memmem(model.ptr, model.len, families[i], strlen(families[i]));
		size_t at;

		if (!p)
			continue;
		at = (size_t)(p - model.ptr) + strlen(families[i]);
		if (!small_number(model, &at, &major))
			return false;
		if (at < model.len && (model.ptr[at] == '-' || model.ptr[at] == '.')) {
			at++;
			if (!small_number(model, &at, &minor))
				minor = 0;
		}
		return major > 4 || (major == 4 && minor >= 6);
	}
	return true; /* names of later families */
}

static bool sends_unsigned(const ag_llm_model *m)
{
	/* Servers of others that do not sign want their thinking back as it was. */
	return ag_str_trim(m->base_url).len &&
	       !ag_str_ieq(ag_wire_host(m->base_url), AG_S("api.anthropic.com"));
}

/* --- which parts are sent --- */

static bool is_sent(const writer *x, const ag_llm_part *p, ag_llm_role role)
{
	switch (p->type) {
	case AG_LLM_TEXT: return ag_wire_has_text(p);
	case AG_LLM_THINKING:
		return role == AG_LLM_ASSISTANT &&
		       (p->signature.len ||
		        (!p->is_redacted && p->text.len && sends_unsigned(x->m)));
	case AG_LLM_TOOL_CALL: return role == AG_LLM_ASSISTANT;
	case AG_LLM_TOOL_RESULT: return role == AG_LLM_USER;
	}
	return false;
}

static const ag_llm_part *first_sent(const writer *x, const ag_llm_message *m)
{
	for (size_t i = 0; i < m->npart; i++) {
		if (is_sent(x, &m->parts[i], m->role))
			return &m->parts[i];
	}
	return NULL;
}

/* With a budget to think, an answer to tools must follow a turn that began with thinking. */
static bool may_think(const writer *x)
{
	const ag_llm_request *r = x->r;
	bool after_tools = false;

	if (thinks_by_itself(x->m->model))
		return true;
	for (size_t i = r->nmessage; i-- > 0;) {
		const ag_llm_part *first = first_sent(x, &r->messages[i]);

		if (!first)
			continue;
		if (r->messages[i].role == AG_LLM_ASSISTANT)
			return !after_tools || first->type == AG_LLM_THINKING;
		for (size_t j = 0; j < r->messages[i].npart; j++)
			after_tools = after_tools ||
			              r->messages[i].parts[j].type == AG_LLM_TOOL_RESULT;
	}
	return true;
}

static bool is_marked(const writer *x, const ag_llm_part *p, ag_llm_role role)
{
	return p->cache_here && p->type != AG_LLM_THINKING && is_sent(x, p, role);
}

static size_t count_marks(const writer *x)
{
	const ag_llm_request *r = x->r;
	size_t n = 0;

	for (size_t i = 0; i < r->nsystem; i++)
		n += is_marked(x, &r->system[i], AG_LLM_USER);
	for (size_t i = 0; i < r->nmessage; i++) {
		for (size_t j = 0; j < r->messages[i].npart; j++)
			n += is_marked(x, &r->messages[i].parts[j], r->messages[i].role);
	}
	return n;
}

/* --- blocks --- */

static void kobj(ag_jw *w, const char *key, const char *type)
{
	ag_jw_kkey(w, key);
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", ag_str_c(type));
}

static void mark(writer *x, const ag_llm_part *p)
{
	if (!p->cache_here || p->type == AG_LLM_THINKING)
		return;
	if (x->skip_marks) {
		x->skip_marks--;
		return;
	}
	kobj(&x->w, "cache_control", "ephemeral");
	ag_jw_obj_end(&x->w);
}

/* The API's ids are letters, digits, _ and -; ids that another server made up may have more. */
static ag_str sent_id(writer *x, ag_str id)
{
	char *s = ag_str_cstr(x->arena, id);

	for (size_t i = 0; i < id.len; i++) {
		char c = s[i];

		if (!((c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' ||
		      c == '-'))
			s[i] = '_';
	}
	return ag_str_make(s, id.len);
}

static void thinking_block(ag_jw *w, const ag_llm_part *p)
{
	if (p->is_redacted) {
		ag_jw_kstr(w, "type", AG_S("redacted_thinking"));
		ag_jw_kstr(w, "data", p->signature);
	} else {
		ag_jw_kstr(w, "type", AG_S("thinking"));
		ag_jw_kstr(w, "thinking", p->text);
		ag_jw_kstr(w, "signature", p->signature);
	}
}

static ag_str without_end_space(ag_str s)
{
	while (s.len && memchr(" \t\r\n", s.ptr[s.len - 1], 4))
		s.len--;
	return s;
}

static void block(writer *x, const ag_llm_part *p, ag_llm_role role)
{
	ag_jw *w = &x->w;

	ag_jw_obj(w);
	switch (p->type) {
	case AG_LLM_TEXT:
		ag_jw_kstr(w, "type", AG_S("text"));
		/* The last turn may be the model's own, but then without white space at its end. */
		ag_jw_kstr(w, "text", role == AG_LLM_USER ? p->text : without_end_space(p->text));
		break;
	case AG_LLM_THINKING: thinking_block(w, p); break;
	case AG_LLM_TOOL_CALL:
		ag_jw_kstr(w, "type", AG_S("tool_use"));
		ag_jw_kstr(w, "id", sent_id(x, p->id));
		ag_jw_kstr(w, "name", p->name);
		ag_jw_kraw(w, "input", ag_wire_sent_input(p->input, x->arena));
		break;
	case AG_LLM_TOOL_RESULT:
		ag_jw_kstr(w, "type", AG_S("tool_result"));
		ag_jw_kstr(w, "tool_use_id", sent_id(x, p->id));
		if (ag_wire_has_text(p))
			ag_jw_kstr(w, "content", p->text);
		if (p->is_error)
			ag_jw_kbool(w, "is_error", true);
		break;
	}
	mark(x, p);
	ag_jw_obj_end(w);
}

static void blocks(writer *x, const ag_llm_message *m, bool results)
{
	for (size_t i = 0; i < m->npart; i++) {
		if ((m->parts[i].type == AG_LLM_TOOL_RESULT) == results &&
		    is_sent(x, &m->parts[i], m->role))
			block(x, &m->parts[i], m->role);
	}
}

static void messages(writer *x)
{
	const ag_llm_message *m = x->r->messages;
	size_t n = x->r->nmessage;

	ag_jw_kkey(&x->w, "messages");
	ag_jw_arr(&x->w);
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		if (!first_sent(x, &m[i]))
			continue;
		while (end < n && (m[end].role == m[i].role || !first_sent(x, &m[end])))
			end++;
		ag_jw_obj(&x->w);
		ag_jw_kstr(&x->w, "role",
		           m[i].role == AG_LLM_USER ? AG_S("user") : AG_S("assistant"));
		ag_jw_kkey(&x->w, "content");
		ag_jw_arr(&x->w);
		for (size_t j = i; j < end; j++)
			blocks(x, &m[j], true);
		for (size_t j = i; j < end; j++)
			blocks(x, &m[j], false);
		ag_jw_arr_end(&x->w);
		ag_jw_obj_end(&x->w);
	}
	ag_jw_arr_end(&x->w);
}

/* --- the rest --- */

static bool is_forced(const writer *x)
{
	return x->how == AG_LLM_STRUCTURED_TOOL && !x->thinking;
}

static void system_blocks(writer *x)
{
	const ag_llm_request *r = x->r;
	ag_llm_part words = { .type = AG_LLM_TEXT };
	size_t n = 0;

	if (!is_forced(x))
		words.text = ag_wire_format_words(r, x->how, x->arena);
	for (size_t i = 0; i < r->nsystem; i++)
		n += r->system[i].type == AG_LLM_TEXT && ag_wire_has_text(&r->system[i]);
	if (!n && !words.text.len)
		return;
	ag_jw_kkey(&x->w, "system");
	ag_jw_arr(&x->w);
	for (size_t i = 0; i < r->nsystem; i++) {
		if (r->system[i].type == AG_LLM_TEXT && ag_wire_has_text(&r->system[i]))
			block(x, &r->system[i], AG_LLM_USER);
	}
	if (words.text.len)
		block(x, &words, AG_LLM_USER);
	ag_jw_arr_end(&x->w);
}

static void tool(ag_jw *w, ag_str name, ag_str help, ag_str schema)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", name);
	if (help.len)
		ag_jw_kstr(w, "description", help);
	ag_jw_kraw(w, "input_schema", ag_wire_schema(schema));
	ag_jw_obj_end(w);
}

static void tools(writer *x)
{
	const ag_llm_request *r = x->r;

	if (!r->ntool && x->how != AG_LLM_STRUCTURED_TOOL)
		return;
	ag_jw_kkey(&x->w, "tools");
	ag_jw_arr(&x->w);
	for (size_t i = 0; i < r->ntool; i++)
		tool(&x->w, r->tools[i].name, r->tools[i].help, r->tools[i].schema);
	if (x->how == AG_LLM_STRUCTURED_TOOL)
		tool(&x->w, r->format_name, AG_S("Gives the answer."), r->format_schema);
	ag_jw_arr_end(&x->w);
}

static void tool_choice(writer *x)
{
	const ag_llm_request *r = x->r;

	if (is_forced(x)) {
		kobj(&x->w, "tool_choice", "tool");
		ag_jw_kstr(&x->w, "name", r->format_name);
		ag_jw_kbool(&x->w, "disable_parallel_tool_use", true);
	} else if (r->ntool && r->choice == AG_LLM_CHOICE_NONE &&
	           x->how != AG_LLM_STRUCTURED_TOOL) {
		kobj(&x->w, "tool_choice", "none");
	} else if (r->ntool && r->choice == AG_LLM_CHOICE_ANY && !x->thinking) {
		kobj(&x->w, "tool_choice", "any");
	} else {
		return; /* auto is what the API does when tools are there */
	}
	ag_jw_obj_end(&x->w);
}

/* {"output_config":{"format":{"type":"json_schema","schema":…}}}: the API's own; it refuses schemas with open objects
 * (400), so it is not what this protocol does best. */
static void output_config(writer *x)
{
	if (x->how != AG_LLM_STRUCTURED_SCHEMA)
		return;
	ag_jw_kkey(&x->w, "output_config");
	ag_jw_obj(&x->w);
	kobj(&x->w, "format", "json_schema");
	ag_jw_kraw(&x->w, "schema", ag_wire_schema(x->r->format_schema));
	ag_jw_obj_end(&x->w);
	ag_jw_obj_end(&x->w);
}

static void thinking(writer *x)
{
	if (!x->thinking)
		return;
	if (thinks_by_itself(x->m->model)) {
		kobj(&x->w, "thinking", "adaptive");
		ag_jw_kstr(&x->w, "display", AG_S("summarized"));
	} else {
		kobj(&x->w, "thinking", "enabled");
		ag_jw_kuint(&x->w, "budget_tokens", x->thinking);
	}
	ag_jw_obj_end(&x->w);
}

static void request(const ag_llm_model *m, const ag_llm_request *r, ag_llm_structured how,
                    bool stream, ag_buf *out)
{
	writer x = { .arena = ag_arena_new(), .m = m, .r = r };
	size_t nmark = count_marks(&x);

	x.how = r->format_name.len ? how : AG_LLM_STRUCTURED_AUTO;
	x.thinking = may_think(&x) ? ag_wire_thinking_budget(m, r) : 0;
	x.skip_marks = nmark > MAX_CACHE_MARKS ? nmark - MAX_CACHE_MARKS : 0;
	ag_jw_init(&x.w, out, 0);
	ag_jw_obj(&x.w);
	ag_jw_kstr(&x.w, "model", m->model);
	system_blocks(&x);
	tools(&x);
	messages(&x);
	tool_choice(&x);
	output_config(&x);
	if (m->temperature >= 0 && !x.thinking)
		ag_jw_kdouble(&x.w, "temperature", m->temperature);
	ag_jw_kbool(&x.w, "stream", stream);
	thinking(&x);
	ag_jw_kuint(&x.w, "max_tokens", ag_wire_max_output(m, r));
	ag_jw_obj_end(&x.w);
	ag_arena_free(x.arena);
}

const ag_llm_wire ag_llm_wire_anthropic = {
	.name = "anthropic",
	.help = "the Messages API: Anthropic, and servers that offer the same",
	.base_url = "https://api.anthropic.com",
	.key_env = "ANTHROPIC_API_KEY",
	.ask_path = "/v1/messages",
	.list_path = "/v1/models",
	.base_has_version = false,
	.best_structured = AG_LLM_STRUCTURED_TOOL,
	.headers = headers,
	.request = request,
	.reply = ag_anthropic_read_reply,
	.event = ag_anthropic_read_event,
};
