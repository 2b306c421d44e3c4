/* access_log -- see the header. */
#include "server/access_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/time.h"

#define ORIGIN    "server.access_log"
#define LINE_ROOM 4096u /* more than any line has: a route, a user of 128 bytes, an address */

struct ag_access_log {
	pthread_mutex_t lock;
	pthread_cond_t wake; /* lines wait, or the log ends */
	pthread_t writer;
	ag_buf waiting;
	uint64_t ndropped; /* since the last line of it */
	int next_fd;       /* taken over by the writer; -1 = none */
	int fd;            /* the writer's */
	bool is_over, has_failed;
};

/* --- the writer --- */

/* A disk that is full costs lines, and no request. */
static void write_all(ag_access_log *l, ag_str text)
{
	while (text.len) {
		const ssize_t n = write(l->fd, text.ptr, text.len);

		if (n >= 0) {
			text = ag_str_make(text.ptr + n, text.len - (size_t)n);
			l->has_failed = false;
		} else if (errno != EINTR) {
			if (!l->has_failed)
				ag_log(AG_LOG_ERROR, "access_log_failed",
				       "the access log cannot be written: errno %d", errno);
			l->has_failed = true;
			return;
		}
	}
}

/* With the lock. */
static void add_dropped(ag_access_log *l)
{
	ag_jw w;

	ag_jw_init(&w, &l->waiting, 0);
	ag_jw_obj(&w);
	ag_jw_ktime(&w, "time", ag_clock_wall(&ag_clock_system));
	ag_jw_kuint(&w, "dropped", l->ndropped);
	ag_jw_obj_end(&w);
	ag_buf_addc(&l->waiting, '\n');
	l->ndropped = 0;
}

static void take_file(ag_access_log *l)
{
	if (l->next_fd < 0)
		return;
	if (l->fd != STDOUT_FILENO)
		close(l->fd);
	l->fd = l->next_fd;
	l->next_fd = -1;
}

static void *write_lines(void *arg)
{
	ag_access_log *l = (ag_access_log *)arg;
	ag_buf out = AG_BUF_INIT(AG_ACCESS_LOG_WAITING + LINE_ROOM);
	bool is_over = false;

	while (!is_over) {
		ag_buf full;

		pthread_mutex_lock(&l->lock);
		while (!l->waiting.len && !l->is_over)
			pthread_cond_wait(&l->wake, &l->lock);
		if (l->ndropped)
			add_dropped(l);
		full = l->waiting;
		l->waiting = out;
		out = full;
		is_over = l->is_over;
		take_file(l);
		pthread_mutex_unlock(&l->lock);
		write_all(l, ag_buf_view(&out));
		ag_buf_clear(&out);
	}
	ag_buf_release(&out);
	return NULL;
}

/* --- the file --- */

static ag_status open_file(ag_str path, int *ret, ag_err *err)
{
	char name[4096];

	if (ag_str_eqc(path, "-")) {
		*ret = STDOUT_FILENO;
		return AG_OK;
	}
	if (path.len == 0 || path.len >= sizeof(name) || ag_str_find(path, '\0') >= 0)
		return ag_fail(err, AG_INVALID, ORIGIN, "the access log's path cannot be used");
	memcpy(name, path.ptr, path.len);
	name[path.len] = '\0';
	/* A pipe that nobody reads is an error, not a server that waits. */
	*ret = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0640);
	if (*ret >= 0 && fcntl(*ret, F_SETFL, O_APPEND) == 0)
		return AG_OK;
	if (*ret >= 0)
		close(*ret);
	ag_fail_errno(err, errno, ORIGIN, "cannot open the access log %s", name);
	AG_IGNORE(
		ag_err_hint(
			err,
			"access_log names a file in a folder that exists, or - for standard output"),
		"the status says it");
	return AG_IO;
}

ag_status ag_access_log_open(ag_str path, ag_access_log **ret, ag_err *err)
{
	ag_access_log *l;
	ag_status st;
	int fd;

	st = open_file(path, &fd, err);
	if (st)
		return st;
	l = (ag_access_log *)ag_xcalloc(1, sizeof(*l));
	l->fd = fd;
	l->next_fd = -1;
	ag_buf_init(&l->waiting, AG_ACCESS_LOG_WAITING + LINE_ROOM);
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->wake, NULL);
	if (pthread_create(&l->writer, NULL, write_lines, l) == 0) {
		*ret = l;
		return AG_OK;
	}
	if (fd != STDOUT_FILENO)
		close(fd);
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->lock);
	free(l);
	return ag_fail(err, AG_UNAVAILABLE, ORIGIN,
	               "no thread could be started for the access log");
}

ag_status ag_access_log_reopen(ag_access_log *l, ag_str path, ag_err *err)
{
	int fd, old;
	ag_status st = open_file(path, &fd, err);

	if (st)
		return st;
	pthread_mutex_lock(&l->lock);
	old = l->next_fd;
	l->next_fd = fd;
	pthread_mutex_unlock(&l->lock);
	if (old >= 0 && old != STDOUT_FILENO)
		close(old);
	return AG_OK;
}

ag_access_log *ag_access_log_close(ag_access_log *l)
{
	if (!l)
		return NULL;
	pthread_mutex_lock(&l->lock);
	l->is_over = true;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->writer, NULL);
	take_file(l);
	if (l->fd != STDOUT_FILENO)
		close(l->fd);
	ag_buf_release(&l->waiting);
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->lock);
	free(l);
	return NULL;
}

/* --- lines --- */

static void str_or_null(ag_jw *w, const char *key, ag_str text)
{
	if (text.len)
		ag_jw_kstr(w, key, text);
	else
		ag_jw_knull(w, key);
}

static void write_line(ag_buf *out, const ag_access_line *line, const ag_httpd_served *s)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_ktime(&w, "time", ag_clock_wall(&ag_clock_system));
	str_or_null(&w, "request", ag_str_c(line->id));
	str_or_null(&w, "method", ag_str_c(line->method));
	str_or_null(&w, "route", line->route ? ag_str_c(line->route) : AG_S(""));
	ag_jw_kint(&w, "status", s->status);
	ag_jw_kuint(&w, "bytes", s->nbyte);
	ag_jw_kdouble(&w, "ms", (double)s->took_us / 1000);
	str_or_null(&w, "user", line->user);
	str_or_null(&w, "from", line->from);
	if (s->is_cut)
		ag_jw_kbool(&w, "cut", true);
	ag_jw_obj_end(&w);
	ag_buf_addc(out, '\n');
}

void ag_access_log_add(ag_access_log *l, const ag_access_line *line, const ag_httpd_served *s)
{
	bool is_first;

	pthread_mutex_lock(&l->lock);
	is_first = l->waiting.len == 0;
	if (l->waiting.len < AG_ACCESS_LOG_WAITING)
		write_line(&l->waiting, line, s);
	else
		l->ndropped++;
	if (is_first)
		pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
}
