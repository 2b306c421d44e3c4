/* Any bytes as Host and Origin of a server on loopback: let in is only what names this machine, or was listed. The first
 * line is the Host, the rest the Origin. */
#include <stdlib.h>

#include "fuzz.h"
#include "server/access_rules.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static const ag_str hosts[] = { AG_S_INIT("box.example") };
static const ag_str origins[] = { AG_S_INIT("http://page.example:5173") };
static const ag_access_rules rules = {
	.is_loopback = true,
	.bound = AG_S_INIT("127.0.0.1"),
	.port = 8080,
	.hosts = hosts,
	.nhost = 1,
	.origins = origins,
	.norigin = 1,
};

static void is_of_this_machine(ag_str host)
{
	ag_str name;
	unsigned port;

	check(ag_access_authority(host, &name, &port) && port <= 65535 && name.len <= host.len);
	check(ag_access_is_loopback(name) || ag_str_ieq(name, hosts[0]));
	check(!memchr(name.ptr, '@', name.len) && !memchr(name.ptr, '/', name.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str origin = ag_str_make((const char *)data, size);
	ag_str host = ag_str_split(&origin, '\n');
	bool is_cross;

	if (!ag_access_host_allowed(&rules, host))
		return 0;
	is_of_this_machine(host);
	if (!origin.len || !ag_access_origin_allowed(&rules, origin, host, &is_cross))
		return 0;
	if (is_cross)
		check(ag_str_ieq(origin, origins[0]));
	else
		is_of_this_machine(ag_str_make(origin.ptr + (origin.ptr[4] == ':' ? 7 : 8),
		                               origin.len - (origin.ptr[4] == ':' ? 7 : 8)));
	return 0;
}
