/* Errors that the server itself tells: {"error":"too_large","message":"…"}. */
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/json.h"
#include "http/server_parts.h"

#define DRAIN_MS    1000       /* a client on a slow line has this long to read why */
#define DRAIN_BYTES (1u << 20) /* what it sends meanwhile is dropped, up to this */

static void error_body(ag_buf *out, const char *name, const char *message)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "error", ag_str_c(name));
	ag_jw_kstr(&w, "message", ag_str_c(message));
	ag_jw_obj_end(&w);
}

void ag_httpd_error(ag_httpd_reply *rp, int status, const char *name, const char *message)
{
	rp->status = status;
	rp->content_type = AG_S("application/json");
	ag_buf_clear(&rp->body);
	error_body(&rp->body, name, message);
}

const char *ag_httpd_reason(int status)
{
	switch (status) {
	case 200: return "OK";
	case 202: return "Accepted";
	case 204: return "No Content";
	case 400: return "Bad Request";
	case 401: return "Unauthorized";
	case 403: return "Forbidden";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 406: return "Not Acceptable";
	case 409: return "Conflict";
	case 413: return "Content Too Large";
	case 415: return "Unsupported Media Type";
	case 429: return "Too Many Requests";
	case 431: return "Request Header Fields Too Large";
	case 500: return "Internal Server Error";
	case 503: return "Service Unavailable";
	default: return "Status";
	}
}

static void drain(int fd)
{
	char bytes[4096];
	size_t n = 0;
	int64_t end = ag_httpd_now_ms() + DRAIN_MS, left;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (n < DRAIN_BYTES && (left = end - ag_httpd_now_ms()) > 0) {
		ssize_t got;

		if (poll(&p, 1, (int)left) <= 0)
			return;
		got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (got <= 0)
			return;
		n += (size_t)got;
	}
}

void ag_httpd_refuse(int fd, int status, const char *name, const char *message)
{
	ag_buf body = AG_BUF_INIT(1024), all = AG_BUF_INIT(2048);

	error_body(&body, name, message);
	ag_buf_addf(&all,
	            "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
	            "Connection: close\r\n\r\n%.*s",
	            status, ag_httpd_reason(status), body.len, (int)body.len, body.ptr);
	/* One packet into an empty buffer: it fits, or nobody reads. */
	if (send(fd, all.ptr, all.len, MSG_NOSIGNAL | MSG_DONTWAIT) > 0 &&
	    shutdown(fd, SHUT_WR) == 0)
		drain(fd);
	ag_buf_release(&body);
	ag_buf_release(&all);
}
