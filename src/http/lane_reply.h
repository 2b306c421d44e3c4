/* lane_reply -- a reply, written to a socket of the lane. */
#ifndef AG_HTTP_LANE_REPLY_H
#define AG_HTTP_LANE_REPLY_H

#include "http/server_parts.h"

/* What a worker keeps from one reply to the next. */
typedef struct ag_lane_writer {
	ag_buf head;    /* released by the owner */
	int64_t date_s; /* that `date` says */
	char date[32];
} ag_lane_writer;

void ag_lane_writer_init(ag_lane_writer *w);
/* Sends c->rp, whole, or its stream to the end of that; waits for the client, until the guard shuts the socket. False: the
 * connection is to be closed. */
bool ag_lane_reply(ag_lane_writer *w, ag_httpd_conn *c);

#endif
