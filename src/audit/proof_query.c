/* proof_query -- evidence as a set of documents.
 *
 * A filter is one. Most pipelines that count documents say the same as a filter: leading $match stages, then a count.
 * They are read as that filter, so that one check holds for both. A pipeline that makes up fields before it matches is
 * never read so: {"$addFields":{"email":null}} would turn every document into evidence. */
#include "audit/proof_parts.h"

#include "guard/docquery.h"
#include "query/extjson.h"

ag_str ag_proof_plain_path(ag_str path, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_str rest = path, ret;

	while (rest.ptr) {
		const ag_str part = ag_str_split(&rest, '.');
		bool is_index = part.len > 0;

		for (size_t i = 0; i < part.len; i++)
			is_index = is_index && part.ptr[i] >= '0' && part.ptr[i] <= '9';
		if (is_index && out.len)
			continue;
		if (out.len)
			ag_buf_addc(&out, '.');
		ag_buf_add(&out, part);
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* ---- a pipeline as a filter ---- */

#define MAX_MATCHES 20

typedef struct reader {
	ag_arena *arena;
	ag_val matches[MAX_MATCHES];
	size_t nmatch;
	ag_str group; /* dotted path of the last $group, "" = none */
	ag_str count; /* the member that counts its documents */
	bool is_grouped, is_counted, is_repeated, is_whole, is_loose, is_other;
} reader;

/* {"$sum": 1} or {"$count": {}} */
static bool is_one_each(const ag_val *acc)
{
	const ag_val *sum = ag_val_getc(acc, "$sum");
	int64_t n;

	return ag_val_getc(acc, "$count") || (sum && ag_val_to_i64(sum, &n) && n == 1);
}

ag_str ag_proof_expr_path(const ag_val *v)
{
	const ag_str s = v && v->type == AG_T_STRING ? ag_val_text(v) : AG_S("");

	return s.len > 1 && s.ptr[0] == '$' && s.ptr[1] != '$' ? ag_str_make(s.ptr + 1, s.len - 1)
	                                                       : AG_S("");
}

static void read_group(reader *r, const ag_val *spec)
{
	const ag_val *id = ag_val_getc(spec, "_id");
	const ag_str path = ag_proof_expr_path(id);

	if (!id || spec->type != AG_T_OBJECT) {
		r->is_other = true;
		return;
	}
	if (r->is_grouped) {
		/* A second $group adds up what the first one made. */
		r->is_other |= id->type != AG_T_NULL;
		r->is_counted = true;
		return;
	}
	r->is_grouped = true;
	r->is_counted = id->type == AG_T_NULL;
	r->group = path;
	r->is_whole = id->type == AG_T_OBJECT || id->type == AG_T_ARRAY;
	if (!path.len && !r->is_counted && !r->is_whole)
		r->is_other = true;
	for (uint32_t i = 0; i < spec->n; i++)
		if (is_one_each(&spec->u.members[i].val))
			r->count = spec->u.members[i].key;
}

/* A $match after $group: on the groups' own value it is a filter of the field; "more than one" makes them repeated. */
static void read_group_match(reader *r, const ag_val *filter)
{
	for (uint32_t i = 0; i < filter->n; i++) {
		const ag_member *m = &filter->u.members[i];

		if (ag_str_eqc(m->key, "_id") && r->group.len && r->nmatch < MAX_MATCHES) {
			ag_member *as = ag_new(r->arena, ag_member);

			*as = (ag_member){ r->group, m->val };
			r->matches[r->nmatch++] = ag_val_object(as, 1);
		} else if (r->count.len && ag_str_eq(m->key, r->count)) {
			const ag_val *gt = ag_val_getc(&m->val, "$gt"),
				     *gte = ag_val_getc(&m->val, "$gte");
			int64_t n = 0;

			r->is_repeated = (gt && ag_val_to_i64(gt, &n) && n >= 1) ||
			                 (gte && ag_val_to_i64(gte, &n) && n >= 2);
			r->is_other |= !r->is_repeated;
		} else {
			r->is_other = true;
		}
	}
}

static void read_stage(reader *r, const ag_val *stage)
{
	const ag_member *m = stage->u.members;

	if (stage->type != AG_T_OBJECT || stage->n != 1) {
		r->is_other = true;
	} else if (ag_str_eqc(m->key, "$match")) {
		if (r->is_counted)
			return; /* of the count: the documents stay the same */
		if (r->is_grouped)
			read_group_match(r, &m->val);
		else if (m->val.type == AG_T_OBJECT && r->nmatch < MAX_MATCHES)
			r->matches[r->nmatch++] = m->val;
		else
			r->is_other = true;
	} else if (ag_str_eqc(m->key, "$group")) {
		read_group(r, &m->val);
	} else if (ag_str_eqc(m->key, "$sortByCount")) {
		r->is_grouped = true;
		r->group = ag_proof_expr_path(&m->val);
		r->count = AG_S("count");
		r->is_other |= !r->group.len;
	} else if (ag_str_eqc(m->key, "$count")) {
		r->is_counted = true;
	} else if (ag_str_eqc(m->key, "$unwind") || ag_str_eqc(m->key, "$limit")) {
		r->is_loose = true;
	} else if (!ag_str_eqc(m->key, "$sort") && !r->is_counted) {
		r->is_other = true;
	}
}

static void read_pipeline(const ag_val *stages, ag_arena *arena, ag_proof_query *q)
{
	reader r = { .arena = arena };
	ag_member and;
	ag_val filter;

	for (uint32_t i = 0; i < stages->n; i++)
		read_stage(&r, &stages->u.items[i]);
	q->form = AG_PROOF_OTHER_FORM;
	if (r.is_other)
		return;
	if (r.is_whole) {
		q->form = AG_PROOF_WHOLE;
		return;
	}
	if (r.is_repeated && r.group.len) {
		q->form = AG_PROOF_REPEATED;
		q->group = ag_proof_plain_path(r.group, arena);
		return;
	}
	if (!r.is_counted)
		return;
	q->form = AG_PROOF_FILTER;
	q->is_loose = r.is_loose;
	and.key = AG_S("$and");
	and.val = ag_ev_arr(arena, r.matches, r.nmatch);
	filter = r.nmatch == 0   ? ag_val_object(NULL, 0)
	         : r.nmatch == 1 ? r.matches[0]
	                         : ag_ev_obj(arena, &and, 1);
	q->filter = ag_ev_str(arena, &filter);
}

ag_status ag_proof_read(ag_str evidence, ag_arena *arena, ag_proof_query *ret, ag_err *err)
{
	const ag_str *paths;
	ag_safe_query safe;
	ag_str *plain;
	size_t n;
	bool whole;
	ag_status st;

	*ret = (ag_proof_query){ .filter = AG_S(""), .group = AG_S("") };
	st = ag_docquery_value(evidence, arena, &ret->value, err);
	if (!st)
		st = ag_docquery_check(ret->value, arena, &safe, err);
	if (st)
		return st;
	if (safe.filter) {
		ret->form = AG_PROOF_FILTER;
		ret->filter = evidence;
		ag_filter_paths(safe.filter, arena, &paths, &n);
	} else {
		read_pipeline(ret->value, arena, ret);
		ag_pipeline_paths(safe.pipeline, arena, &paths, &n, &whole);
	}
	plain = ag_new_n(arena, ag_str, n ? n : 1);
	for (size_t i = 0; i < n; i++)
		plain[i] = ag_proof_plain_path(paths[i], arena);
	ret->paths = plain;
	ret->npath = n;
	return AG_OK;
}

/* ---- which fields it is about ---- */

/* Part by part; "*" is any part. below: `path` may go on. */
static bool path_meets(ag_str path, ag_str wanted, bool below)
{
	while (wanted.ptr) {
		const ag_str want = ag_str_split(&wanted, '.'),
			     have = path.ptr ? ag_str_split(&path, '.') : AG_S("");

		if (!have.len || (!ag_str_eqc(want, "*") && !ag_str_eq(want, have)))
			return false;
	}
	return !path.ptr || below;
}

bool ag_proof_mentions(const ag_proof_query *q, ag_str dotted, bool below)
{
	for (size_t i = 0; i < q->npath; i++)
		if (path_meets(q->paths[i], dotted, below))
			return true;
	return false;
}

/* Does an expression read the path? */
static bool expr_reads(const ag_val *v, ag_str dotted, ag_arena *arena)
{
	const ag_str path = ag_proof_expr_path(v);

	if (path.len)
		return path_meets(ag_proof_plain_path(path, arena), dotted, true);
	for (uint32_t i = 0; v->type == AG_T_ARRAY && i < v->n; i++)
		if (expr_reads(&v->u.items[i], dotted, arena))
			return true;
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n; i++)
		if (expr_reads(&v->u.members[i].val, dotted, arena))
			return true;
	return false;
}

typedef struct remover {
	ag_arena *arena;
	ag_str dotted;
	bool found;
} remover;

static ag_val there(const remover *r)
{
	ag_member *m = ag_new_n(r->arena, ag_member, 2);

	m[0] = AG_EV_KV("$exists", ag_val_bool(true));
	m[1] = (ag_member){ r->dotted, ag_val_object(m, 1) };
	return ag_val_object(m + 1, 1);
}

/* prefix: of the arrays that $elemMatch looks into. Each member becomes a part of one $and. */
static ag_val without(remover *r, const ag_val *filter, ag_str prefix)
{
	ag_val *parts = ag_new_n(r->arena, ag_val, filter->n ? filter->n : 1);
	ag_member *and;

	for (uint32_t i = 0; i < filter->n; i++) {
		const ag_member *m = &filter->u.members[i];
		const ag_str path = prefix.len ? ag_str_printf(r->arena, "%.*s.%.*s",
		                                               AG_FMT(prefix), AG_FMT(m->key))
		                               : m->key;

		parts[i] = ag_val_object(m, 1);
		if (ag_str_eqc(m->key, "$expr")) {
			if (r->dotted.len && !expr_reads(&m->val, r->dotted, r->arena))
				continue;
		} else if (m->key.len && m->key.ptr[0] == '$') {
			ag_val *kids = ag_new_n(r->arena, ag_val, m->val.n ? m->val.n : 1);
			ag_member *op = ag_new(r->arena, ag_member);

			if (m->val.type != AG_T_ARRAY)
				continue;
			for (uint32_t k = 0; k < m->val.n; k++)
				kids[k] = m->val.u.items[k].type == AG_T_OBJECT
				                  ? without(r, &m->val.u.items[k], prefix)
				                  : m->val.u.items[k];
			*op = (ag_member){ m->key, ag_val_array(kids, m->val.n) };
			parts[i] = ag_val_object(op, 1);
			continue;
		} else if (!path_meets(ag_proof_plain_path(path, r->arena), r->dotted, true)) {
			const ag_val *elem = ag_val_getc(&m->val, "$elemMatch");
			remover inside = *r;

			/* {"items":{"$elemMatch":{"price":…}}} is about items.price. */
			inside.found = false;
			if (!elem || elem->type != AG_T_OBJECT)
				continue;
			(void)without(&inside, elem, ag_proof_plain_path(path, r->arena));
			if (!inside.found)
				continue;
		}
		parts[i] = r->dotted.len ? there(r) : ag_val_object(NULL, 0);
		r->found = true;
	}
	and = ag_new(r->arena, ag_member);
	*and = AG_EV_KV("$and", ag_val_array(parts, filter->n));
	return filter->n ? ag_val_object(and, 1) : *filter;
}

ag_str ag_proof_without(const ag_proof_query *q, ag_str dotted, ag_arena *arena)
{
	remover r = { arena, dotted, false };
	const ag_val *filter;
	ag_err ignored;
	ag_val left;

	if (q->form != AG_PROOF_FILTER || ag_docquery_value(q->filter, arena, &filter, &ignored) ||
	    filter->type != AG_T_OBJECT)
		return AG_S("");
	left = without(&r, filter, AG_S(""));
	return r.found ? ag_ev_str(arena, &left) : AG_S("");
}

typedef struct splitter {
	ag_arena *arena;
	bool (*is_first)(void *arg, ag_str path);
	void *arg;
	ag_buf parts[2];
} splitter;

static bool split(splitter *s, const ag_val *filter)
{
	for (uint32_t i = 0; i < filter->n; i++) {
		const ag_member *m = &filter->u.members[i];
		const ag_val one = ag_val_object(m, 1);
		ag_buf *part;

		if (ag_str_eqc(m->key, "$and") && m->val.type == AG_T_ARRAY) {
			for (uint32_t k = 0; k < m->val.n; k++)
				if (m->val.u.items[k].type != AG_T_OBJECT ||
				    !split(s, &m->val.u.items[k]))
					return false;
			continue;
		}
		if (m->key.len && m->key.ptr[0] == '$')
			return false;
		part = &s->parts[!s->is_first(s->arg, ag_proof_plain_path(m->key, s->arena))];
		ag_buf_addf(part, "%s%.*s", part->len ? "," : "",
		            AG_FMT(ag_ev_str(s->arena, &one)));
	}
	return true;
}

bool ag_proof_split(const ag_proof_query *q, bool (*is_first)(void *arg, ag_str path), void *arg,
                    ag_arena *arena, ag_str *ret_first, ag_str *ret_rest)
{
	splitter s = { .arena = arena, .is_first = is_first, .arg = arg };
	const ag_val *filter;
	ag_err ignored;
	bool ok;

	for (size_t i = 0; i < AG_NELEM(s.parts); i++)
		ag_buf_init(&s.parts[i], 1024 * 1024);
	ok = q->form == AG_PROOF_FILTER &&
	     !ag_docquery_value(q->filter, arena, &filter, &ignored) &&
	     filter->type == AG_T_OBJECT && split(&s, filter) && s.parts[0].len && s.parts[1].len &&
	     !s.parts[0].failed && !s.parts[1].failed;
	if (ok) {
		*ret_first = ag_str_printf(arena, "{\"$and\":[%.*s]}",
		                           AG_FMT(ag_buf_view(&s.parts[0])));
		*ret_rest = ag_str_printf(arena, "{\"$and\":[%.*s]}",
		                          AG_FMT(ag_buf_view(&s.parts[1])));
	}
	for (size_t i = 0; i < AG_NELEM(s.parts); i++)
		ag_buf_release(&s.parts[i]);
	return ok;
}
