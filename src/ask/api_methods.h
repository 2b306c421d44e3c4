/* api_methods -- which HTTP methods a question may use: read from a list, printed as a list, found in the user's words.
 *
 * query_api sends GET and HEAD. Any other method needs the user: an order in the question itself, or --api-methods. Files,
 * responses and the model are never asked. */
#ifndef AG_ASK_API_METHODS_H
#define AG_ASK_API_METHODS_H

#include "base/arena.h"
#include "base/err.h"

typedef enum ag_api_method {
	AG_API_GET = 1u << 0,
	AG_API_HEAD = 1u << 1,
	AG_API_POST = 1u << 2,
	AG_API_PUT = 1u << 3,
	AG_API_PATCH = 1u << 4,
	AG_API_DELETE = 1u << 5
} ag_api_method;

#define AG_API_READING (AG_API_GET | AG_API_HEAD)
#define AG_API_ALL     0x3fu

/* The bit of a method in any case; 0 when the name is unknown. */
unsigned ag_api_method_bit(ag_str name);
/* "GET" of AG_API_GET. */
ag_str ag_api_method_name(unsigned bit);
/* "GET, HEAD and POST". In arena. */
ag_str ag_api_methods_text(unsigned methods, ag_arena *arena);
/* "GET,HEAD,POST" in any case and with blanks around the names. GET and HEAD are always in the result.
 * errors  AG_INVALID: names the word that is no method */
AG_CHECK ag_status ag_api_methods_parse(ag_str list, unsigned *ret, ag_err *err);

/* The methods that the text orders, beside GET and HEAD; 0 = none.
 *
 * An order is an imperative: "Create an item", "Please delete item 5", "Send a POST request to /items/". A question about
 * writing ("how do I delete …", "what does POST … return") and a negated verb ("without deleting anything") order
 * nothing, and a negated method stays out even where another sentence orders it. Text in quotes is data. In doubt the
 * result is "no": a missing method costs a refusal that names --api-methods, a wrong one changes somebody's data. */
unsigned ag_api_methods_ordered(ag_str question);

#endif
