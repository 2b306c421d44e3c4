/* A load of conversations over HTTP, for bench/chat.py: some chats at a time, each of which asks one question, reads the answer's
 * stream to its end and goes on as another chat.
 *
 *   bench_chat_load PORT PATH TOKEN CHATS SECONDS IDS [once]
 *
 * IDS is the first part of the chats' ids. One thread, one epoll, connections that stay. It prints "ready", begins with a line on
 * its standard input, and prints one JSON object: turns, seconds, turns per second, median and 99th percentile of a turn in ms. An
 * answer that is not 200, or without the sentence of bench/chat_model.c, ends it with 1. once: each chat asks once; afterwards
 * the connections stay open until the input ends. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_ANSWER  65536u
#define MAX_SAMPLES 1000000u
#define QUESTION    "How many orders were delivered?"

typedef struct chat {
	int fd;
	char in[MAX_ANSWER];
	size_t n;
	double sent;
} chat;

static const char *path, *token, *ids;
static int port, poll_fd;
static float samples[MAX_SAMPLES];
static size_t nsample, nasked;

static void die(const char *what, const chat *c)
{
	fprintf(stderr, "chat_load: %s\n", what);
	if (c)
		fprintf(stderr, "%.*s\n", (int)(c->n < 3000 ? c->n : 3000), c->in);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void dial(chat *c)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = c };

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&a, sizeof(a)))
		die("cannot connect", NULL);
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, c->fd, &ev))
		die("epoll", NULL);
}

static void ask(chat *c)
{
	char body[512], text[2048];
	int n;

	n = snprintf(body, sizeof(body),
	             "{\"id\":\"%s-%zu\",\"messages\":[{\"role\":\"user\",\"parts\":[{\"type\":"
	             "\"text\",\"text\":\"" QUESTION "\"}]}]}",
	             ids, nasked++);
	n = snprintf(text, sizeof(text),
	             "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
	             "Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
	             path, port, token, n, body);
	c->n = 0;
	c->sent = now();
	if (send(c->fd, text, (size_t)n, MSG_NOSIGNAL) != n)
		die("cannot send", NULL);
}

/* The answer's last chunk is there. */
static bool is_whole(const chat *c)
{
	return c->n > 5 && memcmp(c->in + c->n - 5, "0\r\n\r\n", 5) == 0;
}

static bool is_answer(const chat *c)
{
	return c->n > 12 && memcmp(c->in + 9, "200", 3) == 0 &&
	       memmem(c->in, c->n, "325 orders", 10) && memmem(c->in, c->n, "[DONE]", 6);
}

/* True: a turn is over. */
static bool on_bytes(chat *c)
{
	const ssize_t got = recv(c->fd, c->in + c->n, sizeof(c->in) - c->n, 0);

	if (got > 0)
		c->n += (size_t)got;
	if (got > 0 && !is_whole(c)) {
		if (c->n == sizeof(c->in))
			die("an answer is too long", c);
		return false;
	}
	if (!is_answer(c))
		die("this is no answer", c);
	if (nsample < MAX_SAMPLES)
		samples[nsample++] = (float)(now() - c->sent);
	if (got <= 0) {
		close(c->fd);
		dial(c);
	}
	return true;
}

static int by_size(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static void run_for(chat *chats, size_t n, double seconds, bool once)
{
	const double began = now();
	size_t nover = 0, nopen = n;
	struct epoll_event got[256];
	double took = 0;

	for (size_t i = 0; i < n; i++)
		ask(&chats[i]);
	while (nopen) {
		const int k = epoll_wait(poll_fd, got, 256, 60000);

		if (k <= 0)
			die("nothing comes", NULL);
		for (int i = 0; i < k; i++) {
			if (!on_bytes(got[i].data.ptr))
				continue;
			took = now() - began;
			nover++;
			if (once || took >= seconds)
				nopen--;
			else
				ask(got[i].data.ptr);
		}
	}
	qsort(samples, nsample, sizeof(*samples), by_size);
	printf("{\"turns\":%zu,\"seconds\":%.3f,\"per_second\":%.1f,\"p50_ms\":%.2f,\"p99_ms\":%.2f}\n",
	       nover, took, (double)nover / took, (double)samples[nsample / 2] * 1e3,
	       (double)samples[nsample * 99 / 100] * 1e3);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	size_t n;
	chat *chats;

	if (argc < 7)
		die("PORT PATH TOKEN CHATS SECONDS IDS [once]", NULL);
	port = (int)strtol(argv[1], NULL, 10);
	path = argv[2];
	token = argv[3];
	n = strtoul(argv[4], NULL, 10);
	ids = argv[6];
	poll_fd = epoll_create1(EPOLL_CLOEXEC);
	chats = calloc(n ? n : 1, sizeof(*chats));
	if (!chats || !n || poll_fd < 0)
		die("memory", NULL);
	for (size_t i = 0; i < n; i++)
		dial(&chats[i]);
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	run_for(chats, n, strtod(argv[5], NULL), argc > 7);
	while (argc > 7 && getchar() != EOF)
		;
	return 0;
}
