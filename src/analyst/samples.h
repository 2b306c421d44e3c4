/* samples -- questions that a database can answer, made from its dictionary alone: for people who begin. */
#ifndef AG_ANALYST_SAMPLES_H
#define AG_ANALYST_SAMPLES_H

#include "sql/dictionary.h"

#define AG_ANALYST_MAX_SAMPLES 5u

/* At most AG_ANALYST_MAX_SAMPLES questions, the tables with the most rows first. In arena. */
size_t ag_analyst_samples(const ag_dictionary *d, ag_arena *arena,
                          ag_str ret[AG_ANALYST_MAX_SAMPLES]);

#endif
