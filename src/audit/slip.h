/* slip -- two ways of writing that are one slip of the keyboard apart: a letter changed, dropped, put in, two swapped.
 *
 * A text is filed under itself and under what is left of it without one letter (ag_slip_ways); a slip of it meets it
 * there. Texts are folded. Internal to audit/. */
#ifndef AG_AUDIT_SLIP_H
#define AG_AUDIT_SLIP_H

#include "base/arena.h"
#include "base/str.h"

typedef enum ag_slip {
	AG_SLIP_NONE,
	AG_SLIP_CHANGE,
	AG_SLIP_EXTRA,
	AG_SLIP_DROP,
	AG_SLIP_SWAP
} ag_slip;

/* The one slip that turns right into wrong, and where it is. */
ag_slip ag_slip_of(ag_str wrong, ag_str right, size_t *ret_at);
/* A small letter, or a part of one beyond ASCII. */
bool ag_slip_letter(char c);
/* Is a from byte i on the same as b from byte k on? */
bool ag_slip_same_rest(ag_str a, size_t i, ag_str b, size_t k);

/* The word of `right` that the slip is in, and whether the slip looks like grammar or like another word. */
typedef struct ag_slip_place {
	size_t len;      /* letters of the word */
	bool is_ending;  /* plural, case, gender */
	bool is_initial; /* the first letter of the word */
	bool is_other_word,
		is_slip_of_word; /* the rare one is a word of a language; only the other is, and no name */
} ag_slip_place;
ag_slip_place ag_slip_place_of(ag_str wrong, ag_str right, ag_slip kind, size_t at);

uint64_t ag_slip_hash(ag_str s);
/* Calls fn for the hash of s and of s without each of its bytes. Scratch in arena. */
void ag_slip_ways(ag_str s, ag_arena *arena, void (*fn)(void *arg, uint64_t h), void *arg);

#endif
