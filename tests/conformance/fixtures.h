/* fixtures -- the tools, resources and prompts that the conformance suite calls by name. mcp_conformance.c serves them;
 * unit tests and the fuzzer mount them as well. */
#ifndef AG_TESTS_CONFORMANCE_FIXTURES_H
#define AG_TESTS_CONFORMANCE_FIXTURES_H

#include "mcp/parts.h"

#define AG_MCP_FIXTURE_PNG                                                             \
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FD" \
	"AAAAAElFTkSuQmCC" /* one red point */
#define AG_MCP_FIXTURE_WAV \
	"UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==" /* 1 ms of silence */

extern const ag_tool ag_mcp_fixture_tools[];
extern const size_t ag_mcp_fixture_ntool;
ag_mcp_provider ag_mcp_fixture_provider(void);

/* --- shared by their files --- */

/* One block of text as the whole content. */
void ag_mcp_fixture_say(ag_tool_output *ret, ag_str text);
void ag_mcp_fixture_text(ag_jw *w, ag_str text);
/* {"type": kind, "data", "mimeType"} */
void ag_mcp_fixture_data(ag_jw *w, const char *kind, const char *data, const char *mime);
/* {"type":"resource","resource":{"uri","mimeType","text"}} */
void ag_mcp_fixture_resource(ag_jw *w, ag_str uri, const char *mime, ag_str text);

typedef ag_status ag_mcp_fixture_fn(ag_call *c, const ag_val *input, ag_tool_output *ret,
                                    ag_err *err);

/* --- fixtures_ask.c: tools that ask the client --- */

ag_mcp_fixture_fn ag_mcp_fixture_sampling, ag_mcp_fixture_elicitation, ag_mcp_fixture_defaults,
	ag_mcp_fixture_enums, ag_mcp_fixture_missing, ag_mcp_fixture_streaming;

/* --- fixtures_input.c: tools that ask by their result, since 2026-07-28 --- */

ag_mcp_fixture_fn ag_mcp_fixture_want_name, ag_mcp_fixture_want_sample, ag_mcp_fixture_want_roots,
	ag_mcp_fixture_want_state, ag_mcp_fixture_want_many, ag_mcp_fixture_want_rounds,
	ag_mcp_fixture_want_confirm, ag_mcp_fixture_want_possible;
/* The prompt that asks before it is given. */
ag_status ag_mcp_fixture_prompt_input(ag_call *c, ag_buf *ret, ag_err *err);

#endif
