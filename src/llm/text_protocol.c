/* text_protocol -- see the header. The form is Hermes', which most small models were trained on. */
#include "llm/text_protocol.h"

#include "base/json.h"
#include "llm/wire_request.h"

#define MAX_WORDS_BYTES (1u << 20)

static const char how_to_call[] =
	"# Tools\n"
	"You can use the tools below. To call one, write a block like this and nothing after it:\n"
	"<tool_call>\n"
	"{\"name\": \"the tool's name\", \"arguments\": {\"parameter\": \"value\"}}\n"
	"</tool_call>\n"
	"Several calls are several blocks. The results come in the next message, in <tool_response> "
	"blocks: never write those yourself. To answer, write plain words without any block.\n";

static const char must_call[] = "You must call a tool now.\n";

static ag_str tools_text(const ag_llm_request *r, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(MAX_WORDS_BYTES);
	ag_str ret;
	ag_jw w;

	ag_buf_adds(&out, how_to_call);
	if (r->choice == AG_LLM_CHOICE_ANY)
		ag_buf_adds(&out, must_call);
	ag_buf_adds(&out, "The tools, each with the JSON schema of its arguments:\n");
	for (size_t i = 0; i < r->ntool; i++) {
		ag_jw_init(&w, &out, 0);
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "name", r->tools[i].name);
		ag_jw_kstr(&w, "description", r->tools[i].help);
		ag_jw_kraw(&w, "arguments", ag_wire_schema(r->tools[i].schema));
		ag_jw_obj_end(&w);
		ag_buf_addc(&out, '\n');
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_str call_text(const ag_llm_part *p, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(16u * (p->input.len + p->name.len) + 256);
	ag_str ret;
	ag_jw w;

	ag_buf_adds(&out, "<tool_call>\n");
	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "name", p->name);
	ag_jw_kraw(&w, "arguments", ag_wire_sent_input(p->input, arena));
	ag_jw_obj_end(&w);
	ag_buf_adds(&out, "\n</tool_call>");
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* A result may hold anything: its own marks lose their bracket, so that it cannot end its block or begin another. */
static ag_str result_text(const ag_llm_part *p, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(4 * p->text.len + 256);
	ag_str ret;

	ag_buf_addf(&out, "<tool_response name=\"%.*s\">\n%s", AG_FMT(p->name),
	            p->is_error && !ag_str_starts(p->text, AG_S("Error")) ? "Error: " : "");
	for (size_t i = 0; i < p->text.len; i++) {
		const ag_str rest = ag_str_make(p->text.ptr + i, p->text.len - i);

		if (ag_str_starts(rest, AG_S("<tool_")) || ag_str_starts(rest, AG_S("</tool_")))
			ag_buf_adds(&out, "&lt;");
		else
			ag_buf_addc(&out, p->text.ptr[i]);
	}
	ag_buf_adds(&out, p->text.len ? "\n</tool_response>" : "(no output)\n</tool_response>");
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_llm_message message(const ag_llm_message *m, ag_arena *arena)
{
	ag_llm_part *parts = ag_new_n(arena, ag_llm_part, m->npart ? m->npart : 1);

	for (size_t i = 0; i < m->npart; i++) {
		const ag_llm_part *p = &m->parts[i];

		parts[i] = *p;
		if (p->type == AG_LLM_TOOL_CALL || p->type == AG_LLM_TOOL_RESULT)
			parts[i] = (ag_llm_part){ .type = AG_LLM_TEXT,
				                  .text = p->type == AG_LLM_TOOL_CALL
				                                  ? call_text(p, arena)
				                                  : result_text(p, arena),
				                  .cache_here = p->cache_here };
	}
	return (ag_llm_message){ m->role, parts, m->npart };
}

void ag_text_protocol(const ag_llm_request *r, ag_arena *arena, ag_llm_request *ret)
{
	const bool offers = r->ntool && r->choice != AG_LLM_CHOICE_NONE;
	ag_llm_part *system = ag_new_n(arena, ag_llm_part, r->nsystem + 1);
	ag_llm_message *messages = ag_new_n(arena, ag_llm_message, r->nmessage ? r->nmessage : 1);

	*ret = *r;
	if (r->nsystem)
		memcpy(system, r->system, r->nsystem * sizeof(*system));
	if (offers)
		system[ret->nsystem++] = (ag_llm_part){ .type = AG_LLM_TEXT,
			                                .text = tools_text(r, arena),
			                                .cache_here = true };
	for (size_t i = 0; i < r->nmessage; i++)
		messages[i] = message(&r->messages[i], arena);
	ret->system = system;
	ret->messages = messages;
	ret->tools = NULL;
	ret->ntool = 0;
	ret->choice = AG_LLM_CHOICE_AUTO;
}
