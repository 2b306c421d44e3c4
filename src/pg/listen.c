/* Waiting for notifications, on a connection that has sent LISTEN and is used for nothing else. */
#include "pg/parts.h"

#include <errno.h>
#include <poll.h>

#include "base/time.h"

/* How late a cancel flag is seen that no signal brings. */
#define SLICE_MS 200

/* What the server says by itself: notifications, notices, settings that changed. false: the session ends. */
static bool take(ag_pg_wire *w, bool *ret_told)
{
	ag_pg_message m;

	for (;;) {
		switch (ag_pg_next(w, AG_PG_MAX_MESSAGE_BYTES, &m)) {
		case AG_PG_IO_WAIT: return true;
		case AG_PG_IO_BROKEN: return false;
		case AG_PG_IO_DONE: break;
		}
		if (m.type == 'A')
			*ret_told = true;
		else if (m.type != 'N' && m.type != 'S')
			return false;
	}
}

bool ag_pg_listen(ag_pg_conn *c, int64_t ms, const atomic_bool *cancel, bool *ret_told)
{
	const int64_t until_us = ag_time_mono_us() + ms * 1000;
	ag_pg_wire *w = &c->wire;

	*ret_told = false;
	for (;;) {
		struct pollfd fd = { .fd = w->fd, .events = POLLIN };
		const int64_t left_ms = (until_us - ag_time_mono_us() + 999) / 1000;

		if (!take(w, ret_told))
			return false;
		if (*ret_told || left_ms <= 0 || (cancel && atomic_load(cancel)))
			return true;
		if (ag_pg_must_wait(w)) {
			const int rc = poll(&fd, 1, left_ms < SLICE_MS ? (int)left_ms : SLICE_MS);

			if (rc < 0 && errno != EINTR)
				return false;
			if (rc <= 0)
				continue;
		}
		if (ag_pg_read(w) == AG_PG_IO_BROKEN)
			return false;
	}
}
