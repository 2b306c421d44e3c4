/* diff -- two texts, line by line. */
#ifndef AG_ARTIFACT_DIFF_H
#define AG_ARTIFACT_DIFF_H

#include "base/arena.h"

typedef struct ag_diff_line {
	char mark; /* ' ' in both, '-' only in the first, '+' only in the second */
	ag_str text;
} ag_diff_line;

/* The lines of both in order; few of them differ. Very long texts that differ much are given as all lines of one and then all
 * of the other. Returns how many. Views of the texts, in arena. */
size_t ag_diff_lines(ag_str a, ag_str b, ag_arena *arena, ag_diff_line **ret);

#endif
