/* text_calls -- finds the blocks of a text that are calls, and decides whether they run. Read from the end upwards.
 *
 * Blocks with a mark of their own are looked for first, everywhere outside of code. A fence or bare JSON has no mark, so
 * it counts only at the end of a reply that says little else, and only with arguments and the name of an offered tool. A
 * tool with effects outside (an HTTP request that writes) needs a reply that says nothing else. */
#include "llm/text_calls.h"

#include "llm/text_calls_parts.h"
#include "llm/wire.h"

#define MAX_TEXT_BYTES  (1u << 20) /* a longer text is no call */
#define MAX_BLOCKS      512        /* marks that are looked at */
#define MAX_LEAD_BYTES  1000       /* of words before a marked call */
#define MAX_TAIL_BYTES  200        /* and after it */
#define MAX_PROSE_BYTES 400        /* before a fence or bare JSON */
#define MIN_QUOTE_BYTES 16         /* less is too common to be a quote */
#define MAX_CODE_BYTES  4000       /* of inline code */
#define MAX_MARK_BYTES  16         /* of an opening mark */
#define MIN_MARK_BYTES  5          /* of one that was cut: less may be anything */

typedef struct blocks {
	ag_text_block items[MAX_BLOCKS];
	size_t n;
} blocks;

/* --- code --- */

static size_t run_of(ag_str s, size_t i, char c)
{
	size_t n = 0;

	while (i + n < s.len && s.ptr[i + n] == c)
		n++;
	return n;
}

static size_t line_end(ag_str s, size_t i)
{
	const char *p = memchr(s.ptr + i, '\n', s.len - i);

	return p ? (size_t)(p - s.ptr) + 1 : s.len;
}

/* The first byte of a line that is no blank. */
static size_t line_begin(ag_str s, size_t i)
{
	while (i < s.len && (s.ptr[i] == ' ' || s.ptr[i] == '\t'))
		i++;
	return i;
}

/* Length of the fence that opens or closes at i, 0 = none. */
static size_t fence_at(ag_str s, size_t i)
{
	const size_t n = i < s.len && (s.ptr[i] == '`' || s.ptr[i] == '~') ? run_of(s, i, s.ptr[i])
	                                                                   : 0;

	return n >= 3 ? n : 0;
}

/* Behind the fence whose opening mark is at i; *ret_body, *ret_body_end: what it holds. */
static size_t fence_end(ag_str s, size_t i, size_t *ret_body, size_t *ret_body_end)
{
	const size_t n = fence_at(s, i);
	size_t at = line_end(s, i);

	*ret_body = at;
	while (at < s.len) {
		const size_t first = line_begin(s, at), next = line_end(s, at);

		if (fence_at(s, first) >= n && s.ptr[first] == s.ptr[i]) {
			*ret_body_end = at;
			return next;
		}
		at = next;
	}
	*ret_body_end = s.len;
	return s.len;
}

/* Behind the code or the quoted line that begins at i; i when none does. */
static size_t behind_code(ag_str s, size_t i, bool at_line_start)
{
	const size_t first = at_line_start ? line_begin(s, i) : i;
	size_t body, end, n;

	if (at_line_start && fence_at(s, first))
		return fence_end(s, first, &body, &end);
	if (at_line_start && first < s.len && s.ptr[first] == '>')
		return line_end(s, i);
	if (s.ptr[i] != '`')
		return i;
	n = run_of(s, i, '`');
	for (size_t at = i + n; at < s.len && at - i < MAX_CODE_BYTES; at++) {
		if (s.ptr[at] == '\n' && at + 1 < s.len && s.ptr[at + 1] == '\n')
			break;
		if (s.ptr[at] != '`')
			continue;
		end = run_of(s, at, '`');
		if (end == n)
			return at + n;
		at += end - 1;
	}
	return i + n;
}

/* --- pieces of a reply --- */

static bool has_source(ag_str s)
{
	while (s.ptr && s.len) {
		ag_str line = ag_str_split(&s, '\n');

		while (line.len && memchr(" \t*#->_", line.ptr[0], 7))
			line = ag_str_make(line.ptr + 1, line.len - 1);
		if (line.len > 7 && ag_str_ieq(ag_str_make(line.ptr, 6), AG_S("source")) &&
		    memchr(line.ptr + 6, ':', line.len - 6 < 5 ? line.len - 6 : 5))
			return true;
	}
	return false;
}

/* A result that the model made up after its call. */
static bool is_made_up_result(ag_str s)
{
	static const char *const begins[] = {
		"<tool_response",   "<tool_result",    "<function_response",
		"<function_result", "<|tool_response", "[TOOL_RESULT",
		"Observation:",     "Tool result",     "Result:"
	};

	s = ag_str_trim(s);
	for (size_t i = 0; i < AG_NELEM(begins); i++) {
		const size_t n = strlen(begins[i]);

		if (s.len >= n && ag_str_ieq(ag_str_make(s.ptr, n), ag_str_c(begins[i])))
			return true;
	}
	return false;
}

/* The beginning of a closing mark that was cut. */
static bool is_cut_close(ag_str s)
{
	static const char *const marks[] = { "</tool_call>", "</function>", "</function_call>",
		                             "</invoke>", "<|tool_call_end|>" };

	for (size_t i = 0; i < AG_NELEM(marks); i++) {
		if (s.len && ag_str_starts(ag_str_c(marks[i]), s))
			return true;
	}
	return false;
}

/* Without white space and backslashes, which differ between a file, its JSON and a quote of it. */
static ag_str squeezed(ag_str s, ag_arena *arena)
{
	char *p = ag_arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (!memchr(" \t\r\n\\", s.ptr[i], 5))
			p[n++] = s.ptr[i];
	}
	return ag_str_make(p, n);
}

/* What the block holds between its marks. */
static ag_str inner_of(ag_str s, const ag_text_block *b)
{
	ag_str inner = ag_str_make(s.ptr + b->begin, b->end - b->begin);
	const char *open = memchr(inner.ptr, '{', inner.len), *close;

	if (!open)
		return inner;
	close = inner.ptr + inner.len;
	while (close > open && close[-1] != '}')
		close--;
	return ag_str_make(open, (size_t)(close - open));
}

/* Does a tool's result of this conversation hold the text of one of the blocks? */
static bool holds_quote(ag_str s, const blocks *list, const ag_llm_request *r, ag_arena *arena)
{
	ag_str *wanted = ag_new_n(arena, ag_str, list->n);

	for (size_t i = 0; i < list->n; i++)
		wanted[i] = squeezed(inner_of(s, &list->items[i]), arena);
	for (size_t i = 0; i < r->nmessage; i++) {
		for (size_t k = 0; k < r->messages[i].npart; k++) {
			const ag_llm_part *p = &r->messages[i].parts[k];
			ag_str shown;

			if (p->type != AG_LLM_TOOL_RESULT)
				continue;
			shown = squeezed(p->text, arena);
			for (size_t n = 0; n < list->n; n++) {
				if (wanted[n].len >= MIN_QUOTE_BYTES &&
				    ag_str_contains(shown, wanted[n]))
					return true;
			}
		}
	}
	return false;
}

/* The text without its calls. An answer keeps calls of tools that were not offered: it may talk about them. */
static ag_str without(ag_str s, const blocks *list, bool is_answer, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(s.len + 1);
	size_t at = 0;
	ag_str ret;

	for (size_t i = 0; i < list->n; i++) {
		const ag_text_block *b = &list->items[i];

		if (b->state == AG_BLOCK_UNKNOWN && is_answer)
			continue;
		ag_buf_add(&out, ag_str_make(s.ptr + at, b->begin - at));
		at = b->end;
	}
	ag_buf_add(&out, ag_str_make(s.ptr + at, s.len - at));
	ret = ag_str_trim(ag_buf_dup(arena, &out));
	ag_buf_release(&out);
	return ret;
}

/* --- where calls may be --- */

/* Marks outside of code. */
static void find_marked(ag_text_reader *t, blocks *ret)
{
	bool at_line_start = true;
	size_t tried = 0;

	for (size_t i = 0; i < t->s.len && ret->n < MAX_BLOCKS && tried < MAX_BLOCKS;) {
		const size_t next = behind_code(t->s, i, at_line_start);
		ag_text_block b;

		if (next > i) {
			at_line_start = t->s.ptr[next - 1] == '\n';
			i = next;
			continue;
		}
		at_line_start = t->s.ptr[i] == '\n';
		if (t->s.ptr[i] != '<' && t->s.ptr[i] != '[') {
			i++;
			continue;
		}
		ag_text_markup(t, i, &b);
		tried += b.state != AG_BLOCK_NONE || b.end > i;
		if (b.state == AG_BLOCK_NONE) {
			i++;
			continue;
		}
		ret->items[ret->n++] = b;
		i = b.end;
	}
}

/* The text ends inside of a mark ("<tool_ca"): it was cut. */
static void find_cut_mark(const ag_text_reader *t, blocks *ret)
{
	static const char *const marks[] = { "<tool_call>", "<tool_calls>",
		                             "<function=", "<function_call>", "[TOOL_CALLS]" };
	const size_t from = t->s.len > MAX_MARK_BYTES ? t->s.len - MAX_MARK_BYTES : 0;

	for (size_t i = from; i < t->s.len; i++) {
		const ag_str end = ag_str_make(t->s.ptr + i, t->s.len - i);

		for (size_t k = 0; k < AG_NELEM(marks) && ret->n < MAX_BLOCKS; k++) {
			if (end.len < MIN_MARK_BYTES || !ag_str_starts(ag_str_c(marks[k]), end))
				continue;
			ret->items[ret->n++] = (ag_text_block){ .state = AG_BLOCK_BROKEN,
				                                .begin = i,
				                                .end = t->s.len,
				                                .first_call = t->ncall };
			return;
		}
	}
}

static bool is_call_label(ag_str label)
{
	static const char *const labels[] = { "",           "json",      "tool_call",
		                              "tool_calls", "tool_code", "function_call",
		                              "tool",       "tool-call" };

	for (size_t i = 0; i < AG_NELEM(labels); i++) {
		if (ag_str_ieq(label, ag_str_c(labels[i])))
			return true;
	}
	return false;
}

/* What begins at *begin and should be nothing but calls up to end. BROKEN: it opens like one and names a tool. */
static ag_block_state only_calls(ag_text_reader *t, size_t begin, size_t end, bool python)
{
	ag_text_reader part = *t;
	size_t at = begin;
	ag_block_state st;

	part.s.len = end;
	part.want_input = true;
	st = ag_text_list(&part, &at, python);
	if (st == AG_BLOCK_OK && ag_str_trim(ag_str_make(t->s.ptr + at, end - at)).len)
		st = AG_BLOCK_NONE;
	if (st == AG_BLOCK_OK) {
		part.s = t->s;
		part.want_input = t->want_input;
		*t = part;
		return st;
	}
	if (st != AG_BLOCK_BROKEN)
		return AG_BLOCK_NONE;
	for (size_t i = 0; i < t->r->ntool; i++) {
		const ag_str name = t->r->tools[i].name;
		const size_t n = end - begin < name.len + 60 ? end - begin : name.len + 60;

		if (ag_str_contains(ag_str_make(t->s.ptr + begin, n), name))
			return AG_BLOCK_BROKEN;
	}
	return AG_BLOCK_NONE;
}

static void push_block(blocks *ret, size_t begin, size_t end, size_t first, size_t ncall,
                       ag_block_state st)
{
	ret->items[ret->n++] = (ag_text_block){
		.state = st, .begin = begin, .end = end, .first_call = first, .ncall = ncall
	};
}

/* Fences at the end of the reply, nothing but white space between and after them. False: they are no calls. */
static bool find_fenced(ag_text_reader *t, size_t i, blocks *ret)
{
	while (i < t->s.len) {
		const size_t begin = line_begin(t->s, i), n = fence_at(t->s, begin);
		const size_t first_call = t->ncall;
		size_t body, body_end, end;
		ag_block_state st;
		ag_str label;

		if (!ag_str_trim(ag_str_make(t->s.ptr + i, t->s.len - i)).len)
			return ret->n > 0;
		if (begin < t->s.len && t->s.ptr[begin] == '\n') {
			i = begin + 1;
			continue;
		}
		if (!n || ret->n == MAX_BLOCKS)
			return false;
		end = fence_end(t->s, begin, &body, &body_end);
		label = ag_str_trim(ag_str_make(t->s.ptr + begin + n, body - begin - n));
		if (!is_call_label(label))
			return false;
		st = only_calls(t, body, body_end, ag_str_starts(label, AG_S("tool")));
		if (st == AG_BLOCK_NONE)
			return false;
		push_block(ret, begin, end, first_call, t->ncall - first_call, st);
		i = end;
	}
	return ret->n > 0;
}

/* A fence or bare JSON that begins a line. */
static void find_unmarked(ag_text_reader *t, blocks *ret)
{
	for (size_t i = 0; i < t->s.len; i = line_end(t->s, i)) {
		const size_t begin = line_begin(t->s, i), first_call = t->ncall;
		ag_block_state st;

		if (begin > MAX_PROSE_BYTES + 64 || begin >= t->s.len)
			return;
		if (fence_at(t->s, begin)) {
			if (!find_fenced(t, begin, ret)) {
				t->ncall = first_call;
				ret->n = 0;
			}
			return;
		}
		/* Python's form has no bracket at its beginning: only a reply that is nothing else. */
		if (begin > 0 && !memchr("{[", t->s.ptr[begin], 2))
			continue;
		st = only_calls(t, begin, t->s.len, begin == 0);
		if (st != AG_BLOCK_NONE)
			push_block(ret, begin, t->s.len, first_call, t->ncall - first_call, st);
		if (st != AG_BLOCK_NONE || memchr("{[", t->s.ptr[begin], 2))
			return;
	}
}

/* --- the decision --- */

static bool has_effect(const ag_text_reader *t)
{
	for (size_t i = 0; i < t->ncall; i++) {
		const ag_llm_tool *tool = ag_text_tool(t->r, t->calls[i].name);

		if (tool && tool->has_effect)
			return true;
	}
	return false;
}

static ag_str tool_names(const ag_llm_request *r, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(4096);
	ag_str ret;

	for (size_t i = 0; i < r->ntool; i++)
		ag_buf_addf(&out, "%s%.*s", i ? ", " : "", AG_FMT(r->tools[i].name));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_block_state worst(const blocks *list)
{
	ag_block_state ret = AG_BLOCK_NONE;

	for (size_t i = 0; i < list->n; i++)
		ret = list->items[i].state > ret ? list->items[i].state : ret;
	return ret;
}

/* Why calls do not run although the reply is meant as one; "" = they run. */
static ag_str refusal(const ag_text_reader *t, const blocks *list, bool marked, ag_str lead)
{
	if (holds_quote(t->s, list, t->r, t->arena))
		return AG_S("the same text is in a tool's result, so it counts as a quote");
	if (!marked && lead.len && has_effect(t))
		return AG_S("a call that may change something must be the whole reply");
	if (t->ncall)
		return AG_S("");
	if (worst(list) == AG_BLOCK_UNKNOWN)
		return ag_str_printf(t->arena, "there is no tool \"%.*s\"; the tools are: %.*s",
		                     (int)(t->unknown.len < 60 ? t->unknown.len : 60),
		                     t->unknown.ptr, AG_FMT(tool_names(t->r, t->arena)));
	return AG_S("it cannot be read as JSON with a name and arguments");
}

/* The call is the reply: words around it are few, and none of them names a source. */
static bool is_whole_reply(ag_str lead, ag_str tail, bool marked)
{
	if (has_source(lead) || has_source(tail))
		return false;
	return marked ? lead.len <= MAX_LEAD_BYTES && tail.len <= MAX_TAIL_BYTES
	              : lead.len <= MAX_PROSE_BYTES && !tail.len;
}

static void decide(ag_text_reader *t, const blocks *list, bool marked, ag_text_calls *ret)
{
	const ag_text_block *last = &list->items[list->n - 1];
	const ag_str lead = ag_str_trim(ag_str_make(t->s.ptr, list->items[0].begin));
	ag_str tail = ag_str_trim(ag_str_make(t->s.ptr + last->end, t->s.len - last->end));
	ag_str why;

	if (is_made_up_result(tail) || is_cut_close(tail))
		tail = AG_S("");
	if (!is_whole_reply(lead, tail, marked)) {
		if (marked)
			ret->text = without(t->s, list, true, t->arena);
		return;
	}
	ret->text = without(t->s, list, false, t->arena);
	if (!tail.len) /* with what was made up */
		ret->text = lead;
	if (t->r->choice == AG_LLM_CHOICE_NONE)
		return;
	why = refusal(t, list, marked, lead);
	if (why.len) {
		ret->complaint = why;
		return;
	}
	for (size_t i = 0; i < t->ncall; i++)
		t->calls[i].id = ag_str_printf(t->arena, "call_%zu", i + 1);
	ret->calls = t->calls;
	ret->ncall = t->ncall;
	ret->ncut = t->ncut;
}

void ag_text_calls_read(ag_str text, const ag_llm_request *r, ag_arena *arena, ag_text_calls *ret)
{
	ag_text_reader t = { .s = text, .r = r, .arena = arena };
	blocks *list;
	bool marked;

	*ret = (ag_text_calls){ .text = text };
	if (!r->ntool || !text.len || text.len > MAX_TEXT_BYTES)
		return;
	list = ag_new(arena, blocks);
	find_marked(&t, list);
	if (!list->n || list->items[list->n - 1].end < text.len)
		find_cut_mark(&t, list);
	marked = list->n > 0;
	if (!marked) {
		t.s = ag_str_trim(text);
		t.ncall = 0;
		find_unmarked(&t, list);
	}
	if (list->n)
		decide(&t, list, marked, ret);
}

/* --- thinking --- */

static const char *const think_open[] = { "<think>", "<thinking>", "<thought>" };
static const char *const think_close[] = { "</think>", "</thinking>", "</thought>" };

static bool has_at(ag_str s, size_t i, const char *word)
{
	const size_t n = strlen(word);

	return s.len - i >= n && !memcmp(s.ptr + i, word, n);
}

/* The bytes from i on that are thinking, its marks included; 0 = none. *ret_before: all before it is thinking as well. */
static size_t thinking_at(ag_str s, size_t i, bool at_line_start, bool *ret_before)
{
	*ret_before = false;
	for (size_t k = 0; k < AG_NELEM(think_open); k++) {
		const size_t nclose = strlen(think_close[k]);
		const char *p;

		if (has_at(s, i, think_close[k]) &&
		    (at_line_start || i + nclose == s.len || s.ptr[i + nclose] == '\n')) {
			*ret_before = true;
			return nclose;
		}
		if (!at_line_start || !has_at(s, i, think_open[k]))
			continue;
		p = memmem(s.ptr + i, s.len - i, think_close[k], nclose);
		return p ? (size_t)(p - s.ptr) + nclose - i : s.len - i;
	}
	return 0;
}

ag_str ag_text_without_thinking(ag_str text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(text.len + 1);
	bool at_line_start = true, changed = false, before;
	ag_str ret = text;

	if (!memmem(text.ptr, text.len, "<th", 3) && !memmem(text.ptr, text.len, "</th", 4))
		return text;
	for (size_t i = 0; i < text.len;) {
		const size_t code = behind_code(text, i, at_line_start);
		const size_t n = code > i ? 0 : thinking_at(text, i, at_line_start, &before);

		if (n) {
			if (before)
				ag_buf_clear(&out);
			changed = true;
			i += n;
			continue;
		}
		ag_buf_add(&out, ag_str_make(text.ptr + i, code > i ? code - i : 1));
		i = code > i ? code : i + 1;
		/* Blanks at the beginning of a line do not end it. */
		if (!(at_line_start && memchr(" \t", text.ptr[i - 1], 2)))
			at_line_start = text.ptr[i - 1] == '\n';
	}
	if (changed)
		ret = ag_str_trim(ag_buf_dup(arena, &out));
	ag_buf_release(&out);
	return ret;
}
