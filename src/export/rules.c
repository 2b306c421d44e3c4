/* rules -- see the header. The tree comes from the schema of the sample. A finding about one field becomes a rule of its node
 * where a schema can say exactly the same; else its filter stays as it is. */
#include "export/rules.h"

#include "audit/mask.h"
#include "report/read.h"

#define CLOSED_MOST  10 /* values of a closed list */
#define CLOSED_TIMES 20 /* documents for each of them */

/* --- the tree --- */

static unsigned kind_of_name(ag_str name)
{
	static const struct {
		const char *name;
		ag_kind kind;
	} names[] = { { "int", AG_KIND_INT },           { "float", AG_KIND_FLOAT },
		      { "str", AG_KIND_TEXT },          { "bool", AG_KIND_BOOL },
		      { "null", AG_KIND_NULL },         { "datetime", AG_KIND_DATE },
		      { "ObjectId", AG_KIND_OID },      { "object", AG_KIND_OBJECT },
		      { "Decimal128", AG_KIND_DECIMAL } };

	for (size_t i = 0; i < AG_NELEM(names); i++)
		if (ag_str_eqc(name, names[i].name))
			return names[i].kind;
	return ag_str_starts(name, AG_S("array")) ? AG_KIND_ARRAY : AG_KIND_OTHER;
}

static unsigned kind_of_type(unsigned type)
{
	switch (type) {
	case AG_T_INT32:
	case AG_T_INT64: return AG_KIND_INT;
	case AG_T_DOUBLE: return AG_KIND_FLOAT;
	case AG_T_STRING: return AG_KIND_TEXT;
	case AG_T_BOOL: return AG_KIND_BOOL;
	case AG_T_NULL: return AG_KIND_NULL;
	case AG_T_DATE: return AG_KIND_DATE;
	case AG_T_OID: return AG_KIND_OID;
	case AG_T_DECIMAL: return AG_KIND_DECIMAL;
	case AG_T_OBJECT: return AG_KIND_OBJECT;
	case AG_T_ARRAY: return AG_KIND_ARRAY;
	default: return AG_KIND_OTHER;
	}
}

static ag_export_node *kid_of(const ag_export_node *n, ag_str name)
{
	for (ag_export_node *k = n->kids; k; k = k->next)
		if (ag_str_eq(k->name, name))
			return k;
	return NULL;
}

/* The node at a filter's path, NULL when there is none. */
static ag_export_node *node_at(ag_export_node *root, ag_str path)
{
	ag_export_node *n = root;

	while (n && path.len)
		n = kid_of(n, ag_str_split(&path, '.'));
	return n;
}

/* The steps of a field's path to its parent and its own name; NULL when a step is no key of an object. */
static ag_export_node *parent_of(ag_export *r, ag_str field, ag_arena *arena, ag_str *ret_name)
{
	ag_export_node *n = r->root;
	ag_err err = { 0 };
	ag_path path;

	if (ag_path_parse(field, arena, &path, &err) || !path.n)
		return NULL;
	for (size_t i = 0; i < path.n; i++) {
		if (path.steps[i].kind == AG_STEP_ELEM)
			return NULL;
		*ret_name = path.steps[i].kind == AG_STEP_ANY ? AG_S("*") : path.steps[i].name;
		if (i + 1 < path.n && !(n = kid_of(n, *ret_name)))
			return NULL;
	}
	return n;
}

static ag_export_node *add_node(ag_export *r, ag_str field, ag_arena *arena)
{
	ag_str name = AG_S("");
	ag_export_node *parent = parent_of(r, field, arena, &name), *n;

	if (!parent || !parent->objects || kid_of(parent, name))
		return NULL;
	n = ag_new(arena, ag_export_node);
	*n = (ag_export_node){ .path = AG_S(""), .name = name, .parent = parent };
	if (name.len && name.ptr[0] != '$' && ag_str_find(name, '.') < 0 &&
	    (parent == r->root || parent->path.len))
		n->path = parent->path.len ? ag_str_printf(arena, "%.*s.%.*s", AG_FMT(parent->path),
		                                           AG_FMT(name))
		                           : name;
	if (parent->last_kid)
		parent->last_kid->next = n;
	else
		parent->kids = n;
	parent->last_kid = n;
	return n;
}

static void read_field(ag_export *r, const ag_val *f, ag_arena *arena)
{
	const ag_val *types = ag_report_get(f, "types");
	ag_export_node *n = add_node(r, ag_report_str(f, "path"), arena);

	if (!n || !types || types->type != AG_T_OBJECT) {
		r->paths_left_out++;
		return;
	}
	n->present = ag_report_count(f, "present_count");
	for (uint32_t i = 0; i < types->n; i++) {
		const unsigned kind = kind_of_name(types->u.members[i].key);
		int64_t count = 0;

		n->kinds |= kind;
		if (kind == AG_KIND_OBJECT && ag_val_to_i64(&types->u.members[i].val, &count))
			n->objects += (uint64_t)count;
	}
	n->is_required = !ag_str_eqc(n->name, "*") && n->present == n->parent->objects;
}

/* The result of the trace's first step with this action; NULL. */
static const ag_val *result_of(const ag_val *report, const char *action, size_t nth)
{
	size_t n;
	const ag_val *steps = ag_report_items(report, "run_trace", &n);

	for (size_t i = 0; i < n; i++) {
		const ag_val *o = ag_report_get(&steps[i], "observation");
		const ag_val *result = o ? ag_report_get(o, "result") : NULL;

		if (result && ag_str_eqc(ag_report_str(&steps[i], "action"), action) && !nth--)
			return result;
	}
	return NULL;
}

/* --- findings --- */

static void read_rule(ag_export *r, const ag_val *f, ag_arena *arena)
{
	const ag_extjson_opts query = { .typed = true, .query = true };
	ag_export_rule *rule = &r->rules[r->nrule++];
	ag_err err = { 0 };

	*rule = (ag_export_rule){ .field = ag_report_str(f, "field"),
		                  .category = ag_report_str(f, "category"),
		                  .title = ag_report_str(f, "category_title"),
		                  .description = ag_report_str(f, "description") };
	/* A pipeline is about several documents: no filter, no rule. */
	if (ag_extjson_parse(ag_report_str(f, "evidence_query"), &query, arena, &rule->evidence,
	                     NULL, NULL, &err) ||
	    rule->evidence.type != AG_T_OBJECT ||
	    ag_filter_from_val(&rule->evidence, arena, &rule->filter, &err))
		rule->filter = NULL;
}

static bool makes_a_rule(const ag_val *f, ag_severity least)
{
	ag_severity s;

	return ag_severity_parse(ag_report_str(f, "severity"), &s) && s >= least &&
	       ag_str_eqc(ag_report_str(f, "status"), "published") && !ag_report_is_aside(f);
}

static bool is_plain(const ag_val *v)
{
	return v->type == AG_T_STRING || v->type == AG_T_BOOL || ag_type_is_number(v->type);
}

/* No array stands on the way, so that the field has one value. */
static bool has_one_value(const ag_export_node *n)
{
	const unsigned several = AG_KIND_ARRAY | AG_KIND_OTHER;

	if (n->kinds & (several | AG_KIND_OBJECT))
		return false;
	for (n = n->parent; n; n = n->parent)
		if (n->kinds & several)
			return false;
	return true;
}

static bool take_bound(ag_bound *b, const ag_val *v, bool is_open)
{
	if (!ag_type_is_number(v->type) || b->value.type != AG_T_MISSING)
		return false;
	*b = (ag_bound){ *v, is_open };
	return true;
}

static bool take_wrong(ag_export_node *n, const ag_val *v, size_t count)
{
	if (n->nwrong + count > AG_NELEM(n->wrong))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!is_plain(&v[i]))
			return false;
	for (size_t i = 0; i < count; i++)
		n->wrong[n->nwrong++] = v[i];
	return true;
}

/* A column of a CSV file with empty cells takes texts as well: its types say nothing about them. */
static bool take_types(ag_export_node *n, uint32_t mask, bool is_csv)
{
	unsigned kinds = n->kinds;

	if (is_csv && kinds & AG_KIND_NULL)
		return false;
	for (unsigned t = 1; t < AG_NTYPE; t++)
		if (mask & 1u << t) {
			/* A kind of several types goes only as a whole. */
			if (kind_of_type(t) == AG_KIND_OTHER ||
			    (kind_of_type(t) == AG_KIND_INT &&
			     (~mask & (1u << AG_T_INT32 | 1u << AG_T_INT64))))
				return false;
			kinds &= ~kind_of_type(t);
		}
	if (!kinds)
		return false;
	n->kinds = kinds;
	return true;
}

/* True: the node now says what the filter says. */
static bool take_filter(ag_export_node *n, const ag_filter *f, const ag_export *r)
{
	switch (f->op) {
	case AG_F_TYPE: return take_types(n, f->type_mask, r->is_csv);
	case AG_F_EXISTS:
		if (f->flag || n->parent != r->root)
			return false;
		n->is_required = true;
		return true;
	case AG_F_GT: return take_bound(&n->max, &f->operand, false);
	case AG_F_GTE: return take_bound(&n->max, &f->operand, true);
	case AG_F_LT: return take_bound(&n->min, &f->operand, false);
	case AG_F_LTE: return take_bound(&n->min, &f->operand, true);
	case AG_F_EQ: return take_wrong(n, &f->operand, 1);
	case AG_F_IN: return !f->nkids && take_wrong(n, f->operand.u.items, (size_t)f->number);
	case AG_F_REGEX:
		if (n->nbroken == AG_NELEM(n->broken) || ag_regex_opts(f->regex).len ||
		    !ag_pattern_is_portable(f->regex))
			return false;
		n->broken[n->nbroken++] = ag_regex_pattern(f->regex);
		return true;
	default: return false;
	}
}

static void place_rule(ag_export *r, ag_export_rule *rule, ag_arena *arena)
{
	ag_export_node *n = rule->filter ? node_at(r->root, rule->filter->path) : NULL;

	if (!n || n == r->root || !ag_str_eq(n->path, rule->filter->path) || !has_one_value(n) ||
	    n->nnote == AG_NELEM(n->note) || !take_filter(n, rule->filter, r))
		return;
	rule->is_in_schema = true;
	rule->is_negative = rule->filter->op == AG_F_EQ || rule->filter->op == AG_F_IN ||
	                    rule->filter->op == AG_F_REGEX;
	n->note[n->nnote++] = ag_str_printf(arena, "%.*s: %.*s", AG_FMT(rule->title),
	                                    AG_FMT(rule->description));
}

/* --- closed lists --- */

/* The document {a: {b: value}} of the path a.b. */
static ag_val document_with(ag_str path, const ag_val *v, ag_arena *arena)
{
	ag_member *m = ag_new(arena, ag_member);
	const ag_str name = ag_str_split(&path, '.');

	*m = (ag_member){ name, path.ptr ? document_with(path, v, arena) : *v };
	return ag_val_object(m, 1);
}

static bool is_wrong(const ag_export *r, ag_str path, const ag_val *v, ag_arena *arena)
{
	const ag_val doc = document_with(path, v, arena);

	for (size_t i = 0; i < r->nrule; i++) {
		const ag_str *paths;
		size_t n;

		if (!r->rules[i].filter)
			continue;
		ag_filter_paths(r->rules[i].filter, arena, &paths, &n);
		if (n == 1 && ag_str_eq(paths[0], path) &&
		    ag_filter_match(r->rules[i].filter, &doc))
			return true;
	}
	return false;
}

/* A list is closed when it is short and each value is frequent. Values of persons are masked: no list. */
static void read_profile(ag_export *r, const ag_val *f, ag_arena *arena)
{
	const uint64_t distinct = ag_report_count(f, "distinct");
	ag_str name = AG_S("");
	ag_export_node *n = parent_of(r, ag_report_str(f, "path"), arena, &name);
	size_t ntop, nonly = 0;
	const ag_val *top = ag_report_items(f, "top_values", &ntop);
	ag_val *only;

	n = n ? kid_of(n, name) : NULL;
	if (!n || !n->path.len || ag_str_eqc(name, "*") ||
	    (n->kinds & ~(unsigned)AG_KIND_NULL) != AG_KIND_TEXT || ntop != distinct ||
	    ag_mask_field(n->path) || !has_one_value(n))
		return;
	only = ag_new_n(arena, ag_val, ntop + 1);
	for (size_t i = 0; i < ntop; i++) {
		const ag_val *v = ag_report_get(&top[i], "value");

		if (!v || v->type != AG_T_STRING)
			continue; /* of another type: the kinds of the node say so */
		if (is_wrong(r, n->path, v, arena))
			continue;
		if (ag_report_count(&top[i], "count") < CLOSED_TIMES)
			return;
		only[nonly++] = *v;
	}
	if (nonly < 2 || nonly > CLOSED_MOST)
		return;
	if (n->kinds & AG_KIND_NULL)
		only[nonly++] = ag_val_null();
	n->only = only;
	n->nonly = nonly;
}

ag_status ag_export_read(const ag_val *report, ag_severity least, ag_arena *arena, ag_export *ret,
                         ag_err *err)
{
	const ag_val *schema = result_of(report, "schema_sample", 0), *profile;
	size_t nfield, nfinding, n;
	const ag_val *fields = schema ? ag_report_items(schema, "fields", &nfield) : NULL;
	const ag_val *findings = ag_report_items(report, "findings", &nfinding);

	if (!fields || !nfield)
		return ag_fail(
			err, AG_INVALID, "export",
			"the report holds no schema: its run looked at no field, or its trace was "
			"cut");
	*ret = (ag_export){ .collection = ag_report_str(report, "collection"),
		            .run = ag_report_str(report, "id"),
		            .run_at = ag_report_str(report, "run_at"),
		            .argus = ag_report_str(ag_report_get(report, "versions"), "argus"),
		            .documents = ag_report_count(report, "collection_size"),
		            .surveyed = ag_report_count(report, "documents_sampled"),
		            .is_csv = ag_str_eqc(ag_report_str(ag_report_get(report, "source"),
		                                               "format"),
		                                 "csv") };
	ret->root = ag_new(arena, ag_export_node);
	*ret->root = (ag_export_node){ .kinds = AG_KIND_OBJECT, .objects = ret->surveyed };
	for (size_t i = 0; i < nfield; i++)
		read_field(ret, &fields[i], arena);
	ret->rules = ag_new_n(arena, ag_export_rule, nfinding + 1);
	for (size_t i = 0; i < nfinding; i++)
		if (makes_a_rule(&findings[i], least))
			read_rule(ret, &findings[i], arena);
	for (size_t i = 0; i < ret->nrule; i++)
		place_rule(ret, &ret->rules[i], arena);
	for (size_t i = 0; (profile = result_of(report, "profile_fields", i)); i++) {
		const ag_val *items = ag_report_items(profile, "fields", &n);

		for (size_t k = 0; k < n; k++)
			read_profile(ret, &items[k], arena);
	}
	return AG_OK;
}
