/* fuzz_wire -- bytes as a model server might send them: as a stream, as a whole answer, as an error.
 *
 * What holds for any bytes: the reply can be taken, its texts are no more than what came, usage adds up, ids of calls are
 * there and unique, JSON that is found is JSON, and an error says something. */
#ifndef AG_TESTS_FUZZ_WIRE_H
#define AG_TESTS_FUZZ_WIRE_H

#include "fuzz.h"
#include "llm/json_text.h"
#include "llm/wire.h"
#include "net/sse.h"

typedef struct fuzz_reader {
	const ag_llm_wire *wire;
	ag_acc *acc;
} fuzz_reader;

static inline ag_status fuzz_event(void *arg, const ag_sse_event *ev, ag_err *err)
{
	fuzz_reader *r = arg;

	return r->wire->event(ev->name, ev->data, r->acc, err);
}

static inline void fuzz_check_usage(const ag_llm_usage *u)
{
	AG_ASSERT(u->cached_tokens + u->cache_write_tokens <= u->input_tokens);
	AG_ASSERT(u->thinking_tokens <= u->output_tokens);
}

static inline void fuzz_check_parts(const ag_llm_reply *r)
{
	for (size_t i = 0; i < r->npart; i++) {
		const ag_llm_part *p = &r->parts[i];

		AG_ASSERT(p->type != AG_LLM_TOOL_RESULT);
		AG_ASSERT(p->type == AG_LLM_TOOL_CALL || p->text.len || p->signature.len);
		if (p->type != AG_LLM_TOOL_CALL)
			continue;
		AG_ASSERT(p->id.len && p->input.len); /* an id that a server gave twice stays */
	}
}

static inline void fuzz_check_reply(const ag_acc *acc, size_t size)
{
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };
	ag_llm_reply r;
	ag_status st = ag_acc_reply(acc, AG_S("answer"), arena, &r, &err);

	AG_ASSERT(st == AG_OK || (st == AG_LIMIT && err.msg[0]));
	fuzz_check_parts(&r);
	fuzz_check_usage(&r.usage);
	/* A broken byte becomes three. */
	AG_ASSERT(r.text.len <= 3 * size);
	AG_ASSERT(!r.json.len || ag_json_is_object(r.json, arena) || r.json.ptr[0] == '{');
	AG_ASSERT(ag_acc_is_done(acc) || r.stop == AG_LLM_STOP_OTHER);
	ag_arena_free(arena);
}

static inline void fuzz_stream(const ag_llm_wire *wire, ag_str bytes)
{
	fuzz_reader r = { .wire = wire, .acc = ag_acc_new() };
	size_t half = bytes.len / 2;
	ag_err err = { 0 };
	ag_sse sse;
	ag_status st;

	ag_sse_init(&sse, fuzz_event, &r);
	st = ag_sse_feed(&sse, ag_str_make(bytes.ptr, half), &err);
	if (!st)
		st = ag_sse_feed(&sse, ag_str_make(bytes.ptr + half, bytes.len - half), &err);
	if (!st)
		st = ag_sse_end(&sse, &err);
	AG_ASSERT(st == err.status && (!st || err.msg[0]));
	ag_sse_release(&sse);
	fuzz_check_reply(r.acc, bytes.len);
	ag_acc_free(r.acc);
}

static inline void fuzz_body(const ag_llm_wire *wire, ag_str bytes)
{
	ag_acc *acc = ag_acc_new();
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };
	ag_status st = wire->reply(bytes, acc, &err);
	ag_str json = ag_json_in_text(bytes), *names;
	size_t n;

	AG_ASSERT(st == err.status && (!st || err.msg[0]));
	fuzz_check_reply(acc, bytes.len);
	AG_ASSERT(ag_wire_fail("fuzz", bytes, 0, &err) != AG_OK);
	AG_ASSERT(ag_wire_error_text(bytes, arena).len <= 300);
	AG_ASSERT(!json.len || json.ptr[json.len - 1] == '}');
	AG_IGNORE(ag_wire_model_list(bytes, arena, &names, &n, &err), "any answer will do");
	ag_arena_free(arena);
	ag_acc_free(acc);
}

static inline int fuzz_wire(const ag_llm_wire *wire, const uint8_t *data, size_t size)
{
	ag_str bytes = ag_str_make(size ? (const char *)data : "", size);

	fuzz_stream(wire, bytes);
	fuzz_body(wire, bytes);
	return 0;
}

#endif
