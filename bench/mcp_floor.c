/* The least that a call of `SELECT 1` over HTTP and PostgreSQL can cost on this machine: a server that judges nothing,
 * counts nothing, records nothing and answers every request with the same bytes, once PostgreSQL has said its part.
 *
 *   bench_mcp_floor epoll|few|threads SOCKET_FOLDER PGPORT CONNECTIONS
 *
 * It makes the system calls that such a call needs and no others: recv of the request, send of BEGIN READ ONLY, the query and
 * ROLLBACK in one piece, recv of their answers, send of the reply. `epoll` waits for everything in one place, which is the
 * least; `few` has two threads that take one request after the other and wait for PostgreSQL, as Argus has three for each
 * core; `threads` has one for each connection. It prints its port, and ends with its standard input. Only for bench/mcp.py:
 * a request must come in one piece and fit the buffer. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BUFFER (64 * 1024)

typedef struct peer {
	int fd;
	bool is_database;
	bool is_busy, is_gone; /* epoll, of a client: its call is under way; it left meanwhile */
	struct peer *next;     /* free databases; epoll: clients that wait for one */
	struct peer *user;     /* epoll, of a database: whose call it works on */
} peer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_free = PTHREAD_COND_INITIALIZER;
static peer *idle;
static char exchange[512], reply[1024];
static size_t nexchange, nreply;

static void die(const char *what)
{
	fprintf(stderr, "mcp_floor: %s\n", what);
	exit(1);
}

/* --- PostgreSQL --- */

static void message(char type, const char *body, size_t n)
{
	const uint32_t size = htonl((uint32_t)n + 4);

	exchange[nexchange++] = type;
	memcpy(exchange + nexchange, &size, 4);
	memcpy(exchange + nexchange + 4, body, n);
	nexchange += n + 4;
}

static void send_all(int fd, const char *bytes, size_t n)
{
	if (send(fd, bytes, n, MSG_NOSIGNAL) != (ssize_t)n)
		die("cannot send");
}

/* One round of answers: they end with ReadyForQuery. */
static void take_answers(int fd)
{
	char in[BUFFER];
	ssize_t n;

	do {
		n = recv(fd, in, sizeof(in), 0);
		if (n < 6 || in[0] == 'E')
			die("PostgreSQL refused");
	} while (in[n - 6] != 'Z');
}

static peer *dial_database(const char *folder, const char *pg_port)
{
	static const char hello[] = "\0\0\0\0\0\3\0\0user\0postgres\0database\0postgres\0";
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char start[sizeof(hello)];
	const uint32_t size = htonl(sizeof(hello));
	peer *d = calloc(1, sizeof(*d));

	snprintf(a.sun_path, sizeof(a.sun_path), "%s/.s.PGSQL.%s", folder, pg_port);
	if (!d)
		die("memory");
	d->is_database = true;
	d->fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(d->fd, (struct sockaddr *)&a, sizeof(a)))
		die("cannot connect to PostgreSQL");
	memcpy(start, hello, sizeof(hello));
	memcpy(start, &size, 4);
	send_all(d->fd, start, sizeof(hello));
	take_answers(d->fd);
	nexchange = 0;
	message('P', "b\0BEGIN READ ONLY\0\0", 20);
	message('P', "r\0ROLLBACK\0\0", 13);
	message('S', "", 0);
	send_all(d->fd, exchange, nexchange);
	take_answers(d->fd);
	return d;
}

static void prepare_texts(void)
{
	static const char rows[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":"
		"\"text\",\"text\":\"one\"}]}}";
	char body[640];

	nexchange = 0;
	message('B', "\0b\0\0\0\0\0\0", 9);
	message('E', "\0\0\0\0", 5);
	message('P', "\0SELECT 1 AS one\0\0", 19);
	message('B', "\0\0\0\0\0\0\0", 8);
	message('D', "P", 2);
	message('E', "\0\0\0\0", 5);
	message('B', "\0r\0\0\0\0\0\0", 9);
	message('E', "\0\0\0\0", 5);
	message('S', "", 0);
	snprintf(body, sizeof(body), "%-600s", rows); /* as long as Argus's */
	nreply = (size_t)snprintf(reply, sizeof(reply),
	                          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	                          "Content-Length: %zu\r\n\r\n%s",
	                          strlen(body), body);
}

static bool is_call(const char *in, ssize_t n)
{
	return memmem(in, (size_t)n, "tools/call", 10) != NULL;
}

/* A client that left while its call was under way is no fault. */
static void greet(int fd)
{
	const ssize_t n = send(fd, reply, nreply, MSG_NOSIGNAL);

	if (n != (ssize_t)nreply && !(n < 0 && (errno == EPIPE || errno == ECONNRESET)))
		die("cannot answer");
}

/* --- a thread a connection --- */

static void ask_and_wait(void)
{
	peer *d;

	pthread_mutex_lock(&lock);
	while (!idle)
		pthread_cond_wait(&is_free, &lock);
	d = idle;
	idle = d->next;
	pthread_mutex_unlock(&lock);
	send_all(d->fd, exchange, nexchange);
	take_answers(d->fd);
	pthread_mutex_lock(&lock);
	d->next = idle;
	idle = d;
	pthread_cond_signal(&is_free);
	pthread_mutex_unlock(&lock);
}

static void *serve(void *arg)
{
	const int fd = (int)(intptr_t)arg;
	char in[BUFFER];
	ssize_t n;

	while ((n = recv(fd, in, sizeof(in), 0)) > 0) {
		if (is_call(in, n))
			ask_and_wait();
		greet(fd);
	}
	close(fd);
	return NULL;
}

static void accept_all(int listener)
{
	for (;;) {
		const int fd = accept(listener, NULL, NULL);
		pthread_t t;

		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
		if (fd < 0 || pthread_create(&t, NULL, serve, (void *)(intptr_t)fd))
			die("cannot accept");
		pthread_detach(t);
	}
}

/* --- few threads --- */

static int ep, door;

static void arm(int op, int fd, peer *what)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLONESHOT, .data.ptr = what };

	if (epoll_ctl(ep, op, fd, &e))
		die("epoll");
}

static peer *accept_one(int listener)
{
	peer *c = calloc(1, sizeof(*c));

	if (!c)
		die("memory");
	c->fd = accept(listener, NULL, NULL);
	if (c->fd < 0)
		die("cannot accept");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	return c;
}

static _Noreturn void work(void)
{
	char in[BUFFER];
	struct epoll_event e;

	for (;;) {
		peer *c;
		ssize_t n;

		if (epoll_wait(ep, &e, 1, -1) != 1)
			continue;
		c = e.data.ptr;
		if (!c) {
			c = accept_one(door);
			arm(EPOLL_CTL_ADD, c->fd, c);
			arm(EPOLL_CTL_MOD, door, NULL);
			continue;
		}
		n = recv(c->fd, in, sizeof(in), 0);
		if (n <= 0) {
			close(c->fd);
			free(c);
			continue;
		}
		if (is_call(in, n))
			ask_and_wait();
		greet(c->fd);
		arm(EPOLL_CTL_MOD, c->fd, c);
	}
}

static void *work_on_thread(void *arg)
{
	(void)arg;
	work();
}

static void few(int listener)
{
	pthread_t t;

	ep = epoll_create1(0);
	door = listener;
	arm(EPOLL_CTL_ADD, listener, NULL);
	if (pthread_create(&t, NULL, work_on_thread, NULL))
		die("no thread");
	work();
}

/* --- one place for all --- */

static peer *first, **last = &first;
static void watch(int fd, void *what)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = what };

	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
}

static void ask(peer *c)
{
	if (!idle) {
		c->next = NULL;
		c->is_busy = true;
		*last = c;
		last = &c->next;
		return;
	}
	idle->user = c;
	c->is_busy = true;
	send_all(idle->fd, exchange, nexchange);
	idle = idle->next;
}

static void drop(peer *c)
{
	close(c->fd);
	free(c);
}

static void answered(peer *d)
{
	peer *c = d->user;

	take_answers(d->fd);
	d->next = idle;
	idle = d;
	c->is_busy = false;
	greet(c->fd);
	if (c->is_gone)
		drop(c);
	if (first) {
		c = first;
		first = c->next;
		if (!first)
			last = &first;
		ask(c);
	}
}

static void asked(peer *c)
{
	char in[BUFFER];
	const ssize_t n = recv(c->fd, in, sizeof(in), 0);

	if (n <= 0 && c->is_busy) {
		/* It left while its call is under way: answered() drops it. */
		c->is_gone = true;
		epoll_ctl(ep, EPOLL_CTL_DEL, c->fd, NULL);
	} else if (n <= 0) {
		drop(c);
	} else if (is_call(in, n)) {
		ask(c);
	} else {
		greet(c->fd);
	}
}

static void loop(int listener)
{
	struct epoll_event events[64];

	ep = epoll_create1(0);
	watch(listener, NULL);
	for (peer *d = idle; d; d = d->next)
		watch(d->fd, d);
	for (;;) {
		const int n = epoll_wait(ep, events, 64, -1);

		for (int i = 0; i < n; i++) {
			peer *c = events[i].data.ptr;

			if (!c) {
				c = accept_one(listener);
				watch(c->fd, c);
			} else if (c->is_database) {
				answered(c);
			} else {
				asked(c);
			}
		}
	}
}

static void *until_the_end(void *arg)
{
	(void)arg;
	while (getchar() != EOF) {
	}
	exit(0);
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t na = sizeof(a);
	const int listener = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t t;

	if (argc != 5)
		die("want epoll|few|threads SOCKET_FOLDER PGPORT CONNECTIONS");
	for (long n = strtol(argv[4], NULL, 10); n > 0; n--) {
		peer *d = dial_database(argv[2], argv[3]);

		d->next = idle;
		idle = d;
	}
	prepare_texts();
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&a, na) || listen(listener, 128) ||
	    getsockname(listener, (struct sockaddr *)&a, &na))
		die("cannot listen");
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	if (pthread_create(&t, NULL, until_the_end, NULL))
		die("no thread");
	if (strcmp(argv[1], "epoll") == 0)
		loop(listener);
	else if (strcmp(argv[1], "few") == 0)
		few(listener);
	else
		accept_all(listener);
}
