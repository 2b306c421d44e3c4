/* stream -- the connection that libmongoc reads and writes: a socket that watches deadline and cancel flag.
 *
 * libmongoc itself cannot be interrupted. Every wait of this stream is cut into slices; after each it looks at the call
 * that uses the connection. A call that ends so leaves a connection that libmongoc drops. */
#ifndef AG_MONGO_STREAM_H
#define AG_MONGO_STREAM_H

#include "mongo/load.h"
#include "run/ctx.h"

/* Who uses the connection now, and why it last failed. One thread at a time. */
typedef struct ag_mongo_watch {
	const ag_mongoc *lib;
	const ag_ctx *ctx;  /* NULL = nobody can end the wait */
	int64_t give_up_ms; /* monotonic; when the server must have answered; 0 = whenever */
	bool is_stopped;    /* deadline or cancel flag ended a wait */
	bool is_late;       /* the server did not answer in time */
	bool is_garbled;    /* it sent what is no answer of the protocol */
	char why[300];      /* why the last connection could not be made; "" */
} ag_mongo_watch;

/* A mongoc_stream_initiator_t; user_data is the watch, which outlives the stream. */
mongoc_stream_t *ag_mongo_stream_open(const mongoc_uri_t *uri, const mongoc_host_list_t *host,
                                      void *user_data, bson_error_t *error);

/* framing.c: owns inner, and lets only whole answers through. may_compress: the address asks for compression. */
mongoc_stream_t *ag_mongo_framed(ag_mongo_watch *watch, mongoc_stream_t *inner, bool may_compress);

#endif
