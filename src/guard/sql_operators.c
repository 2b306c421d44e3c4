/* The operators of PostgreSQL 15: every name of pg_operator in pg_catalog. None of them is volatile.
 *
 * A user can define an operator under one of these names for types of his own, or under a new name; what the catalog says
 * of that is looked at in sql_policy.c. LIKE and its relatives arrive under their operators' names (~~ !~~ ~~* !~~*). */
#include "guard/sql.h"
#include "guard/sql_functions.h"

/* clang-format off */
static const ag_sql_words operators[] = {
	AG_SQL_WORDS("all of pg_catalog",
	      " !! !~ !~* !~~ !~~* # ## #- #> #>> % & && &< &<| &> * *< *<= *<> *= *> *>= + - -> "
	      "->> -|- / < <-> << <<= <<| <= <> <@ <^ = > >= >> >>= >^ ? ?# ?& ?- ?-| ?| ?|| @ "
	      "@-@ @> @? @@ @@@ ^ ^@ | |&> |/ |>> || ||/ ~ ~* ~<=~ ~<~ ~= ~>=~ ~>~ ~~ ~~* "),
	{ NULL, NULL, 0 },
};
/* clang-format on */

bool ag_sql_operator_allowed(ag_str name)
{
	return ag_sql_words_find(operators, name) != NULL;
}
