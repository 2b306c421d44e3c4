/* state -- see the header. A failure counts once: as an output that says so, or as a call that was refused before it ran. */
#include "analyst/state.h"

#include "knowledge/tools.h"
#include "query/extjson.h"

void ag_analyst_state_init(ag_analyst_state *s, ag_arena *arena)
{
	*s = (ag_analyst_state){ .arena = arena,
		                 .transcript = { .arena = arena },
		                 .result_bytes = AG_ANALYST_RESULT_BYTES,
		                 .retries = AG_ANALYST_RETRIES };
}

ag_str ag_analyst_sql_of(const ag_val *input)
{
	const ag_str query = ag_val_member_str(input, "query");

	return query.len ? query : ag_val_member_str(input, "sql");
}

static ag_analyst_query *push_query(ag_analyst_state *s)
{
	if (s->nquery == s->cap) {
		const size_t cap = s->cap ? 2 * s->cap : 16;
		ag_analyst_query *grown = ag_new_n(s->arena, ag_analyst_query, cap);

		if (s->nquery)
			memcpy(grown, s->queries, s->nquery * sizeof(*grown));
		s->queries = grown;
		s->cap = cap;
	}
	s->queries[s->nquery] = (ag_analyst_query){ 0 };
	return &s->queries[s->nquery++];
}

static ag_analyst_query *find(const ag_analyst_state *s, uint64_t seq)
{
	for (size_t i = s->nquery; i-- > 0;) {
		if (s->queries[i].seq == seq)
			return &s->queries[i];
	}
	return NULL;
}

const ag_analyst_query *ag_analyst_query_of(const ag_analyst_state *s, uint64_t seq)
{
	return find(s, seq);
}

bool ag_analyst_gave_up(const ag_analyst_state *s)
{
	return s->nfailed > s->retries && s->nfailed_reply > 1;
}

static ag_str kept(const ag_analyst_state *s, const ag_val *v, const char *key)
{
	return ag_str_dup(s->arena, ag_val_member_str(v, key));
}

static void count_failure(ag_analyst_state *s)
{
	s->nfailed++;
	if (s->last_failed_reply == s->transcript.nturn)
		return;
	s->last_failed_reply = s->transcript.nturn;
	s->nfailed_reply++;
}

/* --- events --- */

static void read_proposal(ag_analyst_state *s, const ag_event *ev, const ag_val *p)
{
	const ag_val *input = ag_val_getc(p, "action_input");
	ag_analyst_query *q;

	if (ag_val_member_bool(p, "final")) {
		s->has_final = true;
		s->final = ag_str_trim(kept(s, p, "text"));
		s->partial_why = kept(s, p, "partial_why");
		return;
	}
	s->has_final = false;
	q = push_query(s);
	q->seq = ev->seq;
	q->tool = kept(s, p, "action");
	q->sql = ag_str_dup(s->arena, ag_analyst_sql_of(input));
	if (input && input->type == AG_T_OBJECT)
		q->input = ag_val_dup(s->arena, input);
}

/* {"result":{…}} or {"error":{"message","hint"}}, of a tool that gave nothing at all. */
static void read_output(ag_analyst_state *s, const ag_event *ev, const ag_val *p,
                        ag_turn_call *call)
{
	const ag_val *result = ag_val_getc(p, "result"), *error = ag_val_getc(p, "error");
	ag_analyst_query *q = find(s, ev->cause);
	ag_val *own = ag_new(s->arena, ag_val);

	if (!q)
		return;
	q->has_output = true;
	q->at_ms = ev->at_ms;
	q->latency_ms = (int64_t)ag_val_member_num(p, "latency_ms");
	if (result) {
		*own = ag_val_dup(s->arena, result);
		ag_analyst_result_read(own, ag_val_member_bool(p, "is_error"), s->arena,
		                       &q->result);
	} else {
		q->result = (ag_analyst_result){ .error = kept(s, error, "message"),
			                         .hint = kept(s, error, "hint") };
	}
	if (!q->result.ok)
		count_failure(s);
	if (q->result.ok && ag_str_eqc(q->tool, AG_KNOW_TOOL_SEARCH) && q->result.data)
		ag_analyst_known_read(q->result.data, s->arena, &s->known);
	if (ag_analyst_is_table(&q->result))
		q->name = ag_str_printf(s->arena, "r%u", ++s->ntable);
	if (!call)
		return;
	call->result = ag_analyst_result_text(&q->result, q->name, s->result_bytes, s->arena);
	call->is_error = !q->result.ok;
}

/* The final text is sent back: another one follows. */
static void reject(ag_analyst_state *s)
{
	ag_str *grown = ag_new_n(s->arena, ag_str, s->nrejected + 1),
	       *why = ag_new_n(s->arena, ag_str, s->nrejected + 1);

	if (s->nrejected) {
		memcpy(grown, s->rejected, s->nrejected * sizeof(*grown));
		memcpy(why, s->rejected_why, s->nrejected * sizeof(*why));
	}
	grown[s->nrejected] = s->final;
	why[s->nrejected++] = s->doubt; /* of the verdict before the critique */
	s->rejected = grown;
	s->rejected_why = why;
}

static void read_verdict(ag_analyst_state *s, const ag_val *p)
{
	if (ag_str_eqc(ag_val_member_str(p, "gate"), ag_gate_name(AG_GATE_RUN)))
		s->doubt = ag_str_eqc(ag_val_member_str(p, "verdict"), ag_verdict_name(AG_PASS))
		                   ? AG_S("")
		                   : kept(s, p, "reason");
}

/* A call that answers to a critique was not run. */
static void read_critique(ag_analyst_state *s, const ag_event *ev, const ag_val *p,
                          const ag_turn_call *refused)
{
	ag_analyst_query *q = find(s, ev->cause);

	if (ag_str_eqc(ag_val_member_str(p, "gate"), ag_gate_name(AG_GATE_RUN)))
		reject(s);
	if (!refused)
		return;
	count_failure(s);
	if (q) {
		q->is_refused = true;
		q->result.error = kept(s, p, "text");
	}
}

static void read_start(ag_analyst_state *s, const ag_val *p)
{
	s->question = kept(s, p, "question");
	s->user = kept(s, p, "user");
	s->project = kept(s, p, "project");
	s->thread = kept(s, p, "thread");
	ag_analyst_known_read(ag_val_getc(p, "knowledge"), s->arena, &s->known);
	s->sittings = 1;
}

static void read_usage(ag_analyst_state *s, const ag_val *p)
{
	s->input_tokens += ag_val_member_u64(p, "input_tokens");
	s->output_tokens += ag_val_member_u64(p, "output_tokens");
	s->usd += ag_val_member_num(p, "usd");
	s->model_calls++;
	s->model = kept(s, p, "model");
}

ag_status ag_analyst_apply(void *state, const ag_event *ev, ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_analyst_state *s = state;
	ag_turn_call *call;
	ag_val p;
	ag_status st = ag_extjson_parse(ev->payload, &opts, scratch, &p, NULL, NULL, err);

	if (st)
		return st;
	call = ag_transcript_apply(&s->transcript, ev, &p);
	switch (ev->type) {
	case AG_EV_RUN_STARTED: read_start(s, &p); break;
	case AG_EV_RUN_RESUMED: s->sittings++; break;
	case AG_EV_PROPOSAL: read_proposal(s, ev, &p); break;
	case AG_EV_TOOL_OUTPUT: read_output(s, ev, &p, call); break;
	case AG_EV_CRITIQUE: read_critique(s, ev, &p, call); break;
	case AG_EV_VERDICT: read_verdict(s, &p); break;
	case AG_EV_USAGE: read_usage(s, &p); break;
	case AG_EV_RUN_FINISHED:
		s->is_finished = true;
		s->status = kept(s, &p, "status");
		s->why = kept(s, &p, "why");
		break;
	default: break;
	}
	return AG_OK;
}
