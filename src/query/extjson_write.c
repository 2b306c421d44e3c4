/* extjson_write -- values as Extended JSON (relaxed, canonical) and as mongosh expressions.
 *
 * One writer, three modes: containers and strings are the same in all, typed scalars differ. Relaxed
 * output reads back as an equal value; shell output can be pasted into mongosh.
 * Reading order: write_value, write_json_scalar, write_shell_scalar. */
#include "query/extjson.h"

#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "base/num.h"
#include "base/time.h"

#define YEAR_10000_MS 253402300800000LL

typedef struct writer {
	ag_buf *out;
	ag_extjson_mode mode;
} writer;

static void hex_bytes(ag_buf *out, const uint8_t *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		ag_buf_addc(out, digits[p[i] >> 4]);
		ag_buf_addc(out, digits[p[i] & 15]);
	}
}

static void base64(ag_buf *out, ag_str in)
{
	static const char abc[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < in.len; i += 3) {
		size_t left = in.len - i;
		uint32_t w = (uint32_t)(uint8_t)in.ptr[i] << 16;

		if (left > 1)
			w |= (uint32_t)(uint8_t)in.ptr[i + 1] << 8;
		if (left > 2)
			w |= (uint8_t)in.ptr[i + 2];
		ag_buf_addc(out, abc[w >> 18]);
		ag_buf_addc(out, abc[w >> 12 & 63]);
		ag_buf_addc(out, left > 1 ? abc[w >> 6 & 63] : '=');
		ag_buf_addc(out, left > 2 ? abc[w & 63] : '=');
	}
}

static void number_text(ag_buf *out, const ag_val *v, bool keep_point)
{
	char text[AG_DEC128_MAX_TEXT + AG_NUM_MAX];
	size_t n;

	if (v->type == AG_T_DOUBLE)
		n = ag_num_double(text, v->u.f, keep_point);
	else if (v->type == AG_T_DECIMAL)
		n = ag_dec128_format(text, v->u.dec);
	else
		n = ag_num_i64(text, v->u.i);
	ag_buf_add(out, ag_str_make(text, n));
}

static void iso_text(ag_buf *out, int64_t ms)
{
	char text[AG_TIME_MAX_TEXT];

	ag_buf_add(out, ag_str_make(text, ag_time_format(text, ms)));
}

/* {"$key":"…"} around a number. */
static void typed_number(ag_buf *out, const char *key, const ag_val *v)
{
	ag_buf_addf(out, "{\"%s\":\"", key);
	number_text(out, v, true);
	ag_buf_adds(out, "\"}");
}

static void json_number(writer *w, const ag_val *v)
{
	bool canonical = w->mode == AG_EXTJSON_CANONICAL;

	switch (v->type) {
	case AG_T_INT32:
		if (canonical)
			typed_number(w->out, "$numberInt", v);
		else
			number_text(w->out, v, true);
		return;
	case AG_T_INT64:
		if (canonical)
			typed_number(w->out, "$numberLong", v);
		else
			number_text(w->out, v, true);
		return;
	case AG_T_DOUBLE:
		if (canonical || !isfinite(v->u.f))
			typed_number(w->out, "$numberDouble", v);
		else
			number_text(w->out, v, true);
		return;
	default: typed_number(w->out, "$numberDecimal", v);
	}
}

static void json_date(writer *w, int64_t ms)
{
	ag_buf_adds(w->out, "{\"$date\":");
	if (w->mode == AG_EXTJSON_CANONICAL || ms < 0 || ms >= YEAR_10000_MS) {
		ag_buf_addf(w->out, "{\"$numberLong\":\"%" PRId64 "\"}", ms);
	} else {
		ag_buf_addc(w->out, '"');
		iso_text(w->out, ms);
		ag_buf_addc(w->out, '"');
	}
	ag_buf_addc(w->out, '}');
}

static void json_binary(ag_buf *out, const ag_val *v)
{
	ag_buf_adds(out, "{\"$binary\":{\"base64\":\"");
	base64(out, ag_val_text(v));
	ag_buf_addf(out, "\",\"subType\":\"%02x\"}}", v->subtype);
}

static void json_text(ag_buf *out, const char *key, ag_str text)
{
	ag_buf_addf(out, "{\"%s\":", key);
	ag_json_quote(out, text);
	ag_buf_addc(out, '}');
}

static void json_oid(ag_buf *out, const ag_val *v)
{
	ag_buf_adds(out, "{\"$oid\":\"");
	hex_bytes(out, v->u.oid, 12);
	ag_buf_adds(out, "\"}");
}

static void json_regex(ag_buf *out, const ag_val *v)
{
	ag_buf_adds(out, "{\"$regularExpression\":{\"pattern\":");
	ag_json_quote(out, ag_str_make(v->u.regex.s, v->n));
	ag_buf_adds(out, ",\"options\":");
	ag_json_quote(out, ag_str_c(v->u.regex.opts));
	ag_buf_adds(out, "}}");
}

static void write_value(writer *w, const ag_val *v);

static void json_pair(writer *w, const ag_val *v)
{
	bool code = v->type == AG_T_CODE_W_SCOPE;

	ag_buf_adds(w->out, code ? "{\"$code\":" : "{\"$dbPointer\":{\"$ref\":");
	ag_json_quote(w->out, ag_str_make(v->u.pair.s, v->n));
	ag_buf_adds(w->out, code ? ",\"$scope\":" : ",\"$id\":");
	write_value(w, v->u.pair.extra);
	ag_buf_adds(w->out, code ? "}" : "}}");
}

static void write_json_scalar(writer *w, const ag_val *v)
{
	ag_buf *out = w->out;

	switch ((ag_type)v->type) {
	case AG_T_OID: json_oid(out, v); break;
	case AG_T_DATE: json_date(w, v->u.i); break;
	case AG_T_BINARY: json_binary(out, v); break;
	case AG_T_REGEX: json_regex(out, v); break;
	case AG_T_TIMESTAMP:
		ag_buf_addf(out, "{\"$timestamp\":{\"t\":%" PRIu32 ",\"i\":%" PRIu32 "}}",
		            (uint32_t)((uint64_t)v->u.i >> 32), (uint32_t)v->u.i);
		break;
	case AG_T_SYMBOL: json_text(out, "$symbol", ag_val_text(v)); break;
	case AG_T_CODE: json_text(out, "$code", ag_val_text(v)); break;
	case AG_T_CODE_W_SCOPE:
	case AG_T_DBPOINTER: json_pair(w, v); break;
	case AG_T_MINKEY: ag_buf_adds(out, "{\"$minKey\":1}"); break;
	case AG_T_MAXKEY: ag_buf_adds(out, "{\"$maxKey\":1}"); break;
	case AG_T_UNDEFINED: ag_buf_adds(out, "{\"$undefined\":true}"); break;
	default: json_number(w, v); break;
	}
}

/* mongosh's /…/ takes only what a JavaScript engine takes; everything else goes through BSONRegExp. */
static bool is_js_regex(ag_str pattern, ag_str opts)
{
	static const char *const foreign[] = { "(?", "(*", "[[", "\\A", "\\Z",  "\\z", "\\h", "\\Q",
		                               "++", "*+", "?+", "}+",  "\\x{", "\\R", "\\K" };

	if (pattern.len == 0)
		return false;
	for (size_t i = 0; i < opts.len; i++) {
		if (opts.ptr[i] != 'i' && opts.ptr[i] != 'm' && opts.ptr[i] != 's')
			return false;
	}
	for (size_t i = 0; i < AG_NELEM(foreign); i++) {
		if (ag_str_contains(pattern, ag_str_c(foreign[i])))
			return false;
	}
	for (size_t i = 0; i < pattern.len; i++) {
		if ((unsigned char)pattern.ptr[i] < 0x20 || (unsigned char)pattern.ptr[i] > 0x7e)
			return false;
	}
	return pattern.ptr[0] != '*';
}

static void shell_regex(ag_buf *out, const ag_val *v)
{
	ag_str p = ag_str_make(v->u.regex.s, v->n), opts = ag_str_c(v->u.regex.opts);
	bool escaped = false;

	if (!is_js_regex(p, opts)) {
		ag_buf_adds(out, "BSONRegExp(");
		ag_json_quote(out, p);
		ag_buf_adds(out, ", ");
		ag_json_quote(out, opts);
		ag_buf_addc(out, ')');
		return;
	}
	ag_buf_addc(out, '/');
	for (size_t i = 0; i < p.len; i++) {
		if (p.ptr[i] == '/' && !escaped)
			ag_buf_addc(out, '\\');
		ag_buf_addc(out, p.ptr[i]);
		escaped = p.ptr[i] == '\\' && !escaped;
	}
	ag_buf_addc(out, '/');
	ag_buf_add(out, opts);
}

static void shell_call(ag_buf *out, const char *name, ag_str text)
{
	ag_buf_addf(out, "%s(", name);
	ag_json_quote(out, text);
	ag_buf_addc(out, ')');
}

static void shell_number(ag_buf *out, const ag_val *v)
{
	if (v->type == AG_T_INT64 || v->type == AG_T_DECIMAL) {
		ag_buf_adds(out, v->type == AG_T_INT64 ? "NumberLong(\"" : "NumberDecimal(\"");
		number_text(out, v, true);
		ag_buf_adds(out, "\")");
	} else {
		number_text(out, v, true);
	}
}

static void shell_date(ag_buf *out, int64_t ms)
{
	if (ms < -62135596800000LL || ms >= YEAR_10000_MS) {
		ag_buf_addf(out, "new Date(%" PRId64 ")", ms);
		return;
	}
	ag_buf_adds(out, "ISODate(\"");
	iso_text(out, ms);
	ag_buf_adds(out, "\")");
}

static void shell_binary(ag_buf *out, const ag_val *v)
{
	const uint8_t *p = (const uint8_t *)v->u.s;
	static const uint8_t group[] = { 4, 2, 2, 2, 6 };

	if (v->subtype != 4 || v->n != 16) {
		ag_buf_addf(out, "BinData(%u, \"", v->subtype);
		base64(out, ag_val_text(v));
		ag_buf_adds(out, "\")");
		return;
	}
	ag_buf_adds(out, "UUID(\"");
	for (size_t i = 0; i < AG_NELEM(group); i++) {
		if (i)
			ag_buf_addc(out, '-');
		hex_bytes(out, p, group[i]);
		p += group[i];
	}
	ag_buf_adds(out, "\")");
}

static void shell_pair(writer *w, const ag_val *v)
{
	ag_buf_adds(w->out, v->type == AG_T_DBPOINTER ? "DBPointer(" : "Code(");
	ag_json_quote(w->out, ag_str_make(v->u.pair.s, v->n));
	ag_buf_adds(w->out, ", ");
	write_value(w, v->u.pair.extra);
	ag_buf_addc(w->out, ')');
}

static void write_shell_scalar(writer *w, const ag_val *v)
{
	ag_buf *out = w->out;

	switch ((ag_type)v->type) {
	case AG_T_OID:
		ag_buf_adds(out, "ObjectId(\"");
		hex_bytes(out, v->u.oid, 12);
		ag_buf_adds(out, "\")");
		break;
	case AG_T_DATE: shell_date(out, v->u.i); break;
	case AG_T_BINARY: shell_binary(out, v); break;
	case AG_T_REGEX: shell_regex(out, v); break;
	case AG_T_TIMESTAMP:
		ag_buf_addf(out, "Timestamp({ t: %" PRIu32 ", i: %" PRIu32 " })",
		            (uint32_t)((uint64_t)v->u.i >> 32), (uint32_t)v->u.i);
		break;
	case AG_T_SYMBOL: shell_call(out, "BSONSymbol", ag_val_text(v)); break;
	case AG_T_CODE: shell_call(out, "Code", ag_val_text(v)); break;
	case AG_T_CODE_W_SCOPE:
	case AG_T_DBPOINTER: shell_pair(w, v); break;
	case AG_T_MINKEY: ag_buf_adds(out, "MinKey()"); break;
	case AG_T_MAXKEY: ag_buf_adds(out, "MaxKey()"); break;
	case AG_T_UNDEFINED: ag_buf_adds(out, "undefined"); break;
	default: shell_number(out, v); break;
	}
}

static void write_object(writer *w, const ag_val *v)
{
	bool shell = w->mode == AG_EXTJSON_SHELL;

	ag_buf_addc(w->out, '{');
	for (uint32_t i = 0; i < v->n; i++) {
		if (i)
			ag_buf_adds(w->out, shell ? ", " : ",");
		ag_json_quote(w->out, v->u.members[i].key);
		ag_buf_adds(w->out, shell ? ": " : ":");
		write_value(w, &v->u.members[i].val);
	}
	ag_buf_addc(w->out, '}');
}

static void write_array(writer *w, const ag_val *v)
{
	bool shell = w->mode == AG_EXTJSON_SHELL;

	ag_buf_addc(w->out, '[');
	for (uint32_t i = 0; i < v->n; i++) {
		if (i)
			ag_buf_adds(w->out, shell ? ", " : ",");
		write_value(w, &v->u.items[i]);
	}
	ag_buf_addc(w->out, ']');
}

static void write_value(writer *w, const ag_val *v)
{
	switch ((ag_type)v->type) {
	case AG_T_OBJECT: write_object(w, v); break;
	case AG_T_ARRAY: write_array(w, v); break;
	case AG_T_STRING: ag_json_quote(w->out, ag_val_text(v)); break;
	case AG_T_BOOL: ag_buf_adds(w->out, v->u.b ? "true" : "false"); break;
	case AG_T_MISSING: /* has no text of its own; null is the nearest JSON */
	case AG_T_NULL: ag_buf_adds(w->out, "null"); break;
	default:
		if (w->mode == AG_EXTJSON_SHELL)
			write_shell_scalar(w, v);
		else
			write_json_scalar(w, v);
	}
}

void ag_extjson_write(ag_buf *out, const ag_val *v, ag_extjson_mode mode)
{
	writer w = { out, mode };

	write_value(&w, v);
}

ag_str ag_extjson_str(ag_arena *arena, const ag_val *v, ag_extjson_mode mode)
{
	ag_buf b = AG_BUF_INIT((size_t)1 << 31);
	ag_str s;

	ag_extjson_write(&b, v, mode);
	s = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return s;
}
