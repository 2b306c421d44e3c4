/* wire_error -- what an error answer says, and what to do about it.
 *
 * Each server has its own home for the message and its own words for the kind. So: collect everything that names the
 * kind (type, code, status) and the message, and look for known words, the clearest first. What stays unknown is taken
 * for a passing fault when it came inside a 200, because such errors happen while the model is at work.
 *
 * A server may quote the key that it refused: clean() replaces what looks like one. */
#include <stdio.h>

#include "llm/wire_read.h"
#include "query/extjson.h"

#define MAX_MESSAGE_BYTES 300

/* --- where the message is --- */

static bool is_text(const ag_val *v)
{
	return v && v->type == AG_T_STRING && v->n;
}

/* FastAPI: {"detail":[{"loc":["body","model"],"msg":"field required"}]} and {"detail":"…"} */
static ag_str message_of(const ag_val *v, unsigned depth)
{
	static const char *const keys[] = { "message", "msg",           "detail", "error",
		                            "errors",  "error_message", "reason", "title" };
	ag_str s = AG_S("");

	if (!v || depth > 4)
		return s;
	if (v->type == AG_T_STRING)
		return ag_val_text(v);
	if (v->type == AG_T_ARRAY)
		return v->n ? message_of(&v->u.items[0], depth + 1) : s;
	for (size_t i = 0; i < AG_NELEM(keys) && v->type == AG_T_OBJECT && !s.len; i++)
		s = message_of(ag_val_getc(v, keys[i]), depth + 1);
	return s;
}

/* The object that describes the error: usually "error". Gemini's compatible address puts it into an array. */
static const ag_val *error_object(const ag_val *v)
{
	const ag_val *e;

	if (v->type == AG_T_ARRAY && v->n)
		v = &v->u.items[0];
	e = ag_wire_obj(v, "error");
	return e ? e : v;
}

/* The top-level error comes first: {"error":{"message":…},"message":…}. */
static ag_str error_message(const ag_val *v)
{
	const ag_val *e = error_object(v);
	ag_str s = message_of(e, 0), raw;

	/* OpenRouter says only "Provider returned error"; what the provider said is beside it. */
	raw = ag_wire_str(ag_wire_obj(e, "metadata"), "raw");
	if (raw.len && ag_str_contains(s, AG_S("Provider returned error")))
		s = raw;
	return s;
}

bool ag_wire_is_error(const ag_val *v)
{
	const ag_val *e;
	ag_str kind;

	if (v->type == AG_T_ARRAY)
		return v->n && ag_wire_obj(&v->u.items[0], "error");
	if (v->type != AG_T_OBJECT)
		return false;
	e = ag_val_getc(v, "error");
	if (e && (is_text(e) || (e->type == AG_T_OBJECT && e->n)))
		return true;
	kind = ag_wire_str(v, "type");
	if (ag_str_eqc(kind, "error") || ag_str_eqc(ag_wire_str(v, "object"), "error"))
		return true;
	if (ag_val_getc(v, "choices") || ag_val_getc(v, "content") || kind.len)
		return false;
	e = ag_val_getc(v, "detail");
	return is_text(e) || (e && e->type == AG_T_ARRAY && e->n) ||
	       is_text(ag_val_getc(v, "message")) || ag_wire_arr(v, "errors");
}

/* --- cleaning --- */

static bool is_key_char(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '-' ||
	       c == '_' || c == '.' || c == '*';
}

/* Beginnings of the keys in use, and the word before one in a header. */
static bool is_key(ag_str word, ag_str before)
{
	static const char *const begins[] = { "sk-",  "sk_", "AIza", "gsk_",
		                              "xai-", "hf_", "pk-",  "AQ." };

	if (word.len >= 8 && ag_str_ieq(before, AG_S("bearer")))
		return true;
	for (size_t i = 0; i < AG_NELEM(begins); i++) {
		if (word.len >= 8 && ag_str_starts(word, ag_str_c(begins[i])))
			return true;
	}
	/* Long runs of letters and digits are no words of a message. */
	return word.len >= 40;
}

ag_str ag_wire_clean(ag_str text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(2 * MAX_MESSAGE_BYTES + 64);
	ag_str before = AG_S(""), ret;
	bool space = false;

	for (size_t i = 0; i < text.len && out.len <= MAX_MESSAGE_BYTES;) {
		size_t end = i;
		ag_str word;

		while (end < text.len && is_key_char(text.ptr[end]))
			end++;
		word = ag_str_make(text.ptr + i, end - i);
		if (word.len) {
			ag_buf_adds(&out, space && out.len ? " " : "");
			ag_buf_add(&out, is_key(word, before) ? AG_S("[key]") : word);
			before = word;
			space = false;
			i = end;
		} else if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 0x7f) {
			space = true;
			i++;
		} else {
			ag_buf_adds(&out, space && out.len ? " " : "");
			ag_buf_addc(&out, text.ptr[i++]);
			space = false;
		}
	}
	ret = ag_buf_dup(arena, &out);
	if (ret.len > MAX_MESSAGE_BYTES)
		ret.len = MAX_MESSAGE_BYTES;
	/* Not in the middle of a character. */
	while (ret.len && ret.len < out.len && ((unsigned char)out.ptr[ret.len] & 0xc0) == 0x80)
		ret.len--;
	ag_buf_release(&out);
	return ag_str_dup(arena, ret);
}

/* --- what kind --- */

typedef struct kind {
	const char *word; /* lower case, in type, code, status or message */
	ag_status status;
	const char *hint;
} kind;

#define TOO_LONG "the request is larger than the model can read: take a model with a larger context"
#define NO_MONEY "the account has no credit left, or its limit is reached"
#define BAD_KEY  "check the key of this model"

/* The first hit counts: what is certain and must not be taken for something else comes first. */
static const kind kinds[] = {
	{ "context_length", AG_INVALID, TOO_LONG },
	{ "context length", AG_INVALID, TOO_LONG },
	{ "context window", AG_INVALID, TOO_LONG },
	{ "context size", AG_INVALID, TOO_LONG },
	{ "context limit", AG_INVALID, TOO_LONG },
	{ "context_size", AG_INVALID, TOO_LONG },
	{ "prompt is too long", AG_INVALID, TOO_LONG },
	{ "input is too long", AG_INVALID, TOO_LONG },
	{ "maximum input length", AG_INVALID, TOO_LONG },
	{ "insufficient_quota", AG_DENIED, NO_MONEY },
	{ "insufficient credit", AG_DENIED, NO_MONEY },
	{ "insufficient balance", AG_DENIED, NO_MONEY },
	{ "credit balance is too low", AG_DENIED, NO_MONEY },
	{ "billing_error", AG_DENIED, NO_MONEY },
	{ "billing_hard_limit", AG_DENIED, NO_MONEY },
	{ "overloaded", AG_UNAVAILABLE, "" },
	{ "rate_limit", AG_UNAVAILABLE, "" },
	{ "rate limit", AG_UNAVAILABLE, "" },
	{ "too_many_requests", AG_UNAVAILABLE, "" },
	{ "too many requests", AG_UNAVAILABLE, "" },
	{ "resource_exhausted", AG_UNAVAILABLE, "" },
	{ "authentication", AG_DENIED, BAD_KEY },
	{ "unauthorized", AG_DENIED, BAD_KEY },
	{ "unauthenticated", AG_DENIED, BAD_KEY },
	{ "invalid_api_key", AG_DENIED, BAD_KEY },
	{ "invalid api key", AG_DENIED, BAD_KEY },
	{ "incorrect api key", AG_DENIED, BAD_KEY },
	{ "not authenticated", AG_DENIED, BAD_KEY },
	{ "permission", AG_DENIED, BAD_KEY },
	{ "forbidden", AG_DENIED, BAD_KEY },
	{ "model_not_found", AG_NOT_FOUND, "" },
	{ "not_found", AG_NOT_FOUND, "" },
	{ "notfounderror", AG_NOT_FOUND, "" },
	{ "invalid_request", AG_INVALID, "" },
	{ "invalid_argument", AG_INVALID, "" },
	{ "badrequest", AG_INVALID, "" },
	{ "bad_request", AG_INVALID, "" },
	{ "request_too_large", AG_INVALID, "" },
	{ "unsupported", AG_INVALID, "" },
	{ "content_policy", AG_INVALID, "" },
	{ "content_filter", AG_INVALID, "" },
	{ "server_error", AG_UNAVAILABLE, "" },
	{ "api_error", AG_UNAVAILABLE, "" },
	{ "internal", AG_UNAVAILABLE, "" },
	{ "unavailable", AG_UNAVAILABLE, "" },
	{ "timeout", AG_UNAVAILABLE, "" },
	{ "timed out", AG_UNAVAILABLE, "" },
	{ "deadline", AG_UNAVAILABLE, "" },
	{ "not found", AG_NOT_FOUND, "" },
	{ "field required", AG_INVALID, "" },
};

static const kind *find_kind(const char *words)
{
	for (size_t i = 0; i < AG_NELEM(kinds); i++) {
		if (strstr(words, kinds[i].word))
			return &kinds[i];
	}
	return NULL;
}

static ag_status of_http(int code)
{
	if (code == 401 || code == 402 || code == 403)
		return AG_DENIED;
	if (code == 404)
		return AG_NOT_FOUND;
	if (code == 408 || code == 409 || code == 425 || code == 429 || code >= 500)
		return AG_UNAVAILABLE;
	return AG_INVALID;
}

/* A number in "code" or "status" that is an HTTP status, else 0. */
static int http_code(const ag_val *e)
{
	static const char *const keys[] = { "code", "status", "status_code" };

	for (size_t i = 0; i < AG_NELEM(keys); i++) {
		uint64_t n = ag_wire_count(e, &keys[i], 1, NULL);

		if (n >= 400 && n <= 599)
			return (int)n;
	}
	return 0;
}

/* Everything that may name the kind, in lower case. */
static void collect_words(const ag_val *e, ag_str message, ag_buf *out)
{
	static const char *const keys[] = { "type", "code", "status", "error", "object" };

	for (size_t i = 0; i < AG_NELEM(keys); i++) {
		ag_buf_add(out, ag_wire_str(e, keys[i]));
		ag_buf_addc(out, ' ');
	}
	ag_buf_add(out, ag_str_make(message.ptr, message.len < 2000 ? message.len : 2000));
	for (size_t i = 0; i < out->len; i++) {
		if (out->ptr[i] >= 'A' && out->ptr[i] <= 'Z')
			out->ptr[i] = (char)(out->ptr[i] + 32);
		else if (!out->ptr[i])
			out->ptr[i] = ' ';
	}
}

ag_status ag_wire_fail_val(const char *origin, const ag_val *v, int http_status, ag_err *err)
{
	ag_arena *arena = ag_arena_new();
	const ag_val *e = error_object(v);
	ag_buf words = AG_BUF_INIT(16384);
	ag_str text = ag_wire_clean(error_message(v), arena), type = ag_wire_str(e, "type");
	int code = http_code(e);
	const kind *k;
	ag_status st;

	if (!text.len)
		text = ag_wire_clean(type.len ? type : AG_S("an error without a message"), arena);
	collect_words(e, error_message(v), &words);
	k = words.ptr ? find_kind(words.ptr) : NULL;
	if (!code)
		code = http_status;
	st = code ? of_http(code) : AG_UNAVAILABLE;
	/* What the words say is finer than the number; but a number that is worth another attempt stays so unless a
	 * hint tells why it is not, and a word like "timeout" in a 400 is the name of a parameter. */
	if (k && (!code || k->hint[0] || (st == AG_INVALID && k->status != AG_UNAVAILABLE)))
		st = k->status;
	st = ag_fail(err, st, origin, "the server says: %.*s", AG_FMT(text));
	if (err && code >= 400)
		err->native = code;
	if (k && k->hint[0] && k->status == st)
		ag_err_hint(err, "%s", k->hint);
	ag_buf_release(&words);
	ag_arena_free(arena);
	return st;
}

/* --- from bytes --- */

static bool parse(ag_str body, ag_arena *arena, ag_val *ret)
{
	const ag_extjson_opts opts = { .repair_utf8 = true, .max_values = AG_WIRE_MAX_VALUES };

	return !ag_extjson_parse(ag_str_trim(body), &opts, arena, ret, NULL, NULL, NULL) &&
	       (ret->type == AG_T_OBJECT || ret->type == AG_T_ARRAY || ret->type == AG_T_STRING);
}

/* Between <title> and its end: error pages of proxies say there what is wrong. */
static ag_str page_title(ag_str body)
{
	const char *p = memmem(body.ptr, body.len, "<title>", 7), *end;

	if (!p)
		return AG_S("an HTML page");
	p += 7;
	end = memchr(p, '<', body.len - (size_t)(p - body.ptr));
	return end ? ag_str_make(p, (size_t)(end - p)) : AG_S("an HTML page");
}

ag_str ag_wire_error_text(ag_str body, ag_arena *arena)
{
	ag_val v = ag_val_missing();

	body = ag_str_trim(body);
	if (!body.len)
		return AG_S("");
	if (parse(body, arena, &v))
		return ag_wire_clean(error_message(&v), arena);
	return ag_wire_clean(body.ptr[0] == '<' ? page_title(body) : body, arena);
}

ag_status ag_wire_fail(const char *origin, ag_str body, int http_status, ag_err *err)
{
	ag_arena *arena = ag_arena_new();
	ag_val v = ag_val_missing();
	ag_status st;

	if (!parse(ag_str_trim(body), arena, &v))
		v = ag_val_str(ag_wire_error_text(body, arena));
	st = ag_wire_fail_val(origin, &v, http_status, err);
	ag_arena_free(arena);
	return st;
}
