/* otlp -- see the header. */
#include "net/otlp.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cond.h"
#include "base/json.h"
#include "base/log.h"
#include "net/url.h"

#define ORIGIN      "net.otlp"
#define BATCH       512u
#define MAX_BODY    (2u << 20)
#define MAX_ANSWER  (64u << 10)
#define ATTEMPTS    3
#define BACKOFF_MS  1000
#define MAX_WAIT_MS 10000

struct ag_otlp {
	ag_otlp_opts opts; /* copies in arena */
	ag_arena *arena;
	ag_http *http;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool is_ended;           /* the thread */
	atomic_bool is_stopping; /* send what is there, once */
	atomic_bool cancel;      /* no more */
	bool has_said;           /* that the collector does not answer */
	ag_span *batch[BATCH];
};

/* --- the request --- */

static void attribute(ag_jw *w, ag_str key, bool is_text, ag_str text, int64_t number)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "key", key);
	ag_jw_kkey(w, "value");
	ag_jw_obj(w);
	if (is_text) {
		ag_jw_kstr(w, "stringValue", text);
	} else { /* 64 bits are texts in protobuf's JSON */
		char digits[24];

		snprintf(digits, sizeof(digits), "%" PRId64, number);
		ag_jw_kstr(w, "intValue", ag_str_c(digits));
	}
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

static void nanoseconds(ag_jw *w, const char *key, int64_t us)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%" PRId64 "000", us);
	ag_jw_kstr(w, key, ag_str_c(digits));
}

static void write_span(ag_jw *w, const ag_span *s)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "traceId", ag_str_c(s->trace));
	ag_jw_kstr(w, "spanId", ag_str_c(s->id));
	if (s->parent[0])
		ag_jw_kstr(w, "parentSpanId", ag_str_c(s->parent));
	ag_jw_kstr(w, "name", ag_str_c(s->name));
	ag_jw_kint(w, "kind", (int64_t)s->kind);
	nanoseconds(w, "startTimeUnixNano", s->began_us);
	nanoseconds(w, "endTimeUnixNano", s->ended_us);
	ag_jw_kkey(w, "attributes");
	ag_jw_arr(w);
	for (unsigned i = 0; i < s->nattribute; i++) {
		const ag_span_attribute *a = &s->attributes[i];

		attribute(w, ag_str_c(a->key), a->is_text, ag_str_c(a->text), a->number);
	}
	if (s->error[0])
		attribute(w, AG_S("error.type"), true, ag_str_c(s->error), 0);
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "status");
	ag_jw_obj(w);
	if (s->error[0])
		ag_jw_kint(w, "code", 2);
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
}

/* "%20" as a blank; what is no such thing stays as it is. */
static ag_str decoded(ag_str text, ag_buf *out)
{
	ag_buf_clear(out);
	for (size_t i = 0; i < text.len; i++) {
		unsigned v = 0;
		size_t n = 0;

		if (text.ptr[i] == '%' && i + 2 < text.len)
			for (n = 0; n < 2; n++) {
				const char c = text.ptr[i + 1 + n];
				const char *hex = "0123456789abcdef", *at = strchr(hex, c | 0x20);

				if (c == '\0' || !at)
					break;
				v = v << 4 | (unsigned)(at - hex);
			}
		ag_buf_addc(out, n == 2 ? (char)v : text.ptr[i]);
		i += n == 2 ? 2 : 0;
	}
	return ag_buf_view(out);
}

static void write_resource(ag_jw *w, const ag_otlp_opts *o)
{
	AG_AUTO(ag_buf_release) ag_buf value = AG_BUF_INIT(4096);
	ag_str rest = o->resource;

	ag_jw_kkey(w, "resource");
	ag_jw_obj(w);
	ag_jw_kkey(w, "attributes");
	ag_jw_arr(w);
	attribute(w, AG_S("service.name"), true, o->service, 0);
	attribute(w, AG_S("service.version"), true, AG_S(AG_VERSION), 0);
	attribute(w, AG_S("telemetry.sdk.language"), true, AG_S("c"), 0);
	while (rest.len) {
		ag_str pair = ag_str_split(&rest, ',');
		const ag_str key = ag_str_trim(ag_str_split(&pair, '='));

		if (key.len && pair.ptr && !ag_str_eqc(key, "service.name"))
			attribute(w, key, true, decoded(ag_str_trim(pair), &value), 0);
	}
	ag_jw_arr_end(w);
	ag_jw_obj_end(w);
}

void ag_otlp_write(const ag_otlp_opts *o, ag_span *const *spans, size_t n, ag_buf *out)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "resourceSpans");
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	write_resource(&w, o);
	ag_jw_kkey(&w, "scopeSpans");
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "scope");
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "name", AG_S("argus"));
	ag_jw_kstr(&w, "version", AG_S(AG_VERSION));
	ag_jw_obj_end(&w);
	ag_jw_kkey(&w, "spans");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		write_span(&w, spans[i]);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
}

/* --- sending --- */

/* False: nothing would be better another time. */
static bool may_pass(ag_status st, int status)
{
	if (st)
		return st == AG_UNAVAILABLE || st == AG_TIMEOUT;
	return status == 429 || status == 502 || status == 503 || status == 504;
}

static void say_once(ag_otlp *x, ag_status st, int status, const ag_err *err)
{
	if (x->has_said)
		return;
	x->has_said = true;
	if (st)
		ag_log(AG_LOG_WARN, "traces_dropped", "the collector does not take spans: %s",
		       err->msg);
	else
		ag_log(AG_LOG_WARN, "traces_dropped",
		       "the collector does not take spans: it answers with HTTP status %d", status);
}

/* Between two attempts; a stop ends it. */
static void wait_ms(ag_otlp *x, int64_t ms)
{
	pthread_mutex_lock(&x->lock);
	if (!atomic_load(&x->is_stopping))
		ag_cond_wait_ms(&x->ended, &x->lock, ms);
	pthread_mutex_unlock(&x->lock);
}

static bool send_body(ag_otlp *x, ag_str body)
{
	const ag_http_request r = { .method = AG_S("POST"),
		                    .url = x->opts.url,
		                    .headers = x->opts.headers,
		                    .nheader = x->opts.nheader,
		                    .body = body,
		                    .timeouts = { .connect_ms = x->opts.timeout_ms,
		                                  .total_ms = x->opts.timeout_ms },
		                    .max_body_bytes = MAX_ANSWER };
	const ag_ctx ctx = { .clock = &ag_clock_system, .cancel = &x->cancel, .nthread = 1 };
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();

	for (int i = 1;; i++) {
		ag_http_response answer = { 0 };
		ag_err err = { 0 };
		int64_t ms = (int64_t)BACKOFF_MS << (i - 1);
		const ag_status st = ag_http_send(x->http, &ctx, &r, arena, &answer, &err);

		if (!st && answer.status / 100 == 2) {
			x->has_said = false;
			return true;
		}
		say_once(x, st, answer.status, &err);
		if (i == ATTEMPTS || atomic_load(&x->is_stopping) || !may_pass(st, answer.status))
			return false;
		if (answer.retry_after.len)
			ag_http_retry_after(answer.retry_after, ag_clock_wall(&ag_clock_system),
			                    &ms);
		wait_ms(x, ms < MAX_WAIT_MS ? ms : MAX_WAIT_MS);
	}
}

static void send_batch(ag_otlp *x, size_t n)
{
	AG_AUTO(ag_buf_release) ag_buf body = AG_BUF_INIT(MAX_BODY);
	bool ok;

	ag_otlp_write(&x->opts, x->batch, n, &body);
	ok = !body.failed && send_body(x, ag_buf_view(&body));
	ag_span_count(ok ? n : 0, ok ? 0 : n);
	ag_span_free(x->batch, n);
}

static void *export_main(void *arg)
{
	ag_otlp *x = (ag_otlp *)arg;
	size_t n;

	do {
		n = ag_span_take(x->batch, BATCH, BATCH, x->opts.delay_ms);
		if (n && !atomic_load(&x->cancel))
			send_batch(x, n);
		else
			ag_span_free(x->batch, n);
	} while (n == BATCH || !atomic_load(&x->is_stopping));
	pthread_mutex_lock(&x->lock);
	x->is_ended = true;
	pthread_cond_broadcast(&x->ended);
	pthread_mutex_unlock(&x->lock);
	return NULL;
}

/* --- its life --- */

ag_status ag_otlp_headers(ag_str text, ag_arena *arena, ag_http_header *ret, size_t *nret,
                          ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf value = AG_BUF_INIT(8192);
	size_t n = 0;

	while (text.len) {
		ag_str pair = ag_str_split(&text, ',');
		const ag_str key = ag_str_trim(ag_str_split(&pair, '='));

		if (!key.len && !pair.ptr)
			continue;
		if (!key.len || !pair.ptr)
			return ag_fail(err, AG_INVALID, ORIGIN,
			               "OTEL_EXPORTER_OTLP_HEADERS is not NAME=VALUE,NAME=VALUE");
		for (size_t i = 0; i < key.len; i++)
			if (key.ptr[i] <= ' ' || key.ptr[i] >= 0x7f || key.ptr[i] == ':')
				return ag_fail(
					err, AG_INVALID, ORIGIN,
					"a name in OTEL_EXPORTER_OTLP_HEADERS is no header's");
		decoded(ag_str_trim(pair), &value);
		for (size_t i = 0; i < value.len; i++)
			if ((unsigned char)value.ptr[i] < ' ' || value.ptr[i] == 0x7f)
				return ag_fail(
					err, AG_INVALID, ORIGIN,
					"a value in OTEL_EXPORTER_OTLP_HEADERS has a control character");
		if (n == AG_OTLP_MAX_HEADERS - 1)
			return ag_fail(err, AG_INVALID, ORIGIN,
			               "OTEL_EXPORTER_OTLP_HEADERS has more than %u headers",
			               AG_OTLP_MAX_HEADERS - 1);
		ret[n++] = (ag_http_header){ ag_str_dup(arena, key), ag_buf_dup(arena, &value) };
	}
	*nret = n;
	return AG_OK;
}

static void fill(ag_otlp *x, const ag_otlp_opts *o)
{
	ag_http_header *list = ag_new_n(x->arena, ag_http_header, o->nheader + 1);

	x->opts = *o;
	x->opts.url = ag_str_dup(x->arena, o->url);
	x->opts.service = ag_str_dup(x->arena, o->service);
	x->opts.resource = ag_str_dup(x->arena, o->resource);
	for (size_t i = 0; i < o->nheader; i++)
		list[i] = (ag_http_header){ ag_str_dup(x->arena, o->headers[i].name),
			                    ag_str_dup(x->arena, o->headers[i].value) };
	list[o->nheader] = (ag_http_header){ AG_S("Content-Type"), AG_S("application/json") };
	x->opts.headers = list;
	x->opts.nheader = o->nheader + 1;
}

static void release(ag_otlp *x)
{
	pthread_mutex_destroy(&x->lock);
	pthread_cond_destroy(&x->ended);
	ag_http_free(x->http);
	ag_arena_free(x->arena);
	free(x);
}

ag_status ag_otlp_start(const ag_otlp_opts *o, ag_otlp **ret, ag_err *err)
{
	ag_otlp *x = (ag_otlp *)ag_xcalloc(1, sizeof(*x));
	ag_url url;
	ag_status st;

	x->arena = ag_arena_new();
	fill(x, o);
	pthread_mutex_init(&x->lock, NULL);
	ag_cond_init(&x->ended);
	st = ag_url_parse(x->opts.url, x->arena, &url, err);
	if (!st)
		st = ag_http_new(&x->http, err);
	if (!st) {
		ag_span_start(&x->opts.sampler);
		if (pthread_create(&x->thread, NULL, export_main, x))
			st = ag_fail(err, AG_UNAVAILABLE, ORIGIN,
			             "no thread could be started to send traces");
	}
	if (st) {
		ag_span_stop();
		release(x);
		return st;
	}
	*ret = x;
	return AG_OK;
}

ag_otlp *ag_otlp_stop(ag_otlp *x)
{
	const int64_t end = ag_clock_mono(&ag_clock_system) + AG_OTLP_STOP_MS;
	int64_t left = AG_OTLP_STOP_MS;

	if (!x)
		return NULL;
	ag_span_stop();
	pthread_mutex_lock(&x->lock);
	atomic_store(&x->is_stopping, true);
	pthread_cond_broadcast(&x->ended);
	pthread_mutex_unlock(&x->lock);
	ag_span_wake();
	pthread_mutex_lock(&x->lock);
	while (!x->is_ended && left > 0) {
		ag_cond_wait_ms(&x->ended, &x->lock, left);
		left = end - ag_clock_mono(&ag_clock_system);
	}
	pthread_mutex_unlock(&x->lock);
	atomic_store(&x->cancel, true);
	pthread_join(x->thread, NULL);
	release(x);
	return NULL;
}
