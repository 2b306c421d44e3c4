/* The full text of files in PostgreSQL: one tsvector a document, made of FTS5's stems (stems.h), ranked by BM25 as FTS5 does.
 *
 * PostgreSQL's own text search knows no accents without an extension, drops common words, and its ranking does not know how
 * rare a word is; so it keeps and finds the words here, and nothing else. Weight A is the title, B the trail, C names, D the
 * body. Not portable: tsvector, tsquery, unnest() and GIN are used in this file and in migrations/postgres only. */
#include <stdlib.h>

#include "store/postgres.h"
#include "store/stems.h"
#include "store/store.h"

#define ORIGIN "store.postgres"
/* PostgreSQL's limits of a tsvector: positions, positions of one word, bytes of words and positions together. */
#define MAX_POSITION   16383u
#define MAX_POSITIONS  255u
#define MAX_BYTES      (1000u << 10)
#define MAX_STEM_BYTES 1024u /* longer than any word that can be searched for */
#define FIELDS         4u

typedef struct use {
	ag_str stem;
	unsigned position;
	char weight;
} use;

typedef struct collector {
	ag_arena *arena;
	ag_rows uses;
	unsigned position;
	char weight;
} collector;

static void collector_release(collector *c)
{
	ag_rows_release(&c->uses);
}

static void take_stem(void *arg, ag_str stem)
{
	collector *c = arg;
	use *u;

	c->position++;
	if (stem.len > MAX_STEM_BYTES)
		return;
	u = ag_rows_add(&c->uses);
	u->stem = ag_str_dup(c->arena, stem);
	u->position = c->position < MAX_POSITION ? c->position : MAX_POSITION;
	u->weight = c->weight;
}

static int by_stem(const void *a, const void *b)
{
	const use *x = a, *y = b;
	const int rc = ag_str_cmp(x->stem, y->stem);

	return rc ? rc : (x->position > y->position) - (x->position < y->position);
}

static void add_quoted(ag_buf *out, ag_str stem)
{
	ag_buf_addc(out, '\'');
	for (size_t i = 0; i < stem.len; i++) {
		if (stem.ptr[i] == '\'' || stem.ptr[i] == '\\')
			ag_buf_addc(out, stem.ptr[i]);
		ag_buf_addc(out, stem.ptr[i]);
	}
	ag_buf_addc(out, '\'');
}

/* 'branch':1A,7 'protect':2A */
static void write_vector(const collector *c, ag_buf *out)
{
	use *u = (use *)(void *)c->uses.ptr;
	size_t nbyte = 0;

	if (c->uses.n)
		qsort(u, c->uses.n, sizeof(*u), by_stem);
	for (size_t i = 0, n; i < c->uses.n; i += n) {
		n = 1;
		while (i + n < c->uses.n && ag_str_eq(u[i].stem, u[i + n].stem))
			n++;
		nbyte += u[i].stem.len + 4 + 2 * (n < MAX_POSITIONS ? n : MAX_POSITIONS);
		if (nbyte > MAX_BYTES)
			return;
		if (out->len)
			ag_buf_addc(out, ' ');
		add_quoted(out, u[i].stem);
		for (size_t k = 0; k < n && k < MAX_POSITIONS; k++)
			ag_buf_addf(out, "%c%u%c", k ? ',' : ':', u[i + k].position,
			            u[i + k].weight);
	}
}

/* The words of one row of arguments: document, title, trail, names, body. */
static ag_status collect(ag_stems *stems, const ag_db_val *row, collector *c, ag_err *err)
{
	ag_status st = AG_OK;

	for (size_t i = 0; i < FIELDS && !st; i++) {
		c->weight = "ABCD"[i];
		st = ag_stems_of(stems, ag_db_get_view(&row[1 + i]), take_stem, c, err);
		c->position++; /* no phrase goes from one field to the next */
	}
	return st;
}

static ag_status put(ag_db *db, ag_db_args args, size_t nrow, ag_err *err)
{
	static const ag_sql add = { "INSERT INTO index_words (doc, size, words) "
		                    "VALUES ($1, $2, CAST($3 AS TSVECTOR))" };
	AG_AUTO(ag_stems_closep) ag_stems *stems = NULL;
	AG_AUTO(ag_buf_release) ag_buf vector = AG_BUF_INIT(16u << 20);
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_status st = ag_stems_open(&stems, err);

	for (size_t i = 0; i < nrow && !st; i++) {
		AG_AUTO(collector_release)
		collector c = { .arena = arena, .uses = { .size = sizeof(use) } };
		const ag_db_val *row = args.at + i * args.n;

		st = collect(stems, row, &c, err);
		ag_buf_clear(&vector);
		write_vector(&c, &vector);
		if (!st)
			st = ag_db_run(db, &add,
			               AG_DB_ARGS(row[0], ag_db_int((int64_t)c.uses.n),
			                          ag_db_text(ag_buf_view(&vector))),
			               NULL, err);
		ag_arena_reset(arena);
	}
	return st;
}

typedef struct asker {
	ag_buf *query, stems;
	size_t n; /* stems of this word */
} asker;

static void take_word(void *arg, ag_str stem)
{
	asker *a = arg;

	if (a->n++)
		ag_buf_adds(a->query, " <-> ");
	else
		ag_buf_adds(a->query, a->query->len ? " | (" : "(");
	add_quoted(a->query, stem);
	if (a->stems.len)
		ag_buf_addc(&a->stems, ' ');
	ag_buf_add(&a->stems, stem);
}

/* A line with the query, 'a' | ('b' <-> 'c'), and a line with its stems. A word of several stems is a phrase. */
static void match(const ag_str *words, size_t nword, ag_buf *out)
{
	AG_AUTO(ag_stems_closep) ag_stems *stems = NULL;
	asker a = { .query = out, .stems = AG_BUF_INIT(64u << 10) };
	ag_err err;
	ag_status st = ag_stems_open(&stems, &err);

	for (size_t i = 0; i < nword && !st; i++) {
		a.n = 0;
		st = ag_stems_of(stems, words[i], take_word, &a, &err);
		if (a.n)
			ag_buf_addc(out, ')');
	}
	AG_ASSERT(!st); /* the tokenizer fails only without memory */
	ag_buf_addc(out, '\n');
	ag_buf_add(out, ag_buf_view(&a.stems));
	ag_buf_release(&a.stems);
}

/* Nothing is mended: PostgreSQL's own tools repair a damaged index. */
static ag_status mend(ag_db *db, const ag_err *why, ag_err *err)
{
	(void)db;
	if (err)
		*err = *why;
	return why->status;
}

#define QUERY "CAST(split_part($1, E'\\n', 1) AS TSQUERY)"

const ag_db_words ag_postgres_words = {
	.forget_file = { "DELETE FROM index_words WHERE doc IN "
	                 "(SELECT id FROM index_docs WHERE file = $1)" },
	.forget_doc = { "DELETE FROM index_words WHERE doc = $1" },
	.put = put,
	/* BM25 as FTS5's, k1 = 1.2 and b = 0.75, with the weights of sqlite_words.c. */
	.search = { "WITH total AS (SELECT CAST(count(*) AS DOUBLE PRECISION) AS n, "
	            "CAST(avg(size) AS DOUBLE PRECISION) AS size "
	            "FROM index_words WHERE doc BETWEEN $2 AND $3), "
	            "found AS MATERIALIZED (SELECT doc, size, words FROM index_words "
	            "WHERE doc BETWEEN $2 AND $3 AND words @@ " QUERY "), "
	            "uses AS (SELECT f.doc, f.size, u.lexeme, (SELECT sum(CASE w WHEN 'A' THEN 6.0 "
	            "WHEN 'B' THEN 2.0 WHEN 'C' THEN 2.0 ELSE 1.0 END) FROM unnest(u.weights) w) "
	            "AS freq FROM found f, unnest(f.words) u "
	            "WHERE u.lexeme = ANY (string_to_array(split_part($1, E'\\n', 2), ' '))), "
	            "rare AS (SELECT u.lexeme, greatest(ln((t.n - count(*) + 0.5) / "
	            "(count(*) + 0.5)), 0.000001) AS idf FROM uses u, total t "
	            "GROUP BY u.lexeme, t.n), "
	            "scored AS (SELECT u.doc, sum(r.idf * CAST(u.freq AS DOUBLE PRECISION) * 2.2 / "
	            "(CAST(u.freq AS DOUBLE PRECISION) + 1.2 * (0.25 + 0.75 * u.size / t.size))) "
	            "AS score FROM uses u JOIN rare r ON r.lexeme = u.lexeme, total t "
	            "GROUP BY u.doc ORDER BY score DESC, u.doc LIMIT $4) "
	            "SELECT f.path, d.kind, d.anchor, d.line, d.last_line, d.title, d.trail, d.body, "
	            "s.score FROM scored s JOIN index_docs d ON d.id = s.doc "
	            "JOIN index_files f ON f.id = d.file ORDER BY s.score DESC, s.doc" },
	.count = { "SELECT count(*) FROM index_words WHERE words @@ " QUERY
	           " AND doc BETWEEN $2 AND $3" },
	.forget_all = { "DELETE FROM index_words" },
	.match = match,
	.mend = mend,
};
