/* state_history -- see the header. Both events are applied alike when they happen and when a state is rebuilt. */
#include "audit/state_history.h"

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

/* A reviewer said that it is none: out of the findings, to the end of the dismissed. */
static void drop(ag_audit_state *s, ag_finding *f, ag_str by)
{
	ag_finding *items = ag_new_n(s->arena, ag_finding, s->dismissed.n + 1);
	const size_t at = (size_t)(f - s->findings.items);

	if (s->dismissed.n)
		memcpy(items, s->dismissed.items, s->dismissed.n * sizeof(*items));
	f->status = AG_S("dropped");
	f->evaluation_id = AG_S("");
	f->evaluation_verdict = AG_S("fail");
	f->evaluation_reason = AG_S("a reviewer rejected it");
	f->evaluation_critique = AG_S("");
	f->evaluation_score = 0;
	f->evaluated_by = ag_str_printf(s->arena, "review:%.*s", AG_FMT(by));
	items[s->dismissed.n++] = *f;
	s->dismissed.items = items;
	s->dismissed.cap = s->dismissed.n;
	memmove(f, f + 1, (s->findings.n - at - 1) * sizeof(*f));
	s->findings.n--;
}

void ag_audit_apply_review(ag_audit_state *s, const ag_val *payload)
{
	const ag_str label = ag_val_member_str(payload, "label");
	const ag_str decision = ag_val_member_str(payload, "decision");
	ag_finding *f, *dismissed;
	ag_id id;

	if (!ag_id_parse(ag_val_member_str(payload, "finding_id"), &id))
		return;
	f = find(s->findings.items, s->findings.n, &id);
	dismissed = f ? NULL : find(s->dismissed.items, s->dismissed.n, &id);
	if (dismissed)
		dismissed->user_label = label;
	if (!f)
		return;
	f->user_label = label;
	if (!ag_str_eqc(f->status, "pending_review"))
		return;
	if (ag_str_eqc(decision, "published"))
		f->status = AG_S("committed");
	else if (ag_str_eqc(decision, "dropped"))
		drop(s, f, ag_val_member_str(payload, "by"));
}
