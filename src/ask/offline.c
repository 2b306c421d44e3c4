/* An answer without a model: refresh the index, rank, read the best sections again, tell what they say.
 *
 * Nothing is told from the index: a hit says only where to look. The file is read now, its outline is made now, and the
 * anchor must be in it; what fails that is no answer, and the next hit takes its place. So a citation is true even if the
 * file changed a moment ago. */
#include "ask/offline.h"

#include "ask/index_cut.h"
#include "ask/offline_passage.h"
#include "ask/outline.h"
#include "base/log.h"
#include "base/sha256.h"

#define ORIGIN      "ask.offline"
#define NHIT        12u
#define MAX_FURTHER 4u
#define NEAR        0.8  /* of the best score: worth to be named beside it */
#define MIN_COVER   0.25 /* of the question's weight: less is an accident */
#define SURE_COVER  0.5  /* less may be one */

typedef struct answering {
	ag_root *root;
	const ag_ctx *ctx;
	ag_arena *arena;
	ag_question question;
} answering;

/* A hit as the file has it now. */
typedef struct found_text {
	ag_str text;  /* of the section without its heading, or the lines */
	ag_str whole; /* of which the quote is taken: heading included */
	const char *language;
	bool is_section, is_definition;
	ag_citation citation; /* without quote */
} found_text;

/* The text of whole lines, from 1. */
static ag_str lines_of(ag_str text, unsigned first, unsigned last)
{
	size_t begin = 0, end;
	unsigned line = 1;

	for (; line < first; line++) {
		const char *nl = memchr(text.ptr + begin, '\n', text.len - begin);

		if (!nl)
			return AG_S("");
		begin = (size_t)(nl - text.ptr) + 1;
	}
	for (end = begin; end < text.len; end++) {
		if (text.ptr[end] == '\n' && line++ >= last)
			break;
	}
	return ag_str_make(text.ptr + begin, end - begin);
}

static ag_str without_heading(ag_str own)
{
	ag_str rest = own;
	ag_str first = ag_str_split(&rest, '\n');
	ag_str second;

	if (!rest.ptr)
		return AG_S("");
	if (ag_str_starts(ag_str_trim(first), AG_S("#")) || ag_str_starts(first, AG_S("<")))
		return rest;
	second = ag_str_trim(rest); /* a title that is underlined */
	if (second.len >= 2 && (second.ptr[0] == '=' || second.ptr[0] == '-') &&
	    second.ptr[1] == second.ptr[0]) {
		ag_str_split(&rest, '\n');
		return rest.ptr ? rest : AG_S("");
	}
	return rest;
}

static bool find_section(const ag_index_hit *h, const ag_outline *o, ag_str text, found_text *ret)
{
	const ag_outline_item *it = ag_outline_find(o, h->doc.anchor);

	if (!it)
		return false;
	ret->whole = ag_str_make(text.ptr + it->begin, it->end - it->begin);
	ret->text = without_heading(ret->whole);
	/* A title over further titles: what is below them is its text. */
	if (!ag_str_trim(ret->text).len && it->section_last_line > it->last_line) {
		ret->whole = lines_of(text, it->line, it->section_last_line);
		ret->text = without_heading(ret->whole);
	}
	ret->is_section = true;
	ret->citation.anchor = it->anchor;
	ret->citation.title = it->title;
	ret->citation.line = it->line;
	ret->citation.last_line = it->last_line;
	return true;
}

static bool find_lines(const ag_index_hit *h, const ag_outline *o, ag_str text, found_text *ret)
{
	ret->whole = lines_of(text, h->doc.line, h->doc.last_line);
	ret->text = ret->whole;
	ret->is_definition = ag_str_eqc(h->doc.kind, "definition");
	ret->is_section = o->is_markdown || ag_index_is_prose(h->path);
	ret->citation.title = ret->is_definition ? h->doc.title : AG_S("");
	ret->citation.line = h->doc.line;
	ret->citation.last_line = h->doc.last_line;
	return ag_str_trim(ret->whole).len > 0;
}

/* *ret_ok false: the hit is not there any more. */
static ag_status find_text(const answering *a, const ag_index_hit *h, found_text *ret, bool *ret_ok,
                           ag_err *err)
{
	ag_outline o = { 0 };
	ag_root_text file;
	ag_sha256_hex hash;
	ag_status st;

	*ret_ok = false;
	memset(ret, 0, sizeof(*ret));
	st = ag_root_read(a->root, a->ctx, h->path, AG_ROOT_MAX_FILE, a->arena, &file, err);
	if (st == AG_CANCELLED || st == AG_TIMEOUT)
		return st;
	if (st || file.is_binary || file.is_cut)
		return AG_OK;
	ag_outline_of(h->path, file.text, a->arena, &o);
	hash = ag_sha256(file.text);
	ret->language = o.language ? o.language : "";
	*ret_ok = h->doc.anchor.len ? find_section(h, &o, file.text, ret)
	                            : find_lines(h, &o, file.text, ret);
	ret->citation.path = ag_str_dup(a->arena, h->path);
	ret->citation.sha256 = ag_str_dup(a->arena, ag_str_c(hash.text));
	return AG_OK;
}

/* A quote must be exact, so one with a known secret in it is none. */
static ag_str quote_of(const answering *a, const found_text *t)
{
	const ag_str body = ag_str_trim(t->text).len ? t->text : t->whole;
	const ag_str quote = ag_passage_quote(&a->question, body);
	AG_AUTO(ag_buf_release) ag_buf clean = AG_BUF_INIT(4096);

	if (!ag_log_clean(quote, &clean) || !ag_str_eq(ag_buf_view(&clean), quote))
		return AG_S("");
	return quote;
}

static ag_str answer_of(const answering *a, found_text *t)
{
	AG_AUTO(ag_buf_release) ag_buf clean = AG_BUF_INIT(16u << 10);
	unsigned first, last;
	ag_str text;

	if (t->is_section) {
		text = ag_passage_of_section(&a->question, t->text, a->arena);
		if (!ag_str_trim(text).len)
			text = ag_str_trim(t->whole);
	} else {
		const ag_citation *c = &t->citation;

		text = ag_passage_of_code(&a->question, t->text, t->language, t->is_definition,
		                          a->arena, &first, &last);
		text = ag_str_printf(a->arena, "`%.*s`, lines %u-%u:\n\n%.*s", AG_FMT(c->path),
		                     c->line + first, c->line + last, AG_FMT(text));
	}
	if (!ag_log_clean(text, &clean))
		return AG_S("");
	return ag_str_trim(ag_buf_dup(a->arena, &clean));
}

static ag_str source_of(const ag_citation *c, ag_arena *arena)
{
	return c->anchor.len ? ag_str_printf(arena, "%.*s#%.*s", AG_FMT(c->path), AG_FMT(c->anchor))
	                     : c->path;
}

static bool is_cited(const ag_answer *ret, const ag_citation *c)
{
	for (size_t i = 0; i < ret->ncitation; i++) {
		if (ag_str_eq(ret->citations[i].path, c->path) &&
		    ag_str_eq(ret->citations[i].anchor, c->anchor))
			return true;
	}
	return false;
}

static ag_status answer_from(answering *a, const ag_index_hit *hits, size_t n, ag_answer *ret,
                             ag_err *err)
{
	ag_citation *list = ag_new_n(a->arena, ag_citation, MAX_FURTHER + 1);
	double best = 0;

	ret->citations = list;
	for (size_t i = 0; i < n && ret->ncitation <= MAX_FURTHER; i++) {
		found_text t;
		bool is_there;
		double cover;
		ag_status st;

		if (ret->ncitation && hits[i].score < NEAR * best)
			break;
		cover = ag_index_cover(&a->question, &hits[i]);
		if (cover < MIN_COVER)
			continue;
		st = find_text(a, &hits[i], &t, &is_there, err);
		if (st)
			return st;
		if (!is_there || is_cited(ret, &t.citation))
			continue;
		if (!ret->ncitation) {
			best = hits[i].score;
			ret->answer = answer_of(a, &t);
			ret->source = source_of(&t.citation, a->arena);
			if (cover < SURE_COVER) {
				ret->status = AG_S("partial");
				ret->why = AG_S("the section has few of the question's words");
			}
		}
		t.citation.quote = quote_of(a, &t);
		list[ret->ncitation++] = t.citation;
	}
	return AG_OK;
}

static void say_nothing_found(ag_answer *ret)
{
	ret->status = AG_S("partial");
	ret->answer = AG_S("Nothing in the files of this project fits the question.");
	ret->why = AG_S("no section has enough of the question's words; a model may find more");
}

ag_status ag_offline_answer(ag_root *r, ag_store *s, const ag_ctx *ctx, ag_str question,
                            ag_arena *arena, ag_answer *ret, ag_err *err)
{
	answering a = { .root = r, .ctx = ctx, .arena = arena };
	ag_index_stats stats = { 0 };
	ag_index_hit *hits = NULL;
	size_t n = 0;
	ag_answer answer = { .status = AG_S("ok"),
		             .mode = AG_S("offline"),
		             .question = ag_str_dup(arena, question),
		             .root = ag_root_path(r) };
	ag_status st = AG_CONFLICT;

	/* Once more when the store found its index damaged, and emptied it. */
	for (int i = 0; i < 2 && st == AG_CONFLICT; i++) {
		st = ag_index_refresh(r, s, ctx, arena, &stats, err);
		if (!st)
			st = ag_index_ask_read(r, s, ctx, question, NHIT, arena, &a.question, &hits,
			                       &n, err);
	}
	if (!st)
		st = answer_from(&a, hits, n, &answer, err);
	if (st)
		return st;
	if (!answer.ncitation)
		say_nothing_found(&answer);
	if (stats.is_cut) {
		answer.status = AG_S("partial");
		answer.why = AG_S(
			"not all files of the project are in the index yet: ask once more");
	}
	*ret = answer;
	return AG_OK;
}
