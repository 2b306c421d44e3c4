/* jsonrpc -- one parse, then the members that JSON-RPC knows are looked at; all others are let through unseen.
 *
 * An id must go back as it came. The reader gives a string without escapes as a view into the text, so its quotes stand
 * around it; any other id is written again. */
#include "rpc/jsonrpc.h"

#include "base/num.h"
#include "query/extjson.h"

#define ORIGIN "rpc.jsonrpc"

static ag_status invalid(int *ret_code, ag_err *err, const char *what)
{
	*ret_code = AG_RPC_INVALID_REQUEST;
	return ag_fail(err, AG_INVALID, ORIGIN, "%s", what);
}

/* false: neither a string nor a whole number, or too long */
static bool id_text(ag_str text, const ag_val *v, ag_arena *arena, ag_str *ret)
{
	ag_buf quoted = AG_BUF_INIT(8 * AG_RPC_MAX_ID);
	char number[AG_NUM_MAX];
	int64_t i;

	if (ag_type_is_number(v->type)) {
		if ((v->type != AG_T_INT32 && v->type != AG_T_INT64) || !ag_val_to_i64(v, &i))
			return false;
		*ret = ag_str_dup(arena, ag_str_make(number, ag_num_i64(number, i)));
		return true;
	}
	if (v->type != AG_T_STRING || v->n > AG_RPC_MAX_ID - 2)
		return false;
	if (v->u.s > text.ptr && v->u.s + v->n < text.ptr + text.len) {
		*ret = ag_str_make(v->u.s - 1, (size_t)v->n + 2);
		return true;
	}
	ag_json_quote(&quoted, ag_val_text(v));
	*ret = ag_buf_dup(arena, &quoted);
	ag_buf_release(&quoted);
	return ret->len <= AG_RPC_MAX_ID;
}

/* What a message consists of, found in one walk over its members. */
typedef struct parts {
	const ag_val *version, *id, *method, *params, *result, *error;
} parts;

static parts take_apart(const ag_val *object)
{
	parts p = { 0 };

	for (uint32_t i = 0; i < object->n; i++) {
		const ag_member *m = &object->u.members[i];

		if (ag_str_eq(m->key, AG_S("method")))
			p.method = &m->val;
		else if (ag_str_eq(m->key, AG_S("params")))
			p.params = &m->val;
		else if (ag_str_eq(m->key, AG_S("id")))
			p.id = &m->val;
		else if (ag_str_eq(m->key, AG_S("jsonrpc")))
			p.version = &m->val;
		else if (ag_str_eq(m->key, AG_S("result")))
			p.result = &m->val;
		else if (ag_str_eq(m->key, AG_S("error")))
			p.error = &m->val;
	}
	return p;
}

static ag_status read_request(const parts *p, ag_rpc_message *ret, int *ret_code, ag_err *err)
{
	if (p->method->type != AG_T_STRING || !p->method->n)
		return invalid(ret_code, err, "method: want a string that is not empty");
	if (p->result || p->error)
		return invalid(ret_code, err,
		               "a message has a method, a result or an error, not two");
	if (p->params && p->params->type != AG_T_OBJECT)
		return invalid(ret_code, err, "params: want an object");
	ret->kind = p->id ? AG_RPC_REQUEST : AG_RPC_NOTIFICATION;
	if (!p->id)
		ret->id = AG_S("");
	ret->method = ag_val_text(p->method);
	if (p->params)
		ret->params = *p->params;
	return AG_OK;
}

static ag_status read_response(const parts *p, ag_rpc_message *ret, int *ret_code, ag_err *err)
{
	int64_t code;

	if (!p->id)
		return invalid(ret_code, err,
		               "id is missing: a result or an error answers a request");
	if (p->result && p->error)
		return invalid(ret_code, err,
		               "a message has a method, a result or an error, not two");
	if (p->error && (p->error->type != AG_T_OBJECT || !ag_val_getc(p->error, "code") ||
	                 !ag_val_to_i64(ag_val_getc(p->error, "code"), &code)))
		return invalid(ret_code, err, "error: want an object with a code and a message");
	if (!p->error && !p->result)
		return invalid(ret_code, err, "want a method, a result or an error");
	ret->kind = p->error ? AG_RPC_ERROR : AG_RPC_RESULT;
	ret->result = p->error ? *p->error : *p->result;
	return AG_OK;
}

static ag_status read_object(ag_str text, const ag_val *object, ag_arena *arena,
                             ag_rpc_message *ret, int *ret_code, ag_err *err)
{
	const parts p = take_apart(object);
	/* Only an error may answer what had no readable id. */
	const bool may_be_null = p.error && p.id && p.id->type == AG_T_NULL;

	if (p.id && !may_be_null && !id_text(text, p.id, arena, &ret->id)) {
		ret->id = AG_S("null");
		return invalid(
			ret_code, err,
			"id: want a string of at most 254 bytes or a whole number of 64 bits");
	}
	if (!p.version || p.version->type != AG_T_STRING ||
	    !ag_str_eq(ag_val_text(p.version), AG_S("2.0")))
		return invalid(ret_code, err, "jsonrpc: want \"2.0\"");
	if (p.method)
		return read_request(&p, ret, ret_code, err);
	if (p.result || p.error)
		return read_response(&p, ret, ret_code, err);
	return invalid(ret_code, err, "method is missing");
}

ag_status ag_rpc_read(ag_str text, ag_arena *arena, ag_rpc_message *ret, int *ret_code, ag_err *err)
{
	static const ag_extjson_opts opts = { .reject_duplicates = true,
		                              .max_depth = AG_RPC_MAX_DEPTH,
		                              .max_values = AG_RPC_MAX_VALUES };
	ag_status st;
	ag_val v;

	*ret = (ag_rpc_message){ .id = AG_S("null") };
	*ret_code = AG_RPC_PARSE_ERROR;
	if (text.len > AG_RPC_MAX_MESSAGE) {
		*ret_code = AG_RPC_INVALID_REQUEST;
		return ag_fail(err, AG_LIMIT, ORIGIN, "a message of more than %u bytes",
		               AG_RPC_MAX_MESSAGE);
	}
	st = ag_extjson_parse(text, &opts, arena, &v, NULL, NULL, err);
	if (st)
		return st;
	if (v.type == AG_T_ARRAY)
		return invalid(ret_code, err, "batches are not served: send one message at a time");
	if (v.type != AG_T_OBJECT)
		return invalid(ret_code, err, "want one JSON object");
	return read_object(text, &v, arena, ret, ret_code, err);
}

static void begin(ag_buf *out, ag_str id)
{
	ag_buf_add(out, AG_S("{\"jsonrpc\":\"2.0\""));
	if (id.len) {
		ag_buf_add(out, AG_S(",\"id\":"));
		ag_buf_add(out, id);
	}
}

static void with_method(ag_buf *out, ag_str id, const char *method, ag_str params)
{
	begin(out, id);
	ag_buf_add(out, AG_S(",\"method\":"));
	ag_json_quote(out, ag_str_c(method));
	if (params.len) {
		ag_buf_add(out, AG_S(",\"params\":"));
		ag_buf_add(out, params);
	}
	ag_buf_addc(out, '}');
}

void ag_rpc_write_request(ag_buf *out, ag_str id, const char *method, ag_str params)
{
	with_method(out, id, method, params);
}

void ag_rpc_write_notification(ag_buf *out, const char *method, ag_str params)
{
	with_method(out, AG_S(""), method, params);
}

void ag_rpc_write_result(ag_buf *out, ag_str id, ag_str result)
{
	begin(out, id);
	ag_buf_add(out, AG_S(",\"result\":"));
	ag_buf_add(out, result);
	ag_buf_addc(out, '}');
}

void ag_rpc_write_error(ag_buf *out, ag_str id, int code, ag_str message, ag_str data)
{
	begin(out, id);
	ag_buf_addf(out, ",\"error\":{\"code\":%d,\"message\":", code);
	ag_json_quote(out, message);
	if (data.len) {
		ag_buf_add(out, AG_S(",\"data\":"));
		ag_buf_add(out, data);
	}
	ag_buf_add(out, AG_S("}}"));
}
