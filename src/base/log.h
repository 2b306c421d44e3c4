/* log -- structured log lines: one JSON object a line (or text for people), redacted at the sink.
 *
 * The process has one sink, set once at start by cli/ (default: none, so library code is silent
 * under tests). Secrets registered with ag_log_redact() never reach the sink. Thread safe. */
#ifndef AG_BASE_LOG_H
#define AG_BASE_LOG_H

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ag_log_level { AG_LOG_ERROR, AG_LOG_WARN, AG_LOG_INFO, AG_LOG_DEBUG } ag_log_level;
typedef enum ag_log_format { AG_LOG_JSON, AG_LOG_TEXT } ag_log_format;

/* fd -1 silences the log. */
void ag_log_setup(int fd, ag_log_level max_level, ag_log_format format);
/* From now on this text, also escaped, percent-encoded, in base64 or in hexadecimal digits, is written as "[redacted]"
 * (base/secrets.h). Ignored when it is too short for that, below 6 bytes. */
void ag_log_redact(ag_str secret);
/* False for what is too short, or so long that nothing would be shown any more: warn, or refuse it. */
bool ag_log_can_redact(ag_str secret);
/* The same for the secrets in the text of a .env file: values of at least 8 bytes whose names say so, and passwords in
 * addresses. */
void ag_log_redact_env_text(ag_str text);
/* Adds text to out with every such secret replaced, for what else leaves the process (recordings). False when secrets
 * could not all be registered: then nothing is added. */
bool ag_log_clean(ag_str text, ag_buf *out);
/* Bytes of a text that was cut, without the beginning of such a secret at its end: ag_log_clean() finds whole ones. */
size_t ag_log_whole(ag_str text);
/* Of a text that goes on: the bytes that what follows cannot make a part of such a secret. */
size_t ag_log_settled(ag_str text);
/* `event` is a fixed snake_case word; the message is one sentence. */
AG_PRINTF(3, 4) void ag_log(ag_log_level level, const char *event, const char *fmt, ...);

#ifdef __cplusplus
}
#endif
#endif
