/* chat_recipe -- see the header. A word with blanks is put into double quotes: run "Weekly orders" region="North East". */
#include "cli/chat_recipe.h"

#include "app/models.h"
#include "base/utf8.h"
#include "cli/recipe_show.h"
#include "knowledge/knowledge.h"

#define ORIGIN    "cli.chat_recipe"
#define MAX_WORDS 64u

static void fail(ag_cli *c, const ag_err *err)
{
	AG_IGNORE(ag_cli_fail(c, err), "a conversation goes on");
}

static ag_know_place place_of(const ag_cli *c, const ag_app_chat *chat)
{
	return (ag_know_place){ chat->hub, &c->app.ctx, &chat->who, chat->project };
}

/* --- words --- */

typedef struct words {
	ag_str name;
	ag_str pairs[MAX_WORDS];
	size_t npair;
} words;

/* The next word, without its double quotes. */
static bool next_word(ag_str *rest, ag_arena *arena, ag_str *ret)
{
	ag_buf out = AG_BUF_INIT(64u * 1024);
	bool in_quotes = false;
	size_t i = 0;

	*rest = ag_str_trim(*rest);
	for (; i < rest->len && (in_quotes || rest->ptr[i] != ' '); i++) {
		if (rest->ptr[i] == '"')
			in_quotes = !in_quotes;
		else
			ag_buf_addc(&out, rest->ptr[i]);
	}
	*ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	*rest = ag_str_make(rest->ptr + i, rest->len - i);
	return i > 0;
}

/* Words with "=" are values, the others are the name. */
static bool read_words(ag_cli *c, ag_str rest, words *ret)
{
	ag_str one;

	*ret = (words){ 0 };
	while (next_word(&rest, c->app.arena, &one)) {
		if (ag_str_find(one, '=') <= 0)
			ret->name = ret->name.len ? ag_str_printf(c->app.arena, "%.*s %.*s",
			                                          AG_FMT(ret->name), AG_FMT(one))
			                          : one;
		else if (ret->npair < MAX_WORDS)
			ret->pairs[ret->npair++] = one;
	}
	if (!ret->name.len)
		ag_cli_note(c, "/recipe: want a name, like /recipe run Weekly region=North");
	return ret->name.len > 0;
}

/* --- list --- */

static void list(ag_cli *c, const ag_app_chat *chat)
{
	const ag_know_place place = place_of(c, chat);
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_know *recipes;
	ag_err err = { 0 };
	size_t n;

	if (ag_know_list(&place, AG_KNOW_RECIPE, c->app.arena, &recipes, &n, &err)) {
		fail(c, &err);
		return;
	}
	for (size_t i = 0; i < n; i++)
		ag_recipe_show_line(&recipes[i], &p);
	if (!n)
		ag_cli_note(
			c,
			"there is no recipe yet; /recipe save NAME makes one of the questions of "
			"this thread, VARIABLE=WORD puts a variable in the place of a word");
	AG_IGNORE(ag_cli_finish(c, &out, AG_EXIT_OK), "reported once");
}

/* --- run --- */

static ag_llm_meter *new_meter(void *arg, ag_arena *arena)
{
	const ag_cli *c = arg;

	return ag_app_meter(&c->app, arena);
}

static void run(ag_cli *c, const ag_app_chat *chat, ag_str rest)
{
	const ag_know_place place = place_of(c, chat);
	ag_analyst_opts opts = chat->opts;
	const ag_recipe_opts o = { .chat = &opts,
		                   .no_model = chat->llm ? NULL : &chat->no_model,
		                   .meter = new_meter,
		                   .on_step = ag_recipe_show_step,
		                   .arg = c };
	const ag_id thread = ag_id_new(c->app.ctx.clock);
	ag_recipe_run r;
	ag_err err = { 0 }, why = { 0 };
	ag_know recipe;
	ag_val values;
	words w;

	if (!read_words(c, rest, &w))
		return;
	opts.watch = (ag_watch){ 0 };
	opts.on_event = NULL;
	if (ag_recipe_typed_values(w.pairs, w.npair, c->app.arena, &values, &err) ||
	    ag_know_get(&place, AG_KNOW_RECIPE, w.name, c->app.arena, &recipe, &err) ||
	    ag_recipe_begin(&c->app.ctx, &o, &recipe, &values, &thread, c->app.arena, &r, &err) ||
	    ag_recipe_go(&c->app.ctx, &o, &r, c->app.arena, &why, &err)) {
		fail(c, &err);
		return;
	}
	if (why.status) {
		ag_err_hint(&why, "argus recipe resume %.8s goes on at that step", r.key.ptr);
		fail(c, &why);
		return;
	}
	ag_cli_note(c, "run %.8s; argus recipe show --run %.8s has all of it", r.key.ptr,
	            r.key.ptr);
}

/* --- save --- */

typedef struct pair {
	ag_str name, literal;
	size_t nfound;
} pair;

/* The question, with {{name}} in the place of each literal; the longest that fits at a place wins. */
static ag_str template_of(ag_str question, pair *pairs, size_t n, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(256u * 1024);
	ag_str ret;

	for (size_t i = 0; i < question.len;) {
		pair *best = NULL;

		for (size_t k = 0; k < n; k++) {
			const ag_str l = pairs[k].literal;

			if (i + l.len <= question.len &&
			    memcmp(question.ptr + i, l.ptr, l.len) == 0 &&
			    (!best || l.len > best->literal.len))
				best = &pairs[k];
		}
		if (!best) {
			ag_buf_addc(&out, question.ptr[i++]);
			continue;
		}
		ag_buf_addf(&out, "{{%.*s}}", AG_FMT(best->name));
		best->nfound++;
		i += best->literal.len;
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_val object_of(ag_arena *arena, const char *const *keys, const ag_str *texts, size_t n)
{
	ag_member *m = ag_new_n(arena, ag_member, n);

	for (size_t i = 0; i < n; i++)
		m[i] = (ag_member){ ag_str_c(keys[i]), ag_val_str(texts[i]) };
	return ag_val_object(m, n);
}

static ag_val variable_of(const pair *p, ag_arena *arena)
{
	static const char *const keys[] = { "name", "type", "label", "default" };
	const ag_str texts[] = { p->name, ag_str_c(ag_recipe_type_of_text(p->literal)), p->name,
		                 p->literal };

	return object_of(arena, keys, texts, AG_NELEM(keys));
}

static ag_status read_pairs(const words *w, pair *ret, ag_err *err)
{
	for (size_t i = 0; i < w->npair; i++) {
		ag_str literal = w->pairs[i];
		const ag_str name = ag_str_split(&literal, '=');

		ret[i] = (pair){ .name = name, .literal = literal };
		if (!literal.len)
			return ag_fail(err, AG_INVALID, ORIGIN,
			               "%.*s: want the word of a question that "
			               "it stands for",
			               AG_FMT(ag_utf8_prefix(name, 60)));
	}
	return AG_OK;
}

/* The fields of a recipe: a step for each question that has an answer. */
static ag_status make_fields(ag_cli *c, const ag_run_row *rows, size_t nrow, const words *w,
                             ag_val *ret, ag_err *err)
{
	static const char *const keys[] = { "prompt_template" };
	ag_arena *arena = c->app.arena;
	ag_val *steps = ag_new_n(arena, ag_val, nrow + 1);
	ag_val *variables = ag_new_n(arena, ag_val, w->npair + 1);
	ag_member *m = ag_new_n(arena, ag_member, 3);
	pair pairs[MAX_WORDS];
	ag_str about = AG_S("");
	size_t nstep = 0;
	ag_status st = read_pairs(w, pairs, err);

	for (size_t i = 0; i < nrow && !st; i++) {
		ag_analyst_state s;
		ag_str one;

		st = ag_analyst_read_turn(c->app.store, &rows[i].id, arena, &s, err);
		if (st || !s.has_final)
			continue;
		one = template_of(s.question, pairs, w->npair, arena);
		about = about.len ? about : s.question;
		steps[nstep++] = object_of(arena, keys, &one, 1);
	}
	for (size_t i = 0; i < w->npair && !st; i++) {
		if (!pairs[i].nfound)
			return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: no question has \"%.*s\"",
			               AG_FMT(ag_utf8_prefix(pairs[i].name, 60)),
			               AG_FMT(ag_utf8_prefix(pairs[i].literal, 60)));
		variables[i] = variable_of(&pairs[i], arena);
	}
	if (st)
		return st;
	m[0] = (ag_member){ AG_S("description"),
		            ag_val_str(ag_str_printf(arena, "From a conversation: %.*s",
		                                     AG_FMT(ag_utf8_prefix(about, 200)))) };
	m[1] = (ag_member){ AG_S("variables"), ag_val_array(variables, w->npair) };
	m[2] = (ag_member){ AG_S("steps"), ag_val_array(steps, nstep) };
	*ret = ag_val_object(m, 3);
	return AG_OK;
}

/* "Weekly 2": of the last two questions. */
static uint64_t take_count(words *w)
{
	uint64_t n = 0;
	size_t at = w->name.len;

	while (at && w->name.ptr[at - 1] != ' ')
		at--;
	if (!at || !ag_str_to_u64(ag_str_make(w->name.ptr + at, w->name.len - at), &n) || !n)
		return AG_RECIPE_MAX_STEPS;
	w->name = ag_str_trim(ag_str_make(w->name.ptr, at));
	return n < AG_RECIPE_MAX_STEPS ? n : AG_RECIPE_MAX_STEPS;
}

static void save(ag_cli *c, const ag_app_chat *chat, const ag_thread *thread, ag_str rest)
{
	const ag_know_place place = place_of(c, chat);
	ag_know_counts n;
	ag_run_row *rows;
	ag_val fields;
	ag_know o;
	ag_err err = { 0 };
	uint64_t last;
	size_t nrow;
	words w;

	if (!read_words(c, rest, &w))
		return;
	last = take_count(&w);
	if (ag_thread_turns(c->app.store, thread, (size_t)last, c->app.arena, &rows, &nrow, &err)) {
		fail(c, &err);
		return;
	}
	if (!nrow) {
		ag_cli_note(c, "/recipe save: ask something first");
		return;
	}
	if (make_fields(c, rows, nrow, &w, &fields, &err) ||
	    ag_know_make(AG_KNOW_RECIPE, w.name, &fields, c->app.arena, &o, &err)) {
		fail(c, &err);
		return;
	}
	o.author = chat->who.user;
	o.created_ms = o.changed_ms = ag_clock_wall(c->app.ctx.clock);
	if (ag_know_put(&place, &o, 1, AG_KNOW_ADD, true, c->app.arena, &n, &err)) {
		fail(c, &err);
		return;
	}
	ag_cli_note(c, "recipe %.*s: %.*s, %zu step%s; argus recipe edit changes it",
	            AG_FMT(ag_know_short(&o)), AG_FMT(o.name),
	            (size_t)ag_val_getc(&o.body, "steps")->n,
	            ag_val_getc(&o.body, "steps")->n == 1 ? "" : "s");
}

void ag_chat_recipe(ag_cli *c, const ag_app_chat *chat, const ag_thread *thread, ag_str rest)
{
	ag_str verb;

	if (chat->sql.client) {
		ag_cli_note(
			c,
			"the project's recipes are with the MCP server, and cannot be used here");
		return;
	}
	if (!next_word(&rest, c->app.arena, &verb) || ag_str_eqc(verb, "list"))
		list(c, chat);
	else if (ag_str_eqc(verb, "run"))
		run(c, chat, rest);
	else if (ag_str_eqc(verb, "save"))
		save(c, chat, thread, rest);
	else
		ag_cli_note(c, "/recipe: want list, run NAME VARIABLE=VALUE, or save NAME [LAST] "
		               "VARIABLE=WORD");
}
