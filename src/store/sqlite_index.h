/* sqlite_index -- what the two files of the index share. Only store/sqlite_index*.c include this. */
#ifndef AG_STORE_SQLITE_INDEX_H
#define AG_STORE_SQLITE_INDEX_H

#include "store/sqlite.h"

/* An operation on the index failed with *why. Is the index damaged (its tables are not what they should be), then it is
 * made anew, empty: AG_CONFLICT, with words for it in err. Any other failure is handed on as it is. */
ag_status ag_sqlite_index_mend(ag_sqlite_store *s, const ag_err *why, ag_err *err);

#endif
