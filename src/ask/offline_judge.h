/* offline_judge -- does this text answer that question, as far as words can say?
 *
 * The index finds the best section there is, also for a question that no section answers. The judge decides what may be said
 * of it. A question is taken apart into terms: content words, phrases that are one thing ("log out"), names (capitalised
 * words, identifiers, versions) and quoted text. A text answers only when it, its titles or its path have every term, save for
 * light verbs, and words that the document has elsewhere when the question names the title. */
#ifndef AG_ASK_OFFLINE_JUDGE_H
#define AG_ASK_OFFLINE_JUDGE_H

#include "ask/index_words.h"

#define AG_JUDGE_MAX_TERMS 24u
#define AG_JUDGE_MAX_PARTS 6u
#define AG_JUDGE_MAX_STEMS 40u

typedef enum ag_term_kind {
	AG_TERM_WORD, /* "restore": compared by stem, synonyms count */
	AG_TERM_UNIT, /* "log out", "turn off": several words that mean one thing; synonyms count */
	AG_TERM_NAME, /* "Redis", "Node.js", "max_rows", "3.0": compared as it is, in any case */
	AG_TERM_QUOTED /* text in quotes or in a code span: must be there as it is, in any case */
} ag_term_kind;

typedef struct ag_term {
	ag_term_kind kind;
	ag_str shown;        /* as the question has it */
	ag_str word;         /* WORD, UNIT: what is compared */
	ag_stem *stems;      /* WORD, UNIT: its own first, then its synonyms */
	size_t nstem, ntwin; /* the first ntwin mean the same: "repo" and "repository" */
	unsigned part;       /* of the question: see nparts */
	bool is_anywhere;    /* a document of the project has it */
	bool is_exact;       /* NAME that is a common word, too ("Go"): only with its capital */
	bool is_subject;     /* the project's own name */
	bool is_light;       /* a verb that an answer seldom repeats: "return", "use" */
	double weight;       /* rare terms more */
} ag_term;

/* What a sentence that answers has beside the question's words. */
typedef enum ag_cue {
	AG_CUE_NONE,
	AG_CUE_REASON, /* "why": "because", "due to" */
	AG_CUE_CASE,   /* "what happens when": "if", "once" */
	AG_CUE_ADVICE, /* "should I": "recommended", "prefer" */
	AG_CUE_TIME,   /* "how long": "seconds", "days" */
	AG_CUE_SIZE,   /* "how large": "bytes", "lines" */
	AG_CUE_WHEN,   /* "when does": "after", "every", "days" */
	AG_CUE_MOMENT  /* "when does it appear": "every", "in 2026" */
} ag_cue;

typedef struct ag_judge {
	ag_term terms[AG_JUDGE_MAX_TERMS];
	size_t nterm;
	ag_str parts[AG_JUDGE_MAX_PARTS]; /* of a question that asks several things; views of it */
	unsigned npart;
	bool wants_version, wants_quantity, wants_how, is_negated;
	bool wants_doer, wants_date;         /* "who wrote x"; "when was x founded" */
	bool asks_cost, asks_who, asks_whom; /* "what does x cost", "who …", "how do I see who …" */
	bool asks_often, asks_many;          /* "how often"; "how many", "how much" */
	bool asks_right;                     /* "who may" */
	int degree;                          /* "hot" of "how hot may the soil get"; -1 = none */
	bool asks_limit;                     /* "how many may", "how long can" */
	bool asks_whether;                   /* "does x …", "is x …": yes or no */
	int counted, lacking;                /* terms: of "how many x", of "without x"; -1 = none */
	int verb;                            /* of "how do I delete an old item"; -1 = none */
	int objects[2]; /* and the first two things after it: "old", "item"; -1 = none */
	bool is_pair;   /* of which the second follows the first at once */
	bool is_owned;  /* or is what the first is of: "the data of a person" */
	int state,
		stated; /* "required", "option" of "how do I make an option required"; -1 = none */
	int topic;      /* "commit" of "what is the maximum size of a commit"; -1 = none */
	ag_cue cue;
	bool is_bare; /* two or three words without a question */
	bool is_direct; /* no preposition between verb and first object: "upgrade Git", not "log in with Git" */
	int phrase
		[2]; /* first and last term of "what is a load test", "what does git stash do"; -1 = none */
	int deed; /* "wrote" of "who wrote x"; -1 = none */
	bool wants_code,
		wants_place; /* code or settings may answer; a file or function is the answer */
} ag_judge;

typedef enum ag_fit {
	AG_FIT_NONE,   /* to show this text would mislead */
	AG_FIT_PARTLY, /* it has to do with the question; `why` says what is missing */
	AG_FIT_WHOLE   /* it has all that was asked for */
} ag_fit;

typedef struct ag_judged {
	ag_fit fit;
	bool is_named;  /* WHOLE, and the question has every word of its title */
	bool has_title; /* the title has every term, or two of them */
	bool is_entry;  /* the title is a name that the question has */
	bool is_proved; /* WHOLE: one statement says it */
	bool is_titled; /* and the titles have all of the question */
	double share;   /* of the terms' weight that the text has */
	ag_str why;     /* one clause: `no file of the project has "Redis"`; "" for WHOLE */
} ag_judged;

/* Views of the question and texts in arena. Asks the store how common the terms are. subject: words that name the project itself,
 * which its texts need not repeat; "" = unknown. */
AG_CHECK ag_status ag_judge_read(ag_store *s, ag_str project, const ag_question *q, ag_str subject,
                                 ag_arena *arena, ag_judge *ret, ag_err *err);
typedef struct ag_judged_text {
	ag_str title;
	ag_str heads; /* title, and titles above it */
	ag_str path;
	ag_str text;
	ag_str document; /* the whole file that the text is of */
	bool is_prose;   /* a section of documentation, no code or settings */
} ag_judged_text;

ag_judged ag_judge_text(const ag_judge *j, const ag_judged_text *t, ag_arena *arena);
/* Has the question this word, in any form? */
bool ag_judge_asks_for(const ag_judge *j, ag_str word);
/* Why nothing is shown: the terms that no file has, else "". */
ag_str ag_judge_absent(const ag_judge *j, ag_arena *arena);

/* --- offline_terms.c, for offline_judge.c --- */

typedef enum ag_judge_table {
	AG_JUDGE_UNITS,      /* "log out=logout" */
	AG_JUDGE_TWINS,      /* lines of words that mean the same */
	AG_JUDGE_UNIT_WORDS, /* lines of words that replace each other */
	AG_JUDGE_SPARE,      /* words that no answer needs to have */
	AG_JUDGE_IRREGULAR,  /* "made=make" */
	AG_JUDGE_ACTIONS,    /* verbs that are done to anything */
	AG_JUDGE_NEUTRAL,    /* those of them that turn nothing into its opposite: "use", "add" */
	AG_JUDGE_MAKERS,     /* those of them that make something: "create" */
	AG_JUDGE_STATES,     /* verbs of what a thing does by itself: "return", "contain" */
	AG_JUDGE_APART,      /* lines of a word and its false friends */
	AG_JUDGE_ALIASES     /* lines of names of one thing */
} ag_judge_table;

/* As ag_stem_of(), with the forms that no rule makes: "made" is "make". */
ag_stem ag_judge_stem(ag_str word);
/* Is it a word that no answer needs to have? In small letters. */
bool ag_judge_is_spare(ag_str low);
/* Spare, or a word that no text is found by. */
bool ag_judge_is_common(ag_str low);
/* "invented", "wrote" */
bool ag_judge_is_past(ag_str word);
ag_str ag_judge_lower(ag_str s, ag_arena *arena);
/* "install", "run": done to anything, so that it says nothing of what a question is about. */
bool ag_judge_is_action(ag_str word);
/* Is it one of a table's words, in any form? */
bool ag_judge_is_in(ag_judge_table which, ag_str word);
/* The next run of letters and digits: "Node.js" is "Node", "js". */
bool ag_judge_next_run(ag_str s, size_t *pos, ag_str *ret);
/* The units of a text, at most max: "Sign out everywhere" has "logout". */
size_t ag_judge_units(ag_str text, ag_arena *arena, ag_stem *ret, size_t max);

/* --- offline_marks.c, for offline_terms.c --- */

/* Fills what the question asks for, and what its terms are in it. low: the question in small letters. */
void ag_judge_mark(ag_judge *j, ag_str question, ag_str low);

/* --- offline_proof.c, for offline_marks.c --- */

/* "hot", "heavy": how much of it is a number with a unit. */
bool ag_judge_is_degree(ag_str word);
/* A year or the name of a month. */
bool ag_judge_has_date(ag_str text);

/* --- offline_view.c, for offline_judge.c --- */

/* A text as terms are looked for in it. */
typedef struct ag_judge_view {
	ag_str text; /* as it is, heads first */
	ag_str low;  /* in small letters, blanks made one */
	ag_stem *stems;
	size_t nstem;
	ag_str *runs;
	size_t nrun;
} ag_judge_view;

/* In arena; heads may be "". */
ag_judge_view ag_judge_view_of(ag_str heads, ag_str text, ag_arena *arena);
bool ag_judge_has_stem(const ag_judge_view *v, const ag_stem *stem);
/* The word or one of its synonyms; names and quoted text have none. */
bool ag_judge_has_any(const ag_judge_view *v, const ag_term *t);
/* The term, or a word that means the same. */
bool ag_judge_has_twin(const ag_judge_view *v, const ag_term *t, ag_arena *arena);
/* The term without its synonyms. */
bool ag_judge_has_own(const ag_judge_view *v, const ag_term *t, ag_arena *arena);
bool ag_judge_has_term(const ag_judge_view *v, const ag_term *t, ag_arena *arena);
/* The targets of links are no words of a text: "[the log](database.md#log)" says nothing about a database. */
ag_str ag_judge_without_targets(ag_str text, ag_arena *arena);

/* --- offline_sentence.c, for offline_judge.c --- */

/* The next sentence. A line that is wrapped goes on; rows, items and lines of code are sentences of their own. */
bool ag_judge_next_sentence(ag_str *rest, bool *is_code, ag_str *ret);
/* "_If disabled:_": a sentence that is nothing but the verb speaks of what the title names. */
bool ag_judge_is_done_alone(const ag_judge *j, ag_str text);
/* "A required option", "the option is required": the state in this form, close to its thing. */
bool ag_judge_is_so(const ag_judge *j, ag_str text);
/* Has a title, or a sentence with a number, the topic itself? A commit message is no commit. */
bool ag_judge_is_of_topic(const ag_judge *j, ag_str heads, ag_str text);
/* A sentence or a title with two of the terms, light verbs aside, or with the only one. */
bool ag_judge_joins(const ag_judge *j, ag_str text);

/* --- offline_title.c, for offline_judge.c --- */

/* The term that has this word as its own, or with is_like as a synonym; nterm = none. */
size_t ag_judge_term_of(const ag_judge *j, ag_str low, bool is_like);
/* The title without a remark in parentheses at its end. */
ag_str ag_judge_plain_title(ag_str title);
/* Is every word of the title one of the question's? Then the question names the section. Returns how many of the question's
 * terms the title has; 0 when it has another word. is_like: synonyms count. */
size_t ag_judge_named_by(const ag_judge *j, ag_str title, bool is_like, ag_arena *arena);
/* How many words of the title say something. */
size_t ag_judge_title_words(ag_str title, ag_arena *arena);
/* "Revert a pull request" is about another action than "approve". */
bool ag_judge_names_other_action(ag_str title, const ag_term *verb);
/* Is the last word of the title one of the question's, or a synonym? It is mostly what the title is about. */
bool ag_judge_ends_asked(const ag_judge *j, ag_str title, ag_arena *arena);
/* "Stop at a line (`breakpoint()`)": the remark in parentheses is what the question names. */
bool ag_judge_is_in_brackets(const ag_judge *j, ag_str title, ag_arena *arena);

/* --- offline_bound.c, for offline_judge.c: what one sentence must bind --- */

/* Has it a number that counts? */
bool ag_judge_has_number(ag_str text);
/* Has it the term as what it is about? In "commit message" the commit only says which message. */
bool ag_judge_has_head(const ag_judge *j, const ag_term *t, ag_str text);
/* "how many retries": a number beside the question's own word. Another word for what is counted counts something else. */
bool ag_judge_counts(const ag_judge *j, const ag_judge_view *heads, ag_str text);
/* A sentence with all of the question, light verbs aside. */
bool ag_judge_says_all(const ag_judge *j, ag_str text);
/* "without GitHub": the thing and the "without" in one sentence. */
bool ag_judge_denies(const ag_judge *j, ag_str text);
/* The verb close to its object, of which the titles may have a part. are_titles: they have all but the verb, so that a synonym of it
 * is enough. is_strict: as of ag_judge_acts_on(). */
bool ag_judge_binds(const ag_judge *j, const ag_judge_view *heads, bool are_titles, bool is_strict,
                    ag_str text);
/* "with", "after": what follows is no object of a verb. */
bool ag_judge_is_between(ag_str word);
/* "search for": the object follows. */
bool ag_judge_takes_for(ag_str verb, ag_str word);
/* Does the text do the verb to the first object itself? "Upgrading with Git" upgrades something else. is_strict: "create a blog post"
 * creates a post and no blog. is_title: a title without the verb needs the object alone. */
bool ag_judge_acts_on(const ag_judge *j, ag_str text, bool is_title, bool is_strict);
/* "delete a proxy server": two nouns that follow each other in the question are near each other in the text, too. Returns the first
 * of a pair that is not; nterm = all are. */
size_t ag_judge_lost_pair(const ag_judge *j, const ag_judge_view *heads, ag_str text);
/* Are term i and the next one near each other in the text, if they are two nouns that follow each other and the text has both? */
bool ag_judge_keeps_pair(const ag_judge *j, size_t i, ag_str text);
/* Are two words, or twins of them, at most three words apart in a sentence of the text? */
bool ag_judge_are_close(const ag_term *one, const ag_term *two, ag_str text);
bool ag_judge_has_cue_word(ag_cue cue, ag_str sentence);
/* A sentence with the cue, and all terms that the titles do not have. */
bool ag_judge_has_cue(const ag_judge *j, const ag_judge_view *heads, ag_str title, ag_str text);
/* "what is a shell", "what does git stash do": a sentence, an item or a row begins with the phrase. */
bool ag_judge_defines(const ag_judge *j, ag_str text);
/* "who wrote x", "when was x founded": the deed with a name, or all terms that the titles do not have with a date. */
bool ag_judge_names_deed(const ag_judge *j, const ag_judge_view *heads, ag_str text);

/* --- offline_words.c --- */

typedef struct ag_word_table {
	const char *const *at;
	size_t n;
} ag_word_table;

ag_word_table ag_judge_words(ag_judge_table which);

#endif
