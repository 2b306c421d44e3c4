/* TLS, proxies, and a machine without libcurl. The certificates and the TLS server are made with the openssl command; where
 * it is missing those tests are skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net_fixtures.h"

static char folder[64];

static const char *file(const char *name)
{
	static char path[4][128];
	static unsigned n;
	char *p = path[n++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
	return p;
}

/* Starts a program whose output is read from *ret_fd. */
static pid_t start(const char *const *argv, int *ret_fd)
{
	int out[2];
	pid_t pid;

	assert_int_equal(pipe(out), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(out[1], 1);
		dup2(out[1], 2);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	close(out[1]);
	*ret_fd = out[0];
	return pid;
}

static int run(const char *const *argv, char *out, size_t size)
{
	size_t n = 0;
	ssize_t got;
	int fd, status;
	pid_t pid = start(argv, &fd);

	while (n < size - 1 && (got = read(fd, out + n, size - 1 - n)) > 0)
		n += (size_t)got;
	out[n] = '\0';
	close(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void need_openssl(void)
{
	static const char *const argv[] = { "openssl", "version", NULL };
	char out[256];

	if (run(argv, out, sizeof(out)) != 0) {
		print_message("there is no openssl command\n");
		skip();
	}
}

/* --- a TLS server */

typedef struct tls_server {
	pid_t pid;
	int fd;
	unsigned port;
} tls_server;

static void make_certificate(const char *name, const char *alternative)
{
	const char *argv[] = {
		"openssl",  "req",       "-x509",   "-newkey",       "rsa:2048",
		"-nodes",   "-days",     "2",       "-subj",         "/CN=argus test",
		"-addext",  alternative, "-keyout", file("key.pem"), "-out",
		file(name), NULL
	};
	char out[4096];

	if (run(argv, out, sizeof(out)) != 0)
		fail_msg("openssl req: %s", out);
}

static tls_server start_tls(const char *certificate)
{
	const char *argv[] = { "openssl", "s_server",        "-accept", "127.0.0.1:0",   "-www",
		               "-cert",   file(certificate), "-key",    file("key.pem"), NULL };
	tls_server s = { 0 };
	char out[4096];
	const char *at = NULL;
	size_t n = 0;

	s.pid = start(argv, &s.fd);
	while (!at && n < sizeof(out) - 1) {
		struct pollfd p = { .fd = s.fd, .events = POLLIN };
		ssize_t got;

		assert_int_equal(poll(&p, 1, 20000), 1);
		got = read(s.fd, out + n, sizeof(out) - 1 - n);
		if (got <= 0)
			fail_msg("openssl s_server: %s", out);
		n += (size_t)got;
		out[n] = '\0';
		at = strstr(out, "ACCEPT 127.0.0.1:");
		at = at && strchr(at, '\n') ? at : NULL;
	}
	if (!at)
		fail_msg("openssl s_server: %s", out);
	else
		s.port = (unsigned)strtoul(at + strlen("ACCEPT 127.0.0.1:"), NULL, 10);
	return s;
}

static void stop_tls(tls_server *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	close(s->fd);
}

static ag_status get_https(net_client *c, const char *host, unsigned port)
{
	static const ag_http_header headers[] = {
		{ AG_S_INIT("Authorization"), AG_S_INIT("Bearer " NET_SECRET) },
	};
	ag_http_request r = { .method = AG_S("GET"),
		              .headers = headers,
		              .nheader = 1,
		              .timeouts = { 30000, 30000, 30000, 30000 } };

	r.url = ag_str_printf(c->arena, "https://%s:%u/", host, port);
	return net_ask(c, NULL, &r);
}

static void checks_certificates(void **state)
{
	tls_server s;
	net_client c;

	(void)state;
	need_openssl();
	make_certificate("right.pem", "subjectAltName=IP:127.0.0.1");
	s = start_tls("right.pem");
	net_client_open(&c);
	/* Nobody vouches for it. */
	assert_int_equal(get_https(&c, "127.0.0.1", s.port), AG_UNAVAILABLE);
	assert_non_null(strstr(c.err.msg, "no TLS connection: "));
	assert_non_null(strstr(c.err.msg, "certificate"));
	assert_non_null(strstr(c.err.hint, "SSL_CERT_FILE"));
	assert_int_equal(c.err.native, 60);
	assert_int_equal(c.res.status, 0);
	/* Somebody does. */
	setenv("SSL_CERT_FILE", file("right.pem"), 1);
	assert_int_equal(get_https(&c, "127.0.0.1", s.port), AG_OK);
	assert_int_equal(c.res.status, 200);
	assert_true(ag_str_contains(c.res.body, AG_S("s_server")));
	/* For another name. */
	assert_int_equal(get_https(&c, "localhost", s.port), AG_UNAVAILABLE);
	assert_non_null(strstr(c.err.msg, "localhost"));
	assert_int_equal(c.err.native, 60);
	/* The file is not there. */
	setenv("SSL_CERT_FILE", file("missing.pem"), 1);
	assert_int_equal(get_https(&c, "127.0.0.1", s.port), AG_UNAVAILABLE);
	assert_non_null(strstr(c.err.msg, "no TLS connection: "));
	unsetenv("SSL_CERT_FILE");
	net_client_close(&c);
	stop_tls(&s);
}

/* --- https where there is none */

static void serve_plain(net_conn *c)
{
	net_sends(c, "HTTP/1.1 400 " NET_SECRET "\r\nContent-Length: 0\r\n\r\n");
	net_wait(c, 1000);
}

static void serve_end(net_conn *c)
{
	(void)c;
}

static void tells_plain_text_from_tls(void **state)
{
	net_server *plain = net_start_raw(serve_plain, NULL);
	net_server *end = net_start_raw(serve_end, NULL);
	net_client c;

	(void)state;
	net_client_open(&c);
	assert_int_equal(get_https(&c, "127.0.0.1", plain->port), AG_UNAVAILABLE);
	assert_non_null(strstr(c.err.msg, "no TLS connection: "));
	assert_non_null(strstr(c.err.hint, "a plain one is written http://"));
	assert_int_equal(c.res.status, 0);
	assert_int_equal(get_https(&c, "127.0.0.1", end->port), AG_UNAVAILABLE);
	assert_non_null(strstr(c.err.msg, "no TLS connection: "));
	net_client_close(&c);
	net_stop(plain);
	net_stop(end);
}

static void serve_silence(net_conn *c)
{
	net_wait(c, 20000);
}

/* TLS belongs to connecting. */
static void times_out_in_the_handshake(void **state)
{
	net_server *s = net_start_raw(serve_silence, NULL);
	net_client c;
	ag_http_request r = { .method = AG_S("GET"), .timeouts = { .connect_ms = 300 } };

	(void)state;
	net_client_open(&c);
	r.url = ag_str_printf(c.arena, "https://127.0.0.1:%u/", s->port);
	assert_int_equal(net_ask(&c, NULL, &r), AG_TIMEOUT);
	assert_non_null(strstr(c.err.msg, "no connection within 300 ms (connect time-out)"));
	assert_true(c.res.total_ms >= 299 && c.res.total_ms < 5000);
	net_client_close(&c);
	net_stop(s);
}

/* --- proxies */

static void serve_proxy(net_conn *c)
{
	const char *auth = net_header(c, "Proxy-Authorization");
	bool is_tunnel = strncmp(c->head, "CONNECT api.invalid:443 HTTP/1.1\r\n", 34) == 0;

	/* What is for the origin stays inside the tunnel. */
	if (!is_tunnel || !auth || net_header(c, "Authorization") || strstr(c->head, "/path"))
		net_answer(c, "599 Wrong", "", AG_S(""));
	else if (atomic_load(&c->server->nrequest) == 1)
		net_answer(c, "502 Cannot", "", AG_S("the name is not known: " NET_SECRET));
	else
		net_sends(c, "HTTP/1.1 200 Connected\r\n\r\n");
	c->close = true;
}

static void only_https_goes_through_a_proxy(void **state)
{
	static const char *const variables[] = { "http_proxy",  "HTTP_PROXY", "https_proxy",
		                                 "HTTPS_PROXY", "all_proxy",  "ALL_PROXY" };
	net_server *s = net_start(serve_proxy, NULL);
	unsigned nobody = net_free_port();
	net_client c;
	ag_http_request r = { .method = AG_S("GET"), .url = AG_S("http://api.invalid/path") };
	char proxy[64];

	(void)state;
	net_client_open(&c);
	snprintf(proxy, sizeof(proxy), "http://user:secret@127.0.0.1:%u", s->port);
	for (size_t i = 0; i < AG_NELEM(variables); i++)
		setenv(variables[i], proxy, 1);
	assert_int_equal(net_ask(&c, NULL, &r), AG_UNAVAILABLE);
	assert_string_equal(c.err.msg, "api.invalid:80: the name cannot be resolved");
	assert_int_equal(net_get(&c, nobody, "/"), AG_UNAVAILABLE);
	assert_int_equal(get_https(&c, "127.0.0.1", nobody), AG_UNAVAILABLE);
	assert_non_null(strstr(c.err.msg, "cannot connect: Connection refused"));
	assert_int_equal(atomic_load(&s->nconn), 0);

	assert_int_equal(get_https(&c, "api.invalid", 443), AG_UNAVAILABLE);
	assert_string_equal(c.err.msg,
	                    "api.invalid:443: the proxy answered 502 and does not connect");
	assert_non_null(strstr(c.err.hint, "no_proxy"));
	assert_int_equal(c.res.status, 0);
	assert_int_equal(get_https(&c, "api.invalid", 443), AG_UNAVAILABLE);
	assert_non_null(strstr(c.err.msg, "no TLS connection"));
	assert_int_equal(c.res.status, 0);
	assert_int_equal(atomic_load(&s->nconn), 2);
	net_client_close(&c);
	net_stop(s);

	/* The proxy itself cannot be reached, or found. */
	net_client_open(&c);
	assert_int_equal(get_https(&c, "api.invalid", 443), AG_UNAVAILABLE);
	assert_non_null(strstr(c.err.msg, "cannot connect"));
	for (size_t i = 0; i < AG_NELEM(variables); i++)
		setenv(variables[i], "http://user:secret@proxy.invalid:1", 1);
	assert_int_equal(get_https(&c, "api.invalid", 443), AG_UNAVAILABLE);
	assert_string_equal(c.err.msg, "api.invalid:443: the name of the proxy cannot be resolved");
	for (size_t i = 0; i < AG_NELEM(variables); i++)
		unsetenv(variables[i]);
	net_client_close(&c);
}

/* --- without libcurl: this program once more, finding something else under its name */

static int try_to_load(void)
{
	ag_http *http;
	ag_err err = { 0 }, again = { 0 };
	ag_status st = ag_http_new(&http, &err);

	if (st != AG_UNAVAILABLE || ag_http_new(&http, &again) != st ||
	    strcmp(again.msg, err.msg) != 0)
		return 1;
	printf("%s | %s\n", err.msg, err.hint);
	return 0;
}

static void check_loading(const char *why)
{
	char self[1024], out[4096];
	const char *argv[] = { self, "--load", NULL };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(n > 0);
	self[n] = '\0';
	setenv("LD_LIBRARY_PATH", folder, 1);
	assert_int_equal(run(argv, out, sizeof(out)), 0);
	unsetenv("LD_LIBRARY_PATH");
	if (!strstr(out, why) || !strstr(out, "apt install libcurl4"))
		fail_msg("\"%s\" does not say \"%s\"", out, why);
}

static void tells_when_the_library_is_missing(void **state)
{
	const char *fake = file("libcurl.so.4");
	FILE *f = fopen(fake, "w");
	Dl_info other;

	(void)state;
	assert_non_null(f);
	fputs("no library", f);
	fclose(f);
	check_loading("the library for network access cannot be loaded: ");
	remove(fake);
	/* A library, and not this one. */
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "_cmocka_run_group_tests"), &other));
	assert_int_equal(symlink(other.dli_fname, fake), 0);
	check_loading("has no curl_global_init");
	remove(fake);
}

/* --- */

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/argus-net-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	remove(file("key.pem"));
	remove(file("right.pem"));
	remove(file("libcurl.so.4"));
	return remove(folder);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checks_certificates),
		cmocka_unit_test(tells_plain_text_from_tls),
		cmocka_unit_test(times_out_in_the_handshake),
		cmocka_unit_test(only_https_goes_through_a_proxy),
		cmocka_unit_test(tells_when_the_library_is_missing),
	};

	if (argc > 1 && strcmp(argv[1], "--load") == 0)
		return try_to_load();
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
