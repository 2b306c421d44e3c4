/* check -- what the dispatchers of store/ look at before an implementation sees it. Private to store/. */
#ifndef AG_STORE_CHECK_H
#define AG_STORE_CHECK_H

#include "base/err.h"

/* A text within its limit that a database can hold: UTF-8 without NUL. `what` names it in the message.
 * errors  AG_LIMIT, AG_INVALID */
AG_CHECK ag_status ag_store_check_text(const char *origin, const char *what, ag_str s,
                                       size_t max_bytes, ag_err *err);

#endif
