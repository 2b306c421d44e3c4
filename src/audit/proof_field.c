/* proof_field -- which field a claim names, however it is written. */
#include <ctype.h>

#include "audit/proof_parts.h"

bool ag_proof_is_document(ag_str s)
{
	static const char *const names[] = { "",          "(document)",     "document",
		                             "*",         "$$ROOT",         "(documents)",
		                             "documents", "whole document", "(whole document)",
		                             "." };

	return ag_proof_is_any_of(ag_str_trim(s), names, AG_NELEM(names));
}

/* What people write around a path: "$.items[0].price", "'email'", "$email", "items[*].price". */
ag_str ag_proof_bare_name(ag_str s, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_str ret;

	s = ag_str_trim(s);
	while (s.len > 1 && strchr("\"'`", s.ptr[0]) && s.ptr[s.len - 1] == s.ptr[0])
		s = ag_str_make(s.ptr + 1, s.len - 2);
	while (s.len > 1 && (s.ptr[0] == '$' || s.ptr[0] == '.'))
		s = ag_str_make(s.ptr + 1, s.len - 1);
	for (size_t i = 0; i < s.len; i++) {
		size_t k = i + 1;

		while (s.ptr[i] == '[' && k < s.len &&
		       (isdigit((unsigned char)s.ptr[k]) || s.ptr[k] == '*'))
			k++;
		if (s.ptr[i] == '[' && k < s.len && s.ptr[k] == ']')
			i = k;
		else
			ag_buf_addc(&out, s.ptr[i]);
	}
	ret = ag_proof_plain_path(ag_buf_view(&out), arena);
	ag_buf_release(&out);
	return ret;
}

/* A path of the profile as dotted names; a map's "*" stays. */
ag_str ag_proof_dotted(const ag_path_profile *f, ag_arena *arena)
{
	return f->query.len ? f->query : ag_proof_bare_name(f->path, arena);
}

bool ag_proof_meets(ag_str pattern, ag_str path)
{
	const ag_proof_query one = { .paths = &path, .npath = 1 };

	return ag_proof_mentions(&one, pattern, false);
}

const ag_path_profile *ag_proof_listed(const ag_profile *all, ag_str name, ag_arena *arena,
                                       bool *ret_is_other)
{
	const ag_path_profile *f = ag_profile_find(all, name), *only = NULL;
	const ag_str bare = ag_proof_bare_name(name, arena);
	size_t n = 0;

	*ret_is_other = false;
	for (size_t i = 0; !f && i < all->npath; i++)
		if (all->paths[i].query.len && ag_str_eq(all->paths[i].query, name))
			f = &all->paths[i];
	if (f)
		return f;
	*ret_is_other = true;
	for (size_t i = 0; i < all->npath; i++) {
		const ag_str dotted = ag_proof_dotted(&all->paths[i], arena);

		if (!all->paths[i].is_elem && ag_str_eq(dotted, bare))
			return &all->paths[i];
		/* The same name in other letters, when there is only one such field. */
		if (!all->paths[i].is_elem && ag_str_ieq(dotted, bare)) {
			only = &all->paths[i];
			n++;
		}
	}
	for (size_t i = 0; n == 0 && i < all->npath; i++)
		if (all->paths[i].in_map &&
		    ag_proof_meets(ag_proof_dotted(&all->paths[i], arena), bare))
			return &all->paths[i];
	return n == 1 ? only : NULL;
}

/* Categories about the array itself, not about its items. */
static bool is_about_arrays(ag_str category)
{
	static const char *const ids[] = { "array_size",          "null_rate",
		                           "missing_field",       "type_mismatch",
		                           "inconsistent_empty",  "stray_field",
		                           "keys_as_data",        "constant_field",
		                           "field_name_variants", "drift" };

	return ag_proof_is_any_of(category, ids, AG_NELEM(ids));
}

/* "tags" of a claim about values are its items, "tags[]". */
const ag_path_profile *ag_proof_items(const ag_profile *all, const ag_path_profile *f,
                                      ag_str category, ag_arena *arena)
{
	const ag_path_profile *items;

	if (f->arr.n * 2 <= f->n || is_about_arrays(category))
		return f;
	items = ag_profile_find(all, ag_str_printf(arena, "%.*s[]", AG_FMT(f->path)));
	return items ? items : f;
}
