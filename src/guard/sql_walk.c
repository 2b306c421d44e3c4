/* sql_walk -- from node to node; kinds that are not in the table are refused.
 *
 * The tree is walked by the descriptors that protobuf-c made from the library's own description of it. So a place where
 * a node can stand is never forgotten: whatever field it is in, it is visited. */
#include "guard/sql_huge.h"

/* clang-format off */
typedef struct kind {
	size_t size;
	ag_sql_check *check; /* before the children */
	ag_sql_check *walk;  /* instead of them */
} kind;
/* clang-format on */

/* Kinds that harm nobody, and those with a check. Everything else is default deny: utility statements, nodes that only a
 * planner makes, DEFAULT, CURRENT OF, XMLTABLE (XPath runs without a way to interrupt it), whatever a later library adds. */
static const kind kinds[] = {
#define TAG(name) [PG_QUERY__NODE__NODE_##name]
	TAG(A_ARRAY_EXPR) = { sizeof(PgQuery__AArrayExpr), ag_sql_check_array, NULL },
	TAG(A_CONST) = { sizeof(PgQuery__AConst), NULL, NULL },
	TAG(A_EXPR) = { sizeof(PgQuery__AExpr), ag_sql_check_expr, NULL },
	TAG(A_INDICES) = { sizeof(PgQuery__AIndices), NULL, NULL },
	TAG(A_INDIRECTION) = { sizeof(PgQuery__AIndirection), ag_sql_check_indirection, NULL },
	TAG(A_STAR) = { sizeof(PgQuery__AStar), NULL, NULL },
	TAG(ALIAS) = { sizeof(PgQuery__Alias), NULL, NULL },
	TAG(BIT_STRING) = { sizeof(PgQuery__BitString), NULL, NULL },
	TAG(BOOL_EXPR) = { sizeof(PgQuery__BoolExpr), NULL, NULL },
	TAG(BOOLEAN) = { sizeof(PgQuery__Boolean), NULL, NULL },
	TAG(BOOLEAN_TEST) = { sizeof(PgQuery__BooleanTest), NULL, NULL },
	TAG(CASE_EXPR) = { sizeof(PgQuery__CaseExpr), ag_sql_check_case, NULL },
	TAG(CASE_WHEN) = { sizeof(PgQuery__CaseWhen), NULL, NULL },
	TAG(COALESCE_EXPR) = { sizeof(PgQuery__CoalesceExpr), ag_sql_check_choice, NULL },
	TAG(COLLATE_CLAUSE) = { sizeof(PgQuery__CollateClause), NULL, NULL },
	TAG(COLUMN_DEF) = { sizeof(PgQuery__ColumnDef), NULL, NULL },
	TAG(COLUMN_REF) = { sizeof(PgQuery__ColumnRef), ag_sql_check_column, NULL },
	TAG(COMMON_TABLE_EXPR) = { sizeof(PgQuery__CommonTableExpr), NULL, NULL },
	TAG(CTECYCLE_CLAUSE) = { sizeof(PgQuery__CTECycleClause), NULL, NULL },
	TAG(CTESEARCH_CLAUSE) = { sizeof(PgQuery__CTESearchClause), NULL, NULL },
	TAG(FLOAT) = { sizeof(PgQuery__Float), NULL, NULL },
	TAG(FUNC_CALL) = { sizeof(PgQuery__FuncCall), ag_sql_check_call, NULL },
	TAG(GROUPING_FUNC) = { sizeof(PgQuery__GroupingFunc), NULL, NULL },
	TAG(GROUPING_SET) = { sizeof(PgQuery__GroupingSet), NULL, NULL },
	TAG(INTEGER) = { sizeof(PgQuery__Integer), NULL, NULL },
	TAG(JOIN_EXPR) = { sizeof(PgQuery__JoinExpr), NULL, ag_sql_walk_join },
	TAG(LIST) = { sizeof(PgQuery__List), NULL, NULL },
	TAG(MIN_MAX_EXPR) = { sizeof(PgQuery__MinMaxExpr), ag_sql_check_choice, NULL },
	TAG(NAMED_ARG_EXPR) = { sizeof(PgQuery__NamedArgExpr), NULL, NULL },
	TAG(NULL_TEST) = { sizeof(PgQuery__NullTest), ag_sql_check_null, NULL },
	TAG(PARAM_REF) = { sizeof(PgQuery__ParamRef), ag_sql_check_parameter, NULL },
	TAG(RANGE_FUNCTION) = { sizeof(PgQuery__RangeFunction), NULL, ag_sql_walk_function_range },
	TAG(RANGE_SUBSELECT) = { sizeof(PgQuery__RangeSubselect), NULL, ag_sql_walk_subselect },
	TAG(RANGE_TABLE_SAMPLE) = { sizeof(PgQuery__RangeTableSample), ag_sql_check_sample, NULL },
	TAG(RANGE_VAR) = { sizeof(PgQuery__RangeVar), ag_sql_check_table, NULL },
	TAG(RES_TARGET) = { sizeof(PgQuery__ResTarget), ag_sql_check_result, NULL },
	TAG(ROW_EXPR) = { sizeof(PgQuery__RowExpr), ag_sql_check_row, NULL },
	TAG(SELECT_STMT) = { sizeof(PgQuery__SelectStmt), NULL, ag_sql_walk_select },
	TAG(SORT_BY) = { sizeof(PgQuery__SortBy), ag_sql_check_sort, NULL },
	TAG(SQLVALUE_FUNCTION) = { sizeof(PgQuery__SQLValueFunction), NULL, NULL },
	TAG(STRING) = { sizeof(PgQuery__String), NULL, NULL },
	TAG(SUB_LINK) = { sizeof(PgQuery__SubLink), ag_sql_check_sublink, NULL },
	TAG(TYPE_CAST) = { sizeof(PgQuery__TypeCast), ag_sql_check_cast, NULL },
	TAG(TYPE_NAME) = { sizeof(PgQuery__TypeName), ag_sql_check_type, NULL },
	TAG(WINDOW_DEF) = { sizeof(PgQuery__WindowDef), NULL, NULL },
	TAG(WITH_CLAUSE) = { sizeof(PgQuery__WithClause), NULL, ag_sql_walk_with },
	TAG(XML_EXPR) = { sizeof(PgQuery__XmlExpr), ag_sql_check_xml, NULL },
	TAG(XML_SERIALIZE) = { sizeof(PgQuery__XmlSerialize), NULL, NULL },
#undef TAG
};

/* Names that a reader of SQL knows. */
static const char *shown(const char *node)
{
	static const struct {
		const char *node, *name;
	} names[] = {
		{ "RangeTableFunc", "XMLTABLE" },
		{ "SetToDefault", "DEFAULT" },
		{ "CurrentOfExpr", "CURRENT OF" },
	};

	for (size_t i = 0; i < AG_NELEM(names); i++)
		if (strcmp(node, names[i].node) == 0)
			return names[i].name;
	return node;
}

static bool not_allowed(ag_sql_walk *w, const char *name)
{
	const ag_str n = ag_str_c(name);

	if (ag_str_ends(n, AG_S("Stmt")))
		return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_STATEMENT,
		                     "Only SELECT statements are allowed, not %.*s",
		                     (int)(n.len - 4), n.ptr);
	return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_SYNTAX_NODE,
	                     "The construct %s is not allowed", shown(name));
}

static bool visit(ag_sql_walk *w, const kind *k, const ProtobufCMessage *m)
{
	if (k->check && !k->check(w, m))
		return false;
	return k->walk ? k->walk(w, m) : ag_sql_walk_fields(w, m, NULL, NULL);
}

static bool enter(ag_sql_walk *w, unsigned tag, const ProtobufCMessage *m)
{
	const kind *k = tag < AG_NELEM(kinds) ? &kinds[tag] : NULL;
	bool ok;

	if (!k || k->size != m->descriptor->sizeof_message || m->n_unknown_fields)
		return not_allowed(w, m->descriptor->short_name);
	if (++w->nnode > AG_SQL_MAX_NODES)
		return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_TOO_COMPLEX,
		                     "The statement has more than %u parts", AG_SQL_MAX_NODES) ||
		       ag_sql_refuse_hint(w->v, w->arena, "split it into several");
	if (w->depth == AG_SQL_MAX_DEPTH)
		return ag_sql_refuse(w->v, w->arena, AG_SQLRULE_TOO_COMPLEX,
		                     "The statement is nested more than %u levels deep",
		                     AG_SQL_MAX_DEPTH) ||
		       ag_sql_refuse_hint(w->v, w->arena,
		                          "long chains of operators count too: use IN or = ANY "
		                          "instead of many OR, concat() instead of many ||");
	w->depth++;
	ok = (!w->uses.has_server_casts || ag_sql_casts_check(w, tag, m)) && visit(w, k, m);
	w->depth--;
	return ok;
}

bool ag_sql_walk_node(ag_sql_walk *w, const PgQuery__Node *node)
{
	if (!node || node->node_case == PG_QUERY__NODE__NODE__NOT_SET)
		return true;
	if (node->base.n_unknown_fields)
		return not_allowed(w, "unknown");
	/* The members of the union are pointers to messages of all kinds. */
	return enter(w, (unsigned)node->node_case, (const ProtobufCMessage *)node->select_stmt);
}

bool ag_sql_walk_nodes(ag_sql_walk *w, PgQuery__Node *const *nodes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!ag_sql_walk_node(w, nodes[i]))
			return false;
	return true;
}

bool ag_sql_walk_message(ag_sql_walk *w, const ProtobufCMessage *m)
{
	const ProtobufCMessageDescriptor *node = w->pg->node;

	if (!m)
		return true;
	if (m->descriptor == node)
		return ag_sql_walk_node(w, (const PgQuery__Node *)m);
	/* The fields of a node are all kinds there are; few messages are fields of their own, so a search will do. */
	for (unsigned i = 0; i < node->n_fields; i++)
		if (node->fields[i].descriptor == m->descriptor)
			return enter(w, node->fields[i].id, m);
	return not_allowed(w, m->descriptor->short_name);
}

/* A field of one message, or of many. */
static bool walk_field(ag_sql_walk *w, const ProtobufCMessage *m, const ProtobufCFieldDescriptor *f)
{
	const char *at = (const char *)m + f->offset;
	const char *count = (const char *)m + f->quantifier_offset;
	const ProtobufCMessage *const *many;
	const ProtobufCMessage *one;
	uint32_t which;
	size_t n;

	if (f->label == PROTOBUF_C_LABEL_REPEATED) {
		memcpy(&n, count, sizeof(n));
		memcpy((void *)&many, at, sizeof(many));
		for (size_t i = 0; i < n; i++)
			if (!ag_sql_walk_message(w, many[i]))
				return false;
		return true;
	}
	if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
		memcpy(&which, count, sizeof(which));
		if (which != f->id)
			return true;
	}
	memcpy((void *)&one, at, sizeof(one));
	return ag_sql_walk_message(w, one);
}

bool ag_sql_walk_fields(ag_sql_walk *w, const ProtobufCMessage *m, const void *but,
                        const void *but_too)
{
	for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
		const char *at = (const char *)m + f->offset;

		if (f->type != PROTOBUF_C_TYPE_MESSAGE || at == but || at == but_too)
			continue;
		if (!walk_field(w, m, f))
			return false;
	}
	return true;
}

/* --- for the checks --- */

void ag_sql_walk_at(ag_sql_walk *w, int32_t byte)
{
	w->v->position = byte < 0 ? 0 : (uint32_t)byte + 1; /* characters: when it is refused */
}

ag_str ag_sql_node_text(const PgQuery__Node *node)
{
	if (!node || node->node_case != PG_QUERY__NODE__NODE_STRING)
		return AG_S("");
	return ag_str_c(node->string->sval);
}

void ag_sql_list_add(ag_sql_walk *w, ag_sql_list *list, ag_str text)
{
	if (ag_sql_has_text(list->items, list->n, text))
		return;
	if (list->n == list->cap) {
		const size_t cap = list->cap ? 2 * list->cap : 8;
		ag_str *items = ag_new_n(w->scratch, ag_str, cap);

		if (list->n)
			memcpy(items, list->items, list->n * sizeof(*items));
		list->items = items;
		list->cap = cap;
	}
	list->items[list->n++] = ag_str_dup(w->arena, text);
}

static const ag_str *settled(ag_sql_walk *w, const ag_sql_list *list)
{
	ag_str *items = ag_new_n(w->arena, ag_str, list->n);

	if (list->n)
		memcpy(items, list->items, list->n * sizeof(*items));
	return items;
}

bool ag_sql_walk_statement(ag_sql_walk *w, const PgQuery__SelectStmt *select)
{
	bool ok;

	w->uses.is_sorted = select->n_distinct_clause || select->n_sort_clause ||
	                    select->n_group_clause;
	ag_sql_casts_begin(w);
	ok = ag_sql_walk_message(w, &select->base) && ag_sql_uses_settle(w) && ag_sql_huge_end(w);
	if (ok)
		w->v->position = 0;
	w->v->tables = settled(w, &w->tables);
	w->v->ntable = w->tables.n;
	w->v->functions = settled(w, &w->functions);
	w->v->nfunction = w->functions.n;
	return ok;
}
