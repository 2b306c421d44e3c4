/* The program's entry: the command line, or a child of this program that reads an SQLite database. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "sql/sqlite_sql.h"

int main(int argc, char **argv)
{
	int code;

	/* libmongoc would keep counters in /dev/shm, where a process that is killed leaves them. Set before there are threads. */
	setenv("MONGOC_DISABLE_SHM", "1", 0);
	if (ag_sqlite_child_main(argc, argv, &code)) {
		fputs("argus: " AG_SQLITE_CHILD_ARG " is for Argus itself, which starts it when it "
		      "reads an SQLite database\n",
		      stderr);
		return code;
	}
	return ag_cli_main(argc, argv, environ);
}
