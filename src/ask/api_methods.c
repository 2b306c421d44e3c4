/* api_methods -- the user's own words as permission to write.
 *
 * A text is cut into sentences, a sentence into words. The first words say what the sentence is: a question, an order, or a
 * report ("POST /items/ fails with 500"). Only an order permits. Then each verb of writing is judged by its place: at the
 * beginning of the sentence or of a further clause ("… and delete it"), with an object after it. The table of verbs says
 * which methods a verb permits; creation never permits DELETE.
 *
 * Order: the tables, words, sentences, orders, negation, ag_api_methods_ordered(). */
#include "ask/api_methods.h"

#include "ask/index_words.h"

#define MAX_WORDS 400u /* of a sentence; longer ones permit nothing beyond */

/* --- the tables --- */

#define CREATES (AG_API_POST | AG_API_PUT)
#define CHANGES (AG_API_PUT | AG_API_PATCH | AG_API_POST)
#define DELETES AG_API_DELETE
#define ACTS    (AG_API_POST | AG_API_PUT | AG_API_PATCH)

typedef struct verb {
	const char *word; /* as an order has it: "delete" */
	unsigned permits;
} verb;

/* Verbs of writing. */
static const verb verbs[] = {
	{ "post", AG_API_POST },
	{ "put", AG_API_PUT },
	{ "patch", AG_API_PATCH },
	/* what was not there is there after it */
	{ "create", CREATES },
	{ "add", CREATES | AG_API_PATCH },
	{ "insert", CREATES },
	{ "submit", CREATES },
	{ "register", CREATES },
	{ "upload", CREATES },
	{ "enroll", CREATES },
	{ "enrol", CREATES },
	{ "book", CREATES },
	{ "order", CREATES },
	{ "buy", CREATES },
	{ "duplicate", CREATES },
	{ "clone", CREATES },
	{ "import", CREATES },
	{ "record", CREATES },
	{ "store", CREATES },
	{ "save", CHANGES },
	{ "write", CHANGES },
	{ "publish", ACTS },
	{ "invite", CREATES },
	{ "subscribe", CREATES },
	{ "comment", CREATES },
	{ "reply", CREATES },
	/* what was there is another */
	{ "update", CHANGES },
	{ "change", CHANGES },
	{ "modify", CHANGES },
	{ "edit", CHANGES },
	{ "set", CHANGES },
	{ "reset", CHANGES },
	{ "rename", CHANGES },
	{ "replace", CHANGES },
	{ "correct", CHANGES },
	{ "increase", CHANGES },
	{ "decrease", CHANGES },
	{ "move", CHANGES },
	{ "assign", CHANGES },
	{ "unassign", CHANGES | DELETES },
	{ "mark", CHANGES },
	{ "enable", CHANGES },
	{ "disable", CHANGES },
	{ "activate", CHANGES },
	{ "deactivate", CHANGES },
	{ "approve", ACTS },
	{ "reject", ACTS },
	{ "accept", ACTS },
	{ "close", ACTS },
	{ "reopen", ACTS },
	{ "archive", ACTS },
	{ "restore", ACTS },
	{ "merge", ACTS },
	{ "pay", ACTS },
	{ "refund", ACTS },
	{ "ship", ACTS },
	{ "trigger", ACTS },
	{ "start", ACTS },
	{ "restart", ACTS },
	{ "stop", ACTS },
	{ "sync", ACTS },
	{ "synchronize", ACTS },
	{ "synchronise", ACTS },
	/* what was there is gone */
	{ "delete", DELETES },
	{ "remove", DELETES },
	{ "erase", DELETES },
	{ "destroy", DELETES },
	{ "purge", DELETES },
	{ "drop", DELETES },
	{ "cancel", ACTS | DELETES },
	{ "revoke", ACTS | DELETES },
	{ "unsubscribe", ACTS | DELETES },
};

/* What may come before the verb of an order. */
static const char *const openings[] = {
	"please",  "pls",   "now",    "then",       "first",   "next",   "finally",
	"also",    "just",  "ok",     "okay",       "hi",      "hey",    "hello",
	"argus",   "and",   "after",  "afterwards", "kindly",  "simply", "second",
	"thirdly", "third", "lastly", "again",      "quickly", "so",
};

/* "I want you to", longest first where one begins another. */
static const char *const asks[] = {
	"i want you to",   "i need you to",  "i would like you to",
	"i'd like you to", "i ask you to",   "your task is to",
	"go ahead and",    "go on and",      "go and",
	"you should",      "you must",       "you are to",
	"you may",         "use the api to", "use query_api to",
	"use the api and", "with the api",   "via the api",
	"through the api", "try to",         "let's",
	"make sure to",    "be sure to",     "feel free to",
	"using the api",
};

/* Courtesy that is an order only with "please": "can you delete items?" may ask what is possible. */
static const char *const courtesies[] = { "can you",         "could you",      "would you",
	                                  "will you",        "would you mind", "can i ask you to",
	                                  "may i ask you to" };

/* A sentence that begins so asks; one that has such a word before the verb speaks about it. */
static const char *const asking[] = {
	"how",     "what",    "which", "who",     "whom",   "whose", "where",  "when",
	"why",     "whether", "does",  "do",      "did",    "is",    "are",    "was",
	"were",    "can",     "could", "would",   "will",   "shall", "should", "may",
	"might",   "must",    "has",   "have",    "had",    "am",    "what's", "how's",
	"where's", "who's",   "isn't", "doesn't", "aren't", "if",
};

/* Verbs of looking: what follows is what to look at. */
static const char *const looking[] = {
	"explain", "describe", "tell",   "show",    "document", "summarize", "summarise", "compare",
	"list",    "find",     "check",  "look",    "name",     "count",     "say",       "read",
	"search",  "give",     "get",    "fetch",   "print",    "report",    "analyze",   "analyse",
	"review",  "locate",   "verify", "discuss", "define",   "outline",   "quote",     "see",
};

/* After a verb of writing they begin its object. */
static const char *const objects[] = {
	"a",    "an",    "the",     "all",        "every",   "each", "any",     "this",
	"that", "these", "those",   "it",         "them",    "my",   "our",     "me",
	"us",   "its",   "his",     "her",        "their",   "one",  "two",     "three",
	"some", "new",   "another", "everything", "both",    "him",  "several", "more",
	"with", "to",    "into",    "number",     "exactly",
};

/* After the object of the verb: "delete items where", "create item named". */
static const char *const joints[] = {
	"with", "named", "called", "titled", "from",  "to", "in", "into", "for",    "of",
	"on",   "by",    "as",     "where",  "whose", "at", "id", "via",  "number",
};

/* A verb of writing with one of them orders words in the answer, not a request: "write a summary", "add the source". */
static const char *const texts[] = {
	"summary",  "summaries", "overview", "explanation", "table",       "list",   "paragraph",
	"sentence", "sentences", "answer",   "answers",     "comparison",  "chart",  "diagram",
	"essay",    "poem",      "bullet",   "bullets",     "conclusion",  "source", "sources",
	"citation", "citations", "quote",    "quotes",      "outline",     "line",   "description",
	"reason",   "reasons",   "units",    "percentage",  "percentages", "text",   "report",
	"words",    "markdown",
};

/* They look like orders and are none. */
static const char *const idioms[] = { "start with", "start to",  "start from", "start by",
	                              "stop at",    "stop when", "correct me", "update me",
	                              "add up",     "write down" };

/* A noun at the end that makes the phrase a thing to talk about: "the delete endpoint". */
static const char *const topics[] = {
	"endpoint",      "endpoints",   "route",     "routes",   "policy",   "command",
	"button",        "operation",   "handler",   "handlers", "docs",     "permission",
	"documentation", "permissions", "error",     "errors",   "section",  "page",
	"guide",         "rights",      "method",    "methods",  "function", "functions",
	"feature",       "flow",        "procedure", "works",    "failure",  "tutorial",
	"example",       "examples",
};

/* With one of them a method name after it is sent. */
static const char *const sending[] = { "send",    "make",    "issue", "do",  "call",  "try",
	                               "perform", "execute", "use",   "run", "submit" };

/* After "POST /items/" in an order, not in a report. */
static const char *const followers[] = {
	"with",    "to",   "without", "using", "and",    "then", "twice",   "again",
	"body",    "as",   "for",     "on",    "via",    "a",    "an",      "the",
	"this",    "that", "these",   "it",    "once",   "my",   "new",     "at",
	"request", "from", "json",    "one",   "please", "{",    "against",
};

static const char *const negations[] = {
	"not",     "never",  "without", "no",        "avoid",   "don't",   "dont",
	"doesn't", "cannot", "can't",   "nothing",   "except",  "neither", "nor",
	"instead", "rather", "won't",   "shouldn't", "mustn't", "n't",
};

/* What is negated as a whole: "without changing anything". */
static const char *const read_only[] = { "read-only", "read only", "dry run",
	                                 "dry-run",   "only get ", "just get " };

/* --- words --- */

typedef struct token {
	ag_str text;        /* in small letters; a path, a number and data are as they are */
	unsigned method;    /* a method name in capitals */
	bool is_quoted;     /* text in quotes: data */
	bool is_value;      /* a number, a path, a brace, key=value */
	bool begins_clause; /* after a comma, a colon or a dash */
	bool after_colon;
} token;

typedef struct sentence {
	token words[MAX_WORDS];
	size_t n;
	bool is_question; /* ends in a question mark */
} sentence;

static bool is_in(ag_str word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(word, list[i]))
			return true;
	}
	return false;
}

#define IN(word, list) is_in((word), (list), AG_NELEM(list))

static bool is_word(const sentence *s, size_t i, const char *const *list, size_t n)
{
	return i < s->n && !s->words[i].is_quoted && is_in(s->words[i].text, list, n);
}

#define WORD_IN(s, i, list) is_word((s), (i), (list), AG_NELEM(list))

static const verb *verb_at(const sentence *s, size_t i)
{
	for (size_t k = 0; i < s->n && !s->words[i].is_quoted && k < AG_NELEM(verbs); k++) {
		if (ag_str_eqc(s->words[i].text, verbs[k].word))
			return &verbs[k];
	}
	return NULL;
}

/* The same in any form: "deleting", "deleted", "deletes", "deletion". */
static const verb *verb_form_at(const sentence *s, size_t i)
{
	ag_stem stem;

	if (i >= s->n || s->words[i].is_quoted)
		return NULL;
	stem = ag_stem_of(s->words[i].text);
	for (size_t k = 0; k < AG_NELEM(verbs); k++) {
		const ag_stem other = ag_stem_of(ag_str_c(verbs[k].word));

		if (ag_stem_eq(&stem, &other))
			return &verbs[k];
	}
	return NULL;
}

/* Do the words from i on say this phrase? Returns how many words it has, else 0. */
static size_t phrase_at(const sentence *s, size_t i, const char *phrase)
{
	size_t n = 0;

	for (ag_str rest = ag_str_c(phrase); rest.ptr; n++) {
		const ag_str word = ag_str_split(&rest, ' ');

		if (i + n >= s->n || s->words[i + n].is_quoted ||
		    !ag_str_eq(s->words[i + n].text, word))
			return 0;
	}
	return n;
}

static size_t one_of_phrases_at(const sentence *s, size_t i, const char *const *list, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		const size_t len = phrase_at(s, i, list[k]);

		if (len)
			return len;
	}
	return 0;
}

/* --- sentences --- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Bytes of a mark of quotation at i, 0 = none. *close: the mark that ends it. An apostrophe counts after a blank only. */
static size_t quote_at(ag_str t, size_t i, ag_str *close)
{
	static const struct {
		const char *open, *close;
	} marks[] = { { "\"", "\"" },
		      { "\xe2\x80\x9c", "\xe2\x80\x9d" },
		      { "\xe2\x80\x9e", "\xe2\x80\x9c" },
		      { "\xe2\x80\x98", "\xe2\x80\x99" },
		      { "\xc2\xab", "\xc2\xbb" },
		      { "'", "'" } };
	const ag_str rest = ag_str_make(t.ptr + i, t.len - i);

	for (size_t k = 0; k < AG_NELEM(marks); k++) {
		if (!ag_str_starts(rest, ag_str_c(marks[k].open)))
			continue;
		if (marks[k].open[0] == '\'' && i && !is_blank(t.ptr[i - 1]) &&
		    !strchr("(=:,{[", t.ptr[i - 1]))
			return 0;
		*close = ag_str_c(marks[k].close);
		return strlen(marks[k].open);
	}
	return 0;
}

/* A code span that is a call ("`POST /items/`") is the user's word; every other one is data. */
static bool is_call(ag_str span)
{
	const ag_str first = ag_str_split(&span, ' ');
	const unsigned bit = ag_api_method_bit(first);

	return bit && ag_str_eq(first, ag_api_method_name(bit)) &&
	       (!span.ptr || ag_str_starts(ag_str_trim(span), AG_S("/")));
}

static ptrdiff_t find_from(ag_str t, size_t from, ag_str what)
{
	for (size_t i = from; i + what.len <= t.len; i++) {
		if (memcmp(t.ptr + i, what.ptr, what.len) == 0)
			return (ptrdiff_t)i;
	}
	return -1;
}

/* Bytes of the data that begins at i: a quotation, a code span, a JSON object. 0 = none. */
static size_t data_at(ag_str t, size_t i)
{
	ag_str close = AG_S("");
	const size_t open = quote_at(t, i, &close);
	ptrdiff_t end;

	if (open) {
		end = find_from(t, i + open, close);
		/* What is opened and not closed is data to its end: it may be anything. */
		return end < 0 ? (t.ptr[i] == '\'' ? 0 : t.len - i) : (size_t)end + close.len - i;
	}
	/* A quoted line of Markdown. */
	if (t.ptr[i] == '>' && (!i || t.ptr[i - 1] == '\n')) {
		end = find_from(t, i, AG_S("\n"));
		return end < 0 ? t.len - i : (size_t)end - i;
	}
	if (t.ptr[i] == '`') {
		size_t n = 1;
		ag_str mark;

		while (i + n < t.len && t.ptr[i + n] == '`')
			n++;
		mark = ag_str_make(t.ptr + i, n);
		end = find_from(t, i + n, mark);
		if (end < 0)
			return t.len - i;
		if (is_call(ag_str_make(t.ptr + i + n, (size_t)end - i - n)))
			return 0;
		return (size_t)end + n - i;
	}
	if (t.ptr[i] == '{') {
		size_t depth = 0;

		for (size_t k = i; k < t.len; k++) {
			depth += t.ptr[k] == '{';
			if (t.ptr[k] == '}' && --depth == 0)
				return k + 1 - i;
		}
		return t.len - i;
	}
	return 0;
}

static bool is_end(ag_str t, size_t i)
{
	const char c = t.ptr[i];

	if (c == '\n' || c == ';')
		return true;
	/* "v1.2", "main.py": a point within a word ends nothing. */
	return (c == '.' || c == '!' || c == '?') &&
	       (i + 1 >= t.len || is_blank(t.ptr[i + 1]) || t.ptr[i + 1] == '\n' ||
	        strchr("\"')?!.", t.ptr[i + 1]));
}

static bool is_value(ag_str w)
{
	if (w.len && ((w.ptr[0] >= '0' && w.ptr[0] <= '9') || strchr("/#{[<$", w.ptr[0])))
		return true;
	return ag_str_find(w, '=') >= 0 || ag_str_find(w, '/') >= 0 || ag_str_find(w, '_') >= 0;
}

/* ASCII letters in small, and the typographic apostrophe as the plain one: "Don’t" is "don't". */
static ag_str in_small(ag_str s, ag_arena *arena)
{
	char *to = ag_str_cstr(arena, s);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (ag_str_starts(ag_str_make(s.ptr + i, s.len - i), AG_S("\xe2\x80\x99"))) {
			to[n++] = '\'';
			i += 2;
			continue;
		}
		to[n++] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
	}
	return ag_str_make(to, n);
}

static void add_word(sentence *s, ag_str raw, bool begins_clause, bool after_colon, ag_arena *arena)
{
	token *t;
	unsigned bit;

	while (raw.len > 1 && strchr("(`*[", raw.ptr[0]))
		raw = ag_str_make(raw.ptr + 1, raw.len - 1);
	while (raw.len && strchr(")`*,:]", raw.ptr[raw.len - 1]))
		raw.len--;
	if (!raw.len || s->n == MAX_WORDS)
		return;
	t = &s->words[s->n++];
	bit = ag_api_method_bit(raw);
	*t = (token){ .text = in_small(raw, arena),
		      .method = bit && ag_str_eq(raw, ag_api_method_name(bit)) ? bit : 0,
		      .is_value = is_value(raw),
		      .begins_clause = begins_clause,
		      .after_colon = after_colon };
}

/* One sentence from *pos on. False at the end of the text. */
static bool next_sentence(ag_str t, size_t *pos, sentence *s, ag_arena *arena)
{
	size_t i = *pos, begin;
	bool clause = false, colon = false;

	s->n = 0;
	s->is_question = false;
	if (i >= t.len)
		return false;
	while (i < t.len) {
		const size_t data = data_at(t, i);

		if (data) {
			if (s->n < MAX_WORDS)
				s->words[s->n++] = (token){ .text = AG_S(""),
					                    .is_quoted = true,
					                    .is_value = true,
					                    .begins_clause = clause,
					                    .after_colon = colon };
			clause = colon = false;
			i += data;
			continue;
		}
		if (is_end(t, i)) {
			s->is_question = t.ptr[i] == '?';
			i++;
			if (s->n || s->is_question)
				break;
			continue;
		}
		if (is_blank(t.ptr[i]) || t.ptr[i] == ',') {
			clause |= t.ptr[i] == ',';
			i++;
			continue;
		}
		begin = i;
		while (i < t.len && !is_blank(t.ptr[i]) && t.ptr[i] != ',' && !is_end(t, i) &&
		       (i == begin || !data_at(t, i)))
			i++;
		add_word(s, ag_str_make(t.ptr + begin, i - begin), clause, colon, arena);
		colon = t.ptr[i - 1] == ':';
		clause = colon || (i - begin == 1 && t.ptr[begin] == '-');
	}
	/* "… , is that possible?!" */
	while (i < t.len && strchr("?!.", t.ptr[i])) {
		s->is_question |= t.ptr[i] == '?';
		i++;
	}
	*pos = i;
	return true;
}

/* --- orders --- */

static bool has_please(const sentence *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!s->words[i].is_quoted && ag_str_eqc(s->words[i].text, "please"))
			return true;
	}
	return false;
}

/* Index of the word where the order begins, after polite openings; SIZE_MAX when the sentence is no order. */
static size_t order_begin(const sentence *s, bool *ret_is_condition)
{
	size_t i = 0;

	*ret_is_condition = false;
	for (;;) {
		size_t n = one_of_phrases_at(s, i, asks, AG_NELEM(asks));

		if (!n && has_please(s))
			n = one_of_phrases_at(s, i, courtesies, AG_NELEM(courtesies));
		if (!n && WORD_IN(s, i, openings))
			n = 1;
		/* "1. Create …", "- Create …" */
		if (!n && i == 0 && s->n && s->words[0].text.len && s->n > 1 &&
		    strchr("0123456789-*", s->words[0].text.ptr[0]) && s->words[0].text.len <= 2)
			n = 1;
		if (!n)
			break;
		i += n;
	}
	/* A condition first ("If there is none, create it."): the order follows the comma. */
	if (i < s->n && !s->is_question &&
	    (ag_str_eqc(s->words[i].text, "if") || ag_str_eqc(s->words[i].text, "when") ||
	     ag_str_eqc(s->words[i].text, "once") || ag_str_eqc(s->words[i].text, "unless"))) {
		*ret_is_condition = true;
		return i;
	}
	if (WORD_IN(s, i, asking))
		return SIZE_MAX;
	return i;
}

static bool ends_in_topic(const sentence *s)
{
	size_t last = s->n;

	while (last && ag_str_eqc(s->words[last - 1].text, "please"))
		last--;
	return last && WORD_IN(s, last - 1, topics);
}

/* Is there something that the verb at i writes? strict: right after it. */
static bool has_object(const sentence *s, size_t i, bool strict)
{
	static const char *const reports[] = { "fails",   "returns",  "gives", "works",
		                               "does",    "is",       "has",   "was",
		                               "answers", "responds", "needs", "requires" };

	if (i + 1 >= s->n || WORD_IN(s, i + 1, reports) || WORD_IN(s, i + 1, topics))
		return false;
	if (s->words[i + 1].is_value || WORD_IN(s, i + 1, objects))
		return true;
	if (strict || WORD_IN(s, i + 1, joints))
		return false;
	/* "Delete item 5", "Create items named x": an article is often left out. */
	for (size_t k = i + 2; k < s->n && k <= i + 3; k++) {
		if (s->words[k].is_value || WORD_IN(s, k, joints))
			return true;
	}
	return has_please(s);
}

/* Is what the verb at i writes a part of the answer? "Create a list called x" and "add a line to item 5" are requests. */
static bool writes_text(const sentence *s, size_t i)
{
	static const char *const writers[] = { "write", "create", "add", "insert", "submit" };
	static const char *const names[] = { "named", "called", "titled", "to" };
	static const char *const ends[] = { "answer", "reply", "end", "bottom" };

	for (size_t k = i + 1; WORD_IN(s, i, writers) && k < s->n && k <= i + 4; k++) {
		if (WORD_IN(s, k, joints) || s->words[k].is_value)
			return false;
		if (!WORD_IN(s, k, texts))
			continue;
		return k + 1 == s->n || (!s->words[k + 1].is_value && !WORD_IN(s, k + 1, names)) ||
		       (k + 3 < s->n && WORD_IN(s, k + 3, ends));
	}
	return false;
}

/* "Order the items by price", "put them into a table": about the answer as well. */
static bool arranges(const sentence *s, size_t i)
{
	static const char *const orders[] = { "by",         "from",      "alphabetically",
		                              "descending", "ascending", "in" };

	if (ag_str_eqc(s->words[i].text, "put"))
		return i + 1 >= s->n || !s->words[i + 1].is_value;
	for (size_t k = i + 1; ag_str_eqc(s->words[i].text, "order") && k < s->n; k++) {
		if (WORD_IN(s, k, orders))
			return true;
	}
	return one_of_phrases_at(s, i, idioms, AG_NELEM(idioms)) > 0;
}

/* "Send a POST request to /items/": a method name that the order sends. */
static bool is_sent(const sentence *s, size_t i)
{
	static const char *const between[] = { "a",    "an",   "the", "one",  "http",   "this",
		                               "that", "with", "and", "just", "method", "two" };
	size_t k = i;

	while (k && WORD_IN(s, k - 1, between))
		k--;
	return k && WORD_IN(s, k - 1, sending);
}

/* May a clause of its own begin at i: after "and", "then", a comma? */
static bool is_clause(const sentence *s, size_t i)
{
	if (s->words[i].begins_clause)
		return true;
	return i && (ag_str_eqc(s->words[i - 1].text, "and") ||
	             ag_str_eqc(s->words[i - 1].text, "then") ||
	             ag_str_eqc(s->words[i - 1].text, "please") ||
	             ag_str_eqc(s->words[i - 1].text, "by"));
}

static bool is_negated(const sentence *s, size_t i, size_t near)
{
	for (size_t k = i; k-- > 0 && i - k <= near;) {
		if (WORD_IN(s, k, negations))
			return true;
		/* "Do not ask, create it": a comma ends what is negated. */
		if (s->words[k + 1].begins_clause)
			return false;
	}
	return false;
}

/* "POST /items/ with …": what follows says whether it is an order. */
static bool is_method_ordered(const sentence *s, size_t i, size_t begin)
{
	size_t k = i + 1;

	if (is_sent(s, i))
		return true;
	if (i != begin && !is_clause(s, i))
		return false;
	while (k < s->n && s->words[k].is_value)
		k++;
	if (k == i + 1) /* "POST an item", not the word alone */
		return WORD_IN(s, k, objects);
	return k == s->n || WORD_IN(s, k, followers) || s->words[k].begins_clause;
}

static unsigned ordered_at(const sentence *s, size_t i, size_t begin, bool is_looking)
{
	const verb *v = verb_at(s, i);

	/* "Try deleting item 5", "Begin by adding an item" */
	if (!v && i &&
	    (ag_str_eqc(s->words[i - 1].text, "try") || ag_str_eqc(s->words[i - 1].text, "by")))
		v = verb_form_at(s, i);
	if (s->words[i].method)
		return is_method_ordered(s, i, begin) ? s->words[i].method : 0;
	if (!v ||
	    (i != begin && !is_clause(s, i) && !(i && ag_str_eqc(s->words[i - 1].text, "try"))))
		return 0;
	if (!has_object(s, i, is_looking) || arranges(s, i) || writes_text(s, i))
		return 0;
	/* "Submit a POST request": the method that is named is meant, not all that the verb permits. */
	for (size_t k = i + 1; k < s->n && k <= i + 4; k++) {
		if (s->words[k].method)
			return 0;
	}
	return v->permits;
}

/* Do the words before i announce an order: "Your task: …", "Please do this: …"? */
static bool announces(const sentence *s, size_t i)
{
	static const char *const words[] = { "task", "tasks",  "todo", "following", "steps",
		                             "do",   "please", "now",  "argus" };

	for (size_t k = 0; k < i; k++) {
		if (WORD_IN(s, k, words))
			return !WORD_IN(s, 0, looking) && !WORD_IN(s, 0, asking);
	}
	return false;
}

/* "Create an item, which status comes back?" orders first and asks then. */
static bool asks_behind_order(const sentence *s, size_t begin)
{
	for (size_t i = begin + 2; i < s->n; i++) {
		if (s->words[i].begins_clause && WORD_IN(s, i, asking))
			return true;
	}
	return false;
}

static unsigned orders_of(const sentence *s)
{
	bool is_condition;
	const size_t begin = order_begin(s, &is_condition);
	bool is_looking;
	unsigned bits = 0;

	if (begin == SIZE_MAX || ends_in_topic(s) ||
	    (s->is_question && !has_please(s) && !asks_behind_order(s, begin)))
		return 0;
	is_looking = WORD_IN(s, begin, looking);
	for (size_t i = begin; i < s->n; i++) {
		/* "Translate: delete all items" */
		if (s->words[i].after_colon && i > begin && !announces(s, i))
			break;
		/* From here on the sentence speaks about writing: "… and tell me how to delete it". */
		if (i > begin && WORD_IN(s, i, asking) && !is_condition)
			break;
		if (is_condition && i > begin && !s->words[i].begins_clause && !bits)
			continue;
		if (is_condition && i == begin)
			continue;
		if (!is_negated(s, i, MAX_WORDS))
			bits |= ordered_at(s, i, begin, is_looking);
	}
	return bits;
}

/* --- negation --- */

#define NEAR_NEGATION 4u /* words between "without" and the verb that it forbids, at most */

/* "do not POST", "without deleting", "never change anything": what must not be sent, wherever else it is ordered. */
static unsigned forbidden_by(const sentence *s)
{
	static const char *const all[] = { "write", "change", "modify", "edit", "alter", "touch" };
	unsigned bits = 0;

	for (size_t i = 0; i < s->n; i++) {
		const verb *v = verb_form_at(s, i);

		if ((!v && !s->words[i].method) || !is_negated(s, i, NEAR_NEGATION))
			continue;
		bits |= s->words[i].method ? s->words[i].method : v->permits;
		for (size_t k = 0; v && k < AG_NELEM(all); k++) {
			if (ag_str_eqc(ag_str_c(v->word), all[k]))
				bits |= AG_API_ALL;
		}
	}
	return bits & ~AG_API_READING;
}

static bool is_read_only(ag_str text, ag_arena *arena)
{
	const ag_str low = in_small(text, arena);

	for (size_t i = 0; i < AG_NELEM(read_only); i++) {
		if (ag_str_contains(low, ag_str_c(read_only[i])))
			return true;
	}
	return false;
}

unsigned ag_api_methods_ordered(ag_str question)
{
	ag_arena *arena = ag_arena_new();
	sentence *s = ag_new(arena, sentence);
	unsigned bits = 0, forbidden = 0;

	for (size_t pos = 0; next_sentence(question, &pos, s, arena);) {
		bits |= orders_of(s);
		forbidden |= forbidden_by(s);
	}
	if (is_read_only(question, arena))
		forbidden = AG_API_ALL;
	ag_arena_free(arena);
	return bits & ~forbidden & ~AG_API_READING;
}
