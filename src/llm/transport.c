/* transport -- what all transports share. */
#include "llm/transport.h"

ag_transport *ag_transport_close(ag_transport *t)
{
	if (t)
		t->type->close(t);
	return NULL;
}
