/* input -- questions to the client without a session (2026-07-28): a result says what is wanted, the client calls again
 * with the answers and with requestState.
 *
 * Nothing is kept here between the two calls. What must not be lost, earlier answers and the tool's own words, travels in
 * requestState: encrypted and signed with a key of this process, bound to the caller, the method and what it is called
 * with, good for ten minutes. */
#include "mcp/parts.h"

#include "base/sha256.h"
#include "query/extjson.h"

#define MAX_STATE (256u * 1024)

/* What a state is good for: "user\ntoken\nmethod\nname" and the hash of the arguments. */
static ag_str purpose_of(const ag_mcp_turn *t, ag_arena *arena)
{
	const ag_val *arguments = t->params ? ag_val_getc(t->params, "arguments") : NULL;
	const ag_str name = ag_val_member_str(t->params, "name");
	const ag_str uri = ag_val_member_str(t->params, "uri");
	const ag_sha256_hex hash = ag_sha256(
		arguments ? ag_extjson_str(arena, arguments, AG_EXTJSON_RELAXED) : AG_S("{}"));

	return ag_str_printf(arena, "%.*s\n%.*s\n%.*s\n%.*s\n%s", AG_FMT(t->who->user),
	                     AG_FMT(t->who->token), AG_FMT(t->message->method),
	                     AG_FMT(name.len ? name : uri), hash.text);
}

static bool open_state(ag_mcp_turn *t, ag_str token, ag_val *ret)
{
	static const ag_extjson_opts opts = { .max_depth = AG_RPC_MAX_DEPTH,
		                              .max_values = AG_RPC_MAX_VALUES };
	ag_buf plain = AG_BUF_INIT(MAX_STATE);
	const ag_status st = ag_fernet_open(&t->server->state_key, token, &plain, NULL);
	const ag_str text = ag_buf_dup(t->arena, &plain);

	ag_buf_release(&plain);
	return !st && !ag_extjson_parse(text, &opts, t->arena, ret, NULL, NULL, NULL) &&
	       ag_str_eq(ag_val_member_str(ret, "purpose"), purpose_of(t, t->arena)) &&
	       (int64_t)ag_val_member_u64(ret, "until_ms") >= ag_clock_wall(t->server->o.clock);
}

bool ag_mcp_input_read(ag_mcp_turn *t, ag_mcp_request *rq)
{
	const ag_val *inputs = t->params ? ag_val_getc(t->params, "inputResponses") : NULL;
	const ag_val *token = t->params ? ag_val_getc(t->params, "requestState") : NULL;
	const ag_val *earlier;
	ag_val state;

	if (inputs && inputs->type != AG_T_OBJECT) {
		ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""),
		             "params.inputResponses: want an object");
		return false;
	}
	rq->inputs = inputs;
	if (!token)
		return true;
	if (token->type != AG_T_STRING || !open_state(t, ag_val_text(token), &state)) {
		ag_mcp_error(
			t, AG_RPC_INVALID_PARAMS, AG_S(""),
			"params.requestState: it is not the one that was given for this call, or too old");
		return false;
	}
	earlier = ag_val_getc(&state, "answers");
	if (earlier)
		rq->earlier = *earlier;
	rq->state = ag_val_member_str(&state, "kept");
	return true;
}

const ag_val *ag_mcp_input(const ag_mcp_call *c, ag_str key)
{
	const ag_val *v = c->request->inputs ? ag_val_get(c->request->inputs, key) : NULL;

	if (!v)
		v = ag_val_get(&c->request->earlier, key);
	return v && v->type == AG_T_OBJECT ? v : NULL;
}

/* Of the client's capabilities: what this method needs, NULL when it has it. */
static const char *lacks(const ag_mcp_request *rq, const char *method)
{
	if (strcmp(method, "sampling/createMessage") == 0)
		return rq->can_sample ? NULL : "sampling";
	if (strcmp(method, "elicitation/create") == 0)
		return rq->can_elicit ? NULL : "elicitation";
	return rq->can_list_roots ? NULL : "roots";
}

bool ag_mcp_want(ag_mcp_call *c, ag_str key, const char *method, ag_str params)
{
	ag_mcp_request *rq = c->request;
	const char *missing = lacks(rq, method);
	ag_buf name = AG_BUF_INIT(1024);

	if (missing) {
		rq->missing = missing;
		return false;
	}
	if (rq->nwanted == AG_MCP_MAX_INPUTS)
		return false;
	ag_json_quote(&name, key);
	rq->wanted = ag_str_printf(c->base.arena, "%.*s%s%.*s:{\"method\":\"%s\",\"params\":%.*s}",
	                           AG_FMT(rq->wanted), rq->nwanted++ ? "," : "",
	                           AG_FMT(ag_buf_view(&name)), method,
	                           AG_FMT(params.len ? params : AG_S("{}")));
	ag_buf_release(&name);
	return true;
}

void ag_mcp_keep(ag_mcp_call *c, ag_str text)
{
	c->request->keep = text;
}

/* Answers of this round, then of earlier ones. */
static void write_answers(ag_jw *w, const ag_mcp_request *rq, ag_arena *arena)
{
	const ag_val *of[] = { rq->inputs, &rq->earlier };

	ag_jw_obj(w);
	for (size_t i = 0; i < AG_NELEM(of); i++) {
		for (uint32_t k = 0; of[i] && of[i]->type == AG_T_OBJECT && k < of[i]->n; k++) {
			const ag_member *m = &of[i]->u.members[k];

			if (i && rq->inputs && ag_val_get(rq->inputs, m->key))
				continue;
			ag_jw_key(w, m->key);
			ag_jw_raw(w, ag_extjson_str(arena, &m->val, AG_EXTJSON_RELAXED));
		}
	}
	ag_jw_obj_end(w);
}

static ag_status seal_state(ag_mcp_turn *t, const ag_mcp_request *rq, ag_buf *ret, ag_err *err)
{
	const int64_t now = ag_clock_wall(t->server->o.clock);
	ag_buf plain = AG_BUF_INIT(MAX_STATE);
	ag_status st;
	ag_jw w;

	ag_jw_init(&w, &plain, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "purpose", purpose_of(t, t->arena));
	ag_jw_kint(&w, "until_ms", now + AG_MCP_STATE_MS);
	ag_jw_kkey(&w, "answers");
	write_answers(&w, rq, t->arena);
	ag_jw_kstr(&w, "kept", rq->keep);
	ag_jw_obj_end(&w);
	if (plain.failed)
		st = ag_fail(err, AG_LIMIT, "mcp.input", "the answers are larger than %u bytes",
		             MAX_STATE);
	else
		st = ag_fernet_seal(&t->server->state_key, ag_buf_view(&plain), now, ret, err);
	ag_buf_release(&plain);
	return st;
}

bool ag_mcp_input_write(ag_mcp_turn *t, ag_mcp_request *rq)
{
	ag_buf state = AG_BUF_INIT(4 * MAX_STATE);
	ag_err err = { 0 };
	ag_jw w;

	if (rq->missing && !rq->nwanted) {
		ag_mcp_error(t, AG_MCP_MISSING_CAPABILITY,
		             ag_str_printf(t->arena, "{\"requiredCapabilities\":{\"%s\":{}}}",
		                           rq->missing),
		             "the client must declare the capability \"%s\" for this call",
		             rq->missing);
		return true;
	}
	if (!rq->nwanted)
		return false;
	if (seal_state(t, rq, &state, &err)) {
		ag_mcp_error_of(t, &err);
	} else {
		ag_buf_clear(&t->ret->text);
		t->wants_input = true;
		ag_mcp_result_begin(t, &w);
		ag_jw_kkey(&w, "inputRequests");
		ag_jw_raw(&w, ag_str_printf(t->arena, "{%.*s}", AG_FMT(rq->wanted)));
		ag_jw_kstr(&w, "requestState", ag_buf_view(&state));
		ag_mcp_result_end(t, &w);
	}
	ag_buf_release(&state);
	return true;
}
