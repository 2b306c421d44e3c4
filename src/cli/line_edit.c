/* line_edit -- see the header. The library reads standard input through stdio; signals are ours. */
#include "cli/line_edit.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <histedit.h>

#include "base/library.h"
#include "base/log.h"

#define LIBRARY   "libedit.so.2"
#define MAX_LINE  (256u << 10)
#define PATH_ROOM 4096

typedef struct edit_functions {
	EditLine *(*init)(const char *, FILE *, FILE *, FILE *);
	void (*end)(EditLine *);
	const char *(*gets)(EditLine *, int *);
	int (*set)(EditLine *, int, ...);
	History *(*history_init)(void);
	void (*history_end)(History *);
	int (*history)(History *, HistEvent *, int, ...);
} edit_functions;

static const ag_library_function functions[] = {
	AG_LIBRARY_FUNCTION(edit_functions, init, el_init),
	AG_LIBRARY_FUNCTION(edit_functions, end, el_end),
	AG_LIBRARY_FUNCTION(edit_functions, gets, el_gets),
	AG_LIBRARY_FUNCTION(edit_functions, set, el_set),
	AG_LIBRARY_FUNCTION(edit_functions, history_init, history_init),
	AG_LIBRARY_FUNCTION(edit_functions, history_end, history_end),
	AG_LIBRARY_FUNCTION(edit_functions, history, history),
};

struct ag_line_edit {
	const char *prompt;
	char path[PATH_ROOM]; /* of the history; "" = none */
	edit_functions f;
	EditLine *edit; /* NULL: plain lines */
	History *history;
	locale_t utf8; /* 0 = the system has none */
	char *line;    /* of a plain read */
	size_t room;
	bool is_terminal;
};

/* The prompt function of the library knows nothing but its handle. One terminal, one conversation. */
static const char *the_prompt;

static char *show_prompt(EditLine *e)
{
	(void)e;
	return (char *)(uintptr_t)the_prompt;
}

static locale_t enter(const ag_line_edit *l)
{
	return l->utf8 ? uselocale(l->utf8) : (locale_t)0;
}

static void leave(locale_t before)
{
	if (before)
		uselocale(before);
}

/* Its key map depends on the locale, too. */
static void set_up(ag_line_edit *l)
{
	HistEvent ev;

	l->edit = l->f.init("argus", stdin, stdout, stderr);
	if (!l->edit)
		return;
	the_prompt = l->prompt;
	l->f.set(l->edit, EL_PROMPT, show_prompt);
	l->f.set(l->edit, EL_EDITOR, "emacs");
	l->f.set(l->edit, EL_SIGNAL, 0);
	l->history = l->f.history_init();
	if (!l->history)
		return;
	l->f.history(l->history, &ev, H_SETSIZE, AG_LINE_MAX_HISTORY);
	l->f.history(l->history, &ev, H_SETUNIQUE, 1);
	l->f.set(l->edit, EL_HIST, l->f.history, l->history);
	if (l->path[0])
		l->f.history(l->history, &ev, H_LOAD, l->path);
}

static void start_editing(ag_line_edit *l)
{
	locale_t before;
	ag_err err = { 0 };

	if (ag_library_load(LIBRARY, "the library for editing lines", functions,
	                    AG_NELEM(functions), &l->f, &err)) {
		ag_log(AG_LOG_INFO, "line_edit", "lines cannot be edited: %s", err.msg);
		return;
	}
	/* Else characters that are not ASCII cannot be typed. It holds for this thread, while the library runs. */
	l->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	before = enter(l);
	set_up(l);
	leave(before);
}

ag_line_edit *ag_line_edit_open(const char *prompt, ag_str history)
{
	ag_line_edit *l = ag_xcalloc(1, sizeof(*l));

	l->prompt = prompt;
	l->is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	if (history.len && history.len < sizeof(l->path))
		memcpy(l->path, history.ptr, history.len);
	if (l->is_terminal)
		start_editing(l);
	return l;
}

/* Readable by its owner alone. */
static void save(ag_line_edit *l)
{
	HistEvent ev;
	const int fd = open(l->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!f) {
		if (fd >= 0)
			close(fd);
		return;
	}
	l->f.history(l->history, &ev, H_SAVE_FP, f);
	fclose(f);
}

ag_line_edit *ag_line_edit_close(ag_line_edit *l)
{
	if (!l)
		return NULL;
	if (l->history && l->path[0])
		save(l);
	if (l->edit)
		l->f.end(l->edit);
	if (l->history)
		l->f.history_end(l->history);
	if (l->utf8)
		freelocale(l->utf8);
	free(l->line);
	free(l);
	return NULL;
}

static ag_line read_plain(ag_line_edit *l, ag_str *ret)
{
	ssize_t n;

	if (l->is_terminal) {
		fputs(l->prompt, stderr);
		fflush(stderr);
	}
	errno = 0;
	n = getline(&l->line, &l->room, stdin);
	if (n < 0 && errno == EINTR) {
		clearerr(stdin);
		return AG_LINE_INTERRUPTED;
	}
	if (n < 0)
		return AG_LINE_END;
	*ret = ag_str_trim(ag_str_make(l->line, (size_t)n));
	return AG_LINE_TEXT;
}

ag_line ag_line_edit_read(ag_line_edit *l, ag_str *ret)
{
	const char *text;
	locale_t before;
	int n = 0;

	*ret = AG_S("");
	if (!l->edit)
		return read_plain(l, ret);
	before = enter(l);
	errno = 0;
	text = l->f.gets(l->edit, &n);
	leave(before);
	if (text && n > 0) {
		*ret = ag_str_trim(ag_str_make(text, (size_t)n < MAX_LINE ? (size_t)n : MAX_LINE));
		return AG_LINE_TEXT;
	}
	return n < 0 && errno == EINTR ? AG_LINE_INTERRUPTED : AG_LINE_END;
}

void ag_line_edit_keep(ag_line_edit *l, ag_str line)
{
	ag_buf out = AG_BUF_INIT(2 * MAX_LINE);
	HistEvent ev;

	if (!l->history || !line.len)
		return;
	/* Keys that somebody typed are not kept. */
	if (ag_log_clean(line, &out) && !out.failed) {
		ag_buf_addc(&out, '\0');
		if (!out.failed)
			l->f.history(l->history, &ev, H_ENTER, out.ptr);
	}
	ag_buf_release(&out);
}
