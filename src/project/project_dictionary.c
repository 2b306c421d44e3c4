/* The dictionary of a project's database: kept in the store for a day, made again on demand. */
#include <stdio.h>
#include <xxhash.h>

#include "project/hub.h"
#include "query/extjson.h"

#define ORIGIN   "project.dictionary"
#define MAX_TEXT AG_LEDGER_MAX_CACHED

/* What the dictionary depends on: another policy sees other tables. */
static ag_str key_of(const ag_project *p, ag_arena *arena)
{
	ag_buf text = AG_BUF_INIT(1u << 20);
	ag_str key;
	ag_jw w;

	ag_buf_add(&text, p->source);
	ag_buf_addc(&text, '\n');
	ag_jw_init(&w, &text, 0);
	ag_project_settings_write(&p->settings, &w);
	key = ag_str_printf(arena, "dictionary/%.*s/%016llx", AG_FMT(p->id),
	                    (unsigned long long)XXH3_64bits(text.ptr, text.len));
	ag_buf_release(&text);
	return key;
}

static bool kept(ag_project_hub *h, ag_str key, ag_arena *arena, ag_dictionary *ret)
{
	const int64_t now = ag_clock_wall(h->o.clock);
	int64_t at = 0;
	ag_str text = AG_S("");
	ag_status st = AG_NOT_FOUND;

	pthread_mutex_lock(&h->lock);
	if (h->o.store)
		st = ag_store_text(h->o.store, key, arena, &text, &at, NULL);
	pthread_mutex_unlock(&h->lock);
	/* A text that cannot be read (of another version) is as good as none. */
	return !st && at <= now && now - at < AG_DICTIONARY_AGE_MS &&
	       !ag_dictionary_read(text, arena, ret, NULL);
}

static void keep(ag_project_hub *h, ag_str key, const ag_dictionary *d)
{
	ag_buf text = AG_BUF_INIT(MAX_TEXT);
	ag_jw w;

	ag_jw_init(&w, &text, 0);
	ag_dictionary_write(d, &w);
	pthread_mutex_lock(&h->lock);
	/* A cache: without it the next call makes the dictionary again. */
	if (h->o.store && !text.failed &&
	    ag_store_put_text(h->o.store, key, ag_buf_view(&text), ag_clock_wall(h->o.clock), NULL))
		ag_buf_clear(&text);
	pthread_mutex_unlock(&h->lock);
	ag_buf_release(&text);
}

static ag_status make(ag_project_hub *h, const ag_ctx *ctx, const ag_project_call *call,
                      ag_arena *arena, ag_dictionary *ret, ag_sql_failure *f, ag_err *err)
{
	const ag_project *p = call->project;
	const ag_dictionary_opts o = { .with_samples = true,
		                       .sensitive_words = p->settings.sensitive_words,
		                       .nsensitive_word = p->settings.nsensitive_word };
	ag_project_place place;
	ag_err why = { 0 };
	ag_status st;

	if (ag_project_turn(h, ctx, call, arena, &place, f, &why))
		st = ag_sql_introspect(place.source, ctx, &o, arena, ret, f, &why);
	else
		st = place.status;
	ag_turn_give(place.turn);
	if (st == AG_INTERNAL) {
		if (err)
			*err = why;
		return st;
	}
	if (st)
		ag_sql_failure_of_err(&why, arena, f);
	return AG_OK;
}

ag_status ag_project_dictionary(ag_project_hub *h, const ag_ctx *ctx, ag_project_call *call,
                                bool refresh, ag_arena *arena, ag_dictionary *ret,
                                ag_sql_failure *ret_failure, ag_err *err)
{
	entry *e = ag_project_entry(call->project);
	ag_status st = ag_project_check_admitted(call, err);
	ag_str key;

	*ret_failure = (ag_sql_failure){ 0 };
	if (st)
		return st;
	key = key_of(call->project, arena);
	if (refresh || !kept(h, key, arena, ret)) {
		/* One thread makes it; the others then find it. */
		pthread_mutex_lock(&e->dictionary);
		if (refresh || !kept(h, key, arena, ret)) {
			st = make(h, ctx, call, arena, ret, ret_failure, err);
			if (!st && !ret_failure->code)
				keep(h, key, ret);
		}
		pthread_mutex_unlock(&e->dictionary);
	}
	call->is_measured = true;
	call->row.exec_us = ag_time_mono_us() - call->began_us;
	if (st || ret_failure->code)
		call->row.outcome = st ? AG_S("INTERNAL_ERROR")
		                       : ag_str_c(ag_sql_code_name(ret_failure->code));
	return st;
}

ag_status ag_project_dictionary_forget(ag_store *store, ag_str id, ag_arena *arena, ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	ag_project p = { .id = id };
	ag_project_row row;
	int64_t at_ms;
	ag_str text, key;
	ag_val settings;
	ag_status st = ag_store_project(store, id, arena, &row, err);

	if (st)
		return st == AG_NOT_FOUND ? AG_OK : st;
	p.source = row.source;
	st = ag_extjson_parse(row.settings, &opts, arena, &settings, NULL, NULL, err);
	if (!st)
		st = ag_project_settings_read(&settings, arena, &p.settings, err);
	if (st)
		return st;
	key = key_of(&p, arena);
	st = ag_store_text(store, key, arena, &text, &at_ms, err);
	/* An empty text is no dictionary: see kept(). */
	if (!st)
		st = ag_store_put_text(store, key, AG_S(""), at_ms, err);
	return st == AG_NOT_FOUND ? AG_OK : st;
}
