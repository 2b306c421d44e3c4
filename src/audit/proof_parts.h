/* proof_parts -- what proof.c, proof_query.c and proof_defect.c share. Internal to audit/. */
#ifndef AG_AUDIT_PROOF_PARTS_H
#define AG_AUDIT_PROOF_PARTS_H

#include "audit/checks.h"
#include "audit/proof.h"

/* The field of a claim, as the profile knows it. */
typedef struct ag_proof_field {
	const ag_profile *profile;
	const ag_catalogue_opts *opts;
	ag_arena *arena;
	ag_path_profile f; /* all counts 0 when the profile does not list the field */
	bool is_listed;
	bool is_document; /* "(document)": the claim is about whole documents */
	ag_field_name name;
	ag_str dotted; /* the path as a filter writes it, without "[]"; "" = none can */
} ag_proof_field;

/* What the documents that show a category in a field look like. */
typedef struct ag_defect {
	ag_str own;       /* filter of the documents that show it; "" = Argus cannot measure it */
	ag_str none;      /* why the field cannot show it at all; "" = it may */
	double max_share; /* largest share of the documents with a value that can be a defect; 0 = any */
	bool all_ok;      /* every document may show it */
	bool is_exact;    /* the count of `own` is the figure of the category */
	bool is_relation; /* between several fields: none of them alone shows it */
	bool is_rare;     /* where more than max_share match `own`, none of them is a defect */
	ag_str pile;      /* a defect as well when several documents match it; "" = nothing */
} ag_defect;

/* proof_defect.c. category: canonical id. */
void ag_defect_of(const ag_proof_field *l, ag_str category, ag_defect *ret);
/* Documents where the field has nothing to say: null, absent, empty, a placeholder. */
ag_str ag_defect_nothing(const ag_proof_field *l);
/* {"$or":[…]} of the texts that are not "". */
ag_str ag_defect_any(ag_arena *a, const ag_str *texts, size_t n);

/* Words that stand for nothing; more generous than the profile's own, because a model reads more of them. */
#define AG_DEFECT_NOTHING_WORDS                                                                                             \
	"^\\s*[(<\\[]?\\s*(n/?[asd]|\\\\n|n\\.a\\.?|#?n/a|#(ref|value|null|num|name|div/0)[!?]?|nan|nul+|none|nil|nothing|" \
	"unk|unknown|undef|undefined|tb[adc]|to be (defined|done|announced)|todo|missing|empty|blank|no data|"              \
	"not (available|known|set|specified|provided|applicable|given|defined|found)|unspecified|"                          \
	"placeholder|dummy|default|example|sample|test|tester|testing|foo|bar|asdf+|qwerty|x{2,}|"                          \
	"lorem ipsum.*|[-_.?*#~ ]+|0{3,}(-0+)*)\\s*[)>\\]]?\\s*$"

#define ANY(l, ...)                                                \
	ag_defect_any((l)->arena, (const ag_str[]){ __VA_ARGS__ }, \
	              sizeof((const ag_str[]){ __VA_ARGS__ }) / sizeof(ag_str))

/* A condition on the field as the text of a filter; inside arrays, on one item. */
ag_str ag_defect_where(const ag_proof_field *l, ag_val cond);
ag_str ag_defect_text(const ag_proof_field *l, const char *pattern, const char *options);
ag_str ag_defect_class(const ag_proof_field *l, ag_text_class c);
ag_str ag_defect_empty(const ag_proof_field *l);
ag_val ag_defect_number(double v);
/* "$a.b" in quotes, for the text of an expression. */
ag_str ag_defect_path(const ag_proof_field *l);

/* proof_defect_text.c: rows of the table. */
void ag_defect_padding(const ag_proof_field *l, ag_defect *d);
void ag_defect_mojibake(const ag_proof_field *l, ag_defect *d);
void ag_defect_control_characters(const ag_proof_field *l, ag_defect *d);
void ag_defect_html_entities(const ag_proof_field *l, ag_defect *d);
void ag_defect_name_case(const ag_proof_field *l, ag_defect *d);
void ag_defect_case_variants(const ag_proof_field *l, ag_defect *d);
void ag_defect_spelling_variants(const ag_proof_field *l, ag_defect *d);
void ag_defect_enum_violation(const ag_proof_field *l, ag_defect *d);
void ag_defect_pattern_violation(const ag_proof_field *l, ag_defect *d);
void ag_defect_invalid_format(const ag_proof_field *l, ag_defect *d);
void ag_defect_truncation(const ag_proof_field *l, ag_defect *d);
void ag_defect_lost_leading_zero(const ag_proof_field *l, ag_defect *d);
void ag_defect_pii(const ag_proof_field *l, ag_defect *d);
void ag_defect_array_size(const ag_proof_field *l, ag_defect *d);
void ag_defect_array_content(const ag_proof_field *l, ag_defect *d);
void ag_defect_keys_as_data(const ag_proof_field *l, ag_defect *d);
void ag_defect_field_name_variants(const ag_proof_field *l, ag_defect *d);

/* Documents with a date of this day or later. */
ag_str ag_defect_since(const ag_proof_field *l, int64_t ms);

/* proof_field.c */
bool ag_proof_is_document(ag_str name);
/* What people write around a path is taken away: "$.items[0].price", "'email'", "$email", "items[*].price". */
ag_str ag_proof_bare_name(ag_str s, ag_arena *arena);
/* A path of the profile as dotted names; a map's "*" stays. */
ag_str ag_proof_dotted(const ag_path_profile *f, ag_arena *arena);
bool ag_proof_meets(ag_str pattern, ag_str path);
/* The field of that name, or NULL; *ret_is_other: it is written in another way. */
const ag_path_profile *ag_proof_listed(const ag_profile *all, ag_str name, ag_arena *arena,
                                       bool *ret_is_other);
/* "tags" of a claim about values are its items, "tags[]". */
const ag_path_profile *ag_proof_items(const ag_profile *all, const ag_path_profile *f,
                                      ag_str category, ag_arena *arena);

/* proof_category.c: a category of the model's own in the words of the taxonomy; NULL when nobody can say. */
const char *ag_proof_meaning(ag_str folded);
/* Only whole documents can show it; a field can, and so can documents. */
bool ag_proof_is_about_documents(ag_str category);
bool ag_proof_may_be_about_documents(ag_str category);
bool ag_proof_is_any_of(ag_str s, const char *const *list, size_t n);

/* proof_query.c: evidence as a set of documents. */
typedef enum ag_proof_form {
	AG_PROOF_FILTER,    /* `filter` matches the affected documents */
	AG_PROOF_REPEATED,  /* documents whose value of `group` occurs more than once */
	AG_PROOF_WHOLE,     /* groups by several fields */
	AG_PROOF_OTHER_FORM /* a pipeline that says nothing of documents one by one */
} ag_proof_form;

typedef struct ag_proof_query {
	ag_proof_form form;
	ag_str filter;
	bool is_loose; /* FILTER of a pipeline that counts items, or only some of the documents */
	ag_str group;  /* REPEATED: dotted path */
	const ag_str *paths; /* that the query looks at, without array indexes */
	size_t npath;
	const ag_val *value;
} ag_proof_query;

AG_CHECK ag_status ag_proof_read(ag_str evidence, ag_arena *arena, ag_proof_query *ret,
                                 ag_err *err);
/* The conditions of a filter in two parts, each a filter: on paths that is_first() accepts, and the others. False when they
 * cannot be separated: $or, $nor and $expr. */
bool ag_proof_split(const ag_proof_query *q, bool (*is_first)(void *arg, ag_str path), void *arg,
                    ag_arena *arena, ag_str *ret_first, ag_str *ret_rest);
/* Does the query look at this path (below: or at one below it)? `m.*` is met by any key. */
bool ag_proof_mentions(const ag_proof_query *q, ag_str dotted, bool below);
/* The filter with every condition on the path replaced by "the field is there"; "" when it has none. Of whole documents
 * (dotted ""): without its $expr. */
ag_str ag_proof_without(const ag_proof_query *q, ag_str dotted, ag_arena *arena);
/* "$a.b", not "$$x": the path; else "". */
ag_str ag_proof_expr_path(const ag_val *v);
/* "a.0.b" as "a.b" */
ag_str ag_proof_plain_path(ag_str path, ag_arena *arena);

/* proof.c: a claim that is being checked. */
typedef struct ag_prover {
	ag_audit *audit;
	const ag_ctx *ctx;
	ag_arena *arena;
	ag_source *source;
	ag_proof *ret;
	ag_str category; /* that is checked */
	ag_proof_field field;
	ag_proof_query query;
	ag_defect defect;
	uint64_t found, total;
	ag_err *err;
} ag_prover;

AG_CHECK ag_status ag_proof_count(ag_prover *p, ag_str filter, uint64_t *ret);
/* Both filters in one. */
ag_str ag_proof_both(ag_prover *p, ag_str a, ag_str b);
/* The claim is wrong; the first reason counts. */
void ag_proof_refuse(ag_prover *p, ag_str wrong, ag_str critique);

/* proof_relation.c. Has the evidence the form that the category needs? */
AG_CHECK ag_status ag_proof_form_fits(ag_prover *p);
/* A category between several fields: another one takes part, and what the evidence finds is the exception. */
AG_CHECK ag_status ag_proof_relation(ag_prover *p);

#endif
