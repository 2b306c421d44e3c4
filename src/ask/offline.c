/* An answer without a model: refresh the index, rank, read the best sections again, tell what they say.
 *
 * Nothing is told from the index: a hit says only where to look. The file is read now, its outline is made now, and the
 * anchor must be in it; what fails that is no answer, and the next hit takes its place. So a citation is true even if the
 * file changed a moment ago. */
#include "ask/offline.h"

#include "ask/index_cut.h"
#include "ask/manifest.h"
#include "ask/offline_judge.h"
#include "ask/offline_passage.h"
#include "ask/outline.h"
#include "base/log.h"
#include "base/sha256.h"

#define ORIGIN      "ask.offline"
#define NHIT        24u
#define MAX_FURTHER 4u
#define NEAR        0.8 /* of the best score: worth to be named beside it */
#define NAMED       0.6 /* of the best score: as good, when the question has all of it and of its title */
#define SURE        0.95 /* of the best score: as good, when it has all of the question */
#define PROVED      0.4  /* of the best score: as good, when one of its statements says it */
#define MIN_COVER   0.25 /* of the question's weight: less is an accident */

typedef struct answering {
	ag_root *root;
	const ag_ctx *ctx;
	ag_arena *arena;
	ag_question question;
	ag_judge judge;
} answering;

/* A hit as the file has it now. */
typedef struct found_text {
	ag_str text;  /* of the section without its heading, or the lines */
	ag_str whole; /* of which the quote is taken: heading included */
	ag_str file;
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
	ret->file = file.text;
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

static ag_str heads_of(const answering *a, const ag_index_hit *h)
{
	return ag_str_printf(a->arena, "%.*s\n%.*s", AG_FMT(h->doc.trail), AG_FMT(h->doc.title));
}

/* A hit that was read again and judged. */
typedef struct candidate {
	found_text t;
	ag_judged judged;
	double score;
} candidate;

static bool is_below(ag_str path, const char *const *folders, size_t n)
{
	while (ag_str_contains(path, AG_S("/"))) {
		const ag_str folder = ag_str_split(&path, '/');

		for (size_t i = 0; i < n; i++) {
			if (ag_str_ieq(folder, ag_str_c(folders[i])))
				return true;
		}
	}
	return false;
}

/* Test data is invented, and prompts address a model: neither describes the project, unless the question is about them. Code of
 * tests may answer where something is done; its data never does. */
static bool is_test_material(const answering *a, ag_str path)
{
	static const char *const folders[] = { "test",    "tests",     "testdata",
		                               "spec",    "specs",     "fixtures",
		                               "fixture", "__tests__", "prompts" };
	static const char *const words[] = { "test", "fixture", "spec",  "mock",
		                             "fuzz", "bench",   "prompt" };

	if (!is_below(path, folders, AG_NELEM(folders)))
		return false;
	for (size_t i = 0; i < AG_NELEM(words); i++) {
		if (ag_judge_asks_for(&a->judge, ag_str_c(words[i])))
			return false;
	}
	return !a->judge.wants_code || ag_index_is_prose(path) ||
	       ag_str_ends(path, AG_S(".cases")) || ag_str_ends(path, AG_S(".json"));
}

/* An example is a project of its own: what holds there need not hold here. */
static void judge_example(const answering *a, ag_str path, ag_judged *judged)
{
	static const char *const folders[] = { "example", "examples", "sample",
		                               "samples", "demo",     "demos" };

	if (judged->fit != AG_FIT_WHOLE || !is_below(path, folders, AG_NELEM(folders)) ||
	    ag_judge_asks_for(&a->judge, AG_S("example")) ||
	    ag_judge_asks_for(&a->judge, AG_S("sample")) ||
	    ag_judge_asks_for(&a->judge, AG_S("demo")))
		return;
	judged->fit = AG_FIT_PARTLY;
	judged->is_named = judged->is_titled = judged->is_proved = false;
	judged->why = AG_S("this is of an example in the project");
}

static ag_status judge_hits(answering *a, const ag_index_hit *hits, size_t n, candidate *ret,
                            size_t *nret, ag_err *err)
{
	*nret = 0;
	for (size_t i = 0; i < n; i++) {
		candidate *c = &ret[*nret];
		bool is_there;
		ag_status st;

		if (ag_index_cover(&a->question, &hits[i]) < MIN_COVER ||
		    is_test_material(a, hits[i].path))
			continue;
		st = find_text(a, &hits[i], &c->t, &is_there, err);
		if (st)
			return st;
		if (!is_there)
			continue;
		c->judged = ag_judge_text(&a->judge,
		                          &(ag_judged_text){
						  .title = hits[i].doc.title,
						  .heads = heads_of(a, &hits[i]),
						  .path = hits[i].path,
						  .text = c->t.whole,
						  .document = c->t.file,
						  .is_prose = ag_index_is_prose(hits[i].path) },
		                          a->arena);
		judge_example(a, hits[i].path, &c->judged);
		c->score = hits[i].score;
		(*nret)++;
	}
	return AG_OK;
}

/* The best that may be shown. One that has all of the question is better than one a little above it that has not; and where
 * another section of its page may be shown, the best of the page is. n: none. */
static size_t choose(const candidate *list, size_t n)
{
	size_t first = 0;

	while (first < n && list[first].judged.fit == AG_FIT_NONE)
		first++;
	if (first == n)
		return first;
	for (size_t i = first; i < n && list[i].score >= NAMED * list[first].score; i++) {
		if (list[i].judged.fit == AG_FIT_WHOLE && list[i].judged.is_titled)
			return i;
	}
	/* The section of a name is better than a statement that has the name. */
	for (size_t i = first;
	     i < n && !list[first].judged.is_entry && list[i].score >= NAMED * list[first].score;
	     i++) {
		if (list[i].judged.fit != AG_FIT_NONE && list[i].judged.is_entry &&
		    list[i].judged.share > 0.999)
			return i;
	}
	if (list[first].judged.fit == AG_FIT_WHOLE)
		return first;
	for (size_t i = 0; i < n && !list[first].judged.is_entry; i++) {
		if (list[i].judged.is_proved && list[i].score >= PROVED * list[first].score)
			return i;
	}
	if (list[first].judged.share > 0.999)
		return first;
	for (size_t i = first + 1; i < n && list[i].score >= SURE * list[first].score; i++) {
		if (list[i].judged.fit == AG_FIT_WHOLE)
			return i;
	}
	for (size_t i = first + 1; i < n && list[i].score >= NAMED * list[first].score; i++) {
		if (list[i].judged.is_named)
			return i;
	}
	for (size_t i = 0; i < first; i++) {
		if (ag_str_eq(list[i].t.citation.path, list[first].t.citation.path) &&
		    list[i].judged.share > 0)
			return i;
	}
	return first;
}

static void cite(answering *a, candidate *c, ag_citation *list, ag_answer *ret)
{
	if (is_cited(ret, &c->t.citation))
		return;
	c->t.citation.quote = quote_of(a, &c->t);
	list[ret->ncitation++] = c->t.citation;
}

static ag_status answer_from(answering *a, const ag_index_hit *hits, size_t n, ag_answer *ret,
                             ag_err *err)
{
	ag_citation *list = ag_new_n(a->arena, ag_citation, MAX_FURTHER + 1);
	candidate *all = ag_new_n(a->arena, candidate, n + 1);
	size_t nall = 0, main;
	ag_status st = judge_hits(a, hits, n, all, &nall, err);

	if (st)
		return st;
	ret->citations = list;
	main = choose(all, nall);
	if (main == nall)
		return AG_OK;
	ret->answer = answer_of(a, &all[main].t);
	ret->source = source_of(&all[main].t.citation, a->arena);
	if (all[main].judged.fit != AG_FIT_WHOLE) {
		ret->status = AG_S("partial");
		ret->why = all[main].judged.why;
	}
	cite(a, &all[main], list, ret);
	for (size_t i = 0; i < nall && ret->ncitation <= MAX_FURTHER; i++) {
		if (i != main && all[i].judged.fit != AG_FIT_NONE &&
		    all[i].score >= NEAR * all[main].score)
			cite(a, &all[i], list, ret);
	}
	return AG_OK;
}

/* --- from manifests --- */

/* What a manifest says is shown as it is: the line, and that of each other file that says something of it. */
static bool answer_from_manifests(const answering *a, const ag_manifest_answer *m, ag_answer *ret)
{
	ag_citation *list = ag_new_n(a->arena, ag_citation, AG_MANIFEST_MAX_FACTS);
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(16u << 10);
	AG_AUTO(ag_buf_release) ag_buf clean = AG_BUF_INIT(32u << 10);
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		const ag_manifest_fact *f = &m->facts[i];
		const ag_sha256_hex hash = ag_sha256(f->file_text);
		ag_str text = ag_str_trim(f->text);
		ag_str quote = text;

		/* The last of its lines has the version. */
		for (ag_str rest = text; rest.ptr;)
			quote = ag_str_trim(ag_str_split(&rest, '\n'));
		if (!quote.len || quote.len > AG_QUOTE_MAX_BYTES)
			continue;
		if (out.len)
			ag_buf_adds(&out, "\n\n");
		ag_buf_addf(&out, "`%.*s`, line %u:\n\n```%s\n%.*s\n```", AG_FMT(f->path),
		            f->last_line, f->language, AG_FMT(text));
		list[n++] = (ag_citation){ .path = ag_str_dup(a->arena, f->path),
			                   .line = f->line,
			                   .last_line = f->last_line,
			                   .quote = ag_str_dup(a->arena, quote),
			                   .sha256 = ag_str_dup(a->arena, ag_str_c(hash.text)) };
	}
	/* A known secret in it: the sections answer. */
	if (!n || !ag_log_clean(ag_buf_view(&out), &clean) ||
	    !ag_str_eq(ag_buf_view(&clean), ag_buf_view(&out)))
		return false;
	ret->answer = ag_buf_dup(a->arena, &out);
	ret->citations = list;
	ret->ncitation = n;
	ret->source = list[0].path;
	if (m->beyond.len) {
		ret->status = AG_S("partial");
		ret->why = ag_str_printf(a->arena, "the file does not say \"%.*s\"",
		                         AG_FMT(m->beyond));
	}
	if (m->is_cut) {
		ret->status = AG_S("partial");
		ret->why = AG_S("the project has more manifests than are read");
	}
	return true;
}

static void say_nothing_found(const answering *a, ag_answer *ret)
{
	const ag_str absent = ag_judge_absent(&a->judge, a->arena);

	ret->status = AG_S("partial");
	ret->answer = AG_S("Nothing in the files of this project fits the question.");
	ret->why = absent.len ? absent
	                      : AG_S("no section has enough of the question's words; a model may "
	                             "find more");
	if (absent.len)
		ret->answer = ag_str_printf(a->arena, "%.*s In particular, %.*s.",
		                            AG_FMT(ret->answer), AG_FMT(absent));
}

/* The cap is named, and what may be done about it. */
static void say_cut(const answering *a, const ag_index_stats *stats, ag_answer *ret)
{
	const ag_str cap = ag_str_printf(a->arena,
	                                 "%s was reached, so not all files are in the index%s",
	                                 stats->cut_by,
	                                 stats->is_more_next_time ? " yet: ask once more" : "");

	ret->status = AG_S("partial");
	ret->why = ret->why.len
	                   ? ag_str_printf(a->arena, "%.*s; %.*s", AG_FMT(ret->why), AG_FMT(cap))
	                   : cap;
}

/* What the project is called: the first heading of its README, when that is a name of few words. */
static ag_str subject_of(const answering *a)
{
	ag_root_text file;
	ag_err err;

	if (ag_root_read(a->root, a->ctx, AG_S("README.md"), AG_ROOT_MAX_FILE, a->arena, &file,
	                 &err))
		return AG_S("");
	for (ag_str rest = file.text; rest.ptr;) {
		const ag_str line = ag_str_trim(ag_str_split(&rest, '\n'));
		ag_str word;
		size_t n = 0;

		if (!ag_str_starts(line, AG_S("# ")))
			continue;
		for (size_t pos = 0; ag_word_next(line, &pos, &word);)
			n++;
		return n <= 2 ? line : AG_S("");
	}
	return AG_S("");
}

static ag_status refresh(const ag_ctx *ctx, const ag_offline_opts *o, ag_arena *arena,
                         ag_index_stats *ret, ag_err *err)
{
	ag_status st = ag_index_gate_enter(o->gate, ctx, err);

	if (st)
		return st;
	st = ag_index_refresh(o->root, o->store, ctx, arena, ret, err);
	ag_index_gate_leave(o->gate);
	return st;
}

ag_status ag_offline_answer(const ag_ctx *ctx, const ag_offline_opts *o, ag_arena *arena,
                            ag_answer *ret, ag_err *err)
{
	ag_root *r = o->root;
	ag_store *s = o->store;
	const ag_str question = o->question;
	const ag_index_query query = { r, s, question, NHIT };
	answering a = { .root = r, .ctx = ctx, .arena = arena };
	ag_index_stats stats = { 0 };
	ag_manifest_answer manifests = { 0 };
	ag_index_hit *hits = NULL;
	size_t n = 0;
	ag_answer answer = { .status = AG_S("ok"),
		             .mode = AG_S("offline"),
		             .question = ag_str_dup(arena, question),
		             .root = ag_root_path(r) };
	ag_status st = AG_CONFLICT;

	/* Once more when the store found its index damaged, and emptied it. */
	for (int i = 0; i < 2 && st == AG_CONFLICT; i++) {
		st = refresh(ctx, o, arena, &stats, err);
		if (!st)
			st = ag_index_ask_read(ctx, &query, arena, &a.question, &hits, &n, err);
	}
	if (!st)
		st = ag_judge_read(s, ag_root_path(r), &a.question, subject_of(&a), arena, &a.judge,
		                   err);
	if (!st)
		st = ag_manifest_ask(r, ctx, question, arena, &manifests, err);
	if (!st && !answer_from_manifests(&a, &manifests, &answer))
		st = answer_from(&a, hits, n, &answer, err);
	if (st)
		return st;
	if (!answer.ncitation)
		say_nothing_found(&a, &answer);
	if (stats.is_cut)
		say_cut(&a, &stats, &answer);
	*ret = answer;
	return AG_OK;
}
