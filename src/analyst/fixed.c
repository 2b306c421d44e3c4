/* fixed -- see the header. The log holds a reply with one call and then a final text, like that of a model, so a later turn of the
 * conversation shows it to one. */
#include "analyst/fixed.h"

#include "base/json.h"
#include "base/utf8.h"
#include "knowledge/recipe.h"
#include "query/extjson.h"

#define CELL_CHARS  120u
#define ERROR_BYTES 400u
#define TABLE_BYTES (256u * 1024)

typedef struct fixed {
	ag_planner base;
	const ag_analyst_state *state;
	ag_str sql;
} fixed;

static ag_str input_of(const fixed *p, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(2 * AG_RECIPE_MAX_BYTES);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "query", p->sql);
	ag_jw_obj_end(&w);
	return ag_buf_dup(arena, &out);
}

static ag_proposal call_it(const fixed *p, ag_arena *arena)
{
	const ag_llm_part part = { .type = AG_LLM_TOOL_CALL,
		                   .id = AG_S("statement_1"),
		                   .name = AG_S("execute_sql"),
		                   .input = input_of(p, arena) };
	const ag_llm_reply reply = { .parts = &part, .npart = 1 };

	return (ag_proposal){ .action = part.name,
		              .input = part.input,
		              .confidence = 1,
		              .turn = ag_transcript_turn_json(&reply, arena) };
}

/* --- the answer --- */

/* One line, without a mark that would end the cell. */
static void write_cell(ag_str text, ag_buf *out)
{
	text = ag_utf8_prefix(text, CELL_CHARS);
	for (size_t i = 0; i < text.len; i++) {
		const char c = text.ptr[i];

		if (c == '|' || c == '\\')
			ag_buf_addc(out, '\\');
		ag_buf_addc(out, (unsigned char)c < 0x20 ? ' ' : c);
	}
}

static void write_row(const ag_val *row, ag_arena *arena, ag_buf *out)
{
	for (uint32_t i = 0; row->type == AG_T_ARRAY && i < row->n; i++) {
		const ag_val *v = &row->u.items[i];

		ag_buf_adds(out, "| ");
		if (v->type == AG_T_STRING)
			write_cell(ag_val_text(v), out);
		else if (v->type != AG_T_NULL)
			write_cell(ag_extjson_str(arena, v, AG_EXTJSON_RELAXED), out);
		ag_buf_addc(out, ' ');
	}
	ag_buf_adds(out, "|\n");
}

static ag_str table_text(const ag_analyst_result *r, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(4 * TABLE_BYTES);
	uint32_t i = 0;

	if (!r->rows->n)
		return AG_S("The result has no rows.");
	write_row(r->columns, arena, &out);
	for (uint32_t k = 0; k < r->columns->n; k++)
		ag_buf_adds(&out, "| --- ");
	ag_buf_adds(&out, "|\n");
	for (; i < r->rows->n && i < AG_ANALYST_FIXED_ROWS && out.len < TABLE_BYTES; i++)
		write_row(&r->rows->u.items[i], arena, &out);
	if (i < r->rows->n || r->is_cut)
		ag_buf_adds(&out, "\nThe result has further rows.\n");
	return ag_str_trim(ag_buf_dup(arena, &out));
}

static ag_proposal answer(const fixed *p, ag_arena *arena)
{
	const ag_analyst_query *q = p->state->nquery ? &p->state->queries[p->state->nquery - 1]
	                                             : NULL;
	ag_proposal ret = { .confidence = 1, .is_final = true };

	if (q && q->has_output && ag_analyst_is_table(&q->result)) {
		ret.text = table_text(&q->result, arena);
		return ret;
	}
	ret.text = ag_str_printf(arena, "The statement gave no result: %.*s",
	                         AG_FMT(ag_utf8_prefix(q && q->result.error.len
	                                                       ? q->result.error
	                                                       : AG_S("it was not run"),
	                                               ERROR_BYTES)));
	ret.partial_why = ret.text;
	return ret;
}

static ag_status propose(ag_planner *self, const ag_ctx *ctx, ag_arena *arena, ag_proposal *ret,
                         ag_err *err)
{
	const fixed *p = (const fixed *)self;

	(void)ctx;
	(void)err;
	*ret = p->state->transcript.nturn ? answer(p, arena) : call_it(p, arena);
	return AG_OK;
}

static void nothing(ag_planner *self)
{
	(void)self;
}

static const ag_planner_type fixed_type = {
	.name = "statement",
	.propose = propose,
	.close = nothing,
	.default_iterations = 4,
};

ag_planner *ag_analyst_fixed_new(const ag_analyst_state *state, ag_str sql, ag_arena *arena)
{
	fixed *p = ag_new(arena, fixed);

	p->base.type = &fixed_type;
	p->state = state;
	p->sql = sql;
	return &p->base;
}
