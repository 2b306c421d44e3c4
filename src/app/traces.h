/* traces -- OpenTelemetry by the standard's variables: OTEL_EXPORTER_OTLP_ENDPOINT and its kin. */
#ifndef AG_APP_TRACES_H
#define AG_APP_TRACES_H

#include "app/app.h"
#include "net/otlp.h"

/* Sends traces from now on, when an endpoint is set; else *ret is NULL. Of one process at a time; end it with ag_otlp_stop().
 * errors  AG_INVALID: names the variable; of ag_otlp_start() */
AG_CHECK ag_status ag_app_traces(const ag_app *app, ag_otlp **ret, ag_err *err);

#endif
