/* The reading of headers. Fuzzed by tests/fuzz/fuzz_mcp_headers.c. */
#include "server/mcp_headers.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/base64.h"

#define SHOWN 128 /* characters of a value in a message */

/* "a/b" out of "a/b;q=0.5", with the weight: false when it is 0. */
static bool read_range(ag_str text, ag_str *ret)
{
	ag_str params = text;

	*ret = ag_str_trim(ag_str_split(&params, ';'));
	while (params.ptr) {
		ag_str one = ag_str_trim(ag_str_split(&params, ';'));
		double q;

		if (one.len > 2 && (one.ptr[0] == 'q' || one.ptr[0] == 'Q') && one.ptr[1] == '=' &&
		    ag_str_to_double(ag_str_make(one.ptr + 2, one.len - 2), &q) && q <= 0)
			return false;
	}
	return true;
}

static bool is_in_range(ag_str type, ag_str range)
{
	ptrdiff_t slash = ag_str_find(type, '/');

	if (ag_str_ieq(range, type) || ag_str_eq(range, AG_S("*/*")))
		return true;
	return slash >= 0 && range.len == (size_t)slash + 2 && range.ptr[slash + 1] == '*' &&
	       ag_str_ieq(ag_str_make(range.ptr, (size_t)slash + 1),
	                  ag_str_make(type.ptr, (size_t)slash + 1));
}

bool ag_mcp_accepts(ag_str accept, ag_str type)
{
	while (accept.ptr) {
		ag_str range;

		if (read_range(ag_str_split(&accept, ','), &range) && is_in_range(type, range))
			return true;
	}
	return false;
}

bool ag_mcp_is_json(ag_str content_type)
{
	return ag_str_ieq(ag_str_trim(ag_str_split(&content_type, ';')), AG_S("application/json"));
}

bool ag_mcp_bearer(ag_str authorization, ag_str *ret)
{
	ag_str scheme = ag_str_split(&authorization, ' ');
	ag_str token = ag_str_trim(authorization);

	if (!ag_str_ieq(scheme, AG_S("Bearer")) || token.len == 0)
		return false;
	for (size_t i = 0; i < token.len; i++)
		if (token.ptr[i] <= ' ' || token.ptr[i] >= 0x7f || token.ptr[i] == ',')
			return false;
	*ret = token;
	return true;
}

/* base64 of the plain alphabet, with all its padding: that of the sentinel. */
static bool decode(ag_str text, ag_arena *arena, ag_str *ret)
{
	ag_buf out = AG_BUF_INIT(text.len + 1);
	char *url = (char *)ag_arena_alloc(arena, text.len + 1);
	bool ok = text.len % 4 == 0;

	for (size_t i = 0; i < text.len && ok; i++) {
		const char c = text.ptr[i];

		ok = c != '-' && c != '_';
		url[i] = c == '+' ? '-' : c == '/' ? '_' : c;
	}
	ok = ok && ag_base64url_read(ag_str_make(url, text.len), &out) && !out.failed;
	if (ok)
		*ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ok;
}

bool ag_mcp_mirrored(ag_str value, ag_arena *arena, ag_str *ret)
{
	static const ag_str begin = AG_S_INIT("=?base64?"), end = AG_S_INIT("?=");

	for (size_t i = 0; i < value.len; i++)
		if ((value.ptr[i] < ' ' && value.ptr[i] != '\t') || value.ptr[i] >= 0x7f)
			return false;
	*ret = value;
	if (value.len < begin.len + end.len || !ag_str_starts(value, begin) ||
	    !ag_str_ends(value, end))
		return true;
	return decode(ag_str_make(value.ptr + begin.len, value.len - begin.len - end.len), arena,
	              ret);
}

static const char *differs(ag_arena *arena, const char *header, ag_str value, ag_str body)
{
	if (!value.len)
		return ag_str_printf(arena, "Header mismatch: %s is missing, the body has '%.*s'",
		                     header, (int)(body.len < SHOWN ? body.len : SHOWN), body.ptr)
		        .ptr;
	return ag_str_printf(
		       arena,
		       "Header mismatch: %s header value '%.*s' does not match body value '%.*s'",
		       header, (int)(value.len < SHOWN ? value.len : SHOWN), value.ptr,
		       (int)(body.len < SHOWN ? body.len : SHOWN), body.ptr)
	        .ptr;
}

static bool has_name(ag_str method)
{
	return ag_str_eq(method, AG_S("tools/call")) || ag_str_eq(method, AG_S("resources/read")) ||
	       ag_str_eq(method, AG_S("prompts/get"));
}

const char *ag_mcp_header_mismatch(const ag_mcp_glance *g, ag_str version, ag_str method,
                                   ag_str name, ag_arena *arena)
{
	ag_str meant;

	/* What no revision has a rule for: headers of notifications without a revision. */
	if (g->kind != AG_RPC_REQUEST && !g->revision.len)
		return method.len && !ag_str_eq(method, g->method)
		               ? differs(arena, "Mcp-Method", method, g->method)
		               : NULL;
	if (!ag_str_eq(version, g->revision))
		return differs(arena, "MCP-Protocol-Version", version, g->revision);
	if (!ag_str_eq(method, g->method))
		return differs(arena, "Mcp-Method", method, g->method);
	if (!has_name(g->method) || (!name.len && !g->name.len))
		return NULL;
	if (!ag_mcp_mirrored(name, arena, &meant))
		return "Header mismatch: Mcp-Name has characters that a header may not have, or "
		       "base64 that is none";
	return ag_str_eq(meant, g->name) ? NULL : differs(arena, "Mcp-Name", meant, g->name);
}

ag_str ag_mcp_event_id(uint64_t stream, uint64_t place, char ret[AG_MCP_EVENT_CHARS])
{
	int n = snprintf(ret, AG_MCP_EVENT_CHARS, "%" PRIu64 "-%" PRIu64, stream, place);

	return ag_str_make(ret, (size_t)n);
}

bool ag_mcp_event_read(ag_str id, uint64_t *ret_stream, uint64_t *ret_place)
{
	ag_str rest = id, stream = ag_str_split(&rest, '-');

	return rest.ptr && ag_str_to_u64(stream, ret_stream) && ag_str_to_u64(rest, ret_place);
}
