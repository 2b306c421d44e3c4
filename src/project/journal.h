/* journal -- writes the audit table from the side: a thread gathers rows and appends them in groups.
 *
 * A row is on disk within 50 ms of ag_journal_add(), and all of them when ag_journal_close() returns. When the store cannot
 * be written, rows wait (up to AG_JOURNAL_MAX_WAITING, or 32 MB of texts), it is tried again, and from the first failure on
 * ag_journal_is_whole() is false: callers then refuse what must be recorded. */
#ifndef AG_PROJECT_JOURNAL_H
#define AG_PROJECT_JOURNAL_H

#include "base/time.h"
#include "store/ledger.h"

#define AG_JOURNAL_MAX_WAITING 20000u
#define AG_JOURNAL_GROUP_MS    40

typedef struct ag_journal ag_journal;

/* Opens a handle of its own and starts the thread on the first row.
 * errors  of ag_store_open() */
AG_CHECK ag_status ag_journal_open(ag_str store_uri, ag_journal **ret, ag_err *err);
/* Everything that was added is written first. errors  the store refused it: how many rows were lost is in the message */
ag_status ag_journal_close(ag_journal *j, ag_err *err);
/* Copies the row (texts are cut to their limits and cleaned of known secrets). Thread safe; blocks only while
 * AG_JOURNAL_MAX_WAITING rows wait.
 * errors  AG_UNAVAILABLE: the store has been failing and no more rows fit */
AG_CHECK ag_status ag_journal_add(ag_journal *j, const ag_ledger_row *row, ag_err *err);
/* False while the last attempt to write failed, or one hangs for more than a second (the store is locked). */
bool ag_journal_is_whole(ag_journal *j);
/* Waits until all rows that were added before are on disk.
 * errors  of the store: an attempt failed meanwhile (it is tried again later) */
AG_CHECK ag_status ag_journal_flush(ag_journal *j, ag_err *err);

#endif
