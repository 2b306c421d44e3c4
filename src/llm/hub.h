/* hub -- inside of ag_llm_hub and ag_llm, for hub.c, ask.c and what belongs to them. */
#ifndef AG_LLM_HUB_H
#define AG_LLM_HUB_H

#include <pthread.h>
#include <stdatomic.h>

#include "llm/price.h"
#include "llm/transport.h"
#include "llm/wire.h"
#include "run/breaker.h"

/* A server: everything that speaks for its origin. */
typedef struct ag_llm_origin {
	struct ag_llm_origin *next;
	ag_str origin; /* "https://api.example.com:443" */
	ag_breaker breaker;
} ag_llm_origin;

/* A refused temperature, beside the AG_LLM_NO_… of llm.h. */
#define AG_LLM_NO_TEMPERATURE 0x100u

/* What one model of one server was seen to refuse. Written by any thread that finds out, never forgotten. */
typedef struct ag_llm_known {
	struct ag_llm_known *next;
	ag_str origin, model;
	atomic_uint how; /* ag_llm_structured; AUTO = nothing learnt */
	atomic_uint refused;
	/* That its price is not known, that its counts are too small; under the hub's lock. */
	bool is_warned, is_doubted;
} ag_llm_known;

struct ag_llm_hub {
	pthread_mutex_t lock; /* of the lists and of arena */
	ag_arena *arena;
	const ag_clock *clock;
	ag_transport *transport;
	ag_prices *prices;
	ag_llm_origin *origins;
	ag_llm_known *known;
	int64_t backoff_ms;
	uint64_t jitter_seed;
	_Atomic uint64_t njitter;
};

struct ag_llm {
	ag_llm_hub *hub;
	ag_arena *arena;
	ag_llm_model model; /* as opened, defaults filled in */
	const ag_llm_wire *wire;
	ag_str ask_url, list_url;
	ag_str host; /* "api.example.com", with the port when it is not the scheme's: for messages */
	ag_llm_origin *origin;
	ag_llm_known *known;
	ag_price price;
	bool is_priced;
};

/* One warning per model and hub. */
void ag_llm_warn_unpriced(ag_llm *l);
void ag_llm_warn_doubted(ag_llm *l);
/* Takes the key out of a message: whole, and every piece of it of 8 bytes or more. */
void ag_llm_hide_key(ag_str key, ag_err *err);
int64_t ag_llm_mono(const ag_llm *l, const ag_ctx *ctx);

#endif
