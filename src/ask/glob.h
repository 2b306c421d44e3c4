/* glob -- one name against one pattern, and paths against patterns with folders, as git's wildmatch does it. */
#ifndef AG_ASK_GLOB_H
#define AG_ASK_GLOB_H

#include "base/str.h"

/* Bytes before the first * ? [ or backslash. */
size_t ag_glob_plain_len(ag_str glob);
/* Text without meaning of slashes: * ? [a-z] [!a-z] [[:alpha:]] and backslash. At most length times length steps. */
bool ag_glob_name(ag_str glob, ag_str name);
/* Names between slashes; "**" as a whole name stands for any number of names. */
bool ag_glob_path(ag_str glob, ag_str path);

#endif
