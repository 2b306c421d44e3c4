/* prompt_file -- one pass over the text of a prompt: places out, values in. */
#include "agent/prompt_file.h"

#include "base/embedded.h"

#define FILE_MAX_BYTES (64 * 1024)

static const ag_prompt_value *value_of(const ag_prompt_value *values, size_t n, ag_str name)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eqc(name, values[i].name))
			return &values[i];
	return NULL;
}

/* The bytes before the next mark, or all; *rest moves behind the mark, and its ptr is NULL when there was none. */
static ag_str up_to(ag_str *rest, const char mark[3])
{
	const ag_str all = *rest;

	for (size_t i = 0; i + 1 < all.len; i++)
		if (all.ptr[i] == mark[0] && all.ptr[i + 1] == mark[1]) {
			*rest = ag_str_make(all.ptr + i + 2, all.len - i - 2);
			return ag_str_make(all.ptr, i);
		}
	*rest = ag_str_make(NULL, 0);
	return all;
}

ag_status ag_prompt_fill(ag_str text, const char *path, const ag_prompt_value *values,
                         size_t nvalue, ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(FILE_MAX_BYTES);
	ag_status st = AG_OK;

	while (!st && text.ptr) {
		const ag_prompt_value *v;
		ag_str name;

		ag_buf_add(&out, up_to(&text, "{{"));
		if (!text.ptr)
			break;
		name = up_to(&text, "}}");
		v = text.ptr ? value_of(values, nvalue, name) : NULL;
		if (v)
			ag_buf_add(&out, v->text);
		else
			st = ag_fail(err, AG_INTERNAL, "agent.prompt",
			             "the prompt file %s has an unknown place {{%.*s}}", path,
			             (int)(name.len < 40 ? name.len : 40), name.ptr);
	}
	if (!st && out.failed)
		st = ag_fail(err, AG_INTERNAL, "agent.prompt",
		             "the prompt of %s is larger than %d bytes", path, FILE_MAX_BYTES);
	if (!st)
		*ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return st;
}

ag_status ag_prompt_file(const char *path, const ag_prompt_value *values, size_t nvalue,
                         ag_arena *arena, ag_str *ret, ag_err *err)
{
	const ag_embedded *f = ag_embedded_find(path);
	ag_str text;

	if (!f)
		return ag_fail(err, AG_INTERNAL, "agent.prompt", "the prompt file %s is missing",
		               path);
	text = ag_str_make((const char *)f->ptr, f->len);
	while (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	return ag_prompt_fill(text, path, values, nvalue, arena, ret, err);
}
