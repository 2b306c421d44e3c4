/* figures_places -- the places of a template that compare rows; part of figures_grammar.h, which includes it.
 *
 * X, Y are rows, C a column: {mXYC} "12 more", {gXYC} "rose by 4.1%", {rXYC} "2.4 times", {wXYC} "twice" or "a third of",
 * {pXYC} "1.2 percentage points higher", {aC} the average of all rows, {bXYC} the sum of two, {oXC} the rank as an ordinal,
 * {LC} {HC} the lowest and the highest value, {k} the number of rows. */
#ifndef AG_TESTS_FIGURES_PLACES_H
#define AG_TESTS_FIGURES_PLACES_H

static const struct {
	double ratio;
	const char *words[4];
} fg_ratios[] = {
	{ 2, { "twice", "doppelt so viele", "deux fois plus de", "el doble de" } },
	{ 0.5, { "half", "halb so viele", "la moitié des", "la mitad de" } },
	{ 3, { "three times", "dreimal so viele", "trois fois plus de", "el triple de" } },
	{ 0.3333333, { "a third of", "ein Drittel der", "un tiers des", "un tercio de" } },
	{ 0.25, { "a quarter of", "ein Viertel der", "un quart des", "una cuarta parte de" } },
};

#define FG_NRATIO (sizeof(fg_ratios) / sizeof(fg_ratios[0]))

/* {w…}: makes the values of its rows such that a word says their ratio. */
static void fg_draw_ratio(fg_world *w, const char *text)
{
	const char *p = strstr(text, "{w");
	size_t to, from, col;

	if (!p)
		return;
	to = w->row[p[2] - '0'];
	from = w->row[p[3] - '0'];
	col = w->col[p[4] - '0'];
	w->ratio = fg_below(FG_NRATIO);
	w->v[from][col] = w->v[from][col] / 12 * 12 + 12;
	w->v[to][col] = lround((double)w->v[from][col] * fg_ratios[w->ratio].ratio);
}

static void fg_state_computation(const fg_world *w, fg_answer *a, const char *op, size_t x,
                                 size_t y, size_t col)
{
	const size_t n = strlen(a->computations);
	char one[96], two[96];

	fg_ref(w, x, col, one, sizeof(one));
	fg_ref(w, y, col, two, sizeof(two));
	snprintf(a->computations + n, sizeof(a->computations) - n,
	         "%s{\"op\":\"%s\",\"of\":[\"%s\",\"%s\"]}", n ? "," : "", op, one, two);
}

/* Writes a computed value; a wrong one is visibly another. */
static void fg_value_add(fg_world *w, fg_answer *a, double v, fg_shape *s)
{
	char text[128];
	double units = fg_shown(v, s);

	if (w->wrong == FG_WRONG_COMPUTED && !a->made) {
		units += fg_below(2) ? 1 + (double)fg_below(9) : floor(fabs(units) * 0.2) + 1;
		s->word = false;
		a->made = true;
		a->wrong_at = a->len;
	}
	w->nfigure++;
	fg_format(text, sizeof(text), units, s, w->lang);
	fg_add(a, text);
}

static fg_shape fg_plain_shape(const fg_world *w, size_t col)
{
	const fg_kind kind = w->set->cols[col].kind;

	return (fg_shape){ .places = fg_places(kind),
		           .money = kind == FG_MONEY || kind == FG_BALANCE,
		           .percent = kind == FG_PERCENT || kind == FG_FRACTION,
		           .hours = kind == FG_HOURS,
		           .grouped = true,
		           .unit = w->set->cols[col].unit };
}

static void fg_difference(fg_world *w, fg_answer *a, size_t x, size_t y, size_t col)
{
	static const char *const more[] = { " more", " mehr", " de plus", " más" };
	static const char *const less[] = { " less", " weniger", " de moins", " menos" };
	const double v = fg_value(w, x, col) - fg_value(w, y, col);
	fg_shape s = fg_plain_shape(w, col);

	fg_state_computation(w, a, "difference", x, y, col);
	fg_value_add(w, a, fabs(v), &s);
	fg_add(a, v < 0 && w->lang == FG_EN && w->set->cols[col].kind == FG_COUNT ? " fewer"
	          : v < 0                                                         ? less[w->lang]
	                                                                          : more[w->lang]);
}

static void fg_change(fg_world *w, fg_answer *a, size_t x, size_t y, size_t col)
{
	static const char *const up[] = { "rose by ", "stieg um ", "a augmenté de ", "subió un " };
	static const char *const down[] = { "fell by ", "sank um ", "a baissé de ", "bajó un " };
	const double v = fg_value(w, x, col) / fg_value(w, y, col) - 1;
	fg_shape s = { .percent = true, .places = (int)fg_below(2), .grouped = true };
	bool rose = v >= 0;

	fg_state_computation(w, a, "change", x, y, col);
	/* The other direction, with the right number. */
	if (w->wrong == FG_WRONG_SIGN && !a->made && fabs(v) > 0.02) {
		rose = !rose;
		a->made = true;
		a->wrong_at = a->len + strlen(rose ? up[w->lang] : down[w->lang]);
	}
	fg_add(a, rose ? up[w->lang] : down[w->lang]);
	fg_value_add(w, a, fabs(v) * 100, &s);
}

static void fg_ratio(fg_world *w, fg_answer *a, size_t x, size_t y, size_t col)
{
	static const char *const times[] = { " times", "-mal", " fois", " veces" };
	fg_shape s = { .places = 1 };

	fg_state_computation(w, a, "ratio", x, y, col);
	fg_value_add(w, a, fg_value(w, x, col) / fg_value(w, y, col), &s);
	fg_add(a, times[w->lang]);
}

static void fg_ratio_word(fg_world *w, fg_answer *a, size_t x, size_t y, size_t col)
{
	size_t said = w->ratio;

	fg_state_computation(w, a, "ratio", x, y, col);
	if (w->wrong == FG_WRONG_COMPUTED && !a->made) {
		said = (said + 1 + fg_below(FG_NRATIO - 1)) % FG_NRATIO;
		a->made = true;
		a->wrong_at = a->len;
	}
	w->nfigure++;
	fg_add(a, fg_ratios[said].words[w->lang]);
}

static void fg_points(fg_world *w, fg_answer *a, size_t x, size_t y, size_t col)
{
	static const char *const points[] = { " percentage points ", " Prozentpunkte ", " points ",
		                              " puntos porcentuales " };
	static const char *const up[] = { "higher", "höher", "de plus", "más" };
	static const char *const down[] = { "lower", "niedriger", "de moins", "menos" };
	const double by = w->set->cols[col].kind == FG_FRACTION ? 100 : 1;
	const double v = (fg_value(w, x, col) - fg_value(w, y, col)) * by;
	fg_shape s = { .places = 1 };

	fg_state_computation(w, a, "difference", x, y, col);
	fg_value_add(w, a, fabs(v), &s);
	fg_add(a, points[w->lang]);
	fg_add(a, v < 0 ? down[w->lang] : up[w->lang]);
}

static void fg_average(fg_world *w, fg_answer *a, size_t col)
{
	const size_t n = strlen(a->computations);
	fg_shape s = fg_plain_shape(w, col);
	double sum = 0;

	for (size_t r = 0; r < w->nrow; r++)
		sum += fg_value(w, r, col) * (w->set->cols[col].kind == FG_FRACTION ? 100 : 1);
	s.places = s.percent || !s.places ? 1 : s.places;
	snprintf(a->computations + n, sizeof(a->computations) - n,
	         "%s{\"op\":\"average\",\"of\":[\"r1[*].%s\"]}", n ? "," : "",
	         w->set->cols[col].name);
	fg_value_add(w, a, sum / (double)w->nrow, &s);
}

static void fg_pair_sum(fg_world *w, fg_answer *a, size_t x, size_t y, size_t col)
{
	fg_shape s = fg_plain_shape(w, col);

	fg_state_computation(w, a, "sum", x, y, col);
	fg_value_add(w, a, fg_value(w, x, col) + fg_value(w, y, col), &s);
}

static void fg_rank(fg_world *w, fg_answer *a, size_t row, size_t col)
{
	static const char *const words[4][6] = {
		{ "first", "second", "third", "fourth", "fifth", "6th" },
		{ "erster", "zweiter", "dritter", "vierter", "fünfter", "sechster" },
		{ "premier", "deuxième", "troisième", "quatrième", "cinquième", "6e" },
		{ "primero", "segundo", "tercero", "cuarto", "quinto", "6.º" },
	};
	size_t rank = 0;

	for (size_t r = 0; r < w->nrow; r++)
		rank += w->v[r][col] > w->v[row][col];
	if (w->wrong == FG_WRONG_RANK && !a->made) {
		/* Neither its rank from below nor its place in the result. */
		for (size_t tries = 0; tries < 20 && !a->made; tries++) {
			const size_t other = fg_below(w->nrow);

			if (other == rank || other == w->nrow - 1 - rank || other == row)
				continue;
			rank = other;
			a->made = true;
		}
		a->wrong_at = a->len;
	}
	w->nfigure++;
	fg_add(a, words[w->lang][rank < 6 ? rank : 5]);
}

/* The lowest or the highest value of the column. */
static void fg_extreme(fg_world *w, fg_answer *a, size_t col, bool high)
{
	size_t best = 0;

	for (size_t r = 1; r < w->nrow; r++)
		best = high == (w->v[r][col] > w->v[best][col]) ? r : best;
	fg_figure(w, a, best, col);
}

static void fg_nrow(fg_world *w, fg_answer *a)
{
	size_t n = w->nrow;
	char text[32];

	if (w->wrong == FG_WRONG_NROW && !a->made) {
		n += fg_below(2) ? 1 : 3;
		a->made = true;
		a->wrong_at = a->len;
	}
	w->nfigure++;
	snprintf(text, sizeof(text), "%zu", n);
	fg_add(a, n >= 2 && fg_below(2) ? fg_words[w->lang][n] : text);
}

static void fg_place(fg_world *w, fg_answer *a, const char *p)
{
	const size_t x = p[1] >= '0' && p[1] <= '9' ? (size_t)(p[1] - '0') : 0;
	const size_t y = p[1] != '}' && p[2] >= '0' && p[2] <= '9' ? (size_t)(p[2] - '0') : 0;
	const size_t col = p[1] != '}' && p[2] != '}' && p[3] != '}' ? w->col[p[3] - '0'] : 0;

	switch (*p) {
	case 'm': fg_difference(w, a, w->row[x], w->row[y], col); break;
	case 'g': fg_change(w, a, w->row[x], w->row[y], col); break;
	case 'r': fg_ratio(w, a, w->row[x], w->row[y], col); break;
	case 'w': fg_ratio_word(w, a, w->row[x], w->row[y], col); break;
	case 'p': fg_points(w, a, w->row[x], w->row[y], col); break;
	case 'b': fg_pair_sum(w, a, w->row[x], w->row[y], col); break;
	case 'a': fg_average(w, a, w->col[x]); break;
	case 'o': fg_rank(w, a, w->row[x], w->col[y]); break;
	case 'L': fg_extreme(w, a, w->col[x], false); break;
	case 'H': fg_extreme(w, a, w->col[x], true); break;
	case 'k': fg_nrow(w, a); break;
	default: fail_msg("no such place: %.6s", p);
	}
}

#endif
