/* ask_verify -- an answer against the tree as it is now.
 *
 * Three questions for each thing that it says: does it agree with itself (a hash is that of its text, a citation is of a file
 * that a call read), is the file what it was, and if not, are anchor and quote still there. What agrees with nothing is FALSE,
 * what changed later is CHANGED or GONE; nobody is accused of a later change. The API is not asked again.
 *
 * Answers of other programs in the seed's form have no hashes and no citations: a read_file is compared with the file,
 * whole or as its beginning, and the source must be something that the trace read or asked.
 *
 * Read: ag_ask_verify(), check_call(), check_citation(), check_source(). */
#include "ask/cite_parts.h"
#include "ask/root_parts.h"
#include "ask/tools.h"

#include "base/sha256.h"
#include "query/extjson.h"

typedef struct verdict {
	ag_ask_check result;
	ag_str why;
	bool is_not_run; /* UNCHECKED by design: nothing rests on it */
} verdict;

typedef struct verifier {
	const ag_answer *a;
	ag_cite_files *files;
	ag_arena *arena;
	verdict *calls, *citations; /* of those that were checked */
} verifier;

static verdict say(ag_ask_check result, const char *why)
{
	return (verdict){ result, ag_str_c(why), false };
}

/* Of a call that is never run again. */
static verdict not_run(const char *why)
{
	return (verdict){ AG_ASK_UNCHECKED, ag_str_c(why), true };
}

static verdict gone(const verifier *v, const ag_cite_file *f)
{
	return (verdict){ AG_ASK_GONE,
		          ag_str_printf(v->arena, "it cannot be read: %.*s", AG_FMT(f->why)) };
}

static verdict too_many(void)
{
	return say(AG_ASK_UNCHECKED, "the answer names more files than are looked at");
}

static bool is_foreign(const ag_answer_call *c)
{
	return !c->sha256.len && !c->file.path.len;
}

static ag_str arg_of(const verifier *v, const ag_answer_call *c, const char *key)
{
	const ag_extjson_opts read = { .repair_utf8 = true, .max_depth = 64, .max_values = 10000 };
	ag_val args;

	if (ag_extjson_parse(c->args, &read, v->arena, &args, NULL, NULL, NULL))
		return AG_S("");
	return ag_val_member_str(&args, key);
}

/* "GET /items/" of a query_api, from its arguments when it has no request. */
static ag_str request_of(const verifier *v, const ag_answer_call *c)
{
	if (c->request.len || !ag_str_eqc(c->tool, "query_api") || !is_foreign(c))
		return c->request;
	return ag_str_printf(v->arena, "%.*s %.*s", AG_FMT(arg_of(v, c, "method")),
	                     AG_FMT(arg_of(v, c, "path")));
}

static ag_str path_of(const verifier *v, const ag_answer_call *c)
{
	ag_str path = c->file.path.len ? c->file.path : arg_of(v, c, "path");

	while (!c->file.path.len && ag_str_starts(path, AG_S("./")))
		path = ag_str_make(path.ptr + 2, path.len - 2);
	return path;
}

/* --- calls --- */

/* The lines that were shown, as they stand in the file now: does the result begin with them? */
static verdict check_shown(const verifier *v, const ag_answer_call *c, const ag_cite_file *f)
{
	ag_str lines = ag_cite_lines(f->text, c->file.first_line, c->file.last_line), rest;
	size_t n = 0;

	lines = ag_answer_utf8(lines, v->arena);
	while (n < lines.len && n < c->result.len && lines.ptr[n] == c->result.ptr[n])
		n++;
	rest = ag_str_make(c->result.ptr + n, c->result.len - n);
	if (n == lines.len || !c->file.last_line)
		return say(AG_ASK_CONFIRMED,
		           "the file is the same, and the result is what it says");
	if (ag_str_starts(rest, AG_S("[redacted]")))
		return say(AG_ASK_CONFIRMED,
		           "the file is the same; a key was taken out of the result");
	if (ag_str_starts(rest, AG_S("\n[line ")))
		return say(AG_ASK_CONFIRMED,
		           "the file is the same, and the result is the beginning of a long line");
	return say(AG_ASK_FALSE, "the file is the same, but the result is not what it says");
}

static ag_str last_name(ag_str path)
{
	size_t i;

	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	for (i = path.len; i && path.ptr[i - 1] != '/';)
		i--;
	return ag_str_make(path.ptr + i, path.len - i);
}

/* A call of ours that gave something of a file. */
static verdict check_file(const verifier *v, const ag_answer_call *c)
{
	ag_cite_file *f = ag_cite_file_at(v->files, c->file.path);
	bool is_read = ag_str_eqc(c->tool, "read_file");
	verdict shown;

	if (!ag_str_eq(last_name(arg_of(v, c, "path")), last_name(c->file.path)))
		return say(AG_ASK_FALSE, "its arguments name another file");
	if (!f)
		return too_many();
	if (ag_cite_look(v->files, f) == AG_CITE_IS_GONE)
		return gone(v, f);
	shown = is_read ? check_shown(v, c, f) : say(AG_ASK_CONFIRMED, "the file is the same");
	if (c->file.sha256.len && ag_str_eq(c->file.sha256, f->hash_now))
		return shown;
	if (is_read && c->file.last_line && shown.result == AG_ASK_CONFIRMED)
		return c->file.sha256.len
		               ? say(AG_ASK_CHANGED,
		                     "the file changed, the lines that were read did not")
		               : say(AG_ASK_CONFIRMED, "the lines that were read are the same");
	return say(AG_ASK_CHANGED, "the file changed since");
}

static bool says_error(ag_str result)
{
	ag_str head = ag_str_make(result.ptr, result.len < 200 ? result.len : 200);

	return result.len < 2000 &&
	       (ag_str_starts(head, AG_S("Error")) || ag_str_starts(head, AG_S("error")) ||
	        ag_str_starts(head, AG_S("ERROR")) || ag_str_starts(head, AG_S("{\"error\"")) ||
	        ag_str_starts(head, AG_S("Access denied")) ||
	        ag_str_contains(head, AG_S("not found")));
}

/* How much of the result the file begins with; carriage returns do not count, for many languages drop them. */
static size_t common(ag_str result, ag_str text, bool *ret_whole)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < result.len && result.ptr[i] == '\r')
			i++;
		while (k < text.len && text.ptr[k] == '\r')
			k++;
		if (i == result.len || k == text.len || result.ptr[i] != text.ptr[k])
			break;
		i++;
		k++;
	}
	*ret_whole = ag_str_trim(ag_str_make(text.ptr + k, text.len - k)).len == 0;
	return i;
}

/* A read_file of a program that keeps no hashes. */
static verdict check_foreign_file(const verifier *v, const ag_answer_call *c)
{
	ag_cite_file *f = ag_cite_file_at(v->files, path_of(v, c));
	bool whole;
	size_t n;
	ag_str rest;

	if (!f)
		return too_many();
	if (!f->path.len)
		return say(AG_ASK_UNCHECKED, "its arguments name no file");
	if (ag_cite_look(v->files, f) == AG_CITE_IS_GONE)
		return says_error(c->result) ? not_run("the call failed, as its result says")
		                             : gone(v, f);
	n = common(c->result, ag_answer_utf8(f->text, v->arena), &whole);
	rest = ag_str_trim(ag_str_make(c->result.ptr + n, c->result.len - n));
	if (!rest.len && (n || whole))
		return whole ? say(AG_ASK_CONFIRMED, "the result is the file")
		             : say(AG_ASK_CONFIRMED, "the file begins with the result");
	/* "… [truncated]" of its own behind the file's beginning. */
	if (n >= 200 && rest.len <= 200)
		return say(AG_ASK_CONFIRMED,
		           "the file begins with the result, save for its last words");
	if (says_error(c->result))
		return not_run("the call failed, as its result says");
	return say(AG_ASK_CHANGED, "the result is not what the file says now");
}

/* A call that listed a folder: are the same names in it? */
static verdict check_folder(const verifier *v, const ag_answer_call *c)
{
	ag_str named = arg_of(v, c, "path"), normal;
	bool must_be_folder;
	const char *why;
	ag_root_list list;
	ag_err err = { 0 };

	if (!ag_root_normal_path(named, v->arena, &normal, &must_be_folder, &why) ||
	    !ag_str_eq(normal.len ? normal : AG_S("."), c->folder))
		return say(AG_ASK_FALSE, "its arguments name another folder");
	if (ag_root_list_dir(v->files->root, &v->files->ctx, c->folder, v->arena, &list, &err))
		return (verdict){ AG_ASK_GONE,
			          ag_str_printf(v->arena, "it cannot be listed: %s", err.msg) };
	return ag_str_eq(ag_answer_utf8(ag_ask_list_text(&list, v->arena), v->arena), c->result)
	               ? say(AG_ASK_CONFIRMED, "the folder has the same names")
	               : say(AG_ASK_CHANGED, "the folder has other names now");
}

static verdict check_call(const verifier *v, const ag_answer_call *c)
{
	ag_sha256_hex hash = ag_sha256(c->result);

	if (c->sha256.len && !ag_str_eqc(c->sha256, hash.text))
		return say(AG_ASK_FALSE, "its hash is not that of its result");
	if (c->file.path.len)
		return check_file(v, c);
	if (c->ok && c->folder.len && ag_str_eqc(c->tool, "list_files"))
		return check_folder(v, c);
	if (ag_str_eqc(c->tool, "read_file") && is_foreign(c))
		return check_foreign_file(v, c);
	if (ag_str_eqc(c->tool, "query_api"))
		return say(AG_ASK_UNCHECKED, "the API is not asked again");
	if (!c->ok && !is_foreign(c))
		return not_run("the call failed: it showed nothing");
	return not_run("it is not run again");
}

static ag_str name_call(const verifier *v, size_t i)
{
	const ag_answer_call *c = &v->a->calls[i];
	ag_str what = request_of(v, c);

	if (!what.len)
		what = path_of(v, c);
	return ag_str_printf(v->arena, "call %zu: %.*s%s%.*s", i + 1, AG_FMT(c->tool),
	                     what.len ? " " : "", AG_FMT(what));
}

/* --- citations --- */

/* Are anchor, lines and quote there? Returns what is missing, "" = nothing. is_same: the lines must be right, too. */
static const char *missing(const verifier *v, const ag_citation *c, const ag_cite_file *f,
                           bool is_same)
{
	const ag_outline_item *item = NULL;
	unsigned first = 0, last = 0;

	if (c->anchor.len && ag_cite_anchor(f, c->anchor, v->arena, &item) != AG_ANCHOR_EXACT)
		return "the anchor";
	if (item && is_same && c->line != item->line)
		return "the heading in that line";
	if (item) {
		first = item->line;
		last = item->section_last_line;
	} else if (is_same) {
		first = c->line;
		last = c->last_line;
	}
	if (c->line && is_same && !ag_cite_lines(f->text, c->line, c->line).len)
		return "the line";
	if (!ag_str_contains(ag_cite_lines(f->text, first, last), c->quote))
		return "the quote";
	return "";
}

static verdict check_citation(const verifier *v, const ag_citation *c)
{
	ag_cite_file *f = ag_cite_file_at(v->files, c->path);
	bool is_offline = ag_str_eqc(v->a->mode, "offline"), is_same;
	const char *what;

	if (!f)
		return too_many();
	if (!is_offline && !f->is_read)
		return say(AG_ASK_FALSE, "no call of the trace read this file");
	if (!is_offline && c->sha256.len && f->hash_then.len && !ag_str_eq(c->sha256, f->hash_then))
		return say(AG_ASK_FALSE, "its hash is not that of the file that was read");
	if (ag_cite_look(v->files, f) == AG_CITE_IS_GONE)
		return gone(v, f);
	is_same = c->sha256.len && ag_str_eq(c->sha256, f->hash_now);
	what = missing(v, c, f, is_same);
	if (is_same)
		return *what ? (verdict){ AG_ASK_FALSE,
			                  ag_str_printf(v->arena,
			                                "the file is the same, but %s is not there",
			                                what) }
		             : say(AG_ASK_CONFIRMED, "the file is the same");
	if (*what)
		return (verdict){ AG_ASK_GONE,
			          ag_str_printf(v->arena,
			                        "the file changed, and %s is not there any more",
			                        what) };
	return c->sha256.len ? say(AG_ASK_CHANGED, "the file changed, what is cited of it did not")
	                     : say(AG_ASK_CONFIRMED, "what is cited is there");
}

static ag_str form_of(const ag_citation *c, ag_arena *arena)
{
	return c->anchor.len ? ag_str_printf(arena, "%.*s#%.*s", AG_FMT(c->path), AG_FMT(c->anchor))
	                     : c->path;
}

/* --- the source --- */

static verdict check_api_source(const verifier *v, const ag_mention *m)
{
	for (size_t i = 0; i < v->a->ncall; i++) {
		const ag_answer_call *c = &v->a->calls[i];

		if (ag_cite_route_is(m->method, m->route, request_of(v, c)) &&
		    (c->ok || is_foreign(c)))
			return (verdict){
				AG_ASK_UNCHECKED,
				ag_str_printf(v->arena,
				              "call %zu asked it; the API is not asked again",
				              i + 1)
			};
	}
	return say(AG_ASK_FALSE, "no call of the trace asked it");
}

/* A source without citations: of a foreign answer. */
static verdict check_foreign_source(const verifier *v, const ag_mention *m)
{
	const ag_outline_item *item;
	const verdict *read = NULL;
	ag_cite_file *f = ag_cite_file_at(v->files, m->path);

	for (size_t i = 0; i < v->a->ncall; i++) {
		const ag_answer_call *c = &v->a->calls[i];

		if (is_foreign(c) && ag_str_eqc(c->tool, "read_file") &&
		    ag_str_eq(path_of(v, c), m->path))
			read = &v->calls[i];
	}
	if (!read)
		return say(AG_ASK_FALSE, "no call of the trace read this file");
	if (!f)
		return too_many();
	if (ag_cite_look(v->files, f) == AG_CITE_IS_GONE)
		return gone(v, f);
	if (read->result == AG_ASK_UNCHECKED)
		return say(AG_ASK_FALSE, "the call that was to read this file failed");
	if (!m->anchor.len || ag_cite_anchor(f, m->anchor, v->arena, &item) == AG_ANCHOR_EXACT)
		return *read;
	return read->result == AG_ASK_CONFIRMED
	               ? say(AG_ASK_FALSE, "the file that was read has no such anchor")
	               : say(AG_ASK_GONE, "the anchor is not there");
}

static verdict check_source(const verifier *v)
{
	const ag_answer *a = v->a;
	ag_mention *m;
	size_t pos = 0;

	for (size_t i = 0; i < a->ncitation; i++) {
		if (ag_str_eq(form_of(&a->citations[i], v->arena), a->source) ||
		    ag_str_eq(a->citations[i].path, a->source))
			return v->citations[i];
	}
	for (size_t i = 0; i < a->ncall; i++) {
		if (a->calls[i].ok && a->calls[i].folder.len &&
		    ag_str_eq(a->calls[i].folder, a->source))
			return v->calls[i];
	}
	if (!ag_cite_mentions(a->source, &pos, v->files->odd, v->files->nodd, true, v->arena, &m))
		return say(AG_ASK_FALSE, "it names no file and no call of the API");
	if (m->route.len)
		return check_api_source(v, m);
	if (a->mode.len)
		return say(AG_ASK_FALSE, "it is none of the citations");
	return check_foreign_source(v, m);
}

/* --- all of it --- */

static void count(ag_ask_verification *to, ag_ask_check result)
{
	to->nconfirmed += result == AG_ASK_CONFIRMED;
	to->nchanged += result == AG_ASK_CHANGED;
	to->ngone += result == AG_ASK_GONE;
	to->nfalse += result == AG_ASK_FALSE;
	to->nunchecked += result == AG_ASK_UNCHECKED;
}

static void add(ag_ask_verified *items, ag_ask_verification *to, ag_str what, verdict is)
{
	items[to->n++] = (ag_ask_verified){ what, is.result, is.why };
	count(to, is.result);
	to->is_unchecked |= is.result == AG_ASK_UNCHECKED && !is.is_not_run;
}

ag_status ag_ask_verify(ag_root *r, const ag_ctx *ctx, const ag_answer *a, ag_arena *arena,
                        ag_ask_verification *ret, ag_err *err)
{
	verifier v = { .a = a, .arena = arena };
	ag_ask_verification done = { 0 };
	ag_ask_verified *items = ag_new_n(arena, ag_ask_verified, a->ncall + a->ncitation + 1);

	v.files = ag_cite_files_new(r, ctx, a->calls, a->ncall, arena);
	v.calls = ag_new_n(arena, verdict, a->ncall + 1);
	v.citations = ag_new_n(arena, verdict, a->ncitation + 1);
	for (size_t i = 0; i < a->ncall; i++) {
		ag_status st = ctx ? ag_ctx_check(ctx, err) : AG_OK;

		if (st)
			return st;
		v.calls[i] = check_call(&v, &a->calls[i]);
		add(items, &done, name_call(&v, i), v.calls[i]);
	}
	for (size_t i = 0; i < a->ncitation; i++) {
		v.citations[i] = check_citation(&v, &a->citations[i]);
		add(items, &done,
		    ag_str_printf(arena, "citation %zu: %.*s", i + 1,
		                  AG_FMT(form_of(&a->citations[i], arena))),
		    v.citations[i]);
	}
	if (a->source.len)
		add(items, &done, ag_str_printf(arena, "source: %.*s", AG_FMT(a->source)),
		    check_source(&v));
	if (v.files->is_cancelled)
		return ag_fail(err, AG_CANCELLED, "ask.verify", "stopped");
	done.items = items;
	*ret = done;
	return AG_OK;
}

const char *ag_ask_check_name(ag_ask_check c)
{
	static const char *const names[] = {
		[AG_ASK_CONFIRMED] = "confirmed",
		[AG_ASK_CHANGED] = "changed",
		[AG_ASK_GONE] = "gone",
		[AG_ASK_FALSE] = "false",
		[AG_ASK_UNCHECKED] = "not checkable",
	};

	return names[c];
}
