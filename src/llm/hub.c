/* hub -- what the calls of a process share, and the opening of models.
 *
 * The lists of origins and of what is known about models only grow and live as long as the hub, so an ag_llm keeps
 * pointers into them and needs the lock only to find its place. Order: hub, model, key. */
#include "llm/hub.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/log.h"
#include "llm/retry.h"
#include "llm/wire_request.h"
#include "net/url.h"

#define MAX_KEY_BYTES    8192
#define MIN_KEY_PIECE    8 /* bytes of a key that may not be shown together */
#define DEFAULT_OUTPUT   4096
#define DEFAULT_ATTEMPTS 4
#define MAX_ATTEMPTS     20
#define CONNECT_MS       10000
#define FIRST_BYTE_MS    120000
#define IDLE_MS          60000
#define TOTAL_MS         600000
#define MAX_NAME_BYTES   200

/* --- the hub ------------------------------------------------------------------------------------- */

static ag_status open_transport(const ag_llm_hub_opts *o, ag_llm_hub *hub, ag_err *err)
{
	ag_transport *inner = o->transport;
	ag_status st = AG_OK;

	hub->transport = inner;
	if (o->record.len && o->replay.len)
		return ag_fail(err, AG_INVALID, "llm.hub",
		               "a run is either recorded or replayed, not both");
	if (o->replay.len) {
		hub->transport = ag_transport_close(inner);
		return ag_transport_replay_new(o->replay, &hub->transport, err);
	}
	if (!inner)
		st = ag_transport_http_new(&inner, err);
	if (st)
		return st;
	hub->transport = inner;
	if (!o->record.len)
		return AG_OK;
	hub->transport = NULL; /* the recording owns it, also when it cannot be opened */
	return ag_transport_record_new(inner, o->record, hub->clock, &hub->transport, err);
}

ag_status ag_llm_hub_open(const ag_llm_hub_opts *o, ag_llm_hub **ret, ag_err *err)
{
	ag_llm_hub *hub = ag_xcalloc(1, sizeof(*hub));
	ag_status st;

	pthread_mutex_init(&hub->lock, NULL);
	hub->arena = ag_arena_new();
	hub->clock = o->clock ? o->clock : &ag_clock_system;
	hub->backoff_ms = o->backoff_ms > 0 ? o->backoff_ms : AG_RETRY_FIRST_MS;
	hub->jitter_seed = o->jitter_seed;
	st = open_transport(o, hub, err);
	if (!st && o->prices.len)
		st = ag_prices_read(AG_S("price table"), o->prices, hub->arena, &hub->prices, err);
	else if (!st)
		st = ag_prices_builtin(hub->arena, &hub->prices, err);
	if (st) {
		ag_llm_hub_close(hub);
		return st;
	}
	*ret = hub;
	return AG_OK;
}

ag_status ag_llm_hub_finish(ag_llm_hub *hub, ag_err *err)
{
	ag_transport *t = hub->transport;

	return t->type->finish ? t->type->finish(t, err) : AG_OK;
}

ag_llm_hub *ag_llm_hub_close(ag_llm_hub *hub)
{
	if (!hub)
		return NULL;
	ag_transport_close(hub->transport);
	for (ag_llm_origin *o = hub->origins; o; o = o->next)
		ag_breaker_release(&o->breaker);
	ag_arena_free(hub->arena);
	pthread_mutex_destroy(&hub->lock);
	free(hub);
	return NULL;
}

const ag_prices *ag_llm_hub_prices(const ag_llm_hub *hub)
{
	return hub->prices;
}

static ag_llm_origin *origin_of(ag_llm_hub *hub, ag_str origin)
{
	ag_llm_origin *o;

	pthread_mutex_lock(&hub->lock);
	for (o = hub->origins; o && !ag_str_eq(o->origin, origin); o = o->next)
		;
	if (!o) {
		o = ag_new(hub->arena, ag_llm_origin);
		o->origin = ag_str_dup(hub->arena, origin);
		ag_breaker_init(&o->breaker);
		o->next = hub->origins;
		hub->origins = o;
	}
	pthread_mutex_unlock(&hub->lock);
	return o;
}

static ag_llm_known *known_of(ag_llm_hub *hub, ag_str origin, ag_str model)
{
	ag_llm_known *k;

	pthread_mutex_lock(&hub->lock);
	for (k = hub->known; k; k = k->next) {
		if (ag_str_eq(k->origin, origin) && ag_str_eq(k->model, model))
			break;
	}
	if (!k) {
		k = ag_new(hub->arena, ag_llm_known);
		k->origin = ag_str_dup(hub->arena, origin);
		k->model = ag_str_dup(hub->arena, model);
		k->next = hub->known;
		hub->known = k;
	}
	pthread_mutex_unlock(&hub->lock);
	return k;
}

void ag_llm_warn_unpriced(ag_llm *l)
{
	bool first = l->model.model.len > 0;

	pthread_mutex_lock(&l->hub->lock);
	for (const ag_llm_known *k = l->hub->known; k; k = k->next)
		first = first && !(k->is_warned && ag_str_eq(k->model, l->model.model));
	l->known->is_warned = l->known->is_warned || first;
	pthread_mutex_unlock(&l->hub->lock);
	if (first)
		ag_log(AG_LOG_WARN, "price_unknown",
		       "the price of model \"%.*s\" is not known: its tokens are counted, its cost "
		       "is not",
		       AG_FMT(l->model.model));
}

void ag_llm_warn_doubted(ag_llm *l)
{
	bool first;

	pthread_mutex_lock(&l->hub->lock);
	first = !l->known->is_doubted;
	l->known->is_doubted = true;
	pthread_mutex_unlock(&l->hub->lock);
	if (first)
		ag_log(AG_LOG_WARN, "usage_doubtful",
		       "%.*s counts fewer tokens than model \"%.*s\" can have used: reports show its "
		       "counts, budgets take a quarter of the estimate",
		       AG_FMT(l->host), AG_FMT(l->model.name));
}

/* --- a model ------------------------------------------------------------------------------------- */

void ag_llm_model_init(ag_llm_model *m)
{
	memset(m, 0, sizeof(*m));
	m->temperature = -1;
	m->input_price = m->output_price = -1;
}

static ag_llm_model model_dup(ag_arena *arena, const ag_llm_model *m)
{
	ag_llm_model c = *m;

	c.name = ag_str_dup(arena, m->name);
	c.provider = ag_str_dup(arena, m->provider);
	c.base_url = ag_str_dup(arena, m->base_url);
	c.model = ag_str_dup(arena, m->model);
	c.key = ag_str_dup(arena, m->key);
	c.extra_body = ag_str_dup(arena, ag_str_trim(m->extra_body));
	if (c.thinking == AG_LLM_THINKING_OFF)
		c.thinking_tokens = 0;
	c.max_output_tokens = m->max_output_tokens ? m->max_output_tokens : DEFAULT_OUTPUT;
	c.attempts = m->attempts ? m->attempts : DEFAULT_ATTEMPTS;
	if (c.attempts > MAX_ATTEMPTS)
		c.attempts = MAX_ATTEMPTS;
	c.connect_ms = m->connect_ms > 0 ? m->connect_ms : CONNECT_MS;
	c.first_byte_ms = m->first_byte_ms > 0 ? m->first_byte_ms : FIRST_BYTE_MS;
	c.idle_ms = m->idle_ms > 0 ? m->idle_ms : IDLE_MS;
	c.total_ms = m->total_ms > 0 ? m->total_ms : TOTAL_MS;
	return c;
}

static int shown(ag_str s)
{
	return (int)(s.len < 60 ? s.len : 60);
}

/* A line break in a key would write further headers; a key is never quoted. */
static ag_status check_key(const ag_llm_model *m, ag_err *err)
{
	for (size_t i = 0; i < m->key.len; i++) {
		unsigned char c = (unsigned char)m->key.ptr[i];

		if (c > 0x20 && c < 0x7F)
			continue;
		ag_fail(err, AG_INVALID, "llm.hub",
		        "the key of model \"%.*s\" has a blank, a line break or another character "
		        "that no key has, at byte %zu",
		        shown(m->name), m->name.ptr, i);
		return ag_err_hint(err, "was it copied with its line end or with quotes?");
	}
	if (m->key.len > MAX_KEY_BYTES)
		return ag_fail(err, AG_INVALID, "llm.hub",
		               "the key of model \"%.*s\" is longer than %d bytes", shown(m->name),
		               m->name.ptr, MAX_KEY_BYTES);
	return AG_OK;
}

/* Bodies hold texts as JSON writes them: a key with a quote in it would be missed in its other form. */
static void keep_out_of_logs(ag_str key)
{
	ag_buf quoted = AG_BUF_INIT(MAX_KEY_BYTES * 6 + 2);

	ag_log_redact(key);
	ag_json_quote(&quoted, key);
	if (!quoted.failed && quoted.len > key.len + 2)
		ag_log_redact(ag_str_make(quoted.ptr + 1, quoted.len - 2));
	ag_buf_release(&quoted);
}

static ag_status find_wire(const ag_llm_model *m, const ag_llm_wire **ret, ag_err *err)
{
	const ag_llm_wire *const *wires;
	ag_buf names = AG_BUF_INIT(160);
	size_t n;

	*ret = ag_llm_wire_find(m->provider);
	if (*ret)
		return AG_OK;
	wires = ag_llm_wires(&n);
	for (size_t i = 0; i < n; i++)
		ag_buf_addf(&names, "%s%s", i ? ", " : "", wires[i]->name);
	ag_fail(err, AG_INVALID, "llm.hub", "model \"%.*s\": there is no provider \"%.*s\"",
	        shown(m->name), m->name.ptr, shown(m->provider), m->provider.ptr);
	ag_err_hint(err, "want one of: %.*s", AG_FMT(ag_buf_view(&names)));
	ag_buf_release(&names);
	return AG_INVALID;
}

static ag_status name_the_model(const ag_llm_model *m, ag_err *err)
{
	if (err)
		ag_fail(err, err->status, "llm.hub", "base_url of model \"%.*s\": %s",
		        shown(m->name), m->name.ptr, err->msg);
	return ag_err_hint(err, "want an address like https://api.example.com/v1");
}

static ag_status set_address(ag_llm *l, ag_url *ret, ag_err *err)
{
	const ag_llm_wire *w = l->wire;
	bool is_own_port;
	ag_status st;

	l->ask_url = ag_wire_url(w, l->model.base_url, w->ask_path, l->arena);
	l->list_url = ag_wire_url(w, l->model.base_url, w->list_path, l->arena);
	st = ag_url_parse(l->ask_url, l->arena, ret, err);
	if (st)
		return name_the_model(&l->model, err);
	is_own_port = ret->port == (ag_str_eqc(ret->scheme, "https") ? 443 : 80);
	l->host = is_own_port ? ret->host
	                      : ag_str_printf(l->arena, "%.*s:%u", AG_FMT(ret->host), ret->port);
	return AG_OK;
}

/* Own prices win, then the table: a proxy on this machine still pays its provider. What the table does not know and runs
 * here costs nothing. */
static void set_price(ag_llm *l, const ag_url *url)
{
	const ag_llm_model *m = &l->model;

	l->is_priced = ag_prices_find(l->hub->prices, m->model, &l->price);
	if (!l->is_priced && ag_url_is_loopback(url))
		l->is_priced = true;
	if (m->input_price >= 0)
		l->price.input = l->price.cached_input = l->price.cache_write = m->input_price;
	if (m->output_price >= 0)
		l->price.output = m->output_price;
	l->is_priced = l->is_priced || (m->input_price >= 0 && m->output_price >= 0);
}

static ag_status check_extra(const ag_llm_model *m, ag_err *err)
{
	if (!m->extra_body.len || !ag_wire_check_extra(m->extra_body, err))
		return AG_OK;
	if (err)
		ag_fail(err, err->status, "llm.hub", "model \"%.*s\": %s", shown(m->name),
		        m->name.ptr, err->msg);
	return ag_err_hint(err, "extra_body: '{\"top_k\": 20}' adds members to each request");
}

static ag_status fill(ag_llm *l, ag_err *err)
{
	ag_url url = { 0 };
	ag_status st;

	if (l->model.model.len > MAX_NAME_BYTES)
		return ag_fail(err, AG_INVALID, "llm.hub",
		               "model \"%.*s\": its server's name for it is longer than %d bytes",
		               shown(l->model.name), l->model.name.ptr, MAX_NAME_BYTES);
	st = find_wire(&l->model, &l->wire, err);
	if (!st)
		st = check_key(&l->model, err);
	if (!st)
		st = check_extra(&l->model, err);
	if (!st)
		st = set_address(l, &url, err);
	if (st)
		return st;
	keep_out_of_logs(l->model.key);
	l->origin = origin_of(l->hub, ag_url_origin(&url, l->arena));
	l->known = known_of(l->hub, l->origin->origin, l->model.model);
	set_price(l, &url);
	return AG_OK;
}

ag_status ag_llm_open(ag_llm_hub *hub, const ag_llm_model *m, ag_llm **ret, ag_err *err)
{
	ag_llm *l = ag_xcalloc(1, sizeof(*l));
	ag_status st;

	l->hub = hub;
	l->arena = ag_arena_new();
	l->model = model_dup(l->arena, m);
	st = fill(l, err);
	if (st) {
		ag_llm_hide_key(l->model.key, err);
		ag_llm_close(l);
		return st;
	}
	*ret = l;
	return AG_OK;
}

ag_llm *ag_llm_close(ag_llm *l)
{
	if (l) {
		ag_arena_free(l->arena);
		free(l);
	}
	return NULL;
}

const ag_llm_model *ag_llm_model_of(const ag_llm *l)
{
	return &l->model;
}

bool ag_llm_is_priced(const ag_llm *l)
{
	return l->is_priced;
}

int64_t ag_llm_mono(const ag_llm *l, const ag_ctx *ctx)
{
	return ag_clock_mono(ctx && ctx->clock ? ctx->clock : l->hub->clock);
}

/* --- keys in messages ---------------------------------------------------------------------------- */

/* How many bytes at the beginning of text stand together in key as well. */
static size_t longest_piece(ag_str text, ag_str key)
{
	size_t best = 0;

	for (size_t k = 0; k < key.len; k++) {
		size_t n = 0;

		while (n < text.len && k + n < key.len && text.ptr[n] == key.ptr[k + n])
			n++;
		best = n > best ? n : best;
	}
	return best;
}

static void hide(ag_str key, char *text, size_t size)
{
	size_t least = key.len < MIN_KEY_PIECE ? key.len : MIN_KEY_PIECE;
	ag_buf out = AG_BUF_INIT(4096);
	ag_str rest = ag_str_c(text);
	size_t n;

	while (rest.len) {
		n = longest_piece(rest, key);
		if (n >= least)
			ag_buf_adds(&out, "[key]");
		else
			ag_buf_add(&out, ag_str_make(rest.ptr, n = 1));
		rest = ag_str_make(rest.ptr + n, rest.len - n);
	}
	n = out.len < size ? out.len : size - 1;
	if (n)
		memcpy(text, out.ptr, n);
	text[n] = '\0';
	ag_buf_release(&out);
}

void ag_llm_hide_key(ag_str key, ag_err *err)
{
	/* Three letters are no secret, and would punch holes into words. */
	if (!err || key.len < 4)
		return;
	hide(key, err->msg, sizeof(err->msg));
	hide(key, err->hint, sizeof(err->hint));
}

int64_t ag_llm_hub_recorded_at(const ag_llm_hub *hub)
{
	return ag_transport_recorded_at(hub->transport);
}
