/* sqlite_sql_text -- what SQLite's own lexer sees in a statement, as far as the guard needs it: where it begins and ends,
 * its first word, and its form without literals. It decides nothing that the engine's authorizer could decide. */
#ifndef AG_SQL_SQLITE_SQL_TEXT_H
#define AG_SQL_SQLITE_SQL_TEXT_H

#include "base/str.h"

typedef enum ag_sqlite_token {
	AG_SQLITE_END, /* of the text */
	AG_SQLITE_BLANK,
	AG_SQLITE_COMMENT,
	AG_SQLITE_SEMICOLON,
	AG_SQLITE_WORD, /* also a keyword */
	AG_SQLITE_NAME, /* in "", [] or `` */
	AG_SQLITE_LITERAL,
	AG_SQLITE_OTHER
} ag_sqlite_token;

/* The token at *at (bytes), which moves after it. A token that is not closed reaches to the end. */
ag_sqlite_token ag_sqlite_next(ag_str sql, size_t *at, ag_str *ret);
/* Without blanks, comments and semicolons before it. */
ag_str ag_sqlite_skip(ag_str sql);
/* Nothing but blanks, comments and semicolons. */
bool ag_sqlite_is_blank(ag_str sql);
/* The word that the text begins with, "" if none. */
ag_str ag_sqlite_first_word(ag_str sql);
/* Is this keyword somewhere outside of quotes and comments? Any case. */
bool ag_sqlite_has_word(ag_str sql, ag_str word);
/* Does every comment end? SQLite itself takes the end of the text for that of the comment. */
bool ag_sqlite_is_closed(ag_str sql);
/* Of the statement without its literals, comments and blanks; never 0. */
uint64_t ag_sqlite_fingerprint(ag_str sql);

#endif
