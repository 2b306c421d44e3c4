/* span -- what took how long, and within what: spans of a trace (OpenTelemetry), for an exporter (net/otlp.h).
 *
 * A span is NULL while nobody exports: then each call is a test of a pointer. Spans name models, tools, routes and databases; never
 * questions, statements, rows, addresses of people or keys. Ended spans wait in a queue with a bound. One that finds it full is
 * dropped and counted: nothing that is traced waits for the exporter. */
#ifndef AG_RUN_SPAN_H
#define AG_RUN_SPAN_H

#include "base/str.h"
#include "base/time.h"

#define AG_SPAN_MAX_ATTRIBUTES 12u
#define AG_SPAN_MAX_TEXT       128u /* bytes of a name, of a value: longer ones are cut */
#define AG_SPAN_QUEUE          2048u

typedef struct ag_span ag_span;

/* As OTLP numbers them. */
typedef enum ag_span_kind {
	AG_SPAN_INTERNAL = 1,
	AG_SPAN_SERVER = 2,
	AG_SPAN_CLIENT = 3
} ag_span_kind;

/* A span of somebody else, out of the header traceparent (W3C Trace Context). */
typedef struct ag_span_remote {
	char trace[33], span[17]; /* lower case, NUL-terminated */
	bool is_sampled;
} ag_span_remote;

#define AG_TRACEPARENT_MAX 56u /* bytes with the NUL */

/* False: it is not there, or is not as the standard says; then there is no parent. */
bool ag_traceparent_read(ag_str header, ag_span_remote *ret);

/* --- what is traced --- */

/* parent, remote: one of them or none, then the span begins a trace. name: of a small set. NULL: nobody exports. */
ag_span *ag_span_begin(const ag_span *parent, const ag_span_remote *remote, ag_span_kind kind,
                       ag_str name);
/* key: a literal. Later attributes than AG_SPAN_MAX_ATTRIBUTES are left out, and empty texts. */
void ag_span_text(ag_span *s, const char *key, ag_str value);
void ag_span_number(ag_span *s, const char *key, int64_t value);
/* It failed; type: of a small set, "timeout". */
void ag_span_fail(ag_span *s, ag_str type);
/* Another name, of two words: "GET", "/api/threads/{id}". */
void ag_span_name(ag_span *s, ag_str first, ag_str second);
void ag_span_end(ag_span *s); /* accepts NULL */
/* Writes the header that continues the trace in another service. False: no trace is open. */
bool ag_span_traceparent(const ag_span *s, char ret[AG_TRACEPARENT_MAX]);

/* --- the exporter's side --- */

typedef struct ag_span_attribute {
	const char *key;
	bool is_text;
	int64_t number;
	char text[AG_SPAN_MAX_TEXT + 1];
} ag_span_attribute;

struct ag_span {
	char trace[33], id[17], parent[17]; /* parent "" = it begins the trace */
	char name[AG_SPAN_MAX_TEXT + 1], error[AG_SPAN_MAX_TEXT + 1]; /* error "" = none */
	ag_span_kind kind;
	bool is_sampled;            /* else it only hands the trace on */
	int64_t began_us, ended_us; /* since 1970 UTC; the end by the monotonic clock */
	int64_t mono_us;
	ag_span_attribute attributes[AG_SPAN_MAX_ATTRIBUTES];
	unsigned nattribute;
};

typedef struct ag_span_sampler {
	bool asks_parent; /* a parent decides, where there is one */
	double ratio;     /* of new traces, 0 to 1 */
} ag_span_sampler;

typedef struct ag_span_counts {
	uint64_t nexported,
		ndropped; /* dropped: the queue was full, or the collector took them not */
} ag_span_counts;

/* From now on spans are made. Once, before there are threads that trace. */
void ag_span_start(const ag_span_sampler *sampler);
/* No more are made; those that wait stay. */
void ag_span_stop(void);
/* Waits for at most ms until `enough` spans are there or ag_span_wake() is called; takes at most n. Returns how many; the caller
 * frees them with ag_span_free(). */
size_t ag_span_take(ag_span **ret, size_t n, size_t enough, int64_t ms);
void ag_span_wake(void);
void ag_span_free(ag_span **spans, size_t n);
/* n were sent, or given up. */
void ag_span_count(size_t nexported, size_t ndropped);
ag_span_counts ag_span_counted(void);

#endif
