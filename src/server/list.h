/* list -- pages of lists: ?limit= says how many entries, "next" of an answer is the ?cursor= of the page after it, null on the last
 * one. A cursor is the key of the last entry that was shown, so that entries which come or go meanwhile move nothing. */
#ifndef AG_SERVER_LIST_H
#define AG_SERVER_LIST_H

#include "base/json.h"
#include "http/server.h"

typedef struct ag_server_list {
	size_t from, to; /* the entries of this page */
	ag_str next;     /* cursor of the page after it; "" = it is the last one */
} ag_server_list;

/* The page of n rows, all at hand in their order, that the request asks for. key: of the row at i, unlike any other's.
 * False: rp says 400, there is no such entry any more. */
bool ag_server_list_of(ag_httpd_request *rq, ag_httpd_reply *rp, const void *rows, size_t n,
                       ag_str (*key)(const void *rows, size_t i, ag_arena *arena),
                       ag_server_list *ret);
/* The member "next"; "" = null. */
void ag_server_list_next(ag_jw *w, ag_str next);
/* Answers 400: the cursor does not belong to this list. */
void ag_server_list_refuse(ag_httpd_reply *rp);

#endif
