/* ledger -- what all processes of one store share about calls: the audit table, counts of rate limits, cached texts.
 *
 * The audit table is append-only and hash-chained: hash = SHA-256(hash of the row before, then the row in its canonical
 * form, ag_ledger_canonical). Whoever changes, removes or inserts a row breaks the chain from there on. Purging is the one
 * exception: it removes the oldest rows and keeps the hash of the last of them as the chain's new beginning.
 * The store notes the chain's end as well, so that rows cut off at the end are missed unless that note was changed too. */
#ifndef AG_STORE_LEDGER_H
#define AG_STORE_LEDGER_H

#include "store/store.h"

#define AG_LEDGER_MAX_GROUP 4096u   /* rows of one append */
#define AG_LEDGER_BEGAN     "began" /* outcome of a row whose call has not ended */
#define AG_LEDGER_MAX_SQL \
	16384u /* bytes that are kept of a statement; longer ones are cut, their hash is of the whole */
#define AG_LEDGER_MAX_TEXT   16384u /* bytes of tables and of detail */
#define AG_LEDGER_MAX_NAME   256u   /* bytes of every other text */
#define AG_LEDGER_MAX_CACHED (16u << 20)
#define AG_RATE_MAX_KEYS     8u

typedef struct ag_ledger_row {
	uint64_t seq;                /* from 1, without holes; given by the store */
	int64_t at_ms;               /* wall time when the call began */
	ag_str user, project, token; /* token: its id, "" on the command line */
	ag_str session, tool;
	ag_str sql;         /* "" = the call has none. Never a key: cleaned by the writer */
	ag_str fingerprint; /* 16 hex digits of the statement without literals; "" */
	ag_str verdict;     /* "allow", "deny", "" */
	ag_str rule;        /* why it was denied */
	ag_str tables;      /* JSON array */
	uint64_t nrow, nbyte;
	int64_t wait_us, exec_us;
	ag_str outcome; /* "ok", or a code of sql/sql_error.h */
	ag_str detail;  /* SQLSTATE, other arguments as JSON; "" */
	/* A call that takes long has two rows. The first, written while it runs, has the outcome AG_LEDGER_BEGAN and names
	 * the process; the second, written when it ends, has the number of the first. */
	uint64_t began; /* 0 = there is no first row */
	ag_str owner;   /* run/owner.h; "" = this is not a first row */
	char hash[65];  /* of this row; filled when read */
} ag_ledger_row;

/* What a row is hashed as: one JSON array of all fields in the order above, without hash; texts as strings, also tables.
 * `began` and `owner` are left out when both are empty: so were rows hashed before there were these two fields.
 * The 64 hex digits of the row before (zeros before the first) precede it: sha256sum can check a row. */
void ag_ledger_canonical(const ag_ledger_row *r, ag_buf *out);

typedef struct ag_ledger_query {
	ag_str user, project, tool, outcome; /* "" = any */
	int64_t since_ms;                    /* 0 = any */
	uint64_t after_seq;  /* rows above it, ascending; UINT64_MAX = the newest, descending */
	uint64_t before_seq; /* of the newest: only rows below it; 0 = any */
	size_t limit;        /* at most AG_STORE_MAX_ROWS */
	bool calls;          /* one row a call: leave out first rows whose call has ended */
	bool of_programs;    /* only calls that a bearer token allowed: MCP clients and scripts */
} ag_ledger_query;

typedef struct ag_ledger_check {
	uint64_t nrow, first, last; /* checked; 0 rows: an empty table is whole */
	uint64_t
		broken_at; /* seq of the first row whose hash does not follow, 0 = the chain is whole */
	ag_str why;        /* "row 17 was changed", "rows 20 to 22 are missing" */
	char head
		[65]; /* hash of the last row that is whole: note it elsewhere, and later cuts are seen for sure */
} ag_ledger_check;

/* One window of one limit. */
typedef struct ag_rate_key {
	ag_str name; /* "user:ann/minute" */
	int64_t window_ms;
	uint64_t limit;
} ag_rate_key;

/* All of them or none, in one transaction, chained. When it returns, a crash of the process does not lose them; a power cut
 * does not either if `durable` is set, or after the next ag_store_sync(). rows' seq and hash are filled. */
AG_CHECK ag_status ag_store_ledger_append(ag_store *s, ag_ledger_row *rows, size_t n, bool durable,
                                          ag_err *err);
/* Brings to disk what was committed through any handle of the file before. One thread may call this while another uses the
 * handle. A store in memory has no disk: AG_OK.
 * errors  AG_IO: what was committed since the last success may be lost when the power fails */
AG_CHECK ag_status ag_store_sync(ag_store *s, ag_err *err);
AG_CHECK ag_status ag_store_ledger_rows(ag_store *s, const ag_ledger_query *q, ag_arena *arena,
                                        ag_ledger_row **ret, size_t *nret, ag_err *err);
/* Reads the table once, in pieces; memory does not grow with it. */
AG_CHECK ag_status ag_store_ledger_verify(ag_store *s, ag_arena *arena, ag_ledger_check *ret,
                                          ag_err *err);
typedef struct ag_rate_taken {
	uint64_t got; /* of every key; 0 = refused */
	size_t which; /* refused: index of the full key that stays full longest */
	int64_t wait_ms; /* refused: until its window ends, at least 1; else until the first of the windows ends */
} ag_rate_taken;

/* Take `want` calls of every key at once, or as many as the fullest still has. A window begins with its first call. Atomic
 * between all processes of the store; does not wait for the disk. */
AG_CHECK ag_status ag_store_rate_take(ag_store *s, const ag_rate_key *keys, size_t n, uint64_t want,
                                      int64_t now_ms, ag_rate_taken *ret, ag_err *err);
/* The window of that name begins again with the next call. */
AG_CHECK ag_status ag_store_rate_forget(ag_store *s, ag_str name, ag_err *err);
/* A text under a key, replaced: dictionaries. AG_NOT_FOUND when there is none. */
AG_CHECK ag_status ag_store_put_text(ag_store *s, ag_str key, ag_str text, int64_t now_ms,
                                     ag_err *err);
AG_CHECK ag_status ag_store_text(ag_store *s, ag_str key, ag_arena *arena, ag_str *ret,
                                 int64_t *ret_at_ms, ag_err *err);

#endif
