/* check_keys -- rows 25, 31 and 35: keys that repeat, keys that are data, one field under two names.
 *
 * A repeated key is damage only where the field is the document's own key. A reference to something else
 * ("customerId" of an order) repeats by design, even when it happens to be nearly unique. */
#include "audit/checks.h"

#include <math.h>

#define MIN_KEYS 5  /* fewer values are different by chance */
#define FEW_KEYS 30 /* of fewer one copy is more than the shares below allow */
#define STILL_KEY \
	0.7 /* of a plain key: below it the field refers to something, and repeats by design */
#define SMALL_SPACE  1e5 /* numbers of so few digits are equal by chance */
#define CHANCE_TIMES 3   /* times what chance would make */
#define MANY_COPIES  0.2 /* of the documents: above it no field but _id is surely a key */

static double uniqueness(const ag_path_profile *f)
{
	return ag_share(f->ndistinct, f->nscalar);
}

/* One copy is no habit, however few keys there are. */
static bool is_unique_but_for_one(const ag_path_profile *f)
{
	return f->nscalar < FEW_KEYS && f->nscalar - f->ndistinct <= 1;
}

/* Belong to a request or to another document whatever their collection is called. */
static bool is_never_own(const ag_field_name *n)
{
	static const char *const words[] = {
		"session",  "request", "trace",    "span",         "correlation", "causation",
		"visitor",  "cart",    "thread",   "conversation", "parent",      "original",
		"previous", "prev",    "next",     "related",      "external",    "ext",
		"referrer", "source",  "target",   "from",         "to",          "batch",
		"group",    "run",     "job",      "process",      "zip",         "postal",
		"country",  "area",    "currency", "language",     "status",      "error",
		"house",    "room",    "promo",    "coupon",       "discount",    "color",
		"version",  "hs",      "response", "region",       "calling",     "dialing",
		"dial"
	};

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		if (ag_field_has_word(n, words[i]))
			return true;
	}
	return n->traits & (AG_TRAIT_ZIP | AG_TRAIT_PHONE);
}

/* Names that mean one thing each: nothing repeats them by design at the top of a document. */
static bool is_plain_key(const ag_field_name *n)
{
	static const char *const words[] = { "id",  "uuid", "guid", "isbn",
		                             "sku", "uid",  "ean",  "gtin" };

	for (size_t i = 0; i < AG_NELEM(words) && n->nword == 1; i++) {
		if (strcmp(n->word[0], words[i]) == 0)
			return true;
	}
	return false;
}

/* A record called by its own name: "ticket": "T-1042". */
static bool is_record_name(const ag_field_name *n)
{
	static const char *const words[] = {
		"txn",     "transaction", "ticket",      "receipt",
		"booking", "invoice",     "reservation", "confirmation"
	};

	for (size_t i = 0; i < AG_NELEM(words) && n->nword == 1; i++) {
		if (strcmp(n->word[0], words[i]) == 0)
			return true;
	}
	return false;
}

/* Something that happens once: its id seldom stands in other documents nearly as often as in its own. */
static bool is_event_name(const ag_field_name *n)
{
	static const char *const words[] = { "event",  "order",    "invoice", "transaction",
		                             "txn",    "payment",  "booking", "message",
		                             "ticket", "shipment", "call",    "trip" };

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		if (ag_field_has_word(n, words[i]))
			return true;
	}
	return false;
}

static bool is_dense(const ag_path_profile *f)
{
	return f->num.n == f->nscalar && f->num.nint == f->num.n &&
	       f->num.q.max - f->num.q.min + 1 <= 1.5 * (double)f->num.n;
}

/* "customerId": the document's own key only if nothing else can be it. */
static bool is_own_reference(const ag_profile *p, const ag_path_profile *f)
{
	bool has_id = false, has_repeating = false;

	if (is_dense(f))
		return true;
	for (size_t i = 0; i < p->npath; i++) {
		const ag_path_profile *g = &p->paths[i];
		ag_field_name n = ag_field_name_of(g->owner);

		if (g == f || g->parent != UINT32_MAX || g->is_elem || !g->nscalar || g->n < f->n)
			continue;
		if (is_plain_key(&n)) {
			has_id |= g->nrepeated == 0;
			continue;
		}
		if (!(n.last & AG_TRAIT_KEY))
			continue;
		if (uniqueness(g) >= 0.99)
			return false;
		has_repeating |= uniqueness(g) < 0.9;
	}
	return !has_id || has_repeating;
}

static bool may_be_key(const ag_profile *p, const ag_path_profile *f, const ag_field_name *n)
{
	if (f->parent != UINT32_MAX || f->in_array || !f->nscalar || f->num.ninf ||
	    f->n * 10 < f->nparent * 9 ||
	    !(n->last & AG_TRAIT_KEY || n->traits & AG_TRAIT_EMAIL || is_record_name(n)) ||
	    is_never_own(n))
		return false;
	/* Nothing but a key is called so, however often it repeats. */
	if (ag_str_eqc(f->path, "_id"))
		return true;
	if (is_plain_key(n))
		return uniqueness(f) >= STILL_KEY || is_unique_but_for_one(f);
	if (n->traits & AG_TRAIT_EMAIL)
		return !(n->traits & AG_TRAIT_FOREIGN) && uniqueness(f) >= 0.97;
	if (is_record_name(n))
		return uniqueness(f) >= 0.965 && is_own_reference(p, f);
	if (n->traits & AG_TRAIT_FOREIGN)
		return uniqueness(f) >= (is_event_name(n) ? 0.98 : 0.99) && is_own_reference(p, f);
	return uniqueness(f) >= 0.96;
}

ag_str ag_duplicates_pipeline(ag_arena *a, const ag_path_profile *f)
{
	ag_ev_place at = ag_ev_place_of(a, f);
	ag_member named = { at.whole, OBJ(a, KV("$nin", ARR(a, ag_val_null(), ag_ev_text("")))) };
	ag_val one = OBJ(a, KV("$sum", ag_val_int(1)));
	ag_val stages[4], pipeline;

	if (!at.ok || at.array.len)
		return AG_S("");
	stages[0] = OBJ(a, KV("$match", ag_ev_obj(a, &named, 1)));
	stages[1] =
		OBJ(a, KV("$group",
	                  OBJ(a, KV("_id", ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(at.whole)))),
	                      KV("n", one))));
	stages[2] = OBJ(a, KV("$match", OBJ(a, KV("n", OBJ(a, KV("$gt", ag_val_int(1)))))));
	stages[3] = OBJ(a, KV("$group", OBJ(a, KV("_id", ag_val_null()),
	                                    KV("documents", OBJ(a, KV("$sum", ag_ev_text("$n")))),
	                                    KV("keys", one))));
	pipeline = ag_val_array(stages, AG_NELEM(stages));
	return ag_ev_str(a, &pipeline);
}

/* Numbers of so few digits, drawn from all of them: two are equal by chance, as calling codes of countries are. */
static bool is_explained_by_width(const ag_path_profile *f)
{
	const double n = (double)f->num.n, space = pow(10, floor(log10(fmax(f->num.q.max, 1))) + 1);
	const double equal = (double)(f->nscalar - f->ndistinct);

	return f->num.n * 10 >= f->nscalar * 9 && f->num.nint == f->num.n && f->num.q.min >= 0 &&
	       f->num.q.max - f->num.q.min > 2 * n && space <= SMALL_SPACE &&
	       equal <= CHANCE_TIMES * n * n / 2 / space;
}

void ag_check_duplicate_key(AG_CHECK_ARGS)
{
	bool is_email = out->name.traits & AG_TRAIT_EMAIL, is_id = ag_str_eqc(f->path, "_id");
	bool is_sure = is_id || ((uniqueness(f) >= 0.95 || is_unique_but_for_one(f)) &&
	                         !is_explained_by_width(f));
	ag_hypothesis *h;

	(void)o;
	if (f->nscalar < MIN_KEYS || !f->nrepeated ||
	    (f->nscalar < 20 && !is_id && !is_plain_key(&out->name)) ||
	    !may_be_key(p, f, &out->name))
		return;
	h = ag_suspect(out, f, "duplicates", is_email ? AG_MEDIUM : AG_HIGH, is_email ? 0.8 : 0.95,
	               ag_duplicates_pipeline(out->arena, f));
	if (!h)
		return;
	h->min_count = 2;
	h->is_copy = !is_id;
	if (!is_sure) {
		h->severity = AG_LOW;
		ag_suspect_fix(h);
	} else if (!is_id && f->nscalar >= FEW_KEYS) {
		h->max_share = MANY_COPIES;
	}
	ag_suspect_say(
		h, "a key that should be unique occurs in more than one document",
		"an import that ran twice, or records that were merged without matching them",
		"merge or remove the copies, then create a unique index");
}

void ag_check_map_keys(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_hypothesis *h;

	(void)p;
	(void)o;
	if (!f->is_map || f->in_map)
		return;
	h = ag_suspect(out, f, "keys_as_data", AG_LOW, 0.8,
	               ag_ev_where(a, f,
	                           OBJ(a, KV("$type", ag_ev_text("object")),
	                               KV("$ne", ag_val_object(NULL, 0)))));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(h, "the keys of this object are data: they differ from document to document",
	               "a map that is stored as it was in the program",
	               "store it as an array of {key, value}, which can be indexed and queried");
	h->detail = ag_str_printf(a, "%llu different keys, such as \"%.*s\"",
	                          (unsigned long long)f->map_keys, AG_FMT(f->map_key_example));
}

/* ---- names ---- */

static char folded_at(ag_str s, size_t *i)
{
	while (*i < s.len) {
		char c = s.ptr[(*i)++];

		if (c >= 'A' && c <= 'Z')
			return (char)(c + ('a' - 'A'));
		if (c != '_' && c != '-' && c != ' ' && c != '.')
			return c;
	}
	return '\0';
}

bool ag_names_differ_in_style(ag_str a, ag_str b)
{
	size_t i = 0, k = 0;
	char x, y;

	do {
		x = folded_at(a, &i);
		y = folded_at(b, &k);
		if (x != y)
			return false;
	} while (x);
	return true;
}

static bool has_digit(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] >= '0' && s.ptr[i] <= '9')
			return true;
	}
	return false;
}

static bool is_misspelt(const ag_path_profile *rare, const ag_path_profile *usual)
{
	size_t d, len = rare->name.len < usual->name.len ? rare->name.len : usual->name.len;

	/* Both may be names in their own right unless one is the exception and the other the rule. */
	if (len < 4 || has_digit(rare->name) || has_digit(usual->name) ||
	    ag_share(usual->n, usual->nparent) < 0.8 || rare->n * 20 > usual->n)
		return false;
	d = ag_str_distance(rare->name, usual->name);
	return d == 1 || (d == 2 && len >= 8);
}

/* The usual name that f is a variant of, or NULL. */
static const ag_path_profile *usual_name(const ag_profile *p, const ag_path_profile *f)
{
	for (size_t i = 0; i < p->npath; i++) {
		const ag_path_profile *g = &p->paths[i];

		if (g == f || g->parent != f->parent || g->is_elem || g->in_map || g->n < f->n ||
		    g->n + f->n > f->nparent || (g->n == f->n && ag_str_cmp(g->name, f->name) > 0))
			continue;
		if (ag_names_differ_in_style(g->name, f->name) || is_misspelt(f, g))
			return g;
	}
	return NULL;
}

static bool is_soiled(ag_str s)
{
	static const char bom[] = "\xef\xbb\xbf", nbsp[] = "\xc2\xa0", zero[] = "\xe2\x80\x8b";

	return s.len && ((unsigned char)s.ptr[0] <= ' ' || (unsigned char)s.ptr[s.len - 1] <= ' ' ||
	                 ag_str_contains(s, ag_str_c(bom)) || ag_str_contains(s, ag_str_c(nbsp)) ||
	                 ag_str_contains(s, ag_str_c(zero)));
}

void ag_check_field_names(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	const ag_path_profile *usual;
	ag_val here = OBJ(a, KV("$exists", ag_val_bool(true)));
	ag_hypothesis *h;

	(void)o;
	if (f->is_elem || f->in_map || !f->name.len || !f->n)
		return;
	if (is_soiled(f->name)) {
		h = ag_suspect(out, f, "field_name_variants", AG_LOW, 0.9, ag_ev_where(a, f, here));
		if (!h)
			return;
		ag_suspect_fix(h);
		ag_suspect_say(h, "the name of the field begins or ends with something invisible",
		               "a byte order mark or blanks in the header of an imported file",
		               "rename the field, and strip header names when files are imported");
		return;
	}
	usual = usual_name(p, f);
	if (!usual)
		return;
	h = ag_suspect(out, f, "field_name_variants", AG_MEDIUM, 0.75,
	               ag_ev_where_two(a, f, here, usual,
	                               OBJ(a, KV("$exists", ag_val_bool(false)))));
	if (!h)
		return;
	ag_suspect_fix(h);
	/* One document that has both, and the two names are two fields. */
	h->min_count = f->ndoc;
	ag_suspect_say(h, "", "two writers, or a typing error in one of them",
	               "rename the field in these documents, and fix the writer");
	h->what = ag_str_printf(a, "\"%.*s\" is a variant of \"%.*s\": no document has both",
	                        AG_FMT(f->name), AG_FMT(usual->name));
}
