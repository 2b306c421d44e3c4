/* brief -- see the header. Texts are cut between characters, so the result is UTF-8 when the text was. */
#include "audit/brief.h"

#include "query/extjson.h"

/* The longest start of at most n bytes that ends between two characters. */
static ag_str head(ag_str s, size_t n)
{
	while (n > 0 && ((unsigned char)s.ptr[n] & 0xc0) == 0x80)
		n--;
	return ag_str_make(s.ptr, n);
}

static ag_val brief_text(const ag_val *v, ag_arena *arena)
{
	const ag_str s = ag_val_text(v);

	if (s.len <= AG_BRIEF_TEXT_BYTES)
		return *v;
	if (v->type == AG_T_BINARY)
		return ag_val_str(ag_str_printf(arena, "(binary of %zu bytes)", s.len));
	return ag_val_str(ag_str_printf(arena, "%.*s… (%zu bytes)",
	                                AG_FMT(head(s, AG_BRIEF_TEXT_BYTES)), s.len));
}

ag_val ag_brief_val(const ag_val *v, ag_arena *arena)
{
	ag_member *members;
	ag_val *items;

	switch (v->type) {
	case AG_T_STRING:
	case AG_T_BINARY:
	case AG_T_CODE:
	case AG_T_SYMBOL: return brief_text(v, arena);
	case AG_T_OBJECT:
		members = ag_new_n(arena, ag_member, v->n ? v->n : 1);
		for (uint32_t i = 0; i < v->n; i++)
			members[i] = (ag_member){ v->u.members[i].key,
				                  ag_brief_val(&v->u.members[i].val, arena) };
		return ag_val_object(members, v->n);
	case AG_T_ARRAY:
		items = ag_new_n(arena, ag_val, v->n ? v->n : 1);
		for (uint32_t i = 0; i < v->n; i++)
			items[i] = ag_brief_val(&v->u.items[i], arena);
		return ag_val_array(items, v->n);
	default: return *v;
	}
}

ag_val ag_brief_sample(const ag_val *v, ag_arena *arena)
{
	const ag_val brief = ag_brief_val(v, arena);
	ag_buf text = AG_BUF_INIT(AG_BRIEF_VALUE_BYTES);
	bool fits;

	if (v->type != AG_T_OBJECT && v->type != AG_T_ARRAY)
		return brief;
	ag_extjson_write(&text, &brief, AG_EXTJSON_RELAXED);
	fits = !text.failed;
	ag_buf_release(&text);
	if (fits)
		return brief;
	return ag_val_str(ag_str_printf(
		arena, v->type == AG_T_ARRAY ? "(array of %u items)" : "(object of %u members)",
		v->n));
}
