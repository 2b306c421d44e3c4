/* state -- questions about the state of a run: repeats, coverage, findings by identity.
 *
 * The changes are in state_apply.c. Two calls are the same when their keys are equal; the key is made from the
 * canonical query, so {"a":null} and {"a":{"$eq":null}} are one call (audit.md section 15, gap 13). */
#include "audit/state.h"

#include <limits.h>
#include <stdlib.h>
#include <xxhash.h>

#include "guard/docquery.h"
#include "query/extjson.h"

const ag_rule_opts ag_rule_opts_default = {
	.field_coverage_min = 0.5,
	.early_termination_min = 3,
	.clean_collection_docs = 1000,
	.critical_min_share = 0.01,
	.high_min_share = 0.001,
	.budget_warning_below = 3,
	.description_min_chars = 10,
	.evidence_tolerance = 0.01,
};

void ag_audit_state_init(ag_audit_state *s, ag_arena *arena, const ag_rule_opts *rules,
                         ag_str source_key, uint64_t collection_size, unsigned budget)
{
	*s = (ag_audit_state){
		.arena = arena,
		.rules = *rules,
		.source_key = source_key,
		.collection_size = collection_size,
		.budget = budget,
	};
}

unsigned ag_audit_remaining(const ag_audit_state *s)
{
	if (!s->budget)
		return UINT_MAX;
	return s->iteration < s->budget ? s->budget - s->iteration : 0;
}

/* A filter or pipeline, given as value or as text, in canonical form; false when it is unusable. */
static bool add_query(ag_buf *key, const ag_val *v, ag_arena *arena)
{
	ag_safe_query q;
	ag_err ignored;
	ag_status st;

	if (v->type == AG_T_STRING)
		st = ag_docquery_parse(ag_val_text(v), arena, &q, &ignored);
	else
		st = ag_docquery_check(v, arena, &q, &ignored);
	if (st)
		return false;
	ag_docquery_canonical(&q, key);
	return true;
}

static bool add_filter(ag_buf *key, const ag_val *input, const char *name, ag_arena *arena)
{
	const ag_val *v = ag_val_getc(input, name);
	const ag_val everything = ag_val_object(NULL, 0);

	return add_query(key, v && v->type != AG_T_NULL ? v : &everything, arena);
}

static int by_text(const void *a, const void *b)
{
	return ag_str_cmp(*(const ag_str *)a, *(const ag_str *)b);
}

/* A list of names, sorted: their order does not make another call. */
static bool add_names(ag_buf *key, const ag_val *list, ag_arena *arena)
{
	ag_str *names;

	if (!list || list->type != AG_T_ARRAY)
		return false;
	names = ag_new_n(arena, ag_str, list->n);
	for (uint32_t i = 0; i < list->n; i++) {
		if (list->u.items[i].type != AG_T_STRING)
			return false;
		names[i] = ag_val_text(&list->u.items[i]);
	}
	qsort(names, list->n, sizeof(*names), by_text);
	for (uint32_t i = 0; i < list->n; i++) {
		ag_buf_add(key, names[i]);
		ag_buf_addc(key, '\n');
	}
	return true;
}

static void add_member(ag_buf *key, const ag_val *input, const char *name, ag_arena *arena)
{
	const ag_val *v = ag_val_getc(input, name);

	ag_buf_addc(key, '\n');
	if (v)
		ag_buf_add(key, ag_extjson_str(arena, v, AG_EXTJSON_RELAXED));
}

static bool add_finding(ag_buf *key, const ag_val *input, ag_arena *arena)
{
	const ag_val *field = ag_val_getc(input, "field"),
		     *category = ag_val_getc(input, "category");

	if (!field || field->type != AG_T_STRING || !category || category->type != AG_T_STRING)
		return false;
	ag_buf_add(key, ag_finding_canonical_field(ag_val_text(field), arena));
	ag_buf_addc(key, '\n');
	ag_buf_add(key, ag_category_canonical(ag_val_text(category), arena));
	ag_buf_addc(key, '\n');
	if (!add_filter(key, input, "evidence_query", arena))
		return false;
	add_member(key, input, "severity", arena);
	add_member(key, input, "affected_count", arena);
	return true;
}

ag_str ag_audit_call_key(ag_str tool, const ag_val *input, ag_arena *arena)
{
	ag_buf key = AG_BUF_INIT(4 * 1024 * 1024);
	bool usable = true;
	ag_str ret;

	ag_buf_add(&key, tool);
	ag_buf_addc(&key, '\n');
	if (ag_str_eqc(tool, "run_query")) {
		usable = add_filter(&key, input, "filter", arena);
	} else if (ag_str_eqc(tool, "aggregate")) {
		usable = add_filter(&key, input, "pipeline", arena);
	} else if (ag_str_eqc(tool, "get_stats")) {
		add_member(&key, input, "field", arena);
		add_member(&key, input, "operation", arena);
		ag_buf_addc(&key, '\n');
		usable = add_filter(&key, input, "filter", arena);
	} else if (ag_str_eqc(tool, "profile_fields")) {
		usable = add_names(&key, ag_val_getc(input, "fields"), arena);
	} else if (ag_str_eqc(tool, "write_finding")) {
		usable = add_finding(&key, input, arena);
	} else {
		ag_buf_add(&key, ag_extjson_str(arena, input, AG_EXTJSON_RELAXED));
	}
	ret = usable && !key.failed ? ag_buf_dup(arena, &key) : AG_S("");
	ag_buf_release(&key);
	return ret;
}

const ag_call_record *ag_audit_call_find(const ag_audit_state *s, ag_str key)
{
	const uint64_t hash = XXH3_64bits(key.ptr, key.len);

	if (!key.len)
		return NULL;
	for (size_t i = 0; i < s->calls.n; i++)
		if (s->calls.items[i].hash == hash && ag_str_eq(s->calls.items[i].key, key))
			return &s->calls.items[i];
	return NULL;
}

static const ag_finding *find_in(const ag_finding *items, size_t n, ag_str key)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(items[i].key, key))
			return &items[i];
	return NULL;
}

static ag_str key_of(const ag_audit_state *s, ag_str field, ag_str category, ag_arena *arena)
{
	return ag_finding_key(s->source_key, ag_finding_canonical_field(field, arena),
	                      ag_category_canonical(category, arena), arena);
}

const ag_finding *ag_audit_finding_find(const ag_audit_state *s, ag_str field, ag_str category)
{
	ag_arena *tmp = ag_arena_new();
	const ag_str key = key_of(s, field, category, tmp);
	const ag_finding *f = find_in(s->findings.items, s->findings.n, key);

	if (!f)
		f = find_in(s->dismissed.items, s->dismissed.n, key);
	ag_arena_free(tmp);
	return f;
}

void ag_audit_coverage(const ag_audit_state *s, size_t *ret_covered, size_t *ret_paths)
{
	size_t covered = 0, paths = 0;

	for (size_t i = 0; i < s->schema.n; i++) {
		const ag_schema_path *p = &s->schema.items[i];

		if (!p->is_data)
			continue;
		paths++;
		covered += p->investigated || p->concluded;
	}
	*ret_covered = covered;
	*ret_paths = paths;
}
