/* openai -- requests of the chat completions protocol, as OpenAI defined it and everybody speaks it.
 *
 *   {"model","tools","messages",[tool_choice,response_format,…],"stream",…,"max_tokens"}
 *
 * A server refuses what it does not know, so only what each is known to take is sent; what some hosts need beside it
 * stands in a table. Contents are strings, never arrays of parts: small servers know no others. Order: wire_request.c.
 * Replies are read in openai_read.c. */
#include "llm/openai.h"

#include "llm/json_text.h"
#include "llm/wire_request.h"

/* How a server is told to think. */
typedef enum think_words {
	THINK_UNSAID, /* no common way: local servers decide by their model and settings */
	THINK_EFFORT, /* "reasoning_effort": "low" … */
	THINK_BUDGET  /* "reasoning": {"max_tokens": n} */
} think_words;

/* Hosts that want something else. A name that begins with a dot stands for all hosts below it. */
typedef struct host_rule {
	const char *host;
	think_words think;
	bool completion_tokens; /* "max_completion_tokens": reasoning models refuse "max_tokens" */
	bool object_schema;     /* a schema must be an object at its top, not a union */
	bool thinking_back; /* refuses (400) a tool's result when the thinking before the call is missing */
} host_rule;

static const host_rule host_rules[] = {
	{ "api.openai.com", THINK_EFFORT, true, true, false },
	{ "openrouter.ai", THINK_BUDGET, false, true, false },
	{ ".openai.azure.com", THINK_EFFORT, true, true, false },
	{ "generativelanguage.googleapis.com", THINK_UNSAID, false, true, false },
	{ "api.deepseek.com", THINK_UNSAID, false, true, true },
	{ ".moonshot.ai", THINK_UNSAID, false, true, true },
	{ ".moonshot.cn", THINK_UNSAID, false, true, true },
};

/* Servers that nobody named: mostly llama-server, vLLM, Ollama and what is built on them. */
static const host_rule any_host = { "", THINK_UNSAID, false, false, false };

static const host_rule *rule_of(const ag_llm_model *m)
{
	ag_str host = ag_wire_host(m->base_url);

	if (!ag_str_trim(m->base_url).len)
		return &host_rules[0];
	for (size_t i = 0; i < AG_NELEM(host_rules); i++) {
		const char *rule = host_rules[i].host;
		ag_str name = ag_str_c(rule);

		if (ag_str_ieq(host, name) ||
		    (rule[0] == '.' && host.len > name.len &&
		     ag_str_ieq(ag_str_make(host.ptr + host.len - name.len, name.len), name)))
			return &host_rules[i];
	}
	return &any_host;
}

static size_t headers(const ag_llm_model *m, ag_arena *arena, ag_http_header *ret)
{
	size_t n = 0;

	ret[n++] = (ag_http_header){ AG_S("content-type"), AG_S("application/json") };
	ret[n++] = (ag_http_header){ AG_S("accept"), AG_S("application/json, text/event-stream") };
	if (m->key.len)
		ret[n++] = (ag_http_header){ AG_S("authorization"),
			                     ag_str_printf(arena, "Bearer %.*s", AG_FMT(m->key)) };
	return n;
}

/* --- messages --- */

static void add_text(ag_buf *b, ag_str s)
{
	if (b->len && s.len)
		ag_buf_adds(b, "\n\n");
	ag_buf_add(b, s);
}

/* Texts of one type in messages side by side, as one string with a blank line between them; "" = there is none. */
static ag_str join(const ag_llm_message *m, size_t n, ag_llm_part_type type, ag_str last,
                   ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(SIZE_MAX / 2);
	ag_str ret;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < m[i].npart; j++) {
			if (m[i].parts[j].type == type && ag_wire_has_text(&m[i].parts[j]))
				add_text(&b, m[i].parts[j].text);
		}
	}
	add_text(&b, last);
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

static void plain_message(ag_jw *w, const char *role, ag_str content)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "role", ag_str_c(role));
	ag_jw_kstr(w, "content", content);
	ag_jw_obj_end(w);
}

/* Does a result say by itself that it is one of a failure? */
static bool says_error(ag_str text)
{
	const ag_str json = AG_S("{\"error\""), word = AG_S("error");

	return ag_str_starts(text, json) ||
	       (text.len >= word.len && ag_str_ieq(ag_str_make(text.ptr, word.len), word));
}

/* {"role":"tool","tool_call_id":"…","content":"…"}: the protocol has no mark for a failure. */
static void tool_message(ag_jw *w, const ag_llm_part *p, ag_arena *arena)
{
	ag_str text = ag_wire_has_text(p) ? p->text : AG_S("(no output)");

	if (p->is_error && !says_error(text))
		text = ag_str_printf(arena, "Error: %.*s", AG_FMT(text));
	ag_jw_obj(w);
	ag_jw_kstr(w, "role", AG_S("tool"));
	ag_jw_kstr(w, "tool_call_id", p->id);
	ag_jw_kstr(w, "content", text);
	ag_jw_obj_end(w);
}

/* Results must follow the calls directly; what else the user said comes behind them. */
static void user_messages(ag_jw *w, const ag_llm_message *m, size_t n, ag_arena *arena)
{
	ag_str text = join(m, n, AG_LLM_TEXT, AG_S(""), arena);

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < m[i].npart; j++) {
			if (m[i].parts[j].type == AG_LLM_TOOL_RESULT)
				tool_message(w, &m[i].parts[j], arena);
		}
	}
	if (text.len)
		plain_message(w, "user", text);
}

static void tool_call(ag_jw *w, const ag_llm_part *p, ag_arena *arena)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", p->id);
	ag_jw_kstr(w, "type", AG_S("function"));
	ag_jw_kkey(w, "function");
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", p->name);
	ag_jw_kstr(w, "arguments", ag_wire_sent_input(p->input, arena));
	ag_jw_obj_end(w);
	/* Gemini signs its calls and refuses their results when the signature is missing. */
	if (p->signature.len && ag_json_is_object(p->signature, arena))
		ag_jw_kraw(w, "extra_content", p->signature);
	ag_jw_obj_end(w);
}

static size_t count_calls(const ag_llm_message *m, size_t n)
{
	size_t ncall = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < m[i].npart; j++)
			ncall += m[i].parts[j].type == AG_LLM_TOOL_CALL;
	}
	return ncall;
}

static void tool_calls(ag_jw *w, const ag_llm_message *m, size_t n, ag_arena *arena)
{
	ag_jw_kkey(w, "tool_calls");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < m[i].npart; j++) {
			if (m[i].parts[j].type == AG_LLM_TOOL_CALL)
				tool_call(w, &m[i].parts[j], arena);
		}
	}
	ag_jw_arr_end(w);
}

static void assistant_message(ag_jw *w, const ag_llm_message *m, size_t n, bool thinking_back,
                              ag_arena *arena)
{
	ag_str text = join(m, n, AG_LLM_TEXT, AG_S(""), arena);
	ag_str thought = join(m, n, AG_LLM_THINKING, AG_S(""), arena);
	size_t ncall = count_calls(m, n);

	if (!text.len && !ncall)
		return;
	ag_jw_obj(w);
	ag_jw_kstr(w, "role", AG_S("assistant"));
	if (thinking_back && thought.len)
		ag_jw_kstr(w, "reasoning_content", thought);
	ag_jw_kkey(w, "content");
	if (text.len)
		ag_jw_str(w, text);
	else
		ag_jw_null(w);
	if (ncall)
		tool_calls(w, m, n, arena);
	ag_jw_obj_end(w);
}

static bool is_sent(const ag_llm_message *m)
{
	for (size_t i = 0; i < m->npart; i++) {
		const ag_llm_part *p = &m->parts[i];

		if (p->type == AG_LLM_TEXT ? ag_wire_has_text(p) : p->type != AG_LLM_THINKING)
			return true;
	}
	return false;
}

/* Families whose template reads this word, wherever the prompt has it. */
static ag_str no_thinking_word(const ag_llm_model *m)
{
	static const char *const families[] = { "qwen3", "qwen-3", "smollm3", "nemotron" };
	ag_str rest = m->model;

	while (m->thinking == AG_LLM_THINKING_OFF && rest.len) {
		for (size_t i = 0; i < AG_NELEM(families); i++) {
			const size_t n = strlen(families[i]);

			if (rest.len >= n &&
			    ag_str_ieq(ag_str_make(rest.ptr, n), ag_str_c(families[i])))
				return AG_S("/no_think");
		}
		rest = ag_str_make(rest.ptr + 1, rest.len - 1);
	}
	return AG_S("");
}

static void messages(ag_jw *w, const ag_llm_model *m, const ag_llm_request *r,
                     ag_llm_structured how, ag_arena *arena)
{
	const ag_llm_message system = { .parts = r->system, .npart = r->nsystem };
	const ag_str word = no_thinking_word(m);
	ag_str words = how == AG_LLM_STRUCTURED_PROMPT ? ag_wire_format_words(r, how, arena)
	                                               : AG_S("");
	ag_str text;

	if (word.len)
		words = ag_str_printf(arena, "%.*s%s%.*s", AG_FMT(words), words.len ? "\n\n" : "",
		                      AG_FMT(word));
	text = join(&system, 1, AG_LLM_TEXT, words, arena);

	ag_jw_kkey(w, "messages");
	ag_jw_arr(w);
	if (text.len)
		plain_message(w, "system", text);
	/* Templates of some models refuse two messages of one role in a row. */
	for (size_t i = 0, end; i < r->nmessage; i = end) {
		const ag_llm_message *first = &r->messages[i];

		end = i + 1;
		if (!is_sent(first))
			continue;
		while (end < r->nmessage &&
		       (r->messages[end].role == first->role || !is_sent(&r->messages[end])))
			end++;
		if (first->role == AG_LLM_USER)
			user_messages(w, first, end - i, arena);
		else
			assistant_message(w, first, end - i, rule_of(m)->thinking_back, arena);
	}
	ag_jw_arr_end(w);
}

/* --- tools and formats --- */

static void tool(ag_jw *w, ag_str name, ag_str help, ag_str schema)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("function"));
	ag_jw_kkey(w, "function");
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", name);
	if (help.len)
		ag_jw_kstr(w, "description", help);
	ag_jw_kraw(w, "parameters", ag_wire_schema(schema));
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

static void tools(ag_jw *w, const ag_llm_request *r, ag_llm_structured how)
{
	/* Tools that may not be called are left out: not every server knows tool_choice "none". */
	const size_t n = r->choice == AG_LLM_CHOICE_NONE ? 0 : r->ntool;

	if (!n && how != AG_LLM_STRUCTURED_TOOL)
		return;
	ag_jw_kkey(w, "tools");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		tool(w, r->tools[i].name, r->tools[i].help, r->tools[i].schema);
	if (how == AG_LLM_STRUCTURED_TOOL)
		tool(w, r->format_name, AG_S("Gives the answer."), r->format_schema);
	ag_jw_arr_end(w);
}

static void tool_choice(ag_jw *w, const ag_llm_request *r, ag_llm_structured how)
{
	/* llama-server reads the form with a name as "auto"; with one tool "required" says the same. */
	if (how == AG_LLM_STRUCTURED_TOOL && r->ntool) {
		ag_jw_kkey(w, "tool_choice");
		ag_jw_obj(w);
		ag_jw_kstr(w, "type", AG_S("function"));
		ag_jw_kkey(w, "function");
		ag_jw_obj(w);
		ag_jw_kstr(w, "name", r->format_name);
		ag_jw_obj_end(w);
		ag_jw_obj_end(w);
	} else if (how == AG_LLM_STRUCTURED_TOOL || (r->ntool && r->choice == AG_LLM_CHOICE_ANY)) {
		ag_jw_kstr(w, "tool_choice", AG_S("required"));
	}
}

/* "strict" demands that every object is closed: an open one (the input of whatever tool) is sent as not strict, which
 * servers with grammars enforce all the same. */
static void response_format(ag_jw *w, const ag_llm_model *m, const ag_llm_request *r)
{
	const ag_str schema = rule_of(m)->object_schema
	                              ? r->format_schema
	                              : ag_wire_format_schema(r, AG_LLM_STRUCTURED_SCHEMA);

	ag_jw_kkey(w, "response_format");
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("json_schema"));
	ag_jw_kkey(w, "json_schema");
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", r->format_name);
	ag_jw_kraw(w, "schema", ag_wire_schema(schema));
	ag_jw_kbool(w, "strict", ag_wire_schema_is_closed(schema));
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

static void thinking(ag_jw *w, const ag_llm_model *m, const ag_llm_request *r)
{
	unsigned n = ag_wire_thinking_budget(m, r);
	think_words how = rule_of(m)->think;

	if (n && how == THINK_EFFORT) {
		ag_jw_kstr(w, "reasoning_effort",
		           n <= 2048   ? AG_S("low")
		           : n <= 8192 ? AG_S("medium")
		                       : AG_S("high"));
	} else if (n && how == THINK_BUDGET) {
		ag_jw_kkey(w, "reasoning");
		ag_jw_obj(w);
		ag_jw_kuint(w, "max_tokens", n);
		ag_jw_obj_end(w);
	}
}

/* What templates of local servers and OpenRouter read; others have no common way. */
static void no_thinking(ag_jw *w, const ag_llm_model *m)
{
	const host_rule *rule = rule_of(m);

	if (m->thinking != AG_LLM_THINKING_OFF || (m->refused & AG_LLM_NO_THINKING_WORDS) ||
	    (rule != &any_host && rule->think != THINK_BUDGET))
		return;
	ag_jw_kkey(w, rule == &any_host ? "chat_template_kwargs" : "reasoning");
	ag_jw_obj(w);
	ag_jw_kbool(w, rule == &any_host ? "enable_thinking" : "enabled", false);
	ag_jw_obj_end(w);
}

static void request(const ag_llm_model *m, const ag_llm_request *r, ag_llm_structured how,
                    bool stream, ag_buf *out)
{
	ag_arena *arena = ag_arena_new();
	bool completion = rule_of(m)->completion_tokens || (m->refused & AG_LLM_NO_MAX_TOKENS);
	ag_jw w;

	if (!r->format_name.len)
		how = AG_LLM_STRUCTURED_AUTO;
	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "model", m->model);
	tools(&w, r, how);
	messages(&w, m, r, how, arena);
	tool_choice(&w, r, how);
	if (how == AG_LLM_STRUCTURED_SCHEMA)
		response_format(&w, m, r);
	thinking(&w, m, r);
	no_thinking(&w, m);
	if (m->temperature >= 0)
		ag_jw_kdouble(&w, "temperature", m->temperature);
	ag_jw_kbool(&w, "stream", stream);
	if (stream && !(m->refused & AG_LLM_NO_STREAM_OPTIONS)) {
		ag_jw_kkey(&w, "stream_options");
		ag_jw_obj(&w);
		ag_jw_kbool(&w, "include_usage", true);
		ag_jw_obj_end(&w);
	}
	ag_jw_kuint(&w, completion ? "max_completion_tokens" : "max_tokens",
	            ag_wire_max_output(m, r));
	ag_jw_obj_end(&w);
	ag_arena_free(arena);
}

const ag_llm_wire ag_llm_wire_openai = {
	.name = "openai",
	.help = "chat completions: OpenAI, llama-server, Ollama, vLLM, OpenRouter and others",
	.base_url = "https://api.openai.com/v1",
	.key_env = "OPENAI_API_KEY",
	.ask_path = "/v1/chat/completions",
	.list_path = "/v1/models",
	.base_has_version = true,
	.best_structured = AG_LLM_STRUCTURED_SCHEMA,
	.headers = headers,
	.request = request,
	.reply = ag_openai_read_reply,
	.event = ag_openai_read_event,
};
