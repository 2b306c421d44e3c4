/* What main() of the program does, for tests: a process that was started as the child of an SQLite source becomes one before
 * its own main() begins. */
#include <stdlib.h>

#include "sql/sqlite_sql.h"

/* The GNU C library hands main's arguments to constructors. */
__attribute__((constructor)) static void become_child(int argc, char **argv)
{
	int code;

	if (ag_sqlite_child_main(argc, argv, &code))
		_Exit(code);
}
