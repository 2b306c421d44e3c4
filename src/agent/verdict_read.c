/* verdict_read -- what an evaluator's model is asked to answer, and how its answer is read.
 *
 * The reader trusts nothing: an unknown member, a score out of range, an empty reason or two verdicts in one answer make
 * it malformed, because a guess here would let a finding through. Only words around the one JSON object (a fence, a
 * sentence before it) are forgiven, and upper case in the verdict. Who gave a verdict is never read from the verdict. */
#include "agent/evaluators.h"

#include "base/json.h"
#include "base/num.h"
#include "base/utf8.h"
#include "llm/wire.h"
#include "query/extjson.h"

#define ANSWER_MAX_BYTES (256u << 10)
#define TEXT_MAX_BYTES   4000 /* of a reason or critique that is kept */

static const char *const members[] = { "reason", "verdict", "score", "critique", "evaluated_by" };

static void property(ag_jw *w, const char *name, const char *type, const char *help)
{
	ag_jw_kkey(w, name);
	ag_jw_obj(w);
	ag_jw_kstr(w, "type", ag_str_c(type));
	ag_jw_kstr(w, "description", ag_str_c(help));
}

/* The reason stands first: a model that writes its reasons before its verdict judges better. No "minimum" and "maximum":
 * some servers refuse a schema that has them; the range is checked by the reader. */
void ag_verdict_schema(ag_buf *out)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "type", AG_S("object"));
	ag_jw_kkey(&w, "properties");
	ag_jw_obj(&w);
	property(&w, "reason", "string", "why, in one to three sentences; never empty");
	ag_jw_obj_end(&w);
	property(&w, "verdict", "string", "pass, warn or fail");
	ag_jw_kkey(&w, "enum");
	ag_jw_arr(&w);
	for (int v = AG_PASS; v <= AG_FAIL; v++)
		ag_jw_str(&w, ag_str_c(ag_verdict_name((ag_verdict_kind)v)));
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	property(&w, "score", "number", "0 (worthless) to 1 (beyond doubt)");
	ag_jw_obj_end(&w);
	property(&w, "critique", "string",
	         "what to do instead; empty when there is nothing to mend");
	ag_jw_obj_end(&w);
	ag_jw_obj_end(&w);
	ag_jw_kkey(&w, "required");
	ag_jw_arr(&w);
	for (size_t i = 0; i < AG_NELEM(members) - 1; i++)
		ag_jw_str(&w, ag_str_c(members[i]));
	ag_jw_arr_end(&w);
	ag_jw_kbool(&w, "additionalProperties", false);
	ag_jw_obj_end(&w);
}

static ag_status malformed_type(const char *name, const char *want, const ag_val *v, ag_err *err)
{
	if (!v)
		return ag_fail(err, AG_PROTOCOL, "agent.verdict", "%s is missing, want %s", name,
		               want);
	return ag_fail(err, AG_PROTOCOL, "agent.verdict", "%s: want %s, got %s", name, want,
	               ag_type_alias(v->type));
}

static ag_status read_kind(const ag_val *v, ag_verdict_kind *ret, ag_err *err)
{
	if (!v || v->type != AG_T_STRING)
		return malformed_type("verdict", "pass, warn or fail", v, err);
	for (int k = AG_PASS; k <= AG_FAIL; k++)
		if (ag_str_ieq(ag_str_trim(ag_val_text(v)),
		               ag_str_c(ag_verdict_name((ag_verdict_kind)k)))) {
			*ret = (ag_verdict_kind)k;
			return AG_OK;
		}
	return ag_fail(err, AG_PROTOCOL, "agent.verdict",
	               "verdict: want pass, warn or fail, got \"%.*s\"",
	               AG_FMT(ag_utf8_prefix(ag_val_text(v), 40)));
}

static ag_status read_score(const ag_val *v, double *ret, ag_err *err)
{
	char got[AG_NUM_MAX];
	double x;

	if (!v || !ag_type_is_number(v->type))
		return malformed_type("score", "a number from 0 to 1", v, err);
	x = ag_val_number(v);
	if (x >= 0 && x <= 1) {
		*ret = x;
		return AG_OK;
	}
	ag_num_double(got, x, false);
	return ag_fail(err, AG_PROTOCOL, "agent.verdict", "score: want 0 to 1, got %s", got);
}

/* Trimmed, and cut at a character's end: reasons go to the log, to the report and into prompts. */
static ag_str kept_text(const ag_val *v, ag_arena *arena)
{
	ag_str s = ag_str_trim(ag_val_text(v));
	size_t n = TEXT_MAX_BYTES;

	if (s.len <= n)
		return ag_str_dup(arena, s);
	while (n && ((unsigned char)s.ptr[n] & 0xC0) == 0x80)
		n--;
	return ag_str_printf(arena, "%.*s…", (int)n, s.ptr);
}

static ag_status read_reason(const ag_val *v, ag_arena *arena, ag_str *ret, ag_err *err)
{
	if (!v || v->type != AG_T_STRING)
		return malformed_type("reason", "a text", v, err);
	*ret = kept_text(v, arena);
	return ret->len
	               ? AG_OK
	               : ag_fail(err, AG_PROTOCOL, "agent.verdict", "reason: want words, got none");
}

static ag_status read_critique(const ag_val *v, ag_arena *arena, ag_str *ret, ag_err *err)
{
	*ret = AG_S("");
	if (!v || v->type == AG_T_NULL)
		return AG_OK;
	if (v->type != AG_T_STRING)
		return malformed_type("critique", "a text or null", v, err);
	*ret = kept_text(v, arena);
	return AG_OK;
}

static ag_status check_members(const ag_val *v, ag_err *err)
{
	for (uint32_t i = 0; i < v->n; i++) {
		const ag_str key = v->u.members[i].key;
		bool known = false;

		for (size_t k = 0; k < AG_NELEM(members) && !known; k++)
			known = ag_str_eqc(key, members[k]);
		if (!known)
			return ag_fail(err, AG_PROTOCOL, "agent.verdict",
			               "there is no member \"%.*s\", want verdict, score, reason, "
			               "critique",
			               AG_FMT(ag_utf8_prefix(key, 40)));
	}
	return AG_OK;
}

/* The one JSON object in the answer. With another before or behind it, whatever it is, nobody knows which is meant:
 * one of them may be quoted from the data. */
static ag_status find_object(ag_str text, ag_str *ret, ag_err *err)
{
	const char *end = text.ptr + text.len;
	ag_str before, behind;

	if (text.len > ANSWER_MAX_BYTES)
		return ag_fail(err, AG_PROTOCOL, "agent.verdict",
		               "the answer has %zu bytes, at most %u are read", text.len,
		               ANSWER_MAX_BYTES);
	*ret = ag_json_in_text(text);
	if (!ret->len)
		return ag_fail(err, AG_PROTOCOL, "agent.verdict",
		               "there is no complete JSON object in the answer");
	before = ag_str_make(text.ptr, (size_t)(ret->ptr - text.ptr));
	behind = ag_str_make(ret->ptr + ret->len, (size_t)(end - ret->ptr) - ret->len);
	if (ag_json_in_text(before).len || ag_json_in_text(behind).len)
		return ag_fail(err, AG_PROTOCOL, "agent.verdict",
		               "there is more than one JSON object in the answer");
	return AG_OK;
}

ag_status ag_verdict_parse(ag_str text, ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .reject_duplicates = true, .max_depth = 64 };
	ag_verdict v = { .disposition = AG_DISPOSE_BY_VERDICT };
	ag_str json;
	ag_err why;
	ag_val obj;
	ag_status st = find_object(text, &json, err);

	if (st)
		return st;
	if (ag_extjson_parse(json, &opts, arena, &obj, NULL, NULL, &why))
		return ag_fail(err, AG_PROTOCOL, "agent.verdict", "the answer is no JSON: %s",
		               why.msg);
	if (obj.type != AG_T_OBJECT)
		return malformed_type("the answer", "an object", &obj, err);
	st = check_members(&obj, err);
	if (!st)
		st = read_kind(ag_val_getc(&obj, "verdict"), &v.kind, err);
	if (!st)
		st = read_score(ag_val_getc(&obj, "score"), &v.score, err);
	if (!st)
		st = read_reason(ag_val_getc(&obj, "reason"), arena, &v.reason, err);
	if (!st)
		st = read_critique(ag_val_getc(&obj, "critique"), arena, &v.critique, err);
	if (!st)
		*ret = v;
	return st;
}
