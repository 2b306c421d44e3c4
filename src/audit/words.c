/* words -- see the header. The hash is FNV-1a; its halves give the bits to look at (double hashing). */
#include "audit/words.h"

#define MIN_LETTERS 4
#define BASIS       UINT64_C(0xcbf29ce484222325)
#define PRIME       UINT64_C(0x100000001b3)

static bool is_filed(ag_str word, uint64_t h)
{
	uint64_t step;

	if (word.len < MIN_LETTERS)
		return false;
	for (size_t i = 0; i < word.len; i++)
		h = (h ^ (unsigned char)word.ptr[i]) * PRIME;
	step = h >> 32 | 1;
	for (unsigned i = 0; i < ag_words_hashes; i++) {
		const uint64_t bit = ((h & 0xffffffffu) + i * step) % (ag_words_size * 64);

		if (!(ag_words_table[bit >> 6] >> (bit & 63) & 1))
			return false;
	}
	return true;
}

bool ag_word_is_known(ag_str word)
{
	return is_filed(word, BASIS);
}

bool ag_word_is_common(ag_str word)
{
	return is_filed(word, (BASIS ^ '^') * PRIME);
}
