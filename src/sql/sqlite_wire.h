/* sqlite_wire -- what a process with SQLite inside and its parent say to each other; private to sql/sqlite_*.c.
 *
 * The two share one piece of memory and take turns: who has the turn owns the bytes, writes a chunk and gives the turn away
 * with a futex. Chunks join into one stream in each direction. A request is one stream of fields; an answer is a stream of
 * records {type, length, payload}, so that rows reach the parent while the statement still runs.
 *
 * The parent trusts nothing of an answer: it copies a chunk before it looks at it, checks every length, type and order, and
 * writes the JSON itself (sqlite_answer.c). docs/decisions/0014 says why this transport. */
#ifndef AG_SQL_SQLITE_WIRE_H
#define AG_SQL_SQLITE_WIRE_H

#include <stdatomic.h>

#include "sql/sql_engine.h"

#define AG_SQLITE_CHILD_ARG   "__sqlite-child"
#define AG_SQLITE_SHARED_FD   3
#define AG_SQLITE_LIFE_FD     4
#define AG_SQLITE_MAGIC       0x41677153u
#define AG_SQLITE_CHUNK_BYTES (256u << 10)
/* Of a request: a statement of 1 MiB, or the lists of a policy. */
#define AG_SQLITE_MAX_REQUEST_BYTES (16u << 20)
/* Of a record that is not a row: names of columns, a verdict, a failure. */
#define AG_SQLITE_MAX_RECORD_BYTES (16u << 20)
/* Of a dictionary as JSON. */
#define AG_SQLITE_MAX_DICTIONARY_BYTES (64u << 20)
#define AG_SQLITE_MAX_COLUMNS          32767u /* SQLITE_MAX_COLUMN can be no larger */

/* Whose turn it is. The child marks a request as taken, so that one that it never saw can be sent to another child. */
enum { AG_SQLITE_TURN_PARENT, AG_SQLITE_TURN_CHILD, AG_SQLITE_TURN_TAKEN };

/* Written by the parent at any time; the child's progress handler reads it. */
enum { AG_SQLITE_GO, AG_SQLITE_STOP };

typedef struct ag_sqlite_shared {
	uint32_t magic;
	_Atomic uint32_t turn; /* the futex */
	_Atomic uint32_t stop;
	_Atomic uint32_t len;  /* of this chunk */
	_Atomic uint32_t more; /* 1 = another chunk follows */
	char bytes[AG_SQLITE_CHUNK_BYTES];
} ag_sqlite_shared;

/* Sleeps until turn is not `now`; at most timeout_ms (-1 = for ever). May return early. */
void ag_sqlite_turn_wait(ag_sqlite_shared *s, uint32_t now, int64_t timeout_ms);
void ag_sqlite_turn_give(ag_sqlite_shared *s, uint32_t to);

/* --- writing a stream --- */

typedef struct ag_sqlite_out ag_sqlite_out;
struct ag_sqlite_out {
	char *bytes; /* of the current chunk */
	size_t len, cap;
	/* Hands the chunk on. False: nobody wants more. */
	bool (*flush)(ag_sqlite_out *o, bool more);
	void *to;
	bool failed;
};

void ag_sqlite_out_add(ag_sqlite_out *o, const void *bytes, size_t n);
/* The end of the stream. */
bool ag_sqlite_out_end(ag_sqlite_out *o);
void ag_sqlite_out_record(ag_sqlite_out *o, char type, ag_str payload);

/* Fields, into a buffer. */
void ag_sqlite_add_u8(ag_buf *b, unsigned v);
void ag_sqlite_add_u32(ag_buf *b, uint32_t v);
void ag_sqlite_add_u64(ag_buf *b, uint64_t v);
void ag_sqlite_add_str(ag_buf *b, ag_str s);
void ag_sqlite_add_list(ag_buf *b, const ag_str *list, size_t n);

/* --- reading fields --- */

/* After the first field that is not there `bad` is set, and every further one is 0 or "". */
typedef struct ag_sqlite_in {
	const char *at;
	size_t left;
	bool bad;
} ag_sqlite_in;

unsigned ag_sqlite_get_u8(ag_sqlite_in *in);
uint32_t ag_sqlite_get_u32(ag_sqlite_in *in);
uint64_t ag_sqlite_get_u64(ag_sqlite_in *in);
ag_str ag_sqlite_get_str(ag_sqlite_in *in); /* borrowed */
/* At most `max` texts, copied into arena. */
const ag_str *ag_sqlite_get_list(ag_sqlite_in *in, size_t max, ag_arena *arena, size_t *ret_n);

/* --- requests --- */

typedef enum ag_sqlite_verb {
	AG_SQLITE_ASK_OPEN = 1, /* the first, once */
	AG_SQLITE_ASK_RUN,
	AG_SQLITE_ASK_EXPLAIN,
	AG_SQLITE_ASK_JUDGE,         /* the verdict alone, of a query to run */
	AG_SQLITE_ASK_JUDGE_EXPLAIN, /* … of one to explain */
	AG_SQLITE_ASK_DICTIONARY
} ag_sqlite_verb;

typedef struct ag_sqlite_request {
	ag_sqlite_verb verb;
	ag_str sql;
	ag_sql_limits limits;
	ag_dictionary_opts dictionary;
	/* OPEN */
	ag_str path, shown;
	ag_str folder; /* for temporary files; "" = there is none */
	ag_sql_opts opts;
} ag_sqlite_request;

void ag_sqlite_request_write(const ag_sqlite_request *rq, ag_buf *out);
/* False: not such a request. Texts in arena. */
bool ag_sqlite_request_read(ag_str bytes, ag_arena *arena, ag_sqlite_request *ret);

/* --- answers --- */

/* Order: Hello | [Verdict] (Failure | Columns Row* Done)? | Json* | Failure; then End. Again starts over: what came before is
 * void. */
enum {
	AG_SQLITE_HELLO = 'H',
	AG_SQLITE_VERDICT = 'V',
	AG_SQLITE_COLUMNS = 'C',
	AG_SQLITE_ROW = 'R',
	AG_SQLITE_DONE = 'D',
	AG_SQLITE_JSON = 'J',
	AG_SQLITE_FAILURE = 'F',
	AG_SQLITE_AGAIN = 'A',
	AG_SQLITE_END_OF_ANSWER = 'E'
};

/* Kinds of a cell. */
enum {
	AG_SQLITE_CELL_NULL,
	AG_SQLITE_CELL_INT,
	AG_SQLITE_CELL_REAL,
	AG_SQLITE_CELL_TEXT,
	AG_SQLITE_CELL_BLOB
};

void ag_sqlite_out_verdict(ag_sqlite_out *o, const ag_sql_verdict *v);
void ag_sqlite_out_failure(ag_sqlite_out *o, const ag_sql_failure *f);

/* What the parent makes of an answer. Texts in arena. */
typedef struct ag_sqlite_answer {
	ag_sqlite_verb verb;
	ag_str asked; /* the statement: a verdict may name only a part of it */
	ag_sql_limits limits;
	ag_arena *arena;
	ag_sql_result *ret; /* verdict and failure as well */
	ag_buf json;        /* a dictionary */
	bool is_hello;      /* OPEN: it is ready */
	ag_str missing;     /* OPEN: what its sandbox lacks, "" = nothing */
	bool wants_no_more; /* the result is cut: the rest is read and thrown away */
	bool is_ended;
	/* The parser's own. */
	ag_buf in;
	ag_jw w;
	bool has_verdict, has_columns, is_done;
	ag_sql_column_info *columns;
	size_t nunknown;
} ag_sqlite_answer;

void ag_sqlite_answer_init(ag_sqlite_answer *a, const ag_sqlite_request *rq, ag_arena *arena,
                           ag_sql_result *ret);
void ag_sqlite_answer_release(ag_sqlite_answer *a);
/* The next bytes, however they are cut. False: this is not an answer, and the child cannot be trusted any more. */
bool ag_sqlite_answer_feed(ag_sqlite_answer *a, const char *bytes, size_t n);

/* Of a result that wants no more: what is there is the result, though the rest of the answer does not come. */
void ag_sqlite_answer_cut(ag_sqlite_answer *a);

#endif
