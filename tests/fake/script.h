/* script -- what the fake model server answers, read from a text file. README.md is the manual of the format.
 *
 * A script is a list of answers, tried in the order of the file; the first that still has a use left and whose
 * conditions fit the request is taken. */
#ifndef FAKE_SCRIPT_H
#define FAKE_SCRIPT_H

#include "base/arena.h"
#include "request.h"

typedef enum fm_block_type {
	FM_TEXT,
	FM_JSON, /* text, or the arguments of a tool that the request forces */
	FM_THINKING,
	FM_REDACTED,
	FM_TOOL,
	FM_REFUSAL
} fm_block_type;

typedef struct fm_block {
	fm_block_type type;
	ag_str text; /* of a tool: its arguments */
	ag_str name;
} fm_block;

typedef enum fm_where { FM_ANYWHERE, FM_LAST, FM_SYSTEM } fm_where;

typedef struct fm_cond {
	ag_str text;
	fm_where where;
	bool is_not;
} fm_cond;

/* How an answer ends before its time, after `at` bytes of the body. */
typedef enum fm_stop {
	FM_STOP_NONE,
	FM_STOP_CUT,   /* closed, as by a proxy that gives up */
	FM_STOP_RESET, /* TCP reset */
	FM_STOP_HANG,  /* nothing more comes, the connection stays open */
	FM_STOP_DROP   /* closed without a single byte */
} fm_stop;

typedef enum fm_each {
	FM_AT,             /* after `at` bytes */
	FM_EACH,           /* after as many bytes as the answer was used before */
	FM_EACH_THEN_WHOLE /* the same, but every second use is whole */
} fm_each;

typedef enum fm_framing {
	FM_FRAMING_AUTO,
	FM_FRAMING_CHUNKED,
	FM_FRAMING_LENGTH,
	FM_FRAMING_CLOSE
} fm_framing;

/* One bit per odd habit of real servers. name | what it means */
#define FM_QUIRKS(X)                                                                           \
	X(CRLF, "crlf")                       /* lines of the stream end in CR LF */           \
	X(CR, "cr")                           /* lines of the stream end in CR */              \
	X(BOM, "bom")                         /* the stream begins with a byte-order mark */   \
	X(TIGHT, "tight")                     /* "data:{" without a blank */                   \
	X(COMMENTS, "comments")               /* comment lines between events */               \
	X(UNKNOWN_EVENTS, "unknown_events")   /* events nobody knows between the others */     \
	X(UNKNOWN_MEMBERS, "unknown_members") /* more members in every object */               \
	X(NO_LAST_NEWLINE, "no_last_newline") /* the last event lacks its empty line */        \
	X(NO_DONE, "no_done")                 /* neither [DONE] nor message_stop */            \
	X(NO_FINISH, "no_finish")             /* no finish_reason, no stop_reason */           \
	X(NO_USAGE, "no_usage")                                                                \
	X(NO_IDS, "no_ids")                     /* tool calls without id */                    \
	X(NO_INDEX, "no_index")                 /* streamed tool calls without index */        \
	X(NULL_CONTENT, "null_content")         /* "content":null wherever there is no text */ \
	X(ABSENT_CONTENT, "absent_content")     /* no "content" where there is no text */      \
	X(PARTS_CONTENT, "parts_content")       /* content as an array of parts */             \
	X(OBJECT_ARGUMENTS, "object_arguments") /* arguments as an object, not as text */      \
	X(EMPTY_CHOICES, "empty_choices")       /* a first chunk without choices */            \
	X(USAGE_EACH, "usage_each")             /* the usage in every chunk */                 \
	X(INTERLEAVE, "interleave")             /* pieces of parallel calls take turns */      \
	X(CLOSE, "close")                       /* the connection is closed after the answer */

enum {
#define X(id, name) FM_QUIRK_##id,
	FM_QUIRKS(X)
#undef X
		FM_NQUIRK
};

typedef struct fm_usage {
	uint64_t input, output, cached, cache_write, thinking;
} fm_usage;

typedef struct fm_header {
	ag_str name, value;
} fm_header;

#define FM_MAX_CONDS   16
#define FM_MAX_BLOCKS  64
#define FM_MAX_HEADERS 16

typedef struct fm_answer {
	unsigned line;
	/* when */
	uint64_t times; /* 0 = as often as asked */
	uint64_t used;
	bool is_otherwise;
	unsigned on;      /* bits 1 << fm_call; 0 = any call that asks a model */
	int stream;       /* 1 = only streams, 0 = only whole answers, -1 = both */
	ag_str for_model; /* "" = any */
	fm_cond conds[FM_MAX_CONDS];
	size_t ncond;
	/* what */
	fm_block blocks[FM_MAX_BLOCKS];
	size_t nblock;
	int status;
	bool has_body, has_usage, has_finish;
	ag_str body;
	fm_header headers[FM_MAX_HEADERS];
	size_t nheader;
	ag_str error, error_type; /* of a status that is no success, or of error_in_stream */
	bool error_in_stream;
	ag_str finish; /* a word of the script or, with finish_raw, what is sent */
	bool finish_raw;
	ag_str model; /* in the reply; "" = as asked */
	ag_str signature, thinking_field;
	fm_usage usage;
	/* how */
	uint32_t quirks;
	fm_framing framing;
	fm_stop stop;
	fm_each each;
	uint64_t at;
	unsigned delta_bytes, tool_parts; /* 0 = all at once */
	unsigned piece_bytes;             /* 0 = one write */
	bool by_event;                    /* one write per event */
	int64_t wait_ms, delay_ms;
	ag_str hold; /* the file HOLD.N holds back the answer to request N until it exists; "" = no hold */
} fm_answer;

static inline bool fm_has(const fm_answer *a, unsigned quirk)
{
	return a->quirks >> quirk & 1;
}

typedef enum fm_fault {
	FM_FAULT_NONE,
	FM_FAULT_CUT,
	FM_FAULT_RESET,
	FM_FAULT_DROP,
	FM_FAULT_GARBAGE,
	FM_FAULT_STATUS,
	FM_FAULT_DELAY
} fm_fault;

typedef struct fm_chaos {
	fm_fault fault;
	double share;
	int64_t n; /* status, or ms */
} fm_chaos;

#define FM_MAX_CHAOS 16

typedef struct fm_script {
	ag_arena *arena;
	fm_answer **answers; /* `otherwise` last */
	size_t nanswer;
	fm_chaos chaos[FM_MAX_CHAOS];
	size_t nchaos;
	ag_str models[64]; /* of the list */
	size_t nmodel;
} fm_script;

/* NULL on failure: err says file, line and what is wanted. `text` is copied. */
fm_script *fm_script_read(const char *file, ag_str text, ag_err *err);
fm_script *fm_script_free(fm_script *s); /* accepts NULL, returns NULL */
/* The answer for a request, NULL = the script has ended. */
fm_answer *fm_script_pick(const fm_script *s, const fm_request *r);
/* What chaos does to the n-th request; the same for the same seed. *at is a large random number. */
fm_chaos fm_script_chaos(const fm_script *s, uint64_t seed, uint64_t n, uint64_t *at);

/* Of script_words.c: one line inside an answer. */
typedef struct fm_line {
	const char *file;
	unsigned no;
	ag_arena *arena;
	ag_str word, rest; /* rest: behind the word, and the lines that continue it */
	bool has_more_lines;
} fm_line;

ag_status fm_script_word(fm_answer *a, const fm_line *l, ag_err *err);
/* The next blank-separated word or JSON string of *rest; ptr NULL = there is none; false = a broken string. */
bool fm_next_word(ag_arena *arena, ag_str *rest, ag_str *ret, bool *was_quoted);
AG_PRINTF(3, 4) ag_status fm_script_fail(const fm_line *l, ag_err *err, const char *fmt, ...);

#endif
