/* figures_pair -- the figures of a sentence or of a table's row, and which row of a result each of them is of.
 *
 * For each kind of row (regions, months) apart: figures and rows that are as many are paired in their order, else each
 * figure goes to the row before it, or after it where the sentence begins with a figure. */
#include "analyst/figures_check.h"
#include "query/decmath.h"

/* Does the figure's own segment name a row of a result? */
static bool fig_names_row(const ag_fig_check *k, const ag_fig_claim *c)
{
	for (uint32_t i = c->seg_from; i < c->seg_to; i++) {
		const int m = k->doc.tokens[i].mention;

		/* "six months of 2025" names no single one. */
		if (m >= 0 && k->mentions[m].nplace == 1)
			return true;
	}
	return false;
}

/* "the top 3", "the first three": so many rows are meant. */
static bool fig_selects(const ag_fig_check *k, const ag_fig_claim *c)
{
	return c->token > c->seg_from && (k->doc.tokens[c->token - 1].cues & AG_FIG_TOP);
}

/* Is the token a word of a column that says what the rows of result r are? */
static bool fig_is_word_of_rows(const ag_fig_check *k, size_t r, const ag_fig_token *t)
{
	for (size_t j = 0; j < k->ncolumn; j++) {
		const ag_fig_column *col = &k->columns[j];

		if (col->result != r || !col->is_key)
			continue;
		for (size_t w = 0; w < col->nword; w++) {
			for (size_t x = 0; x < t->nvocab; x++) {
				if (t->vocab[x] == col->words[w])
					return true;
			}
		}
	}
	return false;
}

/* "of the 307 orders", "out of 307": the whole that a part is taken of. */
static bool fig_is_whole_of(const ag_fig_check *k, const ag_fig_claim *c)
{
	static const char *const pairs[][2] = {
		{ "of", "the" },    { "of", "all" },    { "out", "of" },    { "sur", "les" },
		{ "parmi", "les" }, { "entre", "los" }, { "entre", "las" }, { "of", "our" },
		{ "von", "den" },   { "de", "los" },    { "de", "las" }
	};
	const ag_fig_token *t = &k->doc.tokens[c->token];

	if (c->token < c->seg_from + 1)
		return false;
	if (ag_str_eqc(t[-1].fold, "des") || ag_str_eqc(t[-1].fold, "der"))
		return true;
	for (size_t i = 0; i < AG_NELEM(pairs) && c->token >= c->seg_from + 2; i++) {
		if (ag_str_eqc(t[-2].fold, pairs[i][0]) && ag_str_eqc(t[-1].fold, pairs[i][1]))
			return true;
	}
	return false;
}

/* The token after the paragraph of the claim. */
static uint32_t fig_paragraph_end(const ag_fig_check *k, const ag_fig_claim *c)
{
	size_t i = 0;

	while (i < k->doc.nunit && k->doc.units[i].from <= c->unit_from)
		i++;
	while (i < k->doc.nunit && !k->doc.units[i].after_break)
		i++;
	return i < k->doc.nunit ? k->doc.units[i].from : (uint32_t)k->doc.ntoken;
}

/* "the best of the three, North, shows …": as many as the sentence names. */
static bool fig_counts_named(const ag_fig_check *k, const ag_fig_claim *c, int64_t v)
{
	const ag_fig_token *t = &k->doc.tokens[c->token];
	const uint32_t after = k->doc.numbers[c->number].token + k->doc.numbers[c->number].ntoken;
	const ag_fig_mention *last = NULL;
	int64_t n = 0;

	if (c->token == c->seg_from || v < 2 ||
	    (after < c->seg_to && k->doc.tokens[after].nvocab) ||
	    !(ag_str_eqc(t[-1].fold, "the") || ag_str_eqc(t[-1].fold, "these") ||
	      ag_str_eqc(t[-1].fold, "all") || ag_str_eqc(t[-1].fold, "those")))
		return false;
	for (uint32_t i = c->unit_from, to = fig_paragraph_end(k, c); i < to; i++) {
		const int m = k->doc.tokens[i].mention;

		if (m >= 0 && &k->mentions[m] != last &&
		    (!last || k->mentions[m].dim == last->dim)) {
			last = &k->mentions[m];
			n++;
		}
	}
	return n == v;
}

/* "5 regions", "all five rows": as many as a result has, of what its rows are. */
bool ag_fig_is_row_count(const ag_fig_check *k, const ag_fig_claim *c)
{
	const ag_fig_number *n = &k->doc.numbers[c->number];
	int64_t v;

	if (n->is_percent || n->currency >= 0 || n->exp || !n->nread ||
	    !ag_decmath_to_i64(n->read[0].v, &v) || n->read[0].places || fig_names_row(k, c))
		return false;
	if (fig_counts_named(k, c, v))
		return true;
	if (fig_selects(k, c) && v > 0) {
		for (size_t r = 0; r < k->in->nresult; r++) {
			if ((uint64_t)v <= k->in->results[r].nrow)
				return true;
		}
	}
	for (size_t r = 0; r < k->in->nresult; r++) {
		const ag_figures_result *res = &k->in->results[r];

		if (v < 0 || (uint64_t)v != res->row_count)
			continue;
		if (c->cues & AG_FIG_ROWS)
			return true;
		if (res->is_cut)
			continue;
		for (uint32_t i = c->token + 1; i < c->seg_to && i < c->token + 4; i++) {
			if (fig_is_word_of_rows(k, r, &k->doc.tokens[i]))
				return true;
		}
		/* "drei der sechs Kulturen": what the rows are called in another language. */
		if (!(k->doc.lang & AG_FIG_EN) && c->token + 1 < c->seg_to &&
		    fig_is_whole_of(k, c) && !k->doc.tokens[c->token + 1].nvocab)
			return true;
	}
	return false;
}

bool ag_fig_is_asked(const ag_fig_check *k, const ag_fig_number *n)
{
	for (size_t i = 0; i < n->nread; i++) {
		const ag_dec128 said = ag_fig_scaled(n->read[i].v, n->exp);

		for (size_t j = 0; j < k->nnumber; j++) {
			if (ag_dec128_cmp(k->numbers[j].v, said) == 0)
				return true;
		}
	}
	return false;
}

/* The words directly before the number: "about", "more than". */
ag_fig_near ag_fig_near_of(const ag_fig_check *k, const ag_fig_claim *c)
{
	const uint32_t first = k->doc.numbers[c->number].token;
	ag_fig_near near = AG_FIG_EXACT;

	for (uint32_t i = first; i > c->seg_from && i + 3 > first;) {
		const ag_fig_token *t = &k->doc.tokens[--i];

		if (t->kind != AG_FIG_WORD && !t->cues)
			break;
		if (t->mention >= 0)
			break;
		if (t->cues & AG_FIG_ABOUT)
			return AG_FIG_NEAR_ABOUT;
		near = t->cues & AG_FIG_OVER    ? AG_FIG_NEAR_OVER
		       : t->cues & AG_FIG_UNDER ? AG_FIG_NEAR_UNDER
		                                : near;
		if (!(t->cues & AG_FIG_STOP))
			break;
	}
	return near;
}

bool ag_fig_is_hedged(const ag_fig_check *k, const ag_fig_claim *c)
{
	return (c->cues & (AG_FIG_OVER | AG_FIG_UNDER | AG_FIG_ABOUT)) ||
	       ag_fig_near_of(k, c) != AG_FIG_EXACT;
}

/* --- units: segments, claims, mentions --- */

/* A bracket of a number that is written with brackets for a minus. */
static bool fig_is_minus(const ag_fig_check *k, const ag_fig_token *t)
{
	const ag_fig_token *end = k->doc.tokens + k->doc.ntoken;
	const ag_fig_token *number = t->punct == '(' && t + 1 < end         ? t + 1
	                             : t->punct == ')' && t > k->doc.tokens ? t - 1
	                                                                    : t;

	return number->number >= 0 && k->doc.numbers[number->number].is_bracketed;
}

/* "120 (orders)": the bracket after a figure has its label. */
static bool fig_is_label_bracket(const ag_fig_check *k, const ag_fig_token *t)
{
	const ag_fig_token *end = k->doc.tokens + k->doc.ntoken;
	const ag_fig_token *before = t;
	int number = -1;
	bool any = false;

	if (t->punct != '(')
		return false;
	/* Its unit words may be between: "12 percent (share of returns)". */
	while (number < 0 && before > k->doc.tokens && t - before < 4)
		number = (--before)->number;
	if (number < 0 || before->mention >= 0 ||
	    k->doc.numbers[number].token + k->doc.numbers[number].ntoken !=
	            (uint32_t)(t - k->doc.tokens))
		return false;
	for (const ag_fig_token *i = t + 1; i < end && i->punct != ')'; i++) {
		/* A label, no sentence: "(cancelled orders are excluded)". */
		if (i->kind != AG_FIG_WORD || i->mention >= 0 || i->begins ||
		    ((i->cues & AG_FIG_STOP) && !(i->cues & AG_FIG_YEAR) &&
		     !ag_str_eqc(i->fold, "der")))
			return false;
		any = any || i->nvocab;
	}
	return any;
}

static bool fig_breaks(const ag_fig_check *k, const ag_fig_token *t)
{
	return t->kind == AG_FIG_NEXT_CELL ||
	       (t->kind == AG_FIG_PUNCT && t->punct && t->punct != ':' && !fig_is_minus(k, t) &&
	        !fig_is_label_bracket(k, t)) ||
	       (t->mention < 0 && (t->cues & AG_FIG_BREAK));
}

void ag_fig_segments(ag_fig_check *k, const ag_fig_unit *u)
{
	uint32_t seg = 0;

	for (uint32_t i = u->from; i < u->to; i++) {
		const ag_fig_token *t = &k->doc.tokens[i];

		seg += fig_breaks(k, t) && i > u->from;
		k->seg[i] = seg;
	}
}

/* "fell sharply, by 12%": the direction that a segment before this one says. */
static unsigned fig_direction_before(const ag_fig_check *k, const ag_fig_unit *u,
                                     const ag_fig_claim *c)
{
	for (uint32_t i = c->seg_from; i > u->from; i--) {
		const unsigned cues = k->doc.tokens[i - 1].cues & (AG_FIG_DOWN | AG_FIG_UP);

		if (k->doc.tokens[i - 1].number >= 0 && k->doc.tokens[i - 1].mention < 0)
			return 0;
		if (cues)
			return cues;
	}
	return 0;
}

static unsigned fig_segment_cues(const ag_fig_check *k, const ag_fig_claim *c)
{
	unsigned cues = 0;

	for (uint32_t i = c->seg_from; i < c->seg_to; i++) {
		if (k->doc.tokens[i].mention < 0)
			cues |= k->doc.tokens[i].cues;
	}
	return cues;
}

/* "677 more", "12 % de moins", "3 points below": what the words directly after the number say. */
static int fig_direction_after(const ag_fig_check *k, const ag_fig_claim *c)
{
	static const char *const more[] = { "more",   "mehr",  "plus",  "mas",
		                            "higher", "hoher", "above", "uber" };
	static const char *const less[] = { "less",  "fewer",     "weniger", "moins",
		                            "menos", "lower",     "below",   "under",
		                            "unter", "niedriger", "behind" };
	const ag_fig_number *n = &k->doc.numbers[c->number];
	uint32_t i = n->token + n->ntoken;

	for (size_t steps = 0; steps < 3 && i < c->seg_to; steps++, i++) {
		const ag_str word = k->doc.tokens[i].fold;

		for (size_t w = 0; w < AG_NELEM(more); w++) {
			/* "above" and "under" compare points only: "12 above" may be a place. */
			if ((w < 6 || n->is_points) && ag_str_eqc(word, more[w]))
				return 1;
		}
		for (size_t w = 0; w < AG_NELEM(less); w++) {
			if (ag_str_eqc(word, less[w]) &&
			    (n->is_points || !(w == 6 || w == 7 || w == 8 || w == 10)))
				return -1;
		}
		if (!ag_str_eqc(word, "de") && !ag_str_eqc(word, "percentage") &&
		    !ag_str_eqc(word, "percent") && !ag_str_eqc(word, "pourcentage"))
			return 0;
	}
	return 0;
}

/* "12 more than", "by 12", "3.2 points higher", "twice as many" */
static bool fig_compares(const ag_fig_check *k, const ag_fig_claim *c)
{
	static const char *const after[] = { "more",  "fewer",  "less",  "mehr",  "weniger",  "mas",
		                             "menos", "higher", "lower", "hoher", "niedriger" };
	static const char *const before[] = { "by", "um" };
	const ag_fig_number *n = &k->doc.numbers[c->number];
	const uint32_t next = n->token + n->ntoken;
	const ag_fig_token *t = &k->doc.tokens[next];

	if (n->is_times || n->is_points)
		return true;
	for (size_t i = 0; i < AG_NELEM(after) && next < c->seg_to; i++) {
		if (ag_str_eqc(t->fold, after[i]))
			return true;
	}
	if (next + 1 < c->seg_to && ag_str_eqc(t->fold, "de") &&
	    (ag_str_eqc(t[1].fold, "plus") || ag_str_eqc(t[1].fold, "moins")))
		return true;
	for (size_t i = 0; i < AG_NELEM(before) && n->token > c->seg_from; i++) {
		if (ag_str_eqc(k->doc.tokens[n->token - 1].fold, before[i]))
			return true;
	}
	return false;
}

void ag_fig_claims(ag_fig_check *k, const ag_fig_unit *u)
{
	k->nclaim = 0;
	for (uint32_t i = u->from; i < u->to; i++) {
		const ag_fig_token *t = &k->doc.tokens[i];
		ag_fig_claim *c;

		if (t->number < 0 || k->doc.numbers[t->number].is_taken ||
		    k->doc.numbers[t->number].is_code)
			continue;
		c = &k->claims[k->nclaim++];
		*c = (ag_fig_claim){ .number = (size_t)t->number,
			             .unit_from = u->from,
			             .token = i,
			             .seg = k->seg[i],
			             .seg_from = i,
			             .seg_to = i + 1 };
		while (c->seg_from > u->from && k->seg[c->seg_from - 1] == c->seg)
			c->seg_from--;
		while (c->seg_to < u->to && k->seg[c->seg_to] == c->seg)
			c->seg_to++;
		c->cues = fig_segment_cues(k, c);
		if (!k->is_row && !(c->cues & (AG_FIG_DOWN | AG_FIG_UP)))
			c->cues |= fig_direction_before(k, u, c);
		for (uint32_t t2 = c->seg_from; t2 < c->seg_to; t2++) {
			const ag_str word = k->doc.tokens[t2].fold;

			c->names_row = c->names_row || k->doc.tokens[t2].mention >= 0;
			if (ag_str_eqc(word, "former") || ag_str_eqc(word, "erstere") ||
			    ag_str_eqc(word, "ersterer"))
				c->named = -1;
			else if (ag_str_eqc(word, "latter") || ag_str_eqc(word, "letztere") ||
			         ag_str_eqc(word, "letzterer"))
				c->named = 1;
		}
		if (!k->is_row && fig_is_whole_of(k, c)) {
			c->cues |= AG_FIG_TOTAL;
			c->is_loose = true;
		}
		c->is_loose = c->is_loose || ((c->cues & AG_FIG_TOTAL) && !c->names_row);
		c->compares = !k->is_row && fig_compares(k, c);
		c->direction = c->compares ? fig_direction_after(k, c) : 0;
		c->of_rows = !k->is_row && !c->compares && ag_fig_counts_rows(k, c);
		c->is_aside = !k->is_row && !k->doc.numbers[c->number].is_ratio &&
		              (ag_fig_is_row_count(k, c) ||
		               (ag_fig_is_asked(k, &k->doc.numbers[c->number]) &&
		                (!c->names_row || ag_fig_is_hedged(k, c))));
	}
}

/* "than South in 2024": the mention at token i belongs to m, of another kind. */
static bool fig_is_with(const ag_fig_check *k, const ag_fig_mention *m, uint32_t i)
{
	const ag_fig_mention *other = &k->mentions[k->doc.tokens[i].mention];

	return other->dim != m->dim && other->from <= m->to + 2 && m->from <= other->to + 2;
}

/* Is the mention only compared with: "than South", without a figure of its own? */
static bool fig_is_object(const ag_fig_check *k, const ag_fig_mention *m, const ag_fig_unit *u)
{
	uint32_t i = m->from;
	bool after = false;

	for (size_t steps = 0; i > u->from && steps < 3 && !after; steps++) {
		const ag_fig_token *t = &k->doc.tokens[--i];

		if (t->mention >= 0 && fig_is_with(k, m, i)) {
			i = k->mentions[t->mention].from;
			steps--;
			continue;
		}
		if (t->number >= 0 || t->mention >= 0)
			return false;
		after = (t->cues & AG_FIG_OBJECT) != 0;
	}
	if (!after)
		return false;
	for (i = m->to; i < u->to; i++) {
		const ag_fig_token *t = &k->doc.tokens[i];

		if (t->mention >= 0 && fig_is_with(k, m, i))
			continue;
		if (t->number >= 0 && t->mention < 0)
			return false;
		/* "than Coast in 2024 (90)" */
		if (t->punct == '(' && i + 1 < u->to && t[1].number >= 0 && t[1].mention < 0)
			return false;
		if ((t->punct == '(' || t->punct == ')') &&
		    i < m->to + 4) /* "than South (2024) (90)" */
			continue;
		if (t->mention >= 0 || fig_breaks(k, t))
			return true;
	}
	return true;
}

void ag_fig_unit_mentions(ag_fig_check *k, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to && k->nunit_mention < AG_FIG_MAX_MENTIONS;) {
		const int m = k->doc.tokens[i].mention;

		if (m < 0) {
			i++;
			continue;
		}
		k->unit_mentions[k->nunit_mention++] = &k->mentions[m];
		i = k->mentions[m].to > i ? k->mentions[m].to : i + 1;
	}
}

/* --- pairing: which row each figure is of, for one kind of row --- */

typedef struct fig_pairing {
	ag_fig_claim **f;
	size_t nf;
	const ag_fig_mention **m;
	size_t nm;
} fig_pairing;

static void fig_own_add(ag_fig_claim *c, const ag_fig_mention *m)
{
	if (c->nown < AG_FIG_MAX_DIMS)
		c->own[c->nown++] = m;
}

/* Each group of figures of one column has as many as there are rows: the first of it is of the first row. */
static bool fig_pair_groups(const fig_pairing *p, bool all)
{
	bool any = false;

	for (size_t pass = all ? 0 : 1; pass < 2; pass++) {
		for (size_t i = 0; i < p->nf; i++) {
			size_t size = 0, before = 0;

			for (size_t j = 0; j < p->nf; j++) {
				size += p->f[j]->key == p->f[i]->key;
				before += j < i && p->f[j]->key == p->f[i]->key;
			}
			if (pass == 0 && size != p->nm)
				return false;
			if (pass == 1 && size == p->nm) {
				fig_own_add(p->f[i], p->m[before]);
				any = true;
			}
		}
	}
	return any;
}

/* E F F E F F, or F F E F F E. */
static bool fig_pair_chunks(const fig_pairing *p)
{
	const size_t n = p->nf / p->nm;
	bool leads = true, trails = true;

	if (!n || p->nf % p->nm)
		return false;
	for (size_t i = 0; i < p->nf; i++) {
		const size_t chunk = i / n;
		const uint32_t at = p->f[i]->token;

		leads = leads && at > p->m[chunk]->from &&
		        (chunk + 1 == p->nm || at < p->m[chunk + 1]->from);
		trails = trails && at < p->m[chunk]->from && (!chunk || at > p->m[chunk - 1]->from);
	}
	if (!leads && !trails)
		return false;
	for (size_t i = 0; i < p->nf; i++)
		fig_own_add(p->f[i], p->m[i / n]);
	return true;
}

/* "33 in May": the row that a word like "in" ties to the figure directly. */
static const ag_fig_mention *fig_tied(const ag_fig_check *k, const fig_pairing *p,
                                      const ag_fig_claim *c)
{
	for (size_t j = 0; j < p->nm; j++) {
		const ag_fig_mention *m = p->m[j];
		bool near = m->from > c->token && m->from <= c->token + 5 && m->from > c->token + 1;

		for (uint32_t i = c->token + 1; i < m->from && near; i++)
			near = k->doc.tokens[i].kind == AG_FIG_WORD &&
			       !(k->doc.tokens[i].cues & AG_FIG_BREAK);
		if (near && (k->doc.tokens[m->from - 1].cues & AG_FIG_YEAR))
			return m;
	}
	return NULL;
}

/* The row before the figure when the unit begins with a row, else the one after it. */
static void fig_pair_near(const ag_fig_check *k, const fig_pairing *p)
{
	const bool leads = p->m[0]->from < p->f[0]->token;

	for (size_t i = 0; i < p->nf; i++) {
		const uint32_t at = p->f[i]->token;
		const ag_fig_mention *best = fig_tied(k, p, p->f[i]);

		const bool is_tied = best != NULL;

		for (size_t j = 0; j < p->nm && !is_tied; j++) {
			if (leads && p->m[j]->from < at)
				best = p->m[j];
			else if (!leads && p->m[j]->from > at && !best)
				best = p->m[j];
		}
		if (!best)
			best = leads ? p->m[0] : p->m[p->nm - 1];
		fig_own_add(p->f[i], best);
	}
}

static void fig_pair_dim(ag_fig_check *k, fig_pairing *p, const ag_fig_unit *u)
{
	if (!p->nf || !p->nm)
		return;
	if (p->nm == 1) {
		for (size_t i = 0; i < p->nf; i++)
			fig_own_add(p->f[i], p->m[0]);
		return;
	}
	/* "Compared with South, North had 120 (against 90)": the one that is compared with comes last. */
	if (fig_is_object(k, p->m[0], u)) {
		const ag_fig_mention *first = p->m[0];

		memmove(&p->m[0], &p->m[1], (p->nm - 1) * sizeof(p->m[0]));
		p->m[p->nm - 1] = first;
	}
	/* Groups and chunks are quadratic in the figures of a sentence: a long one is paired by nearness. */
	if (p->nf <= 64 && (fig_pair_groups(p, true) || fig_pair_chunks(p)))
		return;
	for (size_t i = 0, n = p->nm; i < n; i++) {
		if (!fig_is_object(k, p->m[i], u))
			continue;
		memmove(&p->m[i], &p->m[i + 1], (p->nm - i - 1) * sizeof(p->m[0]));
		p->nm--;
		n = p->nm;
		i--;
		if (p->nm == 1) {
			fig_pair_dim(k, p, u);
			return;
		}
	}
	if (p->nf <= 64 && (fig_pair_groups(p, true) || fig_pair_chunks(p)))
		return;
	fig_pair_near(k, p);
}

/* "Valley in 2024", "Coast (2023)": a figure that is of a row of another kind already is of the one beside it. False: some
 * figure has none. */
static bool fig_pair_beside(const ag_fig_check *k, const fig_pairing *p)
{
	/* "In April, North had 10 and South 20": South is beside no month. */
	for (size_t j = 0; j < p->nm; j++) {
		bool is_beside = false;

		for (size_t i = 0; i < k->nunit_mention && !is_beside; i++)
			is_beside = k->unit_mentions[i]->dim != p->m[j]->dim &&
			            p->m[j]->from >= k->unit_mentions[i]->to &&
			            p->m[j]->from <= k->unit_mentions[i]->to + 2;
		if (!is_beside)
			return false;
	}
	for (size_t pass = 0; pass < 2 && p->nf && p->nm; pass++) {
		for (size_t i = 0; i < p->nf; i++) {
			const ag_fig_mention *first = p->f[i]->nown ? p->f[i]->own[0] : NULL;
			const ag_fig_mention *beside = NULL;

			for (size_t j = 0; first && j < p->nm; j++) {
				/* Words without weight may be between: "in", "im Jahr". */
				if (p->m[j]->from >= first->to && p->m[j]->from <= first->to + 2 &&
				    !beside && k->doc.tokens[p->m[j]->from - 1].number < 0)
					beside = p->m[j];
			}
			if (!beside)
				return false;
			if (pass)
				fig_own_add(p->f[i], beside);
		}
	}
	return p->nf && p->nm;
}

/* "…, which has 10": the figure is of the row named last before it. */
static bool fig_is_relative(const ag_fig_check *k, const ag_fig_claim *c)
{
	for (uint32_t i = c->seg_from; i < c->token && i < c->seg_from + 2; i++) {
		const ag_str word = k->doc.tokens[i].fold;

		if (ag_str_eqc(word, "which") || ag_str_eqc(word, "who") || ag_str_eqc(word, "qui"))
			return !c->names_row;
	}
	return false;
}

static bool fig_is_aside_of_pairs(const ag_fig_check *k, const ag_fig_claim *c)
{
	return c->compares || k->doc.numbers[c->number].is_ordinal || fig_is_relative(k, c);
}

void ag_fig_pair(ag_fig_check *k, const ag_fig_unit *u)
{
	uint64_t dims[AG_FIG_MAX_DIMS];
	size_t ndim = 0;
	ag_fig_claim **f = ag_new_n(k->arena, ag_fig_claim *, k->nclaim + 1);
	const ag_fig_mention **m = ag_new_n(k->arena, const ag_fig_mention *, k->nunit_mention + 1);

	for (size_t i = 0; i < k->nunit_mention; i++) {
		size_t d = 0;

		while (d < ndim && dims[d] != k->unit_mentions[i]->dim)
			d++;
		if (d == ndim && ndim < AG_FIG_MAX_DIMS)
			dims[ndim++] = k->unit_mentions[i]->dim;
	}
	for (size_t d = 0; d < ndim; d++) {
		fig_pairing p = { f, 0, m, 0 };

		for (size_t i = 0; i < k->nclaim; i++) {
			if (!k->claims[i].is_loose && !k->claims[i].is_aside &&
			    !fig_is_aside_of_pairs(k, &k->claims[i]))
				f[p.nf++] = &k->claims[i];
		}
		for (size_t i = 0; i < k->nunit_mention; i++) {
			if (k->unit_mentions[i]->dim == dims[d])
				m[p.nm++] = k->unit_mentions[i];
		}
		/* A comparison, a rank, a relative clause: of the row before it, else of the first. */
		for (size_t i = 0; i < k->nclaim; i++) {
			size_t at = 0;

			if (k->claims[i].is_loose || k->claims[i].is_aside ||
			    !fig_is_aside_of_pairs(k, &k->claims[i]))
				continue;
			while (at + 1 < p.nm && m[at + 1]->from < k->claims[i].token)
				at++;
			/* "Compared with South, North had 12 more", "North beat South by 12" */
			while (at && k->claims[i].compares && fig_is_object(k, m[at], u))
				at--;
			/* "At North there are 12, at South 10, so 2 more": of the first. */
			if (k->claims[i].direction && !k->claims[i].names_row) {
				at = 0;
				while (at + 1 < p.nm && fig_is_object(k, m[at], u))
					at++;
			}
			fig_own_add(&k->claims[i], m[at]);
		}
		if (!fig_pair_beside(k, &p))
			fig_pair_dim(k, &p, u);
	}
}

void ag_fig_pair_dates(ag_fig_check *k, const ag_fig_unit *u, ag_fig_claim *claims, size_t n)
{
	ag_fig_claim **f = ag_new_n(k->arena, ag_fig_claim *, n + 1);
	const ag_fig_mention **m = ag_new_n(k->arena, const ag_fig_mention *, k->nunit_mention + 1);
	uint64_t dims[AG_FIG_MAX_DIMS];
	size_t ndim = 0;

	for (size_t i = 0; i < k->nunit_mention && ndim < AG_FIG_MAX_DIMS - 1; i++) {
		bool known = k->unit_mentions[i]->dim == AG_FIG_DIM_DATE;

		for (size_t d = 0; d < ndim; d++)
			known = known || dims[d] == k->unit_mentions[i]->dim;
		if (!known)
			dims[ndim++] = k->unit_mentions[i]->dim;
	}
	for (size_t d = 0; d < ndim; d++) {
		fig_pairing p = { f, 0, m, 0 };

		for (size_t i = 0; i < n; i++)
			f[p.nf++] = &claims[i];
		for (size_t i = 0; i < k->nunit_mention; i++) {
			if (k->unit_mentions[i]->dim == dims[d])
				m[p.nm++] = k->unit_mentions[i];
		}
		fig_pair_dim(k, &p, u);
	}
}

/* In a table: the rows that its row names, and those that its header names for the cell. */
void ag_fig_pair_row(ag_fig_check *k, const ag_fig_unit *u)
{
	const ag_fig_unit *head = &k->doc.units[u->header];

	for (size_t i = 0; i < k->nclaim; i++) {
		ag_fig_claim *c = &k->claims[i];
		uint32_t cell = 0, at = 0;

		for (size_t m = 0; m < k->nunit_mention; m++)
			fig_own_add(c, k->unit_mentions[m]);
		for (uint32_t t = u->from; t < c->token; t++)
			cell += k->doc.tokens[t].kind == AG_FIG_NEXT_CELL;
		for (uint32_t t = head->from; t < head->to; t++) {
			at += k->doc.tokens[t].kind == AG_FIG_NEXT_CELL;
			if (at == cell && k->doc.tokens[t].mention >= 0 &&
			    (t == head->from ||
			     k->doc.tokens[t - 1].mention != k->doc.tokens[t].mention))
				fig_own_add(c, &k->mentions[k->doc.tokens[t].mention]);
		}
	}
}
