/* log -- one line per event, one write per line, secrets taken out before anything is escaped.
 *
 * `sink` is the one mutable object of base/: a process has one stderr, and passing a log through
 * every call would not make it two. Everything in it is guarded by its mutex.
 *
 * Redaction (base/secrets.c) fails closed: a message is cut only after it, so that a cut cannot leave half a secret, and
 * messages are withheld when a secret could not be registered. */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/secrets.h"
#include "base/time.h"
#include "base/utf8.h"

#define MAX_RAW_BYTES  (32 * 1024) /* formatted, before redaction */
#define MAX_MSG_BYTES  (8 * 1024)  /* of a line */
#define MAX_LINE_BYTES (64 * 1024) /* MAX_MSG_BYTES, each escaped as six, and the frame */

static struct {
	pthread_mutex_t lock;
	int fd;
	ag_log_level max_level;
	ag_log_format format;
} sink = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

void ag_log_setup(int fd, ag_log_level max_level, ag_log_format format)
{
	pthread_mutex_lock(&sink.lock);
	sink.fd = fd;
	sink.max_level = max_level;
	sink.format = format;
	pthread_mutex_unlock(&sink.lock);
}

bool ag_log_can_redact(ag_str secret)
{
	return secret.len >= AG_SECRET_MIN_BYTES && secret.len <= AG_SECRET_MAX_BYTES;
}

void ag_log_redact(ag_str secret)
{
	ag_secrets_add(secret);
}

static void redact_one(void *unused, ag_str secret)
{
	(void)unused;
	ag_secrets_add(secret);
}

void ag_log_redact_env_text(ag_str text)
{
	ag_secrets_of_env(text, redact_one, NULL);
}

bool ag_log_clean(ag_str text, ag_buf *out)
{
	return ag_secrets_hide(text, text.len, out);
}

size_t ag_log_whole(ag_str text)
{
	return ag_secrets_whole(text);
}

size_t ag_log_settled(ag_str text)
{
	return ag_secrets_settled(text);
}

AG_PRINTF(2, 0)
static void message(ag_buf *out, const char *fmt, va_list ap)
{
	char *raw = (char *)ag_xmalloc(MAX_RAW_BYTES);
	int n = vsnprintf(raw, MAX_RAW_BYTES, fmt, ap);
	size_t len = n < 0 ? 0 : (size_t)n < MAX_RAW_BYTES ? (size_t)n : MAX_RAW_BYTES - 1;
	size_t safe = len, longest = ag_secrets_longest();

	/* A secret cut by the end of raw is not found: hide every byte it could consist of. */
	if (n > 0 && (size_t)n > len)
		safe = len > longest ? len - longest : 0;
	if (!ag_secrets_hide(ag_str_make(raw, len), safe, out))
		ag_buf_adds(out, "[redacted: more secrets than the log can hold]");
	free(raw);
}

static const char *level_name(ag_log_level level)
{
	static const char *const names[] = { "error", "warn", "info", "debug" };

	return (size_t)level < AG_NELEM(names) ? names[level] : "error";
}

static void line_json(ag_buf *line, ag_log_level level, const char *event, ag_str msg)
{
	char time[AG_TIME_MAX_TEXT];
	ag_jw w;

	ag_jw_init(&w, line, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "time",
	           ag_str_make(time, ag_time_format(time, ag_clock_wall(&ag_clock_system))));
	ag_jw_kstr(&w, "level", ag_str_c(level_name(level)));
	ag_jw_kstr(&w, "event", ag_str_c(event));
	ag_jw_kstr(&w, "message", msg);
	ag_jw_obj_end(&w);
}

/* Control characters could move the cursor or fake a second line: they become blanks. */
static void line_text(ag_buf *line, ag_log_level level, const char *event, ag_str msg)
{
	char time[AG_TIME_MAX_TEXT], utf8[4];

	ag_time_format(time, ag_clock_wall(&ag_clock_system));
	ag_buf_addf(line, "%s %-5s %s: ", time, level_name(level), event);
	for (size_t i = 0; i < msg.len;) {
		uint32_t cp = ag_utf8_next(msg, &i);

		if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0))
			cp = ' ';
		ag_buf_add(line, ag_str_make(utf8, ag_utf8_put(utf8, cp)));
	}
}

static void write_all(int fd, ag_str s)
{
	while (s.len) {
		ssize_t n = write(fd, s.ptr, s.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) /* a log that cannot be written is lost; the work goes on */
			return;
		s = ag_str_make(s.ptr + n, s.len - (size_t)n);
	}
}

/* The message cut to what a line holds, at a whole character. */
static ag_str cut(ag_str msg)
{
	size_t n = MAX_MSG_BYTES;

	if (msg.len <= n)
		return msg;
	while (n > MAX_MSG_BYTES - 4 && ((unsigned char)msg.ptr[n] & 0xC0) == 0x80)
		n--;
	return ag_str_make(msg.ptr, n);
}

void ag_log(ag_log_level level, const char *event, const char *fmt, ...)
{
	/* Redaction can make a text longer, by four bytes for each secret of six. */
	ag_buf msg = AG_BUF_INIT(MAX_RAW_BYTES * 2), line = AG_BUF_INIT(MAX_LINE_BYTES);
	int saved_errno = errno;
	va_list ap;

	pthread_mutex_lock(&sink.lock);
	if (sink.fd >= 0 && level <= sink.max_level) {
		va_start(ap, fmt);
		message(&msg, fmt, ap);
		va_end(ap);
		if (sink.format == AG_LOG_JSON)
			line_json(&line, level, event, cut(ag_buf_view(&msg)));
		else
			line_text(&line, level, event, cut(ag_buf_view(&msg)));
		ag_buf_addc(&line, '\n');
		write_all(sink.fd, ag_buf_view(&line));
	}
	pthread_mutex_unlock(&sink.lock);
	ag_buf_release(&msg);
	ag_buf_release(&line);
	errno = saved_errno;
}
