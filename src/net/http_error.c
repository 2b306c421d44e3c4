/* http_error -- a CURLcode in words: who, in which phase, what to do.
 *
 * libcurl's own text is quoted only where it was made before the request was sent, so that nothing a server echoes (a key
 * in a header, for instance) can get into a message. */
#include <errno.h>
#include <stdio.h>

#include "net/http_exchange.h"

#define CHECK_NETWORK "check the address, the name service and the network of this machine"

static const char *duration(char *buf, size_t size, int64_t ms)
{
	if (ms % 1000)
		snprintf(buf, size, "%lld ms", (long long)ms);
	else
		snprintf(buf, size, "%lld s", (long long)(ms / 1000));
	return buf;
}

ag_status ag_http_fail_timeout(ag_http_exchange *x, const char *what, const char *name,
                               int64_t limit_ms)
{
	char limit[32];

	duration(limit, sizeof(limit), limit_ms);
	if (x->ret->status)
		ag_fail(x->err, AG_TIMEOUT, AG_HTTP_ORIGIN,
		        "%.*s: %s within %s, after %llu bytes of the answer (%s time-out)",
		        AG_FMT(x->peer), what, limit, (unsigned long long)x->ret->nbyte, name);
	else
		ag_fail(x->err, AG_TIMEOUT, AG_HTTP_ORIGIN, "%.*s: %s within %s (%s time-out)",
		        AG_FMT(x->peer), what, limit, name);
	x->err->native = CURLE_OPERATION_TIMEDOUT;
	return AG_TIMEOUT;
}

/* ": Connection refused", or "" when the system gave no reason. */
static const char *system_reason(const ag_http_exchange *x, char *buf, size_t size)
{
	char text[128];
	long errnum = 0;

	buf[0] = '\0';
	if (!x->curl->easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &errnum) && errnum > 0)
		snprintf(buf, size, ": %s", strerror_r((int)errnum, text, sizeof(text)));
	return buf;
}

/* The same for a connection that was there. libcurl may still hold the reason why the first address of a name could not be
 * reached, so only reasons that fit are told. */
static const char *broken_reason(const ag_http_exchange *x, CURLcode code, char *buf, size_t size)
{
	long errnum = 0;

	buf[0] = '\0';
	if ((code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR) &&
	    !x->curl->easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &errnum) &&
	    (errnum == ECONNRESET || errnum == EPIPE || errnum == ETIMEDOUT))
		system_reason(x, buf, size);
	return buf;
}

static ag_status fail_broken(ag_http_exchange *x, CURLcode code)
{
	unsigned long long n = x->ret->nbyte;
	curl_off_t whole = -1;
	char reason[160];

	broken_reason(x, code, reason, sizeof(reason));
	if (!x->ret->status)
		return ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN,
		               "%.*s: the connection %s before an answer came%s", AG_FMT(x->peer),
		               code == CURLE_GOT_NOTHING ? "was closed" : "broke", reason);
	if (x->curl->easy_getinfo(x->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &whole))
		whole = -1;
	if (whole >= 0)
		return ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN,
		               "%.*s: the answer was cut off after %llu of %lld bytes%s",
		               AG_FMT(x->peer), n, (long long)whole, reason);
	return ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN,
	               "%.*s: the answer was cut off after %llu bytes%s", AG_FMT(x->peer), n,
	               reason);
}

ag_status ag_http_fail_header_cut(ag_http_exchange *x)
{
	if (!x->ret->status)
		return fail_broken(x, CURLE_GOT_NOTHING);
	return ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN,
	               "%.*s: the answer was cut off in its header, after 0 bytes of its body",
	               AG_FMT(x->peer));
}

static ag_status fail_connect(ag_http_exchange *x)
{
	char reason[160];

	ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN, "%.*s: cannot connect%s", AG_FMT(x->peer),
	        system_reason(x, reason, sizeof(reason)));
	return ag_err_hint(x->err, "is the server running there? check address and port");
}

static ag_status fail_tls(ag_http_exchange *x, CURLcode code)
{
	ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN, "%.*s: no TLS connection: %s",
	        AG_FMT(x->peer), x->errbuf[0] ? x->errbuf : x->curl->easy_strerror(code));
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		return ag_err_hint(x->err,
		                   "the certificate is not trusted here: install that of its "
		                   "authority, or name it in SSL_CERT_FILE");
	return ag_err_hint(x->err, "does this port speak TLS? a plain one is written http://");
}

static ag_status fail_proxy(ag_http_exchange *x, CURLcode code)
{
	long status = 0;

	if (code == CURLE_COULDNT_RESOLVE_PROXY)
		ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN,
		        "%.*s: the name of the proxy cannot be resolved", AG_FMT(x->peer));
	else if (!x->curl->easy_getinfo(x->easy, CURLINFO_HTTP_CONNECTCODE, &status) && status)
		ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN,
		        "%.*s: the proxy answered %ld and does not connect", AG_FMT(x->peer),
		        status);
	else
		ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN, "%.*s: the proxy does not connect",
		        AG_FMT(x->peer));
	return ag_err_hint(x->err, "check https_proxy, all_proxy and no_proxy of the environment");
}

/* The proxy said no: libcurl reports it as a connection that broke. */
static bool is_refused_by_proxy(const ag_http_exchange *x)
{
	long status = 0;

	return !x->is_connected &&
	       !x->curl->easy_getinfo(x->easy, CURLINFO_HTTP_CONNECTCODE, &status) && status >= 300;
}

/* Chunks that are none share a code with a connection that broke; libcurl's text tells them apart. */
static bool is_bad_chunk(const ag_http_exchange *x)
{
	return x->ret->status && ag_str_contains(ag_str_c(x->errbuf), AG_S("chunk"));
}

static ag_status fail_protocol(ag_http_exchange *x, const char *what)
{
	ag_fail(x->err, AG_PROTOCOL, AG_HTTP_ORIGIN, "%.*s: %s", AG_FMT(x->peer), what);
	return ag_err_hint(x->err, "is this the address of an HTTP server?");
}

static ag_status fail(ag_http_exchange *x, CURLcode code)
{
	switch ((int)code) {
	case CURLE_URL_MALFORMAT:
		return ag_fail(x->err, AG_INVALID, AG_HTTP_ORIGIN, "%.*s: the address is not valid",
		               AG_FMT(x->peer));
	case CURLE_COULDNT_RESOLVE_HOST:
		ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN, "%.*s: the name cannot be resolved",
		        AG_FMT(x->peer));
		return ag_err_hint(x->err, CHECK_NETWORK);
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_PROXY: return fail_proxy(x, code);
	case CURLE_COULDNT_CONNECT: return fail_connect(x);
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_CLIENTCERT: return fail_tls(x, code);
	case CURLE_RECV_ERROR:
		if (is_bad_chunk(x))
			return fail_protocol(
				x, "the answer is broken: its chunks have no proper size");
		return fail_broken(x, code);
	case CURLE_SEND_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE: return fail_broken(x, code);
	case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9: bytes without a status line */
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_BAD_CONTENT_ENCODING:
		return fail_protocol(x, x->ret->status ? "the answer is not proper HTTP"
		                                       : "the answer is not HTTP");
	case CURLE_OUT_OF_MEMORY: /* libcurl limits one header line to 100 KB */
		return fail_protocol(x, "a header line of the answer is too long");
	default:
		return ag_fail(x->err, AG_UNAVAILABLE, AG_HTTP_ORIGIN,
		               "%.*s: the request failed: %s", AG_FMT(x->peer),
		               x->curl->easy_strerror(code));
	}
}

ag_status ag_http_fail_curl(ag_http_exchange *x, CURLcode code)
{
	ag_status st = is_refused_by_proxy(x) ? fail_proxy(x, code) : fail(x, code);

	x->err->native = (int)code;
	return st;
}
