/* Any bytes as a JSON-RPC message. What is taken can be written again and is taken once more, as the same; what is refused
 * has a code of the specification, words, and an id that is JSON. */
#include <stdlib.h>

#include "fuzz.h"
#include "rpc/jsonrpc.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void write_again(const ag_rpc_message *m, ag_buf *out, ag_arena *arena)
{
	const ag_str params = m->params.type ? AG_S("{}") : AG_S("");

	switch (m->kind) {
	case AG_RPC_REQUEST:
		ag_rpc_write_request(out, m->id, ag_str_cstr(arena, m->method), params);
		break;
	case AG_RPC_NOTIFICATION:
		ag_rpc_write_notification(out, ag_str_cstr(arena, m->method), params);
		break;
	case AG_RPC_RESULT: ag_rpc_write_result(out, m->id, AG_S("0")); break;
	case AG_RPC_ERROR: ag_rpc_write_error(out, m->id, -1, AG_S("x"), AG_S("")); break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const ag_str s = ag_str_make((const char *)data, size);
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(64u << 20);
	ag_rpc_message m, again;
	ag_err err = { 0 };
	int code;

	if (ag_rpc_read(s, arena, &m, &code, &err)) {
		check(code == AG_RPC_PARSE_ERROR || code == AG_RPC_INVALID_REQUEST);
		check(err.msg[0] && m.id.len && m.id.len <= AG_RPC_MAX_ID);
	} else if (!memchr(m.method.ptr ? m.method.ptr : "", '\0', m.method.len)) {
		write_again(&m, &out, arena);
		check(!memchr(out.ptr, '\n', out.len));
		check(!ag_rpc_read(ag_buf_view(&out), arena, &again, &code, &err));
		check(again.kind == m.kind && ag_str_eq(again.id, m.id) &&
		      ag_str_eq(again.method, m.method));
	}
	ag_buf_release(&out);
	ag_arena_free(arena);
	return 0;
}
