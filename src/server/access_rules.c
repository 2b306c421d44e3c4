/* The checks of Host and Origin. Fuzzed by tests/fuzz/fuzz_mcp_headers.c. */
#include "server/access_rules.h"

#include <arpa/inet.h>
#include <netinet/in.h>

bool ag_access_is_loopback(ag_str host)
{
	char text[INET6_ADDRSTRLEN];
	struct in_addr v4;
	struct in6_addr v6;

	if (ag_str_ieq(host, AG_S("localhost")))
		return true;
	if (host.len >= 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
		host = ag_str_make(host.ptr + 1, host.len - 2);
	if (host.len == 0 || host.len >= sizeof(text) || memchr(host.ptr, '\0', host.len))
		return false;
	memcpy(text, host.ptr, host.len);
	text[host.len] = '\0';
	if (inet_pton(AF_INET, text, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, text, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

static bool is_name(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!(c == '-' || c == '.' || c == '_' || (c >= '0' && c <= '9') ||
		      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
			return false;
	}
	return s.len > 0;
}

static bool is_bracketed(ag_str s)
{
	for (size_t i = 1; i + 1 < s.len; i++) {
		char c = s.ptr[i];

		if (!(c == ':' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
		      (c >= 'A' && c <= 'F')))
			return false;
	}
	return s.len > 2;
}

bool ag_access_authority(ag_str text, ag_str *ret_host, unsigned *ret_port)
{
	ag_str host = text, port = { "", 0 };
	uint64_t n = 0;

	if (text.len && text.ptr[0] == '[') {
		ptrdiff_t end = ag_str_find(text, ']');

		if (end < 0)
			return false;
		host.len = (size_t)end + 1;
		if (!is_bracketed(host))
			return false;
	} else {
		ptrdiff_t colon = ag_str_find(text, ':');

		if (colon >= 0)
			host.len = (size_t)colon;
		if (!is_name(host))
			return false;
	}
	if (host.len < text.len) {
		port = ag_str_make(text.ptr + host.len + 1, text.len - host.len - 1);
		if (text.ptr[host.len] != ':' || port.len == 0 || port.len > 5 ||
		    port.ptr[0] == '+' || !ag_str_to_u64(port, &n) || n == 0 || n > 65535)
			return false;
	}
	*ret_host = host;
	*ret_port = (unsigned)n;
	return true;
}

static bool is_listed(const ag_str *list, size_t n, ag_str a, ag_str b)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(list[i], AG_S("*")) || ag_str_ieq(list[i], a) ||
		    ag_str_ieq(list[i], b))
			return true;
	return false;
}

bool ag_access_host_allowed(const ag_access_rules *r, ag_str host)
{
	ag_str name;
	unsigned port;

	if (!ag_access_authority(host, &name, &port))
		return false;
	if (is_listed(r->hosts, r->nhost, name, host))
		return true;
	if (r->is_loopback)
		return ag_access_is_loopback(name);
	/* Bound to the network: any name may lead here, unless some were given. */
	return r->nhost == 0 || ag_access_is_loopback(name) || ag_str_ieq(name, r->bound);
}

bool ag_access_origin_allowed(const ag_access_rules *r, ag_str origin, ag_str host,
                              bool *ret_is_cross)
{
	ag_str rest, name;
	unsigned port;
	bool is_plain = ag_str_starts(origin, AG_S("http://"));

	*ret_is_cross = false;
	if (is_plain || ag_str_starts(origin, AG_S("https://"))) {
		size_t skip = is_plain ? 7 : 8;

		rest = ag_str_make(origin.ptr + skip, origin.len - skip);
		/* A proxy may speak TLS for the server: the scheme is not compared. */
		if (host.len && ag_str_ieq(rest, host))
			return true;
		if (r->is_loopback && ag_access_authority(rest, &name, &port) &&
		    ag_access_is_loopback(name) && port == r->port)
			return true;
	}
	*ret_is_cross = true;
	return is_listed(r->origins, r->norigin, origin, origin);
}
