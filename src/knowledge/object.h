/* object -- what a project knows, one thing at a time: an entry, a table's notes, a metric, a learning, a golden question, a
 * recipe.
 *
 * A kind is a row of ag_know_types[]: its fields with their limits, who may write it, and how its Markdown file looks. The
 * store keeps an object as a row whose body is one JSON object with exactly these fields (store/objects.h).
 *
 * To add a field: its row in object.c; checks, files, prompt search and commands follow. To add a kind: its row, and its
 * words in the prompt (prompt.c) if the model reads it. */
#ifndef AG_KNOWLEDGE_OBJECT_H
#define AG_KNOWLEDGE_OBJECT_H

#include "query/value.h"
#include "store/identity.h"
#include "store/objects.h"

typedef enum ag_know_kind {
	AG_KNOW_ENTRY,
	AG_KNOW_TABLE,
	AG_KNOW_METRIC,
	AG_KNOW_LEARNING,
	AG_KNOW_GOLDEN,
	AG_KNOW_RECIPE,
	AG_KNOW_NKIND
} ag_know_kind;

typedef enum ag_know_form {
	AG_KNOW_TEXT,
	AG_KNOW_NUMBER,
	AG_KNOW_LIST,    /* of texts */
	AG_KNOW_MAP,     /* texts by name */
	AG_KNOW_RELATED, /* list of {"table","join_hint"}, or of names of tables */
	AG_KNOW_FLAG,    /* true or false */
	AG_KNOW_SCALAR,  /* a text, a number or a boolean; kept as text, which may be empty */
	AG_KNOW_SCALARS, /* a list of such */
	AG_KNOW_RECORDS, /* a list of objects with fields of their own */
} ag_know_form;

typedef struct ag_know_field ag_know_field;
struct ag_know_field {
	const char *name;
	ag_know_form form;
	bool is_needed;
	unsigned min, max;         /* characters of each text; max 0 = AG_KNOW_MAX_TEXT */
	const char *const *one_of; /* NULL-terminated; NULL = any */
	const char *help;
	/* RECORDS: the fields of one, and what one is called in messages: "step". */
	const ag_know_field *of;
	size_t nof;
	const char *one;
};

typedef struct ag_know_type {
	const char *name;   /* "entry": in the store, in files, on the command line */
	const char *folder; /* of an export: "entries" */
	const char *title;  /* what the name is called in messages: "title" */
	/* The field that is the text of its Markdown file; NULL = the name is that text. */
	const char *text;
	unsigned min_name, max_name; /* characters */
	bool is_line;                /* the name is one line */
	ag_role least;               /* who may write it */
	const ag_know_field *fields;
	size_t nfield;
	ag_role removes; /* who may remove it */
	/* What its fields must be together; NULL = nothing. body: each field is right by itself.
	 * errors  AG_INVALID: names the field */
	ag_status (*check)(const ag_val *body, ag_arena *arena, ag_err *err);
} ag_know_type;

#define AG_KNOW_MAX_TEXT  20000u /* characters of a field */
#define AG_KNOW_MAX_ITEMS 200u   /* of a list or map */
#define AG_KNOW_SHORT     8u     /* digits of a key that people see */

extern const ag_know_type ag_know_types[AG_KNOW_NKIND];

/* "active": used. "review": was contradicted, and is not used until a person decides. "off": kept, not used. */
typedef enum ag_know_status {
	AG_KNOW_ACTIVE,
	AG_KNOW_REVIEW,
	AG_KNOW_OFF,
	AG_KNOW_NSTATUS
} ag_know_status;

typedef struct ag_know {
	ag_know_kind kind;
	ag_know_status status;
	ag_str key; /* 64 hex digits: SHA-256 of the name in small letters */
	ag_str name;
	ag_str author;
	ag_val body; /* an object: the fields that are there, in the order of the type */
	double confidence;
	uint64_t uses, version;
	int64_t created_ms, changed_ms, used_ms;
} ag_know;

bool ag_know_kind_read(ag_str name, ag_know_kind *ret);
const char *ag_know_status_name(ag_know_status s);
bool ag_know_status_read(ag_str name, ag_know_status *ret);
const ag_know_field *ag_know_field_of(ag_know_kind kind, ag_str name);
/* The key of a name of that kind, in arena. */
ag_str ag_know_key(ag_str name, ag_arena *arena);

/* An active object of version 0 from its name and an object of fields; texts are trimmed, lists of one may be a text. In
 * arena.
 * errors  AG_INVALID: one sentence that names kind and field, like "learning: description: want 20 characters or more, got
 *         19" */
AG_CHECK ag_status ag_know_make(ag_know_kind kind, ag_str name, const ag_val *fields,
                                ag_arena *arena, ag_know *ret, ag_err *err);
/* With one more member of its body, or without it: a value of another form is checked by ag_know_make(). */
ag_val ag_know_with(const ag_val *body, const char *field, const ag_val *value, ag_arena *arena);

ag_object_row ag_know_row(const ag_know *o, ag_str project, ag_arena *arena);
/* errors  AG_INVALID: of another version of Argus, or damaged */
AG_CHECK ag_status ag_know_of_row(const ag_object_row *row, ag_arena *arena, ag_know *ret,
                                  ag_err *err);

/* Rows of the kinds above, of one or (AG_KNOW_NKIND) of all: the store keeps others as well. By kind, then name. In arena. */
AG_CHECK ag_status ag_know_rows(ag_store *s, ag_str project, ag_know_kind kind, ag_arena *arena,
                                ag_object_row **ret, size_t *nret, ag_err *err);

/* The text of a field; "" = none. */
ag_str ag_know_text(const ag_know *o, const char *field);
/* The i-th text of a list; "" = there are not so many. */
ag_str ag_know_item(const ag_know *o, const char *field, size_t i);
/* "8f3a12bc" */
static inline ag_str ag_know_short(const ag_know *o)
{
	return ag_str_make(o->key.ptr, o->key.len < AG_KNOW_SHORT ? o->key.len : AG_KNOW_SHORT);
}

#endif
