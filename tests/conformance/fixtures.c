/* fixtures -- tools of the conformance suite: fixed texts, an error, a log, progress. */
#include "fixtures.h"

#include <time.h>

void ag_mcp_fixture_text(ag_jw *w, ag_str text)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("text"));
	ag_jw_kstr(w, "text", text);
	ag_jw_obj_end(w);
}

void ag_mcp_fixture_data(ag_jw *w, const char *kind, const char *data, const char *mime)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", ag_str_c(kind));
	ag_jw_kstr(w, "data", ag_str_c(data));
	ag_jw_kstr(w, "mimeType", ag_str_c(mime));
	ag_jw_obj_end(w);
}

void ag_mcp_fixture_resource(ag_jw *w, ag_str uri, const char *mime, ag_str text)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", AG_S("resource"));
	ag_jw_kkey(w, "resource");
	ag_jw_obj(w);
	ag_jw_kstr(w, "uri", uri);
	ag_jw_kstr(w, "mimeType", ag_str_c(mime));
	ag_jw_kstr(w, "text", text);
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

static void begin(ag_tool_output *ret, ag_jw *w)
{
	ag_jw_init(w, &ret->content, 0);
	ag_jw_arr(w);
}

void ag_mcp_fixture_say(ag_tool_output *ret, ag_str text)
{
	ag_jw w;

	begin(ret, &w);
	ag_mcp_fixture_text(&w, text);
	ag_jw_arr_end(&w);
}

/* Ends early when the call is cancelled. */
static ag_status nap(const ag_call *c, int64_t ms, ag_err *err)
{
	const int64_t until = ag_clock_mono(c->ctx.clock) + ms;
	const struct timespec slice = { .tv_nsec = 5000000 };

	while (ag_clock_mono(c->ctx.clock) < until) {
		const ag_status st = ag_ctx_check(&c->ctx, err);

		if (st)
			return st;
		nanosleep(&slice, NULL);
	}
	return AG_OK;
}

static ag_status simple_text(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)c, (void)input, (void)err;
	ag_mcp_fixture_say(ret, AG_S("This is a simple text response for testing."));
	return AG_OK;
}

static ag_status image(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_jw w;

	(void)c, (void)input, (void)err;
	begin(ret, &w);
	ag_mcp_fixture_data(&w, "image", AG_MCP_FIXTURE_PNG, "image/png");
	ag_jw_arr_end(&w);
	return AG_OK;
}

static ag_status audio(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_jw w;

	(void)c, (void)input, (void)err;
	begin(ret, &w);
	ag_mcp_fixture_data(&w, "audio", AG_MCP_FIXTURE_WAV, "audio/wav");
	ag_jw_arr_end(&w);
	return AG_OK;
}

static ag_status embedded(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_jw w;

	(void)c, (void)input, (void)err;
	begin(ret, &w);
	ag_mcp_fixture_resource(&w, AG_S("test://embedded-resource"), "text/plain",
	                        AG_S("This is an embedded resource content."));
	ag_jw_arr_end(&w);
	return AG_OK;
}

static ag_status mixed(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_jw w;

	(void)c, (void)input, (void)err;
	begin(ret, &w);
	ag_mcp_fixture_text(&w, AG_S("Multiple content types test:"));
	ag_mcp_fixture_data(&w, "image", AG_MCP_FIXTURE_PNG, "image/png");
	ag_mcp_fixture_resource(&w, AG_S("test://mixed-content-resource"), "application/json",
	                        AG_S("{\"test\":\"data\",\"value\":123}"));
	ag_jw_arr_end(&w);
	return AG_OK;
}

static ag_status logging(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	static const char *const lines[] = { "\"Tool execution started\"",
		                             "\"Tool processing data\"",
		                             "\"Tool execution completed\"" };
	ag_status st = AG_OK;

	(void)input;
	for (size_t i = 0; i < AG_NELEM(lines) && !st; i++) {
		if (i)
			st = nap(c, 50, err);
		ag_call_log(c, "info", "fixtures", ag_str_c(lines[i]));
	}
	ag_mcp_fixture_say(ret, AG_S("Tool with logging executed successfully"));
	return st;
}

static ag_status failing(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)c, (void)input, (void)err;
	ag_mcp_fixture_say(ret, AG_S("This tool intentionally returns an error for testing"));
	ret->is_error = true;
	return AG_OK;
}

static ag_status progress(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	ag_status st = AG_OK;

	(void)input;
	for (int done = 0; done <= 100 && !st; done += 50) {
		if (done)
			st = nap(c, 50, err);
		ag_call_progress(c, done, 100, AG_S("fixture"));
	}
	ag_mcp_fixture_say(ret, AG_S("Tool with progress executed successfully"));
	return st;
}

static ag_status reconnection(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	const ag_mcp_peer *peer = ag_mcp_call_of(c)->peer;
	ag_status st;

	(void)input;
	if (peer->let_go && !peer->let_go(peer->self))
		return ag_fail(err, AG_UNAVAILABLE, "mcp.fixtures",
		               "the connection cannot be let go");
	st = nap(c, 100, err);
	ag_mcp_fixture_say(ret, AG_S("Reconnection test completed"));
	return st;
}

static ag_status echo(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)c, (void)err;
	ag_mcp_fixture_say(ret, ag_val_member_str(input, "name"));
	return AG_OK;
}

static ag_status touch(ag_call *c, const ag_val *input, ag_tool_output *ret, ag_err *err)
{
	(void)input, (void)err;
	ag_mcp_resource_updated(ag_mcp_call_of(c)->server, AG_S("test://watched-resource"));
	ag_mcp_fixture_say(ret, AG_S("test://watched-resource has changed"));
	return AG_OK;
}

/* Keywords that a server must pass on as they are. */
static const char schema_2020_12[] =
	"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\","
	"\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{"
	"\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"
	"\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"},"
	"\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"
	"\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"
	"\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"
	"\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"
	"\"required\":[\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},"
	"\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}";

static const ag_param sampling_params[] = {
	{ .name = "prompt",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "What the model is asked" },
};

static const ag_param elicitation_params[] = {
	{ .name = "message",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "What the user reads" },
};

#define PLAIN(tool_name, what, fn)                                                                \
	{                                                                                         \
		.name = (tool_name), .help = (what), .flags = AG_TOOL_READS | AG_TOOL_IDEMPOTENT, \
		.run = (fn)                                                                       \
	}
#define LONG(tool_name, what, fn, list, n)                                            \
	{                                                                             \
		.name = (tool_name), .help = (what), .params = (list), .nparam = (n), \
		.flags = AG_TOOL_READS | AG_TOOL_LONG, .run = (fn)                    \
	}
#define INPUT(what, fn) PLAIN("test_input_required_result_" what, "Asks by its result: " what, fn)

/* clang-format off */
const ag_tool ag_mcp_fixture_tools[] = {
	PLAIN("test_simple_text", "A text", simple_text),
	PLAIN("test_image_content", "An image", image),
	PLAIN("test_audio_content", "A sound", audio),
	PLAIN("test_embedded_resource", "A resource within the result", embedded),
	PLAIN("test_multiple_content_types", "Text, image and resource", mixed),
	LONG("test_tool_with_logging", "Logs three lines", logging, NULL, 0),
	PLAIN("test_logging_tool", "Logs three lines", logging),
	PLAIN("test_error_handling", "Always fails", failing),
	LONG("test_tool_with_progress", "Reports progress", progress, NULL, 0),
	LONG("test_sampling", "Asks the client's model", ag_mcp_fixture_sampling, sampling_params, 1),
	LONG("test_elicitation", "Asks the user", ag_mcp_fixture_elicitation, elicitation_params, 1),
	LONG("test_elicitation_sep1034_defaults", "Asks with defaults", ag_mcp_fixture_defaults, NULL, 0),
	LONG("test_elicitation_sep1330_enums", "Asks with choices", ag_mcp_fixture_enums, NULL, 0),
	LONG("test_streaming_elicitation", "Asks the user", ag_mcp_fixture_streaming, NULL, 0),
	LONG("test_reconnection", "Lets its connection go", reconnection, NULL, 0),
	PLAIN("test_missing_capability", "Needs sampling", ag_mcp_fixture_missing),
	PLAIN("test_trigger_resource_change", "Changes test://watched-resource", touch),
	{ .name = "json_schema_2020_12_tool", .help = "Tool with JSON Schema 2020-12 features",
	  .input_schema = schema_2020_12, .flags = AG_TOOL_READS, .run = echo },
	INPUT("elicitation", ag_mcp_fixture_want_name),
	INPUT("sampling", ag_mcp_fixture_want_sample),
	INPUT("list_roots", ag_mcp_fixture_want_roots),
	INPUT("request_state", ag_mcp_fixture_want_state),
	INPUT("multiple_inputs", ag_mcp_fixture_want_many),
	INPUT("multi_round", ag_mcp_fixture_want_rounds),
	INPUT("tampered_state", ag_mcp_fixture_want_confirm),
	INPUT("capabilities", ag_mcp_fixture_want_possible),
};
/* clang-format on */
const size_t ag_mcp_fixture_ntool = AG_NELEM(ag_mcp_fixture_tools);
