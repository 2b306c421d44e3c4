/* A hub and a model on a script, and what a test looks at. Behind <cmocka.h>. */
#ifndef AG_TESTS_LLM_BENCH_H
#define AG_TESTS_LLM_BENCH_H

#include "llm_script.h"

typedef struct bench {
	llm_script script;
	ag_arena *arena;
	ag_llm_hub *hub;
	ag_llm *llm;
	ag_llm_model model;
	ag_llm_request request;
	ag_llm_reply reply;
	ag_err err;
	ag_ctx ctx;
	int64_t now; /* of the clock, when it is used */
	ag_clock clock;
	char shown[256]; /* deltas; "|" where they begin anew */
} bench;

static AG_UNUSED int64_t bench_ms(void *self)
{
	return ((bench *)self)->now;
}

static AG_UNUSED void on_delta(void *arg, const ag_llm_delta *d)
{
	const ag_str text = d->type == AG_LLM_DELTA_VOID ? AG_S("|") : d->text;
	bench *b = arg;
	size_t n = strlen(b->shown);

	assert_true(n + text.len < sizeof(b->shown));
	memcpy(b->shown + n, text.ptr, text.len);
}

static AG_UNUSED void setup(bench *b, const llm_step *steps, size_t n)
{
	memset(b, 0, sizeof(*b));
	script_init(&b->script, steps, n);
	b->arena = ag_arena_new();
	b->model = llm_model();
	b->request = llm_request();
	b->request.on_delta = on_delta;
	b->request.arg = b;
	b->now = 1000000;
	b->clock = (ag_clock){ bench_ms, bench_ms, b };
	b->ctx = (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
}

static AG_UNUSED ag_status open_it(bench *b)
{
	const ag_llm_hub_opts o = { .transport = &b->script.base,
		                    .backoff_ms = 1,
		                    .clock = &b->clock };

	if (!b->hub)
		assert_int_equal(ag_llm_hub_open(&o, &b->hub, &b->err), AG_OK);
	return ag_llm_open(b->hub, &b->model, &b->llm, &b->err);
}

static AG_UNUSED ag_status ask(bench *b)
{
	if (!b->llm)
		assert_int_equal(open_it(b), AG_OK);
	return ag_llm_ask(b->llm, &b->ctx, &b->request, b->arena, &b->reply, &b->err);
}

static AG_UNUSED void teardown(bench *b)
{
	ag_llm_close(b->llm);
	ag_llm_hub_close(b->hub);
	ag_arena_free(b->arena);
	script_free_seen(&b->script);
}

#define BENCH(b, ...)                                    \
	static const llm_step steps[] = { __VA_ARGS__ }; \
	bench b;                                         \
	(void)state;                                     \
	setup(&b, steps, AG_NELEM(steps))

static AG_UNUSED void assert_text(ag_str got, const char *want)
{
	assert_int_equal(got.len, strlen(want));
	assert_memory_equal(got.ptr, want, got.len);
}

static AG_UNUSED void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" does not say \"%s\"", text, part);
}

#endif
