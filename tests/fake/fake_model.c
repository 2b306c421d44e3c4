/* A scripted model server for tests: both protocols on one port of the loopback interface. README.md tells how scripts
 * look. This file reads the command line and turns signals into a clean end.
 *
 * Reading order: main() here, script.c (what is answered), server.c (connections), answer.c (a request meets the script),
 * reply_openai.c and reply_anthropic.c (how it looks on the wire). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server.h"

#define MAX_SCRIPT_BYTES (64u << 20)

static const char usage_text[] =
	"usage: fake_model [--port N] [--script FILE] [--log FILE] [--port-file FILE] [--seed N]\n";

typedef struct options {
	uint64_t port, seed;
	const char *script, *log, *port_file;
} options;

static bool number(const char *text, uint64_t max, uint64_t *ret)
{
	return text && ag_str_to_u64(ag_str_c(text), ret) && *ret <= max;
}

static bool parse_options(int argc, char **argv, options *o)
{
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		ag_str name = ag_str_c(argv[i]);

		if (ag_str_eqc(name, "--port")) {
			if (!number(argv[i + 1], 65535, &o->port))
				return false;
		} else if (ag_str_eqc(name, "--seed")) {
			if (!number(argv[i + 1], UINT64_MAX, &o->seed))
				return false;
		} else if (ag_str_eqc(name, "--script")) {
			o->script = argv[i + 1];
		} else if (ag_str_eqc(name, "--log")) {
			o->log = argv[i + 1];
		} else if (ag_str_eqc(name, "--port-file")) {
			o->port_file = argv[i + 1];
		} else {
			return false;
		}
	}
	return i == argc;
}

static bool read_all(const char *path, ag_buf *text)
{
	FILE *f = fopen(path, "rb");
	size_t n = 1;

	while (f && n) {
		char *to = ag_buf_room(text, 65536);

		n = to ? fread(to, 1, 65536, f) : 0;
		text->len += n;
	}
	if (!f || ferror(f) || text->failed) {
		fprintf(stderr, "fake_model: %s: %s\n", path,
		        text->failed ? "too large" : strerror(errno));
		if (f)
			fclose(f);
		return false;
	}
	fclose(f);
	return true;
}

static bool load_script(fm_server *s, const char *path)
{
	AG_AUTO(ag_buf_release) ag_buf text = AG_BUF_INIT(MAX_SCRIPT_BYTES + 65536);
	ag_err err = { 0 };

	if (!path)
		return true;
	if (!read_all(path, &text))
		return false;
	s->script = fm_script_read(path, ag_buf_view(&text), &err);
	if (!s->script)
		fprintf(stderr, "fake_model: %s\n", err.msg);
	return s->script != NULL;
}

/* Thousands of connections at once: as many files as the system allows. */
static void raise_limits(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static int stop_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Whole or not at all: whoever waits for the file never reads half a number. */
static bool write_port(const char *path, unsigned port)
{
	char tmp[4096];
	FILE *f;

	if (!path)
		return true;
	snprintf(tmp, sizeof(tmp), "%s.tmp", path);
	f = fopen(tmp, "w");
	if (!f || fprintf(f, "%u\n", port) < 0 || fclose(f) || rename(tmp, path)) {
		fprintf(stderr, "fake_model: %s: %s\n", path, strerror(errno));
		return false;
	}
	return true;
}

static int serve(fm_server *s, const options *o)
{
	ag_err err = { 0 };

	if (o->log) {
		s->log_fd = open(o->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
		if (s->log_fd < 0) {
			fprintf(stderr, "fake_model: %s: %s\n", o->log, strerror(errno));
			return 2;
		}
	}
	if (!load_script(s, o->script))
		return 2;
	s->stop_fd = stop_signals();
	if (fm_server_open(s, (unsigned)o->port, &err)) {
		fprintf(stderr, "fake_model: %s\n", err.msg);
		return 2;
	}
	printf("port %u\n", s->port);
	if (fflush(stdout) || !write_port(o->port_file, s->port))
		return 2;
	if (fm_server_run(s, &err)) {
		fprintf(stderr, "fake_model: %s\n", err.msg);
		return 1;
	}
	if (s->is_log_broken)
		fprintf(stderr, "fake_model: the log could not be written\n");
	return s->is_log_broken ? 1 : 0;
}

int main(int argc, char **argv)
{
	fm_server s = { .listen_fd = -1, .epoll_fd = -1, .stop_fd = -1, .log_fd = -1, .seed = 1 };
	options o = { .seed = 1 };
	int code;

	if (!parse_options(argc, argv, &o)) {
		fputs(usage_text, stderr);
		return 2;
	}
	s.seed = o.seed;
	raise_limits();
	code = serve(&s, &o);
	fm_server_close(&s);
	if (s.log_fd >= 0)
		close(s.log_fd);
	if (s.stop_fd >= 0)
		close(s.stop_fd);
	return code;
}
