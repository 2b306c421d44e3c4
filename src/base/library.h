/* library -- a shared library that is loaded when it is first needed, and a table of its functions.
 *
 * Linked in the usual way, libraries like libcurl or libpq bring dozens of others, milliseconds and megabytes into every
 * start, also of commands that never need them (docs/decisions/0007). Nothing is unloaded: some leave exit handlers behind. */
#ifndef AG_BASE_LIBRARY_H
#define AG_BASE_LIBRARY_H

#include "base/err.h"

/* Where the address of each function goes. */
typedef struct ag_library_function {
	const char *name; /* "PQexec" */
	size_t offset;    /* in the table */
} ag_library_function;

/* A row of the list: FIELD of the struct TABLE holds FUNCTION. The comparison is never made (nothing refers to the
 * library): it lets the compiler see that the types of the table are those of the library's header. */
#define AG_LIBRARY_FUNCTION(TABLE, FIELD, FUNCTION)                                             \
	{                                                                                       \
#FUNCTION, offsetof(TABLE, FIELD) + 0 * sizeof(((TABLE *)0)->FIELD == FUNCTION) \
	}

/* Loads `file` ("libpq.so.5") and fills `table`. `what` names it in messages: "the library for PostgreSQL". Call it under
 * pthread_once.
 * errors  AG_UNAVAILABLE: names the file, or the function that it lacks */
AG_CHECK ag_status ag_library_load(const char *file, const char *what,
                                   const ag_library_function *functions, size_t n, void *table,
                                   ag_err *err);

#endif
