/* A load of MCP over HTTP: some sessions, each of which calls one tool again and again and waits for the answer.
 *
 *   bench_mcp_load PORT PATH SESSIONS SECONDS REVISION TOKEN REQUEST EXPECT
 *
 * One thread, one epoll: what it costs is the same for every server that is measured. It prints one JSON object: calls,
 * seconds, calls per second, CPU seconds of its own, the median and the 99th percentile of the time of a call, and bytes of
 * an answer. An answer that is not 200, or in which EXPECT is missing, ends it with 1. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_ANSWER  (1u << 22)
#define MAX_SAMPLES 2000000u

typedef struct session {
	int fd;
	char *in;
	size_t nin;
	char *request;
	size_t nrequest;
	double sent;
} session;

static const char *path, *revision, *token, *expect;
static int port;
static float *samples;
static size_t nsample;

static void die(const char *what)
{
	fprintf(stderr, "mcp_load: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int dial(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)))
		die("cannot connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	return fd;
}

static char *http(const char *session_id, const char *body, size_t *ret_n)
{
	const size_t room = strlen(body) + 2048;
	char *text = malloc(room);
	int n;

	if (!text)
		die("memory");
	n = snprintf(text, room,
	             "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
	             "Accept: application/json, text/event-stream\r\nContent-Length: %zu\r\n",
	             path, port, strlen(body));
	if (token[0])
		n += snprintf(text + n, room - (size_t)n, "Authorization: Bearer %s\r\n", token);
	if (session_id[0])
		n += snprintf(text + n, room - (size_t)n, "Mcp-Session-Id: %s\r\n", session_id);
	n += snprintf(text + n, room - (size_t)n, "MCP-Protocol-Version: %s\r\n\r\n%s", revision,
	              body);
	*ret_n = (size_t)n;
	return text;
}

static void send_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t done = send(fd, text, n, MSG_NOSIGNAL);

		if (done <= 0)
			die("cannot send");
		text += done;
		n -= (size_t)done;
	}
}

/* Bytes of the answer when it is whole, else 0. */
static size_t whole(const char *in, size_t n)
{
	const char *end = memmem(in, n, "\r\n\r\n", 4), *h;
	size_t head;

	if (!end)
		return 0;
	head = (size_t)(end - in) + 4;
	for (h = in; h < end;) {
		const char *line_end = memmem(h, (size_t)(end - h) + 2, "\r\n", 2);

		if (!strncasecmp(h, "content-length:", 15)) {
			const size_t all = head + strtoul(h + 15, NULL, 10);

			return n >= all ? all : 0;
		}
		if (!strncasecmp(h, "transfer-encoding:", 18)) {
			const char *at = end + 4;

			for (;;) { /* from chunk to chunk */
				char *size_end;
				size_t size;

				if (!memmem(at, n - (size_t)(at - in), "\r\n", 2))
					return 0;
				size = strtoul(at, &size_end, 16);
				size_end = memmem(size_end, n - (size_t)(size_end - in), "\r\n", 2);
				if (!size_end || (size_t)(size_end + 2 - in) + size + 2 > n)
					return 0;
				at = size_end + 2 + size + 2;
				if (!size)
					return (size_t)(at - in);
			}
		}
		h = line_end + 2;
	}
	return head;
}

/* One call, waited for; its bytes stay in s->in. */
static size_t call(session *s, const char *text, size_t n)
{
	size_t got;

	send_all(s->fd, text, n);
	s->nin = 0;
	while (!(got = whole(s->in, s->nin))) {
		ssize_t r = recv(s->fd, s->in + s->nin, MAX_ANSWER - s->nin - 1, 0);

		if (r <= 0)
			die("the server closed the connection");
		s->nin += (size_t)r;
	}
	s->in[s->nin] = 0;
	return got;
}

static void open_session(session *s, const char *request)
{
	char body[512], id[256] = "", *h;
	size_t n;
	char *text;

	s->in = malloc(MAX_ANSWER);
	if (!s->in)
		die("memory");
	s->fd = dial();
	snprintf(
		body, sizeof(body),
		"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
		"\"%s\",\"capabilities\":{},\"clientInfo\":{\"name\":\"load\",\"version\":\"1\"}}}",
		revision);
	text = http("", body, &n);
	call(s, text, n);
	free(text);
	if (strncmp(s->in, "HTTP/1.1 200", 12) != 0)
		die(s->in);
	for (h = s->in; h && *h != '\r'; h = strstr(h, "\r\n") ? strstr(h, "\r\n") + 2 : NULL) {
		if (!strncasecmp(h, "mcp-session-id:", 15))
			sscanf(h + 15, " %255[^\r]", id);
	}
	text = http(id, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", &n);
	call(s, text, n);
	free(text);
	s->request = http(id, request, &s->nrequest);
	call(s, s->request, s->nrequest);
	if (!memmem(s->in, s->nin, expect, strlen(expect)))
		die(s->in);
	s->nin = 0;
}

static void check(const session *s, size_t n)
{
	if (strncmp(s->in, "HTTP/1.1 200", 12) != 0 || !memmem(s->in, n, expect, strlen(expect)))
		die(s->in);
}

static int by_size(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct epoll_event events[256];
	struct rusage used;
	session *sessions;
	double start, end, seconds;
	size_t ncall = 0, nbyte = 0;
	int n, ep = epoll_create1(EPOLL_CLOEXEC);

	if (argc != 9)
		die("want PORT PATH SESSIONS SECONDS REVISION TOKEN REQUEST EXPECT");
	port = (int)strtol(argv[1], NULL, 10);
	path = argv[2];
	n = (int)strtol(argv[3], NULL, 10);
	seconds = strtod(argv[4], NULL);
	revision = argv[5];
	token = argv[6];
	expect = argv[8];
	sessions = calloc((size_t)n, sizeof(*sessions));
	samples = malloc(MAX_SAMPLES * sizeof(*samples));
	if (!sessions || !samples || ep < 0)
		die("memory");
	for (int i = 0; i < n; i++) {
		struct epoll_event e = { .events = EPOLLIN, .data.ptr = &sessions[i] };

		open_session(&sessions[i], argv[7]);
		epoll_ctl(ep, EPOLL_CTL_ADD, sessions[i].fd, &e);
	}
	printf("ready\n"); /* whoever measures reads the server's clocks now */
	fflush(stdout);
	if (getchar() == EOF)
		die("nobody measures");
	start = now();
	for (int i = 0; i < n; i++) {
		sessions[i].sent = now();
		send_all(sessions[i].fd, sessions[i].request, sessions[i].nrequest);
	}
	while ((end = now()) - start < seconds) {
		const int got = epoll_wait(ep, events, 256, 100);

		for (int i = 0; i < got; i++) {
			session *s = events[i].data.ptr;
			ssize_t r = recv(s->fd, s->in + s->nin, MAX_ANSWER - s->nin - 1, 0);
			size_t all;

			if (r <= 0)
				die("the server closed the connection");
			s->nin += (size_t)r;
			all = whole(s->in, s->nin);
			if (!all)
				continue;
			check(s, all);
			end = now();
			if (nsample < MAX_SAMPLES)
				samples[nsample++] = (float)(end - s->sent);
			ncall++;
			nbyte += all;
			s->nin = 0;
			s->sent = end;
			send_all(s->fd, s->request, s->nrequest);
		}
	}
	getrusage(RUSAGE_SELF, &used);
	qsort(samples, nsample, sizeof(*samples), by_size);
	printf("{\"calls\":%zu,\"seconds\":%.4f,\"per_second\":%.1f,\"own_cpu\":%.4f,\"p50_us\":%.1f,"
	       "\"p99_us\":%.1f,\"bytes\":%zu}\n",
	       ncall, end - start, (double)ncall / (end - start),
	       (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
	       nsample ? (double)samples[nsample / 2] * 1e6 : 0.0,
	       nsample ? (double)samples[nsample * 99 / 100] * 1e6 : 0.0,
	       ncall ? nbyte / ncall : 0);
	fflush(stdout);
	if (getchar() == EOF)
		return 1; /* the connections stay open while memory is read */
	return 0;
}
