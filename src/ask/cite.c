/* cite -- from the model's last words to an answer whose sources are proven.
 *
 * Each file and API call that the words name is tried once: was it read in this run, is it what it was, does the anchor
 * exist, was that section shown. What passes is a citation; the first that fits the order of cite.h is the source. Whatever
 * was mended, cut or refused is told in a note. Then the answer's own text is gone through, so that no anchor stays in it that
 * does not exist (cite_rewrite.c).
 *
 * Invariant: `source` and `citations` hold nothing that the calls do not prove. Read: ag_cite(), try_mentions(), choose(). */
#include "ask/answer.h"
#include "ask/cite_parts.h"
#include "base/utf8.h"

#define MAX_CITATIONS 16
#define MAX_TRIED     128 /* names that are tried; others stay words */

/* What became of one name. */
typedef struct outcome {
	bool is_file, is_api, is_folder;
	ag_citation file;
	ag_str api;    /* "API endpoint GET /items/" */
	ag_str folder; /* "wiki" */
} outcome;

typedef struct citer {
	ag_cite_desk desk;
	ag_cite_files *files; /* of desk */
	ag_cite_notes notes;
	ag_arena *arena;
	outcome tried[2 * MAX_TRIED];
	size_t ntried, nexplicit;
	ag_citation citations[MAX_CITATIONS];
	size_t ncitation;
} citer;

/* --- notes --- */

void ag_cite_note(ag_cite_notes *n, ag_arena *arena, const char *fmt, ...)
{
	ag_buf out = AG_BUF_INIT(16384);
	va_list ap;

	if (n->n == AG_CITE_MAX_NOTES)
		return;
	va_start(ap, fmt);
	ag_buf_vaddf(&out, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < n->n; i++) {
		if (ag_str_eq(n->list[i], ag_buf_view(&out)))
			out.failed = true;
	}
	if (!out.failed)
		n->list[n->n++] = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
}

/* --- one file --- */

/* Is it worth a note that a name is no source? Those that were meant as one. */
static bool is_meant(const ag_mention *m, bool is_explicit)
{
	return m->has_anchor ? ag_cite_looks_like_file(m->path)
	                     : is_explicit && ag_cite_looks_like_file(m->path);
}

static bool try_file(citer *c, const ag_mention *m, bool is_explicit, outcome *ret)
{
	bool mended = false;
	ag_cite_file *file = ag_cite_resolve(c->files, m->path, &mended);
	ag_str as = ag_cite_written(m, c->arena);

	if (!file || !file->is_read) {
		if (is_meant(m, is_explicit))
			ag_cite_note(&c->notes, c->arena,
			             file ? "%.*s was not read in this run: it is no source"
			                  : "%.*s: there is no such file: it is no source",
			             AG_FMT(as));
		return false;
	}
	switch (ag_cite_look(c->files, file)) {
	case AG_CITE_IS_THERE: break;
	case AG_CITE_IS_CHANGED:
		ag_cite_note(&c->notes, c->arena,
		             "%.*s changed after it had been read: it is no source",
		             AG_FMT(file->path));
		return false;
	default:
		ag_cite_note(&c->notes, c->arena, "%.*s cannot be read any more: it is no source",
		             AG_FMT(file->path));
		return false;
	}
	ret->file = ag_cite_of_file(&c->desk, m, file);
	ret->is_file = true;
	if (mended && !ag_str_ieq(m->path, file->path))
		ag_cite_note(&c->notes, c->arena, "%.*s stands for %.*s, which was read",
		             AG_FMT(as), AG_FMT(file->path));
	return true;
}

/* --- one folder --- */

static ag_str without_slashes(ag_str path)
{
	while (ag_str_starts(path, AG_S("./")))
		path = ag_str_make(path.ptr + 2, path.len - 2);
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	return path;
}

/* A folder whose names a call listed, and that is still there. */
static bool try_folder(citer *c, ag_str path, outcome *ret)
{
	const ag_str folder = without_slashes(path);
	ag_root_list list;
	ag_err unheard;

	for (size_t i = 0; i < c->files->ncall; i++) {
		const ag_answer_call *call = &c->files->calls[i];

		if (!call->ok || !call->folder.len || !ag_str_eq(call->folder, folder))
			continue;
		if (ag_root_list_dir(c->files->root, &c->files->ctx, folder, c->arena, &list,
		                     &unheard)) {
			ag_cite_note(&c->notes, c->arena,
			             "%.*s cannot be listed any more: it is no source",
			             AG_FMT(folder));
			return false;
		}
		ret->folder = folder;
		ret->is_folder = true;
		return true;
	}
	return false;
}

/* --- one API call --- */

/* As it is printed: the path as it was sent, unless the model's has names in it or a query of its own. */
static ag_str api_form(const ag_answer_call *call, ag_str route, ag_arena *arena)
{
	ag_str path = call->request, method = ag_str_split(&path, ' ');
	ptrdiff_t query = ag_str_find(path, '?');

	if (query >= 0)
		path.len = (size_t)query;
	if (ag_str_find(route, '?') >= 0 || ag_str_find(route, '{') >= 0)
		path = route;
	return ag_str_printf(arena, "API endpoint %.*s %.*s", AG_FMT(method), AG_FMT(path));
}

/* The last call of that kind that got an answer. */
static const ag_answer_call *find_call(const citer *c, ag_str method, ag_str route)
{
	for (size_t i = c->files->ncall; i--;) {
		const ag_answer_call *call = &c->files->calls[i];

		if (call->ok && call->request.len && ag_cite_route_is(method, route, call->request))
			return call;
	}
	return NULL;
}

static bool try_api(citer *c, const ag_mention *m, bool is_explicit, outcome *ret)
{
	ag_str route = m->route, shown = ag_utf8_prefix(m->route, 150);
	const ag_answer_call *call = find_call(c, m->method, route);
	ptrdiff_t query = ag_str_find(route, '?');

	if (!call && query >= 0) {
		route.len = (size_t)query;
		call = find_call(c, m->method, route);
		if (call)
			ag_cite_note(&c->notes, c->arena,
			             "%.*s was called with another query: it is cited without one",
			             AG_FMT(shown));
	}
	if (!call) {
		if (is_explicit || m->method.len)
			ag_cite_note(
				&c->notes, c->arena,
				"API %.*s%s%.*s was not called in this run, or gave no answer: it "
				"is no source",
				AG_FMT(m->method), m->method.len ? " " : "", AG_FMT(shown));
		return false;
	}
	ret->api = api_form(call, route, c->arena);
	ret->is_api = true;
	return true;
}

static ag_str rest_of_line(ag_str text, size_t i)
{
	ag_str rest = ag_str_make(text.ptr + i, text.len - i);

	rest = ag_str_split(&rest, '\n');
	return ag_utf8_prefix(rest, 200);
}

static void try_mentions(citer *c, ag_str text, bool is_explicit)
{
	ag_mention *list;
	size_t pos = 0, n = ag_cite_mentions(text, &pos, c->files->odd, c->files->nodd, is_explicit,
	                                     c->arena, &list);

	for (size_t i = 0; i < n && i < MAX_TRIED; i++) {
		outcome *o = &c->tried[c->ntried];

		*o = (outcome){ 0 };
		c->desk.behind = is_explicit ? rest_of_line(text, list[i].end) : AG_S("");
		if (list[i].path.len && !list[i].has_anchor && !list[i].line &&
		    try_folder(c, list[i].path, o)) {
			c->ntried++;
			continue;
		}
		if ((list[i].path.len &&
		     try_file(c, &list[i], is_explicit && !list[i].route.len, o)) ||
		    (list[i].route.len && try_api(c, &list[i], is_explicit, o)))
			c->ntried++;
	}
}

/* The words without the names of files: those say nothing of what stands in a file. */
static ag_str without_names(const ag_cite_files *f, ag_str text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(text.len + 1);
	ag_mention *list;
	size_t pos = 0, copied = 0;
	size_t n = ag_cite_mentions(text, &pos, f->odd, f->nodd, false, arena, &list);
	ag_str ret;

	for (size_t i = 0; i < n; i++) {
		if (!list[i].path.len || !ag_cite_looks_like_file(list[i].path))
			continue;
		ag_buf_add(&out, ag_str_make(text.ptr + copied, list[i].begin - copied));
		copied = list[i].end;
	}
	ag_buf_add(&out, ag_str_make(text.ptr + copied, text.len - copied));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* --- which of them is the source --- */

#define SURE_FOLDER 0.5 /* of the answer's words in a listing, when a file has few of them */

/* The last file that was read and says something of what the answer says; else the last API call that does; else the last
 * file, the last call. A folder that was listed comes last, unless the answer is made of its names. */
static const ag_answer_call *last_resort(const citer *c)
{
	const ag_answer_call *file = NULL, *api = NULL, *folder = NULL;
	double best_file = -1, best_api = -1, best_folder = 0;

	for (size_t i = 0; i < c->files->ncall; i++) {
		const ag_answer_call *call = &c->files->calls[i];
		bool is_file = ag_str_eqc(call->tool, "read_file") && call->file.path.len;
		double share;

		if (!call->ok || (!is_file && !call->request.len && !call->folder.len))
			continue;
		share = ag_cite_share(c->desk.words, call->result, NULL);
		if (call->folder.len) {
			if (!folder || share >= best_folder) {
				best_folder = share;
				folder = call;
			}
			continue;
		}
		if (!is_file)
			share += ag_cite_share(c->desk.words, call->request, NULL) / 2;
		if (is_file && share >= best_file) {
			best_file = share;
			file = call;
		} else if (!is_file && share >= best_api) {
			best_api = share;
			api = call;
		}
	}
	if (folder &&
	    ((!file && !api) || (best_folder >= SURE_FOLDER && best_folder > 2 * best_file &&
	                         best_folder > 2 * best_api)))
		return folder;
	return !api || (file && best_file > 0 && best_file * 2 >= best_api) ? file : api;
}

static bool fall_back(citer *c, outcome *ret)
{
	const ag_answer_call *call = last_resort(c);
	ag_mention m = { .path = AG_S("") };

	if (!call)
		return false;
	if (call->request.len) {
		ret->api = api_form(call, AG_S(""), c->arena);
		ret->is_api = true;
		return true;
	}
	if (call->folder.len)
		return try_folder(c, call->folder, ret);
	m.path = call->file.path;
	c->desk.behind = AG_S("");
	return try_file(c, &m, true, ret);
}

/* In the order of cite.h. */
static const outcome *choose(citer *c, outcome *fallback)
{
	for (size_t i = 0; i < c->nexplicit; i++) {
		/* Said to be the source, and nothing else is. */
		if (c->tried[i].is_folder && c->nexplicit == 1)
			return &c->tried[i];
	}
	for (int turn = 0; turn < 5; turn++) {
		bool is_explicit = turn < 2;
		size_t from = is_explicit ? 0 : c->nexplicit;
		size_t to = is_explicit ? c->nexplicit : c->ntried;

		for (size_t i = from; i < to; i++) {
			const outcome *o = &c->tried[i];

			/* Said to be the source: a file, an API call; named: with an anchor, a file, an API call. */
			if (turn == 1 || turn == 4
			            ? o->is_api
			            : o->is_file && (turn != 2 || o->file.anchor.len))
				return o;
		}
	}
	return fall_back(c, fallback) ? fallback : NULL;
}

static void keep(citer *c, const outcome *o)
{
	if (!o || !o->is_file || c->ncitation == MAX_CITATIONS)
		return;
	for (size_t i = 0; i < c->ncitation; i++) {
		const ag_citation *have = &c->citations[i];

		/* A file without a section says no more than one of its sections. */
		if (ag_str_eq(have->path, o->file.path) &&
		    (ag_str_eq(have->anchor, o->file.anchor) || !o->file.anchor.len))
			return;
	}
	c->citations[c->ncitation++] = o->file;
}

static ag_str source_of(const outcome *o, ag_arena *arena)
{
	if (!o)
		return AG_S("");
	if (o->is_api)
		return o->api;
	if (o->is_folder)
		return o->folder;
	if (!o->file.anchor.len)
		return o->file.path;
	return ag_str_printf(arena, "%.*s#%.*s", AG_FMT(o->file.path), AG_FMT(o->file.anchor));
}

ag_status ag_cite(ag_root *r, const ag_ctx *ctx, const ag_cite_input *in, ag_arena *arena,
                  ag_cited *ret, ag_err *err)
{
	citer *c = ag_new(arena, citer);
	ag_final_words words = ag_cite_split(ag_answer_utf8(in->text, arena), arena);
	outcome fallback = { 0 };
	const outcome *source = NULL;

	c->arena = arena;
	c->files = ag_cite_files_new(r, ctx, in->calls, in->ncall, arena);
	c->desk = (ag_cite_desk){ .files = c->files, .notes = &c->notes, .arena = arena };
	c->desk.words = ag_cite_words_of(without_names(c->files, words.answer, arena), in->question,
	                                 arena);
	try_mentions(c, words.sources, true);
	c->nexplicit = c->ntried;
	try_mentions(c, words.answer, false);
	/* Without an answer nothing is its source. */
	if (words.answer.len)
		source = choose(c, &fallback);
	keep(c, source);
	for (size_t i = 0; i < c->ntried && words.answer.len; i++)
		keep(c, &c->tried[i]);
	words.answer = ag_cite_rewrite(c->files, words.answer, &c->notes, arena);
	if (c->files->is_cancelled)
		return ag_fail(err, AG_CANCELLED, "ask.cite", "stopped");
	*ret = (ag_cited){
		.answer = words.answer,
		.source = source_of(source, arena),
		.citations = c->citations,
		.ncitation = c->ncitation,
		.notes = c->notes.list,
		.nnote = c->notes.n,
	};
	return AG_OK;
}
