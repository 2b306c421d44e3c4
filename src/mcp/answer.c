/* answer -- what goes back to a client: a result in the form of its revision, or an error.
 *
 * Results are written straight into the answer's buffer. An error throws away what stands there. */
#include "base/word.h"
#include "mcp/parts.h"

static void begin(ag_mcp_turn *t)
{
	ag_buf *out = &t->ret->text;

	ag_buf_add(out, AG_S("{\"jsonrpc\":\"2.0\",\"id\":"));
	ag_buf_add(out, t->message->id);
	ag_buf_add(out, AG_S(",\"result\":"));
}

/* A message is one line. In JSON a bare line break is white space between values, so a blank says the same. */
static void join_lines(ag_buf *out)
{
	static const char breaks[] = { '\n', '\r' };

	for (size_t i = 0; i < AG_NELEM(breaks); i++) {
		char *at = out->ptr, *const end = out->ptr + out->len;

		while ((at = memchr(at, breaks[i], (size_t)(end - at))))
			*at++ = ' ';
	}
}

static void end(ag_mcp_turn *t)
{
	ag_buf *out = &t->ret->text;

	ag_buf_addc(out, '}');
	join_lines(out);
	t->ret->outcome = AG_MCP_ANSWERED;
	if (!out->failed)
		return;
	/* Told in the place of the result, else the client would wait for ever. */
	ag_mcp_error(t, AG_RPC_INTERNAL_ERROR, AG_S(""), "the result is larger than %u bytes",
	             AG_MCP_MAX_ANSWER);
}

/* High bit of each byte that is c. Exact: nothing is carried from byte to byte. */
static uint64_t marks_of(uint64_t x, char c)
{
	const uint64_t lows = ~AG_WORD_HIGHS, diff = x ^ (AG_WORD_ONES * (unsigned char)c);

	return ~(((diff & lows) + lows) | diff | lows);
}

/* Not zero: there is a control character. */
static uint64_t controls(uint64_t x)
{
	return (x - AG_WORD_ONES * ' ') & ~x & AG_WORD_HIGHS;
}

/* A word to `to`, with a back slash before each byte that has a mark: what stands behind one is written again, further on.
 * Little endian. */
static char *quote_word(char *to, uint64_t x, uint64_t marks)
{
	memcpy(to, &x, sizeof(x));
	for (; marks; marks &= marks - 1) {
		const unsigned n = (unsigned)__builtin_ctzll(marks) / 8;
		const uint64_t rest = x >> (8 * n);

		to[n] = '\\';
		to++;
		memcpy(to + n, &rest, sizeof(rest));
	}
	return to + sizeof(x);
}

static void quote_byte(char **to, char c)
{
	if (c == '"' || c == '\\')
		*(*to)++ = '\\';
	*(*to)++ = c;
}

/* False: there is something in it that takes the slow road. Room for two bytes each is there, and eight more. */
static bool quote_fast(char **to, const char *p, const char *end)
{
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return false;
	for (; end - p >= 8; p += 8) {
		const uint64_t x = ag_word_at(p);

		if (!ag_word_not_plain(x)) {
			memcpy(*to, &x, sizeof(x));
			*to += sizeof(x);
			continue;
		}
		if (controls(x))
			return false;
		*to = quote_word(*to, x, marks_of(x, '"') | marks_of(x, '\\'));
	}
	for (; p < end; p++) {
		if ((unsigned char)*p < 0x20)
			return false;
		quote_byte(to, *p);
	}
	return true;
}

void ag_mcp_quote_json(ag_buf *out, ag_str json)
{
	const size_t from = out->len;
	char *to = ag_buf_room(out, 2 * json.len + 10);
	char *at = to;

	if (!to)
		return;
	*at++ = '"';
	if (!quote_fast(&at, json.ptr, json.ptr + json.len)) {
		out->len = from;
		ag_json_quote(out, json);
		return;
	}
	*at++ = '"';
	*at = '\0';
	out->len += (size_t)(at - to);
}

void ag_mcp_result_begin(ag_mcp_turn *t, ag_jw *w)
{
	begin(t);
	ag_jw_init(w, &t->ret->text, 0);
	ag_jw_obj(w);
	if (!t->is_stateless)
		return;
	ag_jw_kstr(w, "resultType", t->wants_input ? AG_S("input_required") : AG_S("complete"));
	ag_jw_kraw(w, "_meta", t->server->result_meta);
}

void ag_mcp_result_end(ag_mcp_turn *t, ag_jw *w)
{
	ag_jw_obj_end(w);
	end(t);
}

void ag_mcp_result_object(ag_mcp_turn *t, ag_str object)
{
	ag_buf *out = &t->ret->text;
	ag_jw w;

	if (!t->is_stateless) {
		begin(t);
		ag_buf_add(out, object);
		end(t);
		return;
	}
	ag_mcp_result_begin(t, &w);
	if (object.len > 2) {
		ag_buf_addc(out, ',');
		ag_buf_add(out, ag_str_make(object.ptr + 1, object.len - 2));
	}
	ag_mcp_result_end(t, &w);
}

void ag_mcp_result_cache(ag_mcp_turn *t, ag_jw *w, int64_t ttl_ms, bool is_public)
{
	if (!t->is_stateless)
		return;
	ag_jw_kint(w, "ttlMs", ttl_ms);
	ag_jw_kstr(w, "cacheScope", is_public ? AG_S("public") : AG_S("private"));
}

/* Since 2026-07-28 a transport says the kind of an error; before, only of what is not a request. */
static ag_mcp_outcome outcome_of(const ag_mcp_turn *t, int code)
{
	switch (code) {
	case AG_RPC_PARSE_ERROR:
	case AG_RPC_INVALID_REQUEST:
	case AG_MCP_HEADER_MISMATCH:
	case AG_MCP_MISSING_CAPABILITY:
	case AG_MCP_UNSUPPORTED_VERSION: return AG_MCP_BAD_REQUEST;
	case AG_RPC_METHOD_NOT_FOUND:
		return t->is_stateless ? AG_MCP_NOT_A_METHOD : AG_MCP_ANSWERED;
	default: return AG_MCP_ANSWERED;
	}
}

void ag_mcp_error(ag_mcp_turn *t, int code, ag_str data, const char *fmt, ...)
{
	ag_buf words = AG_BUF_INIT(4096);
	va_list ap;

	va_start(ap, fmt);
	ag_buf_vaddf(&words, fmt, ap);
	va_end(ap);
	ag_buf_clear(&t->ret->text);
	ag_rpc_write_error(&t->ret->text, t->message->id, code, ag_buf_view(&words), data);
	t->ret->rpc_error = code;
	t->ret->outcome = outcome_of(t, code);
	ag_buf_release(&words);
}

ag_str ag_mcp_words(ag_arena *arena, const ag_err *err)
{
	return err->hint[0] ? ag_str_printf(arena, "%s; %s", err->msg, err->hint)
	                    : ag_str_dup(arena, ag_str_c(err->msg));
}

void ag_mcp_error_of(ag_mcp_turn *t, const ag_err *err)
{
	ag_mcp_error(t, ag_status_json_rpc(err->status), AG_S(""), "%s%s%s", err->msg,
	             err->hint[0] ? "; " : "", err->hint);
}

void ag_mcp_tool_failed(ag_mcp_turn *t, ag_str words)
{
	ag_jw w;

	ag_buf_clear(&t->ret->text);
	ag_mcp_result_begin(t, &w);
	ag_jw_kkey(&w, "content");
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "type", AG_S("text"));
	ag_jw_kstr(&w, "text", words);
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
	ag_jw_kbool(&w, "isError", true);
	ag_mcp_result_end(t, &w);
}

bool ag_mcp_text_of(ag_mcp_turn *t, const char *key, ag_str *ret)
{
	const ag_val *v = t->params ? ag_val_getc(t->params, key) : NULL;

	if (v && v->type == AG_T_STRING) {
		*ret = ag_val_text(v);
		return true;
	}
	ag_mcp_error(t, AG_RPC_INVALID_PARAMS, AG_S(""), "params.%s: want a string%s", key,
	             v ? "" : ", it is missing");
	return false;
}
