/* state_history -- see the header. Both events are applied alike when they happen and when a state is rebuilt. */
#include "audit/state_history.h"

#include "audit/review.h"

ag_status ag_audit_apply_history(ag_audit_state *s, const ag_val *payload, ag_err *err)
{
	ag_status st;

	if (s->has_history)
		return AG_OK;
	st = ag_history_read(payload, s->arena, &s->history, err);
	if (!st)
		s->has_history = true;
	return st;
}

static ag_finding *find(ag_finding *items, size_t n, const ag_id *id)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(ag_id_str(&items[i].id), ag_id_str(id)))
			return &items[i];
	return NULL;
}

/* A reviewer rejected it: move it from the findings to the end of the dismissed ones. */
static void move_to_dismissed(ag_audit_state *s, ag_finding *f)
{
	ag_finding *items = ag_new_n(s->arena, ag_finding, s->dismissed.n + 1);
	const size_t at = (size_t)(f - s->findings.items);

	if (s->dismissed.n)
		memcpy(items, s->dismissed.items, s->dismissed.n * sizeof(*items));
	items[s->dismissed.n++] = *f;
	s->dismissed.items = items;
	s->dismissed.cap = s->dismissed.n;
	memmove(f, f + 1, (s->findings.n - at - 1) * sizeof(*f));
	s->findings.n--;
}

void ag_audit_apply_review(ag_audit_state *s, const ag_val *payload)
{
	const ag_review word = { .label = ag_val_member_str(payload, "label"),
		                 .by = ag_val_member_str(payload, "by"),
		                 .reason = ag_val_member_str(payload, "reason") };
	const int64_t at_ms = ag_val_member_time(payload, "at");
	ag_finding *f, *dismissed;
	ag_id id;

	if (!ag_id_parse(ag_val_member_str(payload, "finding_id"), &id))
		return;
	dismissed = find(s->dismissed.items, s->dismissed.n, &id);
	if (dismissed)
		ag_review_apply(dismissed, &word, AG_S(""), at_ms, s->arena);
	f = find(s->findings.items, s->findings.n, &id);
	if (f && ag_review_apply(f, &word, ag_val_member_str(payload, "decision"), at_ms, s->arena))
		move_to_dismissed(s, f);
}
