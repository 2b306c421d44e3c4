/* wire -- the table of protocols, and what does not depend on one: addresses, lists of models. */
#include "llm/wire.h"

#include "llm/wire_read.h"

/* A server that lists more is not one whose list helps to find a name. */
#define MAX_MODELS 20000

static const ag_llm_wire *const wires[] = {
	&ag_llm_wire_anthropic,
	&ag_llm_wire_openai,
};

const ag_llm_wire *const *ag_llm_wires(size_t *ret_n)
{
	*ret_n = AG_NELEM(wires);
	return wires;
}

const ag_llm_wire *ag_llm_wire_find(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(wires); i++) {
		if (ag_str_eqc(name, wires[i]->name))
			return wires[i];
	}
	return NULL;
}

unsigned ag_wire_max_output(const ag_llm_model *m, const ag_llm_request *r)
{
	unsigned own = m->max_output_tokens ? m->max_output_tokens : 4096;

	if (r->max_output_tokens)
		return r->max_output_tokens;
	return own > UINT32_MAX - m->thinking_tokens ? UINT32_MAX : own + m->thinking_tokens;
}

/* --- addresses --- */

static ag_str strip_slashes(ag_str s)
{
	while (s.len && s.ptr[s.len - 1] == '/')
		s.len--;
	return s;
}

/* True when s ended in it; then s is cut, also of slashes. */
static bool strip_end(ag_str *s, ag_str end)
{
	if (!ag_str_ends(*s, end))
		return false;
	*s = strip_slashes(ag_str_make(s->ptr, s->len - end.len));
	return true;
}

static bool has_path(ag_str base)
{
	const char *p = base.len ? memmem(base.ptr, base.len, "://", 3) : NULL;
	size_t begin = p ? (size_t)(p - base.ptr) + 3 : 0;

	return base.len > begin && memchr(base.ptr + begin, '/', base.len - begin);
}

ag_str ag_wire_url(const ag_llm_wire *w, ag_str base_url, const char *path, ag_arena *arena)
{
	const ag_str version = AG_S("/v1");
	ag_str base = ag_str_trim(base_url), query = AG_S(""), tail = ag_str_c(path);
	ag_str ask = ag_str_c(w->ask_path);
	ptrdiff_t q;
	bool versioned;

	AG_ASSERT(w->base_url);
	if (!base.len)
		base = ag_str_c(w->base_url);
	q = ag_str_find(base, '?');
	if (q >= 0) {
		query = ag_str_make(base.ptr + q, base.len - (size_t)q);
		base.len -= query.len;
	}
	base = strip_slashes(base);
	/* All paths begin with the version; which of the two brings it is decided here. */
	tail = ag_str_make(tail.ptr + version.len, tail.len - version.len);
	ask = ag_str_make(ask.ptr + version.len, ask.len - version.len);
	if (strip_end(&base, ask))
		versioned = true;
	else if (w->base_has_version)
		versioned = has_path(base);
	else
		versioned = ag_str_ends(base, version);
	return ag_str_printf(arena, "%.*s%s%.*s%.*s", AG_FMT(base), versioned ? "" : "/v1",
	                     AG_FMT(tail), AG_FMT(query));
}

/* --- lists of models --- */

static const ag_val *list_of(const ag_val *v)
{
	static const char *const keys[] = { "data", "models" };
	const ag_val *list = v->type == AG_T_ARRAY ? v : NULL;

	for (size_t i = 0; i < AG_NELEM(keys) && !list; i++)
		list = ag_wire_arr(v, keys[i]);
	return list;
}

static ag_str model_name(const ag_val *v)
{
	static const char *const keys[] = { "id", "name", "model" };
	ag_str s = v->type == AG_T_STRING ? ag_val_text(v) : AG_S("");

	for (size_t i = 0; i < AG_NELEM(keys) && !s.len; i++)
		s = ag_wire_str(v, keys[i]);
	/* Gemini lists "models/x" and takes "x". */
	if (ag_str_starts(s, AG_S("models/")))
		s = ag_str_make(s.ptr + 7, s.len - 7);
	return s;
}

ag_status ag_wire_model_list(ag_str body, ag_arena *arena, ag_str **ret, size_t *nret, ag_err *err)
{
	ag_acc *acc = ag_acc_new();
	const ag_val *list;
	ag_val v;
	ag_status st = ag_wire_parse("llm.wire", "the list of models", body, acc, &v, err);
	ag_str *names;
	size_t n = 0;

	if (!st && ag_wire_is_error(&v))
		st = ag_wire_fail_val("llm.wire", &v, 0, err);
	if (st) {
		ag_acc_free(acc);
		return st;
	}
	list = list_of(&v);
	names = ag_new_n(arena, ag_str, list && list->n ? list->n : 1);
	for (uint32_t i = 0; list && i < list->n && n < MAX_MODELS; i++) {
		ag_str name = model_name(&list->u.items[i]);

		if (name.len)
			names[n++] = ag_str_dup(arena, name);
	}
	ag_acc_free(acc);
	if (!list)
		return ag_fail(err, AG_PROTOCOL, "llm.wire", "the answer is no list of models");
	*ret = names;
	*nret = n;
	return AG_OK;
}
