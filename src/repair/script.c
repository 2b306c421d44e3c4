/* script -- see the header. */
#include "repair/script.h"

#include "base/num.h"
#include "base/time.h"
#include "query/extjson.h"

#define BATCH \
	1000 /* updates of one bulkWrite: errors name a place in it, and a server takes more */

/* --- mongosh --- */

/* The key "__proto__" would set the prototype of the literal. */
static void put_key(ag_buf *out, ag_str key)
{
	const bool is_special = ag_str_eqc(key, "__proto__");

	if (is_special)
		ag_buf_addc(out, '[');
	ag_json_quote(out, key);
	ag_buf_adds(out, is_special ? "]: " : ": ");
}

static void put_member(ag_buf *out, ag_str key, const ag_val *v, bool *has_one)
{
	ag_buf_adds(out, *has_one ? ", " : " ");
	*has_one = true;
	put_key(out, key);
	ag_extjson_write(out, v, AG_EXTJSON_SHELL);
}

static bool is_for_mongosh(const ag_change *c)
{
	return c->path.len && !ag_str_eqc(c->path, "_id");
}

static size_t put_update(const ag_mends *m, const ag_mend *d, ag_buf *out)
{
	bool has_one = false;
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += is_for_mongosh(&d->changes[i]);
	if (!n)
		return 0;
	ag_buf_adds(out, "  { updateOne: { filter: {");
	for (size_t i = 0; i < m->nkey; i++) {
		bool is_changed = false;

		for (size_t k = 0; k < d->n; k++)
			is_changed |= is_for_mongosh(&d->changes[k]) &&
			              ag_str_eq(d->changes[k].path, m->keys[i]);
		/* Its old value is there as that of the change. */
		if (!is_changed)
			put_member(out, m->keys[i], &d->key[i], &has_one);
	}
	for (size_t i = 0; i < d->n; i++)
		if (is_for_mongosh(&d->changes[i]))
			put_member(out, d->changes[i].path, &d->changes[i].old, &has_one);
	ag_buf_adds(out, " }, update: { $set: {");
	has_one = false;
	for (size_t i = 0; i < d->n; i++)
		if (is_for_mongosh(&d->changes[i]))
			put_member(out, d->changes[i].path, &d->changes[i].fixed, &has_one);
	ag_buf_adds(out, " } } } },\n");
	return n;
}

void ag_script_mongosh(const ag_mends *m, ag_buf *out, ag_script *ret)
{
	ag_buf name = AG_BUF_INIT(64 * 1024);
	size_t in_batch = 0;

	*ret = (ag_script){ .why = "" };
	ag_json_quote(&name, m->info->collection);
	ag_buf_adds(
		out,
		"// Repairs of argus. An update whose document has another value by now changes "
		"nothing.\n{\n");
	ag_buf_addf(out, "const collection = db.getCollection(%.*s);\nlet repaired = 0;\n",
	            AG_FMT(ag_buf_view(&name)));
	for (size_t i = 0; i < m->n; i++) {
		const size_t before = out->len;
		size_t n;

		if (!in_batch)
			ag_buf_adds(out, "repaired += collection.bulkWrite([\n");
		n = put_update(m, &m->items[i], out);
		ret->nvalue += n;
		ret->ndocument += n > 0;
		ret->nleft_out += m->items[i].n - n;
		if (!n && !in_batch)
			out->len = before;
		in_batch += n > 0;
		if (in_batch == BATCH) {
			ag_buf_adds(out, "], { ordered: true }).modifiedCount;\n");
			in_batch = 0;
		}
	}
	if (in_batch)
		ag_buf_adds(out, "], { ordered: true }).modifiedCount;\n");
	ag_buf_addf(out,
	            "print(repaired + \" of %llu documents repaired in \" + "
	            "collection.getName());\n}\n",
	            (unsigned long long)ret->ndocument);
	if (ret->nleft_out)
		ret->why =
			"the shell cannot set _id, or a field whose name holds a dot or begins with $";
	ag_buf_release(&name);
}

/* --- SQL --- */

static void put_quoted(ag_buf *out, ag_str s, char quote)
{
	ag_buf_addc(out, quote);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == quote)
			ag_buf_addc(out, quote);
		ag_buf_addc(out, s.ptr[i]);
	}
	ag_buf_addc(out, quote);
}

static bool has_sql(const ag_val *v)
{
	switch ((ag_type)v->type) {
	/* A NUL ends the text of a statement. */
	case AG_T_STRING: return !v->n || !memchr(v->u.s, 0, v->n);
	case AG_T_INT32:
	case AG_T_INT64:
	case AG_T_DECIMAL:
	case AG_T_BOOL:
	case AG_T_DATE:
	case AG_T_OID: return true;
	case AG_T_DOUBLE: return v->u.f - v->u.f == 0;
	default: return false;
	}
}

static void put_sql(ag_buf *out, const ag_val *v)
{
	static const char hex[] = "0123456789abcdef";
	char text[AG_TIME_MAX_TEXT], number[AG_NUM_MAX];

	switch ((ag_type)v->type) {
	case AG_T_STRING: put_quoted(out, ag_val_text(v), '\''); break;
	case AG_T_BOOL: ag_buf_adds(out, v->u.b ? "TRUE" : "FALSE"); break;
	case AG_T_DATE:
		put_quoted(out, ag_str_make(text, ag_time_format(text, v->u.i)), '\'');
		break;
	case AG_T_OID:
		ag_buf_addc(out, '\'');
		for (size_t i = 0; i < 12; i++) {
			ag_buf_addc(out, hex[v->u.oid[i] >> 4]);
			ag_buf_addc(out, hex[v->u.oid[i] & 15]);
		}
		ag_buf_addc(out, '\'');
		break;
	case AG_T_DOUBLE:
		ag_buf_add(out, ag_str_make(number, ag_num_double(number, v->u.f, false)));
		break;
	case AG_T_DECIMAL: {
		char decimal[AG_DEC128_MAX_TEXT];

		ag_buf_add(out, ag_str_make(decimal, ag_dec128_format(decimal, v->u.dec)));
		break;
	}
	default: ag_buf_add(out, ag_str_make(number, ag_num_i64(number, v->u.i)));
	}
}

/* The column of a field; "" when it has none. */
static ag_str column_of(ag_str column, ag_str path, bool is_item, ag_str joint, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(64 * 1024);
	ag_str ret;

	if (column.len)
		return memchr(column.ptr, 0, column.len) ? AG_S("") : column;
	if (is_item || !path.len || !joint.len || memchr(path.ptr, 0, path.len))
		return AG_S("");
	while (path.ptr) {
		ag_buf_add(&b, ag_str_split(&path, '.'));
		if (path.ptr)
			ag_buf_add(&b, joint);
	}
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

typedef struct sql {
	const ag_mends *m;
	ag_str table, joint;
	ag_str keys[AG_MEND_MAX_KEYS]; /* columns */
	ag_arena *arena;               /* emptied with each document */
	ag_buf *out;
} sql;

static bool is_for_sql(const ag_change *c, ag_str column)
{
	return column.len && has_sql(&c->old) && has_sql(&c->fixed);
}

static size_t put_statement(const sql *q, const ag_mend *d)
{
	size_t n = 0;

	for (size_t i = 0; i < q->m->nkey; i++)
		if (!q->keys[i].len || !has_sql(&d->key[i]))
			return 0;
	for (size_t i = 0; i < d->n; i++) {
		const ag_change *c = &d->changes[i];
		const ag_str column = column_of(c->column, c->path, c->is_item, q->joint, q->arena);

		if (!is_for_sql(c, column))
			continue;
		if (!n++) {
			ag_buf_adds(q->out, "UPDATE ");
			put_quoted(q->out, q->table, '"');
			ag_buf_adds(q->out, " SET ");
		} else {
			ag_buf_adds(q->out, ", ");
		}
		put_quoted(q->out, column, '"');
		ag_buf_adds(q->out, " = ");
		put_sql(q->out, &c->fixed);
	}
	for (size_t i = 0; n && i < q->m->nkey; i++) {
		ag_buf_adds(q->out, i ? " AND " : " WHERE ");
		put_quoted(q->out, q->keys[i], '"');
		ag_buf_adds(q->out, " = ");
		put_sql(q->out, &d->key[i]);
	}
	for (size_t i = 0; n && i < d->n; i++) {
		const ag_change *c = &d->changes[i];
		const ag_str column = column_of(c->column, c->path, c->is_item, q->joint, q->arena);

		if (!is_for_sql(c, column))
			continue;
		ag_buf_adds(q->out, " AND ");
		put_quoted(q->out, column, '"');
		ag_buf_adds(q->out, " = ");
		put_sql(q->out, &c->old);
	}
	if (n)
		ag_buf_adds(q->out, ";\n");
	return n;
}

void ag_script_sql(const ag_mends *m, ag_str table, ag_str joint, ag_arena *arena, ag_buf *out,
                   ag_script *ret)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	sql q = { .m = m,
		  .table = table.len ? table : m->info->collection,
		  .joint = joint,
		  .arena = scratch,
		  .out = out };

	*ret = (ag_script){ .why = "" };
	for (size_t i = 0; i < m->nkey; i++) {
		const bool is_nested = ag_str_find(m->keys[i], '.') >= 0 &&
		                       !ag_str_starts(m->info->format, AG_S("csv")) &&
		                       !ag_str_starts(m->info->format, AG_S("tsv"));

		q.keys[i] = column_of(is_nested ? AG_S("") : m->keys[i], m->keys[i], false, joint,
		                      arena);
	}
	ag_buf_adds(out,
	            "-- Repairs of argus. A row that has another value by now stays as it is.\n"
	            "-- MySQL: SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES' first.\n"
	            "BEGIN;\n");
	for (size_t i = 0; i < m->n; i++) {
		size_t n;

		ag_arena_reset(scratch);
		n = put_statement(&q, &m->items[i]);
		ret->nvalue += n;
		ret->ndocument += n > 0;
		ret->nleft_out += m->items[i].n - n;
	}
	ag_buf_adds(out, "COMMIT;\n");
	if (ret->nleft_out)
		ret->why =
			joint.len
				? "items of arrays are no columns"
				: "nested fields are columns only with --flatten, items of arrays "
				  "never";
}

/* --- CSV --- */

void ag_script_csv(const ag_mends *m, ag_source *source, ag_arena *arena,
                   const ag_csv_change **ret_changes, size_t *ret_n, ag_script *ret)
{
	ag_csv_change *list = ag_new_n(arena, ag_csv_change, m->nchange + 1);
	size_t n = 0;

	*ret = (ag_script){ .why = "" };
	for (size_t i = 0; i < m->n; i++) {
		const size_t before = n;
		uint64_t byte;

		for (size_t k = 0; k < m->items[i].n; k++) {
			const ag_change *c = &m->items[i].changes[k];

			if (c->old.type != AG_T_STRING || c->fixed.type != AG_T_STRING ||
			    !c->column.len || !ag_source_byte(source, m->items[i].row, &byte))
				continue;
			list[n++] = (ag_csv_change){ byte, c->column, ag_val_text(&c->old),
				                     ag_val_text(&c->fixed) };
		}
		ret->nleft_out += m->items[i].n - (n - before);
		ret->ndocument += n > before;
	}
	ret->nvalue = n;
	if (ret->nleft_out)
		ret->why = "they are no cells";
	*ret_changes = list;
	*ret_n = n;
}
