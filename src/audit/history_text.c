/* history_text -- what earlier runs found, as lines that a planner and people read.
 *
 * Every byte from outside is made one line of text here; the fence around the whole is the caller's. The order is that
 * of the patterns, so the same history gives the same text. */
#include "audit/history.h"

#define LINES_PER_BLOCK    40
#define REASON_MAX_BYTES   240
#define CRITIQUE_MAX_BYTES 280
#define FIELD_MAX_BYTES    200
#define TEXT_MAX_BYTES     (256u * 1024) /* four blocks of lines: at most about 150 KB */

/* Line breaks and control characters become blanks; cut at the end of a character. */
static void add_data(ag_buf *out, ag_str s, size_t max)
{
	const bool is_cut = s.len > max;

	while (is_cut && max > 0 && ((unsigned char)s.ptr[max] & 0xc0) == 0x80)
		max--;
	s.len = is_cut ? max : s.len;
	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.ptr[i];

		ag_buf_addc(out, c < 0x20 || c == 0x7f ? ' ' : (char)c);
	}
	if (is_cut)
		ag_buf_adds(out, "…");
}

static void add_name(ag_buf *out, const ag_pattern *p)
{
	ag_buf_adds(out, "- ");
	add_data(out, p->field.len ? p->field : AG_S("(whole documents)"), FIELD_MAX_BYTES);
	ag_buf_adds(out, " / ");
	add_data(out, p->category, FIELD_MAX_BYTES);
}

/* "share 0.300-0.320, stable" */
static void add_shares(ag_buf *out, const ag_pattern *p)
{
	double min = p->nshare ? p->shares[0] : 0, max = min;

	for (size_t i = 1; i < p->nshare; i++) {
		min = p->shares[i] < min ? p->shares[i] : min;
		max = p->shares[i] > max ? p->shares[i] : max;
	}
	if (p->nshare == 1)
		ag_buf_addf(out, "; share %.3f", min);
	else if (p->nshare)
		ag_buf_addf(out, "; share %.3f-%.3f, %s", min, max,
		            p->is_stable ? "stable" : "DRIFTING");
}

static const ag_recheck *recheck_of(const ag_history *h, ag_str key)
{
	for (size_t i = 0; i < h->nrecheck; i++)
		if (ag_str_eq(h->rechecks[i].key, key))
			return &h->rechecks[i];
	return NULL;
}

static void add_recheck(ag_buf *out, const ag_history *h, const ag_pattern *p)
{
	const ag_recheck *r = recheck_of(h, p->key);

	if (!r)
		return;
	switch (r->state) {
	case AG_RECHECK_PRESENT:
		ag_buf_addf(out, "; today: still %llu of %llu (was %llu)",
		            (unsigned long long)r->now, (unsigned long long)r->total,
		            (unsigned long long)r->was);
		break;
	case AG_RECHECK_RESOLVED:
		ag_buf_addf(out, "; today: resolved (was %llu)", (unsigned long long)r->was);
		break;
	case AG_RECHECK_NOT_CHECKED:
		ag_buf_adds(out, "; today: not checked: ");
		add_data(out, r->why, REASON_MAX_BYTES);
		break;
	}
}

static void add_verdict(ag_buf *out, const ag_pattern *p)
{
	if (!p->tp && !p->fp)
		return;
	ag_buf_adds(out, ag_str_eqc(p->net, "tp")   ? "; user: tp"
	                 : ag_str_eqc(p->net, "fp") ? "; user: fp, needs stronger evidence"
	                                            : "; user: mixed");
}

static void add_seen(ag_buf *out, const ag_history *h, const ag_pattern *p)
{
	add_name(out, p);
	ag_buf_addf(out, ": seen in %u of %u runs", p->runs_seen, h->runs);
	add_shares(out, p);
	if (p->last_severity.len) {
		ag_buf_adds(out, "; last ");
		add_data(out, p->last_severity, 20);
	}
	add_recheck(out, h, p);
	add_verdict(out, p);
	if (p->is_persistent && p->is_dismissed)
		ag_buf_adds(out,
		            "; NOTE: committed before, but dismissed the last time: propose it "
		            "again only with the correction that stands below");
	else if (p->is_dismissed)
		ag_buf_adds(out, "; dismissed the last time, see below");
}

static void add_dismissed(ag_buf *out, const ag_history *h, const ag_pattern *p)
{
	add_name(out, p);
	ag_buf_addf(out, ": dismissed in %u of %u runs", p->runs_dismissed, h->runs);
	if (p->dismiss_reason.len) {
		ag_buf_adds(out, "; reason: ");
		add_data(out, p->dismiss_reason, REASON_MAX_BYTES);
	}
	if (p->dismiss_critique.len) {
		ag_buf_adds(out, "; critique: ");
		add_data(out, p->dismiss_critique, CRITIQUE_MAX_BYTES);
	}
	if (!p->runs_seen) /* else it stands with the other block */
		add_verdict(out, p);
}

static void add_labelled(ag_buf *out, const ag_history *h, const ag_pattern *p)
{
	(void)h;
	add_name(out, p);
	ag_buf_addf(out, ": net=%.*s (tp %u, fp %u)", AG_FMT(p->net.len ? p->net : AG_S("mixed")),
	            p->tp, p->fp);
	add_verdict(out, p);
}

static bool is_persistent(const ag_pattern *p)
{
	return p->is_persistent;
}

static bool is_one_off(const ag_pattern *p)
{
	return p->runs_seen && !p->is_persistent;
}

static bool is_dismissed(const ag_pattern *p)
{
	return p->is_dismissed;
}

static bool is_only_labelled(const ag_pattern *p)
{
	return !p->runs_seen && !p->is_dismissed && (p->tp || p->fp);
}

static const struct {
	const char *title;
	bool (*has)(const ag_pattern *p);
	void (*add)(ag_buf *out, const ag_history *h, const ag_pattern *p);
} blocks[] = {
	{ "PERSISTENT, found in two or more runs:", is_persistent, add_seen },
	{ "ONE-OFF:", is_one_off, add_seen },
	{ "DISMISSED the last time:", is_dismissed, add_dismissed },
	{ "USER VERDICTS on other patterns:", is_only_labelled, add_labelled },
};

static void add_block(ag_buf *out, const ag_history *h, size_t block)
{
	size_t n = 0;

	for (size_t i = 0; i < h->npattern; i++) {
		if (!blocks[block].has(&h->patterns[i]))
			continue;
		if (n++ == 0)
			ag_buf_addf(out, "%s\n", blocks[block].title);
		if (n > LINES_PER_BLOCK)
			continue;
		blocks[block].add(out, h, &h->patterns[i]);
		ag_buf_addc(out, '\n');
	}
	if (n > LINES_PER_BLOCK)
		ag_buf_addf(out, "and %zu more\n", n - LINES_PER_BLOCK);
}

ag_str ag_history_text(const ag_history *h, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(TEXT_MAX_BYTES);
	ag_str ret;

	for (size_t i = 0; i < AG_NELEM(blocks); i++)
		add_block(&out, h, i);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}
