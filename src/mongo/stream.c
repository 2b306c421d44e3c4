/* stream -- see the header.
 *
 * The order: connect, the methods of mongoc_stream_t, TLS on top of it. TLS uses the same methods, so its waits are watched
 * as well. */
#include "mongo/stream.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "mongo/mongo.h"

#define STREAM_TYPE        77 /* none of libmongoc's */
#define CONNECT_TIMEOUT_MS 5000
/* A server that has worked for two seconds may work for a minute: then a wait looks at the call less often. */
#define LONG_WAIT_MS  2000
#define LONG_SLICE_MS (4 * AG_MONGO_SLICE_MS)

typedef struct watched {
	mongoc_stream_t base;
	ag_mongo_watch *watch;
	int fd;
	bool timed_out;
} watched;

static watched *watched_of(mongoc_stream_t *s)
{
	return (watched *)(void *)s;
}

static int64_t now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* Until the descriptor is ready; false with errno when that takes too long or is not wanted any more. end_ms 0 = no end. */
static bool wait_ready(ag_mongo_watch *w, int fd, short events, int64_t end_ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	const int64_t begin = now_ms();

	for (;;) {
		const int64_t now = now_ms(), left = w->ctx ? ag_ctx_left_ms(w->ctx) : -1;
		int64_t slice = now - begin < LONG_WAIT_MS ? AG_MONGO_SLICE_MS : LONG_SLICE_MS;
		int n;

		if (left >= 0 && left < slice)
			slice = left + 1;
		if (end_ms && end_ms - now < slice)
			slice = end_ms > now ? end_ms - now : 0;
		n = poll(&p, 1, (int)slice);
		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
		if (w->ctx && ag_ctx_check(w->ctx, NULL)) {
			w->is_stopped = true;
			errno = ETIMEDOUT;
			return false;
		}
		w->is_late = w->is_late || (w->give_up_ms && now >= w->give_up_ms);
		if (w->is_late || (end_ms && now >= end_ms)) {
			errno = ETIMEDOUT;
			return false;
		}
	}
}

/* libmongoc: negative = no limit, 0 = what is there now. */
static int64_t end_of(int32_t timeout_ms)
{
	return timeout_ms < 0 ? 0 : now_ms() + timeout_ms;
}

/* --- the methods --------------------------------------------------------------------------------- */

static int stream_close(mongoc_stream_t *s)
{
	watched *w = watched_of(s);

	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	return 0;
}

static void stream_destroy(mongoc_stream_t *s)
{
	stream_close(s);
	free(s);
}

static int stream_flush(mongoc_stream_t *s)
{
	(void)s;
	return 0;
}

static bool is_wait(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static ssize_t fail_io(watched *w)
{
	w->timed_out = errno == ETIMEDOUT;
	return -1;
}

static ssize_t stream_writev(mongoc_stream_t *s, mongoc_iovec_t *iov, size_t n, int32_t timeout_ms)
{
	watched *w = watched_of(s);
	const int64_t end = end_of(timeout_ms);
	ssize_t sent = 0;

	w->timed_out = false;
	for (size_t i = 0; i < n;) {
		struct msghdr m = { .msg_iov = &iov[i], .msg_iovlen = n - i > 64 ? 64 : n - i };
		ssize_t k = sendmsg(w->fd, &m, MSG_NOSIGNAL);

		if (k < 0 && !is_wait(errno))
			return fail_io(w);
		if (k < 0 && !wait_ready(w->watch, w->fd, POLLOUT, end))
			return fail_io(w);
		if (k < 0)
			continue;
		sent += k;
		for (; i < n && (size_t)k >= iov[i].iov_len; i++)
			k -= (ssize_t)iov[i].iov_len;
		if (i < n) {
			iov[i].iov_base = (char *)iov[i].iov_base + k;
			iov[i].iov_len -= (size_t)k;
		}
	}
	return sent;
}

static ssize_t stream_readv(mongoc_stream_t *s, mongoc_iovec_t *iov, size_t n, size_t min_bytes,
                            int32_t timeout_ms)
{
	watched *w = watched_of(s);
	const int64_t end = end_of(timeout_ms);
	size_t got = 0;

	w->timed_out = false;
	for (size_t i = 0; i < n;) {
		const ssize_t k = recv(w->fd, iov[i].iov_base, iov[i].iov_len, 0);

		if (k == 0) {
			errno = ECONNRESET;
			return got ? (ssize_t)got : 0;
		}
		if (k < 0 && !is_wait(errno))
			return fail_io(w);
		if (k < 0 && got && got >= min_bytes)
			return (ssize_t)got;
		if (k < 0 && timeout_ms == 0) {
			errno = EAGAIN;
			return -1;
		}
		if (k < 0 && !wait_ready(w->watch, w->fd, POLLIN, end))
			return fail_io(w);
		if (k < 0)
			continue;
		got += (size_t)k;
		iov[i].iov_base = (char *)iov[i].iov_base + k;
		iov[i].iov_len -= (size_t)k;
		i += !iov[i].iov_len;
		if (min_bytes && got >= min_bytes && i < n && iov[i].iov_len)
			return (ssize_t)got;
	}
	return (ssize_t)got;
}

static int stream_setsockopt(mongoc_stream_t *s, int level, int name, void *value,
                             mongoc_socklen_t size)
{
	return setsockopt(watched_of(s)->fd, level, name, value, size);
}

static bool stream_check_closed(mongoc_stream_t *s)
{
	char c;
	const ssize_t n = recv(watched_of(s)->fd, &c, 1, MSG_PEEK | MSG_DONTWAIT);

	return n == 0 || (n < 0 && !is_wait(errno));
}

/* Of all streams of a client while it looks for its servers; libmongoc calls it in a loop until its own time-out. */
static ssize_t stream_poll(mongoc_stream_poll_t *streams, size_t n, int32_t timeout_ms)
{
	struct pollfd *p = ag_xcalloc(n ? n : 1, sizeof(*p));
	ag_mongo_watch *w = n ? watched_of(streams[0].stream)->watch : NULL;
	ssize_t ready;

	for (size_t i = 0; i < n; i++)
		p[i] = (struct pollfd){ .fd = watched_of(streams[i].stream)->fd,
			                .events = (short)streams[i].events };
	if (timeout_ms < 0 || timeout_ms > AG_MONGO_SLICE_MS)
		timeout_ms = AG_MONGO_SLICE_MS;
	ready = poll(p, n, timeout_ms);
	if (!ready && w && w->ctx && ag_ctx_check(w->ctx, NULL)) {
		w->is_stopped = true;
		/* Every stream is reported as broken, so that the search ends. */
		for (size_t i = 0; i < n; i++)
			p[i].revents = POLLHUP | POLLERR;
		ready = (ssize_t)n;
	}
	for (size_t i = 0; i < n; i++)
		streams[i].revents = p[i].revents;
	free(p);
	return ready;
}

static bool stream_timed_out(mongoc_stream_t *s)
{
	return watched_of(s)->timed_out;
}

static bool stream_should_retry(mongoc_stream_t *s)
{
	(void)s;
	return is_wait(errno);
}

static mongoc_stream_t *stream_new(ag_mongo_watch *watch, int fd)
{
	watched *w = ag_xcalloc(1, sizeof(*w));

	w->base = (mongoc_stream_t){
		.type = STREAM_TYPE,
		.destroy = stream_destroy,
		.failed = stream_destroy,
		.close = stream_close,
		.flush = stream_flush,
		.writev = stream_writev,
		.readv = stream_readv,
		.setsockopt = stream_setsockopt,
		.check_closed = stream_check_closed,
		.poll = stream_poll,
		.timed_out = stream_timed_out,
		.should_retry = stream_should_retry,
	};
	w->watch = watch;
	w->fd = fd;
	return &w->base;
}

/* --- connecting ---------------------------------------------------------------------------------- */

static int connect_to(ag_mongo_watch *w, const struct sockaddr *to, socklen_t n, int64_t end)
{
	const int fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1, error = 0;
	socklen_t size = sizeof(error);

	if (fd < 0)
		return -1;
	if (to->sa_family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	if (connect(fd, to, n) == 0)
		return fd;
	error = errno;
	if (error == EINPROGRESS) {
		error = 0;
		if (!wait_ready(w, fd, POLLOUT, end))
			error = errno;
		else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size))
			error = errno;
	}
	if (!error)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

static void note(ag_mongo_watch *w, const mongoc_host_list_t *host, const char *why)
{
	snprintf(w->why, sizeof(w->why), "%.150s: %.100s", host->host_and_port, why);
}

static int connect_unix(ag_mongo_watch *w, const mongoc_host_list_t *host, int64_t end)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(host->host) >= sizeof(to.sun_path)) {
		note(w, host, "the path of the socket is too long");
		return -1;
	}
	memcpy(to.sun_path, host->host, strlen(host->host) + 1);
	fd = connect_to(w, (const struct sockaddr *)(const void *)&to, sizeof(to), end);
	if (fd < 0)
		note(w, host, strerror(errno));
	return fd;
}

static int connect_host(ag_mongo_watch *w, const mongoc_host_list_t *host, int64_t end)
{
	struct addrinfo how = { .ai_family = host->family, .ai_socktype = SOCK_STREAM }, *all;
	char port[8];
	int fd = -1, rc;

	if (host->family == AF_UNIX)
		return connect_unix(w, host, end);
	snprintf(port, sizeof(port), "%u", host->port);
	rc = getaddrinfo(host->host, port, &how, &all);
	if (rc) {
		note(w, host, rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
		return -1;
	}
	for (const struct addrinfo *a = all; a && fd < 0 && !w->is_stopped; a = a->ai_next) {
		fd = connect_to(w, a->ai_addr, a->ai_addrlen, end);
		if (fd < 0)
			note(w, host,
			     errno == ETIMEDOUT ? "no answer to the connection attempt"
			                        : strerror(errno));
	}
	freeaddrinfo(all);
	return fd;
}

/* TLS as the options of the address say. */
static mongoc_stream_t *with_tls(ag_mongo_watch *w, const mongoc_uri_t *uri,
                                 const mongoc_host_list_t *host, mongoc_stream_t *plain,
                                 int32_t timeout_ms, bson_error_t *error)
{
	const ag_mongoc *m = w->lib;
	const bool is_lax = m->uri_get_option_as_bool(uri, MONGOC_URI_TLSINSECURE, false);
	mongoc_ssl_opt_t o = *m->ssl_opt_get_default();
	mongoc_stream_t *tls;

	o.pem_file = m->uri_get_option_as_utf8(uri, MONGOC_URI_TLSCERTIFICATEKEYFILE, NULL);
	o.pem_pwd = m->uri_get_option_as_utf8(uri, MONGOC_URI_TLSCERTIFICATEKEYFILEPASSWORD, NULL);
	o.ca_file = m->uri_get_option_as_utf8(uri, MONGOC_URI_TLSCAFILE, NULL);
	o.weak_cert_validation =
		is_lax ||
		m->uri_get_option_as_bool(uri, MONGOC_URI_TLSALLOWINVALIDCERTIFICATES, false);
	o.allow_invalid_hostname =
		is_lax ||
		m->uri_get_option_as_bool(uri, MONGOC_URI_TLSALLOWINVALIDHOSTNAMES, false);
	tls = m->stream_tls_new_with_hostname(plain, host->host, &o, 1);
	if (!tls) {
		note(w, host, "TLS cannot be set up; check tlsCAFile and tlsCertificateKeyFile");
		m->stream_destroy(plain);
		return NULL;
	}
	if (m->stream_tls_handshake_block(tls, host->host, timeout_ms, error))
		return tls;
	note(w, host, error->message);
	m->stream_destroy(tls);
	return NULL;
}

mongoc_stream_t *ag_mongo_stream_open(const mongoc_uri_t *uri, const mongoc_host_list_t *host,
                                      void *user_data, bson_error_t *error)
{
	ag_mongo_watch *w = (ag_mongo_watch *)user_data;
	const int32_t timeout_ms = w->lib->uri_get_option_as_int32(uri, MONGOC_URI_CONNECTTIMEOUTMS,
	                                                           CONNECT_TIMEOUT_MS);
	mongoc_stream_t *s;
	int fd;

	w->why[0] = '\0';
	fd = connect_host(w, host, now_ms() + timeout_ms);
	s = fd < 0 ? NULL : stream_new(w, fd);
	if (s && w->lib->uri_get_tls(uri))
		s = with_tls(w, uri, host, s, timeout_ms, error);
	if (!s) {
		error->domain = MONGOC_ERROR_STREAM;
		error->code = MONGOC_ERROR_STREAM_CONNECT;
		snprintf(error->message, sizeof(error->message), "%s", w->why);
		return NULL;
	}
	return ag_mongo_framed(w, s, w->lib->uri_has_option(uri, MONGOC_URI_COMPRESSORS));
}
