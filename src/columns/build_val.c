/* build_val -- documents that are values already, into a chunk: what the exact reader made, samples of a
 * server, tests.
 *
 * The mirror of row_val() in doc.c: what one writes into val and heap, the other reads. */
#include "columns/builder.h"
#include "query/extjson.h"

static uint64_t double_bits(double f)
{
	uint64_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* The subtype stands before the data, so that the reference is that of the data alone. */
uint64_t ag_build_binary(ag_builder *b, unsigned subtype, const char *p, size_t n)
{
	char sub = (char)subtype;

	ag_build_heap(b, &sub, 1);
	if (b->failed)
		return 0;
	b->chunk->heap_len--; /* the NUL: the data follows the subtype at once */
	return ag_build_heap(b, p, n);
}

uint64_t ag_build_regex(ag_builder *b, ag_str pattern, ag_str opts)
{
	uint64_t ref = ag_build_heap(b, pattern.ptr, pattern.len);

	ag_build_heap(b, opts.ptr, opts.len);
	if (b->failed)
		return 0;
	return ref + opts.len + 1; /* one text: pattern, NUL, options */
}

uint64_t ag_build_dec128(ag_builder *b, ag_dec128 d)
{
	char raw[16];

	memcpy(raw, &d.lo, 8);
	memcpy(raw + 8, &d.hi, 8);
	return ag_build_heap(b, raw, sizeof(raw));
}

uint64_t ag_build_bits(ag_builder *b, const ag_val *v, ag_arena *scratch)
{
	switch (v->type) {
	case AG_T_INT32:
	case AG_T_INT64:
	case AG_T_DATE:
	case AG_T_TIMESTAMP: return (uint64_t)v->u.i;
	case AG_T_DOUBLE: return double_bits(v->u.f);
	case AG_T_BOOL: return v->u.b;
	case AG_T_STRING:
	case AG_T_CODE:
	case AG_T_SYMBOL: return ag_build_heap(b, v->u.s, v->n);
	case AG_T_BINARY: return ag_build_binary(b, v->subtype, v->u.s, v->n);
	case AG_T_REGEX:
		return ag_build_regex(b, ag_str_make(v->u.regex.s, v->n),
		                      ag_str_c(v->u.regex.opts));
	case AG_T_OID: return ag_build_heap(b, (const char *)v->u.oid, sizeof(v->u.oid));
	case AG_T_DECIMAL: return ag_build_dec128(b, v->u.dec);
	case AG_T_CODE_W_SCOPE:
	case AG_T_DBPOINTER: {
		ag_str text = ag_extjson_str(scratch, v, AG_EXTJSON_CANONICAL);

		return ag_build_heap(b, text.ptr, text.len);
	}
	default: /* NULL, UNDEFINED, MINKEY, MAXKEY */ return 0;
	}
}

static void build_object(ag_builder *b, ag_bcol *c, uint32_t up, const ag_val *v, ag_arena *scratch,
                         unsigned depth);

static void build(ag_builder *b, ag_bcol *c, uint32_t up, const ag_val *v, ag_arena *scratch,
                  unsigned depth)
{
	uint32_t row;

	if (depth > AG_COL_MAX_DEPTH && (v->type == AG_T_OBJECT || v->type == AG_T_ARRAY)) {
		b->failed = "nested deeper than 200 levels";
		return;
	}
	if (v->type == AG_T_OBJECT) {
		build_object(b, c, up, v, scratch, depth);
		return;
	}
	if (v->type != AG_T_ARRAY) {
		unsigned type = v->type == AG_T_MISSING ? AG_T_UNDEFINED : v->type;

		ag_build_row(b, c, up, type, ag_build_bits(b, v, scratch));
		return;
	}
	row = ag_build_row(b, c, up, AG_T_ARRAY, 0);
	for (uint32_t i = 0; i < v->n && !b->failed; i++)
		build(b, ag_build_elem(b, c), row, &v->u.items[i], scratch, depth + 1);
	ag_build_array_end(c, row, v->n);
}

static void build_object(ag_builder *b, ag_bcol *c, uint32_t up, const ag_val *v, ag_arena *scratch,
                         unsigned depth)
{
	ag_build_obj o;

	ag_build_object(b, &o, c, up);
	for (uint32_t i = 0; i < v->n && !b->failed; i++) {
		const ag_member *m = &v->u.members[i];
		ag_bcol *k;

		if (m->val.type == AG_T_MISSING)
			continue;
		k = ag_build_key(b, &o, m->key.ptr, m->key.len);
		if (k)
			build(b, k, o.row, &m->val, scratch, depth + 1);
	}
	ag_build_object_end(b, &o);
}

void ag_build_val(ag_builder *b, ag_bcol *c, uint32_t up, const ag_val *v, ag_arena *scratch,
                  unsigned depth)
{
	build(b, c, up, v, scratch, depth);
}

bool ag_build_doc_val(ag_builder *b, uint64_t at, uint32_t line, const ag_val *doc,
                      ag_arena *scratch, const char **ret_why)
{
	ag_build_doc(b, at, line);
	if (doc->type == AG_T_OBJECT)
		build_object(b, b->root, b->chunk->ndoc, doc, scratch, 1);
	else
		b->failed = "not an object";
	return ag_build_doc_end(b, ret_why);
}
