/* recipe -- questions that are asked again with other values: variables, and steps whose templates name them as {{name}}.
 *
 * A recipe is an object of the kind "recipe" (object.h). Its author writes the templates; whoever runs it gives the values, and a
 * value is data wherever it lands. Each placeholder is replaced once, in one pass, so a value that looks like a placeholder stays
 * what it is. How a value is written depends on its type and on the place:
 *
 *   type      in a prompt                      in SQL
 *   string    "as JSON, \u003c for <"          'as a literal'
 *   select    as its option is written         'as a literal'
 *   number    12.5                             12.5, (-12.5)
 *   date      2026-03-01                       '2026-03-01'
 *   boolean   true                             TRUE
 *
 * In SQL a placeholder within quotes or a comment is refused when the recipe is saved: no value is ever pasted into a literal. */
#ifndef AG_KNOWLEDGE_RECIPE_H
#define AG_KNOWLEDGE_RECIPE_H

#include "base/arena.h"
#include "base/err.h"
#include "query/value.h"

#define AG_RECIPE_MAX_VARIABLES 30u
#define AG_RECIPE_MAX_STEPS     20u
#define AG_RECIPE_MAX_PROMPT    10000u        /* characters of a question, with its values */
#define AG_RECIPE_MAX_VALUE     1000u         /* characters of a value */
#define AG_RECIPE_MAX_BYTES     (256u * 1024) /* of a template with its values */

typedef enum ag_recipe_type {
	AG_RECIPE_STRING,
	AG_RECIPE_NUMBER,
	AG_RECIPE_DATE,
	AG_RECIPE_BOOLEAN,
	AG_RECIPE_SELECT,
	AG_RECIPE_NTYPE
} ag_recipe_type;

const char *ag_recipe_type_name(ag_recipe_type t); /* "string" */
/* The type that a word looks like: "number", "date", else "string". */
const char *ag_recipe_type_of_text(ag_str text);

typedef struct ag_recipe_variable {
	ag_str name, label;
	ag_recipe_type type;
	bool has_default;
	ag_str by_default;
	const ag_val *options; /* array of texts; NULL = it is no select */
} ag_recipe_variable;

typedef struct ag_recipe_step {
	ag_str prompt, sql, expected_tool, description; /* "" = none */
} ag_recipe_step;

typedef struct ag_recipe {
	ag_recipe_variable *variables;
	size_t nvariable;
	ag_recipe_step *steps;
	size_t nstep;
	ag_str description;
	bool is_shared;
} ag_recipe;

/* ag_know_type.check. errors  AG_INVALID: "recipe: step 2: prompt_template: uses {{regoin}}, which is no variable" */
AG_CHECK ag_status ag_recipe_check(const ag_val *body, ag_arena *arena, ag_err *err);
/* A body that was checked. Texts are views of it. */
void ag_recipe_read(const ag_val *body, ag_arena *arena, ag_recipe *ret);
const ag_recipe_variable *ag_recipe_variable_of(const ag_recipe *r, ag_str name);

/* The values of a run: an object with a text for each variable, in their order. given: an object of texts, numbers and
 * booleans. What is missing, null, or (but for a string) empty has its default. In arena.
 * errors  AG_INVALID: "region: want one of North, South; got \"East\"", "region: is missing" … */
AG_CHECK ag_status ag_recipe_values(const ag_recipe *r, const ag_val *given, ag_arena *arena,
                                    ag_val *ret, ag_err *err);

/* Values as people type them, NAME=VALUE each; in arena. errors  AG_INVALID: names the argument; one that comes twice */
AG_CHECK ag_status ag_recipe_typed_values(const ag_str *args, size_t n, ag_arena *arena,
                                          ag_val *ret, ag_err *err);

/* --- recipe_text.c --- */

/* Does the template name only these variables, each where a value may stand? what: "step 2: sql". */
AG_CHECK ag_status ag_recipe_check_text(const ag_recipe *r, ag_str text, bool is_sql,
                                        const char *what, ag_err *err);
/* The template with its values; those of ag_recipe_values(). In arena.
 * errors  AG_LIMIT: with them it is larger than AG_RECIPE_MAX_BYTES */
AG_CHECK ag_status ag_recipe_prompt(const ag_recipe *r, ag_str text, const ag_val *values,
                                    ag_arena *arena, ag_str *ret, ag_err *err);
AG_CHECK ag_status ag_recipe_sql(const ag_recipe *r, ag_str text, const ag_val *values,
                                 ag_arena *arena, ag_str *ret, ag_err *err);
/* SQL as the guard and the database look at it before it is saved: with the defaults, else with values of the type that fit
 * everywhere. In arena. errors  AG_LIMIT */
AG_CHECK ag_status ag_recipe_sample_sql(const ag_recipe *r, ag_str text, ag_arena *arena,
                                        ag_str *ret, ag_err *err);

#endif
