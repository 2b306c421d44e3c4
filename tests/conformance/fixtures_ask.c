/* fixtures_ask -- tools of the conformance suite that ask the client while they run. */
#include "fixtures.h"
#include "query/extjson.h"

/* "<before>action=accept, content={…}" */
static void say_answer(ag_call *c, const char *before, const ag_val *answer, ag_tool_output *ret)
{
	const ag_val *content = ag_val_getc(answer, "content");

	ag_mcp_fixture_say(ret, ag_str_printf(c->arena, "%saction=%.*s, content=%.*s", before,
	                                      AG_FMT(ag_val_member_str(answer, "action")),
	                                      AG_FMT(content ? ag_extjson_str(c->arena, content,
	                                                                      AG_EXTJSON_RELAXED)
	                                                     : AG_S("{}"))));
}

static ag_status elicit(ag_call *c, ag_str message, const char *schema, const char *before,
                        ag_tool_output *ret, ag_err *err)
{
	ag_buf params = AG_BUF_INIT(64 * 1024);
	ag_val answer;
	ag_status st;
	ag_jw w;

	ag_jw_init(&w, &params, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "message", message);
	ag_jw_kraw(&w, "requestedSchema", ag_str_c(schema));
	ag_jw_obj_end(&w);
	st = ag_call_ask(c, "elicitation/create", ag_buf_view(&params), &answer, err);
	ag_buf_release(&params);
	if (!st)
		say_answer(c, before, &answer, ret);
	return st;
}

static ag_status sample(ag_call *c, ag_str prompt, ag_tool_output *ret, ag_err *err)
{
	ag_buf params = AG_BUF_INIT(64 * 1024);
	ag_val answer;
	ag_status st;
	ag_jw w;

	ag_jw_init(&w, &params, 0);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "messages");
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "role", AG_S("user"));
	ag_jw_kkey(&w, "content");
	ag_mcp_fixture_text(&w, prompt);
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
	ag_jw_kint(&w, "maxTokens", 100);
	ag_jw_obj_end(&w);
	st = ag_call_ask(c, "sampling/createMessage", ag_buf_view(&params), &answer, err);
	ag_buf_release(&params);
	if (st)
		return st;
	ag_mcp_fixture_say(
		ret,
		ag_str_printf(c->arena, "LLM response: %.*s",
	                      AG_FMT(ag_val_member_str(ag_val_getc(&answer, "content"), "text"))));
	return AG_OK;
}

ag_status ag_mcp_fixture_sampling(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	return sample(c, ag_val_member_str(input, "prompt"), ret, err);
}

ag_status ag_mcp_fixture_missing(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)input;
	return sample(c, AG_S("Say hello."), ret, err);
}

ag_status ag_mcp_fixture_elicitation(ag_call *c, const ag_val *input, ag_tool_output *ret,
                                     ag_err *err)
{
	static const char schema[] =
		"{\"type\":\"object\",\"properties\":{\"username\":{\"type\":\"string\","
		"\"description\":\"User's response\"},\"email\":{\"type\":\"string\","
		"\"description\":\"User's email address\"}},\"required\":[\"username\",\"email\"]}";

	return elicit(c, ag_val_member_str(input, "message"), schema, "User response: ", ret, err);
}

ag_status ag_mcp_fixture_streaming(ag_call *c, const ag_val *input, ag_tool_output *ret,
                                   ag_err *err)
{
	static const char schema[] =
		"{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}";

	(void)input;
	return elicit(c, AG_S("What is your name?"), schema, "User response: ", ret, err);
}

ag_status ag_mcp_fixture_defaults(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	static const char schema[] =
		"{\"type\":\"object\",\"properties\":{"
		"\"name\":{\"type\":\"string\",\"description\":\"User name\",\"default\":\"John Doe\"},"
		"\"age\":{\"type\":\"integer\",\"description\":\"User age\",\"default\":30},"
		"\"score\":{\"type\":\"number\",\"description\":\"User score\",\"default\":95.5},"
		"\"status\":{\"type\":\"string\",\"description\":\"User status\","
		"\"enum\":[\"active\",\"inactive\",\"pending\"],\"default\":\"active\"},"
		"\"verified\":{\"type\":\"boolean\",\"description\":\"Verification status\","
		"\"default\":true}},\"required\":[]}";

	(void)input;
	return elicit(c, AG_S("Please review and update the form fields with defaults"), schema,
	              "Elicitation completed: ", ret, err);
}

ag_status ag_mcp_fixture_enums(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	static const char schema[] =
		"{\"type\":\"object\",\"properties\":{"
		"\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
		"\"titledSingle\":{\"type\":\"string\",\"oneOf\":["
		"{\"const\":\"value1\",\"title\":\"First Option\"},"
		"{\"const\":\"value2\",\"title\":\"Second Option\"},"
		"{\"const\":\"value3\",\"title\":\"Third Option\"}]},"
		"\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
		"\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
		"\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
		"\"enum\":[\"option1\",\"option2\",\"option3\"]}},"
		"\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":["
		"{\"const\":\"value1\",\"title\":\"First Choice\"},"
		"{\"const\":\"value2\",\"title\":\"Second Choice\"},"
		"{\"const\":\"value3\",\"title\":\"Third Choice\"}]}}},\"required\":[]}";

	(void)input;
	return elicit(c, AG_S("Please select options from the enum fields"), schema,
	              "Elicitation completed: ", ret, err);
}
