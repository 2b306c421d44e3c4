/* The log: what was asked and how it was answered, one JSON object a line. Written before the answer leaves, so a test
 * that has its answer finds the line; what the client did not wait for is a second line, {"n":…,"left":true,…}. A key is
 * never written, only a hash of it. */
#include <errno.h>
#include <unistd.h>

#include "query/extjson.h"
#include "server.h"

static void write_line(fm_server *s)
{
	ag_str rest = ag_buf_view(&s->line);

	if (s->line.failed)
		s->is_log_broken = true;
	while (rest.len && !s->is_log_broken) {
		ssize_t n = write(s->log_fd, rest.ptr, rest.len);

		if (n < 0 && errno != EINTR)
			s->is_log_broken = true;
		if (n < 0)
			continue;
		rest.ptr += n;
		rest.len -= (size_t)n;
	}
	ag_buf_clear(&s->line);
}

void fm_log_request(fm_server *s, const fm_log_entry *e)
{
	const fm_request *r = e->request;
	ag_jw w;

	if (s->log_fd < 0)
		return;
	ag_jw_init(&w, &s->line, 0);
	ag_jw_obj(&w);
	ag_jw_kuint(&w, "n", r->n);
	ag_jw_kstr(&w, "method", r->method);
	ag_jw_kstr(&w, "path", r->path);
	ag_jw_kkey(&w, "key_header");
	if (r->key_header[0])
		ag_jw_str(&w, ag_str_c(r->key_header));
	else
		ag_jw_null(&w);
	ag_jw_kkey(&w, "key_hash");
	if (r->key_hash[0])
		ag_jw_str(&w, ag_str_c(r->key_hash));
	else
		ag_jw_null(&w);
	if (e->line)
		ag_jw_kuint(&w, "answer", e->line);
	else
		ag_jw_knull(&w, "answer");
	if (e->chaos)
		ag_jw_kstr(&w, "chaos", ag_str_c(e->chaos));
	ag_jw_kint(&w, "status", e->status);
	ag_jw_kuint(&w, "body_bytes", e->conn->reply.body.len);
	ag_jw_kuint(&w, "bytes", e->conn->limit);
	ag_jw_kkey(&w, "request");
	if (r->json.type == AG_T_OBJECT && memchr(r->body.ptr, '\n', r->body.len))
		ag_extjson_write(&s->line, &r->json, AG_EXTJSON_RELAXED); /* a line stays a line */
	else if (r->json.type == AG_T_OBJECT)
		ag_buf_add(&s->line, r->body);
	else
		ag_json_quote(&s->line, r->body);
	ag_buf_addc(&s->line, '}');
	ag_buf_addc(&s->line, '\n');
	write_line(s);
}

void fm_log_left(fm_server *s, const fm_conn *c)
{
	if (s->log_fd < 0)
		return;
	ag_buf_addf(&s->line, "{\"n\":%llu,\"left\":true,\"bytes\":%llu}\n",
	            (unsigned long long)c->n, (unsigned long long)c->sent);
	write_line(s);
}
