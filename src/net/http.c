/* http -- one request on one easy handle, driven through a multi handle of its own.
 *
 * libcurl's own blocking call looks up only once a second; with curl_multi_poll() this loop decides how long to wait, so
 * that cancel, the run's deadline and the four time-outs are honoured within LOOK_MS. libcurl's time-outs are not used,
 * save the one for connecting, which it shares out among the addresses of a name.
 *
 * Order: options (what is asked for), look_around() (the time-outs), run() (the loop), ag_http_send(). */
#include "net/http.h"

#include <limits.h>
#include <stdlib.h>

#include "base/fault.h"
#include "net/http_exchange.h"

#define LOOK_MS          40 /* a cancelled run ends within 50 ms: this and some for the rest */
#define MAX_CONNECTIONS  4  /* kept by a handle: a provider, its fallback, some to spare */
#define DEFAULT_MAX_BODY (16u << 20)
#define MAX_METHOD_BYTES 16
#define MAX_HEADER_BYTES (64u << 10) /* of one header of a request */
/* One TLS record. libcurl's 64 KB would cost each of a thousand threads 48 KB for nothing. */
#define UPLOAD_BUFFER_BYTES 16384L
/* For an answer that is read piece by piece, as it comes: it is small pieces, and a thousand wait for them. */
#define PIECE_BYTES 4096L

struct ag_http {
	const ag_curl *curl;
	CURL *easy;
	CURLM *multi;
	char errbuf[CURL_ERROR_SIZE];
};

ag_status ag_http_new(ag_http **ret, ag_err *err)
{
	const ag_curl *curl;
	ag_status st = ag_curl_load(&curl, err);
	ag_http *h;

	if (st)
		return st;
	h = (ag_http *)ag_xcalloc(1, sizeof(*h));
	h->curl = curl;
	h->easy = curl->easy_init();
	h->multi = curl->multi_init();
	if (!h->easy || !h->multi ||
	    curl->multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, (long)MAX_CONNECTIONS)) {
		ag_http_free(h);
		return ag_fail(err, AG_UNAVAILABLE, AG_HTTP_ORIGIN, "libcurl gives no handle");
	}
	*ret = h;
	return AG_OK;
}

ag_http *ag_http_free(ag_http *h)
{
	if (!h)
		return NULL;
	if (h->easy)
		h->curl->easy_cleanup(h->easy);
	if (h->multi)
		h->curl->multi_cleanup(h->multi);
	free(h);
	return NULL;
}

/* --- what is asked for */

/* RFC 9110 section 5.6.2 */
static bool is_token(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c)))
			return false;
	}
	return s.len > 0;
}

static bool is_header_value(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* A value is secret: it is named, never quoted. */
static ag_status check_request(const ag_http_request *r, ag_err *err)
{
	if (!is_token(r->method) || r->method.len > MAX_METHOD_BYTES)
		return ag_fail(err, AG_INVALID, AG_HTTP_ORIGIN,
		               "the method of the request is not valid");
	for (size_t i = 0; i < r->nheader; i++) {
		ag_str name = r->headers[i].name, value = r->headers[i].value;

		if (!is_token(name))
			return ag_fail(err, AG_INVALID, AG_HTTP_ORIGIN,
			               "header %zu of the request has no valid name", i + 1);
		if (!is_header_value(value)) {
			ag_fail(err, AG_INVALID, AG_HTTP_ORIGIN,
			        "the value of header %.*s has a line break or another control "
			        "character in it",
			        (int)(name.len < 60 ? name.len : 60), name.ptr);
			return ag_err_hint(err, "if it is a key: was it copied with its line end?");
		}
		if (name.len + value.len > MAX_HEADER_BYTES)
			return ag_fail(err, AG_INVALID, AG_HTTP_ORIGIN,
			               "header %zu of the request is larger than %u KB", i + 1,
			               MAX_HEADER_BYTES >> 10);
	}
	return AG_OK;
}

/* The list of headers; scratch, because libcurl copies each and the copy here is a secret. */
typedef struct header_list {
	struct curl_slist *list;
	ag_buf line;
	bool failed;
} header_list;

static void add_line(const ag_curl *curl, header_list *l)
{
	struct curl_slist *list = l->line.failed ? NULL : curl->slist_append(l->list, l->line.ptr);

	if (list)
		l->list = list;
	else
		l->failed = true;
	ag_buf_clear(&l->line);
}

static bool has_header(const ag_http_request *r, ag_str name)
{
	for (size_t i = 0; i < r->nheader; i++) {
		if (ag_str_ieq(r->headers[i].name, name))
			return true;
	}
	return false;
}

static void make_headers(const ag_curl *curl, const ag_http_request *r, header_list *l)
{
	l->line = (ag_buf)AG_BUF_INIT(MAX_HEADER_BYTES + 8);
	for (size_t i = 0; i < r->nheader; i++) {
		ag_str value = ag_str_trim(r->headers[i].value);

		ag_buf_add(&l->line, r->headers[i].name);
		/* "Name:" would take a header away, "Name;" sends it empty. */
		ag_buf_adds(&l->line, value.len ? ": " : ";");
		ag_buf_add(&l->line, value);
		add_line(curl, l);
	}
	if (!has_header(r,
	                AG_S("expect"))) { /* else a large body waits a second for leave to come */
		ag_buf_adds(&l->line, "Expect:");
		add_line(curl, l);
	}
	if (!has_header(r, AG_S("content-type"))) { /* else libcurl calls any body a form */
		ag_buf_adds(&l->line, "Content-Type:");
		add_line(curl, l);
	}
	ag_buf_release(&l->line);
}

/* Options of one request; the first that is refused sticks. */
typedef struct options {
	const ag_curl *curl;
	CURL *easy;
	CURLcode code;
} options;

static void set_long(options *o, CURLoption option, long value)
{
	if (!o->code)
		o->code = o->curl->easy_setopt(o->easy, option, value);
}

static void set_ptr(options *o, CURLoption option, const void *value)
{
	if (!o->code)
		o->code = o->curl->easy_setopt(o->easy, option, value);
}

/* What holds for every request: a client that does nothing behind our back. */
static void set_policy(options *o)
{
	set_long(o, CURLOPT_NOSIGNAL, 1L);
	set_ptr(o, CURLOPT_PROTOCOLS_STR, "http,https");
	set_long(o, CURLOPT_FOLLOWLOCATION, 0L);
	set_long(o, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	set_long(o, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	set_long(o, CURLOPT_HTTP09_ALLOWED, 0L);
	set_long(o, CURLOPT_SSL_VERIFYPEER, 1L);
	set_long(o, CURLOPT_SSL_VERIFYHOST, 2L);
	set_long(o, CURLOPT_TCP_NODELAY, 1L);
	set_long(o, CURLOPT_TCP_KEEPALIVE, 1L); /* a model may think for minutes behind a NAT */
	set_long(o, CURLOPT_PATH_AS_IS, 1L);
	set_long(o, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE); /* a proxy gets none of ours */
	set_long(o, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	set_long(o, CURLOPT_UPLOAD_BUFFERSIZE, UPLOAD_BUFFER_BYTES);
	set_ptr(o, CURLOPT_USERAGENT, "argus/" AG_VERSION);
	/* A name service that hangs is left behind on its thread and not waited for. Since 7.87; without it a
	 * cancelled request ends when the name service does. */
	if (!o->code)
		o->curl->easy_setopt(o->easy, CURLOPT_QUICK_EXIT, 1L);
}

/* As curl and OpenSSL have them; "" = as the library was built. */
static void set_trust(options *o)
{
	const char *file = getenv("SSL_CERT_FILE"), *dir = getenv("SSL_CERT_DIR");

	if (file && file[0])
		set_ptr(o, CURLOPT_CAINFO, file);
	if (dir && dir[0])
		set_ptr(o, CURLOPT_CAPATH, dir);
}

static void set_method(options *o, const ag_http_request *r, ag_arena *arena)
{
	bool is_post = ag_str_eqc(r->method, "POST");

	if (ag_str_eqc(r->method, "HEAD")) {
		set_long(o, CURLOPT_NOBODY, 1L);
	} else if (is_post || r->body.len) {
		set_long(o, CURLOPT_POST, 1L);
		if (!o->code)
			o->code = o->curl->easy_setopt(o->easy, CURLOPT_POSTFIELDSIZE_LARGE,
			                               (curl_off_t)r->body.len);
		set_ptr(o, CURLOPT_POSTFIELDS, r->body.len ? r->body.ptr : "");
		if (!is_post)
			set_ptr(o, CURLOPT_CUSTOMREQUEST, ag_str_cstr(arena, r->method));
	} else if (!ag_str_eqc(r->method, "GET")) {
		set_ptr(o, CURLOPT_CUSTOMREQUEST, ag_str_cstr(arena, r->method));
	}
}

static CURLcode set_options(ag_http *h, ag_http_exchange *x, const struct curl_slist *headers)
{
	options o = { h->curl, h->easy, CURLE_OK };
	int64_t connect_ms = x->r->timeouts.connect_ms;
	ag_str origin = ag_url_origin(&x->url, x->arena);

	h->curl->easy_reset(h->easy);
	h->errbuf[0] = '\0';
	set_policy(&o);
	set_trust(&o);
	/* From the parts and not the text: what was checked is what is contacted. */
	set_ptr(&o, CURLOPT_URL,
	        ag_str_printf(x->arena, "%.*s%.*s", AG_FMT(origin), AG_FMT(x->url.path)).ptr);
	if (!ag_str_eqc(x->url.scheme, "https") || ag_url_is_loopback(&x->url))
		set_ptr(&o, CURLOPT_PROXY, "");
	if (x->r->on_body)
		set_long(&o, CURLOPT_BUFFERSIZE, PIECE_BYTES);
	set_method(&o, x->r, x->arena);
	set_ptr(&o, CURLOPT_HTTPHEADER, headers);
	/* 0 would be libcurl's own 300 s. */
	set_long(&o, CURLOPT_CONNECTTIMEOUT_MS,
	         connect_ms > 0 && connect_ms < INT_MAX ? (long)connect_ms : (long)INT_MAX);
	set_ptr(&o, CURLOPT_ERRORBUFFER, h->errbuf);
	set_ptr(&o, CURLOPT_PREREQDATA, x);
	set_ptr(&o, CURLOPT_HEADERDATA, x);
	set_ptr(&o, CURLOPT_WRITEDATA, x);
	if (!o.code)
		o.code = h->curl->easy_setopt(h->easy, CURLOPT_PREREQFUNCTION,
		                              ag_http_on_connected);
	if (!o.code)
		o.code = h->curl->easy_setopt(h->easy, CURLOPT_HEADERFUNCTION, ag_http_on_header);
	if (!o.code)
		o.code = h->curl->easy_setopt(h->easy, CURLOPT_WRITEFUNCTION, ag_http_on_body);
	return o.code;
}

/* --- the time-outs */

typedef struct limit {
	const char *what, *name; /* "no answer", "first byte" */
	int64_t ms, since;
} limit;

/* The request is sent once its last byte went out: while a server takes it in slowly nobody expects an answer. */
static void note_sent(ag_http_exchange *x)
{
	curl_off_t n = 0;

	if (x->curl->easy_getinfo(x->easy, CURLINFO_SIZE_UPLOAD_T, &n) || n == x->nsent)
		return;
	x->nsent = n;
	x->sent_ms = ag_http_now(x);
}

/* Is it time to give up? Else, how long may the next wait be? */
static ag_status look_around(ag_http_exchange *x, int *ret_wait_ms)
{
	const ag_http_timeouts *t = &x->r->timeouts;
	limit limits[2] = {
		{ "the request did not end", "total", t->total_ms, x->begin_ms },
		{ "no connection", "connect", t->connect_ms, x->begin_ms },
	};
	int64_t now, wait = LOOK_MS;
	ag_status st = ag_ctx_check(x->ctx, x->err);

	if (st)
		return st;
	if (x->ret->status)
		limits[1] = (limit){ "nothing more came", "idle", t->idle_ms, x->heard_ms };
	else if (x->is_connected)
		limits[1] = (limit){ "no answer", "first byte", t->first_byte_ms, x->sent_ms };
	now = ag_http_now(x);
	for (size_t i = 0; i < AG_NELEM(limits); i++) {
		const limit *l = &limits[i];
		int64_t left = l->ms - (now - l->since);

		if (l->ms <= 0)
			continue;
		if (left <= 0)
			return ag_http_fail_timeout(x, l->what, l->name, l->ms);
		wait = left < wait ? left : wait;
	}
	*ret_wait_ms = (int)wait;
	return AG_OK;
}

/* --- the loop */

static bool is_done(ag_http *h, CURLcode *ret)
{
	CURLMsg *msg;
	int nleft;

	while ((msg = h->curl->multi_info_read(h->multi, &nleft))) {
		if (msg->msg == CURLMSG_DONE) {
			*ret = msg->data.result;
			return true;
		}
	}
	return false;
}

static ag_status end_of(ag_http_exchange *x, CURLcode code)
{
	int64_t connect_ms = x->r->timeouts.connect_ms;

	if (x->status)
		return x->status;
	if (code == CURLE_OPERATION_TIMEDOUT && connect_ms > 0)
		return ag_http_fail_timeout(x, "no connection", "connect", connect_ms);
	if (code)
		return ag_http_fail_curl(x, code);
	/* A header that just ends is a success to libcurl. */
	return x->is_head_done ? AG_OK : ag_http_fail_header_cut(x);
}

static ag_status run(ag_http *h, ag_http_exchange *x)
{
	CURLcode code = CURLE_OK;
	int nrunning, nfd, wait_ms = 0;

	for (;;) {
		CURLMcode mc = h->curl->multi_perform(h->multi, &nrunning);
		ag_status st;

		if (!mc && is_done(h, &code))
			return end_of(x, code);
		note_sent(x);
		st = look_around(x, &wait_ms);
		if (st)
			return st;
		if (!mc)
			mc = h->curl->multi_poll(h->multi, NULL, 0, wait_ms, &nfd);
		if (mc) {
			ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN,
			        "%.*s: libcurl cannot go on", AG_FMT(x->peer));
			x->err->native = (int)mc;
			return AG_UNAVAILABLE;
		}
	}
}

static ag_status transfer(ag_http *h, ag_http_exchange *x)
{
	header_list headers = { 0 };
	CURLcode code;
	ag_status st;

	make_headers(h->curl, x->r, &headers);
	code = headers.failed ? CURLE_OUT_OF_MEMORY : set_options(h, x, headers.list);
	if (code) {
		st = ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN,
		             "libcurl refuses the request: %s", h->curl->easy_strerror(code));
		x->err->native = (int)code;
	} else if (ag_fault("net.send")) {
		st = ag_http_fail_curl(x, CURLE_COULDNT_CONNECT);
	} else if (h->curl->multi_add_handle(h->multi, h->easy)) {
		st = ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN, "libcurl takes no request");
	} else {
		st = run(h, x);
		note_sent(x);
		x->ret->is_sent = x->is_connected && (size_t)x->nsent >= x->r->body.len;
		h->curl->multi_remove_handle(h->multi, h->easy);
	}
	/* The handle is kept, what it points to is not: neither the headers nor x. */
	h->curl->easy_reset(h->easy);
	h->curl->slist_free_all(headers.list);
	return st;
}

ag_status ag_http_send(ag_http *h, const ag_ctx *ctx, const ag_http_request *r, ag_arena *arena,
                       ag_http_response *ret, ag_err *err)
{
	ag_err unheard = { 0 };
	ag_http_exchange x = {
		.curl = h->curl,
		.easy = h->easy,
		.errbuf = h->errbuf,
		.ctx = ctx,
		.clock = ctx && ctx->clock ? ctx->clock : &ag_clock_system,
		.r = r,
		.arena = arena,
		.ret = ret,
		.err = err ? err : &unheard,
		.max_body_bytes = r->max_body_bytes ? r->max_body_bytes : DEFAULT_MAX_BODY,
	};
	bool is_ipv6;
	ag_status st;

	*ret = (ag_http_response){ .content_type = AG_S(""),
		                   .content_encoding = AG_S(""),
		                   .retry_after = AG_S(""),
		                   .request_id = AG_S(""),
		                   .location = AG_S(""),
		                   .wanted = AG_S(""),
		                   .body = AG_S("") };
	st = check_request(r, x.err);
	if (!st)
		st = ag_url_parse(r->url, arena, &x.url, x.err);
	if (!st)
		st = ag_ctx_check(ctx, x.err);
	if (st)
		return st;
	is_ipv6 = ag_str_find(x.url.host, ':') >= 0;
	x.peer = ag_str_printf(arena, "%s%.*s%s:%u", is_ipv6 ? "[" : "", AG_FMT(x.url.host),
	                       is_ipv6 ? "]" : "", x.url.port);
	ag_buf_init(&x.body, x.max_body_bytes);
	x.begin_ms = ag_http_now(&x);
	st = transfer(h, &x);
	ret->body = ag_buf_dup(arena, &x.body);
	ret->total_ms = ag_http_now(&x) - x.begin_ms;
	ag_buf_release(&x.body);
	return st;
}
