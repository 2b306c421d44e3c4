/* scripted_model -- a model whose server's answers are given by the test: the real client, requests and readers run;
 * only the network below them is replaced.
 *
 * Each line of the script answers one request, in order; behind its end the server is away (AG_UNAVAILABLE). */
#ifndef AG_TESTS_SCRIPTED_MODEL_H
#define AG_TESTS_SCRIPTED_MODEL_H

#include "llm/llm.h"
#include "llm/transport.h"

#define SM_MAX_REQUESTS 32

typedef struct sm_line {
	ag_str text; /* what the model says */
	unsigned input_tokens, output_tokens;
	const char *finish; /* NULL = "stop" */
	const char *calls;  /* tool_calls, a JSON array; NULL = none */
	int status;         /* of a failure, 0 = 200 */
} sm_line;

typedef struct scripted_model {
	const sm_line *lines;
	size_t nline, nasked;
	ag_arena *arena;
	ag_str requests[SM_MAX_REQUESTS]; /* bodies, as sent */
	ag_llm_hub *hub;
	ag_llm *llm;
} scripted_model;

typedef struct sm_transport {
	ag_transport base;
	scripted_model *model;
} sm_transport;

static ag_str sm_body(const sm_line *l, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64u << 20);
	ag_str ret;

	ag_buf_adds(
		&out,
		"{\"id\":\"c1\",\"object\":\"chat.completion\",\"model\":\"served\",\"choices\":"
		"[{\"index\":0,\"finish_reason\":");
	ag_json_quote(&out, ag_str_c(l->finish ? l->finish : "stop"));
	ag_buf_adds(&out, ",\"message\":{\"role\":\"assistant\",\"content\":");
	if (l->text.ptr)
		ag_json_quote(&out, l->text);
	else
		ag_buf_adds(&out, "null");
	if (l->calls)
		ag_buf_addf(&out, ",\"tool_calls\":%s", l->calls);
	ag_buf_addf(&out, "}}],\"usage\":{\"prompt_tokens\":%u,\"completion_tokens\":%u}}",
	            l->input_tokens, l->output_tokens);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_status sm_send(ag_transport *t, const ag_ctx *ctx, const char *purpose,
                         const char *provider, const ag_http_request *r, ag_arena *arena,
                         ag_http_response *ret, ag_err *err)
{
	scripted_model *m = ((sm_transport *)t)->model;
	ag_str body;

	(void)ctx;
	(void)purpose;
	(void)provider;
	*ret = (ag_http_response){ .content_type = AG_S("application/json") };
	if (m->nasked < SM_MAX_REQUESTS)
		m->requests[m->nasked] = ag_str_dup(m->arena, r->body);
	if (m->nasked++ >= m->nline)
		return ag_fail(err, AG_UNAVAILABLE, "test", "nobody is there");
	body = sm_body(&m->lines[m->nasked - 1], arena);
	ret->status = m->lines[m->nasked - 1].status ? m->lines[m->nasked - 1].status : 200;
	ret->nbyte = body.len;
	if (r->on_body && ret->status == 200)
		return r->on_body(r->arg, body, err);
	ret->body = body;
	return AG_OK;
}

static void sm_close_transport(ag_transport *t)
{
	free(t);
}

static const ag_transport_type sm_type = { .name = "script",
	                                   .send = sm_send,
	                                   .close = sm_close_transport };

static void sm_open(scripted_model *m, const char *model_id, const sm_line *lines, size_t nline)
{
	sm_transport *t = ag_xcalloc(1, sizeof(*t));
	ag_llm_hub_opts opts = { .transport = &t->base };
	ag_llm_model model;
	ag_err err = { 0 };

	*m = (scripted_model){ .lines = lines, .nline = nline, .arena = ag_arena_new() };
	t->base.type = &sm_type;
	t->model = m;
	ag_llm_model_init(&model);
	model.name = AG_S("tested");
	model.provider = AG_S("openai");
	model.base_url = AG_S("http://127.0.0.1:1/v1");
	model.model = ag_str_c(model_id);
	model.no_stream = true;
	model.attempts = 1;
	if (ag_llm_hub_open(&opts, &m->hub, &err) || ag_llm_open(m->hub, &model, &m->llm, &err))
		fail_msg("%s", err.msg);
}

static void sm_close(scripted_model *m)
{
	ag_llm_close(m->llm);
	ag_llm_hub_close(m->hub);
	ag_arena_free(m->arena);
}

#endif
