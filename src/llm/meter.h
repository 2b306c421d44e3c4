/* meter -- what the models of one run have used, and what they may use.
 *
 * One meter per run, on the run's thread. A call is admitted before it is made: what is used, the estimated input and
 * the largest output must fit the budget; an output that does not fit is shortened, down to AG_METER_MIN_OUTPUT.
 * Charges wait in the meter until the loop writes them as usage events.
 *
 * Reports show what servers counted. A budget does not trust it blindly: a server that counts 1 for a prompt of 2,000
 * tokens would keep it open for ever. For a budget a call has used at least a quarter of what was estimated from its
 * bytes; no tokenizer in use packs 16 bytes of our prompts into each token. What that adds is doubted_tokens and
 * doubted_usd: not in any sum of a report, but in usage events, so that a resumed run remembers it. */
#ifndef AG_LLM_METER_H
#define AG_LLM_METER_H

#include "base/arena.h"
#include "base/err.h"

#define AG_METER_MIN_OUTPUT  64 /* tokens: less is no answer */
#define AG_METER_MAX_PENDING 64

/* Counts as the server gave them, made comparable: input includes what was read from a cache or written to it, output
 * includes thinking. */
typedef struct ag_llm_usage {
	uint64_t input_tokens, output_tokens;
	uint64_t cached_tokens;      /* of input: read from the server's cache */
	uint64_t cache_write_tokens; /* of input: written to it */
	uint64_t thinking_tokens;    /* of output */
	bool is_estimated;           /* the server gave none: bytes / 4 */
} ag_llm_usage;

typedef struct ag_llm_charge {
	ag_str purpose;               /* planner, self, judge */
	ag_str name, model, provider; /* of the settings; what the server calls it */
	ag_llm_usage usage;
	double usd;
	bool is_priced; /* a price was known; else usd is 0 */
	/* What the budget counts beyond usage and usd: see above. */
	uint64_t doubted_tokens;
	double doubted_usd;
	unsigned
		attempts; /* exchanges since the charge before it: failed ones without usage, and the one charged */
	int64_t latency_ms;
	bool ok;
} ag_llm_charge;

typedef struct ag_llm_meter {
	ag_arena *arena;     /* texts of charges */
	uint64_t max_tokens; /* input and output of all calls; 0 = no limit */
	double max_usd;      /* 0 = no limit */
	uint64_t input_tokens, output_tokens;
	uint64_t calls; /* exchanges, also failed ones */
	double usd;
	uint64_t doubted_tokens; /* counted by the budget only */
	double doubted_usd;
	bool exhausted; /* a call was refused */
	char why[200]; /* "the budget of 20000 tokens is used up (19500 used, the next call needs about 900)" */
	ag_llm_charge *pending; /* at most AG_METER_MAX_PENDING, in arena */
	size_t npending, cap;
	/* Largest input + output of a call so far, to tell whether one more can fit. */
	uint64_t largest_call_tokens;
	/* What servers counted for the input of a call, over what was estimated: the largest so far, at least 1. A budget
	 * is overshot by an estimate that is too low once at most. */
	double input_ratio;
	uint64_t asked_input_tokens; /* estimated, of the call that was admitted last */
} ag_llm_meter;

/* arena NULL: sums alone, no charge is kept in `pending`. */
void ag_llm_meter_init(ag_llm_meter *m, ag_arena *arena, uint64_t max_tokens, double max_usd);
/* What earlier sittings of a resumed run used. */
void ag_llm_meter_prime(ag_llm_meter *m, uint64_t input_tokens, uint64_t output_tokens,
                        uint64_t calls, double usd);
void ag_llm_meter_prime_doubted(ag_llm_meter *m, uint64_t tokens, double usd);
/* What the budget counts as used, doubted tokens and money included. */
uint64_t ag_llm_meter_tokens(const ag_llm_meter *m);
double ag_llm_meter_usd(const ag_llm_meter *m);
/* The least that a budget believes for a call of that estimated size. */
ag_llm_usage ag_llm_meter_floor(const ag_llm_usage *given, uint64_t estimated_input,
                                uint64_t estimated_output);
/* May a call with that input be made? *output (tokens wanted) is shortened to what the budget allows.
 * prices    USD per million tokens, < 0 = unknown (then a money budget refuses the call)
 * errors    AG_LIMIT, and m->exhausted is set */
AG_CHECK ag_status ag_llm_meter_admit(ag_llm_meter *m, uint64_t input_tokens, unsigned *output,
                                      double input_price, double output_price, ag_err *err);
/* Copies the texts. When nobody takes the charges, the oldest are folded into the totals only. */
void ag_llm_meter_charge(ag_llm_meter *m, const ag_llm_charge *c);

/* Tokens of a text, estimated: bytes / 4, rounded up. Off by a factor of two at most for the tokenizers in use with
 * European languages and JSON; servers' own counts replace it where they are given. */
uint64_t ag_llm_estimate_tokens(size_t nbyte);
/* a + b, to the millionth of a millionth of a dollar: sums of money show no noise of binary fractions. */
double ag_llm_usd_add(double a, double b);

#endif
