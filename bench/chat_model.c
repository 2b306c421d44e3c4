/* A model server without delay, for bench/chat.py: chat completions of OpenAI's protocol, streamed and whole.
 *
 *   bench_chat_model
 *
 * A request that holds no result of a call is answered with a call of execute_sql, any other with a sentence. One thread, one
 * epoll, canned bytes: what it costs is the same for everybody who asks. It prints its port. SIGUSR1: what is asked from now on
 * waits; SIGUSR2: all is answered. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_REQUEST (1u << 22)
#define SQL         "SELECT status, COUNT(*) AS orders FROM orders GROUP BY status ORDER BY orders DESC"
#define ID          "c0000000" /* a number takes its place: clients take replies of one id for one message */
#define ARGUMENTS   "{\\\"query\\\":\\\"" SQL "\\\"}"
#define ANSWER      "325 orders were delivered."
#define CALL(index)                                                                        \
	"\"tool_calls\":[{" index "\"id\":\"call_1\",\"type\":\"function\",\"function\":{" \
	"\"name\":\"execute_sql\",\"arguments\":\"" ARGUMENTS "\"}}]"
#define EVENT(delta, finish)                                                     \
	"data: {\"id\":\"" ID                                                    \
	"\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\"," \
	"\"choices\":[{\"index\":0,\"delta\":{" delta "},\"finish_reason\":" finish "}]}\n\n"
#define USAGE "\"usage\":{\"prompt_tokens\":1900,\"completion_tokens\":60,\"total_tokens\":1960}"
#define LAST                                                                     \
	"data: {\"id\":\"" ID                                                    \
	"\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\"," \
	"\"choices\":[]," USAGE "}\n\ndata: [DONE]\n\n"
#define WHOLE(message, finish)                                                                    \
	"{\"id\":\"" ID                                                                           \
	"\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":["           \
	"{\"index\":0,\"message\":{\"role\":\"assistant\"," message "},\"finish_reason\":" finish \
	"}]," USAGE "}"

/* [streamed][has a result] */
static const char *const bodies[2][2] = {
	{ WHOLE("\"content\":null," CALL(""), "\"tool_calls\""),
	  WHOLE("\"content\":\"" ANSWER "\"", "\"stop\"") },
	{ EVENT("\"role\":\"assistant\",\"content\":null", "null")
	          EVENT(CALL("\"index\":0,"), "null") EVENT("", "\"tool_calls\"") LAST,
	  EVENT("\"role\":\"assistant\",\"content\":\"\"",
	        "null") EVENT("\"content\":\"325 orders \"", "null")
	          EVENT("\"content\":\"were delivered.\"", "null") EVENT("", "\"stop\"") LAST },
};

typedef struct peer {
	int fd;
	char *in;
	size_t n, cap;
	bool waits;
	struct peer *next;
} peer;

static peer *peers; /* closed ones stay, for the next */
static bool is_held;

static void die(const char *what)
{
	fprintf(stderr, "chat_model: %s\n", what);
	exit(1);
}

static size_t header_number(const char *head, const char *end, const char *name)
{
	for (const char *h = head; h < end;) {
		const char *line_end = memmem(h, (size_t)(end - h) + 2, "\r\n", 2);

		if (!strncasecmp(h, name, strlen(name)))
			return strtoul(h + strlen(name), NULL, 10);
		h = line_end + 2;
	}
	return 0;
}

static void answer(peer *p, const char *body, size_t nbody)
{
	const bool streamed = memmem(body, nbody, "\"stream\":true", 13) != NULL;
	const bool has_result = memmem(body, nbody, "\"role\":\"tool\"", 13) != NULL;
	const char *text = bodies[streamed][has_result];
	static unsigned nreply;
	char out[8192], id[sizeof(ID)];
	const int n =
		snprintf(out, sizeof(out),
	                 "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n%s",
	                 streamed ? "text/event-stream" : "application/json", strlen(text), text);

	snprintf(id, sizeof(id), "c%07u", nreply++ % 10000000u);
	for (char *at = out; (at = strstr(at, ID)); at += sizeof(ID) - 1)
		memcpy(at, id, sizeof(ID) - 1);
	if (send(p->fd, out, (size_t)n, MSG_NOSIGNAL) != n)
		p->waits = false; /* it left */
}

/* Answers what is whole; false: the peer sent something else. */
static bool take_requests(peer *p)
{
	const char *end;

	while (!p->waits && (end = memmem(p->in, p->n, "\r\n\r\n", 4))) {
		const size_t head = (size_t)(end - p->in) + 4;
		const size_t body = header_number(p->in, end, "content-length:");

		if (body > MAX_REQUEST)
			return false;
		if (p->n < head + body)
			return true;
		if (is_held) {
			p->waits = true;
			return true;
		}
		answer(p, p->in + head, body);
		p->n -= head + body;
		memmove(p->in, p->in + head + body, p->n);
	}
	return true;
}

static void leave(peer *p)
{
	close(p->fd);
	p->fd = -1;
	p->n = 0;
	p->waits = false;
}

static void on_peer(peer *p)
{
	ssize_t got;

	if (p->cap - p->n < 65536) {
		p->cap = p->cap ? 2 * p->cap : 1u << 17;
		p->in = realloc(p->in, p->cap);
		if (!p->in)
			die("memory");
	}
	got = recv(p->fd, p->in + p->n, p->cap - p->n, 0);
	if (got <= 0) {
		leave(p);
		return;
	}
	p->n += (size_t)got;
	if (!take_requests(p))
		leave(p);
}

static void on_connect(int listener, int poll)
{
	const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct epoll_event ev = { .events = EPOLLIN };
	peer *p;

	if (fd < 0)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	for (p = peers; p && p->fd >= 0; p = p->next)
		;
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			die("memory");
		p->next = peers;
		peers = p;
	}
	p->fd = fd;
	ev.data.ptr = p;
	if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &ev))
		die("epoll");
}

static void on_signal(int signals)
{
	struct signalfd_siginfo s;

	if (read(signals, &s, sizeof(s)) != sizeof(s))
		return;
	is_held = s.ssi_signo == SIGUSR1;
	for (peer *p = peers; p && !is_held; p = p->next) {
		if (p->fd < 0 || !p->waits)
			continue;
		p->waits = false;
		if (!take_requests(p))
			leave(p);
	}
}

static int listen_anywhere(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t n = sizeof(a);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 4096) ||
	    getsockname(fd, (struct sockaddr *)&a, &n))
		die("cannot listen");
	printf("%u\n", ntohs(a.sin_port));
	fflush(stdout);
	return fd;
}

int main(void)
{
	const int poll = epoll_create1(EPOLL_CLOEXEC);
	int listener = listen_anywhere();
	struct epoll_event ev = { .events = EPOLLIN }, got[64];
	sigset_t set;
	int signals;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	ev.data.ptr = &listener;
	if (signals < 0 || epoll_ctl(poll, EPOLL_CTL_ADD, listener, &ev))
		die("epoll");
	ev.data.ptr = &signals;
	if (epoll_ctl(poll, EPOLL_CTL_ADD, signals, &ev))
		die("epoll");
	for (;;) {
		const int n = epoll_wait(poll, got, 64, -1);

		if (n < 0 && errno != EINTR)
			die("epoll");
		for (int i = 0; i < n; i++) {
			if (got[i].data.ptr == &listener)
				on_connect(listener, poll);
			else if (got[i].data.ptr == &signals)
				on_signal(signals);
			else
				on_peer(got[i].data.ptr);
		}
	}
}
