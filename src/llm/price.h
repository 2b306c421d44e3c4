/* price -- what a model costs, from a table with a date (src/llm/prices.txt, embedded).
 *
 * Lines `model-pattern  input  output  [cached-input]  [cache-write]` in USD per million tokens; `date YYYY-MM-DD` and `version
 * TEXT` lines; # comments. A pattern is a model's name or a beginning of it that ends in `*`; the longest wins. A name
 * with a vendor before a slash ("openai/gpt-4o") is looked up without it as well. */
#ifndef AG_LLM_PRICE_H
#define AG_LLM_PRICE_H

#include "base/arena.h"
#include "base/err.h"
#include "llm/meter.h"

typedef struct ag_price {
	double input, output, cached_input, cache_write; /* USD per million tokens */
} ag_price;

typedef struct ag_prices ag_prices; /* lives in the arena that it was read into */

AG_CHECK ag_status ag_prices_read(ag_str name, ag_str text, ag_arena *arena, ag_prices **ret,
                                  ag_err *err);
/* The embedded table. */
AG_CHECK ag_status ag_prices_builtin(ag_arena *arena, ag_prices **ret, ag_err *err);
ag_str ag_prices_version(const ag_prices *p); /* "2026-05": of the version line, else the date */
ag_str ag_prices_date(const ag_prices *p);
/* False when the model is not in the table (or its name is ""). */
bool ag_prices_find(const ag_prices *p, ag_str model, ag_price *ret);
double ag_price_usd(const ag_price *p, const ag_llm_usage *u);

/* Of the hub, for settings and reports. */
typedef struct ag_llm_hub ag_llm_hub;
const ag_prices *ag_llm_hub_prices(const ag_llm_hub *hub);

#endif
