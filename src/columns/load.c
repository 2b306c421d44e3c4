/* load -- files into a table: open, find the format, cut into blocks, read the blocks in parallel, join.
 *
 * A block gives a chunk, its counters and its first issues; they are joined in the order of the blocks, so
 * the table, the issues and the hash are the same with any number of threads. Workers keep their buffers
 * between blocks: they take a scan from a pool and give it back.
 *
 * Read: load_file(), read_block(), join_block(). */
#include "columns/load.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "columns/plan.h"
#include "columns/table_impl.h"

/* Rows and heap references are 32-bit, so a document must stay far below 4 GiB. */
#define MOST_DOC_BYTES (512u * 1024 * 1024)
/* What a line is read on by, when it goes beyond its block. */
#define FIRST_EXTRA (64u * 1024)

typedef struct pooled pooled;
struct pooled {
	ag_scan scan;
	pooled *next;
};

/* What is known of the memory that the files will need. */
typedef struct memory_plan {
	ag_memory before;
	uint64_t total;       /* bytes of all files; 0 = unknown or small: not checked */
	pthread_mutex_t lock; /* guards the rest */
	uint64_t done;        /* bytes read */
	uint64_t first_done, first_grown; /* at the first sample: buffers and threads are in it */
	uint64_t most_per_block;          /* resident memory of the dearest block so far */
	uint64_t last_grown;
} memory_plan;

typedef struct loader {
	const ag_ctx *ctx;
	memory_plan memory;
	ag_table *t;
	ag_table_opts opts;
	const ag_input *in;
	ag_plan *plan;
	uint32_t file;
	pthread_mutex_t lock; /* guards `free` */
	pooled *free;
	XXH3_state_t *hash;
} loader;

typedef void (*block_scanner)(ag_scan *s);

static const block_scanner block_scanners[] = {
	[AG_FORMAT_NDJSON] = ag_scan_ndjson, [AG_FORMAT_JSON] = ag_scan_json,
	[AG_FORMAT_BSON] = ag_scan_bson,     [AG_FORMAT_CSV] = ag_scan_csv,
	[AG_FORMAT_TSV] = ag_scan_csv,
};

/* --- the pool --- */

static pooled *take_scan(loader *l)
{
	pooled *p;

	pthread_mutex_lock(&l->lock);
	p = l->free;
	if (p)
		l->free = p->next;
	pthread_mutex_unlock(&l->lock);
	if (!p) {
		p = (pooled *)ag_xcalloc(1, sizeof(*p));
		ag_scan_init(&p->scan);
	}
	return p;
}

static void give_scan(loader *l, pooled *p)
{
	pthread_mutex_lock(&l->lock);
	p->next = l->free;
	l->free = p;
	pthread_mutex_unlock(&l->lock);
}

static void release_pool(loader *l)
{
	while (l->free) {
		pooled *p = l->free;

		l->free = p->next;
		ag_scan_release(&p->scan);
		free(p);
	}
}

/* --- one block --- */

static void reserve(ag_scan *s, size_t n)
{
	if (s->cap < n + AG_SCAN_PAD) {
		s->cap = n + AG_SCAN_PAD;
		s->buf = (char *)ag_xrealloc(s->buf, s->cap);
	}
}

/* Bytes [at, end) of the file to buf. */
static ag_status fill(const loader *l, ag_scan *s, uint64_t at, uint64_t end, ag_err *err)
{
	ag_status st;

	reserve(s, (size_t)(end - at));
	st = ag_input_read(l->in, at, s->buf, (size_t)(end - at), err);
	if (st)
		return st;
	s->p = s->buf;
	s->at = at;
	s->len = (size_t)(end - at);
	return AG_OK;
}

/* Read on until the line that is open at the end of the block is whole, or over the limit. */
static ag_status finish_line(const loader *l, ag_scan *s, ag_err *err)
{
	size_t extra = FIRST_EXTRA, beyond = s->len;

	while (s->at + s->len < l->in->size && s->len - beyond <= s->max_doc_bytes) {
		uint64_t left = l->in->size - s->at - s->len;
		size_t n = left < extra ? (size_t)left : extra, was = s->len;
		ag_status st;

		reserve(s, s->len + n);
		s->p = s->buf;
		st = ag_input_read(l->in, s->at + s->len, s->buf + s->len, n, err);
		if (st)
			return st;
		s->len += n;
		if (memchr(s->p + was, '\n', n))
			return AG_OK;
		extra *= 2;
	}
	return AG_OK;
}

/* The lines that start in the block. *ret_lead: newlines of the block before the first of them. */
static ag_status fill_lines(const loader *l, ag_scan *s, ag_block *b, uint64_t *ret_lead,
                            ag_err *err)
{
	size_t before = b->at > 0, skip = 0;
	ag_status st = fill(l, s, b->at - before, b->end, err);

	if (st)
		return st;
	b->hash = XXH3_128bits(s->p + before, s->len - before);
	if (before) { /* the byte before the block says whether a line starts at its first */
		const char *nl = (const char *)memchr(s->p, '\n', s->len);

		skip = nl ? (size_t)(nl - s->p) + 1 : s->len;
	} else if (s->len >= 3 && memcmp(s->p, "\xef\xbb\xbf", 3) == 0) {
		skip = 3;
	}
	*ret_lead = skip > 1 && before && s->p[skip - 1] == '\n';
	s->end = s->len - skip;
	if (s->end && s->p[s->len - 1] != '\n')
		st = finish_line(l, s, err);
	s->p += skip;
	s->at += skip;
	s->len -= skip;
	return st;
}

static void keep_results(loader *l, ag_scan *s, ag_block *b, uint64_t lead)
{
	b->duplicate_keys = s->b.duplicate_keys;
	b->chunk = ag_builder_finish(&s->b);
	b->chunk->file = l->file;
	b->chunk->first_line = lead; /* the rest is known when all blocks are read */
	b->nline = s->nline + lead;
	b->broken = s->broken;
	b->short_rows = s->short_rows;
	b->notes = s->notes;
	b->nissue = s->nissue;
	if (!s->nissue)
		return;
	b->issues = (ag_scan_issue *)ag_xcalloc(s->nissue, sizeof(*b->issues));
	memcpy(b->issues, s->issues, s->nissue * sizeof(*b->issues));
	for (size_t i = 0; i < s->nissue; i++)
		b->issues[i].line += lead;
}

/* --- memory --- */

#define CHECKED_FROM (16u * 1024 * 1024) /* a smaller file needs no plan */
#define FIRST_SAMPLE (2 * AG_CHUNK_INPUT_BYTES)
#define NEXT_SAMPLE  (4 * AG_CHUNK_INPUT_BYTES)

static ag_status fail_memory(const loader *l, uint64_t need, uint64_t free, ag_err *err)
{
	ag_fail(err, AG_LIMIT, "columns.load",
	        "%s%s: reading %llu MB of data needs about %llu MB of memory, and %llu MB are free",
	        l->in->path, l->t->nfile > 1 ? " and others" : "",
	        (unsigned long long)(l->memory.total / 1000000),
	        (unsigned long long)(need / 1000000), (unsigned long long)(free / 1000000));
	return ag_err_hint(err, "give it more memory, or audit a part: split the file, or take its "
	                        "first lines with head");
}

/* What the later steps need beside the table: a quarter of it in profiles and filters. */
static uint64_t with_margin(uint64_t n)
{
	return n + n / 4;
}

/* Before reading: the values alone take about half of the file. */
static ag_status plan_memory(loader *l, uint64_t total, ag_err *err)
{
	memory_plan *m = &l->memory;
	uint64_t free;

	if (total < CHECKED_FROM)
		return AG_OK;
	m->total = total;
	ag_memory_read("", &m->before);
	free = m->before.resident_free < m->before.address_free ? m->before.resident_free
	                                                        : m->before.address_free;
	return total / 2 > free ? fail_memory(l, total / 2, free, err) : AG_OK;
}

/* What all will need, when it goes on as between the first sample and now. 0 = not known yet. */
static uint64_t memory_needed(const memory_plan *m, uint64_t grown)
{
	double slope;

	if (m->done < NEXT_SAMPLE || m->done <= m->first_done || grown <= m->first_grown)
		return 0;
	slope = (double)(grown - m->first_grown) / (double)(m->done - m->first_done);
	return with_margin(m->first_grown + (uint64_t)(slope * (double)(m->total - m->first_done)));
}

/* After each block of n bytes: refuse early what cannot fit, and stop before the next blocks would not. */
static ag_status check_memory(loader *l, uint64_t n, ag_err *err)
{
	memory_plan *m = &l->memory;
	const uint64_t nthread = l->ctx ? l->ctx->nthread : 1;
	uint64_t grown, reserved, need;
	ag_status st = AG_OK;
	ag_memory now;

	if (!m->total)
		return AG_OK;
	pthread_mutex_lock(&m->lock);
	m->done += n;
	ag_memory_read_used("", &now);
	grown = now.resident > m->before.resident ? now.resident - m->before.resident : 0;
	/* Threads and heaps reserve address space that they do not use. */
	reserved = now.address - m->before.address > grown ? now.address - m->before.address - grown
	                                                   : 0;
	if (m->first_done && grown > m->last_grown && grown - m->last_grown > m->most_per_block)
		m->most_per_block = grown - m->last_grown;
	m->last_grown = grown;
	if (!m->first_done && m->done >= FIRST_SAMPLE) {
		m->first_done = m->done;
		m->first_grown = grown;
	}
	need = memory_needed(m, grown);
	if (!need && m->done < m->total)
		need = grown + nthread * m->most_per_block;
	if (need > m->before.resident_free)
		st = fail_memory(l, need, m->before.resident_free, err);
	else if (m->before.address_free != UINT64_MAX && need + reserved > m->before.address_free)
		st = fail_memory(l, need + reserved, m->before.address_free, err);
	pthread_mutex_unlock(&m->lock);
	return st;
}

static ag_status read_block(void *arg, size_t i, ag_err *err)
{
	loader *l = (loader *)arg;
	ag_block *b = &l->plan->blocks[i];
	pooled *p = take_scan(l);
	ag_scan *s = &p->scan;
	uint64_t lead = 0;
	ag_status st;

	s->max_doc_bytes = l->plan->max_doc_bytes;
	s->split = b->json;
	s->csv = &l->plan->csv;
	s->ctx = l->ctx;
	s->ndoc = 0;
	s->nline = s->broken = s->short_rows = 0;
	s->nissue = 0;
	memset(&s->notes, 0, sizeof(s->notes));
	if (l->plan->format == AG_FORMAT_NDJSON)
		st = fill_lines(l, s, b, &lead, err);
	else
		st = fill(l, s, b->at, b->end, err);
	if (!st) {
		memset(s->buf + (s->p - s->buf) + s->len, 0, AG_SCAN_PAD);
		ag_builder_begin(&s->b, l->plan->format != AG_FORMAT_BSON);
		block_scanners[l->plan->format](s);
		keep_results(l, s, b, lead);
		st = ag_ctx_check(l->ctx, err); /* the scanner may have stopped early */
	}
	if (!st)
		st = check_memory(l, b->end - b->at, err);
	if (!st) {
		ag_ctx_advance(l->ctx, b->end - b->at, b->chunk->ndoc);
	}
	give_scan(l, p);
	return st;
}

/* --- joining --- */

static void add_issue(loader *l, uint64_t line, uint64_t byte, const char *what)
{
	ag_table *t = l->t;
	ag_table_issue *all;

	if (t->info.nissue == AG_TABLE_MAX_ISSUES)
		return;
	if (!t->issues)
		t->issues = ag_new_n(t->arena, ag_table_issue, AG_TABLE_MAX_ISSUES);
	all = t->issues;
	all[t->info.nissue++] = (ag_table_issue){
		.file = t->files[l->file],
		.line = line,
		.byte = byte,
		.what = ag_str_dup(t->arena, ag_str_c(what)),
	};
	t->info.issues = all;
}

static void join_block(loader *l, ag_block *b, uint64_t *line)
{
	ag_table_info *info = &l->t->info;
	uint64_t first = *line + 1;

	if (l->plan->format != AG_FORMAT_NDJSON)
		first = b->line + 1;
	b->chunk->first_line = l->plan->format == AG_FORMAT_BSON ? 0 : first + b->chunk->first_line;
	for (size_t i = 0; i < b->nissue; i++)
		add_issue(l, first + b->issues[i].line, b->issues[i].byte, b->issues[i].what);
	info->broken += b->broken;
	info->duplicate_keys += b->duplicate_keys;
	info->short_rows += b->short_rows;
	info->lone_surrogates += b->notes.lone_surrogates;
	info->big_numbers += b->notes.big_numbers;
	info->overflows += b->notes.overflows;
	*line += b->nline;
	ag_table_add_chunk(l->t, b->chunk);
	b->chunk = NULL;
}

static void hash_one(loader *l, XXH128_hash_t h)
{
	XXH128_canonical_t c;

	XXH128_canonicalFromHash(&c, h);
	XXH3_128bits_update(l->hash, &c, sizeof(c));
}

static void join_file(loader *l)
{
	ag_plan *plan = l->plan;
	uint64_t line = 0;

	for (size_t i = 0; i < plan->n; i++) {
		if (plan->format == AG_FORMAT_NDJSON)
			hash_one(l, plan->blocks[i].hash);
		join_block(l, &plan->blocks[i], &line);
	}
	for (size_t i = 0; i < plan->nhash; i++)
		hash_one(l, plan->hashes[i]);
	if (plan->unclosed_array) {
		/* A file of nothing but "[" has no block. */
		const ag_block *last = plan->n ? &plan->blocks[plan->n - 1] : NULL;

		l->t->info.broken++;
		add_issue(l, last ? last->line + 1 + last->nline : 1, l->in->size,
		          "the array of documents is not closed");
	}
}

static ag_status load_input(loader *l, ag_input *in, ag_err *err)
{
	ag_table_info *info = &l->t->info;
	ag_plan plan = { .format = l->opts.format, .max_doc_bytes = l->opts.max_doc_bytes };
	ag_status st = AG_OK;

	l->in = in;
	l->plan = &plan;
	if (plan.format == AG_FORMAT_AUTO)
		st = ag_input_detect(in, &plan.format, err);
	else
		st = ag_input_refuse(in, plan.format, err);
	if (!st)
		st = ag_plan_make(&plan, l->ctx, in, l->t->arena, err);
	if (!st)
		st = ag_parallel(l->ctx, plan.n, read_block, l, err);
	if (!st && (plan.format == AG_FORMAT_CSV || plan.format == AG_FORMAT_TSV)) {
		st = ag_csv_view_quoted(l->ctx, &plan, err);
		if (!st)
			st = ag_csv_view_notation(l->ctx, &plan, err);
	}
	/* What was cut in a first reading must be the same in the second. */
	if (!st && plan.format != AG_FORMAT_NDJSON)
		st = ag_input_unchanged(in, err);
	if (!st) {
		if (l->file == 0)
			info->format = plan.format;
		if (plan.format == AG_FORMAT_CSV || plan.format == AG_FORMAT_TSV) {
			info->has_views = true;
			info->renamed_columns += plan.csv.nrenamed;
		}
		info->nbyte += in->size;
		if (in->mtime_ns / 1000000 > info->mtime_ms)
			info->mtime_ms = in->mtime_ns / 1000000;
		join_file(l);
	}
	ag_plan_release(&plan);
	l->plan = NULL;
	return st;
}

static ag_status fail_strict(const ag_table *t, ag_err *err)
{
	const ag_table_issue *i = &t->info.issues[0];

	if (i->line)
		ag_fail(err, AG_INVALID, "columns.load", "%.*s, line %llu, byte %llu: %.*s",
		        AG_FMT(i->file), (unsigned long long)i->line, (unsigned long long)i->byte,
		        AG_FMT(i->what));
	else
		ag_fail(err, AG_INVALID, "columns.load", "%.*s, byte %llu: %.*s", AG_FMT(i->file),
		        (unsigned long long)i->byte, AG_FMT(i->what));
	return ag_err_hint(err, "without strict, broken documents are left out and counted");
}

static void loader_init(loader *l, const ag_ctx *ctx, size_t nfile, const ag_table_opts *opts)
{
	memset(l, 0, sizeof(*l));
	pthread_mutex_init(&l->memory.lock, NULL);
	l->ctx = ctx;
	if (opts)
		l->opts = *opts;
	if (l->opts.max_doc_bytes == 0)
		l->opts.max_doc_bytes = AG_TABLE_MAX_DOC_BYTES;
	if (l->opts.max_doc_bytes > MOST_DOC_BYTES)
		l->opts.max_doc_bytes = MOST_DOC_BYTES;
	l->t = ag_table_new();
	l->t->files = ag_new_n(l->t->arena, ag_str, nfile);
	l->t->nfile = nfile;
	pthread_mutex_init(&l->lock, NULL);
	l->hash = XXH3_createState();
	if (!l->hash)
		ag_oom();
	XXH3_128bits_reset(l->hash);
}

static ag_status loader_finish(loader *l, ag_status st, ag_table **ret, ag_err *err)
{
	XXH128_hash_t h = XXH3_128bits_digest(l->hash);

	l->t->info.content_hash[0] = h.high64;
	l->t->info.content_hash[1] = h.low64;
	XXH3_freeState(l->hash);
	release_pool(l);
	pthread_mutex_destroy(&l->lock);
	pthread_mutex_destroy(&l->memory.lock);
	if (!st && l->opts.strict && l->t->info.broken)
		st = fail_strict(l->t, err);
	if (st)
		ag_table_free(l->t);
	else
		*ret = l->t;
	return st;
}

ag_status ag_table_load(const ag_ctx *ctx, const char *const *files, size_t nfile,
                        const ag_table_opts *opts, ag_table **ret, ag_err *err)
{
	uint64_t total = 0;
	ag_status st = AG_OK;
	loader l;

	loader_init(&l, ctx, nfile, opts);
	for (size_t i = 0; i < nfile; i++) {
		struct stat sb;

		if (stat(files[i], &sb) == 0 && S_ISREG(sb.st_mode))
			total += (uint64_t)sb.st_size;
	}
	for (size_t i = 0; !st && i < nfile; i++) {
		ag_input in;

		st = ag_input_open(ctx, files[i], &in, err);
		if (st)
			break;
		l.file = (uint32_t)i;
		l.in = &in;
		l.t->files[i] = ag_str_dup(l.t->arena, ag_str_c(in.path));
		if (i == 0) {
			total = total ? total : in.size; /* standard input */
			ag_ctx_phase(ctx, "reading", "bytes", total);
			st = plan_memory(&l, total, err);
		}
		if (!st)
			st = load_input(&l, &in, err);
		ag_input_close(&in);
	}
	ag_ctx_phase(ctx, NULL, NULL, 0);
	return loader_finish(&l, st, ret, err);
}

ag_status ag_table_load_mem(const ag_ctx *ctx, const char *name, const char *p, size_t n,
                            const ag_table_opts *opts, ag_table **ret, ag_err *err)
{
	ag_input in = ag_input_mem(name, p, n);
	ag_status st;
	loader l;

	loader_init(&l, ctx, 1, opts);
	l.t->files[0] = ag_str_dup(l.t->arena, ag_str_c(name));
	st = load_input(&l, &in, err);
	return loader_finish(&l, st, ret, err);
}
