/* filter_internal -- what the parts of the filter share: operator table, place in the query, limits.
 * Private to filter_*.c and match.c. */
#ifndef AG_QUERY_FILTER_INTERNAL_H
#define AG_QUERY_FILTER_INTERNAL_H

#include "query/filter.h"

typedef struct ag_filter_parser ag_filter_parser;

/* Where an operator may stand. */
typedef enum ag_filter_place {
	AG_FP_TOP,   /* {"$op": …} */
	AG_FP_FIELD, /* {"field": {"$op": …}} */
	AG_FP_DENIED /* nowhere: `why` says the reason */
} ag_filter_place;

typedef struct ag_filter_op_row {
	const char *name;
	ag_filter_place place;
	ag_filter_op op;
	/* Fills `node` (op and path are set) from the operator's value v; `ops` is the object around it.
	 * NULL for DENIED rows. */
	ag_status (*parse)(ag_filter_parser *p, ag_filter *node, const ag_val *v,
	                   const ag_val *ops);
	const char *why;
} ag_filter_op_row;

struct ag_filter_parser {
	ag_arena *arena;
	ag_err *err;
	unsigned depth;
	size_t nnode;
	ag_buf place; /* "$or[1].age": where the parser stands */
};

const ag_filter_op_row *ag_filter_op_find(ag_str name);
/* AG_INVALID for an unknown or misplaced operator, AG_DENIED for a refused one. */
ag_status ag_filter_op_refuse(ag_filter_parser *p, ag_str name, ag_filter_place place);
AG_PRINTF(2, 3) ag_status ag_filter_bad(ag_filter_parser *p, const char *fmt, ...);

/* One step down; the mark goes back to ag_filter_leave. */
AG_CHECK ag_status ag_filter_enter(ag_filter_parser *p, ag_str name, ptrdiff_t index, size_t *mark);
void ag_filter_leave(ag_filter_parser *p, size_t mark);
AG_CHECK ag_status ag_filter_node(ag_filter_parser *p, ag_filter_op op, const ag_filter *like,
                                  ag_filter **ret);

/* A filter document; `top` allows $expr. */
AG_CHECK ag_status ag_filter_doc(ag_filter_parser *p, const ag_val *doc, bool top,
                                 const ag_filter **ret);
/* {"$gt":1,"$lt":5} on the path of `like`. */
AG_CHECK ag_status ag_filter_ops_object(ag_filter_parser *p, const ag_filter *like,
                                        const ag_val *ops, const ag_filter **ret);
bool ag_filter_is_ops(const ag_val *v);
/* AND of n nodes: none is TRUE, one is itself. */
AG_CHECK ag_status ag_filter_join(ag_filter_parser *p, ag_filter_op op,
                                  const ag_filter *const *kids, size_t n, const ag_filter *like,
                                  const ag_filter **ret);

/* Parsers of operator values, for the table; see filter_field_ops.c. */
#define AG_FILTER_OP_PARSER(name)                                                               \
	ag_status ag_filter_parse_##name(ag_filter_parser *p, ag_filter *node, const ag_val *v, \
	                                 const ag_val *ops)
AG_FILTER_OP_PARSER(cmp);
AG_FILTER_OP_PARSER(ne);
AG_FILTER_OP_PARSER(in);
AG_FILTER_OP_PARSER(nin);
AG_FILTER_OP_PARSER(exists);
AG_FILTER_OP_PARSER(type);
AG_FILTER_OP_PARSER(regex);
AG_FILTER_OP_PARSER(options);
AG_FILTER_OP_PARSER(size);
AG_FILTER_OP_PARSER(all);
AG_FILTER_OP_PARSER(elem);
AG_FILTER_OP_PARSER(mod);
AG_FILTER_OP_PARSER(not );
AG_FILTER_OP_PARSER(bool);
AG_FILTER_OP_PARSER(expr);
AG_FILTER_OP_PARSER(comment);

/* Leaf on one value, without the missing-value rule of EXISTS; see match.c. */
const ag_val *ag_filter_child(const ag_val *doc, ag_str name);

#endif
