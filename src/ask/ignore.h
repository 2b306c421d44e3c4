/* ignore -- .gitignore as git reads it, folder by folder.
 *
 * source  gitignore(5): comments, "!", last match wins, a pattern with a slash is anchored at its file's folder, "**",
 *         "/" at the end means folders only, [a-z], backslash; what is below an ignored folder cannot be taken back. */
#ifndef AG_ASK_IGNORE_H
#define AG_ASK_IGNORE_H

#include "base/arena.h"
#include "base/str.h"

typedef struct ag_ignore ag_ignore; /* the patterns of one file */

/* At most 10,000 patterns; longer files count as far. Patterns live in arena. */
ag_ignore *ag_ignore_parse(ag_str text, ag_arena *arena);

typedef enum ag_ignored { AG_IGNORE_UNSAID, AG_IGNORE_YES, AG_IGNORE_NO } ag_ignored;

/* path: relative to the folder of the file, without "./". Bounded work: no pattern is slower than length times length. */
ag_ignored ag_ignore_match(const ag_ignore *g, ag_str path, bool is_folder);

/* Folders that no question is about, whatever .gitignore says: node_modules, .venv, __pycache__, .mypy_cache … */
bool ag_ignore_always(ag_str name);

#endif
