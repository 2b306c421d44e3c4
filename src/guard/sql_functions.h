/* sql_functions -- the tables behind ag_sql_function_known(), ag_sql_type_allowed(), ag_sql_operator_allowed().
 *
 * A group is one text of words: sorted bytewise, a blank before and after each. So a table needs no pointers that the
 * loader must move, no set-up and no memory, and reads like a list. */
#ifndef AG_GUARD_SQL_FUNCTIONS_H
#define AG_GUARD_SQL_FUNCTIONS_H

#include "base/str.h"

typedef struct ag_sql_words {
	const char *what; /* of harmless names the theme, of refused ones why */
	const char *words;
	size_t len;
} ag_sql_words;

#define AG_SQL_WORDS(what_, text)                   \
	{                                           \
		what_, "" text, sizeof("" text) - 1 \
	}

/* Each ends with a row whose words are NULL. */
extern const ag_sql_words ag_sql_pg_harmless[];
extern const ag_sql_words ag_sql_pg_refused[];

/* The row that holds the word, or NULL. */
const ag_sql_words *ag_sql_words_find(const ag_sql_words *rows, ag_str word);

#endif
