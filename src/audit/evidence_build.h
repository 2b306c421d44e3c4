/* evidence_build -- evidence as extended JSON, built from values so that quoting is always right.
 *
 * A filter under a field with MongoDB's own semantics:
 *
 *   price           {"price": COND}
 *   address.city    {"address.city": COND}
 *   items[].price   {"items": {"$elemMatch": {"price": COND}}}
 *   tags[]          {"tags": {"$elemMatch": COND}}
 *
 * So every condition is about one occurrence, negations included, and the count is one of documents. */
#ifndef AG_AUDIT_EVIDENCE_BUILD_H
#define AG_AUDIT_EVIDENCE_BUILD_H

#include "columns/profile.h"

/* OBJ(arena, KV("$gt", v), KV("$lt", w)); members and items are copied into the arena. */
#define AG_EV_KV(k, v) ((ag_member){ ag_str_c(k), (v) })
#define AG_EV_OBJ(a, ...)                                  \
	ag_ev_obj((a), (const ag_member[]){ __VA_ARGS__ }, \
	          sizeof((const ag_member[]){ __VA_ARGS__ }) / sizeof(ag_member))
#define AG_EV_ARR(a, ...)                               \
	ag_ev_arr((a), (const ag_val[]){ __VA_ARGS__ }, \
	          sizeof((const ag_val[]){ __VA_ARGS__ }) / sizeof(ag_val))

ag_val ag_ev_obj(ag_arena *a, const ag_member *members, size_t n);
ag_val ag_ev_arr(ag_arena *a, const ag_val *items, size_t n);
ag_val ag_ev_text(const char *literal);
ag_val ag_ev_regex(ag_arena *a, const char *pattern, const char *options); /* {"$regex": …} */

/* How a path is asked for. */
typedef struct ag_ev_place {
	bool ok; /* false: no filter can speak of this path (keys that are data, names with dots …) */
	ag_str array; /* dotted path of the innermost array, "" = none */
	ag_str rest; /* dotted path of the value below it (or from the document); "" = the item itself */
	ag_str whole; /* array and rest as one dotted path */
} ag_ev_place;

ag_ev_place ag_ev_place_of(ag_arena *a, const ag_path_profile *f);
/* Can a filter name the field at this path? Not when a name in it holds a dot, begins with "$" or is empty. */
bool ag_ev_can_name(ag_arena *a, ag_str path);

/* The filter's text, or "" when the path has no place. */
ag_str ag_ev_where(ag_arena *a, const ag_path_profile *f, ag_val cond);
/* The same, and the object that should hold the field is there. */
ag_str ag_ev_where_held(ag_arena *a, const ag_path_profile *f, ag_val cond);
/* "this field meets one condition, a sibling of it another", in one object. */
ag_str ag_ev_where_two(ag_arena *a, const ag_path_profile *f, ag_val cond, const ag_path_profile *g,
                       ag_val cond_g);
/* An item is in this array twice; array: dotted path. */
ag_str ag_ev_repeated_items(ag_arena *a, ag_str array);
ag_str ag_ev_str(ag_arena *a, const ag_val *v);

/* A day that exists in some year, at the begin of a text. */
#define AG_EV_ISO_DAY "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"

/* {"$type":"string"}, and in CSV a cell that has no view and is not empty: numbers and dates are no strings there. */
ag_val ag_ev_is_string(ag_arena *a, const ag_profile *p);

#endif
