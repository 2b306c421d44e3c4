/* search -- the project's text files, line by line, ranked.
 *
 * Two rounds: all files are read once, and of each line that fits only its place and what it has is kept; when it is known
 * how rare each word is, the lines are ranked and the few best are read again for their text and their section. So a
 * project of any size costs little memory, and a file that changed in between is simply left out.
 *
 * Order: the first round, ranking, the second round, ag_search_files(). */
#include "ask/search.h"

#include <math.h>
#include <stdlib.h>

#include "ask/outline.h"
#include "ask/search_parts.h"
#include "base/log.h"
#include "base/utf8.h"

#define MAX_FILE_BYTES (2u << 20)
#define MAX_BYTES      (256u << 20)
#define MAX_FILES      50000
#define MAX_MS         3000
#define MAX_SHOWN      240    /* bytes of a line */
#define MANY_LINES     20000  /* from then on a file keeps FILE_TURN lines */
#define MAX_LINES      400000 /* kept of all files */
#define FILE_TURN      5      /* lines of one file before others had their turn */

typedef struct hit_file {
	ag_str path;
	uint64_t in_text, in_path; /* what it has of the words */
} hit_file;

typedef struct searcher {
	ag_root *r;
	const ag_search_plan *plan;
	ag_ctx ctx; /* with our own deadline */
	ag_arena *arena, *scratch;
	ag_buf low;
	hit_file *files;
	size_t nfile, cfile;
	ag_search_line *lines;
	size_t nline, cline;
	size_t found_lines, found_files, nscanned;
	uint64_t nbyte;
	size_t with[AG_SEARCH_MAX_NEEDLES]; /* files that have the word */
	const char *cut_by;                 /* the first cap that was hit; NULL = none */
} searcher;

static const char out_of_time[] = "the time for a search";

/* Keep the first: later ones are its consequences. */
static void cut_by(searcher *s, const char *cap)
{
	if (!s->cut_by)
		s->cut_by = cap;
}

/* --- the first round ----------------------------------------------------------------------------- */

static void *room_for(ag_arena *arena, void *items, size_t n, size_t *cap, size_t more, size_t size)
{
	size_t want = *cap ? *cap : 64;
	void *p;

	if (n + more <= *cap)
		return items;
	while (want < n + more)
		want *= 2;
	p = ag_arena_alloc_n(arena, want, size);
	if (n)
		memcpy(p, items, n * size);
	*cap = want;
	return p;
}

static ag_str in_small(ag_buf *buf, ag_str s)
{
	ag_buf_clear(buf);
	ag_buf_add(buf, s);
	if (buf->len)
		ag_utf8_lower(buf->ptr, buf->len);
	return ag_buf_view(buf);
}

static void count_words(searcher *s, uint64_t has)
{
	for (size_t i = 0; i < s->plan->nneedle; i++)
		s->with[i] += ag_has_get(has, i) != AG_HAS_NOT;
}

static void scan_file(searcher *s, ag_str path, ag_str text)
{
	size_t max = s->nline < MANY_LINES ? s->plan->max_hits : FILE_TURN;
	ag_search_lines out = { .max = s->nline + max <= MAX_LINES ? max : 0, .ctx = &s->ctx };
	uint64_t in_path;

	s->lines = room_for(s->arena, s->lines, s->nline, &s->cline, max, sizeof(*s->lines));
	out.items = s->lines + s->nline;
	in_path = ag_search_scan_path(s->plan, path, in_small(&s->low, path));
	ag_search_scan(s->plan, path, text, s->plan->re ? text : in_small(&s->low, text), &out);
	count_words(s, out.has);
	if (out.is_cut)
		cut_by(s, out_of_time);
	if (!out.nline)
		return;
	if (!out.max)
		cut_by(s, "400000 lines that match");
	s->found_files++;
	s->found_lines += out.nline;
	for (size_t i = 0; i < out.n; i++)
		out.items[i].file = (uint32_t)s->nfile;
	s->nline += out.n;
	s->files = room_for(s->arena, s->files, s->nfile, &s->cfile, 1, sizeof(*s->files));
	s->files[s->nfile++] = (hit_file){
		.path = ag_str_dup(s->arena, path),
		.in_text = out.has,
		.in_path = in_path,
	};
}

static ag_status visit(void *arg, const ag_root_stat *file, ag_err *err)
{
	searcher *s = arg;
	ag_root_text t;
	ag_status st;

	if (!ag_search_plan_takes(s->plan, file->path))
		return AG_OK;
	if (s->nbyte >= MAX_BYTES) {
		cut_by(s, "256 MiB");
		return AG_LIMIT;
	}
	ag_arena_reset(s->scratch);
	st = ag_root_read(s->r, &s->ctx, file->path, MAX_FILE_BYTES, s->scratch, &t, err);
	if (st == AG_CANCELLED || st == AG_TIMEOUT)
		return st;
	if (st || t.is_binary) /* gone or closed meanwhile: not ours to report */
		return AG_OK;
	s->nscanned++;
	s->nbyte += t.text.len;
	if (t.is_cut)
		cut_by(s, "2 MiB of one file");
	scan_file(s, file->path, t.text);
	return AG_OK;
}

/* --- ranking ------------------------------------------------------------------------------------- */

static double rarity(const searcher *s, size_t i)
{
	double all = (double)s->nscanned, with = (double)s->with[i];

	return log(1 + (all - with + 0.5) / (with + 0.5));
}

/* The share of the words' weight, 0 to 1; the phrase is no word. */
static double share(const searcher *s, uint64_t has, const double *weight)
{
	static const double worth[] = {
		[AG_HAS_NOT] = 0, [AG_HAS_INSIDE] = 0.3, [AG_HAS_BEGIN] = 0.8, [AG_HAS_WORD] = 1
	};
	double sum = 0, total = 0;

	for (size_t i = 0; i < s->plan->nneedle; i++) {
		if (s->plan->needles[i].is_phrase)
			continue;
		sum += weight[i] * worth[ag_has_get(has, i)];
		total += weight[i];
	}
	return total > 0 ? sum / total : 0;
}

static bool has_phrase(const searcher *s, uint64_t has)
{
	for (size_t i = 0; i < s->plan->nneedle; i++) {
		if (s->plan->needles[i].is_phrase && ag_has_get(has, i))
			return true;
	}
	return false;
}

static int better(const void *a, const void *b)
{
	const ag_search_line *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* A line counts most, the rest of its file and the path say that it is the right place. */
static void rank(searcher *s)
{
	double weight[AG_SEARCH_MAX_NEEDLES];

	for (size_t i = 0; i < s->plan->nneedle; i++)
		weight[i] = rarity(s, i);
	for (size_t i = 0; i < s->nline; i++) {
		ag_search_line *l = &s->lines[i];
		const hit_file *f = &s->files[l->file];
		double bonus = l->is_heading ? 1.35 : l->is_definition ? 1.15 : 1;

		if (s->plan->re) {
			l->score = l->is_heading || l->is_definition ? 0.7 : 0.5;
			continue;
		}
		l->score = share(s, l->has, weight) * bonus + 0.25 * share(s, f->in_path, weight) +
		           0.15 * share(s, f->in_text, weight) + (has_phrase(s, l->has) ? 0.5 : 0);
	}
	if (s->nline)
		qsort(s->lines, s->nline, sizeof(*s->lines), better);
}

/* The best lines, FILE_TURN of a file at first; the rest only where room is left. */
static size_t choose(const searcher *s, ag_search_line *chosen)
{
	unsigned char *turns = ag_arena_alloc(s->arena, s->nfile);
	size_t n = 0;

	for (size_t i = 0; i < s->nline && n < s->plan->max_hits; i++) {
		if (turns[s->lines[i].file] == FILE_TURN)
			continue;
		turns[s->lines[i].file]++;
		chosen[n++] = s->lines[i];
	}
	memset(turns, 0, s->nfile);
	for (size_t i = 0; i < s->nline && n < s->plan->max_hits; i++) {
		if (turns[s->lines[i].file] < FILE_TURN)
			turns[s->lines[i].file]++; /* it is there already */
		else
			chosen[n++] = s->lines[i];
	}
	return n;
}

/* --- the second round ---------------------------------------------------------------------------- */

/* At most MAX_SHOWN bytes with the match in it, cut between characters. */
static ag_str around(ag_str line, size_t at)
{
	size_t from = at > MAX_SHOWN / 3 ? at - MAX_SHOWN / 3 : 0, to;

	if (line.len <= MAX_SHOWN)
		return ag_str_trim(line);
	if (from + MAX_SHOWN > line.len)
		from = line.len - MAX_SHOWN;
	to = from + MAX_SHOWN;
	for (int i = 0; i < 3 && from && ((unsigned char)line.ptr[from] & 0xc0) == 0x80; i++)
		from++;
	for (int i = 0; i < 3 && to < line.len && ((unsigned char)line.ptr[to] & 0xc0) == 0x80; i++)
		to--;
	return ag_str_trim(ag_str_make(line.ptr + from, to - from));
}

/* Where a pattern matches in a long line, about: the first window that has it. */
static size_t place_in(const searcher *s, ag_str line)
{
	const size_t step = MAX_SHOWN / 2, most = 64 * 1024;

	for (size_t at = 0; at < line.len && at < most; at += step) {
		size_t end = at + MAX_SHOWN < line.len ? at + MAX_SHOWN : line.len, from = at;

		while (from < end && ((unsigned char)line.ptr[from] & 0xc0) == 0x80)
			from++;
		while (end > from && end < line.len &&
		       ((unsigned char)line.ptr[end] & 0xc0) == 0x80)
			end--;
		if (ag_regex_match(s->plan->re, ag_str_make(line.ptr + from, end - from)))
			return from + MAX_SHOWN / 3;
		if (ag_ctx_check(&s->ctx, NULL))
			break;
	}
	return 0;
}

/* The line as it is shown. Keys leave it before a piece is cut out: half of one would not be found later. */
static ag_str piece_of(searcher *s, ag_str line, const ag_search_line *l)
{
	ag_buf clean = AG_BUF_INIT(2 * line.len + 64);
	ag_str ret = AG_S("");

	if (line.len <= MAX_SHOWN) {
		ag_buf_release(&clean);
		return ag_str_dup(s->arena, ag_str_trim(line));
	}
	if (ag_log_clean(line, &clean) && !clean.failed) {
		line = ag_buf_view(&clean);
		ret = ag_str_dup(s->arena, around(line, s->plan->re        ? place_in(s, line)
		                                        : l->at < line.len ? l->at
		                                                           : line.len));
	}
	ag_buf_release(&clean);
	return ret;
}

/* The anchor of the section that the line stands in. */
static ag_str section_of(const ag_outline *o, unsigned line, ag_arena *arena)
{
	const ag_outline_item *item = o->is_markdown ? ag_outline_at(o, line) : NULL;

	return item ? ag_str_dup(arena, item->anchor) : AG_S("");
}

/* The lines of one file among the chosen: their text and section. False: it is not what it was. */
static bool fill_file(searcher *s, ag_search_line *chosen, size_t n, size_t file,
                      ag_search_hit *hits)
{
	ag_str path = s->files[file].path;
	bool has_time = !ag_ctx_check(&s->ctx, NULL);
	ag_ctx ctx = s->ctx; /* the answer is wanted, late or not: it is a handful of files */
	ag_outline o = { 0 };
	ag_root_text t;

	ctx.deadline_ms = 0;
	ag_arena_reset(s->scratch);
	if (ag_root_read(s->r, &ctx, path, MAX_FILE_BYTES, s->scratch, &t, NULL) || t.is_binary)
		return false;
	if (has_time && ag_outline_is_markdown(path))
		ag_outline_of(path, t.text, s->scratch, &o);
	for (size_t i = 0; i < n; i++) {
		const ag_search_line *l = &chosen[i];
		ag_str line;

		if (l->file != file || l->begin > t.text.len || l->len > t.text.len - l->begin)
			continue;
		line = ag_str_make(t.text.ptr + l->begin, l->len);
		hits[i] = (ag_search_hit){
			.path = path,
			.line = l->line,
			.text = piece_of(s, line, l),
			.heading = section_of(&o, l->line, s->arena),
			.score = l->score,
		};
	}
	return true;
}

static size_t fill(searcher *s, ag_search_line *chosen, size_t n, ag_search_hit *hits)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!hits[i].path.len && !fill_file(s, chosen, n, chosen[i].file, hits))
			cut_by(s, "a file that changed meanwhile");
	}
	for (size_t i = 0; i < n; i++) {
		if (hits[i].path.len)
			hits[kept++] = hits[i];
	}
	return kept;
}

/* --- the whole ----------------------------------------------------------------------------------- */

static ag_ctx with_own_deadline(const ag_ctx *ctx)
{
	ag_ctx c = ctx ? *ctx : (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
	int64_t end = ag_clock_mono(c.clock) + MAX_MS;

	if (!c.deadline_ms || c.deadline_ms > end)
		c.deadline_ms = end;
	return c;
}

static ag_status search(searcher *s, const ag_search_query *q, ag_search_result *ret, ag_err *err)
{
	ag_search_line *chosen = ag_new_n(s->arena, ag_search_line, s->plan->max_hits);
	ag_search_hit *hits = ag_new_n(s->arena, ag_search_hit, s->plan->max_hits);
	bool is_cut = false;
	size_t n;
	ag_status st;

	st = ag_root_walk_by_worth(s->r, &s->ctx, q->under, MAX_FILES, visit, s, &is_cut, err);
	if (st == AG_TIMEOUT)
		cut_by(s, out_of_time);
	if (is_cut)
		cut_by(s, "50000 files");
	if (st && st != AG_TIMEOUT && !(st == AG_LIMIT && s->cut_by))
		return st;
	rank(s);
	n = choose(s, chosen);
	n = fill(s, chosen, n, hits);
	if (s->plan->re && ag_regex_overruns(s->plan->re))
		cut_by(s, "the effort for one line");
	*ret = (ag_search_result){
		.hits = hits,
		.n = n,
		.nline = s->found_lines,
		.nfile = s->found_files,
		.nscanned = s->nscanned,
		.is_cut = s->cut_by != NULL,
		.cut_by = s->cut_by,
	};
	return AG_OK;
}

ag_status ag_search_files(ag_root *r, const ag_ctx *ctx, const ag_search_query *q, ag_arena *arena,
                          ag_search_result *ret, ag_err *err)
{
	searcher s = { .r = r, .ctx = with_own_deadline(ctx), .arena = arena };
	ag_search_plan *plan = ag_new(arena, ag_search_plan);
	ag_status st = ag_search_plan_make(q, arena, plan, err);

	if (st)
		return st;
	s.plan = plan;
	s.scratch = ag_arena_new();
	ag_buf_init(&s.low, MAX_FILE_BYTES + AG_ROOT_MAX_PATH);
	st = search(&s, q, ret, err);
	ag_buf_release(&s.low);
	ag_arena_free(s.scratch);
	return st;
}
