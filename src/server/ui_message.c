/* ui_message -- the message that a reader of the stream has when all of it has come: a part for each beginning, in that order,
 * as processUIMessageStream() of npm's ai builds it. */
#include "server/ui_stream.h"

#include <string.h>

typedef enum part_kind { PART_STEP, PART_TEXT, PART_REASONING, PART_TOOL, PART_DATA } part_kind;

typedef struct ag_ui_part {
	struct ag_ui_part *next;
	part_kind kind;
	ag_str id, name, input, output, error;
	ag_str *pieces; /* of a text */
	size_t npiece, cap;
} ag_ui_part;

void ag_ui_message_init(ag_ui_message *m, ag_arena *arena)
{
	*m = (ag_ui_message){ .arena = arena };
	m->last = &m->first;
}

static ag_ui_part *add(ag_ui_message *m, part_kind kind, const ag_ui_chunk *c)
{
	ag_ui_part *p = ag_new(m->arena, ag_ui_part);

	*p = (ag_ui_part){ .kind = kind,
		           .id = ag_str_dup(m->arena, c->id),
		           .name = ag_str_dup(m->arena, c->name) };
	*m->last = p;
	m->last = &p->next;
	return p;
}

static ag_ui_part *find(const ag_ui_message *m, part_kind kind, ag_str id)
{
	ag_ui_part *found = NULL;

	for (ag_ui_part *p = m->first; p; p = p->next)
		if (p->kind == kind && ag_str_eq(p->id, id))
			found = p;
	return found;
}

static void add_piece(ag_ui_message *m, ag_ui_part *p, ag_str text)
{
	if (!p)
		return;
	if (p->npiece == p->cap) {
		const size_t cap = p->cap ? 2 * p->cap : 4;
		ag_str *more = ag_new_n(m->arena, ag_str, cap);

		if (p->npiece)
			memcpy(more, p->pieces, p->npiece * sizeof(*more));
		p->pieces = more;
		p->cap = cap;
	}
	p->pieces[p->npiece++] = ag_str_dup(m->arena, text);
}

static void take_data(ag_ui_message *m, const ag_ui_chunk *c)
{
	ag_ui_part *p = c->id.len ? find(m, PART_DATA, c->id) : NULL;

	if (c->is_transient)
		return;
	if (!p)
		p = add(m, PART_DATA, c);
	p->output = ag_str_dup(m->arena, c->json);
}

void ag_ui_message_take(void *arg, const ag_ui_chunk *c)
{
	ag_ui_message *m = (ag_ui_message *)arg;
	ag_ui_part *p;

	switch (c->type) {
	case AG_UI_START: m->id = ag_str_dup(m->arena, c->id); break;
	case AG_UI_START_STEP: add(m, PART_STEP, c); break;
	case AG_UI_TEXT_START: add(m, PART_TEXT, c); break;
	case AG_UI_REASONING_START:
		if (!m->hides_thoughts)
			add(m, PART_REASONING, c);
		break;
	case AG_UI_TEXT_DELTA: add_piece(m, find(m, PART_TEXT, c->id), c->text); break;
	case AG_UI_REASONING_DELTA: add_piece(m, find(m, PART_REASONING, c->id), c->text); break;
	case AG_UI_TOOL_INPUT:
		p = add(m, PART_TOOL, c);
		p->input = ag_str_dup(m->arena, c->json);
		break;
	case AG_UI_TOOL_OUTPUT:
		p = find(m, PART_TOOL, c->id);
		if (p)
			p->output = ag_str_dup(m->arena, c->json);
		break;
	case AG_UI_TOOL_ERROR:
		p = find(m, PART_TOOL, c->id);
		if (p)
			p->error = ag_str_dup(m->arena, c->text);
		break;
	case AG_UI_DATA: take_data(m, c); break;
	default: break;
	}
}

static void write_text(const ag_ui_message *m, const ag_ui_part *p, ag_jw *w)
{
	ag_buf out = AG_BUF_INIT(16u << 20);

	for (size_t i = 0; i < p->npiece; i++)
		ag_buf_add(&out, p->pieces[i]);
	ag_jw_kstr(w, "type", p->kind == PART_TEXT ? AG_S("text") : AG_S("reasoning"));
	ag_jw_kstr(w, "text", ag_buf_dup(m->arena, &out));
	ag_jw_kstr(w, "state", AG_S("done"));
	ag_buf_release(&out);
}

static void write_tool(const ag_ui_message *m, const ag_ui_part *p, ag_jw *w)
{
	const char *state = p->output.len  ? "output-available"
	                    : p->error.len ? "output-error"
	                                   : "input-available";

	ag_jw_kstr(w, "type", ag_str_printf(m->arena, "tool-%.*s", AG_FMT(p->name)));
	ag_jw_kstr(w, "toolCallId", p->id);
	ag_jw_kstr(w, "state", ag_str_c(state));
	ag_jw_kraw(w, "input", p->input);
	if (p->output.len)
		ag_jw_kraw(w, "output", p->output);
	else if (p->error.len)
		ag_jw_kstr(w, "errorText", p->error);
}

static void write_part(const ag_ui_message *m, const ag_ui_part *p, ag_jw *w)
{
	ag_jw_obj(w);
	switch (p->kind) {
	case PART_STEP: ag_jw_kstr(w, "type", AG_S("step-start")); break;
	case PART_TEXT:
	case PART_REASONING: write_text(m, p, w); break;
	case PART_TOOL: write_tool(m, p, w); break;
	case PART_DATA:
		ag_jw_kstr(w, "type", p->name);
		if (p->id.len)
			ag_jw_kstr(w, "id", p->id);
		ag_jw_kraw(w, "data", p->output);
		break;
	}
	ag_jw_obj_end(w);
}

void ag_ui_message_write(const ag_ui_message *m, ag_jw *w)
{
	if (!m->first)
		return;
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", m->id);
	ag_jw_kstr(w, "role", AG_S("assistant"));
	ag_jw_kkey(w, "parts");
	ag_jw_arr(w);
	for (const ag_ui_part *p = m->first; p; p = p->next)
		write_part(m, p, w);
	ag_jw_arr_end(w);
	if (m->metadata.len)
		ag_jw_kraw(w, "metadata", m->metadata);
	ag_jw_obj_end(w);
}
