/* How much of a question a text has.
 *
 * A thing that is asked for counts once, by its best word: its own fully, a synonym less. Its weight is that of its own
 * word, so a rare word that is missing costs what a rare word that is there brings. */
#include "ask/index_words.h"

const ag_qword *ag_question_match(const ag_question *q, ag_str word)
{
	const ag_stem stem = ag_stem_of(word);

	for (size_t i = 0; i < q->nword; i++) {
		if (ag_stem_eq(&q->words[i].stem, &stem))
			return &q->words[i];
	}
	return NULL;
}

static bool is_filler(ag_str word)
{
	static const char *const fillers[] = { "a",    "an",   "the", "of",   "to",  "in",
		                               "on",   "for",  "is",  "it",   "and", "or",
		                               "with", "from", "by",  "at",   "do",  "i",
		                               "you",  "what", "how", "your", "are" };

	for (size_t i = 0; i < AG_NELEM(fillers); i++) {
		if (ag_str_ieq(word, ag_str_c(fillers[i])))
			return true;
	}
	return false;
}

void ag_question_look(const ag_question *q, ag_str text, ag_found *f)
{
	unsigned before = AG_INDEX_MAX_WORDS; /* what the word before was; none */
	ag_str word;

	for (size_t pos = 0; ag_word_next(text, &pos, &word);) {
		const ag_qword *w;

		if (is_filler(word))
			continue;
		f->nword++;
		w = ag_question_match(q, word);
		if (w) {
			f->nknown++;
			f->often[w->of] += w->share;
			if (f->of[w->of] < w->share)
				f->of[w->of] = w->share;
			f->npair += before + 1 == w->of;
		}
		before = w ? w->of : AG_INDEX_MAX_WORDS;
	}
}

/* Of one thing: the weight of its own word, which is its first; whether any of its words is in any document. */
static double weight_of(const ag_question *q, unsigned of, bool *ret_is_anywhere)
{
	double weight = -1;

	*ret_is_anywhere = false;
	for (size_t i = 0; i < q->nword; i++) {
		if (q->words[i].of != of)
			continue;
		if (weight < 0)
			weight = q->words[i].weight;
		*ret_is_anywhere |= q->words[i].with > 0;
	}
	return weight > 0 ? weight : 0;
}

double ag_question_share(const ag_question *q, const ag_found *f, bool with_absent)
{
	double all = 0, have = 0;

	for (unsigned of = 0; of < q->nof; of++) {
		bool is_anywhere;
		const double weight = weight_of(q, of, &is_anywhere);

		if (!is_anywhere && !with_absent)
			continue; /* tells nothing apart */
		all += weight;
		have += weight * f->of[of];
	}
	return all > 0 ? have / all : 0;
}

double ag_question_density(const ag_question *q, const ag_found *f, double usual_nword)
{
	/* The usual constants of BM25: the third time says little, a long text needs more. */
	const double k = 1.2 * (0.4 + 0.6 * (double)f->nword / (usual_nword > 1 ? usual_nword : 1));
	double all = 0, have = 0;

	for (unsigned of = 0; of < q->nof; of++) {
		bool is_anywhere;
		const double weight = weight_of(q, of, &is_anywhere);

		if (!is_anywhere)
			continue;
		all += weight;
		have += weight * f->often[of] / (f->often[of] + k);
	}
	return all > 0 ? have / all : 0;
}

void ag_found_unite(ag_found *into, const ag_found *other, double factor)
{
	for (size_t i = 0; i < AG_NELEM(into->of); i++) {
		if (into->of[i] < factor * other->of[i])
			into->of[i] = factor * other->of[i];
	}
}
