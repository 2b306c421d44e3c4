/* embedded -- text files that travel inside the program: prompts, store migrations, the plain style of HTML reports,
 * and (compressed) the files of the web page.
 *
 * The build (tools/embed) turns the files into one constant table, sorted by path. A path is the
 * folder's name and the way below it, with '/': "prompts/audit.md", "migrations/0001_init.sql".
 * To embed another folder: add it to embedded_src in src/meson.build. */
#ifndef AG_BASE_EMBEDDED_H
#define AG_BASE_EMBEDDED_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ag_embedded {
	const char *path;
	const unsigned char *ptr; /* a NUL follows the last byte, not counted in len */
	size_t len;
} ag_embedded;

/* NULL when there is no such file. */
const ag_embedded *ag_embedded_find(const char *path);

/* All files whose path starts with `prefix` ("" = every file): they stand side by side in path
 * order. Returns how many and sets *ret to the first, NULL when there is none. */
size_t ag_embedded_list(const char *prefix, const ag_embedded **ret);

/* The generated table, for embedded.c only. */
extern const ag_embedded ag_embedded_files[];
extern const size_t ag_embedded_nfile;

#ifdef __cplusplus
}
#endif
#endif
