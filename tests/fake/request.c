/* From bytes to wishes: which call it is, for which model, streamed or not, which tool is forced. A request that a real
 * server would refuse is refused here as well (check.c), so that a test fails where production would.
 *
 * The key itself is never kept, only its hash. Read fm_request_read() first. */
#include "request.h"

#include <stdio.h>

#include <xxhash.h>

#include "query/extjson.h"

static void note_key(const fm_http *h, fm_request *r)
{
	ag_str key = h->key;
	size_t i;

	if (!h->key_header.len)
		return;
	if (key.len > 7 && ag_str_ieq(ag_str_make(key.ptr, 7), AG_S("bearer ")))
		key = ag_str_trim(ag_str_make(key.ptr + 7, key.len - 7));
	snprintf(r->key_hash, sizeof(r->key_hash), "%016llx",
	         (unsigned long long)XXH3_64bits(key.ptr, key.len));
	for (i = 0; i < h->key_header.len && i < sizeof(r->key_header) - 1; i++)
		r->key_header[i] = (char)(h->key_header.ptr[i] | 0x20);
}

static fm_call call_of(ag_str path)
{
	if (ag_str_ends(path, AG_S("/chat/completions")))
		return FM_CALL_CHAT;
	if (ag_str_ends(path, AG_S("/messages")))
		return FM_CALL_MESSAGES;
	if (ag_str_ends(path, AG_S("/models")))
		return FM_CALL_MODELS;
	return ag_str_starts(path, AG_S("/fake/")) ? FM_CALL_CONTROL : FM_CALL_NONE;
}

static bool is_true(const ag_val *v)
{
	return v && v->type == AG_T_BOOL && v->u.b;
}

/* Both protocols can force one tool by name, or any tool where there is only one. */
static ag_str forced_tool(const fm_request *r)
{
	const ag_val *choice = fm_get(&r->json, "tool_choice");
	const ag_val *tools = fm_get(&r->json, "tools");
	bool anthropic = r->call == FM_CALL_MESSAGES;
	ag_str type = ag_val_member_str(choice, "type");
	bool any = choice && choice->type == AG_T_STRING &&
	           ag_str_eqc(ag_val_text(choice), "required");

	if (anthropic && ag_str_eqc(type, "tool"))
		return ag_val_member_str(choice, "name");
	if (!anthropic && ag_str_eqc(type, "function"))
		return ag_val_member_str(fm_get(choice, "function"), "name");
	if (anthropic && ag_str_eqc(type, "any"))
		any = true;
	if (!any || !tools || tools->type != AG_T_ARRAY || tools->n != 1)
		return AG_S("");
	return anthropic ? ag_val_member_str(tools->u.items, "name")
	                 : ag_val_member_str(fm_get(tools->u.items, "function"), "name");
}

static int read_body(const fm_http *h, ag_arena *arena, fm_request *r, char *why, size_t nwhy)
{
	const ag_extjson_opts opts = { .reject_duplicates = true };
	const char *refused;
	ag_err err;

	if (!ag_str_starts(h->content_type, AG_S("application/json"))) {
		snprintf(why, nwhy, "Content-Type must be application/json");
		return 400;
	}
	if (ag_extjson_parse(r->body, &opts, arena, &r->json, NULL, NULL, &err)) {
		snprintf(why, nwhy, "the body is no JSON: %s", err.msg);
		return 400;
	}
	r->model = ag_val_member_str(&r->json, "model");
	r->stream = is_true(fm_get(&r->json, "stream"));
	r->include_usage = is_true(fm_get(fm_get(&r->json, "stream_options"), "include_usage"));
	r->forced_tool = forced_tool(r);
	if (r->call == FM_CALL_MESSAGES && !h->anthropic_version.len) {
		snprintf(why, nwhy, "anthropic-version: header is required");
		return 400;
	}
	refused = r->call == FM_CALL_MESSAGES ? fm_check_anthropic(&r->json, why, nwhy)
	                                      : fm_check_openai(&r->json, why, nwhy);
	return refused ? 400 : 0;
}

int fm_request_read(const fm_http *h, ag_arena *arena, fm_request *r, char *why, size_t nwhy)
{
	bool get = ag_str_eqc(h->method, "GET"), post = ag_str_eqc(h->method, "POST");
	ag_str path = h->target;

	path = ag_str_split(&path, '?');
	r->method = h->method;
	r->path = h->target;
	r->body = h->body;
	r->call = call_of(path);
	r->is_anthropic = r->call == FM_CALL_MESSAGES || h->anthropic_version.len > 0;
	note_key(h, r);
	if (r->call == FM_CALL_NONE) {
		snprintf(why, nwhy, "no such path: %.*s", (int)(path.len < 200 ? path.len : 200),
		         path.ptr);
		return 404;
	}
	if (r->call == FM_CALL_CONTROL)
		return 0;
	if (r->call == FM_CALL_MODELS ? !get : !post) {
		snprintf(why, nwhy, "%.*s is not allowed here",
		         (int)(h->method.len < 20 ? h->method.len : 20), h->method.ptr);
		return 405;
	}
	return r->call == FM_CALL_MODELS ? 0 : read_body(h, arena, r, why, nwhy);
}

static bool in_value(const ag_val *v, ag_str text)
{
	uint32_t i;

	switch (v->type) {
	case AG_T_STRING: return ag_str_contains(ag_val_text(v), text);
	case AG_T_ARRAY:
		for (i = 0; i < v->n; i++)
			if (in_value(&v->u.items[i], text))
				return true;
		return false;
	case AG_T_OBJECT:
		for (i = 0; i < v->n; i++)
			if (in_value(&v->u.members[i].val, text))
				return true;
		return false;
	default: return false;
	}
}

bool fm_request_contains(const fm_request *r, const ag_val *root, ag_str text)
{
	if (root == &r->json && memmem(r->body.ptr, r->body.len, text.ptr, text.len))
		return true;
	return root && in_value(root, text);
}
