/* The fixed copies that share links show. What is copied is read by governed calls of the user who makes the link; known secrets
 * are replaced, and what the model thought is left out. */
#include "artifact/page.h"
#include "base/log.h"
#include "query/extjson.h"
#include "server/chat.h"
#include "server/shares.h"

#define ORIGIN        "server.shares"
#define MAX_ARTIFACTS 32u /* of a conversation; each has its data */
#define MAX_VALUES    (4u << 20)

/* --- an artifact --- */

static void write_sources(const ag_artifact *a, const ag_artifact_result *results, size_t n,
                          ag_arena *arena, ag_jw *w)
{
	ag_artifact_source *sources;
	const size_t nsource = ag_artifact_sources(a, arena, &sources);

	ag_jw_kkey(w, "sources");
	ag_jw_arr(w);
	for (size_t i = 0; i < n && i < nsource; i++) {
		ag_jw_obj(w);
		ag_jw_kstr(w, "name", results[i].name);
		ag_jw_kstr(w, "sql", sources[i].sql);
		ag_jw_kuint(w, "row_count", results[i].row_count);
		ag_jw_kbool(w, "truncated", results[i].is_cut);
		ag_jw_ktime_or_null(w, "at", results[i].at_ms);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

/* What the page hands into the frame: code that a script draws, else a document that runs nothing. */
static ag_status write_drawn(const ag_artifact *a, ag_str data, ag_arena *arena, ag_jw *w,
                             ag_err *err)
{
	ag_buf page = AG_BUF_INIT(AG_SHARE_MAX_COPY);
	size_t nleft;
	ag_status st = AG_OK;

	if (a->kind == AG_ARTIFACT_REACT || a->kind == AG_ARTIFACT_PLOTLY) {
		ag_jw_kstr(w, "code", a->version.code);
		ag_jw_kraw(w, "data", data);
		return AG_OK;
	}
	st = ag_artifact_page(a, data, arena, &page, &nleft, err);
	if (!st) {
		ag_jw_kstr(w, "code", ag_buf_view(&page));
		ag_jw_kraw(w, "data", AG_S("{}"));
	}
	ag_buf_release(&page);
	return st;
}

/* A copy without its data would show something else than the artifact. */
static ag_status check_results(const ag_artifact_result *results, size_t n, ag_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (results[i].error.len) {
			ag_fail(err, AG_UNAVAILABLE, ORIGIN,
			        "the data \"%.*s\" of the artifact cannot be read: %.*s",
			        AG_FMT(results[i].name), AG_FMT(results[i].error));
			return ag_err_hint(err, "share it when its view shows its data");
		}
	return AG_OK;
}

static ag_status write_artifact(const ag_share_source *from, const ag_artifact *a, ag_jw *w,
                                ag_err *err)
{
	ag_artifact_result *results = NULL;
	size_t n = 0;
	ag_status st = ag_artifact_query(from->place, a, from->h->chat->artifacts, from->arena,
	                                 &results, &n, err);

	if (!st)
		st = check_results(results, n, err);
	if (st)
		return st;
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", a->row.id);
	ag_jw_kuint(w, "version", a->version.version);
	ag_jw_kstr(w, "title", a->version.title);
	ag_jw_kstr(w, "type", a->row.kind);
	ag_jw_kstr(w, "description", a->version.description);
	ag_jw_kstr(w, "author", a->version.author);
	ag_jw_ktime(w, "created_at", a->version.created_ms);
	st = write_drawn(a, ag_artifact_data(a, results, n, from->arena), from->arena, w, err);
	write_sources(a, results, n, from->arena, w);
	ag_jw_obj_end(w);
	return st;
}

/* --- a copy --- */

/* The object is complete: hides secrets, and looks at its size. */
static ag_status finish(const ag_share_source *from, ag_buf *made, ag_str *ret, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf clean = AG_BUF_INIT(AG_SHARE_MAX_COPY);

	if (!made->failed && !ag_log_clean(ag_buf_view(made), &clean))
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		               "secrets could not be kept out of what is shared");
	if (made->failed || clean.failed) {
		ag_fail(err, AG_LIMIT, ORIGIN, "this has more than %u MB, too much to be shared",
		        AG_SHARE_MAX_COPY >> 20);
		return ag_err_hint(err,
		                   "share a smaller conversation, or an artifact with fewer rows");
	}
	*ret = ag_buf_dup(from->arena, &clean);
	return AG_OK;
}

ag_status ag_share_copy_artifact(const ag_share_source *from, const ag_artifact *a, ag_str *ret,
                                 ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(AG_SHARE_MAX_COPY);
	ag_status st;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "artifacts");
	ag_jw_arr(&w);
	st = write_artifact(from, a, &w, err);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return st ? st : finish(from, &out, ret, err);
}

/* --- a conversation --- */

typedef struct drawn {
	ag_str id;
	uint64_t version;
} drawn;

static void note_part(const ag_val *part, drawn *list, size_t *n)
{
	const ag_val *data = ag_val_getc(part, "data");
	const drawn d = { ag_val_member_str(data, "artifact_id"),
		          ag_val_member_u64(data, "version") };

	if (!ag_str_eqc(ag_val_member_str(part, "type"), "data-artifact") || !d.id.len)
		return;
	for (size_t i = 0; i < *n; i++)
		if (ag_str_eq(list[i].id, d.id) && list[i].version == d.version)
			return;
	if (*n < MAX_ARTIFACTS)
		list[(*n)++] = d;
}

/* Which artifacts the messages show. */
static ag_status find_drawn(ag_str messages, ag_arena *arena, drawn *list, size_t *n, ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 128, .max_values = MAX_VALUES };
	ag_val all;
	ag_status st = ag_extjson_parse(messages, &opts, arena, &all, NULL, NULL, err);

	*n = 0;
	for (uint32_t i = 0; !st && all.type == AG_T_ARRAY && i < all.n; i++) {
		const ag_val *parts = ag_val_getc(&all.u.items[i], "parts");

		for (uint32_t k = 0; parts && parts->type == AG_T_ARRAY && k < parts->n; k++)
			note_part(&parts->u.items[k], list, n);
	}
	return st;
}

/* One that was deleted, or whose data cannot be read, is not in the copy: the page says so in its place. */
static void write_one(const ag_share_source *from, const drawn *d, ag_buf *out, bool is_first)
{
	AG_AUTO(ag_buf_release) ag_buf one = AG_BUF_INIT(AG_SHARE_MAX_COPY);
	ag_err why = { 0 };
	ag_artifact a;
	ag_jw w;

	ag_jw_init(&w, &one, 0);
	if (ag_artifact_get(from->place, d->id, d->version, from->arena, &a, &why) ||
	    write_artifact(from, &a, &w, &why))
		return;
	if (!is_first)
		ag_buf_addc(out, ',');
	ag_buf_add(out, ag_buf_view(&one));
	out->failed |= one.failed;
}

/* run: a JSON object; "" = it is none of a recipe. */
static ag_status copy_messages(const ag_share_source *from, const ag_id *thread, ag_str run,
                               ag_str *ret, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf messages = AG_BUF_INIT(AG_SHARE_MAX_COPY);
	AG_AUTO(ag_buf_release) ag_buf artifacts = AG_BUF_INIT(AG_SHARE_MAX_COPY);
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(AG_SHARE_MAX_COPY);
	drawn list[MAX_ARTIFACTS];
	size_t n = 0;
	ag_status st = ag_server_thread_copy(from->store, thread, from->arena, &messages, err);
	ag_jw w;

	if (!st && !messages.failed)
		st = find_drawn(ag_buf_view(&messages), from->arena, list, &n, err);
	if (st)
		return st;
	for (size_t i = 0; i < n; i++)
		write_one(from, &list[i], &artifacts, !artifacts.len);
	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	if (run.len)
		ag_jw_kraw(&w, "run", run);
	ag_jw_kraw(&w, "messages", ag_buf_view(&messages));
	ag_jw_kraw(&w, "artifacts",
	           ag_str_printf(from->arena, "[%.*s]", AG_FMT(ag_buf_view(&artifacts))));
	ag_jw_obj_end(&w);
	out.failed |= messages.failed || artifacts.failed;
	return finish(from, &out, ret, err);
}

ag_status ag_share_copy_thread(const ag_share_source *from, const ag_id *thread, ag_str *ret,
                               ag_err *err)
{
	return copy_messages(from, thread, AG_S(""), ret, err);
}

ag_status ag_share_copy_run(const ag_share_source *from, const ag_recipe_run *run, ag_str *ret,
                            ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(AG_SHARE_MAX_COPY);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_recipe_run_row_json(run, from->arena, &w);
	return copy_messages(from, &run->thread, ag_buf_view(&out), ret, err);
}
