/* check_date_order -- row 30: dates that come before the date that they follow in all other documents.
 *
 * One date follows another when it is hardly ever earlier, although it often would be if the two were taken from
 * different documents, or because the names say so. A plan is no fact: what is delivered after it was due is late, not
 * wrong. The later field is blamed, unless the earlier one contradicts more fields in the same documents.
 *
 * Speaks: up to 5% of the documents that have both dates, up to 25% where the names say which comes first. Up to 45% where
 * the names say it and the two dates are near each other, as dates of one event are, or one is the birth. Whatever the names,
 * up to 25% of near dates: low. */
#include "audit/checks.h"

#include <math.h>
#include <stdlib.h>

#include "base/time.h"

#define MIN_ROWS    10
#define FEW_ROWS    50   /* below, only names make an order certain */
#define MAX_COLS    16   /* date fields of a frame that are compared */
#define MAX_WRONG   0.05 /* of the documents with both dates */
#define MAX_NAMED   0.25 /* the same, where the names say it */
#define RARE_WRONG  0.02 /* up to here without help of the names */
#define DAY_CHARS   10   /* 2024-12-31 */
#define EQUAL_WRONG 4    /* mostly equal dates: one in so many that differ may be wrong */
#define MIN_MIXED   0.10 /* wrong in pairs of different documents */
#define MAX_NEAR    0.45 /* wrong between dates that are near each other */
#define MAX_USUAL   0.25 /* wrong between such dates, whatever the names: low */
#define MIN_NEAR    0.8  /* of the documents: nearer than the dates of two documents */
#define DAY_MS      86400000.0
#define FIRST_DAY   (-25566.0) /* 1900-01-02, in days from 1970 */
#define AHEAD_DAYS  730        /* after today: no date of the past */

/* Money may come before goods, and later than them. */
typedef enum stage {
	STAGE_NONE,
	STAGE_BIRTH, /* before everything else */
	STAGE_BEGIN,
	STAGE_PAID,
	STAGE_MIDDLE,
	STAGE_END,
	STAGE_PLAN
} stage;

typedef struct date_col {
	const ag_frame_col *col;
	stage stage;
	const char *type; /* of its values in an expression: "date", "string" */
	size_t width;     /* of the texts */
	double *day;      /* [nvalue + 1] by code, NAN = no date */
} date_col;

typedef struct order {
	size_t a, b; /* a is not later than b */
	uint32_t n, wrong;
	bool is_named;
	bool is_doubtful; /* only the names say it */
} order;

typedef struct search {
	const ag_frame *fr;
	date_col cols[MAX_COLS];
	size_t n;
	order orders[MAX_COLS * MAX_COLS];
	size_t norder;
} search;

/* lint: table. A word of a name says when in the course of things its date lies. */
static const struct {
	const char *word;
	stage stage;
} stage_words[] = {
	{ "due", STAGE_PLAN },
	{ "expected", STAGE_PLAN },
	{ "planned", STAGE_PLAN },
	{ "estimated", STAGE_PLAN },
	{ "deadline", STAGE_PLAN },
	{ "target", STAGE_PLAN },
	{ "scheduled", STAGE_PLAN },
	{ "promised", STAGE_PLAN },
	{ "requested", STAGE_PLAN },
	{ "valid", STAGE_PLAN },
	{ "expires", STAGE_PLAN },
	{ "expiry", STAGE_PLAN },
	{ "eta", STAGE_PLAN },
	{ "forecast", STAGE_PLAN },
	{ "created", STAGE_BEGIN },
	{ "create", STAGE_BEGIN },
	{ "creation", STAGE_BEGIN },
	{ "opened", STAGE_BEGIN },
	{ "open", STAGE_BEGIN },
	{ "start", STAGE_BEGIN },
	{ "started", STAGE_BEGIN },
	{ "begin", STAGE_BEGIN },
	{ "began", STAGE_BEGIN },
	{ "from", STAGE_BEGIN },
	{ "ordered", STAGE_BEGIN },
	{ "order", STAGE_BEGIN },
	{ "sold", STAGE_BEGIN },
	{ "bought", STAGE_BEGIN },
	{ "admitted", STAGE_BEGIN },
	{ "admission", STAGE_BEGIN },
	{ "departure", STAGE_BEGIN },
	{ "departed", STAGE_BEGIN },
	{ "hired", STAGE_BEGIN },
	{ "birth", STAGE_BIRTH },
	{ "born", STAGE_BIRTH },
	{ "checkin", STAGE_BEGIN },
	{ "reported", STAGE_BEGIN },
	{ "joined", STAGE_BEGIN },
	{ "booked", STAGE_BEGIN },
	{ "booking", STAGE_BEGIN },
	{ "loaded", STAGE_MIDDLE },
	{ "loading", STAGE_MIDDLE },
	{ "sent", STAGE_MIDDLE },
	{ "submitted", STAGE_BEGIN },
	{ "registered", STAGE_BEGIN },
	{ "registration", STAGE_BEGIN },
	{ "received", STAGE_MIDDLE },
	{ "signup", STAGE_BEGIN },
	{ "enrolled", STAGE_BEGIN },
	{ "launched", STAGE_BEGIN },
	{ "founded", STAGE_BEGIN },
	{ "published", STAGE_BEGIN },
	{ "closed", STAGE_END },
	{ "close", STAGE_END },
	{ "closing", STAGE_END },
	{ "end", STAGE_END },
	{ "ended", STAGE_END },
	{ "until", STAGE_END },
	{ "to", STAGE_END },
	{ "shipped", STAGE_MIDDLE },
	{ "delivered", STAGE_END },
	{ "delivery", STAGE_END },
	{ "updated", STAGE_END },
	{ "modified", STAGE_END },
	{ "changed", STAGE_END },
	{ "resolved", STAGE_END },
	{ "discharged", STAGE_END },
	{ "discharge", STAGE_END },
	{ "arrival", STAGE_MIDDLE },
	{ "arrived", STAGE_MIDDLE },
	{ "finished", STAGE_END },
	{ "completed", STAGE_END },
	{ "returned", STAGE_END },
	{ "return", STAGE_END },
	{ "terminated", STAGE_END },
	{ "left", STAGE_END },
	{ "checkout", STAGE_END },
	{ "died", STAGE_END },
	{ "death", STAGE_END },
	{ "cancelled", STAGE_END },
	{ "paid", STAGE_PAID },
	{ "unloaded", STAGE_END },
	{ "unloading", STAGE_END },
	{ "settled", STAGE_PAID },
	{ "approved", STAGE_PAID },
	{ "refunded", STAGE_END },
	{ "retired", STAGE_END },
	{ "expired", STAGE_END },
	{ "last", STAGE_END },
	/* German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish */
	{ "fällig", STAGE_PLAN },
	{ "fälligkeit", STAGE_PLAN },
	{ "geplant", STAGE_PLAN },
	{ "frist", STAGE_PLAN },
	{ "échéance", STAGE_PLAN },
	{ "prévu", STAGE_PLAN },
	{ "prévue", STAGE_PLAN },
	{ "vencimiento", STAGE_PLAN },
	{ "vence", STAGE_PLAN },
	{ "previsto", STAGE_PLAN },
	{ "prevista", STAGE_PLAN },
	{ "scadenza", STAGE_PLAN },
	{ "previsione", STAGE_PLAN },
	{ "vencimento", STAGE_PLAN },
	{ "prazo", STAGE_PLAN },
	{ "termin", STAGE_PLAN },
	{ "vervaldatum", STAGE_PLAN },
	{ "förfallodatum", STAGE_PLAN },
	{ "planerad", STAGE_PLAN },
	{ "gültig", STAGE_PLAN },
	{ "valable", STAGE_PLAN },
	{ "válido", STAGE_PLAN },
	{ "termen", STAGE_PLAN },
	{ "erstellt", STAGE_BEGIN },
	{ "angelegt", STAGE_BEGIN },
	{ "bestellt", STAGE_BEGIN },
	{ "bestelldatum", STAGE_BEGIN },
	{ "beginn", STAGE_BEGIN },
	{ "anfang", STAGE_BEGIN },
	{ "eintritt", STAGE_BEGIN },
	{ "aufnahme", STAGE_BEGIN },
	{ "anreise", STAGE_BEGIN },
	{ "ankunftstag", STAGE_BEGIN },
	{ "geboren", STAGE_BIRTH },
	{ "geburtsdatum", STAGE_BIRTH },
	{ "abfahrt", STAGE_BEGIN },
	{ "gemeldet", STAGE_BEGIN },
	{ "début", STAGE_BEGIN },
	{ "commande", STAGE_BEGIN },
	{ "créé", STAGE_BEGIN },
	{ "création", STAGE_BEGIN },
	{ "naissance", STAGE_BIRTH },
	{ "arrivée", STAGE_BEGIN },
	{ "entrée", STAGE_BEGIN },
	{ "départ", STAGE_BEGIN },
	{ "inicio", STAGE_BEGIN },
	{ "pedido", STAGE_BEGIN },
	{ "creado", STAGE_BEGIN },
	{ "alta", STAGE_BEGIN },
	{ "nacimiento", STAGE_BIRTH },
	{ "entrada", STAGE_BEGIN },
	{ "salida", STAGE_BEGIN },
	{ "ingreso", STAGE_BEGIN },
	{ "inizio", STAGE_BEGIN },
	{ "ordine", STAGE_BEGIN },
	{ "nascita", STAGE_BIRTH },
	{ "creato", STAGE_BEGIN },
	{ "creazione", STAGE_BEGIN },
	{ "início", STAGE_BEGIN },
	{ "criado", STAGE_BEGIN },
	{ "nascimento", STAGE_BIRTH },
	{ "besteld", STAGE_BEGIN },
	{ "geboortedatum", STAGE_BIRTH },
	{ "ingeschreven", STAGE_BEGIN },
	{ "inschrijving", STAGE_BEGIN },
	{ "bokad", STAGE_BEGIN },
	{ "incheckning", STAGE_BEGIN },
	{ "född", STAGE_BIRTH },
	{ "zatrudniony", STAGE_BEGIN },
	{ "przyjęcia", STAGE_BEGIN },
	{ "rozpoczęcia", STAGE_BEGIN },
	{ "urodzenia", STAGE_BIRTH },
	{ "bezahlt", STAGE_PAID },
	{ "payé", STAGE_PAID },
	{ "pagado", STAGE_PAID },
	{ "pago", STAGE_PAID },
	{ "pagato", STAGE_PAID },
	{ "pagamento", STAGE_PAID },
	{ "betaald", STAGE_PAID },
	{ "betald", STAGE_PAID },
	{ "zapłacono", STAGE_PAID },
	{ "liquidado", STAGE_PAID },
	{ "ende", STAGE_END },
	{ "beendet", STAGE_END },
	{ "geliefert", STAGE_END },
	{ "lieferung", STAGE_END },
	{ "lieferdatum", STAGE_END },
	{ "austritt", STAGE_END },
	{ "entlassung", STAGE_END },
	{ "abreise", STAGE_END },
	{ "abgeschlossen", STAGE_END },
	{ "geschlossen", STAGE_END },
	{ "rückgabe", STAGE_END },
	{ "erledigt", STAGE_END },
	{ "fin", STAGE_END },
	{ "livré", STAGE_END },
	{ "livraison", STAGE_END },
	{ "clôture", STAGE_END },
	{ "clôturé", STAGE_END },
	{ "sortie", STAGE_END },
	{ "retour", STAGE_END },
	{ "rendu", STAGE_END },
	{ "entregado", STAGE_END },
	{ "entrega", STAGE_END },
	{ "cierre", STAGE_END },
	{ "cerrado", STAGE_END },
	{ "baja", STAGE_END },
	{ "devolución", STAGE_END },
	{ "fine", STAGE_END },
	{ "consegna", STAGE_END },
	{ "consegnato", STAGE_END },
	{ "chiusura", STAGE_END },
	{ "chiuso", STAGE_END },
	{ "rientro", STAGE_END },
	{ "fim", STAGE_END },
	{ "encerrado", STAGE_END },
	{ "entregue", STAGE_END },
	{ "devolvido", STAGE_END },
	{ "einde", STAGE_END },
	{ "geleverd", STAGE_END },
	{ "levering", STAGE_END },
	{ "uitgeschreven", STAGE_END },
	{ "slut", STAGE_END },
	{ "levererad", STAGE_END },
	{ "utcheckning", STAGE_END },
	{ "avslutad", STAGE_END },
	{ "zwolniony", STAGE_END },
	{ "zakończenia", STAGE_END },
	{ "zwrotu", STAGE_END },
};

static stage stage_of_name(const ag_field_name *n)
{
	for (size_t i = 0; i < AG_NELEM(stage_words); i++)
		if (ag_field_has_word(n, stage_words[i].word))
			return stage_words[i].stage;
	return STAGE_NONE;
}

/* "scheduled.arrival": what a plan holds is planned, whatever it is called. */
static bool is_planned(const ag_frame_col *c)
{
	const ag_field_name n = ag_field_name_of(c->f->path);

	for (size_t i = 0; i < AG_NELEM(stage_words); i++)
		if (stage_words[i].stage == STAGE_PLAN && c->f->parent != UINT32_MAX &&
		    ag_field_has_word(&n, stage_words[i].word))
			return true;
	return false;
}

/* "paid.at": the object says what "at" does not. */
static stage stage_of(const ag_frame_col *c)
{
	static const char *const bare[] = { "at", "on", "date", "time", "day", "timestamp" };
	ag_field_name n = ag_field_name_of(c->f->owner);

	for (size_t i = 0; n.nword == 1 && i < AG_NELEM(bare); i++)
		if (ag_field_has_word(&n, bare[i])) {
			n = ag_field_name_of(c->f->path);
			break;
		}
	return is_planned(c) ? STAGE_PLAN : stage_of_name(&n);
}

/* NAN: no date that can be read. */
static double day_of(const ag_val *v)
{
	int64_t ms;

	if (v->type == AG_T_DATE)
		return (double)v->u.i / DAY_MS;
	return v->type == AG_T_STRING && ag_time_parse_iso(ag_val_text(v), &ms)
	               ? (double)ms / DAY_MS
	               : NAN;
}

/* A date that other checks report: in another century, long after today, or the zero of a date type. */
static bool is_impossible(double day, double today)
{
	return day < FIRST_DAY || day == 0 || (today > 0 && day > today + AHEAD_DAYS);
}

/* Dates, or ISO texts of one width, which compare as the dates they are. */
static bool take_column(const ag_frame *fr, const ag_frame_col *c, double today, ag_arena *arena,
                        date_col *ret)
{
	uint64_t dates = 0, texts = 0;
	int first, second;

	*ret = (date_col){ .col = c, .stage = stage_of(c) };
	if (c->nfilled < MIN_ROWS || c->nfilled * 50ull < fr->nrow)
		return false;
	for (uint32_t i = 0; i < c->nvalue; i++) {
		const ag_val *v = &c->values[i];

		dates += v->type == AG_T_DATE ? c->count[i] : 0;
		if (v->type != AG_T_STRING ||
		    ag_text_date_format(ag_val_text(v), &first, &second) != AG_DATE_ISO)
			continue;
		if (!ret->width)
			ret->width = v->n;
		texts += v->n == ret->width ? c->count[i] : 0;
	}
	ret->type = dates * 10 >= c->nfilled * 9ull ? "date" : "string";
	if (ret->type[0] != 'd' && texts * 10 < c->nfilled * 9ull)
		return false;
	ret->day = ag_new_n(arena, double, (size_t)c->nvalue + 1);
	ret->day[0] = NAN;
	for (uint32_t i = 0; i < c->nvalue; i++) {
		const double day = day_of(&c->values[i]);

		ret->day[i + 1] = is_impossible(day, today) ? NAN : day;
	}
	return true;
}

static bool has_date(const date_col *d, uint32_t row)
{
	const uint32_t code = d->col->code[row];
	const ag_val *v = code ? &d->col->values[code - 1] : NULL;

	return v && !isnan(d->day[code]) &&
	       (d->type[0] == 'd' ? v->type == AG_T_DATE
	                          : v->type == AG_T_STRING && v->n == d->width);
}

static bool is_later(const date_col *a, uint32_t row_a, const date_col *b, uint32_t row_b)
{
	const ag_val *x = &a->col->values[a->col->code[row_a] - 1],
		     *y = &b->col->values[b->col->code[row_b] - 1];

	return ag_val_cmp(x, y) > 0;
}

/* The values of a and b compare as the moments that they are. A day compares with a moment that follows it; the reverse
 * would call every moment of the same day later. */
static bool can_compare(const date_col *a, const date_col *b)
{
	return a->type[0] == b->type[0] &&
	       (a->width == b->width || (a->width == DAY_CHARS && b->width > DAY_CHARS));
}

/* Another document. Not a neighbour: documents often are in the order of a date. */
static uint32_t far_row(const search *s, uint32_t row)
{
	return (row + s->fr->nrow / 2) % s->fr->nrow;
}

/* Are the two dates of a document nearer to each other than those of two documents? Then they are of one event. */
static bool is_near(const search *s, const date_col *a, const date_col *b)
{
	uint32_t n = 0, near = 0;

	for (uint32_t r = 0; r < s->fr->nrow; r++) {
		const double x = a->day[a->col->code[r]], y = b->day[b->col->code[r]],
			     other = b->day[b->col->code[far_row(s, r)]];

		if (isnan(x) || isnan(y) || isnan(other))
			continue;
		n++;
		near += fabs(x - y) < fabs(x - other);
	}
	return n && (double)near >= MIN_NEAR * n;
}

/* Without help of the names: the two dates are of one event, and one of them is nearly always the earlier one. */
static bool is_usual_order(const search *s, order *o)
{
	const date_col *a = &s->cols[o->a], *b = &s->cols[o->b];

	if (a->stage > b->stage && b->stage != STAGE_NONE)
		return false;
	if (o->n < FEW_ROWS || b->stage == STAGE_PLAN || (double)o->wrong > MAX_USUAL * o->n ||
	    !is_near(s, a, b))
		return false;
	o->is_doubtful = true;
	return true;
}

/* Names alone: so many are wrong that the values do not say any more which date comes first. */
static bool is_named_order(const search *s, order *o)
{
	const date_col *a = &s->cols[o->a], *b = &s->cols[o->b];

	if (!o->is_named || o->n < FEW_ROWS || b->stage == STAGE_PLAN ||
	    (double)o->wrong > MAX_NEAR * o->n || !is_near(s, a, b))
		return false;
	o->is_doubtful = b->stage == STAGE_PAID;
	return true;
}

/* Is a not later than b, as a rule? */
static bool is_order(const search *s, order *o)
{
	const date_col *a = &s->cols[o->a], *b = &s->cols[o->b];
	uint32_t mixed = 0, nmixed = 0, differ = 0;

	if (!can_compare(a, b) || a->stage == STAGE_PLAN ||
	    (b->stage == STAGE_PLAN && a->stage != STAGE_BEGIN))
		return false;
	for (uint32_t r = 0; r < s->fr->nrow; r++) {
		if (!has_date(a, r) || !has_date(b, r))
			continue;
		o->n++;
		o->wrong += is_later(a, r, b, r);
		differ += !ag_val_eq(&a->col->values[a->col->code[r] - 1],
		                     &b->col->values[b->col->code[r] - 1]);
		if (has_date(b, far_row(s, r))) {
			nmixed++;
			mixed += is_later(a, r, b, far_row(s, r));
		}
	}
	o->is_named = a->stage != STAGE_NONE && a->stage < b->stage &&
	              !(a->stage == STAGE_PAID && b->stage == STAGE_MIDDLE);
	if (o->n < MIN_ROWS || !o->wrong || (!o->is_named && o->n < FEW_ROWS))
		return false;
	/* Dates that are mostly equal have an order only among those that differ. */
	if (differ * 2 <= o->n && (!o->is_named || o->wrong * EQUAL_WRONG > differ))
		return is_named_order(s, o);
	/* Nothing comes before the birth. */
	if (o->is_named && a->stage == STAGE_BIRTH && o->n >= FEW_ROWS)
		return b->stage != STAGE_PLAN && (double)o->wrong <= MAX_NEAR * o->n;
	/* Years apart: different documents say nothing, the names do. */
	if ((double)mixed < MIN_MIXED * nmixed)
		return o->is_named && b->stage != STAGE_PLAN && o->n >= FEW_ROWS &&
		       (double)o->wrong <= MAX_WRONG * o->n;
	if ((double)o->wrong <= (o->is_named ? MAX_NAMED : MAX_WRONG) * o->n &&
	    (double)o->wrong * nmixed * (o->is_named ? 2 : 3) <= (double)mixed * o->n)
		return true;
	return is_named_order(s, o) || is_usual_order(s, o);
}

/* Broken orders of the cell in this row. */
static unsigned broken_at(const search *s, size_t col, uint32_t row)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->norder; i++) {
		const order *o = &s->orders[i];

		n += (o->a == col || o->b == col) && has_date(&s->cols[o->a], row) &&
		     has_date(&s->cols[o->b], row) &&
		     is_later(&s->cols[o->a], row, &s->cols[o->b], row);
	}
	return n;
}

static bool blames_the_earlier(const search *s, const order *o)
{
	const date_col *a = &s->cols[o->a], *b = &s->cols[o->b];
	uint64_t of_a = 0, of_b = 0;

	for (uint32_t r = 0; r < s->fr->nrow; r++) {
		if (!has_date(a, r) || !has_date(b, r) || !is_later(a, r, b, r))
			continue;
		of_a += broken_at(s, o->a, r);
		of_b += broken_at(s, o->b, r);
	}
	return of_a > of_b;
}

/* {"$and":[both are dates, {"$gt":["$a","$b"]}]} */
static ag_val condition_of(ag_arena *a, const date_col *x, const date_col *y)
{
	const ag_val p = ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(ag_ev_key(a, x->col->f)))),
		     q = ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(ag_ev_key(a, y->col->f)))),
		     type = ag_val_str(ag_str_c(x->type));
	const ag_val all[] = {
		OBJ(a, KV("$eq", ARR(a, OBJ(a, KV("$type", p)), type))),
		OBJ(a, KV("$eq", ARR(a, OBJ(a, KV("$type", q)), type))),
		OBJ(a, KV("$gt", ARR(a, p, q))),
	};

	return OBJ(a, KV("$and", ag_ev_arr(a, all, AG_NELEM(all))));
}

/* All orders in which this column is to blame. */
static void suspect_column(const search *s, size_t col, const bool *is_earlier, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	ag_val any[MAX_COLS * 2], filter;
	size_t n = 0;
	bool is_sure = false;
	const order *first = NULL;
	ag_hypothesis *h;

	for (size_t i = 0; i < s->norder && n < AG_NELEM(any); i++) {
		const order *o = &s->orders[i];

		if ((is_earlier[i] ? o->a : o->b) != col)
			continue;
		first = first ? first : o;
		is_sure = is_sure || (o->is_named && !o->is_doubtful) ||
		          (double)o->wrong <= RARE_WRONG * o->n;
		any[n++] = condition_of(a, &s->cols[o->a], &s->cols[o->b]);
	}
	if (!n || !ag_ev_place_of(a, s->cols[col].col->f).ok)
		return;
	filter = OBJ(a, KV("$expr", n == 1 ? any[0] : OBJ(a, KV("$or", ag_ev_arr(a, any, n)))));
	h = ag_suspect(out, s->cols[col].col->f, "date_order", is_sure ? AG_MEDIUM : AG_LOW,
	               is_sure ? 0.85 : 0.5, ag_ev_str(a, &filter));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(h, "", "one of the two was entered by hand, or both were swapped",
	               "correct the date that is wrong, and check the order at the writer");
	h->what = ag_str_printf(a,
	                        "%.*s is later than %.*s, which it precedes in all other documents",
	                        AG_FMT(s->cols[first->a].col->f->path),
	                        AG_FMT(s->cols[first->b].col->f->path));
}

ag_status ag_check_date_order(AG_ACROSS_ARGS)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	search *s = ag_new(arena, search);
	bool *is_earlier = ag_new_n(arena, bool, MAX_COLS *MAX_COLS);
	ag_status st = AG_OK;

	if (!x->frames->n)
		return AG_OK;
	s->fr = &x->frames->items[0];
	for (size_t i = 0; i < s->fr->ncol && s->n < MAX_COLS; i++)
		s->n += take_column(s->fr, &s->fr->cols[i], (double)x->o->as_of_ms / DAY_MS, arena,
		                    &s->cols[s->n]);
	for (size_t a = 0; !st && a < s->n; a++) {
		st = ag_ctx_check(x->ctx, err);
		for (size_t b = 0; !st && b < s->n; b++) {
			order o = { .a = a, .b = b };

			if (a != b && is_order(s, &o))
				s->orders[s->norder++] = o;
		}
	}
	for (size_t i = 0; !st && i < s->norder; i++) {
		is_earlier[i] = blames_the_earlier(s, &s->orders[i]);
		st = ag_ctx_check(x->ctx, err);
	}
	for (size_t c = 0; !st && c < s->n; c++)
		suspect_column(s, c, is_earlier, out);
	return st;
}
