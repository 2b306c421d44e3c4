/* mongo_parts -- what the two files of the fake MongoDB server share: mongo_server.c is the wire and the rules, mongo_commands.c
 * answers commands. */
#ifndef TEST_FAKE_MONGO_PARTS_H
#define TEST_FAKE_MONGO_PARTS_H

#include <pthread.h>

#include "columns/table.h"
#include "fake/mongo_scram.h"
#include "fake/mongo_server.h"

#define MAX_MESSAGE     (48u << 20)
#define MAX_BATCH       (16u << 20)
#define MAX_COLLECTIONS 4096
#define MAX_RULES       32
#define MAX_CURSORS     256
#define OP_REPLY        1
#define OP_QUERY        2004
#define OP_MSG          2013

typedef struct collection {
	char ns[256];
	char type[16];
	ag_table *t;
	uint64_t nbyte;
} collection;

typedef struct rule {
	char command[32], action[12], text[128];
	unsigned from, to; /* occurrences */
	unsigned seen;
	int number;
} rule;

typedef struct counter {
	char command[32];
	unsigned n;
} counter;

typedef struct cursor {
	int64_t id; /* 0 = free */
	ag_arena *arena;
	const ag_val *docs;
	size_t n, at;
	char ns[256];
} cursor;

typedef struct server {
	fake_mongo *f;
	unsigned i;
	int fd;
	unsigned port;
} server;

struct fake_mongo {
	server members[FAKE_MONGO_MEMBERS];
	unsigned nmember, primary;
	char set[32];                 /* "" = no replica set */
	char user[64], password[128]; /* "" = nobody logs in */
	double charge;
	bool is_router;
	FILE *record;
	pthread_mutex_t lock;
	collection all[MAX_COLLECTIONS];
	size_t n;
	rule rules[MAX_RULES];
	size_t nrule;
	counter counters[64];
	cursor cursors[MAX_CURSORS];
	int64_t last_cursor;
	unsigned time;
	char refused[64];
};

typedef struct connection {
	const server *m;
	int fd;
	mongo_scram scram;
	bool is_known; /* logged in */
	char last[32]; /* the command before, for getLastRequestStatistics */
} connection;

/* One command under way. */
typedef struct job {
	fake_mongo *f;
	connection *c;
	ag_arena *arena;
	const ag_val *command;
	ag_str name, database;
	ag_member *m; /* of the answer */
	size_t n;
} job;

static inline void put(job *j, const char *name, ag_val v)
{
	j->m[j->n++] = (ag_member){ ag_str_c(name), v };
}

/* The answer is this error; `text` is copied. */
void fake_mongo_fail(job *j, int code, const char *text);
/* Is the command on the read list? */
bool fake_mongo_reads(ag_str command);
/* Answers a command of that list. Under the lock. */
void fake_mongo_answer(job *j);

#endif
