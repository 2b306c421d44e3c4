/* otlp -- sends spans (run/span.h) to an OpenTelemetry collector: OTLP over HTTP, in JSON.
 *
 * One thread takes what ended, a batch at a time. A collector that is away, slow or full is asked again a few times; then the batch
 * is dropped and counted. Nothing that is traced, and no stop, waits for it: what a stop finds has a second. */
#ifndef AG_NET_OTLP_H
#define AG_NET_OTLP_H

#include "base/arena.h"
#include "base/err.h"
#include "net/http.h"
#include "run/span.h"

#define AG_OTLP_MAX_HEADERS 16u
#define AG_OTLP_STOP_MS     1000

typedef struct ag_otlp ag_otlp;

typedef struct ag_otlp_opts {
	ag_str url;                    /* "http://127.0.0.1:4318/v1/traces" */
	const ag_http_header *headers; /* values may be secret */
	size_t nheader;
	ag_str service; /* "argus" */
	ag_str resource; /* "deployment.environment=prod,team=data": percent-encoded values; "" = none */
	int64_t timeout_ms; /* of one batch */
	int64_t delay_ms;   /* that a span waits for others at most */
	ag_span_sampler sampler;
} ag_otlp_opts;

/* Begins to make spans, and the thread that sends them. Texts are copied.
 * errors  AG_INVALID: address, header; AG_UNAVAILABLE: thread, libcurl */
AG_CHECK ag_status ag_otlp_start(const ag_otlp_opts *o, ag_otlp **ret, ag_err *err);
/* Sends what is there within AG_OTLP_STOP_MS. Accepts NULL, returns NULL. */
ag_otlp *ag_otlp_stop(ag_otlp *x);

/* The settings as text: what OTEL_EXPORTER_OTLP_HEADERS holds ("api-key=k,x=%20y"), at most AG_OTLP_MAX_HEADERS.
 * errors  AG_INVALID: names no value */
AG_CHECK ag_status ag_otlp_headers(ag_str text, ag_arena *arena, ag_http_header *ret, size_t *nret,
                                   ag_err *err);
/* A request with these spans. source  opentelemetry-proto 1.3, JSON mapping of the OTLP specification */
void ag_otlp_write(const ag_otlp_opts *o, ag_span *const *spans, size_t n, ag_buf *out);

#endif
