/* figures_columns -- which columns the words near a figure mean.
 *
 * The words of the figure's own segment weigh most, more still directly beside it; those of other segments, of the sentence
 * before, of a heading and of the question decide what the segment leaves open. */
#include "analyst/figures_check.h"

void ag_fig_weigh(float *weight, const ag_fig_token *t, float by)
{
	if ((t->mention >= 0 && t->kind == AG_FIG_NUMBER) || t->is_of_name)
		return;
	for (size_t i = 0; i < t->nvocab; i++) {
		const float w = t->weight[i] * by;

		if (w > weight[t->vocab[i]])
			weight[t->vocab[i]] = w;
	}
}

/* The words directly after figure `a` of the same segment say what it counts; they are not for its neighbour. */
static bool fig_is_consumed(const ag_fig_check *k, uint32_t token, const ag_fig_claim *of)
{
	const ag_fig_token *tokens = k->doc.tokens;
	uint32_t i = token;

	if (k->is_row)
		return false;
	for (size_t steps = 0; i > of->seg_from && steps < 3; steps++) {
		const ag_fig_token *before = &tokens[i - 1];

		if (before->kind == AG_FIG_NUMBER && before->mention < 0)
			return (size_t)before->number != of->number;
		if (before->kind != AG_FIG_WORD || (before->cues & AG_FIG_STOP))
			return false;
		i--;
	}
	return false;
}

/* With several figures in a segment: words before an earlier figure, and after this one unless they follow it directly, are
 * for the others. "120 orders on revenue of 5,000" */
static bool fig_is_others(const ag_fig_check *k, uint32_t token, const ag_fig_claim *c)
{
	const ag_fig_token *tokens = k->doc.tokens;
	const ag_fig_number *n = &k->doc.numbers[c->number];
	uint32_t last = n->token + n->ntoken;

	if (token < n->token) {
		for (uint32_t i = token; i < n->token; i++) {
			if (tokens[i].kind == AG_FIG_NUMBER && tokens[i].mention < 0)
				return true;
		}
		return false;
	}
	for (size_t steps = 0; steps < 3 && last < c->seg_to && tokens[last].kind == AG_FIG_WORD &&
	                       !(tokens[last].cues & AG_FIG_STOP);
	     steps++)
		last++;
	for (uint32_t i = last; token >= last && i < c->seg_to; i++) {
		if (tokens[i].kind == AG_FIG_NUMBER && tokens[i].mention < 0)
			return true;
	}
	return false;
}

/* "$5,000 in shipping cost on 59 parcels": what is between two figures is for the first, when the second has a label. */
static bool fig_is_label_before(const ag_fig_check *k, uint32_t token, const ag_fig_claim *c)
{
	if (token >= k->doc.numbers[c->number].token)
		return false;
	for (uint32_t i = token; i > c->seg_from; i--) {
		if (k->doc.tokens[i - 1].number >= 0 && k->doc.tokens[i - 1].mention < 0)
			return true;
	}
	return false;
}

static void fig_weigh_segment(ag_fig_check *k, const ag_fig_claim *c)
{
	const ag_fig_number *n = &k->doc.numbers[c->number];
	const uint32_t first = n->token, last = n->token + n->ntoken - 1;
	const bool has_label = last + 1 < c->seg_to && k->doc.tokens[last + 1].nvocab &&
	                       !(k->doc.tokens[last + 1].cues & AG_FIG_STOP);

	for (uint32_t i = c->seg_from; i < c->seg_to; i++) {
		const ag_fig_token *t = &k->doc.tokens[i];
		float by = 1.0f;

		if (i >= first && i <= last && !(t->kind == AG_FIG_WORD && t->nvocab))
			continue;
		/* "im Jahr 2023": the name of a row. */
		if (i + 1 < c->seg_to && t[1].kind == AG_FIG_NUMBER && t[1].mention >= 0 &&
		    t->nvocab && (k->vocab[t->vocab[0]].traits & AG_FIG_T_KEY))
			continue;
		if (k->is_row)
			by = 1.0f;
		else if (fig_is_consumed(k, i, c) || fig_is_others(k, i, c) ||
		         (has_label && fig_is_label_before(k, i, c)))
			by = 0.4f;
		else if (i > last && i <= last + 2)
			by = 1.3f;
		else if (i < first && i + 2 >= first)
			by = 1.15f;
		ag_fig_weigh(k->weight, t, by);
	}
}

/* The other segments of the unit: those before it; else what follows a figure after it ("120 and 95 orders"). */
static void fig_weigh_others(ag_fig_check *k, const ag_fig_claim *c, const ag_fig_unit *u)
{
	bool any = false;

	for (uint32_t i = u->from; i < c->seg_from; i++) {
		any = any || k->doc.tokens[i].nvocab;
		ag_fig_weigh(k->weight, &k->doc.tokens[i], k->seg[i] + 1 == c->seg ? 0.4f : 0.3f);
	}
	if (any)
		return;
	for (uint32_t i = c->seg_to, from = 0; i < u->to; i++) {
		const ag_fig_token *t = &k->doc.tokens[i];

		if (any && k->seg[i] != k->seg[from])
			break;
		if (t->kind == AG_FIG_NUMBER && t->mention < 0)
			from = i;
		if (from && k->seg[i] == k->seg[from] && t->nvocab && t->kind == AG_FIG_WORD) {
			any = true;
			ag_fig_weigh(k->weight, t, 0.35f);
		}
	}
	/* "North (120) is ahead of South (90) in orders" */
	for (uint32_t i = c->seg_to; i < u->to && !any; i++)
		ag_fig_weigh(k->weight, &k->doc.tokens[i], 0.3f);
}

static void fig_weigh_row(ag_fig_check *k, const ag_fig_claim *c, const ag_fig_unit *u)
{
	const ag_fig_unit *head = &k->doc.units[u->header];
	uint32_t cell = 0, at = 0;

	for (uint32_t i = u->from; i < c->token; i++)
		cell += k->doc.tokens[i].kind == AG_FIG_NEXT_CELL;
	for (uint32_t i = head->from; i < head->to; i++) {
		at += k->doc.tokens[i].kind == AG_FIG_NEXT_CELL;
		if (at == cell)
			ag_fig_weigh(k->weight, &k->doc.tokens[i], 1.2f);
	}
	cell = k->doc.tokens[u->from].kind == AG_FIG_NEXT_CELL
	               ? 1
	               : 0; /* the first cell: a name, or a measure */
	at = 0;
	for (uint32_t i = u->from; i < u->to; i++) {
		at += k->doc.tokens[i].kind == AG_FIG_NEXT_CELL;
		if (at == cell && k->doc.tokens[i].mention < 0 &&
		    k->doc.tokens[i].kind == AG_FIG_WORD)
			ag_fig_weigh(k->weight, &k->doc.tokens[i], 1.0f);
	}
}

/* Words of the figure's own segment count; those that are carried to it decide only between equals. *ret_own: the former
 * alone. */
static float fig_score(const ag_fig_check *k, const ag_fig_column *c, float *ret_own)
{
	float own = 0, carried = 0, bonus = 0, den = c->is_wild ? 2.0f : 0;

	for (size_t i = 0; i < c->nword; i++) {
		const float w = k->weight[c->words[i]];
		const unsigned t = k->vocab[c->words[i]].traits;

		if (t & AG_FIG_T_FREE && !c->is_wild) {
			bonus += 0.05f * w;
			continue;
		}
		if (!c->is_wild)
			den += t & AG_FIG_T_QUALIFIER ? 0.7f : t & AG_FIG_T_DONE ? 0.3f : 1.0f;
		/* The last word says what it is: a unit price is no unit. */
		if (i + 1 == c->nword && w <= 0 && c->nword > 1 &&
		    !(t & (AG_FIG_T_QUALIFIER | AG_FIG_T_DONE)))
			den += 0.3f;
		if (w >= AG_FIG_OWN_WEIGHT)
			own += w;
		else
			carried += w;
	}
	*ret_own = own > 0 ? own * own / den + bonus : 0;
	return own > 0 || carried > 0 ? (own * own + 0.25f * carried * carried) / den + bonus : 0;
}

/* May a column hold what the number's unit says? *ret_by shifts its values by powers of ten; *ret_factor converts units. */
bool ag_fig_unit_fits(const ag_fig_column *c, const ag_fig_number *n, bool *as_fraction,
                      bool *as_it_is)
{
	int family = 0, wanted = 0;

	*as_fraction = false;
	*as_it_is = true;
	if (!c->is_number)
		return false;
	if (n->is_percent || n->is_points) {
		*as_fraction = c->is_fraction;
		*as_it_is = c->is_percent || (n->is_points && !n->is_percent && !c->is_fraction);
		return *as_fraction || *as_it_is;
	}
	if (n->currency >= 0) {
		if (c->currency >= 0 && c->currency != n->currency)
			return false;
		if (!(c->traits & AG_FIG_T_MONEY) && (c->is_plural_count || c->is_no_money))
			return false;
		if (!(c->traits & AG_FIG_T_MONEY) &&
		    (c->traits & (AG_FIG_T_COUNT | AG_FIG_T_KEY | AG_FIG_T_RANK)))
			return false;
		if (c->unit || (!(c->traits & AG_FIG_T_MONEY) && (c->is_fraction || c->is_percent)))
			return false;
	}
	/* "3 hours" of money or of parcels */
	if (n->unit && !c->unit &&
	    ((c->traits & (AG_FIG_T_MONEY | AG_FIG_T_SHARE)) || c->is_plural_count))
		return false;
	if (n->unit && c->unit && ag_fig_unit_size(n->unit, &wanted) > 0 &&
	    ag_fig_unit_size(c->unit, &family) > 0)
		return wanted == family;
	return true;
}

/* Scores every column for the claim; false: none can hold it. */
void ag_fig_columns_weigh(ag_fig_check *k, const ag_fig_claim *c, const ag_fig_unit *u)
{
	memset(k->weight, 0, k->nvocab * sizeof(float));
	for (size_t i = 0; i < k->nvocab; i++) {
		float w = k->asked_weight[i] * 0.1f;

		w = k->head_weight[i] * 0.15f > w ? k->head_weight[i] * 0.15f : w;
		k->weight[i] = k->said_weight[i] * 0.2f > w ? k->said_weight[i] * 0.2f : w;
	}
	if (k->is_row) {
		fig_weigh_row(k, c, u);
	} else {
		fig_weigh_others(k, c, u);
		fig_weigh_segment(k, c);
	}
	for (size_t i = 0; i < k->ncolumn; i++) {
		k->columns[i].score = fig_score(k, &k->columns[i], &k->columns[i].own);
	}
}

/* Columns that may hold the figure: of each result the best, unless another result has a much better one. */
static bool fig_is_unknown(const ag_fig_token *t)
{
	return t->kind == AG_FIG_WORD && t->mention < 0 && !t->cues && !t->nvocab && t->len >= 4;
}

/* "widgets: 12", "widgets of 12", with an unknown word; not "stands at 12". */
static bool fig_has_label(const ag_fig_check *k, const ag_fig_claim *c)
{
	static const char *const links[] = { "of", "is", "was", "are", "were", "de", "von" };
	const uint32_t at = k->doc.numbers[c->number].token;
	const ag_fig_token *t = &k->doc.tokens[at];

	if (at < c->seg_from + 2 || !fig_is_unknown(&t[-2]))
		return false;
	for (size_t i = 0; i < AG_NELEM(links); i++) {
		if (ag_str_eqc(t[-1].fold, links[i]))
			return true;
	}
	return t[-1].punct == ':';
}

/* In another language than English any noun of the sentence before the figure may be the column, unless another one is known. */
static bool fig_has_foreign(const ag_fig_check *k, const ag_fig_claim *c)
{
	bool found = false;

	if (!k->doc.lang || (k->doc.lang & AG_FIG_EN))
		return false;
	for (size_t i = 0; i < k->nvocab; i++) {
		if (k->weight[i] >= 0.12f)
			return false;
	}
	for (uint32_t i = c->unit_from; i < c->seg_to; i++) {
		const ag_fig_token *t = &k->doc.tokens[i];

		if (t->nvocab && t->mention < 0)
			return false;
		found = found || fig_is_unknown(t);
	}
	return found;
}

/* Is the figure named by a word that nothing knows, perhaps a column in another language: "widgets of 12", or "12 widgets"
 * where no other segment of the sentence names a column? */
bool ag_fig_has_unknown(const ag_fig_check *k, const ag_fig_claim *c)
{
	const ag_fig_number *n = &k->doc.numbers[c->number];
	const ag_fig_token *t = k->doc.tokens;
	const uint32_t after = n->token + n->ntoken;

	for (uint32_t i = c->seg_from; i < c->seg_to; i++) {
		if ((i < n->token || i >= after) && t[i].nvocab && !fig_is_consumed(k, i, c))
			return false;
		if (ag_str_eqc(t[i].fold, "same") || ag_str_eqc(t[i].fold, "gleiche") ||
		    ag_str_eqc(t[i].fold, "meme") || ag_str_eqc(t[i].fold, "mismo"))
			return false;
	}
	if (after < c->seg_to && fig_is_unknown(&t[after])) {
		bool carried = false;

		for (size_t i = 0; i < k->nvocab; i++)
			carried = carried || k->weight[i] >= 0.25f;
		return !carried;
	}
	return fig_has_label(k, c) || fig_has_foreign(k, c);
}

/* Does the word after the number say what the rows are, and no number of a row: "2 customers" where customer is a text? */
bool ag_fig_counts_rows(const ag_fig_check *k, const ag_fig_claim *c)
{
	const ag_fig_number *n = &k->doc.numbers[c->number];
	const uint32_t after = n->token + n->ntoken;

	/* From its unit on: "six months" counts rows where month is their key. */
	for (uint32_t i = n->unit ? n->token + 1 : after; i < c->seg_to && i < after + 2; i++) {
		const ag_fig_token *t = &k->doc.tokens[i];
		bool of_key = false, of_number = false;

		if (t->cues & AG_FIG_ROWS)
			return true;
		for (size_t j = 0; j < k->ncolumn && t->nvocab; j++) {
			for (size_t w = 0; w < k->columns[j].nword; w++) {
				for (size_t x = 0; x < t->nvocab; x++) {
					if (t->vocab[x] != k->columns[j].words[w])
						continue;
					of_key = of_key || !k->columns[j].is_number;
					of_number = of_number || k->columns[j].is_number;
				}
			}
		}
		/* "meter readings": the last word says what is counted. */
		if (of_key && !of_number && i + 1 < c->seg_to && t[1].nvocab &&
		    t[1].kind == AG_FIG_WORD && t[1].mention < 0 && !(t[1].cues & AG_FIG_STOP))
			continue;
		if (of_key || of_number)
			return of_key && !of_number;
	}
	return false;
}

/* A word of the figure's segment that may be its column in another language: "4 % Konversionsrate". */
static bool fig_has_unknown_word(const ag_fig_check *k, const ag_fig_claim *c)
{
	for (uint32_t i = c->seg_from; i < c->seg_to; i++) {
		if (fig_is_unknown(&k->doc.tokens[i]))
			return true;
	}
	return false;
}

size_t ag_fig_eligible(const ag_fig_check *k, const ag_fig_claim *c, uint16_t *to)
{
	const ag_fig_number *n = &k->doc.numbers[c->number];
	float best = 0, own = 0, carried = 0;
	size_t count = 0;
	bool fraction, plain;

	/* An unknown word names it, and nothing else does: not just any column. */
	if (!k->is_row && ag_fig_has_unknown(k, c)) {
		float any = 0;

		for (size_t i = 0; i < k->ncolumn; i++)
			any = k->columns[i].score > any ? k->columns[i].score : any;
		if (any <= 0)
			return 0;
	}
	for (size_t i = 0; i < k->ncolumn; i++) {
		const ag_fig_column *col = &k->columns[i];

		if (!col->is_number)
			continue;
		own = col->own > own ? col->own : own;
		for (size_t w = 0; w < col->nword && !col->is_key; w++) {
			const float here = k->vocab[col->words[w]].traits &
			                                   (AG_FIG_T_FREE | AG_FIG_T_SHARE)
			                           ? 0
			                           : k->weight[col->words[w]];

			carried = here > carried ? here : carried;
		}
		if (ag_fig_unit_fits(col, n, &fraction, &plain))
			best = col->score > best ? col->score : best;
	}
	if (!(k->doc.lang & AG_FIG_EN) && fig_has_unknown_word(k, c))
		carried = 0;
	for (size_t i = 0; i < k->ncolumn;) {
		const uint32_t result = k->columns[i].result;
		size_t end = i;
		float here = 0;

		for (; end < k->ncolumn && k->columns[end].result == result; end++) {
			if (ag_fig_unit_fits(&k->columns[end], n, &fraction, &plain) &&
			    !k->columns[end].is_key)
				here = k->columns[end].score > here ? k->columns[end].score : here;
		}
		for (; i < end; i++) {
			const ag_fig_column *col = &k->columns[i];

			if (!ag_fig_unit_fits(col, n, &fraction, &plain))
				continue;
			/* "rose by 47%" is no share of votes. */
			if (c->compares && n->is_percent && !n->is_points && !col->is_change)
				continue;
			/* "35 more restarts" are not the 35 of the row. */
			if (c->direction && !col->is_change)
				continue;
			if ((col->is_key && col->own <= 0) || (c->of_rows && !col->is_wild))
				continue;
			if (own > 0 && col->own <= 0 && !col->is_wild)
				continue;
			/* "orders: North 12, South 13%": a share that nothing names. */
			if (n->is_percent && !k->is_row && !col->is_wild && col->score <= 0 &&
			    carried >= 0.29f)
				continue;
			if (col->is_wild ? here > col->score + 0.3f
			                 : col->score < here - 0.001f || col->score < best * 0.45f)
				continue;
			to[count++] = (uint16_t)i;
		}
	}
	return count;
}

/* Scores the columns again by the words that follow the figure in the next segments: "52 (10.9%) are VIP customers". False:
 * its own segment names a column, or there are no such words. */
bool ag_fig_weigh_next(ag_fig_check *k, const ag_fig_claim *c, const ag_fig_unit *u)
{
	bool any = false, is_named = false;

	for (uint32_t i = c->seg_from; i < c->seg_to; i++) {
		if (k->doc.tokens[i].nvocab)
			return false;
	}
	memset(k->weight, 0, k->nvocab * sizeof(float));
	for (uint32_t i = c->seg_to; i < u->to; i++) {
		any = any || k->doc.tokens[i].nvocab;
		ag_fig_weigh(k->weight, &k->doc.tokens[i], 1.0f);
	}
	for (size_t i = 0; i < k->ncolumn; i++) {
		k->columns[i].score = fig_score(k, &k->columns[i], &k->columns[i].own);
		is_named = is_named || k->columns[i].score > 0;
	}
	return any && is_named;
}

/* "diners: 12" */
static bool fig_is_plural_label(const ag_fig_check *k, const ag_fig_claim *c)
{
	const ag_fig_token *t = &k->doc.tokens[k->doc.numbers[c->number].token];

	return fig_has_label(k, c) && t[-1].punct == ':' &&
	       t[-2].fold.ptr[t[-2].fold.len - 1] == 's';
}

/* The only column of its kind that no word of the whole answer means: what an unknown word may mean. */
size_t ag_fig_unnamed(const ag_fig_check *k, const ag_fig_claim *c, uint16_t *to)
{
	const ag_fig_number *n = &k->doc.numbers[c->number];
	const uint32_t after = n->token + n->ntoken;
	/* A label before the number: English ones are known by their columns. */
	const bool counts = n->currency < 0 && !n->is_percent && !n->unit && n->nread &&
	                    n->read[0].places <= n->exp &&
	                    ((after < c->seg_to && fig_is_unknown(&k->doc.tokens[after])) ||
	                     (!(k->doc.lang & AG_FIG_EN) && ag_fig_has_unknown(k, c)) ||
	                     fig_is_plural_label(k, c));
	size_t count = 0;
	bool fraction, plain;

	for (size_t i = 0; i < k->ncolumn; i++) {
		const ag_fig_column *col = &k->columns[i];
		bool named = false;

		for (size_t w = 0; w < col->nword; w++)
			named = named || (k->is_named[col->words[w]] &&
			                  !(k->vocab[col->words[w]].traits & AG_FIG_T_FREE));
		/* "12 widgets" counts something. */
		if (counts &&
		    ((col->traits & (AG_FIG_T_MONEY | AG_FIG_T_SHARE)) || (col->unit && !n->unit)))
			continue;
		if (!named && !col->is_key && ag_fig_unit_fits(col, n, &fraction, &plain))
			to[count++] = (uint16_t)i;
	}
	/* Of several, the one that is called a count. */
	for (size_t i = 0; count > 1 && counts && i < count; i++) {
		if ((k->columns[to[i]].traits & AG_FIG_T_COUNT) && k->columns[to[i]].is_wild) {
			to[0] = to[i];
			return 1;
		}
	}
	/* Or the only one that is a plural: pupils, not net_change. */
	for (size_t i = 0, n_plural = 0; count > 1 && counts && i < count; i++) {
		if (k->columns[to[i]].is_plural_count && !n_plural++)
			to[0] = to[i];
		if (i + 1 == count)
			count = n_plural == 1 ? 1 : count;
	}
	return count == 1 ? 1 : 0;
}
