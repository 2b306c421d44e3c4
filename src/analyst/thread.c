/* thread -- see the header. */
#include "analyst/thread.h"

#include "base/json.h"
#include "query/extjson.h"

#define ORIGIN "analyst.thread"
#define KEY    "thread:"

ag_str ag_thread_place(ag_str project, ag_str user, ag_arena *arena)
{
	return ag_str_printf(arena, "%.*s/%.*s", AG_FMT(project), AG_FMT(user));
}

ag_thread ag_thread_of(const ag_id *id, ag_str place, ag_arena *arena)
{
	return (ag_thread){ .id = *id,
		            .key = ag_str_printf(arena, KEY "%s", id->text),
		            .place = place };
}

ag_thread ag_thread_new(const ag_clock *clock, ag_str place, ag_arena *arena)
{
	const ag_id id = ag_id_new(clock);

	return ag_thread_of(&id, ag_str_dup(arena, place), arena);
}

static bool of_key(ag_str key, ag_str place, ag_arena *arena, ag_thread *ret)
{
	ag_id id;

	if (!ag_str_starts(key, AG_S(KEY)) ||
	    !ag_id_parse(ag_str_make(key.ptr + sizeof(KEY) - 1, key.len - sizeof(KEY) + 1), &id))
		return false;
	*ret = ag_thread_of(&id, ag_str_dup(arena, place), arena);
	return true;
}

/* --- finding --- */

ag_status ag_thread_list(ag_store *s, ag_str place, size_t limit, ag_arena *arena,
                         ag_run_group **ret, size_t *nret, ag_err *err)
{
	return ag_store_groups(s,
	                       &(ag_group_question){ .agent = AG_S(AG_THREAD_AGENT),
	                                             .source_uri = place,
	                                             .prefix = AG_S(KEY),
	                                             .limit = limit },
	                       arena, ret, nret, err);
}

static bool is_prefix(ag_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		const char c = text.ptr[i];

		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f') && c != '-')
			return false;
	}
	return text.len >= 4 && text.len <= AG_ID_LEN;
}

static ag_status unknown(ag_str prefix, ag_err *err)
{
	const size_t n = prefix.len < 60 ? prefix.len : 60;

	if (prefix.len)
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "no thread of this project begins with \"%.*s\"",
		        (int)n, prefix.ptr);
	else
		ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no thread of this project yet");
	return ag_err_hint(err, prefix.len ? "`argus chat --threads` lists them"
	                                   : "leave --continue out to begin one");
}

ag_status ag_thread_find(ag_store *s, ag_str place, ag_str prefix, ag_arena *arena, ag_thread *ret,
                         ag_err *err)
{
	ag_run_group *groups;
	size_t n;
	ag_status st;

	if (prefix.len && !is_prefix(prefix))
		return unknown(prefix, err);
	st = ag_store_groups(s,
	                     &(ag_group_question){
				     .agent = AG_S(AG_THREAD_AGENT),
				     .source_uri = place,
				     .prefix = ag_str_printf(arena, KEY "%.*s", AG_FMT(prefix)),
				     .limit = 2 },
	                     arena, &groups, &n, err);
	if (st)
		return st;
	if (n > 1 && prefix.len) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" fits several threads", AG_FMT(prefix));
		return ag_err_hint(err, "give more characters of the id");
	}
	if (!n || !of_key(groups[0].source_key, place, arena, ret))
		return unknown(prefix, err);
	return AG_OK;
}

ag_status ag_thread_turns_before(ag_store *s, const ag_thread *t, ag_str turn, size_t max,
                                 ag_arena *arena, ag_run_row **ret, size_t *nret, ag_err *err)
{
	const ag_turns_question q = { .source_key = t->key, .before = turn, .limit = max };
	ag_run_row *rows;
	size_t n;
	ag_status st = ag_store_turns(s, &q, arena, &rows, &n, err);

	if (st)
		return st;
	for (size_t i = 0; i < n / 2; i++) {
		const ag_run_row swapped = rows[i];

		rows[i] = rows[n - 1 - i];
		rows[n - 1 - i] = swapped;
	}
	*ret = rows;
	*nret = n;
	return AG_OK;
}

ag_status ag_thread_turns(ag_store *s, const ag_thread *t, size_t max, ag_arena *arena,
                          ag_run_row **ret, size_t *nret, ag_err *err)
{
	return ag_thread_turns_before(s, t, AG_S(""), max, arena, ret, nret, err);
}

/* --- versions --- */

ag_status ag_thread_versions_read(ag_store *s, const ag_thread *t, ag_arena *arena,
                                  ag_thread_versions *ret, ag_err *err)
{
	ag_run_row *rows;
	ag_status st = ag_store_replacing(s, t->key, arena, &rows, &ret->n, err);

	if (!st)
		ret->rows = rows;
	return st;
}

/* The turn that replaced the one of that id, or one before it, first; NULL = it is part of the conversation. Ids ascend. */
static const ag_run_row *replaced_by(const ag_thread_versions *v, ag_str turn)
{
	for (size_t i = 0; i < v->n; i++) {
		const ag_run_row *r = &v->rows[i];

		if (ag_str_eq(r->replaces, turn) ||
		    (ag_str_cmp(r->replaces, turn) < 0 && ag_str_cmp(ag_id_str(&r->id), turn) > 0))
			return r;
	}
	return NULL;
}

/* The first version of a turn's question. Rows are walked from the newest: each replaces an earlier one. */
static ag_str first_version(const ag_thread_versions *v, ag_str turn)
{
	for (size_t i = v->n; i-- > 0;)
		if (ag_str_eq(ag_id_str(&v->rows[i].id), turn))
			turn = v->rows[i].replaces;
	return turn;
}

size_t ag_thread_versions_of(const ag_thread_versions *v, const ag_run_row *turn, ag_arena *arena,
                             ag_str **ret)
{
	const ag_str first = first_version(v, ag_id_str(&turn->id));
	size_t n = 0;

	*ret = ag_new_n(arena, ag_str, v->n + 1);
	(*ret)[n++] = ag_str_dup(arena, first);
	for (size_t i = 0; i < v->n; i++)
		if (ag_str_eq(first_version(v, ag_id_str(&v->rows[i].id)), first))
			(*ret)[n++] = ag_str_dup(arena, ag_id_str(&v->rows[i].id));
	return n;
}

ag_status ag_thread_turns_with(ag_store *s, const ag_thread *t, ag_str turn, size_t max,
                               ag_arena *arena, ag_run_row **ret, size_t *nret, ag_err *err)
{
	const ag_run_row *by;
	ag_thread_versions v;
	ag_status st = ag_thread_versions_read(s, t, arena, &v, err);

	if (st)
		return st;
	by = replaced_by(&v, turn);
	return ag_thread_turns_before(s, t, by ? ag_id_str(&by->id) : AG_S(""), max, arena, ret,
	                              nret, err);
}

/* Does the turn's question have that id of the client's? */
static bool is_message(ag_store *s, const ag_run_row *turn, ag_str message)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_extjson_opts opts = { 0 };
	ag_event *events;
	size_t n;
	ag_val v;

	return !ag_store_events_at(s, &turn->id, &(ag_log_place){ .limit = 1 }, arena, &events, &n,
	                           NULL) &&
	       n && !ag_extjson_parse(events[0].payload, &opts, arena, &v, NULL, NULL, NULL) &&
	       v.type == AG_T_OBJECT && ag_str_eq(ag_val_member_str(&v, "message"), message);
}

/* Of all turns, the newest first. */
static ag_status find_message(ag_store *s, const ag_thread *t, ag_str message, ag_arena *arena,
                              ag_str *ret, ag_err *err)
{
	ag_str id = message;
	ag_run_row *rows;
	size_t n;
	ag_status st = ag_store_runs(s, t->key, AG_THREAD_MAX_TURNS, 0, arena, &rows, &n, err);

	if (st)
		return st;
	if (ag_str_ends(id, AG_S(AG_THREAD_QUESTION)))
		id.len -= sizeof(AG_THREAD_QUESTION) - 1;
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eq(ag_id_str(&rows[i].id), id)) {
			*ret = ag_id_str(&rows[i].id);
			return AG_OK;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (is_message(s, &rows[i], message)) {
			*ret = ag_id_str(&rows[i].id);
			return AG_OK;
		}
	}
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "the conversation has no such message");
	return ag_err_hint(err, "read the conversation again, and name a message that it has");
}

ag_status ag_thread_replaceable(ag_store *s, const ag_thread *t, ag_str message, ag_arena *arena,
                                ag_str *ret, ag_err *err)
{
	ag_thread_versions v;
	ag_str turn;
	ag_status st = find_message(s, t, message, arena, &turn, err);

	if (!st)
		st = ag_thread_versions_read(s, t, arena, &v, err);
	if (st)
		return st;
	if (replaced_by(&v, turn)) {
		ag_fail(err, AG_CONFLICT, ORIGIN, "the question was changed meanwhile");
		return ag_err_hint(err,
		                   "read the conversation again; change the version that it shows");
	}
	*ret = turn;
	return AG_OK;
}

ag_status ag_thread_of_turn(ag_store *s, ag_str place, ag_str turn, ag_arena *arena, ag_thread *ret,
                            ag_run_row *ret_turn, ag_err *err)
{
	ag_status st = ag_store_find_run(s, turn, arena, ret_turn, err);

	if (st && st != AG_NOT_FOUND && st != AG_INVALID)
		return st;
	if (!st && ag_str_eqc(ret_turn->agent, AG_THREAD_AGENT) &&
	    ag_str_eq(ret_turn->source_uri, place) &&
	    of_key(ret_turn->source_key, place, arena, ret))
		return AG_OK;
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "no turn of this project begins with \"%.*s\"",
	        (int)(turn.len < 60 ? turn.len : 60), turn.ptr);
	return ag_err_hint(err, "/why in a conversation, and --output json, name the turn");
}

/* --- branching --- */

/* The members of run_started or of a report, with another thread and turn. */
static ag_str renamed(ag_str payload, const ag_id *thread, const ag_id *turn, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	ag_buf out = AG_BUF_INIT(AG_STORE_MAX_PAYLOAD_BYTES);
	ag_str ret = payload;
	ag_val v;
	ag_jw w;

	if (ag_extjson_parse(payload, &opts, arena, &v, NULL, NULL, NULL) || v.type != AG_T_OBJECT)
		return payload;
	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	for (uint32_t i = 0; i < v.n; i++) {
		const ag_member *m = &v.u.members[i];

		if (ag_str_eqc(m->key, "replaces")) /* a copy has one version of each question */
			continue;
		ag_jw_key(&w, m->key);
		if (ag_str_eqc(m->key, "thread"))
			ag_jw_str(&w, ag_id_str(thread));
		else if (ag_str_eqc(m->key, "turn"))
			ag_jw_str(&w, ag_id_str(turn));
		else
			ag_jw_raw(&w, ag_extjson_str(arena, &m->val, AG_EXTJSON_RELAXED));
	}
	ag_jw_obj_end(&w);
	if (!out.failed)
		ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_status copy_turn(ag_store *s, const ag_clock *clock, const ag_run_row *row,
                           const ag_thread *to, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_run_row copy = *row;
	ag_store_batch batch = { .run = &copy, .on_disk = AG_STORE_SOON };
	ag_event *events;
	ag_str report = AG_S("");
	ag_status st = ag_store_events(s, &row->id, 0, arena, &events, &batch.nevent, err);

	if (!st)
		st = ag_store_report(s, &row->id, arena, &report, err);
	if (st && st != AG_NOT_FOUND) /* an interrupted turn has none */
		return st;
	copy.id = ag_id_new(clock);
	copy.source_key = to->key;
	copy.replaces = AG_S("");
	for (size_t i = 0; i < batch.nevent; i++) {
		events[i].run = copy.id;
		if (events[i].type == AG_EV_RUN_STARTED)
			events[i].payload = renamed(events[i].payload, &to->id, &copy.id, arena);
	}
	batch.events = events;
	batch.report = report.len ? renamed(report, &to->id, &copy.id, arena) : report;
	return ag_store_commit(s, &copy.id, &batch, err);
}

ag_status ag_thread_branch(ag_store *s, const ag_clock *clock, const ag_thread *from,
                           const ag_run_row *last, ag_arena *arena, ag_thread *ret, ag_err *err)
{
	const ag_str end = ag_id_str(&last->id);
	ag_run_row *turns;
	size_t n;
	ag_status st = ag_thread_turns_with(s, from, end, AG_THREAD_MAX_TURNS, arena, &turns, &n,
	                                    err);

	if (st)
		return st;
	*ret = ag_thread_new(clock, from->place, arena);
	for (size_t i = 0; i < n && !st; i++) {
		st = copy_turn(s, clock, &turns[i], ret, err);
		if (ag_str_eq(ag_id_str(&turns[i].id), end))
			break;
	}
	return st;
}

/* --- the right to write --- */

ag_status ag_thread_busy(const ag_id *thread, ag_err *err)
{
	ag_fail(err, AG_CONFLICT, ORIGIN, "thread %.13s is answering a question", thread->text);
	return ag_err_hint(err, "stop that answer, or wait until it is complete; then try again");
}

ag_status ag_thread_take(ag_store *s, const ag_thread *t, ag_str owner, const ag_clock *clock,
                         int64_t ttl_ms, ag_err *err)
{
	const ag_status st = ag_store_lease(s, &t->id, owner, ag_clock_wall(clock), ttl_ms, err);

	return st == AG_CONFLICT ? ag_thread_busy(&t->id, err) : st;
}

void ag_thread_give(ag_store *s, const ag_thread *t, ag_str owner, const ag_clock *clock)
{
	if (owner.len)
		AG_IGNORE(ag_store_lease(s, &t->id, owner, ag_clock_wall(clock), 0, NULL),
		          "it runs out by itself");
}
