/* traces -- see the header. source  OpenTelemetry: general SDK configuration, OTLP exporter configuration */
#include "app/traces.h"

#include "base/log.h"
#include "net/url.h"

#define ORIGIN     "app.traces"
#define DELAY_MS   2000
#define TIMEOUT_MS 10000

static ag_str value(const ag_app *app, const char *name)
{
	const ag_var *v = ag_settings_var(&app->settings, name);

	return v ? v->value : AG_S("");
}

/* The variable for traces, else that for all signals. */
static ag_str of_traces(const ag_app *app, const char *traces, const char *all)
{
	const ag_str v = value(app, traces);

	return v.len ? v : value(app, all);
}

static ag_status milliseconds(const ag_app *app, const char *traces, const char *all,
                              int64_t by_default, int64_t *ret, ag_err *err)
{
	const ag_str text = of_traces(app, traces, all);

	*ret = by_default;
	if (text.len && (!ag_str_to_i64(text, ret) || *ret < 1 || *ret > 600000))
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "%s: want milliseconds, a whole number from 1 to 600000", all);
	return AG_OK;
}

static ag_status read_sampler(const ag_app *app, ag_span_sampler *ret, ag_err *err)
{
	static const struct {
		const char *name;
		ag_span_sampler sampler;
		bool has_ratio;
	} samplers[] = {
		{ "always_on", { false, 1 }, false },
		{ "always_off", { false, 0 }, false },
		{ "traceidratio", { false, 1 }, true },
		{ "parentbased_always_on", { true, 1 }, false },
		{ "parentbased_always_off", { true, 0 }, false },
		{ "parentbased_traceidratio", { true, 1 }, true },
	};
	const ag_str name = value(app, "OTEL_TRACES_SAMPLER");
	const ag_str ratio = value(app, "OTEL_TRACES_SAMPLER_ARG");

	*ret = (ag_span_sampler){ true, 1 };
	for (size_t i = 0; name.len && i < AG_NELEM(samplers); i++) {
		if (!ag_str_eqc(name, samplers[i].name))
			continue;
		*ret = samplers[i].sampler;
		if (samplers[i].has_ratio && ratio.len &&
		    (!ag_str_to_double(ratio, &ret->ratio) || ret->ratio < 0 || ret->ratio > 1))
			return ag_fail(err, AG_INVALID, ORIGIN,
			               "OTEL_TRACES_SAMPLER_ARG: want a number from 0 to 1");
		return AG_OK;
	}
	if (!name.len)
		return AG_OK;
	ag_fail(err, AG_INVALID, ORIGIN, "OTEL_TRACES_SAMPLER: there is no such sampler here");
	return ag_err_hint(err, "one of always_on, always_off, traceidratio, or these with "
	                        "parentbased_ before them");
}

/* The address for traces is taken as it is; that for all signals has their path behind it. */
static ag_status read_address(const ag_app *app, ag_arena *arena, ag_str *ret, ag_err *err)
{
	const ag_str own = value(app, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
	const ag_str all = value(app, "OTEL_EXPORTER_OTLP_ENDPOINT");
	const ag_str protocol = of_traces(app, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
	                                  "OTEL_EXPORTER_OTLP_PROTOCOL");
	ag_url url;
	ag_status st;

	*ret = own.len ? own : all.len ? ag_url_join(all, "/v1/traces", arena) : AG_S("");
	if (!ret->len || ag_str_eqc(value(app, "OTEL_TRACES_EXPORTER"), "none") ||
	    ag_str_ieq(value(app, "OTEL_SDK_DISABLED"), AG_S("true"))) {
		*ret = AG_S("");
		return AG_OK;
	}
	if (ag_str_eqc(protocol, "grpc")) {
		ag_fail(err, AG_INVALID, ORIGIN, "OTEL_EXPORTER_OTLP_PROTOCOL is grpc");
		return ag_err_hint(
			err, "Argus sends traces as http/json; collectors take it on port 4318");
	}
	st = ag_url_parse(*ret, arena, &url, err);
	return st ? ag_err_hint(err, "OTEL_EXPORTER_OTLP_ENDPOINT is like http://localhost:4318")
	          : AG_OK;
}

ag_status ag_app_traces(const ag_app *app, ag_otlp **ret, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_http_header headers[AG_OTLP_MAX_HEADERS];
	const ag_str service = value(app, "OTEL_SERVICE_NAME");
	ag_otlp_opts o = { .headers = headers,
		           .service = service.len ? service : AG_S("argus"),
		           .resource = value(app, "OTEL_RESOURCE_ATTRIBUTES") };
	ag_status st = read_address(app, arena, &o.url, err);

	*ret = NULL;
	if (st || !o.url.len)
		return st;
	st = read_sampler(app, &o.sampler, err);
	if (!st)
		st = milliseconds(app, "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
		                  "OTEL_EXPORTER_OTLP_TIMEOUT", TIMEOUT_MS, &o.timeout_ms, err);
	if (!st)
		st = milliseconds(app, "OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_SCHEDULE_DELAY",
		                  DELAY_MS, &o.delay_ms, err);
	if (!st)
		st = ag_otlp_headers(of_traces(app, "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
		                               "OTEL_EXPORTER_OTLP_HEADERS"),
		                     arena, headers, &o.nheader, err);
	for (size_t i = 0; !st && i < o.nheader; i++)
		ag_log_redact(headers[i].value);
	return st ? st : ag_otlp_start(&o, ret, err);
}
