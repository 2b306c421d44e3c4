/* mongo_server -- see the header.
 *
 * A thread per connection; one lock for everything, held while a command is answered. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake/mongo_parts.h"
#include "query/bson.h"
#include "query/extjson.h"

/* --- rules --------------------------------------------------------------------------------------- */

int fake_mongo_add_rule(fake_mongo *f, const char *text)
{
	rule *r = &f->rules[f->nrule];
	char when[16] = "";
	int used = 0;

	*r = (rule){ .from = 1, .to = ~0u };
	if (f->nrule == MAX_RULES || sscanf(text, "%31[A-Za-z]%n", r->command, &used) != 1)
		return 0;
	text += used;
	if (*text == ':') {
		if (sscanf(text, ":%15[0-9+-]%n", when, &used) != 1)
			return 0;
		text += used;
		r->from = (unsigned)strtoul(when, NULL, 10);
		r->to = strchr(when, '+')   ? ~0u
		        : strchr(when, '-') ? (unsigned)strtoul(strchr(when, '-') + 1, NULL, 10)
		                            : r->from;
	}
	if (sscanf(text, " %11[a-z]%n", r->action, &used) != 1)
		return 0;
	text += used;
	if (sscanf(text, " %d%n", &r->number, &used) == 1)
		text += used;
	snprintf(r->text, sizeof(r->text), "%s", *text == ' ' ? text + 1 : text);
	pthread_mutex_lock(&f->lock);
	f->nrule++;
	pthread_mutex_unlock(&f->lock);
	return !strcmp(r->action, "close") || !strcmp(r->action, "half") ||
	       !strcmp(r->action, "error") || !strcmp(r->action, "slow") ||
	       !strcmp(r->action, "stepdown") || !strcmp(r->action, "throttle");
}

static const rule *rule_for(fake_mongo *f, ag_str name)
{
	const rule *found = NULL;

	for (size_t i = 0; i < f->nrule; i++) {
		rule *r = &f->rules[i];

		if (!ag_str_eqc(name, r->command))
			continue;
		r->seen++;
		if (!found && r->seen >= r->from && r->seen <= r->to)
			found = r;
	}
	return found;
}

static void note(job *j)
{
	fake_mongo *f = j->f;
	size_t i = 0;

	while (i < AG_NELEM(f->counters) - 1 && f->counters[i].n &&
	       !ag_str_eqc(j->name, f->counters[i].command))
		i++;
	snprintf(f->counters[i].command, sizeof(f->counters[i].command), "%.*s", AG_FMT(j->name));
	f->counters[i].n++;
	if (f->record) {
		const ag_str text = ag_extjson_str(j->arena, j->command, AG_EXTJSON_RELAXED);

		if (f->set[0])
			fprintf(f->record, "%u: ", j->c->m->i + 1);
		fprintf(f->record, "%.*s %.*s\n", AG_FMT(j->database), AG_FMT(text));
		fflush(f->record);
	}
}

const char *fake_mongo_refused(fake_mongo *f)
{
	return f->refused[0] ? f->refused : NULL;
}

unsigned fake_mongo_count(fake_mongo *f, const char *command)
{
	unsigned n = 0;

	pthread_mutex_lock(&f->lock);
	for (size_t i = 0; i < AG_NELEM(f->counters); i++)
		if (!strcmp(f->counters[i].command, command))
			n = f->counters[i].n;
	pthread_mutex_unlock(&f->lock);
	return n;
}

/* --- the wire ------------------------------------------------------------------------------------ */

static bool needs_login(const job *j)
{
	static const char *const free_ones[] = { "hello",        "isMaster",   "ismaster",
		                                 "ping",         "buildInfo",  "saslStart",
		                                 "saslContinue", "endSessions" };

	for (size_t i = 0; i < AG_NELEM(free_ones); i++)
		if (ag_str_eqc(j->name, free_ones[i]))
			return false;
	return j->f->user[0] && !j->c->is_known;
}

static void step_down(job *j)
{
	j->f->primary = (j->f->primary + 1) % j->f->nmember;
	fake_mongo_fail(j, 10107, "not primary");
}

static void throttle(job *j, int ms)
{
	fake_mongo_fail(
		j, 16500,
		ag_str_printf(
			j->arena,
			"Error=16500, RetryAfterMs=%d, Details='Response status code does not indicate "
			"success: TooManyRequests (429); Substatus: 3200; Request rate is large. "
			"More Request Units may be needed, so no changes were made.'",
			ms)
			.ptr);
}

static void refuse(job *j)
{
	if (!j->f->refused[0])
		snprintf(j->f->refused, sizeof(j->f->refused), "%.*s", AG_FMT(j->name));
	if (j->f->record)
		fprintf(j->f->record, "REFUSED %.*s\n", AG_FMT(j->name));
	fake_mongo_fail(j, 59, "this command does not read");
}

/* Legacy opcodes, compressed messages, sequences of documents. */
static void refuse_message(fake_mongo *f, uint32_t op)
{
	pthread_mutex_lock(&f->lock);
	if (!f->refused[0])
		snprintf(f->refused, sizeof(f->refused), "a message with opcode %u", op);
	if (f->record) {
		fprintf(f->record, "REFUSED a message with opcode %u\n", op);
		fflush(f->record);
	}
	pthread_mutex_unlock(&f->lock);
}

static void run(job *j, const rule *r)
{
	if (!fake_mongo_reads(j->name))
		refuse(j);
	else if (r && !strcmp(r->action, "error"))
		fake_mongo_fail(j, r->number, r->text);
	else if (r && !strcmp(r->action, "stepdown"))
		step_down(j);
	else if (r && !strcmp(r->action, "throttle"))
		throttle(j, r->number);
	else if (needs_login(j))
		fake_mongo_fail(j, 13, "command requires authentication");
	else
		fake_mongo_answer(j);
}

static uint32_t u32_at(const char *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

static bool read_all(int fd, char *to, size_t n)
{
	while (n) {
		const ssize_t k = recv(fd, to, n, 0);

		if (k <= 0)
			return false;
		to += k;
		n -= (size_t)k;
	}
	return true;
}

static bool write_all(int fd, ag_str s)
{
	while (s.len) {
		const ssize_t k = send(fd, s.ptr, s.len, MSG_NOSIGNAL);

		if (k <= 0)
			return false;
		s = ag_str_make(s.ptr + k, s.len - (size_t)k);
	}
	return true;
}

/* The command's document in a message without its header, "" when it is something else. */
static ag_str body_of(const char *p, size_t n, uint32_t op)
{
	size_t at = 5; /* OP_MSG: flags, kind of the first section */

	if (op == OP_QUERY) {
		const char *end = (const char *)memchr(p + 4, 0, n - 4);

		at = end ? (size_t)(end + 1 - p) + 8 : n;
	}
	/* A second section would be documents to write. */
	if (at + 4 > n || u32_at(p + at) != n - at || (op == OP_MSG && (u32_at(p) || p[4])))
		return AG_S("");
	return ag_str_make(p + at, u32_at(p + at));
}

static bool answer(connection *c, const char *head, const char *p, size_t n)
{
	static const char zeros[20];
	const uint32_t op = u32_at(head + 12);
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(MAX_MESSAGE);
	job j = { .f = c->m->f, .c = c, .arena = arena, .m = ag_new_n(arena, ag_member, 32) };
	uint32_t size, reply_op = op == OP_QUERY ? OP_REPLY : OP_MSG, one = 1;
	const rule *r = NULL;
	rule now = { 0 };
	ag_val command, reply;
	bool ok = false;

	if ((op == OP_MSG || op == OP_QUERY) &&
	    !ag_bson_read(body_of(p, n, op), arena, &command, NULL) && command.n) {
		pthread_mutex_lock(&j.f->lock);
		j.command = &command;
		j.name = command.u.members[0].key;
		j.database = ag_val_member_str(&command, "$db");
		note(&j);
		r = rule_for(j.f, j.name);
		if (r)
			now = *r;
		run(&j, r);
		if (!ag_str_eqc(j.name, "getLastRequestStatistics"))
			snprintf(c->last, sizeof(c->last), "%.*s", AG_FMT(j.name));
		if (j.f->time)
			put(&j, "operationTime",
			    (ag_val){ .type = AG_T_TIMESTAMP,
			              .u.i = (int64_t)((uint64_t)j.f->time << 32 | 1) });
		pthread_mutex_unlock(&j.f->lock);
		if (!j.n || !ag_str_eqc(j.m[0].key, "ok"))
			put(&j, "ok", ag_val_double(1));
		reply = ag_val_object(j.m, j.n);
		ag_buf_add(&out, ag_str_make(zeros, 4)); /* the length comes last */
		ag_buf_add(&out, ag_str_make(zeros, 4));
		ag_buf_add(&out, ag_str_make(head + 4, 4));
		ag_buf_add(&out, ag_str_make((const char *)&reply_op, 4));
		ag_buf_add(&out, ag_str_make(zeros, op == OP_QUERY ? 16 : 5));
		if (op == OP_QUERY) /* flags, cursor, first, number of documents */
			ag_buf_add(&out, ag_str_make((const char *)&one, 4));
		ok = ag_bson_write(&out, &reply) && !out.failed;
		size = (uint32_t)out.len;
		if (ok)
			memcpy(out.ptr, &size, 4);
	} else {
		refuse_message(j.f, op);
	}
	if (ok && !strcmp(now.action, "slow"))
		usleep((useconds_t)now.number * 1000);
	if (ok && !strcmp(now.action, "half"))
		write_all(c->fd, ag_str_make(out.ptr, out.len / 2));
	if (!strcmp(now.action, "half") || !strcmp(now.action, "close"))
		ok = false;
	ok = ok && write_all(c->fd, ag_buf_view(&out));
	ag_buf_release(&out);
	ag_arena_free(arena);
	return ok;
}

static void *serve(void *arg)
{
	connection *c = arg;
	char head[16], *p;
	bool ok = true;

	while (ok && read_all(c->fd, head, sizeof(head))) {
		const uint32_t size = u32_at(head);

		if (size < 16 + 5 || size > MAX_MESSAGE)
			break;
		p = ag_xmalloc(size - 16);
		ok = read_all(c->fd, p, size - 16) && answer(c, head, p, size - 16);
		free(p);
	}
	close(c->fd);
	free(c);
	return NULL;
}

static void *accept_all(void *arg)
{
	const server *m = arg;

	for (;;) {
		connection *c = ag_xcalloc(1, sizeof(*c));
		pthread_t t;

		*c = (connection){ .m = m, .fd = accept(m->fd, NULL, NULL) };
		if (c->fd < 0 || pthread_create(&t, NULL, serve, c)) {
			free(c);
			continue;
		}
		pthread_detach(t);
	}
	return NULL;
}

static void add_member(fake_mongo *f, unsigned port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_port = htons((uint16_t)port),
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	server *m = &f->members[f->nmember];
	socklen_t n = sizeof(at);
	int on = 1;
	pthread_t t;

	*m = (server){ .f = f,
		       .i = f->nmember++,
		       .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	AG_ASSERT(m->fd >= 0);
	AG_ASSERT(!setsockopt(m->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
	AG_ASSERT(!bind(m->fd, (const struct sockaddr *)(const void *)&at, sizeof(at)));
	AG_ASSERT(!listen(m->fd, 64));
	AG_ASSERT(!getsockname(m->fd, (struct sockaddr *)(void *)&at, &n));
	m->port = ntohs(at.sin_port);
	AG_ASSERT(!pthread_create(&t, NULL, accept_all, m));
	pthread_detach(t);
}

fake_mongo *fake_mongo_start(FILE *record, unsigned port)
{
	fake_mongo *f = ag_xcalloc(1, sizeof(*f));

	f->record = record;
	pthread_mutex_init(&f->lock, NULL);
	add_member(f, port);
	return f;
}

void fake_mongo_set_members(fake_mongo *f, const char *name, unsigned n)
{
	pthread_mutex_lock(&f->lock);
	snprintf(f->set, sizeof(f->set), "%s", name);
	while (f->nmember < n && f->nmember < FAKE_MONGO_MEMBERS)
		add_member(f, 0);
	pthread_mutex_unlock(&f->lock);
}

void fake_mongo_set_charge(fake_mongo *f, double units)
{
	pthread_mutex_lock(&f->lock);
	f->charge = units;
	pthread_mutex_unlock(&f->lock);
}

void fake_mongo_set_router(fake_mongo *f)
{
	pthread_mutex_lock(&f->lock);
	f->is_router = true;
	pthread_mutex_unlock(&f->lock);
}

int fake_mongo_set_user(fake_mongo *f, const char *user)
{
	const char *colon = strchr(user, ':');

	if (!colon || colon - user >= (int)sizeof(f->user))
		return 0;
	pthread_mutex_lock(&f->lock);
	snprintf(f->user, sizeof(f->user), "%.*s", (int)(colon - user), user);
	snprintf(f->password, sizeof(f->password), "%s", colon + 1);
	pthread_mutex_unlock(&f->lock);
	return 1;
}

unsigned fake_mongo_member_port(const fake_mongo *f, unsigned member)
{
	return f->members[member].port;
}

unsigned fake_mongo_port(const fake_mongo *f)
{
	return f->members[0].port;
}
