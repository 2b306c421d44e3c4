/* regex -- PCRE2 behind a small interface.
 *
 * A compiled pattern and its match context never change, so threads share them. Everything a match
 * writes to lives in a block on the caller's stack, handed to PCRE2 through its allocator hooks; heap is
 * used only when that block is too small. UTF is on and UCP off, as on the MongoDB server: \d and \w are ASCII
 * unless the pattern starts with (*UCP). */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "query/regex.h"

#include <pcre2.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MATCH_LIMIT    (250 * 1000) /* a few ms at worst; honest patterns need far less */
#define DEPTH_LIMIT    MATCH_LIMIT
#define HEAP_LIMIT_KIB (32 * 1024)

struct ag_regex {
	pcre2_code *code;
	pcre2_match_context *limits;
	ag_str pattern, opts;
	atomic_uint_fast64_t *overruns; /* apart, because the rest never changes */
};

/* Memory of one match: pieces of a block on the stack, then malloc. */
typedef struct scratch {
	size_t used;
	_Alignas(16) unsigned char block[1024];
} scratch;

static void *scratch_alloc(size_t n, void *data)
{
	scratch *s = data;
	void *p;

	n = (n + 15) & ~(size_t)15;
	if (n > sizeof(s->block) - s->used)
		return malloc(n);
	p = s->block + s->used;
	s->used += n;
	return p;
}

static void scratch_free(void *p, void *data)
{
	scratch *s = data;
	uintptr_t at = (uintptr_t)p, from = (uintptr_t)s->block;

	if (at < from || at >= from + sizeof(s->block))
		free(p);
}

static void release(void *arg)
{
	ag_regex *re = arg;

	pcre2_match_context_free(re->limits);
	pcre2_code_free(re->code);
}

static bool read_opts(ag_str opts, uint32_t *ret)
{
	uint32_t flags = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C;

	for (size_t i = 0; i < opts.len; i++) {
		switch (opts.ptr[i]) {
		case 'i': flags |= PCRE2_CASELESS; break;
		case 'm': flags |= PCRE2_MULTILINE; break;
		case 's': flags |= PCRE2_DOTALL; break;
		case 'x': flags |= PCRE2_EXTENDED; break;
		case 'u': /* UTF is always on */ break;
		default: return false;
		}
	}
	*ret = flags;
	return true;
}

/* Sorted, without doubles: the form BSON wants. */
static ag_str sort_opts(ag_arena *arena, ag_str opts)
{
	char *out = ag_arena_alloc(arena, 6);
	size_t n = 0;

	for (const char *c = "imsux"; *c; c++) {
		if (ag_str_find(opts, *c) >= 0)
			out[n++] = *c;
	}
	return ag_str_make(out, n);
}

ag_status ag_regex_compile(ag_str pattern, ag_str opts, ag_arena *arena, const ag_regex **ret,
                           ag_err *err)
{
	uint32_t flags;
	PCRE2_SIZE at = 0;
	int code = 0;
	ag_regex *re;

	if (pattern.len > AG_REGEX_MAX_BYTES)
		return ag_fail(err, AG_LIMIT, "query.regex", "the pattern has %zu bytes, limit %d",
		               pattern.len, AG_REGEX_MAX_BYTES);
	if (!read_opts(opts, &flags))
		return ag_fail(err, AG_INVALID, "query.regex",
		               "unknown regex option in \"%.*s\"; known: i m s x u",
		               (int)(opts.len > 20 ? 20 : opts.len), opts.ptr);
	if (pattern.len && memchr(pattern.ptr, 0, pattern.len))
		return ag_fail(err, AG_INVALID, "query.regex", "the pattern holds a zero byte");
	re = ag_new(arena, ag_regex);
	re->pattern = ag_str_dup(arena, pattern);
	re->opts = sort_opts(arena, opts);
	re->code = pcre2_compile((PCRE2_SPTR)re->pattern.ptr, re->pattern.len, flags, &code, &at,
	                         NULL);
	if (!re->code) {
		PCRE2_UCHAR text[160] = "";

		pcre2_get_error_message(code, text, sizeof(text));
		AG_IGNORE(ag_fail(err, AG_INVALID, "query.regex", "regex, byte %zu: %s", (size_t)at,
		                  (const char *)text),
		          "returned below");
		if (code == PCRE2_ERROR_UNSUPPORTED_ESCAPE_SEQUENCE)
			ag_err_hint(err, "write a character by its code as \\x{00a0}, not \\u00a0");
		return AG_INVALID;
	}
	re->overruns = ag_new(arena, atomic_uint_fast64_t);
	atomic_init(re->overruns, 0);
	re->limits = pcre2_match_context_create(NULL);
	if (!re->limits)
		ag_oom();
	pcre2_set_match_limit(re->limits, MATCH_LIMIT);
	pcre2_set_depth_limit(re->limits, DEPTH_LIMIT);
	pcre2_set_heap_limit(re->limits, HEAP_LIMIT_KIB);
	/* Where JIT is not there the interpreter does the same work, slower. */
	(void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
	ag_arena_defer(arena, release, re);
	*ret = re;
	return AG_OK;
}

bool ag_regex_match(const ag_regex *re, ag_str subject)
{
	scratch mem;
	pcre2_general_context *ctx;
	pcre2_match_data *md;
	PCRE2_SPTR text = (PCRE2_SPTR)(subject.ptr ? subject.ptr : "");
	int rc;

	mem.used = 0;
	ctx = pcre2_general_context_create(scratch_alloc, scratch_free, &mem);
	if (!ctx)
		ag_oom();
	md = pcre2_match_data_create(1, ctx);
	if (!md)
		ag_oom();
	rc = pcre2_match(re->code, text, subject.len, 0, 0, md, re->limits);
	/* The JIT's stack is 32 KB; the interpreter has more room. */
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(re->code, text, subject.len, 0, PCRE2_NO_JIT, md, re->limits);
	pcre2_match_data_free(md);
	pcre2_general_context_free(ctx);
	if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT ||
	    rc == PCRE2_ERROR_HEAPLIMIT || rc == PCRE2_ERROR_JIT_STACKLIMIT)
		atomic_fetch_add_explicit(re->overruns, 1, memory_order_relaxed);
	return rc >= 0;
}

uint64_t ag_regex_overruns(const ag_regex *re)
{
	return atomic_load_explicit(re->overruns, memory_order_relaxed);
}

ag_str ag_regex_pattern(const ag_regex *re)
{
	return re->pattern;
}

ag_str ag_regex_opts(const ag_regex *re)
{
	return re->opts;
}
