/* The listening socket: its errors name what is wrong. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/parts.h"

#define ORIGIN  "http.server"
#define BACKLOG 511
#define PEER_MS \
	60000 /* data that nobody acknowledges for so long ends a connection: its host is gone */

static ag_status resolve(ag_str host, unsigned port, struct sockaddr_storage *ret, socklen_t *nret,
                         ag_err *err)
{
	struct addrinfo want = { .ai_socktype = SOCK_STREAM,
		                 .ai_flags = AI_PASSIVE | AI_NUMERICSERV },
			*list = NULL;
	char name[256], service[8];
	int rc;

	/* Whatever /etc/hosts says of it. */
	if (host.len == 0 || ag_str_ieq(host, AG_S("localhost")))
		host = AG_S("127.0.0.1");
	if (host.len > 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
		host = ag_str_make(host.ptr + 1, host.len - 2);
	if (host.len >= sizeof(name) || memchr(host.ptr, '\0', host.len))
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "the host to listen on is no name or address");
	if (port > 65535)
		return ag_fail(err, AG_INVALID, ORIGIN, "there is no port %u", port);
	snprintf(name, sizeof(name), "%.*s", AG_FMT(host));
	snprintf(service, sizeof(service), "%u", port);
	rc = getaddrinfo(name, service, &want, &list);
	if (rc)
		return ag_fail(err, AG_INVALID, ORIGIN, "cannot listen on host \"%s\": %s", name,
		               gai_strerror(rc));
	memcpy(ret, list->ai_addr, list->ai_addrlen);
	*nret = list->ai_addrlen;
	freeaddrinfo(list);
	return AG_OK;
}

static bool is_loopback(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
	return a->ss_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

static unsigned port_of(const struct sockaddr_storage *a)
{
	return ntohs(a->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)a)->sin6_port
	                                      : ((const struct sockaddr_in *)a)->sin_port);
}

static ag_status fail_bind(int errnum, ag_str host, unsigned port, ag_err *err)
{
	if (errnum == EADDRINUSE) {
		ag_fail(err, AG_UNAVAILABLE, ORIGIN, "port %u is taken by another program", port);
		return ag_err_hint(err, "choose another port, or 0 for any that is free");
	}
	if (errnum == EADDRNOTAVAIL)
		return ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" is no address of this machine",
		               AG_FMT(host));
	return ag_fail_errno(err, errnum, ORIGIN, "cannot listen on port %u", port);
}

ag_status ag_httpd_listen(ag_str host, unsigned port, int *ret_fd, unsigned *ret_port,
                          bool *ret_is_loopback, ag_err *err)
{
	struct sockaddr_storage a = { 0 };
	socklen_t na = sizeof(a);
	int fd, on = 1;
	unsigned peer_ms = PEER_MS;
	ag_status st = resolve(host, port, &a, &na, err);

	if (st)
		return st;
	fd = socket(a.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return ag_fail_errno(err, errno, ORIGIN, "no socket");
	/* Accepted sockets inherit these: a call here saves one for each connection. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &peer_ms, sizeof(peer_ms)) ||
	    bind(fd, (struct sockaddr *)&a, na) || listen(fd, BACKLOG)) {
		st = fail_bind(errno, host, port, err);
		close(fd);
		return st;
	}
	na = sizeof(a);
	if (getsockname(fd, (struct sockaddr *)&a, &na)) {
		st = ag_fail_errno(err, errno, ORIGIN, "the socket has no name");
		close(fd);
		return st;
	}
	*ret_fd = fd;
	*ret_port = port_of(&a);
	*ret_is_loopback = is_loopback(&a);
	return AG_OK;
}
