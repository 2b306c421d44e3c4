/* load -- libmongoc and libbson, loaded when a MongoDB server is first addressed (base/library.h, docs/decisions/0007).
 *
 * Fields have the names of the functions without "mongoc_"; those of libbson keep their prefix. */
#ifndef AG_MONGO_LOAD_H
#define AG_MONGO_LOAD_H

#include <mongoc/mongoc.h>

#include "base/err.h"

/* Every function that is used, once: type, field, function, parameters. */
#define AG_MONGOC_FUNCTIONS(X)                                                                     \
	X(void, init, mongoc_init, (void))                                                         \
	X(bool, check_version, mongoc_check_version, (int major, int minor, int micro))            \
	X(const char *, get_version, mongoc_get_version, (void))                                   \
	X(void, log_set_handler, mongoc_log_set_handler, (mongoc_log_func_t fn, void *arg))        \
	X(mongoc_uri_t *, uri_new_with_error, mongoc_uri_new_with_error,                           \
	  (const char *text, bson_error_t *error))                                                 \
	X(void, uri_destroy, mongoc_uri_destroy, (mongoc_uri_t * uri))                             \
	X(const char *, uri_get_username, mongoc_uri_get_username, (const mongoc_uri_t *uri))      \
	X(const char *, uri_get_password, mongoc_uri_get_password, (const mongoc_uri_t *uri))      \
	X(bool, uri_set_password, mongoc_uri_set_password,                                         \
	  (mongoc_uri_t * uri, const char *password))                                              \
	X(const char *, uri_get_auth_mechanism, mongoc_uri_get_auth_mechanism,                     \
	  (const mongoc_uri_t *uri))                                                               \
	X(const char *, uri_get_auth_source, mongoc_uri_get_auth_source,                           \
	  (const mongoc_uri_t *uri))                                                               \
	X(bool, uri_get_tls, mongoc_uri_get_tls, (const mongoc_uri_t *uri))                        \
	X(bool, uri_has_option, mongoc_uri_has_option, (const mongoc_uri_t *uri, const char *key)) \
	X(bool, uri_get_option_as_bool, mongoc_uri_get_option_as_bool,                             \
	  (const mongoc_uri_t *uri, const char *key, bool fallback))                               \
	X(int32_t, uri_get_option_as_int32, mongoc_uri_get_option_as_int32,                        \
	  (const mongoc_uri_t *uri, const char *key, int32_t fallback))                            \
	X(const char *, uri_get_option_as_utf8, mongoc_uri_get_option_as_utf8,                     \
	  (const mongoc_uri_t *uri, const char *key, const char *fallback))                        \
	X(bool, uri_set_option_as_int32, mongoc_uri_set_option_as_int32,                           \
	  (mongoc_uri_t * uri, const char *key, int32_t value))                                    \
	X(bool, uri_set_appname, mongoc_uri_set_appname, (mongoc_uri_t * uri, const char *name))   \
	X(void, uri_set_read_prefs_t, mongoc_uri_set_read_prefs_t,                                 \
	  (mongoc_uri_t * uri, const mongoc_read_prefs_t *prefs))                                  \
	X(const mongoc_read_prefs_t *, uri_get_read_prefs_t, mongoc_uri_get_read_prefs_t,          \
	  (const mongoc_uri_t *uri))                                                               \
	X(mongoc_read_prefs_t *, read_prefs_new, mongoc_read_prefs_new, (mongoc_read_mode_t mode)) \
	X(void, read_prefs_destroy, mongoc_read_prefs_destroy, (mongoc_read_prefs_t * prefs))      \
	X(mongoc_client_t *, client_new_from_uri_with_error,                                       \
	  mongoc_client_new_from_uri_with_error, (const mongoc_uri_t *uri, bson_error_t *error))   \
	X(void, client_destroy, mongoc_client_destroy, (mongoc_client_t * client))                 \
	X(bool, client_set_error_api, mongoc_client_set_error_api,                                 \
	  (mongoc_client_t * client, int32_t version))                                             \
	X(void, client_set_stream_initiator, mongoc_client_set_stream_initiator,                   \
	  (mongoc_client_t * client, mongoc_stream_initiator_t fn, void *arg))                     \
	X(mongoc_server_description_t *, client_select_server, mongoc_client_select_server,        \
	  (mongoc_client_t * client, bool for_writes, const mongoc_read_prefs_t *prefs,            \
	   bson_error_t *error))                                                                   \
	X(uint32_t, server_description_id, mongoc_server_description_id,                           \
	  (const mongoc_server_description_t *server))                                             \
	X(const bson_t *, server_description_hello_response,                                       \
	  mongoc_server_description_hello_response, (const mongoc_server_description_t *server))   \
	X(void, server_description_destroy, mongoc_server_description_destroy,                     \
	  (mongoc_server_description_t * server))                                                  \
	X(bool, client_read_command_with_opts, mongoc_client_read_command_with_opts,               \
	  (mongoc_client_t * client, const char *database, const bson_t *command,                  \
	   const mongoc_read_prefs_t *prefs, const bson_t *opts, bson_t *reply,                    \
	   bson_error_t *error))                                                                   \
	X(mongoc_client_session_t *, client_start_session, mongoc_client_start_session,            \
	  (mongoc_client_t * client, const mongoc_session_opt_t *opts, bson_error_t *error))       \
	X(bool, client_session_append, mongoc_client_session_append,                               \
	  (const mongoc_client_session_t *session, bson_t *opts, bson_error_t *error))             \
	X(void, client_session_destroy, mongoc_client_session_destroy,                             \
	  (mongoc_client_session_t * session))                                                     \
	X(mongoc_stream_t *, stream_tls_new_with_hostname, mongoc_stream_tls_new_with_hostname,    \
	  (mongoc_stream_t * base, const char *host, mongoc_ssl_opt_t *opt, int client))           \
	X(bool, stream_tls_handshake_block, mongoc_stream_tls_handshake_block,                     \
	  (mongoc_stream_t * stream, const char *host, int32_t timeout_ms, bson_error_t *error))   \
	X(void, stream_destroy, mongoc_stream_destroy, (mongoc_stream_t * stream))                 \
	X(const mongoc_ssl_opt_t *, ssl_opt_get_default, mongoc_ssl_opt_get_default, (void))       \
	X(bool, bson_init_static, bson_init_static,                                                \
	  (bson_t * b, const uint8_t *data, size_t length))                                        \
	X(void, bson_init, bson_init, (bson_t * b))                                                \
	X(bool, bson_append_int32, bson_append_int32,                                              \
	  (bson_t * b, const char *key, int key_length, int32_t value))                            \
	X(const uint8_t *, bson_get_data, bson_get_data, (const bson_t *b))                        \
	X(void, bson_destroy, bson_destroy, (bson_t * b))

typedef struct ag_mongoc {
#define X(type, name, function, parameters) type(*name) parameters;
	AG_MONGOC_FUNCTIONS(X)
#undef X
} ag_mongoc;

/* Thread safe; loads once, also when that fails.
 * errors  AG_UNAVAILABLE: the library is missing or too old */
AG_CHECK ag_status ag_mongoc_load(const ag_mongoc **ret, ag_err *err);
/* What the library warned of in this thread since the last call; false when there was nothing. */
bool ag_mongoc_take_warning(char ret[200]);

#endif
