/* The terminal. The process keeps the C locale (numbers must not change with the user's language), so the
 * character set is asked of a locale object that nobody installs. */
#include "cli/term.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"

#define WIDTH_PIPE 100
#define WIDTH_TTY  80 /* when the terminal does not tell */
#define MIN_WIDTH  40
#define MAX_WIDTH  1000

size_t ag_term_err_columns(void)
{
	struct winsize size = { 0 };

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : WIDTH_TTY;
}

/* Into a pipe: the width of the terminal where it may end up (`| less`), but no more than WIDTH_PIPE. */
static size_t width_of(int fd, bool is_tty)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = { 0 };
	uint64_t n = 0;

	if (is_tty && !ioctl(fd, TIOCGWINSZ, &size))
		n = size.ws_col;
	if (!n && !(columns && ag_str_to_u64(ag_str_c(columns), &n)))
		n = 0;
	if (!n)
		n = is_tty ? WIDTH_TTY : WIDTH_PIPE;
	return n < MIN_WIDTH ? MIN_WIDTH : n > MAX_WIDTH ? MAX_WIDTH : (size_t)n;
}

static void charset_of(char out[32])
{
	locale_t l = newlocale(LC_CTYPE_MASK, "", (locale_t)0);

	snprintf(out, 32, "%s", l ? nl_langinfo_l(CODESET, l) : "ANSI_X3.4-1968");
	if (l)
		freelocale(l);
}

static bool is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !term[0] || strcmp(term, "dumb") == 0;
}

/* Why a stream gets no colours; NULL when it gets them. */
static const char *why_plain(ag_color setting, bool is_tty)
{
	const char *no_color = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");

	if (setting == AG_COLOR_NEVER)
		return "color is never";
	if (setting == AG_COLOR_ALWAYS)
		return NULL;
	if (no_color && no_color[0])
		return "NO_COLOR is set";
	if (force && force[0] && strcmp(force, "0") != 0)
		return NULL;
	return !is_tty     ? "standard output is no terminal"
	       : is_dumb() ? "TERM is dumb or not set"
	                   : NULL;
}

void ag_term_choose_color(ag_term *t, ag_color setting)
{
	t->why_plain = why_plain(setting, t->out_is_tty);
	t->colour = !t->why_plain;
	t->err_colour = !why_plain(setting, t->err_is_tty);
}

void ag_term_init(ag_term *t)
{
	memset(t, 0, sizeof(*t));
	t->out_is_tty = isatty(STDOUT_FILENO) == 1;
	t->err_is_tty = isatty(STDERR_FILENO) == 1;
	t->width = width_of(STDOUT_FILENO, t->out_is_tty);
	if (!t->out_is_tty && t->err_is_tty && width_of(STDERR_FILENO, true) < t->width)
		t->width = width_of(STDERR_FILENO, true);
	t->err_width = width_of(STDERR_FILENO, t->err_is_tty);
	charset_of(t->charset);
	t->utf8 = ag_str_ieq(ag_str_c(t->charset), AG_S("UTF-8")) ||
	          ag_str_ieq(ag_str_c(t->charset), AG_S("UTF8"));
	ag_term_choose_color(t, AG_COLOR_AUTO);
	t->can_redraw = t->err_is_tty && !is_dumb();
}
