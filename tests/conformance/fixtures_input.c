/* fixtures_input -- tools of the conformance suite that ask by their result and are called again with the answers. */
#include "fixtures.h"

#define FORM(field, type)                                                    \
	",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"" field \
	"\":{\"type\":\"" type "\"}},\"required\":[\"" field "\"]}}"
#define ASK_NAME    AG_S("{\"message\":\"What is your name?\"" FORM("name", "string"))
#define ASK_CONFIRM AG_S("{\"message\":\"Please confirm\"" FORM("ok", "boolean"))

static ag_str sample_params(ag_call *c, const char *text)
{
	return ag_str_printf(c->arena,
	                     "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
	                     "\"text\":\"%s\"}}],\"maxTokens\":100}",
	                     text);
}

/* An accepted form's field, or NULL: not answered, declined, or of another type. */
static const ag_val *field_of(ag_call *c, const char *key, const char *field, ag_type type)
{
	const ag_val *answer = ag_mcp_input(ag_mcp_call_of(c), ag_str_c(key));
	const ag_val *content = answer ? ag_val_getc(answer, "content") : NULL;
	const ag_val *v = content ? ag_val_getc(content, field) : NULL;

	if (!v || v->type != type || !ag_str_eqc(ag_val_member_str(answer, "action"), "accept"))
		return NULL;
	return v;
}

/* These need the stateless era. */
static bool can(ag_call *c, ag_err *err)
{
	if (!ag_mcp_call_of(c)->session)
		return true;
	ag_fail(err, AG_UNAVAILABLE, "mcp.fixtures", "this tool needs revision %s",
	        ag_mcp_revision_name(AG_MCP_2026_07_28));
	return false;
}

/* What a tool returns when the client has to be asked: the server makes the result of it. */
static ag_status asked(ag_err *err)
{
	return ag_fail(err, AG_UNAVAILABLE, "mcp.fixtures", "the client is asked first");
}

ag_status ag_mcp_fixture_want_name(ag_call *c, const ag_val *input, ag_tool_output *ret,
                                   ag_err *err)
{
	const ag_val *name;

	(void)input;
	if (!can(c, err))
		return AG_UNAVAILABLE;
	name = field_of(c, "user_name", "name", AG_T_STRING);
	if (!name) {
		ag_mcp_want(ag_mcp_call_of(c), AG_S("user_name"), "elicitation/create", ASK_NAME);
		return asked(err);
	}
	ag_mcp_fixture_say(ret, ag_str_printf(c->arena, "Hello, %.*s!", AG_FMT(ag_val_text(name))));
	return AG_OK;
}

ag_status ag_mcp_fixture_want_sample(ag_call *c, const ag_val *input, ag_tool_output *ret,
                                     ag_err *err)
{
	const ag_val *answer;

	(void)input;
	if (!can(c, err))
		return AG_UNAVAILABLE;
	answer = ag_mcp_input(ag_mcp_call_of(c), AG_S("capital_question"));
	if (!answer) {
		ag_mcp_want(ag_mcp_call_of(c), AG_S("capital_question"), "sampling/createMessage",
		            sample_params(c, "What is the capital of France?"));
		return asked(err);
	}
	ag_mcp_fixture_say(ret, ag_val_member_str(ag_val_getc(answer, "content"), "text"));
	return AG_OK;
}

ag_status ag_mcp_fixture_want_roots(ag_call *c, const ag_val *input, ag_tool_output *ret,
                                    ag_err *err)
{
	const ag_val *answer, *roots;

	(void)input;
	if (!can(c, err))
		return AG_UNAVAILABLE;
	answer = ag_mcp_input(ag_mcp_call_of(c), AG_S("client_roots"));
	roots = answer ? ag_val_getc(answer, "roots") : NULL;
	if (!roots || roots->type != AG_T_ARRAY) {
		ag_mcp_want(ag_mcp_call_of(c), AG_S("client_roots"), "roots/list", AG_S("{}"));
		return asked(err);
	}
	ag_mcp_fixture_say(
		ret, ag_str_printf(c->arena, "The client has %u roots, the first is %.*s", roots->n,
	                           AG_FMT(roots->n ? ag_val_member_str(&roots->u.items[0], "uri")
	                                           : AG_S("none"))));
	return AG_OK;
}

/* A round with words that must come back as they were. */
static ag_status confirm(ag_call *c, const char *key, ag_tool_output *ret, ag_err *err)
{
	if (!can(c, err))
		return AG_UNAVAILABLE;
	if (!field_of(c, key, "ok", AG_T_BOOL) ||
	    !ag_str_eq(ag_mcp_call_of(c)->request->state, AG_S("asked once"))) {
		ag_mcp_want(ag_mcp_call_of(c), ag_str_c(key), "elicitation/create", ASK_CONFIRM);
		ag_mcp_keep(ag_mcp_call_of(c), AG_S("asked once"));
		return asked(err);
	}
	ag_mcp_fixture_say(ret, AG_S("state-ok: the request state is the one that was given"));
	return AG_OK;
}

ag_status ag_mcp_fixture_want_state(ag_call *c, const ag_val *input, ag_tool_output *ret,
                                    ag_err *err)
{
	(void)input;
	return confirm(c, "confirm", ret, err);
}

ag_status ag_mcp_fixture_want_confirm(ag_call *c, const ag_val *input, ag_tool_output *ret,
                                      ag_err *err)
{
	(void)input;
	return confirm(c, "confirm", ret, err);
}

ag_status ag_mcp_fixture_want_many(ag_call *c, const ag_val *input, ag_tool_output *ret,
                                   ag_err *err)
{
	const ag_val *name, *greeting, *roots;

	(void)input;
	if (!can(c, err))
		return AG_UNAVAILABLE;
	name = field_of(c, "user_name", "name", AG_T_STRING);
	greeting = ag_mcp_input(ag_mcp_call_of(c), AG_S("greeting"));
	roots = ag_mcp_input(ag_mcp_call_of(c), AG_S("client_roots"));
	if (!name)
		ag_mcp_want(ag_mcp_call_of(c), AG_S("user_name"), "elicitation/create", ASK_NAME);
	if (!greeting)
		ag_mcp_want(ag_mcp_call_of(c), AG_S("greeting"), "sampling/createMessage",
		            sample_params(c, "Generate a greeting"));
	if (!roots)
		ag_mcp_want(ag_mcp_call_of(c), AG_S("client_roots"), "roots/list", AG_S("{}"));
	if (!name || !greeting || !roots)
		return asked(err);
	ag_mcp_fixture_say(
		ret,
		ag_str_printf(c->arena, "%.*s %.*s",
	                      AG_FMT(ag_val_member_str(ag_val_getc(greeting, "content"), "text")),
	                      AG_FMT(ag_val_text(name))));
	return AG_OK;
}

ag_status ag_mcp_fixture_want_rounds(ag_call *c, const ag_val *input, ag_tool_output *ret,
                                     ag_err *err)
{
	const ag_val *name, *color;

	(void)input;
	if (!can(c, err))
		return AG_UNAVAILABLE;
	name = field_of(c, "step1", "name", AG_T_STRING);
	color = field_of(c, "step2", "color", AG_T_STRING);
	if (!name)
		ag_mcp_want(ag_mcp_call_of(c), AG_S("step1"), "elicitation/create",
		            AG_S("{\"message\":\"Step 1: What is your name?\"" FORM("name",
		                                                                    "string")));
	else if (!color)
		ag_mcp_want(ag_mcp_call_of(c), AG_S("step2"), "elicitation/create",
		            AG_S("{\"message\":\"Step 2: What is your favorite color?\"" FORM(
				    "color", "string")));
	if (!name || !color)
		return asked(err);
	ag_mcp_fixture_say(ret,
	                   ag_str_printf(c->arena, "%.*s likes %.*s", AG_FMT(ag_val_text(name)),
	                                 AG_FMT(ag_val_text(color))));
	return AG_OK;
}

/* Asks for what this client can answer, and for nothing else. */
ag_status ag_mcp_fixture_want_possible(ag_call *c, const ag_val *input, ag_tool_output *ret,
                                       ag_err *err)
{
	const ag_mcp_request *rq = ag_mcp_call_of(c)->request;
	bool is_asked = false;

	(void)input;
	if (!can(c, err))
		return AG_UNAVAILABLE;
	if (rq->can_sample && !ag_mcp_input(ag_mcp_call_of(c), AG_S("greeting")))
		is_asked = ag_mcp_want(ag_mcp_call_of(c), AG_S("greeting"),
		                       "sampling/createMessage",
		                       sample_params(c, "Generate a greeting"));
	if (rq->can_elicit && !ag_mcp_input(ag_mcp_call_of(c), AG_S("user_name")))
		is_asked = ag_mcp_want(ag_mcp_call_of(c), AG_S("user_name"), "elicitation/create",
		                       ASK_NAME);
	if (is_asked)
		return asked(err);
	ag_mcp_fixture_say(ret, AG_S("everything that can be asked was answered"));
	return AG_OK;
}

ag_status ag_mcp_fixture_prompt_input(ag_call *c, ag_buf *ret, ag_err *err)
{
	const ag_val *context;
	ag_jw w;

	if (!can(c, err))
		return AG_UNAVAILABLE;
	context = field_of(c, "user_context", "context", AG_T_STRING);
	if (!context) {
		ag_mcp_want(ag_mcp_call_of(c), AG_S("user_context"), "elicitation/create",
		            AG_S("{\"message\":\"What context should the prompt use?\"" FORM(
				    "context", "string")));
		return asked(err);
	}
	ag_jw_init(&w, ret, 0);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "messages");
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "role", AG_S("user"));
	ag_jw_kkey(&w, "content");
	ag_mcp_fixture_text(&w, ag_str_printf(c->arena, "Prompt with context: %.*s",
	                                      AG_FMT(ag_val_text(context))));
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return AG_OK;
}
