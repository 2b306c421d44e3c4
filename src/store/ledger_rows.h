/* ledger_rows -- what ledger.c and ledger_care.c share about the table. Private to store/. */
#ifndef AG_STORE_LEDGER_ROWS_H
#define AG_STORE_LEDGER_ROWS_H

#include "base/sha256.h"
#include "store/ledger.h"
#include "store/parts.h"

/* In the order of ag_ledger_row, as ag_ledger_view() reads them and ag_store_ledger_append() writes them. */
#define AG_LEDGER_COLUMNS                                                                     \
	"seq, at, \"user\", project, token, session, tool, sql, fingerprint, verdict, rule, " \
	"tables, nrow, nbyte, wait_us, exec_us, outcome, detail, began, owner, hash"
#define AG_LEDGER_NCOLUMN 21
#define AG_LEDGER_SCOPE   AG_S("ledger")

/* Where the chain begins and ends. */
typedef struct ag_ledger_chain {
	int64_t base_seq, head_seq;
	char base_hash[65], head_hash[65];
	bool is_there;
} ag_ledger_chain;

AG_CHECK ag_status ag_ledger_read_chain(ag_db *db, ag_ledger_chain *ret, ag_err *err);
/* Its texts are views of the row's. */
void ag_ledger_view(const ag_db_val *row, ag_ledger_row *r);
/* Adds what the row's hash is made of to buf, which is emptied before. */
ag_sha256_hex ag_ledger_hash(const char before[65], const ag_ledger_row *r, ag_buf *buf);
/* For one row: six bytes for each byte, when every one is escaped, and the numbers. */
#define AG_LEDGER_MAX_CANONICAL \
	(6 * (AG_LEDGER_MAX_SQL + 2 * AG_LEDGER_MAX_TEXT + 10 * AG_LEDGER_MAX_NAME) + 512)

#endif
