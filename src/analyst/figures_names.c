/* figures_names -- what the results have names for: columns by the words of their names, rows by the texts and dates of
 * their cells.
 *
 * The words of a text are hashed one by one; a text of a cell is found in the prose by the hashes of up to twelve words that
 * follow each other, the longest first. Dates are compared by their parts, so that "May" names 2026-05-01. */
#include "analyst/figures_parts.h"

#include <math.h>

#include "base/utf8.h"
#include "query/decmath.h"

#define NMEMO 512u /* a power of two */

#define MAX_CELL_TEXT 120u /* bytes of a text that names a row */

typedef struct fig_entry {
	uint64_t hash; /* 0 = free */
	uint64_t dim, in_sql;
	ag_str exact; /* a short or common word: only so written */
	ag_fig_place *places;
	size_t nplace, cap;
} fig_entry;

struct ag_fig_names {
	const ag_figures_input *in;
	const ag_fig_words *w;
	ag_arena *arena;
	ag_fig_column *columns;
	size_t ncolumn;
	ag_fig_vocab *vocab;
	size_t nvocab;
	fig_entry *entries; /* a power of two */
	size_t nentry, entry_cap, max_atoms;
	ag_fig_dates *dates;
	struct {
		uint64_t hash;
		uint8_t n;
		uint16_t vocab[4];
		float weight[4];
	} memo[NMEMO]; /* words of the prose that were looked up */
};

/* --- words of a text --- */

typedef struct fig_atom {
	uint64_t hash;
	uint32_t at, len; /* bytes of the text */
} fig_atom;

static uint64_t fig_hash_more(uint64_t h, ag_str s)
{
	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * UINT64_C(1099511628211);
	return h;
}

static uint64_t fig_word_hash(ag_str word, ag_arena *arena)
{
	const ag_str stem = ag_fig_stem(ag_fig_fold(word, arena));
	uint64_t h = fig_hash_more(UINT64_C(14695981039346656037), stem);

	if (stem.len > 3 && stem.ptr[stem.len - 1] == 'y') /* category, categories */
		h = fig_hash_more(fig_hash_more(UINT64_C(14695981039346656037),
		                                ag_str_make(stem.ptr, stem.len - 1)),
		                  AG_S("i"));
	return h ^ h >> 31;
}

/* The runs of letters and digits of text; at most max. */
static size_t fig_atoms(ag_str text, ag_arena *arena, fig_atom *to, size_t max)
{
	size_t n = 0;

	for (size_t pos = 0; pos < text.len;) {
		const size_t from = pos;
		size_t end = pos;

		while (pos < text.len) {
			const uint32_t cp = ag_utf8_next(text, &pos);

			if (!ag_fig_is_letter(cp) && !(cp >= '0' && cp <= '9'))
				break;
			end = pos;
		}
		if (end == from)
			continue;
		if (n < max)
			to[n] = (fig_atom){ fig_word_hash(ag_str_make(text.ptr + from, end - from),
				                          arena),
				            (uint32_t)from, (uint32_t)(end - from) };
		n++;
		pos = end;
	}
	return n;
}

static uint64_t fig_join(uint64_t h, uint64_t atom)
{
	h = (h ^ atom) * UINT64_C(0x9E3779B97F4A7C15);
	return (h ^ h >> 29) | 1;
}

/* --- entries --- */

static fig_entry *fig_entry_of(ag_fig_names *f, uint64_t hash)
{
	size_t i = (size_t)(hash >> 7) & (f->entry_cap - 1);

	while (f->entries[i].hash && f->entries[i].hash != hash)
		i = (i + 1) & (f->entry_cap - 1);
	return &f->entries[i];
}

static fig_entry *fig_entry_add(ag_fig_names *f, uint64_t hash)
{
	fig_entry *e;

	if (f->nentry * 2 >= f->entry_cap) {
		fig_entry *old = f->entries;
		const size_t n = f->entry_cap;

		f->entry_cap = n ? n * 2 : 256;
		f->entries = ag_new_n(f->arena, fig_entry, f->entry_cap);
		for (size_t i = 0; i < n; i++) {
			if (old[i].hash)
				*fig_entry_of(f, old[i].hash) = old[i];
		}
	}
	e = fig_entry_of(f, hash);
	if (!e->hash) {
		e->hash = hash;
		f->nentry++;
	}
	return e;
}

static void fig_place_add(ag_fig_names *f, fig_entry *e, ag_fig_place p)
{
	if (e->nplace && e->places[e->nplace - 1].result == p.result &&
	    e->places[e->nplace - 1].row == p.row)
		return;
	if (e->nplace == e->cap) {
		ag_fig_place *to;

		e->cap = e->cap ? e->cap * 2 : 2;
		to = ag_new_n(f->arena, ag_fig_place, e->cap);
		if (e->nplace)
			memcpy(to, e->places, e->nplace * sizeof(*to));
		e->places = to;
	}
	e->places[e->nplace++] = p;
}

/* NULL: the text names nothing. */
static fig_entry *fig_text_add(ag_fig_names *f, ag_str text)
{
	fig_atom atoms[AG_FIG_MAX_ATOMS];
	uint64_t hash = 0;
	fig_entry *e;
	size_t n;

	text = ag_str_trim(text);
	if (!text.len || text.len > MAX_CELL_TEXT)
		return NULL;
	n = fig_atoms(text, f->arena, atoms, AG_FIG_MAX_ATOMS);
	if (!n || n > AG_FIG_MAX_ATOMS)
		return NULL;
	for (size_t i = 0; i < n; i++)
		hash = fig_join(hash, atoms[i].hash);
	e = fig_entry_add(f, hash);
	if (n == 1) {
		const ag_str fold = ag_fig_fold(text, f->arena);

		if (text.len <= 3 || ag_fig_cues(f->w, fold) ||
		    ag_fig_value(f->w, AG_FIG_W_NUMBER, fold) >= 0 ||
		    ag_fig_value(f->w, AG_FIG_W_MONTH, fold) >= 0 ||
		    ag_fig_value(f->w, AG_FIG_W_GROUP, fold) >= 0)
			e->exact = text;
	}
	f->max_atoms = n > f->max_atoms ? n : f->max_atoms;
	return e;
}

/* --- columns --- */

static int fig_vocab_add(ag_fig_names *f, ag_str fold)
{
	const ag_str stem = ag_fig_stem(fold);

	for (size_t i = 0; i < f->nvocab; i++) {
		if (ag_str_eq(f->vocab[i].stem, stem))
			return (int)i;
	}
	if (f->nvocab == AG_FIG_MAX_VOCAB)
		return -1;
	f->vocab[f->nvocab].stem = stem;
	f->vocab[f->nvocab].group = ag_fig_value(f->w, AG_FIG_W_GROUP, fold);
	f->vocab[f->nvocab].traits = ag_fig_group_traits(f->vocab[f->nvocab].group);
	/* A group of money, but what was done here: units sold. */
	if (ag_str_eqc(fold, "sold") || ag_str_eqc(fold, "spent") || ag_str_eqc(fold, "earned"))
		f->vocab[f->nvocab].traits = AG_FIG_T_DONE;
	return (int)f->nvocab++;
}

static bool fig_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Cuts "avgOrderValue", "avg_order_value", "Revenue 2024", "revenue2024". */
/* Is the word of a column's name its unit: stay_days, yield_t, delay_min, not price_min? */
static bool fig_is_unit_word(ag_str name, ag_str fold, bool has_more, bool is_last)
{
	static const char *const of_time[] = { "delay", "wait",    "duration", "time",    "avg",
		                               "dauer", "runtime", "uptime",   "downtime" };

	if (!has_more)
		return fold.len >= 4 && fold.ptr[fold.len - 1] == 's';
	if (ag_str_eqc(fold, "min")) {
		for (size_t i = 0; is_last && i < AG_NELEM(of_time); i++) {
			if (ag_str_contains(name, ag_str_c(of_time[i])))
				return true;
		}
		return false;
	}
	/* "revenue_m" is in millions. */
	return fold.len > 1 || (is_last && strchr("tgsh", fold.ptr[0]));
}

static void fig_column_words(ag_fig_names *f, ag_fig_column *c, ag_str name)
{
	for (size_t pos = 0; pos < name.len && c->nword < 8;) {
		const size_t from = pos;
		size_t end = pos;
		ag_str fold;
		int v;

		while (pos < name.len) {
			const size_t at = pos;
			const uint32_t cp = ag_utf8_next(name, &pos);
			const bool is_digit = cp >= '0' && cp <= '9';

			if (!ag_fig_is_letter(cp) && !is_digit)
				break;
			if (at > from) {
				const char b = name.ptr[at - 1];
				const bool was_digit = b >= '0' && b <= '9';

				if (is_digit != was_digit ||
				    (fig_is_upper((char)cp) && cp < 0x80 && !fig_is_upper(b)))
					break;
			}
			end = pos;
		}
		if (end == from)
			continue;
		pos = end;
		fold = ag_fig_fold(ag_str_make(name.ptr + from, end - from), f->arena);
		if ((v = ag_fig_value(f->w, AG_FIG_W_MONEY, fold)) >= 0 && fold.len == 3)
			c->currency = v;
		if ((v = ag_fig_value(f->w, AG_FIG_W_UNIT, fold)) > 0 &&
		    fig_is_unit_word(name, fold, c->nword > 0, pos == name.len))
			c->unit = v;
		if ((v = ag_fig_value(f->w, AG_FIG_W_SCALE, fold)) > 0 && c->nword && !c->unit)
			c->exp = v;
		if (((ag_fig_cues(f->w, fold) & AG_FIG_STOP) &&
		     ag_fig_value(f->w, AG_FIG_W_GROUP, fold) < 0) ||
		    (v = fig_vocab_add(f, fold)) < 0)
			continue;
		c->words[c->nword++] = (uint16_t)v;
	}
}

static void fig_column_traits(ag_fig_names *f, ag_fig_column *c)
{
	for (size_t i = 0; i < c->nword; i++) {
		const unsigned t = f->vocab[c->words[i]].traits;
		const ag_str stem = f->vocab[c->words[i]].stem;

		c->is_change = c->is_change || f->vocab[c->words[i]].group == 33 ||
		               (ag_fig_cues(f->w, stem) & (AG_FIG_UP | AG_FIG_DOWN)) ||
		               ag_str_starts(stem, AG_S("diff")) || ag_str_eqc(stem, "delta") ||
		               ag_str_eqc(stem, "gap") || ag_str_eqc(stem, "lift");
		c->traits |= t;
		if (t & AG_FIG_T_QUALIFIER)
			c->nqualifier++;
		else if (!(t & AG_FIG_T_FREE))
			c->ncontent++;
	}
	/* The number of something is a count, though the word alone may be money. */
	if (c->currency >= 0)
		c->traits |= AG_FIG_T_MONEY;
	c->is_wild = c->ncontent == 0;
}

/* "parcels", "parts_produced" */
static bool fig_has_plural(ag_str name)
{
	for (size_t i = 3; i < name.len; i++) {
		const bool ends = i + 1 == name.len || name.ptr[i + 1] == '_' ||
		                  name.ptr[i + 1] == ' ';

		if (ends && (name.ptr[i] | 32) == 's' && !strchr("susi", name.ptr[i - 1] | 32))
			return true;
	}
	return false;
}

static void fig_column_numbers(ag_fig_names *f, ag_fig_column *c)
{
	const ag_figures_result *r = &f->in->results[c->result];
	const ag_str name = r->columns[c->column];
	size_t n = 0, nother = 0;
	double most = 0;
	bool is_whole = true;

	c->approx = ag_new_n(f->arena, double, r->nrow + 1);
	for (size_t i = 0; i < r->nrow; i++) {
		const ag_val *row = &r->rows[i];
		const ag_val *v = row->type == AG_T_ARRAY && c->column < row->n
		                          ? &row->u.items[c->column]
		                          : NULL;
		ag_dec128 d;

		c->approx[i] = NAN;
		if (!v || v->type == AG_T_NULL)
			continue;
		if (!ag_fig_number_of(v, &d)) {
			nother++;
			continue;
		}
		c->approx[i] = ag_dec128_to_double(d);
		is_whole = is_whole && v->type != AG_T_STRING && ag_fig_is_whole(d);
		most = fabs(c->approx[i]) > most ? fabs(c->approx[i]) : most;
		c->low = !n || ag_dec128_cmp(d, c->low) < 0 ? d : c->low;
		c->high = !n || ag_dec128_cmp(d, c->high) > 0 ? d : c->high;
		n++;
	}
	c->is_number = n > 0 && nother == 0;
	c->is_whole = n > 0 && is_whole;
	c->is_plural_count = n > 0 && is_whole && fig_has_plural(name);
	/* Whole numbers that are all years, and no count of something: season, cohort. */
	c->is_year = c->is_number && is_whole && !c->is_plural_count &&
	             !(c->traits & (AG_FIG_T_MONEY | AG_FIG_T_COUNT | AG_FIG_T_SHARE)) &&
	             ag_dec128_cmp(c->low, ag_dec128_from_i64(1900)) >= 0 &&
	             ag_dec128_cmp(c->high, ag_dec128_from_i64(2100)) <= 0;
	c->is_key = !c->is_number || c->is_year ||
	            ((c->traits & AG_FIG_T_KEY) &&
	             !(c->traits & (AG_FIG_T_MONEY | AG_FIG_T_FREE)) && c->unit != 5);
	if (c->traits & AG_FIG_T_SHARE) {
		c->is_fraction = most <= 1 || ((c->traits & AG_FIG_T_QUALIFIER) && most <= 3);
		/* A margin of 5,000 is money. */
		c->is_percent = (c->traits & AG_FIG_T_PERCENT) ||
		                (most > 1 && (most <= 1000 || (c->traits & AG_FIG_T_QUALIFIER)));
	} else if (!(c->traits & (AG_FIG_T_MONEY | AG_FIG_T_COUNT))) {
		c->is_fraction = n > 0 && most <= 1 && ag_dec128_cmp(c->low, c->high) != 0;
		c->is_percent = most <= 100 && most > 1 && !c->unit &&
		                ag_str_contains(r->sql, AG_S("100"));
	}
}

/* --- texts of statements --- */

static void fig_sql_texts(ag_fig_names *f, size_t result)
{
	const ag_str sql = f->in->results[result].sql;

	for (size_t i = 0; i < sql.len; i++) {
		size_t end, before = i;
		fig_entry *e;

		if (sql.ptr[i] != '\'')
			continue;
		for (end = i + 1; end < sql.len && sql.ptr[end] != '\''; end++)
			;
		while (before && (sql.ptr[before - 1] == ' ' || sql.ptr[before - 1] == '('))
			before--;
		/* Only what is asked for alone: not a list, not an inequality. */
		if (before && (sql.ptr[before - 1] == '=' || (sql.ptr[before - 1] | 32) == 'e') &&
		    !(before > 1 && strchr("!<>", sql.ptr[before - 2])) && end < sql.len) {
			e = fig_text_add(f, ag_str_make(sql.ptr + i + 1, end - i - 1));
			if (e)
				e->in_sql |= UINT64_C(1) << (result & 63);
		}
		i = end;
	}
}

/* --- all of it --- */

static void fig_name_add(ag_fig_names *f, ag_fig_place place, ag_str text, uint64_t dim)
{
	fig_entry *e = fig_text_add(f, text);

	if (!e)
		return;
	if (!e->dim)
		e->dim = dim;
	fig_place_add(f, e, place);
}

/* What people call a row: its text; the initials of two words and more ("UK"); of a cell that is null what is not known. */
static void fig_names_of_row(ag_fig_names *f, ag_fig_place place, ag_str text, ag_str column,
                             uint64_t dim)
{
	static const char *const nulls[] = { "unknown", "none",        "null",      "n/a",
		                             "missing", "unspecified", "unassigned" };
	char initials[8];
	size_t n = 0;

	if (!text.len) {
		for (size_t i = 0; i < AG_NELEM(nulls); i++)
			fig_name_add(f, place, ag_str_c(nulls[i]), dim);
		fig_name_add(f, place, ag_str_printf(f->arena, "no %.*s", AG_FMT(column)), dim);
		fig_name_add(f, place, ag_str_printf(f->arena, "without %.*s", AG_FMT(column)),
		             dim);
		return;
	}
	fig_name_add(f, place, text, dim);
	for (size_t i = 0; i < text.len && n < sizeof(initials); i++) {
		if ((!i || text.ptr[i - 1] == ' ') && fig_is_upper(text.ptr[i]))
			initials[n++] = text.ptr[i];
		else if (!i || text.ptr[i - 1] == ' ')
			n = sizeof(initials); /* "Grand plaza": no initials */
	}
	if (n > 1 && n < sizeof(initials))
		fig_name_add(f, place, ag_str_dup(f->arena, ag_str_make(initials, n)), dim);
}

static size_t fig_result_add(ag_fig_names *f, size_t result, size_t room)
{
	const ag_figures_result *r = &f->in->results[result];
	const size_t first = f->ncolumn;
	size_t cells = 0;
	bool has_money = false;

	for (size_t i = 0; i < r->ncolumn && f->ncolumn < AG_FIGURES_MAX_COLUMNS; i++) {
		ag_fig_column *c = &f->columns[f->ncolumn++];

		*c = (ag_fig_column){ .result = (uint32_t)result,
			              .column = (uint32_t)i,
			              .currency = -1 };
		fig_column_words(f, c, r->columns[i]);
		fig_column_traits(f, c);
		fig_column_numbers(f, c);
	}
	for (size_t i = first; i < f->ncolumn; i++)
		has_money = has_money || (f->columns[i].traits & AG_FIG_T_MONEY);
	for (size_t i = first; i < f->ncolumn; i++)
		f->columns[i].is_no_money = has_money && f->columns[i].is_whole;
	for (size_t row = 0; row < r->nrow && cells < room; row++) {
		const ag_val *v = &r->rows[row];

		for (size_t i = 0; i < r->ncolumn && v->type == AG_T_ARRAY && i < v->n;
		     i++, cells++) {
			const ag_val *cell = &v->u.items[i];
			const uint64_t dim = fig_join(7, fig_word_hash(r->columns[i], f->arena));
			ag_dec128 d;
			ag_str text;

			if (first + i >= f->ncolumn || !f->columns[first + i].is_key)
				continue;
			if (cell->type == AG_T_STRING)
				text = ag_val_text(cell);
			else if (cell->type == AG_T_NULL)
				text = AG_S("");
			else if (ag_fig_number_of(cell, &d))
				text = ag_fig_text(d, f->arena);
			else
				continue;
			fig_names_of_row(f, (ag_fig_place){ (uint32_t)result, (uint32_t)row }, text,
			                 r->columns[i], dim);
		}
		ag_fig_dates_row(f->dates, (ag_fig_place){ (uint32_t)result, (uint32_t)row }, v,
		                 f->columns + first, f->ncolumn - first, f->vocab);
	}
	return cells;
}

ag_fig_names *ag_fig_names_new(const ag_figures_input *in, const ag_fig_words *w, ag_arena *arena)
{
	ag_fig_names *f = ag_new(arena, ag_fig_names);
	const size_t first = in->nresult > AG_FIGURES_MAX_RESULTS
	                             ? in->nresult - AG_FIGURES_MAX_RESULTS
	                             : 0;
	size_t ncolumn = 0, cells = 0;

	f->in = in;
	f->w = w;
	f->arena = arena;
	for (size_t i = first; i < in->nresult; i++)
		ncolumn += in->results[i].ncolumn;
	f->columns =
		ag_new_n(arena, ag_fig_column,
	                 (ncolumn < AG_FIGURES_MAX_COLUMNS ? ncolumn : AG_FIGURES_MAX_COLUMNS) + 1);
	f->vocab = ag_new_n(arena, ag_fig_vocab, AG_FIG_MAX_VOCAB);
	f->dates = ag_fig_dates_new(w, arena);
	fig_entry_add(f, 1);
	for (size_t i = in->nresult; i > first && cells < AG_FIGURES_MAX_CELLS; i--) {
		cells += fig_result_add(f, i - 1, AG_FIGURES_MAX_CELLS - cells);
		fig_sql_texts(f, i - 1);
		ag_fig_dates_ask(f->dates, in->results[i - 1].sql, (int)(i - 1));
	}
	for (size_t i = 0; i < in->nsql; i++)
		ag_fig_dates_ask(f->dates, in->sql[i], -1);
	return f;
}

ag_fig_dates *ag_fig_names_dates(ag_fig_names *f)
{
	return f->dates;
}

ag_fig_column *ag_fig_columns(ag_fig_names *f, size_t *ret_n)
{
	*ret_n = f->ncolumn;
	return f->columns;
}

const ag_fig_vocab *ag_fig_vocabulary(const ag_fig_names *f, size_t *ret_n)
{
	*ret_n = f->nvocab;
	return f->vocab;
}

/* --- the words of a text that mean columns --- */

/* The group of synonyms of a word; of a German compound that of its last part: "Versandkosten" are costs. */
static int fig_group_of(const ag_fig_names *f, ag_str fold)
{
	int group = ag_fig_value(f->w, AG_FIG_W_GROUP, fold);

	/* A German dative: "Besuchen" */
	if (group < 0 && fold.len > 5 && fold.ptr[fold.len - 1] == 'n')
		group = ag_fig_value(f->w, AG_FIG_W_GROUP, ag_str_make(fold.ptr, fold.len - 1));
	for (size_t cut = 3; group < 0 && cut + 5 <= fold.len; cut++)
		group = ag_fig_value(f->w, AG_FIG_W_GROUP,
		                     ag_str_make(fold.ptr + cut, fold.len - cut));
	return group;
}

static void fig_vocab_find(ag_fig_names *f, ag_fig_token *t)
{
	const ag_str stem = t->stem;
	const uint64_t hash = fig_hash_more(UINT64_C(14695981039346656037), t->fold) | 1;
	const size_t slot = (size_t)(hash >> 11) & (NMEMO - 1);
	if (f->memo[slot].hash != hash) {
		const int group = fig_group_of(f, t->fold);

		f->memo[slot].hash = hash;
		f->memo[slot].n = 0;
		for (size_t i = 0; i < f->nvocab && f->memo[slot].n < 4; i++) {
			const ag_fig_vocab *v = &f->vocab[i];
			float weight = 0;

			if (ag_str_eq(v->stem, stem))
				weight = 1.0f;
			else if (group >= 0 && v->group == group && v->traits != AG_FIG_T_DONE)
				weight = 0.75f;
			else
				weight = ag_fig_same(v->stem, stem);
			if (weight <= 0)
				continue;
			f->memo[slot].vocab[f->memo[slot].n] = (uint16_t)i;
			f->memo[slot].weight[f->memo[slot].n++] = weight;
		}
	}
	t->nvocab = f->memo[slot].n;
	memcpy(t->vocab, f->memo[slot].vocab, sizeof(t->vocab));
	memcpy(t->weight, f->memo[slot].weight, sizeof(t->weight));
}

/* --- mentions --- */

typedef struct fig_find {
	ag_fig_names *f;
	ag_str text;
	ag_fig_doc *doc;
	ag_fig_mention *mentions;
	size_t n, cap;
	fig_atom *atoms;
	uint32_t *owner; /* token of each atom */
	size_t natom;
} fig_find;

static ag_fig_mention *fig_mention_add(fig_find *s, uint32_t from, uint32_t to)
{
	ag_fig_mention *m;

	if (s->n == s->cap) {
		ag_fig_mention *more;

		s->cap = s->cap ? s->cap * 2 : 64;
		more = ag_new_n(s->f->arena, ag_fig_mention, s->cap);
		if (s->n)
			memcpy(more, s->mentions, s->n * sizeof(*more));
		s->mentions = more;
	}
	m = &s->mentions[s->n];
	*m = (ag_fig_mention){ .from = from, .to = to };
	for (uint32_t i = from; i < to; i++) {
		ag_fig_token *t = &s->doc->tokens[i];

		t->mention = (int)s->n;
		if (t->number >= 0) {
			s->doc->numbers[t->number].is_taken = true;
			s->doc->numbers[t->number].why = "names a row";
		}
	}
	s->n++;
	return m;
}

/* May a number be part of a name here? "order 1042", "#1042", "in 2025"; a name of several words may hold any. */
static bool fig_may_name(const fig_find *s, uint32_t token)
{
	const ag_fig_token *t = &s->doc->tokens[token];
	const ag_fig_number *n = &s->doc->numbers[t->number];
	const ag_fig_token *before = token ? t - 1 : NULL;

	if (!n->is_plain || n->is_marker || n->is_percent || n->currency >= 0 || n->exp ||
	    n->is_times)
		return false;
	if (n->is_prefixed)
		return true;
	if (!before || before->kind != AG_FIG_WORD)
		return false;
	if (before->cues & AG_FIG_NUMBERED)
		return true;
	for (size_t i = 0; i < before->nvocab; i++) {
		if (s->f->vocab[before->vocab[i]].traits & AG_FIG_T_KEY)
			return true;
	}
	return false;
}

static void fig_texts_find(fig_find *s)
{
	const ag_fig_doc *d = s->doc;

	for (size_t i = 0; i < s->natom; i++) {
		uint64_t hash = 0;
		const fig_entry *best = NULL;
		size_t nbest = 0;

		if (d->tokens[s->owner[i]].mention >= 0)
			continue;
		for (size_t n = 0; n < s->f->max_atoms && i + n < s->natom; n++) {
			const fig_entry *e;

			hash = fig_join(hash, s->atoms[i + n].hash);
			e = fig_entry_of(s->f, hash);
			if (!e->hash || (!e->nplace && !e->in_sql))
				continue;
			if (e->exact.len &&
			    !ag_str_eq(e->exact,
			               ag_str_make(s->text.ptr + s->atoms[i].at, s->atoms[i].len)))
				continue;
			if (n == 0 && d->tokens[s->owner[i]].number >= 0 &&
			    !fig_may_name(s, s->owner[i]))
				continue;
			best = e;
			nbest = n + 1;
		}
		if (best) {
			ag_fig_mention *m = fig_mention_add(s, s->owner[i],
			                                    s->owner[i + nbest - 1] + 1);

			m->places = best->places;
			m->nplace = best->nplace;
			m->in_sql = best->in_sql;
			m->dim = best->dim ? best->dim : 3;
			i += nbest - 1;
		}
	}
}

static void fig_dates_find(fig_find *s)
{
	for (size_t i = 0; i < s->doc->ntoken; i++) {
		ag_fig_said said;
		ag_fig_mention *m;

		if (s->doc->tokens[i].mention >= 0 || s->doc->tokens[i].is_code ||
		    !ag_fig_dates_find(s->f->dates, s->doc, i, &said))
			continue;
		m = fig_mention_add(s, said.from, said.to);
		m->dim = AG_FIG_DIM_DATE;
		m->in_sql = said.in_sql;
		m->is_day = said.m && said.d;
		m->is_asked = said.is_asked;
		m->places = said.places;
		m->nplace = said.nplace;
		for (uint32_t k = said.from; k < said.to && !said.nplace; k++) {
			const int number = s->doc->tokens[k].number;

			if (number >= 0)
				s->doc->numbers[number].why =
					"date of a statement or of the question";
		}
		i = said.to - 1;
	}
}

/* "4,187 meter readings" are no metres: a singular before a word of a column. */
static void fig_unit_drop(ag_fig_names *f, const ag_fig_doc *doc, ag_fig_number *n)
{
	const size_t last = n->token + n->ntoken - 1;
	ag_fig_token *t = &doc->tokens[last];

	if (!n->unit || n->ntoken < 2 || t->len < 3 || t->fold.ptr[t->fold.len - 1] == 's' ||
	    last + 1 >= doc->ntoken || t[1].kind != AG_FIG_WORD || (t[1].cues & AG_FIG_STOP) ||
	    t[1].at > t->at + t->len + 1)
		return;
	fig_vocab_find(f, &t[1]);
	if (t[1].nvocab && t[1].fold.ptr[t[1].fold.len - 1] == 's') {
		n->unit = 0;
		n->ntoken--;
	}
}

size_t ag_fig_names_find(ag_fig_names *f, ag_str text, ag_fig_doc *doc, ag_fig_mention **ret)
{
	fig_find s = { .f = f, .text = text, .doc = doc };
	size_t total = 0;

	for (size_t i = 0; i < doc->ntoken; i++)
		total += doc->tokens[i].len / 2 + 1;
	s.atoms = ag_new_n(f->arena, fig_atom, total + 1);
	s.owner = ag_new_n(f->arena, uint32_t, total + 1);
	for (size_t i = 0; i < doc->ntoken; i++) {
		ag_fig_token *t = &doc->tokens[i];
		size_t n;

		if (t->kind != AG_FIG_WORD && t->kind != AG_FIG_IDENT && t->kind != AG_FIG_NUMBER)
			continue;
		if (!(t->cues & AG_FIG_STOP) || ag_fig_value(f->w, AG_FIG_W_GROUP, t->fold) >= 0)
			fig_vocab_find(f, t);
		if (t->number >= 0 && t->nvocab && doc->numbers[t->number].is_plain &&
		    t->len == 4 && !doc->numbers[t->number].is_word) {
			doc->numbers[t->number].is_taken = true; /* revenue_2024 */
			doc->numbers[t->number].why = "names a column";
		}
		if (t->number >= 0)
			fig_unit_drop(f, doc, &doc->numbers[t->number]);
		/* "0.5 times the pallets" says nothing of an on-time rate. */
		if (i && doc->tokens[i - 1].number >= 0 &&
		    doc->numbers[doc->tokens[i - 1].number].is_times &&
		    doc->numbers[doc->tokens[i - 1].number].ntoken > 1)
			t->nvocab = 0;
		if (t->number >= 0 && doc->numbers[t->number].is_date)
			continue;
		n = fig_atoms(ag_str_make(text.ptr + t->at, t->len), f->arena, s.atoms + s.natom,
		              total - s.natom);
		for (size_t k = 0; k < n && s.natom < total; k++) {
			s.atoms[s.natom].at += t->at;
			s.owner[s.natom++] = (uint32_t)i;
		}
	}
	fig_dates_find(&s);
	fig_texts_find(&s);
	for (size_t i = 0; i + 1 < doc->ntoken; i++) {
		const ag_fig_token *t = &doc->tokens[i];

		/* "values for", "value of" name no column. */
		doc->tokens[i].is_of_name =
			((ag_str_eqc(t->fold, "values") || ag_str_eqc(t->fold, "value")) &&
		         (ag_str_eqc(t[1].fold, "for") || ag_str_eqc(t[1].fold, "of"))) ||
			(t->nvocab && t[1].kind == AG_FIG_NUMBER && t[1].mention >= 0 &&
		         (f->vocab[t->vocab[0]].traits & AG_FIG_T_KEY));
	}
	*ret = s.mentions;
	return s.n;
}
