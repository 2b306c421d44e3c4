/* prompt_schema -- the sampled schema as lines of data, within a limit of bytes.
 *
 * A field is odd when it has several types, nulls, or is missing somewhere; else it is plain. What is cut first, when the
 * lines do not fit (each row of `levels` is tried in turn):
 *   1. sample values: five, three, then none for plain fields and two for odd ones
 *   2. plain fields lose their counts and stand in one paragraph, name and type only
 *   3. odd fields lose their sample values
 *   4. whole fields: the oddest are kept (mixed types, then nulls and gaps), then plain ones in order of path;
 *      the prompt says how many are missing, and the trailer names those that were not looked at yet
 * A field that was profiled shows its profile instead of sample values, and counts as odd. The decision rests on the sample
 * and the profiles alone: the prefix stays the same byte for byte (and a server's cache keeps it) until another one is
 * taken. Fields stand in order of path. */
#include "audit/mask.h"
#include "audit/prompt_parts.h"

#define PATH_BYTES    160
#define SAMPLE_BYTES  40
#define SAMPLES_BYTES 100 /* of one field; the last one may go over it */
#define TYPE_BYTES    60
#define TYPES_SHOWN   6
#define NOTE_BYTES    200 /* reserved for what is said about left out fields */
#define PLAIN_SHARE   4   /* one part in so many of the last level is for plain fields */

typedef struct field {
	const ag_val *v;
	const ag_val *profile; /* NULL = it was not profiled */
	ag_str path;
	unsigned oddity; /* 0 = plain, 1 = plain but profiled */
	bool shown;
} field;

typedef struct level {
	unsigned odd_samples, plain_samples;
	bool plain_brief;
} level;

static const level levels[] = {
	{ 5, 5, false }, { 3, 3, false }, { 2, 0, false }, { 2, 0, true }, { 0, 0, true },
};

typedef struct lines {
	field *items;
	size_t n;
	bool show_values;
	ag_arena *arena;
} lines;

static unsigned oddity_of(const ag_val *v)
{
	const ag_val *types = ag_val_getc(v, "types");
	unsigned ntype = 0;

	for (uint32_t i = 0; types && types->type == AG_T_OBJECT && i < types->n; i++)
		ntype += !ag_str_eqc(types->u.members[i].key, "null");
	if (ntype > 1)
		return 3;
	if (ag_val_member_u64(v, "null_count") || ag_val_member_u64(v, "missing_count"))
		return 2;
	return 0;
}

/* "array<object>" as "array(object)": the fence has no "<". */
static void add_type_name(ag_buf *out, ag_str name, ag_arena *arena)
{
	char *text = ag_str_cstr(arena, name);

	for (size_t i = 0; i < name.len; i++)
		text[i] = (char)(text[i] == '<' ? '(' : text[i] == '>' ? ')' : text[i]);
	ag_prompt_data(out, ag_str_make(text, name.len), TYPE_BYTES);
}

void ag_prompt_types(ag_buf *out, const ag_val *types, ag_arena *arena)
{
	const uint32_t n = types && types->type == AG_T_OBJECT ? types->n : 0;

	for (uint32_t i = 0; i < n && i < TYPES_SHOWN; i++) {
		int64_t count = 0;

		if (!ag_val_to_i64(&types->u.members[i].val, &count))
			count = 0;
		ag_buf_adds(out, i ? ", " : "");
		add_type_name(out, types->u.members[i].key, arena);
		ag_buf_addf(out, " %lld", (long long)count);
	}
	if (n > TYPES_SHOWN)
		ag_buf_addf(out, ", +%u types", n - TYPES_SHOWN);
}

/* Masked values often look the same: each look is shown once. */
static void add_samples(ag_buf *out, const lines *l, const field *f, unsigned max)
{
	const ag_val *samples = ag_val_getc(f->v, "sample_values");
	const uint32_t n = samples && samples->type == AG_T_ARRAY ? samples->n : 0;
	const size_t start = out->len;
	ag_val last = ag_val_missing();

	for (uint32_t i = 0; i < n && i < max && out->len - start < SAMPLES_BYTES; i++) {
		const ag_val v = l->show_values
		                         ? samples->u.items[i]
		                         : ag_mask_val(f->path, &samples->u.items[i], l->arena);

		if (i && ag_val_eq(&v, &last))
			continue;
		ag_buf_adds(out, i ? ", " : " | ");
		ag_prompt_json(out, &v, SAMPLE_BYTES, l->arena);
		last = v;
	}
}

/* "items[].price" and "items.price" are the same field. */
static bool same_path(ag_str a, ag_str b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i + 1 < a.len && a.ptr[i] == '[' && a.ptr[i + 1] == ']')
			i += 2;
		while (k + 1 < b.len && b.ptr[k] == '[' && b.ptr[k + 1] == ']')
			k += 2;
		if (i >= a.len || k >= b.len)
			return i >= a.len && k >= b.len;
		if (a.ptr[i++] != b.ptr[k++])
			return false;
	}
}

/* What profile_fields said of a field, the last time. */
static const ag_val *profile_of(const ag_audit_state *s, ag_str path)
{
	for (size_t i = s->trace.n; i-- > 0;) {
		const ag_trace_entry *t = &s->trace.items[i];
		const ag_val *fields = t->ok && ag_str_eqc(t->action, "profile_fields")
		                               ? ag_val_getc(&t->result, "fields")
		                               : NULL;

		for (uint32_t k = 0; fields && fields->type == AG_T_ARRAY && k < fields->n; k++) {
			if (same_path(path, ag_val_member_str(&fields->u.items[k], "path")))
				return &fields->u.items[k];
		}
	}
	return NULL;
}

/* "active" x40, "gone" x19: neighbours that look the same behind a mask are one, with the sum of their counts. */
static unsigned add_counted(ag_buf *out, const lines *l, const field *f, const char *key,
                            const char *title, unsigned max)
{
	const ag_val *list = ag_val_getc(f->profile, key);
	const uint32_t n = list && list->type == AG_T_ARRAY ? list->n : 0;
	unsigned shown = 0;

	for (uint32_t i = 0, end; i < n && shown < max; i = end) {
		const ag_val *raw = ag_val_getc(&list->u.items[i], "value");
		const ag_val v = !raw             ? ag_val_null()
		                 : l->show_values ? *raw
		                                  : ag_mask_val(f->path, raw, l->arena);
		uint64_t count = 0;

		for (end = i; end < n; end++) {
			const ag_val *next = ag_val_getc(&list->u.items[end], "value");
			const ag_val masked = !next || l->show_values
			                              ? ag_val_null()
			                              : ag_mask_val(f->path, next, l->arena);

			if (end > i && (l->show_values || !ag_val_eq(&masked, &v)))
				break;
			count += ag_val_member_u64(&list->u.items[end], "count");
		}
		ag_buf_addf(out, "%s", shown++ ? ", " : title);
		ag_prompt_json(out, &v, SAMPLE_BYTES, l->arena);
		ag_buf_addf(out, " x%llu", (unsigned long long)count);
	}
	return shown;
}

/* Do all values differ? Then no value is frequent and no value is rare. */
static bool all_differ(const field *f)
{
	const ag_val *top = ag_val_getc(f->profile, "top_values");

	return top && top->type == AG_T_ARRAY && top->n &&
	       ag_val_member_u64(&top->u.items[0], "count") == 1;
}

/* | all: missing 1, null 2, distinct 3, min 0, max 9: "active" x40, "gone" x19; rare "actve" x1 */
static void add_profile(ag_buf *out, const lines *l, const field *f, unsigned nsample)
{
	static const char *const counts[] = { "missing", "null", "distinct" };
	static const char *const members[] = { "missing_count", "null_count", "distinct" };
	static const char *const ends[] = { "min", "max", "earliest", "latest" };
	const char *before = " | all: ";

	for (size_t i = 0; i < AG_NELEM(counts); i++) {
		const uint64_t n = ag_val_member_u64(f->profile, members[i]);

		if (n)
			ag_buf_addf(out, "%s%s %llu", before, counts[i], (unsigned long long)n);
		before = n ? ", " : before;
	}
	for (size_t i = 0; i < AG_NELEM(ends); i++) {
		const ag_val *raw = ag_val_getc(f->profile, ends[i]);
		ag_val v;

		if (!raw)
			continue;
		v = l->show_values ? *raw : ag_mask_val(f->path, raw, l->arena);
		ag_buf_addf(out, "%s%s ", before, ends[i]);
		ag_prompt_json(out, &v, SAMPLE_BYTES, l->arena);
		before = ", ";
	}
	if (all_differ(f))
		add_samples(out, l, f, nsample < 3 ? nsample : 3);
	else if (add_counted(out, l, f, "top_values", ": ", nsample >= 5 ? 10 : 2 * nsample))
		add_counted(out, l, f, "rare_values", "; rare ", nsample);
}

static const char *more(const ag_val *v)
{
	const ag_val *capped = ag_val_getc(v, "cardinality_capped");

	return capped && ag_val_truthy(capped) ? "+" : "";
}

/* price | float 194, str 6 | present 199, missing 1, rate 0.005 | distinct 100+ | 12.5, "n/a" */
static void add_line(ag_buf *out, const lines *l, const field *f, unsigned nsample)
{
	const ag_val *container = ag_val_getc(f->v, "container");
	const uint64_t missing = ag_val_member_u64(f->v, "missing_count");
	const uint64_t null = ag_val_member_u64(f->v, "null_count");

	ag_prompt_data(out, f->path, PATH_BYTES);
	ag_buf_adds(out, " | ");
	ag_prompt_types(out, ag_val_getc(f->v, "types"), l->arena);
	ag_buf_addf(out, " | present %llu",
	            (unsigned long long)ag_val_member_u64(f->v, "present_count"));
	if (missing)
		ag_buf_addf(out, ", missing %llu", (unsigned long long)missing);
	if (null)
		ag_buf_addf(out, ", null %llu", (unsigned long long)null);
	if (missing || null)
		ag_buf_addf(out, ", rate %.3f", ag_val_member_num(f->v, "null_rate"));
	if (!container || !ag_val_truthy(container))
		ag_buf_addf(out, " | distinct %llu%s",
		            (unsigned long long)ag_val_member_u64(f->v, "cardinality"), more(f->v));
	if (f->profile)
		add_profile(out, l, f, nsample);
	else
		add_samples(out, l, f, nsample);
	ag_buf_addc(out, '\n');
}

/* "sku str 100+" in the paragraph of plain fields. */
static void add_brief(ag_buf *out, const lines *l, const field *f, bool is_first)
{
	const ag_val *types = ag_val_getc(f->v, "types");

	ag_buf_adds(out, is_first ? "plain fields (path, its one type, distinct values): " : "; ");
	ag_prompt_data(out, f->path, PATH_BYTES);
	if (types && types->type == AG_T_OBJECT && types->n) {
		ag_buf_addc(out, ' ');
		add_type_name(out, types->u.members[0].key, l->arena);
	}
	ag_buf_addf(out, " %llu%s", (unsigned long long)ag_val_member_u64(f->v, "cardinality"),
	            more(f->v));
}

static void add_all(ag_buf *out, const lines *l, const level *detail)
{
	bool first = true;

	for (size_t i = 0; i < l->n && !out->failed; i++) {
		const field *f = &l->items[i];

		if (f->shown && (f->oddity || !detail->plain_brief))
			add_line(out, l, f,
			         f->oddity ? detail->odd_samples : detail->plain_samples);
	}
	for (size_t i = 0; i < l->n && detail->plain_brief && !out->failed; i++) {
		if (!l->items[i].shown || l->items[i].oddity)
			continue;
		add_brief(out, l, &l->items[i], first);
		first = false;
	}
	if (!first)
		ag_buf_addc(out, '\n');
}

/* Show fields of one oddity, in order of path, until their lines have used up max bytes; returns what is left. */
static size_t choose(const lines *l, unsigned oddity, size_t max)
{
	ag_buf line = AG_BUF_INIT(4096);

	for (size_t i = 0; i < l->n; i++) {
		field *f = &l->items[i];

		if (f->oddity != oddity)
			continue;
		ag_buf_clear(&line);
		if (oddity)
			add_line(&line, l, f, 0);
		else
			add_brief(&line, l, f, false);
		if (line.len > max)
			break;
		max -= line.len;
		f->shown = true;
	}
	ag_buf_release(&line);
	return max;
}

static void add_what_fits(ag_buf *out, const lines *l, size_t max)
{
	const level *last = &levels[AG_NELEM(levels) - 1];
	const size_t for_odd = max - NOTE_BYTES, for_plain = for_odd / PLAIN_SHARE;
	size_t left_out = 0, left;

	for (size_t i = 0; i < l->n; i++)
		l->items[i].shown = false;
	left = choose(l, 3, for_odd - for_plain);
	left = choose(l, 2, left);
	left = choose(l, 1, left);
	choose(l, 0, left + for_plain);
	for (size_t i = 0; i < l->n; i++)
		left_out += !l->items[i].shown;
	add_all(out, l, last);
	ag_buf_addf(out,
	            "… %zu more fields are not shown: \"not looked at\" below names some; "
	            "profile_fields shows them\n",
	            left_out);
}

static void add_truncated(ag_buf *out, const ag_val *sample)
{
	const ag_val *paths = ag_val_getc(sample, "truncated_paths");
	const uint32_t n = paths && paths->type == AG_T_ARRAY ? paths->n : 0;
	const uint64_t left_out = ag_val_member_u64(sample, "paths_left_out");

	if (n) {
		const size_t start = out->len;
		uint32_t i = 0;

		ag_buf_adds(out, "deeper than the sample looks: ");
		for (; i < n && out->len - start < 400; i++) {
			ag_buf_adds(out, i ? ", " : "");
			if (paths->u.items[i].type == AG_T_STRING)
				ag_prompt_data(out, ag_val_text(&paths->u.items[i]), PATH_BYTES);
		}
		if (i < n)
			ag_buf_addf(out, ", +%u", n - i);
		ag_buf_addc(out, '\n');
	}
	if (left_out)
		ag_buf_addf(out, "%llu further paths were not kept by the sample\n",
		            (unsigned long long)left_out);
}

void ag_prompt_schema(ag_buf *out, const ag_val *sample, const ag_audit_state *s, bool show_values,
                      size_t max, ag_arena *arena)
{
	const ag_val *fields = ag_val_getc(sample, "fields");
	const uint32_t n = fields && fields->type == AG_T_ARRAY ? fields->n : 0;
	lines l = { ag_new_n(arena, field, n ? n : 1), n, show_values, arena };
	ag_buf tail = AG_BUF_INIT(4096), text;

	add_truncated(&tail, sample);
	max -= tail.len;
	for (uint32_t i = 0; i < n; i++) {
		const ag_val *v = &fields->u.items[i];
		const ag_str path = ag_val_member_str(v, "path");
		const ag_val *profile = profile_of(s, path);
		const unsigned oddity = oddity_of(v);

		l.items[i] = (field){ .v = v,
			              .profile = profile,
			              .path = path,
			              .oddity = profile && !oddity ? 1 : oddity,
			              .shown = true };
	}
	ag_buf_init(&text, max);
	for (size_t k = 0; k < AG_NELEM(levels); k++) {
		ag_buf_clear(&text);
		add_all(&text, &l, &levels[k]);
		if (!text.failed)
			break;
	}
	if (text.failed) {
		ag_buf_clear(&text);
		add_what_fits(&text, &l, max);
	}
	ag_buf_add(out, ag_buf_view(&text));
	ag_buf_add(out, ag_buf_view(&tail));
	ag_buf_release(&text);
	ag_buf_release(&tail);
}
