/* schema -- rules as a MongoDB validator and as a JSON Schema.
 *
 * The two differ in the names of types, in exclusive bounds ($jsonSchema is draft 4), and in what they do with a finding that
 * no keyword holds: a validator takes its filter into $nor, a JSON Schema the translation of it into allOf. A validator uses
 * the keywords that Azure Cosmos DB for MongoDB (vCore) knows: no title, not, allOf, anyOf, additionalProperties, and no "number". */
#include "export/rules.h"

typedef struct writer {
	const ag_export *rules;
	ag_arena *arena;
	ag_jw w;
	bool is_mongo;
} writer;

static void value(writer *s, const ag_val *v)
{
	ag_jw_raw(&s->w, ag_extjson_str(s->arena, v, AG_EXTJSON_RELAXED));
}

/* --- types --- */

/* Of a CSV file a tool may load dates, booleans and empty cells as texts. */
static unsigned kinds_of(const writer *s, const ag_export_node *n)
{
	const unsigned texts = AG_KIND_DATE | AG_KIND_BOOL | (s->is_mongo ? AG_KIND_NULL : 0);

	return n->kinds | (s->rules->is_csv && n->kinds & texts ? (unsigned)AG_KIND_TEXT : 0);
}

static void names(writer *s, const char *key, const char *list)
{
	ag_str rest = ag_str_c(list);

	ag_jw_kkey(&s->w, key);
	if (!ag_str_contains(rest, AG_S(" "))) {
		ag_jw_str(&s->w, rest);
		return;
	}
	ag_jw_arr(&s->w);
	while (rest.len)
		ag_jw_str(&s->w, ag_str_split(&rest, ' '));
	ag_jw_arr_end(&s->w);
}

static void list_kinds(const char *const *of_kind, unsigned kinds, ag_buf *out)
{
	for (unsigned i = 0; i <= 9; i++) {
		/* Where fractions are right, whole numbers are. */
		if (!(kinds & 1u << i) || !of_kind[i] || (i == 0 && (kinds & AG_KIND_FLOAT)))
			continue;
		if (out->len)
			ag_buf_addc(out, ' ');
		ag_buf_adds(out, of_kind[i]);
	}
}

static void mongo_types(writer *s, unsigned kinds)
{
	static const char *const aliases[] = {
		"int long", "double int long", "string",  "bool",   "null",
		"date",     "objectId",        "decimal", "object", "array"
	};
	ag_buf list = AG_BUF_INIT(1024);

	if (!(kinds & AG_KIND_OTHER)) {
		list_kinds(aliases, kinds, &list);
		ag_buf_addc(&list, '\0');
		names(s, "bsonType", list.ptr);
	}
	ag_buf_release(&list);
}

/* Dates and ids have their form as extended JSON, too. */
static void json_types(writer *s, unsigned kinds)
{
	static const char *const types[] = { "integer", "number", "string", "boolean", "null",
		                             NULL,      NULL,     NULL,     "object",  "array" };
	static const char *const refs[] = { "#/$defs/date", "#/$defs/objectId", "#/$defs/decimal" };
	ag_buf list = AG_BUF_INIT(1024);

	if (kinds & AG_KIND_OTHER)
		return;
	list_kinds(types, kinds, &list);
	ag_buf_addc(&list, '\0');
	if (!(kinds & (AG_KIND_DATE | AG_KIND_OID | AG_KIND_DECIMAL))) {
		names(s, "type", list.ptr);
	} else {
		ag_jw_kkey(&s->w, "anyOf");
		ag_jw_arr(&s->w);
		if (list.len > 1) {
			ag_jw_obj(&s->w);
			names(s, "type", list.ptr);
			ag_jw_obj_end(&s->w);
		}
		for (unsigned i = 0; i < AG_NELEM(refs); i++)
			if (kinds & (unsigned)AG_KIND_DATE << i) {
				ag_jw_obj(&s->w);
				ag_jw_kstr(&s->w, "$ref", ag_str_c(refs[i]));
				ag_jw_obj_end(&s->w);
			}
		ag_jw_arr_end(&s->w);
	}
	ag_buf_release(&list);
}

/* --- one field --- */

static void bound(writer *s, const ag_bound *b, const char *key, const char *open_key)
{
	if (b->value.type == AG_T_MISSING)
		return;
	ag_jw_kkey(&s->w, b->is_open && !s->is_mongo ? open_key : key);
	value(s, &b->value);
	if (b->is_open && s->is_mongo)
		ag_jw_kbool(&s->w, open_key, true);
}

static void wrong_values(writer *s, const ag_export_node *n)
{
	const ag_val list = ag_val_array(n->wrong, n->nwrong);

	ag_jw_kkey(&s->w, "not");
	ag_jw_obj(&s->w);
	ag_jw_kkey(&s->w, "enum");
	value(s, &list);
	ag_jw_obj_end(&s->w);
}

static void wrong_texts(writer *s, const ag_export_node *n)
{
	ag_jw_kkey(&s->w, "allOf");
	ag_jw_arr(&s->w);
	for (size_t i = 0; i < n->nbroken; i++) {
		ag_jw_obj(&s->w);
		ag_jw_kkey(&s->w, "not");
		ag_jw_obj(&s->w);
		ag_jw_kstr(&s->w, "type", AG_S("string"));
		ag_jw_kstr(&s->w, "pattern", n->broken[i]);
		ag_jw_obj_end(&s->w);
		ag_jw_obj_end(&s->w);
	}
	ag_jw_arr_end(&s->w);
}

static void notes(writer *s, const ag_export_node *n)
{
	ag_buf text = AG_BUF_INIT(64 * 1024);

	for (size_t i = 0; i < n->nnote; i++)
		ag_buf_addf(&text, "%s%.*s", i ? "; " : "", AG_FMT(n->note[i]));
	if (text.len)
		ag_jw_kstr(&s->w, "description", ag_buf_view(&text));
	ag_buf_release(&text);
}

static void members(writer *s, const ag_export_node *n);

static void object_members(writer *s, const ag_export_node *n)
{
	const ag_export_node *k, *all = NULL;
	bool some = false;

	for (k = n->kids; k; k = k->next) {
		some = some || k->is_required;
		all = ag_str_eqc(k->name, "*") ? k : all;
	}
	if (some) {
		ag_jw_kkey(&s->w, "required");
		ag_jw_arr(&s->w);
		for (k = n->kids; k; k = k->next)
			if (k->is_required)
				ag_jw_str(&s->w, k->name);
		ag_jw_arr_end(&s->w);
	}
	if (all && s->is_mongo)
		return;
	if (all) {
		ag_jw_kkey(&s->w, "additionalProperties");
		ag_jw_obj(&s->w);
		members(s, all);
		ag_jw_obj_end(&s->w);
		return;
	}
	if (!n->kids)
		return;
	ag_jw_kkey(&s->w, "properties");
	ag_jw_obj(&s->w);
	for (k = n->kids; k; k = k->next) {
		ag_jw_key(&s->w, k->name);
		ag_jw_obj(&s->w);
		members(s, k);
		ag_jw_obj_end(&s->w);
	}
	ag_jw_obj_end(&s->w);
}

static void rules_of(writer *s, const ag_export_node *n)
{
	if (s->is_mongo)
		mongo_types(s, kinds_of(s, n));
	else
		json_types(s, kinds_of(s, n));
	bound(s, &n->min, "minimum", "exclusiveMinimum");
	bound(s, &n->max, "maximum", "exclusiveMaximum");
	if (n->only) {
		const ag_val list = ag_val_array(n->only, n->nonly);

		ag_jw_kkey(&s->w, "enum");
		value(s, &list);
	}
	if (n->nwrong && !s->is_mongo)
		wrong_values(s, n);
	if (n->nbroken && !s->is_mongo)
		wrong_texts(s, n);
	if (n->kinds & AG_KIND_OBJECT)
		object_members(s, n);
}

static void members(writer *s, const ag_export_node *n)
{
	/* An empty cell of a CSV file may arrive as an empty text. */
	const bool may_be_empty = !s->is_mongo && s->rules->is_csv && n->kinds & AG_KIND_NULL;

	notes(s, n);
	if (!may_be_empty) {
		rules_of(s, n);
		return;
	}
	ag_jw_kkey(&s->w, "anyOf");
	ag_jw_arr(&s->w);
	ag_jw_obj(&s->w);
	rules_of(s, n);
	ag_jw_obj_end(&s->w);
	ag_jw_obj(&s->w);
	ag_jw_kkey(&s->w, "enum");
	ag_jw_arr(&s->w);
	ag_jw_str(&s->w, AG_S(""));
	ag_jw_arr_end(&s->w);
	ag_jw_obj_end(&s->w);
	ag_jw_arr_end(&s->w);
}

/* --- the whole --- */

static void left_out(const ag_export *r, const ag_export_rule *rule, const char *why,
                     ag_arena *arena, ag_str *list, size_t *n)
{
	list[(*n)++] = ag_str_printf(arena, "%.*s: %.*s, %.*s: %s", AG_FMT(r->collection),
	                             AG_FMT(rule->field), AG_FMT(rule->title), why);
}

static ag_str about(const ag_export *r, ag_arena *arena)
{
	return ag_str_printf(arena,
	                     "Made by argus %.*s from run %.*s of %.*s, %llu of %llu documents.",
	                     AG_FMT(r->argus), AG_FMT(r->run), AG_FMT(r->run_at),
	                     (unsigned long long)r->surveyed, (unsigned long long)r->documents);
}

void ag_export_validator(const ag_export *r, ag_arena *arena, ag_buf *out, ag_str **ret_left_out,
                         size_t *ret_n)
{
	writer s = { .rules = r, .arena = arena, .is_mongo = true };
	size_t nfilter = 0;

	*ret_left_out = ag_new_n(arena, ag_str, r->nrule + 1);
	*ret_n = 0;
	ag_jw_init(&s.w, out, 2);
	ag_jw_obj(&s.w);
	ag_jw_kkey(&s.w, "$jsonSchema");
	ag_jw_obj(&s.w);
	ag_jw_kstr(&s.w, "description", about(r, arena));
	rules_of(&s, r->root);
	ag_jw_obj_end(&s.w);
	for (size_t i = 0; i < r->nrule; i++) {
		const ag_export_rule *rule = &r->rules[i];

		if (!rule->filter)
			left_out(r, rule, "a rule about several documents", arena, *ret_left_out,
			         ret_n);
		if (!rule->filter || (rule->is_in_schema && !rule->is_negative))
			continue;
		if (!nfilter++) {
			ag_jw_kkey(&s.w, "$nor");
			ag_jw_arr(&s.w);
		}
		value(&s, &rule->evidence);
	}
	if (nfilter)
		ag_jw_arr_end(&s.w);
	ag_jw_obj_end(&s.w);
	ag_buf_addc(out, '\n');
}

static void definition(ag_jw *w, const char *name, const char *member, bool text_too)
{
	ag_jw_kkey(w, name);
	ag_jw_obj(w);
	if (text_too) {
		ag_jw_kkey(w, "anyOf");
		ag_jw_arr(w);
		ag_jw_obj(w);
		ag_jw_kstr(w, "type", AG_S("string"));
		ag_jw_obj_end(w);
		ag_jw_obj(w);
	}
	ag_jw_kstr(w, "type", AG_S("object"));
	ag_jw_kkey(w, "required");
	ag_jw_arr(w);
	ag_jw_str(w, ag_str_c(member));
	ag_jw_arr_end(w);
	if (text_too) {
		ag_jw_obj_end(w);
		ag_jw_arr_end(w);
	}
	ag_jw_obj_end(w);
}

void ag_export_jsonschema(const ag_export *r, ag_arena *arena, ag_buf *out, ag_str **ret_left_out,
                          size_t *ret_n)
{
	writer s = { .rules = r, .arena = arena };
	size_t nfilter = 0;

	*ret_left_out = ag_new_n(arena, ag_str, r->nrule + 1);
	*ret_n = 0;
	ag_jw_init(&s.w, out, 2);
	ag_jw_obj(&s.w);
	ag_jw_kstr(&s.w, "$schema", AG_S("https://json-schema.org/draft/2020-12/schema"));
	ag_jw_kstr(&s.w, "title", r->collection);
	ag_jw_kstr(&s.w, "description", about(r, arena));
	rules_of(&s, r->root);
	for (size_t i = 0; i < r->nrule; i++) {
		const ag_export_rule *rule = &r->rules[i];

		if (!rule->filter || (!rule->is_in_schema && !ag_filter_has_schema(rule->filter)))
			left_out(r, rule,
			         rule->filter ? "JSON Schema cannot compare this"
			                      : "a rule about several documents",
			         arena, *ret_left_out, ret_n);
		else if (!rule->is_in_schema) {
			if (!nfilter++) {
				ag_jw_kkey(&s.w, "allOf");
				ag_jw_arr(&s.w);
			}
			ag_jw_obj(&s.w);
			ag_jw_kstr(&s.w, "description",
			           ag_str_printf(arena, "%.*s: %.*s", AG_FMT(rule->field),
			                         AG_FMT(rule->description)));
			ag_jw_kkey(&s.w, "not");
			ag_jw_obj(&s.w);
			ag_filter_schema(rule->filter, arena, &s.w);
			ag_jw_obj_end(&s.w);
			ag_jw_obj_end(&s.w);
		}
	}
	if (nfilter)
		ag_jw_arr_end(&s.w);
	ag_jw_kkey(&s.w, "$defs");
	ag_jw_obj(&s.w);
	definition(&s.w, "date", "$date", true);
	definition(&s.w, "objectId", "$oid", true);
	definition(&s.w, "decimal", "$numberDecimal", false);
	ag_jw_obj_end(&s.w);
	ag_jw_obj_end(&s.w);
	ag_buf_addc(out, '\n');
}
