/* rules -- every rule of the auditor's three gates, as rows of one table.
 *
 * A rule fires when something is wrong and then says what, and what to do instead. Thresholds are settings
 * (ag_rule_opts). Source of the rules: the promise of the documentation, audit.md sections 5.2 and 15. */
#include <limits.h>

#include "audit/aside.h"
#include "audit/state.h"

static const ag_audit_state *state_of(const ag_subject *s)
{
	return s->state;
}

static bool is_action(const ag_subject *s, const char *name)
{
	return ag_str_eqc(s->proposal->action, name);
}

/* ---- action ---- */

static bool known_action(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	if (s->tool)
		return false;
	ret->reason = ag_str_printf(arena, "there is no action \"%.*s\"",
	                            (int)(s->proposal->action.len < 60 ? s->proposal->action.len
	                                                               : 60),
	                            s->proposal->action.ptr);
	ret->critique = AG_S(
		"Use one of schema_sample, run_query, get_stats, aggregate, profile_fields, "
		"write_finding, conclude.");
	return true;
}

static bool action_input_shape(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	ag_err err = { 0 };

	if (!s->tool)
		return false;
	if (!s->input)
		err = *s->input_err;
	else if (!ag_tool_check_input(s->tool, s->input, &err))
		return false;
	ret->reason = ag_str_dup(arena, ag_str_c(err.msg));
	ret->critique = err.hint[0]
	                        ? ag_str_printf(arena, "%s (%s). Send it again in the right shape.",
	                                        err.msg, err.hint)
	                        : ag_str_printf(arena, "%s. Send it again in the right shape.",
	                                        err.msg);
	return true;
}

static bool sample_before_query(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	(void)arena;
	if (state_of(s)->has_schema || !s->tool || is_action(s, "schema_sample") ||
	    is_action(s, "conclude"))
		return false;
	ret->reason = AG_S("no schema was sampled yet");
	ret->critique = AG_S("Call schema_sample first: hypotheses need the schema.");
	return true;
}

static bool budget_warning(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	const ag_audit_state *st = state_of(s);
	const unsigned left = ag_audit_remaining(st);

	if (!is_action(s, "schema_sample") || left >= st->rules.budget_warning_below)
		return false;
	ret->kind = AG_WARN;
	ret->reason = ag_str_printf(arena, "another sample with only %u iterations left", left);
	ret->critique = AG_S("Few iterations are left: confirm what you have and conclude.");
	return true;
}

/* One function, four rows: the same call again, in canonical form. */
static const ag_call_record *repeated(const ag_subject *s, const char *tool, ag_arena *arena)
{
	if (!s->tool || !s->input || !is_action(s, tool))
		return NULL;
	return ag_audit_call_find(state_of(s),
	                          ag_audit_call_key(s->proposal->action, s->input, arena));
}

static bool no_repeat_query(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	const ag_call_record *call = repeated(s, "run_query", arena);

	if (!call)
		call = repeated(s, "aggregate", arena);
	if (!call)
		return false;
	ret->reason = AG_S("this query was already run");
	ret->critique =
		call->has_matched
			? ag_str_printf(
				  arena,
				  "The same query ran before and matched %llu documents. Test another "
				  "hypothesis, or write the finding.",
				  (unsigned long long)call->matched)
			: AG_S("The same query ran before. Test another hypothesis, or write the finding.");
	return true;
}

static bool no_repeat_stats(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	if (!repeated(s, "get_stats", arena) && !repeated(s, "profile_fields", arena))
		return false;
	ret->reason = AG_S("these statistics were already asked for");
	ret->critique = AG_S(
		"The same statistics were asked for before: use that answer, or ask for another field.");
	return true;
}

static bool no_repeat_sample(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	if (!repeated(s, "schema_sample", arena))
		return false;
	ret->kind = AG_WARN;
	ret->reason = AG_S("the same sample was already taken");
	ret->critique = AG_S(
		"The schema is already known; this sample shows the same documents again.");
	return true;
}

static bool no_repeat_finding(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	const ag_finding *f;

	if (!repeated(s, "write_finding", arena))
		return false;
	f = ag_audit_finding_find(state_of(s), ag_val_text(ag_val_getc(s->input, "field")),
	                          ag_val_text(ag_val_getc(s->input, "category")));
	if (!f || !ag_str_eqc(f->status, "committed"))
		return false;
	ret->kind = AG_WARN;
	ret->reason = AG_S("this finding is already committed");
	ret->critique = AG_S(
		"This finding is already committed, unchanged. Go on with something else.");
	return true;
}

/* ---- finding ---- */

static const ag_finding *candidate(const ag_subject *s)
{
	return state_of(s)->candidate;
}

static bool evidence_query_present(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	(void)arena;
	if (candidate(s)->evidence_query.len)
		return false;
	ret->reason = AG_S("evidence_query is blank");
	ret->critique = AG_S("Give the filter or pipeline that finds the affected documents.");
	return true;
}

static bool evidence_required(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	const ag_finding *f = candidate(s);

	if (f->affected > 0)
		return false;
	ret->reason = f->evidence_query.len ? AG_S("the evidence finds no document")
	                                    : AG_S("nothing was counted");
	ret->critique =
		f->claimed_count > 0
			? ag_str_printf(
				  arena,
				  "You claimed %lld affected documents; the evidence finds 0 of %llu. Mend the "
				  "filter or drop the finding.",
				  (long long)f->claimed_count, (unsigned long long)f->total)
			: AG_S("A finding needs at least one affected document: mend the filter or drop it.");
	return true;
}

static double absolute(double x)
{
	return x < 0 ? -x : x;
}

/* Off by more than the tolerance, relative to what the data says; exactly one percent off is not more than that,
 * also when the share is no exact binary fraction. */
static bool is_off(double claimed, double actual, double tolerance)
{
	return absolute(claimed - actual) > tolerance * absolute(actual) * (1 + 1e-9);
}

bool ag_audit_claim_is_off(const ag_audit_state *s, const ag_finding *f)
{
	const double tolerance = s->rules.evidence_tolerance;

	return f->affected &&
	       ((f->has_claimed_count &&
	         is_off((double)f->claimed_count, (double)f->affected, tolerance)) ||
	        (f->has_claimed_share && is_off(f->claimed_share, f->share, tolerance)));
}

/* The evidence is right, the figure was not: what Argus counted is committed. */
static bool evidence_matches(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	const ag_finding *f = candidate(s);

	if (!ag_audit_claim_is_off(state_of(s), f))
		return false;
	ret->kind = AG_WARN;
	ret->reason =
		f->has_claimed_count
			? ag_str_printf(arena,
	                                "the evidence finds %llu documents, %lld were claimed",
	                                (unsigned long long)f->affected,
	                                (long long)f->claimed_count)
			: ag_str_printf(arena,
	                                "the evidence finds a share of %.6g, %.6g was claimed",
	                                f->share, f->claimed_share);
	ret->critique = ag_str_printf(
		arena,
		"%.*s. The evidence was run: affected_count is %llu and affected_pct is %.6g (of "
		"%llu documents). These figures are committed.",
		AG_FMT(ret->reason), (unsigned long long)f->affected, f->share,
		(unsigned long long)f->total);
	return true;
}

static bool evidence_shows_it(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	(void)arena;
	if (!candidate(s)->wrong.len)
		return false;
	ret->reason = candidate(s)->wrong;
	ret->critique = candidate(s)->wrong_critique;
	return true;
}

static bool evidence_exact(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	if (!candidate(s)->correction.len || candidate(s)->wrong.len)
		return false;
	ret->kind = AG_WARN;
	ret->reason = candidate(s)->correction;
	ret->critique = ag_str_printf(arena, "Corrected: %.*s.", AG_FMT(candidate(s)->correction));
	return true;
}

static bool severity_calibration_critical(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	const ag_finding *f = candidate(s);
	const double min = state_of(s)->rules.critical_min_share;

	if (f->severity != AG_CRITICAL || f->share >= min)
		return false;
	ret->reason = ag_str_printf(arena, "critical with %.4g %% affected, want at least %.4g %%",
	                            f->share * 100, min * 100);
	ret->critique = AG_S(
		"Lower the severity to high or medium: critical needs a larger share.");
	return true;
}

static bool severity_calibration_high(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	const ag_finding *f = candidate(s);
	const double min = state_of(s)->rules.high_min_share;

	if (f->severity != AG_HIGH || f->share >= min)
		return false;
	ret->kind = AG_WARN;
	ret->reason = ag_str_printf(arena, "high with %.4g %% affected, want at least %.4g %%",
	                            f->share * 100, min * 100);
	ret->critique = AG_S("Consider medium: very few documents are affected.");
	return true;
}

static bool hypothesis_present(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	(void)arena;
	if (ag_str_trim(candidate(s)->hypothesis).len)
		return false;
	ret->kind = AG_WARN;
	ret->reason = AG_S("hypothesis is blank");
	ret->critique = AG_S("Say what probably caused it.");
	return true;
}

static bool description_present(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	const unsigned min = state_of(s)->rules.description_min_chars;

	if (ag_str_trim(candidate(s)->description).len >= min)
		return false;
	ret->reason = ag_str_printf(arena, "the description has fewer than %u characters", min);
	ret->critique = AG_S("Describe the problem in one sentence.");
	return true;
}

/* It is committed and marked, so that a person can change the label. The planner learns why it does not count. */
static bool labelled_false_positive(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	ag_said said;

	if (!ag_aside_is_labelled(state_of(s), candidate(s), arena, &said))
		return false;
	ret->kind = AG_WARN;
	ret->reason = AG_S("a person marked this finding as a false positive");
	ret->critique = ag_str_printf(
		arena,
		"A person marked this finding, with the same evidence, as a false positive%s%.*s. It does "
		"not count. Propose it again only with evidence that excludes what is normal.",
		said.reason.len ? ": " : "", AG_FMT(said.reason));
	return true;
}

/* ---- run ---- */

static bool minimum_field_coverage(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	const ag_audit_state *st = state_of(s);
	const double min = st->rules.field_coverage_min;
	size_t covered, paths;

	/* Without a schema there are no fields to count: a run that never looked would pass with all of them. */
	if (!st->has_schema && st->collection_size) {
		ret->reason = AG_S("no document was looked at");
		ret->critique = AG_S("Call schema_sample, then investigate the fields it lists.");
		return true;
	}
	ag_audit_coverage(st, &covered, &paths);
	if (!paths || (double)covered >= min * (double)paths)
		return false;
	ret->reason = ag_str_printf(arena, "%zu of %zu data fields were investigated, want %.0f %%",
	                            covered, paths, min * 100);
	ret->critique = AG_S(
		"Investigate more fields: profile_fields takes up to 50 of them in one call.");
	return true;
}

static bool no_findings_on_clean_collection(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	const ag_audit_state *st = state_of(s);

	if (st->findings.n || st->documents_sampled < st->rules.clean_collection_docs)
		return false;
	ret->kind = AG_WARN;
	ret->reason = ag_str_printf(arena, "no finding in %llu sampled documents",
	                            (unsigned long long)st->documents_sampled);
	ret->critique = AG_S(
		"Large collections are rarely spotless: make sure that the checks really ran.");
	return true;
}

static bool early_termination(const ag_subject *s, ag_arena *arena, ag_rule_hit *ret)
{
	const ag_audit_state *st = state_of(s);
	size_t covered, paths;

	/* Where the schema has no data field there is nothing to investigate. */
	ag_audit_coverage(st, &covered, &paths);
	if (st->iteration >= st->rules.early_termination_min || (st->has_schema && !paths))
		return false;
	ret->reason = ag_str_printf(arena, "concluded at iteration %u, want at least %u",
	                            st->iteration, st->rules.early_termination_min);
	ret->critique = AG_S("Investigate before you conclude.");
	return true;
}

const ag_rule ag_audit_rules[] = {
	{ "known_action", AG_GATE_ACTION, "the action is in the tool table", known_action },
	{ "action_input_shape", AG_GATE_ACTION, "the input has the tool's parameters",
	  action_input_shape },
	{ "sample_before_query", AG_GATE_ACTION, "the schema is sampled before anything else",
	  sample_before_query },
	{ "no_repeat_query", AG_GATE_ACTION, "a query is run once", no_repeat_query },
	{ "no_repeat_stats", AG_GATE_ACTION, "statistics are asked for once", no_repeat_stats },
	{ "no_repeat_sample", AG_GATE_ACTION, "the same sample is not taken again",
	  no_repeat_sample },
	{ "no_repeat_finding", AG_GATE_ACTION, "a committed finding is not written again unchanged",
	  no_repeat_finding },
	{ "budget_warning", AG_GATE_ACTION, "no new sample when the budget is nearly used up",
	  budget_warning },
	{ "evidence_query_present", AG_GATE_OBSERVATION, "a finding has evidence",
	  evidence_query_present },
	{ "evidence_required", AG_GATE_OBSERVATION, "the evidence finds documents",
	  evidence_required },
	{ "evidence_shows_it", AG_GATE_OBSERVATION, "the evidence shows the category in the field",
	  evidence_shows_it },
	{ "evidence_exact", AG_GATE_OBSERVATION, "the evidence finds these documents and no others",
	  evidence_exact },
	{ "evidence_matches", AG_GATE_OBSERVATION, "claimed figures are those of the data",
	  evidence_matches },
	{ "severity_calibration_critical", AG_GATE_OBSERVATION, "critical needs a share",
	  severity_calibration_critical },
	{ "severity_calibration_high", AG_GATE_OBSERVATION, "high needs a share",
	  severity_calibration_high },
	{ "hypothesis_present", AG_GATE_OBSERVATION, "a cause is suspected", hypothesis_present },
	{ "description_present", AG_GATE_OBSERVATION, "the problem is described",
	  description_present },
	{ "labelled_false_positive", AG_GATE_OBSERVATION,
	  "what a person marked as false is not news", labelled_false_positive },
	{ "minimum_field_coverage", AG_GATE_RUN, "enough data fields were investigated",
	  minimum_field_coverage },
	{ "no_findings_on_clean_collection", AG_GATE_RUN, "no finding at all is suspicious",
	  no_findings_on_clean_collection },
	{ "early_termination", AG_GATE_RUN, "the run did not end at once", early_termination },
};
const size_t ag_audit_nrule = AG_NELEM(ag_audit_rules);
