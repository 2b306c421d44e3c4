/* Looking at candidates: see index_traits.h for what is looked for.
 *
 * Order of reading: ag_traits_of(), then own(), by_file(), by_link(). */
#include "ask/index_traits.h"

#include "ask/index_cut.h"
#include "ask/search_parts.h"

#define LEAD_BYTES    300u
#define MAX_LINKS     32u /* of a line */
#define MAX_LINK_TEXT 200u
#define AROUND_BYTES  60u /* of a link: what is said of it */

/* --- what kind of text --- */

static bool ends_with(ag_str path, const char *const *ends, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_ends(path, ag_str_c(ends[i])))
			return true;
	}
	return false;
}

static bool is_settings(ag_str path)
{
	static const char *const ends[] = {
		".toml",       ".yml",           ".yaml",        ".ini",
		".cfg",        ".conf",          "Dockerfile",   "Makefile",
		"Caddyfile",   ".example",       ".gradle",      "Gemfile",
		"go.mod",      "pom.xml",        "package.json", "requirements.txt",
		"meson.build", "CMakeLists.txt",
	};

	return ends_with(path, ends, AG_NELEM(ends));
}

/* Does its kind fit the question's? */
static double kind_of(const ag_question *q, const ag_index_hit *h)
{
	const bool is_prose = ag_index_is_prose(h->path);
	const bool is_def = ag_str_eqc(h->doc.kind, "definition");

	switch (q->asks) {
	case AG_ASKS_HOW:
	case AG_ASKS_WHAT: return is_prose ? 0.7 : is_settings(h->path) ? -0.4 : -1;
	case AG_ASKS_ANY: return is_prose ? 0.6 : is_settings(h->path) ? -0.3 : -0.8;
	case AG_ASKS_WHERE: return is_prose ? -0.6 : is_def ? 0.6 : 0.5;
	case AG_ASKS_FACT: return is_settings(h->path) ? 0.7 : is_prose ? 0 : 0.2;
	}
	return 0;
}

static ag_str base_of(ag_str path)
{
	for (size_t i = path.len; i > 0; i--) {
		if (path.ptr[i - 1] == '/')
			return ag_str_make(path.ptr + i, path.len - i);
	}
	return path;
}

static bool asks_of_change(ag_str question)
{
	static const char *const begins[] = { "when did", "when was", "when were", "why was",
		                              "why were", "why did",  "since when" };

	for (size_t i = 0; i < AG_NELEM(begins); i++) {
		const ag_str begin = ag_str_c(begins[i]);

		if (question.len > begin.len &&
		    ag_str_ieq(ag_str_make(question.ptr, begin.len), begin))
			return true;
	}
	return false;
}

static double aside_of(const ag_question *q, ag_str path)
{
	static const char *const asides[] = {
		"test",        "example", "fixture", "mock", "vendor",
		"third_party", "legacy",  "archive", "old/", "bench"
	};
	static const char *const logs[] = { "CHANGELOG", "CHANGES", "LICENSE", "HISTORY", "NEWS" };
	static const char *const rows[] = { ".json", ".cases", ".csv", ".xml" };
	const ag_str base = base_of(path);
	double worst = ag_str_ieq(base, AG_S("README.md")) || ag_str_ieq(base, AG_S("index.md"))
	                       ? 0.1 /* says in short what stands elsewhere in full */
	                       : 0;

	if (ends_with(path, rows, AG_NELEM(rows)) && !is_settings(path))
		worst = 0.6;
	for (size_t i = 0; i < AG_NELEM(asides); i++) {
		if (ag_str_contains(path, ag_str_c(asides[i])) &&
		    !ag_question_match(q, ag_str_c(asides[i])))
			worst = 0.6;
	}
	for (size_t i = 0; i < AG_NELEM(logs); i++) {
		/* When and why something changed is in the change log. */
		if (ag_str_starts(base, ag_str_c(logs[i])))
			worst = asks_of_change(q->text) ? 0 : 1;
	}
	return worst;
}

/* --- its text --- */

static bool is_link_item(ag_str line)
{
	while (line.len && strchr("-*+0123456789. ", line.ptr[0]))
		line = ag_str_make(line.ptr + 1, line.len - 1);
	return ag_str_starts(line, AG_S("[")) && ag_str_ends(line, AG_S(")")) &&
	       ag_str_contains(line, AG_S("]("));
}

static double links_of(const ag_index_hit *h)
{
	size_t nline = 0, nlink = 0;

	for (ag_str rest = h->doc.body; rest.ptr;) {
		const ag_str line = ag_str_trim(ag_str_split(&rest, '\n'));

		if (!line.len || (h->doc.anchor.len && line.ptr[0] == '#'))
			continue;
		nline++;
		nlink += is_link_item(line);
	}
	return nline ? (double)nlink / (double)nline : 0;
}

static double phrases_of(const ag_question *q, const ag_index_hit *h)
{
	size_t n = 0;

	for (size_t i = 0; i < q->nphrase; i++)
		n += ag_str_contains(h->doc.body, q->phrases[i]) ||
		     ag_str_contains(h->doc.title, q->phrases[i]);
	return q->nphrase ? (double)n / (double)q->nphrase : 0;
}

static bool is_repeating(const ag_question *q, const ag_index_hit *h)
{
	const ag_str question = ag_str_trim(q->text);

	return q->nown >= 4 && ag_str_contains(h->doc.body, question) &&
	       !ag_str_contains(h->doc.title, question);
}

static bool is_named(const ag_question *q, ag_str path)
{
	const ag_str base = base_of(path);

	return base.len >= 6 && ag_str_contains(q->text, base);
}

/* The name of a file without its ending is a title, too: "retry_after.c". */
static ag_str title_of(const ag_index_hit *h)
{
	const ag_str t = h->doc.title;

	if (h->doc.anchor.len || !ag_str_eqc(h->doc.kind, "text"))
		return t;
	for (size_t i = t.len; i > 1; i--) {
		if (t.ptr[i - 1] == '.')
			return ag_str_make(t.ptr, i - 1);
	}
	return t;
}

static ag_str lead_of(const ag_index_hit *h)
{
	return h->doc.body.len > LEAD_BYTES ? ag_str_make(h->doc.body.ptr, LEAD_BYTES)
	                                    : h->doc.body;
}

static bool has_digit(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] >= '0' && s.ptr[i] <= '9')
			return true;
	}
	return false;
}

/* Of the line with a number that has most of it. */
static double best_number(const ag_question *q, ag_str body)
{
	double best = 0;

	for (ag_str rest = body; rest.ptr;) {
		const ag_str line = ag_str_split(&rest, '\n');
		ag_found f = { 0 };
		double share;

		if (!has_digit(line))
			continue;
		ag_question_look(q, line, &f);
		share = ag_question_share(q, &f, false);
		best = share > best ? share : best;
	}
	return best;
}

static bool begins_as_explanation(ag_str title)
{
	static const char *const begins[] = { "what ",    "why ",   "about ",       "understand",
		                              "overview", "how it", "introduction", "concept" };
	char low[16];
	const ag_str head = ag_str_make(low, title.len < sizeof(low) ? title.len : sizeof(low));

	if (head.len)
		memcpy(low, title.ptr, head.len);
	ag_utf8_lower(low, head.len);
	for (size_t i = 0; i < AG_NELEM(begins); i++) {
		if (ag_str_starts(head, ag_str_c(begins[i])))
			return true;
	}
	return false;
}

/* The form that an answer of this kind has. */
static double shape_of(const ag_question *q, const ag_index_hit *h)
{
	const ag_str body = h->doc.body, title = h->doc.title;

	if (q->is_choice &&
	    (ag_str_contains(title, AG_S(" or ")) || ag_str_contains(title, AG_S(" vs"))))
		return 1;
	if (q->is_quantity)
		return best_number(q, body);
	if (q->asks == AG_ASKS_HOW)
		return ag_str_contains(body, AG_S("```")) || ag_str_contains(body, AG_S("\n1. ")) ||
		                       ag_str_contains(body, AG_S("\n- "))
		               ? 0.5
		               : 0;
	if (q->asks == AG_ASKS_WHAT)
		return begins_as_explanation(title);
	return 0;
}

static double precision(const ag_found *f)
{
	return f->nword ? (double)f->nknown / (double)f->nword : 0;
}

static void own(const ag_question *q, ag_candidate *c)
{
	const ag_index_hit *h = &c->hit;
	ag_found title = { 0 }, above = { 0 }, lead = { 0 }, heads, body;
	double *t = c->traits;
	double near;

	ag_question_look(q, title_of(h), &title);
	ag_question_look(q, lead_of(h), &lead);
	ag_question_look(q, h->doc.trail, &above);
	ag_question_look(q, h->path, &above);
	ag_question_look(q, h->doc.body, &c->found);
	near = (double)(title.npair ? title.npair + 1 : c->found.npair) /
	       (double)(q->nof + !q->nof);
	ag_found_unite(&lead, &title, 1);
	heads = title;
	ag_found_unite(&heads, &above, 1);
	body = c->found;
	ag_found_unite(&c->found, &title, 1);
	ag_found_unite(&c->found, &above, 0.8);
	t[AG_TRAIT_BM25] = h->score;
	t[AG_TRAIT_EXACT] = ag_question_share(q, &title, false) * precision(&title);
	t[AG_TRAIT_COVER] = ag_question_share(q, &c->found, false);
	t[AG_TRAIT_LEAD] = ag_question_share(q, &lead, false);
	t[AG_TRAIT_HEADS] = ag_question_share(q, &heads, false);
	t[AG_TRAIT_NOT] = q->is_negated && ag_text_is_negated(h->doc.title);
	t[AG_TRAIT_ABOVE] = ag_question_share(q, &above, false) * (0.5 + 0.5 * precision(&above));
	t[AG_TRAIT_NEAR] = near < 1 ? near : 1;
	t[AG_TRAIT_BODY] = ag_question_density(q, &body, 90);
	t[AG_TRAIT_SHAPE] = shape_of(q, h);
	t[AG_TRAIT_NAMED] = is_named(q, h->path);
	t[AG_TRAIT_PHRASE] = phrases_of(q, h);
	t[AG_TRAIT_KIND] = kind_of(q, h);
	t[AG_TRAIT_LINKS] = links_of(h);
	t[AG_TRAIT_ASIDE] = aside_of(q, h->path);
	t[AG_TRAIT_REPEATS] = is_repeating(q, h);
}

/* --- its page --- */

static double best_three(const ag_candidate *list, size_t n, const ag_candidate *c)
{
	double best[3] = { 0 };

	for (size_t k = 0; k < n; k++) {
		const double s = list[k].hit.score;

		if (&list[k] == c || !ag_str_eq(c->hit.path, list[k].hit.path))
			continue;
		if (s > best[0]) {
			best[2] = best[1];
			best[1] = best[0];
			best[0] = s;
		} else if (s > best[1]) {
			best[2] = best[1];
			best[1] = s;
		} else if (s > best[2]) {
			best[2] = s;
		}
	}
	return (best[0] + best[1] + best[2]) / 3;
}

/* A page whose sections have the question's words between them is about it. */
static void by_file(const ag_question *q, ag_candidate *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ag_found all = { 0 };

		for (size_t k = 0; k < n; k++) {
			if (ag_str_eq(list[i].hit.path, list[k].hit.path))
				ag_found_unite(&all, &list[k].found, 1);
		}
		list[i].traits[AG_TRAIT_FILE] = ag_question_share(q, &all, false);
		list[i].traits[AG_TRAIT_PAGE] = best_three(list, n, &list[i]);
	}
}

/* --- who points at it --- */

/* "../b.md" seen from "wiki/sub/a.md" is "wiki/b.md"; "" is the page itself. */
static ag_str resolve(ag_str from, ag_str target, ag_arena *arena)
{
	ag_str folder = ag_str_make(from.ptr, from.len - base_of(from).len);

	if (!target.len)
		return from;
	for (;;) {
		if (ag_str_starts(target, AG_S("./"))) {
			target = ag_str_make(target.ptr + 2, target.len - 2);
		} else if (ag_str_starts(target, AG_S("../")) && folder.len) {
			target = ag_str_make(target.ptr + 3, target.len - 3);
			folder.len--;
			folder.len -= base_of(folder).len;
		} else {
			break;
		}
	}
	return ag_str_printf(arena, "%.*s%.*s", AG_FMT(folder), AG_FMT(target));
}

typedef struct linker {
	const ag_question *q;
	ag_candidate *list;
	size_t n;
	ag_arena *arena;
} linker;

static void point_at(const linker *l, const ag_candidate *from, ag_str address, double share)
{
	const ptrdiff_t hash = ag_str_find(address, '#');
	ag_str path, anchor;

	if (hash < 0 || ag_str_contains(address, AG_S("://")))
		return;
	path = resolve(from->hit.path, ag_str_make(address.ptr, (size_t)hash), l->arena);
	anchor = ag_str_make(address.ptr + hash + 1, address.len - (size_t)hash - 1);
	for (size_t i = 0; i < l->n; i++) {
		ag_candidate *to = &l->list[i];

		if (to != from && to->traits[AG_TRAIT_LINKED] < share &&
		    ag_str_eq(to->hit.doc.anchor, anchor) && ag_str_eq(to->hit.path, path))
			to->traits[AG_TRAIT_LINKED] = share;
	}
}

static bool is_letter(unsigned char c)
{
	return (c | 32u) - 'a' < 26u || c >= 0x80;
}

/* What stands around a link, in whole words. */
static ag_str around(ag_str line, size_t begin, size_t end)
{
	size_t from = begin > AROUND_BYTES ? begin - AROUND_BYTES : 0;
	size_t to = end + AROUND_BYTES < line.len ? end + AROUND_BYTES : line.len;

	while (from && from < begin && is_letter((unsigned char)line.ptr[from - 1]))
		from++;
	while (to < line.len && to > end && is_letter((unsigned char)line.ptr[to]))
		to--;
	return ag_str_make(line.ptr + from, to - from);
}

/* The words around a link speak for what it leads to. */
static void read_links(const linker *l, const ag_candidate *from, ag_str line)
{
	size_t nlink = 0;

	for (size_t i = 0; i + 2 < line.len && nlink < MAX_LINKS; i++) {
		const char *end;
		ag_found f = { 0 };
		size_t begin = i;

		if (line.ptr[i] != ']' || line.ptr[i + 1] != '(')
			continue;
		end = memchr(line.ptr + i, ')', line.len - i);
		if (!end)
			return;
		nlink++;
		while (begin && i - begin < MAX_LINK_TEXT && line.ptr[begin] != '[')
			begin--;
		ag_question_look(l->q, around(line, begin, (size_t)(end - line.ptr)), &f);
		point_at(l, from, ag_str_make(line.ptr + i + 2, (size_t)(end - line.ptr) - i - 2),
		         ag_question_share(l->q, &f, false));
	}
}

void ag_traits_of(const ag_question *q, ag_candidate *list, size_t n, ag_arena *arena)
{
	const linker l = { .q = q, .list = list, .n = n, .arena = arena };

	for (size_t i = 0; i < n; i++)
		own(q, &list[i]);
	by_file(q, list, n);
	for (size_t i = 0; i < n; i++) {
		if (!ag_index_is_prose(list[i].hit.path))
			continue;
		for (ag_str rest = list[i].hit.doc.body; rest.ptr;)
			read_links(&l, &list[i], ag_str_split(&rest, '\n'));
	}
}

double ag_index_cover(const ag_question *q, const ag_index_hit *h)
{
	ag_found all = { 0 };

	ag_question_look(q, h->doc.title, &all);
	ag_question_look(q, h->doc.trail, &all);
	ag_question_look(q, h->path, &all);
	ag_question_look(q, h->doc.body, &all);
	return ag_question_share(q, &all, true);
}
