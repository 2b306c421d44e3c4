/* Everything that is printed goes through here: results to standard output, the rest to standard error.
 *
 * A reader that went away (EPIPE) is no error worth a word; a full disk is. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "app/file.h"
#include "base/fault.h"
#include "base/log.h"
#include "cli/cli.h"

static void say(ag_cli *c, ag_ink ink, const char *label, ag_str text)
{
	ag_buf out = AG_BUF_INIT(64 * 1024), clean = AG_BUF_INIT(64 * 1024);
	ag_paint p;

	if (!ag_log_clean(text, &clean))
		ag_buf_adds(&clean, "[withheld: it may hold a key]");
	/* Not wrapped: messages get searched for and pasted. */
	ag_paint_init(&p, &out, c->term.err_width, c->term.err_colour, c->term.utf8);
	ag_paint_lit(&p, ink, label);
	ag_paint_text(&p, AG_INK_PLAIN, ag_buf_view(&clean));
	ag_paint_nl(&p);
	AG_IGNORE(ag_fd_write(STDERR_FILENO, ag_buf_view(&out)), "nowhere left to tell it");
	ag_buf_release(&clean);
	ag_buf_release(&out);
}

bool ag_cli_print(ag_cli *c, ag_str text)
{
	ag_err err = { 0 };
	int e;

	if (c->out_failed) /* a gap in the middle would be worse than an end */
		return false;
	e = ag_fault("stdout.write") ? errno : ag_fd_write(STDOUT_FILENO, text);
	c->out_gone = c->out_gone || e == EPIPE;
	if (!e || e == EPIPE)
		return true;
	c->out_failed = true;
	ag_fail_errno(&err, e, "cli", "cannot write to standard output");
	ag_cli_fail(c, &err);
	return false;
}

bool ag_cli_print_json(ag_cli *c, ag_str json)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	bool ok;

	ag_paint_escape(&out, json, true, true);
	ag_buf_addc(&out, '\n');
	ok = ag_cli_finish(c, &out, AG_EXIT_OK) == AG_EXIT_OK;
	return ok;
}

int ag_cli_finish(ag_cli *c, ag_buf *out, int exit_code)
{
	ag_err err = { 0 };

	if (out->failed) {
		ag_fail(&err, AG_LIMIT, "cli", "the output is larger than 1 GiB");
		ag_buf_release(out);
		return ag_cli_fail(c, &err);
	}
	if (!ag_cli_print(c, ag_buf_view(out)))
		exit_code = exit_code == AG_EXIT_CANCELLED ? exit_code : AG_EXIT_FAILED;
	ag_buf_release(out);
	return exit_code;
}

int ag_cli_fail(ag_cli *c, const ag_err *err)
{
	if (err->status == AG_CANCELLED) {
		say(c, AG_INK_YELLOW, "argus: ", AG_S("stopped"));
		return AG_EXIT_CANCELLED;
	}
	say(c, AG_INK_RED, "argus: ", ag_str_c(err->msg));
	if (err->hint[0])
		say(c, AG_INK_DIM, "       ", ag_str_c(err->hint));
	return AG_EXIT_FAILED;
}

void ag_cli_warn(ag_cli *c, const char *fmt, ...)
{
	ag_buf text = AG_BUF_INIT(64 * 1024);
	va_list ap;

	va_start(ap, fmt);
	ag_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	say(c, AG_INK_YELLOW, "argus: warning: ", ag_buf_view(&text));
	ag_buf_release(&text);
}

void ag_cli_note(ag_cli *c, const char *fmt, ...)
{
	ag_buf text = AG_BUF_INIT(64 * 1024);
	va_list ap;

	va_start(ap, fmt);
	ag_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (!c->quiet)
		say(c, AG_INK_PLAIN, "", ag_buf_view(&text));
	ag_buf_release(&text);
}

ag_paint ag_cli_paint(const ag_cli *c, ag_buf *out)
{
	ag_paint p;

	ag_paint_init(&p, out, c->term.width, c->term.colour, c->term.utf8);
	return p;
}
