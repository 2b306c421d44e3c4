/* chunk -- reading rows of a chunk as values.
 *
 * Strings are views into the heap; nothing here allocates. Whole objects and arrays are put together in
 * doc.c. */
#include "columns/chunk.h"

/* Stands for the scope of a CODE_W_SCOPE row, whose text is only parsed when a document is put together. */
static const ag_val no_extra = { .type = AG_T_MISSING };

static void set_text(const ag_chunk *c, uint64_t ref, ag_val *v)
{
	ag_str s = ag_chunk_heap_str(c, ref);

	v->u.s = s.ptr;
	v->n = (uint32_t)s.len;
}

static void set_regex(const ag_chunk *c, uint64_t ref, ag_val *v)
{
	ag_str s = ag_chunk_heap_str(c, ref);
	const char *nul = (const char *)memrchr(s.ptr, '\0', s.len);

	AG_ASSERT(nul);
	v->u.regex.s = s.ptr;
	v->u.regex.opts = nul + 1;
	v->n = (uint32_t)(nul - s.ptr);
}

static ag_val typed_val(const ag_chunk *c, unsigned type, uint64_t bits)
{
	ag_val v = { .type = (uint8_t)type };

	switch (type) {
	case AG_T_INT32:
	case AG_T_INT64:
	case AG_T_DATE:
	case AG_T_TIMESTAMP: v.u.i = (int64_t)bits; break;
	case AG_T_DOUBLE: memcpy(&v.u.f, &bits, sizeof(v.u.f)); break;
	case AG_T_BOOL: v.u.b = bits != 0; break;
	case AG_T_STRING:
	case AG_T_CODE:
	case AG_T_SYMBOL: set_text(c, bits, &v); break;
	case AG_T_BINARY:
		set_text(c, bits, &v);
		v.subtype = (uint8_t)v.u.s[-1];
		break;
	case AG_T_REGEX: set_regex(c, bits, &v); break;
	case AG_T_OID: memcpy(v.u.oid, c->heap + (bits >> 32), sizeof(v.u.oid)); break;
	case AG_T_DECIMAL:
		memcpy(&v.u.dec.lo, c->heap + (bits >> 32), 8);
		memcpy(&v.u.dec.hi, c->heap + (bits >> 32) + 8, 8);
		break;
	case AG_T_CODE_W_SCOPE:
	case AG_T_DBPOINTER:
		v.n = (uint32_t)bits;
		v.u.pair.s = c->heap + (bits >> 32);
		v.u.pair.extra = &no_extra;
		break;
	case AG_T_OBJECT: v.n = c->shape_at[bits + 1] - c->shape_at[bits]; break;
	case AG_T_ARRAY: v.n = (uint32_t)bits; break;
	default: break;
	}
	return v;
}

ag_val ag_col_val(const ag_chunk *c, const ag_col *col, uint32_t row)
{
	return typed_val(c, col->type[row], col->val[row]);
}

ag_val ag_col_view(const ag_chunk *c, const ag_col *col, uint32_t row)
{
	if (!col->view_type)
		return ag_col_val(c, col, row);
	return typed_val(c, col->view_type[row], col->view_val[row]);
}

uint32_t ag_col_doc(const ag_chunk *c, const ag_col *col, uint32_t row)
{
	while (col->parent != AG_COL_NONE) {
		row = col->up[row];
		col = c->cols[col->parent];
	}
	return col->up[row];
}

const ag_col *ag_col_child(const ag_chunk *c, const ag_col *col, ag_str name)
{
	for (uint32_t id = col->first_child; id != AG_COL_NONE; id = c->cols[id]->next_sibling) {
		const ag_col *k = c->cols[id];

		if (k->kind == AG_STEP_NAME && ag_str_eq(k->name, name))
			return k;
	}
	return NULL;
}
