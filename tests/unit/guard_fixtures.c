/* Reads tests/cases/guard/: its cases, and the database that they speak of (shop.catalog, a line for each object, sorted as
 * guard/sql_catalog.h wants it). */
#include "guard_fixtures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "query/extjson.h"

#define MAX_SQL     (16u << 20)
#define MAX_OBJECTS 200u /* of one kind in shop.catalog */
#define FIRST_OID   16384u

ag_str guard_read_file(const char *name, ag_arena *arena)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	ag_buf text = AG_BUF_INIT(8u << 20);
	char path[4096], piece[8192];
	ag_str ret;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/cases/guard/%s", root ? root : ".", name);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("%s cannot be opened", path);
	for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;)
		ag_buf_add(&text, ag_str_make(piece, n));
	fclose(f);
	ret = ag_buf_dup(arena, &text);
	ag_buf_release(&text);
	return ret;
}

/* --- escapes --- */

/* \*N{text} */
static bool repeat(ag_str *s, ag_buf *out)
{
	const ptrdiff_t open = ag_str_find(*s, '{'), close = ag_str_find(*s, '}');
	uint64_t n;
	ag_str piece;

	if (open < 2 || close < open ||
	    !ag_str_to_u64(ag_str_make(s->ptr + 2, (size_t)open - 2), &n))
		return false;
	piece = ag_str_make(s->ptr + open + 1, (size_t)(close - open) - 1);
	while (n--)
		ag_buf_add(out, piece);
	*s = ag_str_make(s->ptr + close + 1, s->len - (size_t)close - 1);
	return true;
}

static bool escape(ag_str *s, ag_buf *out)
{
	static const char from[] = "nrt0\\", to[] = "\n\r\t\0\\";
	const char c = s->len > 1 ? s->ptr[1] : '\0';
	const char *at = c ? strchr(from, c) : NULL;
	unsigned value;

	if (c == '*')
		return repeat(s, out);
	if (at) {
		ag_buf_addc(out, to[at - from]);
		*s = ag_str_make(s->ptr + 2, s->len - 2);
		return true;
	}
	if (c != 'x' || s->len < 4 || sscanf(s->ptr + 2, "%2x", &value) != 1)
		return false;
	ag_buf_addc(out, (char)value);
	*s = ag_str_make(s->ptr + 4, s->len - 4);
	return true;
}

static ag_str unescape(const guard_case *c, ag_str s, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(MAX_SQL);
	ag_str ret;

	while (s.len) {
		const ptrdiff_t at = ag_str_find(s, '\\');
		const size_t plain = at < 0 ? s.len : (size_t)at;

		ag_buf_add(&out, ag_str_make(s.ptr, plain));
		s = ag_str_make(s.ptr + plain, s.len - plain);
		if (s.len && !escape(&s, &out))
			fail_msg("%s:%d: an unknown escape: %.20s", c->file, c->line, s.ptr);
	}
	assert_false(out.failed);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* --- @config --- */

static const ag_str *list_of(const ag_val *config, const char *key, ag_arena *arena, size_t *ret_n)
{
	const ag_val *v = ag_val_getc(config, key);
	ag_str *ret;

	*ret_n = v ? v->n : 0;
	if (!v)
		return NULL;
	assert_int_equal(v->type, AG_T_ARRAY);
	ret = ag_new_n(arena, ag_str, v->n + 1);
	for (uint32_t i = 0; i < v->n; i++)
		ret[i] = ag_val_text(&v->u.items[i]);
	return ret;
}

static const ag_sql_policy *policy_of(const guard_case *c, ag_str json, ag_arena *arena)
{
	const ag_extjson_opts opts = { .reject_duplicates = true };
	ag_sql_policy *p = ag_new(arena, ag_sql_policy);
	const ag_val *schema, *most;
	ag_err err = { 0 };
	ag_val config;

	if (ag_extjson_parse(json, &opts, arena, &config, NULL, NULL, &err))
		fail_msg("%s:%d: %s", c->file, c->line, err.msg);
	schema = ag_val_getc(&config, "schema");
	most = ag_val_getc(&config, "max_limit");
	p->schema = schema ? ag_val_text(schema) : AG_S("");
	p->max_rows = most ? (uint64_t)most->u.i : 0;
	p->allowed_schemas = list_of(&config, "allowed_schemas", arena, &p->nallowed_schema);
	p->allowed_tables = list_of(&config, "allowed_tables", arena, &p->nallowed_table);
	p->excluded_tables = list_of(&config, "excluded_tables", arena, &p->nexcluded_table);
	p->allowed_functions = list_of(&config, "allowed_functions", arena, &p->nallowed_function);
	p->allowed_views = list_of(&config, "allowed_views", arena, &p->nallowed_view);
	p->allowed_types = list_of(&config, "allowed_types", arena, &p->nallowed_type);
	if (ag_sql_policy_check(p, &err))
		fail_msg("%s:%d: %s", c->file, c->line, err.msg);
	return p;
}

/* --- lines --- */

static bool take_word(ag_str *line, const char *word)
{
	const size_t n = strlen(word);

	if (!ag_str_starts(*line, ag_str_c(word)))
		return false;
	*line = ag_str_make(line->ptr + n, line->len - n);
	return true;
}

/* "allow users : select 1" */
static void begin_case(guard_case *c, ag_str line, ag_arena *arena)
{
	const char *sep = memmem(line.ptr, line.len, " : ", 3);

	c->is_allowed = take_word(&line, "allow ");
	if (!sep || (!c->is_allowed && !take_word(&line, "deny ")))
		fail_msg("%s:%d: want \"allow TABLES : SQL\" or \"deny RULE : SQL\"", c->file,
		         c->line);
	c->want = ag_str_make(line.ptr, (size_t)(sep - line.ptr));
	c->sql = unescape(c, ag_str_make(sep + 3, line.len - c->want.len - 3), arena);
	c->run = c->says = AG_S("");
}

typedef struct reader {
	guard_case c;
	guard_case_fn *fn;
	void *arg;
	ag_arena *texts, *one; /* of the file; of the case */
	bool has_case;
	size_t ncase, nbad;
} reader;

static void end_case(reader *r)
{
	if (r->has_case) {
		r->ncase++;
		r->nbad += !r->fn(&r->c, r->one, r->arg);
	}
	r->has_case = false;
	ag_arena_reset(r->one);
}

static void read_line(reader *r, ag_str line, int number)
{
	if (take_word(&line, "run ")) {
		r->c.run = unescape(&r->c, line, r->one);
	} else if (take_word(&line, "says ")) {
		r->c.says = line;
	} else {
		end_case(r);
		r->c.line = number;
		if (!line.len || line.ptr[0] == '#')
			return;
		if (take_word(&line, "@config ")) {
			r->c.policy = policy_of(&r->c, line, r->texts);
		} else if (take_word(&line, "@catalog ")) {
			r->c.catalog = ag_str_eqc(line, "shop") ? guard_shop() : NULL;
		} else {
			begin_case(&r->c, line, r->one);
			r->has_case = true;
		}
	}
}

size_t guard_run_cases(const char *file, guard_case_fn *fn, void *arg)
{
	static const ag_sql_policy defaults;
	reader r = { .c = { .file = file, .policy = &defaults },
		     .fn = fn,
		     .arg = arg,
		     .texts = ag_arena_new(),
		     .one = ag_arena_new() };
	ag_str rest = guard_read_file(file, r.texts);

	for (int number = 1; rest.ptr; number++)
		read_line(&r, ag_str_split(&rest, '\n'), number);
	end_case(&r);
	ag_arena_free(r.one);
	ag_arena_free(r.texts);
	if (r.nbad)
		fail_msg("%zu of %zu cases of %s", r.nbad, r.ncase, file);
	return r.ncase;
}

/* --- shop.catalog --- */

static const ag_str *split_names(ag_str list, ag_arena *arena, size_t *ret_n)
{
	ag_str *ret = ag_new_n(arena, ag_str, list.len + 1);

	*ret_n = 0;
	while (list.len)
		ret[(*ret_n)++] = ag_str_split(&list, ',');
	return ret;
}

static const ag_sql_name *split_qualified(ag_str list, ag_arena *arena, size_t *ret_n)
{
	const ag_str *names = split_names(list, arena, ret_n);
	ag_sql_name *ret = ag_new_n(arena, ag_sql_name, *ret_n + 1);

	for (size_t i = 0; i < *ret_n; i++) {
		ret[i].name = names[i];
		ret[i].schema = ag_str_split(&ret[i].name, '.');
	}
	return ret;
}

static ag_sql_relation_kind kind_of(char c)
{
	switch (c) {
	case 'p': return AG_SQL_PARTITIONED;
	case 'v': return AG_SQL_VIEW;
	case 'm': return AG_SQL_MATVIEW;
	case 'f': return AG_SQL_FOREIGN;
	default: return AG_SQL_TABLE;
	}
}

/* The lists of a catalog while they are being filled. */
typedef struct shop_lists {
	ag_sql_relation relations[MAX_OBJECTS];
	ag_sql_function functions[MAX_OBJECTS];
	ag_sql_operator operators[MAX_OBJECTS];
	ag_sql_type types[MAX_OBJECTS];
	ag_sql_cast casts[MAX_OBJECTS];
	ag_sql_type_ref refs[MAX_OBJECTS];
	size_t nrelation, nfunction, noperator, ntype, ncast;
} shop_lists;

static ag_sql_name take_name(ag_str *line)
{
	ag_sql_name ret;

	ret.schema = ag_str_split(line, '|');
	ret.name = ag_str_split(line, '|');
	return ret;
}

/* An operator's name may have the sign that separates. */
static ag_sql_name last_name(ag_str line)
{
	const ag_str schema = ag_str_split(&line, '|');

	return (ag_sql_name){ schema, line };
}

static void take_relation(ag_str line, ag_arena *arena, ag_sql_relation *ret)
{
	ret->kind = kind_of(ag_str_split(&line, '|').ptr[0]);
	ret->name = take_name(&line);
	ret->columns = split_names(ag_str_split(&line, '|'), arena, &ret->ncolumn);
	ret->reads = split_qualified(ag_str_split(&line, '|'), arena, &ret->nread);
	ret->parents = split_qualified(line, arena, &ret->nparent);
}

/* The file tells of no numbers: a type's is made from its place, and its cast is one to text. */
static void take_type(ag_str line, ag_arena *arena, shop_lists *l)
{
	ag_sql_type *ret = &l->types[l->ntype];

	ret->kind = ag_str_split(&line, '|').ptr[0];
	ret->name = take_name(&line);
	ret->attributes = split_names(ag_str_split(&line, '|'), arena, &ret->nattribute);
	ret->oid = FIRST_OID + (uint32_t)l->ntype;
	l->refs[l->ntype] = (ag_sql_type_ref){ .oid = ret->oid, .index = l->ntype };
	l->ntype++;
	if (ag_str_eqc(line, "cast"))
		l->casts[l->ncast++] = (ag_sql_cast){ .source = 25,
			                              .target = ret->oid,
			                              .function = { AG_S("public"),
			                                            AG_S("evil_in") } };
}

static void take_object(ag_str line, ag_arena *arena, shop_lists *l)
{
	const ag_str what = ag_str_split(&line, '|');

	if (ag_str_eqc(what, "function"))
		l->functions[l->nfunction++].name = last_name(line);
	else if (ag_str_eqc(what, "operator"))
		l->operators[l->noperator++].name = last_name(line);
	else if (ag_str_eqc(what, "relation"))
		take_relation(line, arena, &l->relations[l->nrelation++]);
	else if (ag_str_eqc(what, "type"))
		take_type(line, arena, l);
	else
		fail_msg("shop.catalog: %.*s", AG_FMT(what));
	assert_true(l->nrelation < MAX_OBJECTS && l->nfunction < MAX_OBJECTS &&
	            l->noperator < MAX_OBJECTS && l->ntype < MAX_OBJECTS);
}

const ag_sql_catalog *guard_shop(void)
{
	static ag_sql_catalog shop;
	static ag_arena *arena;
	shop_lists *l;
	ag_str rest;

	if (arena)
		return &shop;
	arena = ag_arena_new();
	l = ag_new(arena, shop_lists);
	rest = guard_read_file("shop.catalog", arena);
	while (rest.len)
		take_object(ag_str_split(&rest, '\n'), arena, l);
	shop = (ag_sql_catalog){ .epoch = 1,
		                 .server = 150000,
		                 .database = AG_S("shop"),
		                 .relations = l->relations,
		                 .nrelation = l->nrelation,
		                 .functions = l->functions,
		                 .nfunction = l->nfunction,
		                 .operators = l->operators,
		                 .noperator = l->noperator,
		                 .types = l->types,
		                 .ntype = l->ntype,
		                 .casts = l->casts,
		                 .ncast = l->ncast,
		                 .type_refs = l->refs,
		                 .ntype_ref = l->ntype };
	return &shop;
}
