/* Any bytes as the headers that streamable HTTP reads, a line each: Accept, Content-Type, Authorization, Last-Event-ID,
 * MCP-Protocol-Version, Mcp-Method, Mcp-Name; then the message's method, name and revision. */
#include <stdlib.h>

#include "fuzz.h"
#include "server/mcp_headers.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void events(ag_str id)
{
	char text[AG_MCP_EVENT_CHARS];
	uint64_t stream, place, again[2];

	if (!ag_mcp_event_read(id, &stream, &place))
		return;
	check(ag_mcp_event_read(ag_mcp_event_id(stream, place, text), &again[0], &again[1]));
	check(again[0] == stream && again[1] == place);
}

static void mirrored(ag_str value, ag_arena *arena)
{
	ag_str meant;

	if (!ag_mcp_mirrored(value, arena, &meant))
		return;
	check(meant.len <= value.len);
	for (size_t i = 0; i < value.len; i++)
		check((unsigned char)value.ptr[i] < 0x7f);
}

/* Headers that agree say what the body says. */
static void agreement(ag_str version, ag_str method, ag_str name, ag_mcp_glance *g, ag_arena *arena)
{
	const char *wrong = ag_mcp_header_mismatch(g, version, method, name, arena);
	ag_str meant;

	if (wrong) {
		check(wrong[0] && strlen(wrong) < 1024);
		return;
	}
	check(ag_str_eq(version, g->revision) && ag_str_eq(method, g->method));
	if (ag_str_eqc(method, "tools/call") && (name.len || g->name.len))
		check(ag_mcp_mirrored(name, arena, &meant) && ag_str_eq(meant, g->name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str rest = ag_str_make((const char *)data, size), line[10], token;
	ag_arena *arena = ag_arena_new();
	ag_mcp_glance g = { .is_readable = true, .kind = AG_RPC_REQUEST };

	for (size_t i = 0; i < AG_NELEM(line); i++) {
		line[i] = rest.ptr ? ag_str_split(&rest, '\n') : AG_S("");
		if (!line[i].ptr)
			line[i] = AG_S("");
	}
	if (ag_mcp_accepts(line[0], AG_S("application/json")))
		check(ag_str_find(line[0], '/') >= 0);
	if (ag_mcp_is_json(line[1]))
		check(line[1].len >= 16);
	if (ag_mcp_bearer(line[2], &token))
		check(token.len > 0 && token.len + 7 <= line[2].len);
	events(line[3]);
	mirrored(line[6], arena);
	g.method = line[7];
	g.name = line[8];
	g.revision = line[9];
	agreement(line[4], line[5], line[6], &g, arena);
	ag_arena_free(arena);
	return 0;
}
