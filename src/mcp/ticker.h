/* ticker -- progress notifications of a call that waits in one place: what ctx->progress says, from a thread of its own. */
#ifndef AG_MCP_TICKER_H
#define AG_MCP_TICKER_H

#include <pthread.h>

#include "mcp/server.h"

typedef struct ag_mcp_ticker {
	ag_mcp_call *call;
	ag_progress progress;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	bool has_thread, is_over;
	int64_t began_ms;
} ag_mcp_ticker;

/* Gives the call's ctx progress counters and reports them. ret must stay where it is until ag_mcp_ticker_end(). Meanwhile the
 * call sends no progress itself. Without a progress token there is no thread. */
void ag_mcp_ticker_begin(ag_mcp_ticker *ret, ag_mcp_call *call);
/* Waits for the thread: nothing is sent after it. */
void ag_mcp_ticker_end(ag_mcp_ticker *t);

#endif
