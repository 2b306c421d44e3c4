/* ignore -- .gitignore as git reads it, folder by folder.
 *
 * source  gitignore(5): comments, "!", last match wins, a pattern with a slash is anchored at its file's folder, "**",
 *         "/" at the end means folders only, [a-z], backslash; what is below an ignored folder cannot be taken back. */
#ifndef AG_ASK_IGNORE_H
#define AG_ASK_IGNORE_H

#include "base/arena.h"
#include "base/str.h"

#define AG_IGNORE_MAX_TEXT \
	(256u << 10) /* bytes of a file that count: real ones have a few hundred */

typedef struct ag_ignore ag_ignore; /* the patterns of one file */

/* At most 10,000 patterns; longer files count as far. Patterns live in arena. */
ag_ignore *ag_ignore_parse(ag_str text, ag_arena *arena);

typedef enum ag_ignored { AG_IGNORE_UNSAID, AG_IGNORE_YES, AG_IGNORE_NO } ag_ignored;

/* What the file says of this path itself: whoever asks goes from the top down and stops at an ignored folder.
 * path      relative to the folder of the file, without "./". Bounded work: no pattern is slower than length times length
 * ret_line  of the pattern that decided, 1-based; may be NULL */
ag_ignored ag_ignore_match(const ag_ignore *g, ag_str path, bool is_folder, unsigned *ret_line);

/* One pattern as gitignore(5) has it, without "!", "#" and a last slash: with a slash in it the whole path is meant, else
 * the last name. */
bool ag_glob_match(ag_str glob, ag_str path);

/* Folders that no question is about, whatever .gitignore says: node_modules, .venv, __pycache__, .mypy_cache … */
bool ag_ignore_always(ag_str name);

#endif
