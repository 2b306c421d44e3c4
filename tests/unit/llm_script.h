/* A transport that plays a list of answers, and a model that is opened on it: for the tests of llm/. */
#ifndef AG_TESTS_LLM_SCRIPT_H
#define AG_TESTS_LLM_SCRIPT_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm/llm.h"
#include "llm/transport.h"

/* One answer. Zeroed members are left out; fail != AG_OK comes after the body. */
typedef struct llm_step {
	int status;
	const char *body, *retry_after, *location, *encoding;
	ag_status fail;
	int native;
	const char *message;
	bool is_sent; /* of what failed; an answer always means it */
} llm_step;

#define LLM_MAX_SEEN 40

typedef struct llm_script {
	ag_transport base;
	ag_transport_type type;
	const llm_step *steps;
	size_t nstep, at;
	size_t piece; /* bytes of the body at once, 0 = all */
	char *seen[LLM_MAX_SEEN];
	void (*before)(void *arg, size_t step); /* called before each answer */
	void *arg;
} llm_script;

static AG_UNUSED ag_status script_send(ag_transport *t, const ag_ctx *ctx, const char *purpose,
                                       const char *provider, const ag_http_request *r,
                                       ag_arena *arena, ag_http_response *ret, ag_err *err)
{
	llm_script *s = (llm_script *)t;
	const llm_step *step;
	ag_status st = AG_OK;
	ag_str body;

	(void)ctx, (void)purpose, (void)provider;
	if (s->at >= s->nstep || s->at >= LLM_MAX_SEEN)
		return ag_fail(err, AG_INTERNAL, "test", "the script has only %zu answers", s->at);
	if (s->before)
		s->before(s->arg, s->at);
	s->seen[s->at] = malloc(r->body.len + 1);
	memcpy(s->seen[s->at], r->body.ptr ? r->body.ptr : "", r->body.len);
	s->seen[s->at][r->body.len] = '\0';
	step = &s->steps[s->at++];
	memset(ret, 0, sizeof(*ret));
	ret->status = step->status;
	ret->retry_after = ag_str_dup(arena, ag_str_c(step->retry_after));
	ret->content_encoding = ag_str_dup(arena, ag_str_c(step->encoding));
	ret->is_sent = step->is_sent || step->status;
	ret->location = ag_str_dup(arena, ag_str_c(step->location));
	body = ag_str_c(step->body);
	if (!r->on_body || step->status < 200 || step->status > 299) {
		ret->body = ag_str_dup(arena, body);
	} else {
		while (body.len && !st) {
			size_t n = s->piece && s->piece < body.len ? s->piece : body.len;

			st = r->on_body(r->arg, ag_str_make(body.ptr, n), err);
			body = ag_str_make(body.ptr + n, body.len - n);
		}
	}
	if (!st && step->fail) {
		st = ag_fail(err, step->fail, "net.http", "%s",
		             step->message ? step->message : "it broke");
		if (err)
			err->native = step->native;
	}
	return st;
}

static AG_UNUSED void script_free_seen(llm_script *s)
{
	for (size_t i = 0; i < LLM_MAX_SEEN; i++) {
		free(s->seen[i]);
		s->seen[i] = NULL;
	}
}

/* The test owns the script: closing the hub does not free it. */
static AG_UNUSED void script_close(ag_transport *t)
{
	(void)t;
}

static AG_UNUSED void script_init(llm_script *s, const llm_step *steps, size_t n)
{
	memset(s, 0, sizeof(*s));
	s->type = (ag_transport_type){
		.name = "script", .send = script_send, .close = script_close, .waits = true
	};
	s->base.type = &s->type;
	s->steps = steps;
	s->nstep = n;
}

/* --- bodies of the OpenAI protocol */

#define SSE_TEXT(t)                                                                      \
	"data: {\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" t \
	"\"}}]}\n\n"
#define SSE_STOP(r) \
	"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" r "\"}]}\n\n"
#define SSE_USAGE(in, out)                                                                       \
	"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":" #in ",\"completion_tokens\":" #out \
	"}}\n\n"
#define SSE_DONE    "data: [DONE]\n\n"
#define HELLO       SSE_TEXT("Hel") SSE_TEXT("lo") SSE_STOP("stop") SSE_USAGE(100, 20) SSE_DONE
#define ERROR(text) "{\"error\":{\"message\":\"" text "\",\"type\":\"invalid_request_error\"}}"

static const ag_llm_part llm_hi[] = { { .type = AG_LLM_TEXT, .text = AG_S_INIT("Say hello.") } };
static const ag_llm_message llm_messages[] = { { AG_LLM_USER, llm_hi, 1 } };

static AG_UNUSED ag_llm_request llm_request(void)
{
	return (ag_llm_request){ .purpose = "planner", .messages = llm_messages, .nmessage = 1 };
}

#define LLM_KEY "sk-proj-Zq81xkTT0123456789"

static AG_UNUSED ag_llm_model llm_model(void)
{
	ag_llm_model m;

	ag_llm_model_init(&m);
	m.name = AG_S("main");
	m.provider = AG_S("openai");
	m.base_url = AG_S("https://api.example.com");
	m.model = AG_S("gpt-4o");
	m.key = AG_S(LLM_KEY);
	return m;
}

#endif
