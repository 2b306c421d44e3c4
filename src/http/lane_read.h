/* lane_read -- which requests the lane answers: a POST that is as plain as clients of Argus send it.
 *
 * Everything else is not refused here but left to libmicrohttpd, unread: what HTTP allows, and what it does not, is its
 * trade. So this reader may be strict to the point of pedantry, and must only never take a request for plain whose meaning
 * another program could see differently. Fuzzed by tests/fuzz/fuzz_http_lane.c. */
#ifndef AG_HTTP_LANE_READ_H
#define AG_HTTP_LANE_READ_H

#include "http/server.h"

#define AG_LANE_HEADERS 64u           /* at most in a plain request */
#define AG_LANE_HEAD    (8u * 1024)   /* bytes of the first line and the headers */
#define AG_LANE_BODY    (128u * 1024) /* bytes of the body */

typedef enum ag_lane_kind {
	AG_LANE_PLAIN, /* it is there, whole */
	AG_LANE_PART,  /* its head is plain, of its body a part is missing */
	AG_LANE_OTHER, /* not for the lane */
} ag_lane_kind;

typedef struct ag_lane_request {
	size_t size;        /* bytes of it: head and body */
	size_t nbody;       /* of them the body; both also in AG_LANE_PART */
	ag_str path, query; /* slices of the text, as is all that follows */
	ag_str body;
	size_t nheader;
} ag_lane_request;

/* What stands at the beginning of text; bytes behind it belong to the next request. headers gets ret->nheader of them, their
 * values trimmed. */
ag_lane_kind ag_lane_read(ag_str text, ag_lane_request *ret,
                          ag_httpd_header headers[AG_LANE_HEADERS]);

#endif
