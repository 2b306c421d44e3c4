/* shell_internal -- what the files shell_*.c share. */
#ifndef AG_QUERY_SHELL_INTERNAL_H
#define AG_QUERY_SHELL_INTERNAL_H

#include "query/shell_read.h"

#define AG_SHELL_MAX_ARGS 8

/* --- reading (shell_read.c) --- */

typedef struct ag_shell {
	ag_str text;
	size_t at;
	size_t wrong_at; /* of the failure; SIZE_MAX = it has no place */
	unsigned depth;
	ag_arena *arena;
	ag_err *err;
} ag_shell;

/* Fail with line and column of byte `at`. */
ag_status ag_shell_fail_at(ag_shell *s, size_t at, ag_str what);
/* Fail here: "want WHAT, got …". */
ag_status ag_shell_expected(ag_shell *s, const char *what);
bool ag_shell_peek(const ag_shell *s, char c);
bool ag_shell_accept(ag_shell *s, char c);
bool ag_shell_sees(const ag_shell *s, const char *word);
/* Blanks and comments. */
ag_status ag_shell_skip_space(ag_shell *s);
ag_str ag_shell_read_name(ag_shell *s);
ag_status ag_shell_parse_value(ag_shell *s, ag_val *ret);
/* After "(", up to and with ")". */
ag_status ag_shell_parse_args(ag_shell *s, ag_val *args, size_t *n);

/* --- statements (shell_statement.c) --- */

/* At "db". */
ag_status ag_shell_parse_statement(ag_shell *s, ag_shell_statement *ret);

/* --- constructors (shell_calls.c) --- */

/* Make the value of NAME(args). The message of a failure has no place; the caller adds it. False: refused. */
bool ag_shell_call(ag_str name, bool is_new, const ag_val *args, size_t narg, ag_arena *arena,
                   ag_val *ret, ag_buf *why);
bool ag_shell_is_call(ag_str name);
/* The known constructor whose name is nearest, or NULL. */
const char *ag_shell_nearest(ag_str name);

#endif
