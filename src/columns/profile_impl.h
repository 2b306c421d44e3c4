/* profile_impl -- what the profile's parts share. Internal to columns/profile*.c.
 *
 * profile_rows.c counts the values of one path into an ag_counted; profile_num.c, profile_str.c and
 * profile_values.c turn that into the numbers of an ag_path_profile. */
#ifndef AG_COLUMNS_PROFILE_IMPL_H
#define AG_COLUMNS_PROFILE_IMPL_H

#include "columns/profile.h"
#include "columns/tree.h"
#include "columns/valmap.h"

/* The values of one path. Numbers that are integers of 64 bits are in ints, whatever their type. */
typedef struct ag_counted {
	uint64_t by_type[AG_NTYPE];
	uint64_t ndoc, ndoc_null;
	uint64_t nfilled, filled_mark;          /* as in ag_path_profile */
	ag_u64_map ints, doubles, dates, sizes; /* int64 bits, double bits; sizes: of arrays */
	ag_text_map texts, oids;
	ag_any_map decimals, others;
	uint64_t nbool[2];
	uint64_t nbeyond53;
} ag_counted;

void ag_counted_release(ag_counted *c);
/* docs: count only these documents; NULL = all. */
AG_CHECK ag_status ag_profile_rows(const ag_table *t, const ag_ctx *ctx, const ag_bits *docs,
                                   const ag_node *node, ag_counted *ret, ag_err *err);
/* How the cells of a CSV are written whose views are dates: date.written, and the counts of str.day_first. */
void ag_profile_written(const ag_table *t, const ag_node *node, ag_path_profile *ret);
/* Decimals that equal an integer or a double are counted there; must be called after ag_profile_num(). */
void ag_profile_join_decimals(ag_counted *c);

/* Histograms live in arena. */
void ag_profile_num(const ag_counted *c, ag_arena *arena, ag_num_profile *ret);
/* dates: ms as int64 bits, in any order. */
void ag_profile_dates(const ag_u64_map *dates, ag_arena *arena, ag_date_profile *ret);
void ag_profile_arrays(const ag_counted *c, ag_arena *arena, ag_array_profile *ret);
/* Shapes and examples live in arena. */
AG_CHECK ag_status ag_profile_strings(const ag_counted *c, const ag_ctx *ctx, ag_arena *arena,
                                      ag_str_profile *ret, ag_err *err);
/* values, nscalar, ndistinct, nrepeated; the list lives in arena, strings are views into the table. */
void ag_profile_values(const ag_counted *c, ag_arena *arena, ag_path_profile *ret);

/* Nearest rank over values sorted by key; value_of turns a key into the number it stands for. */
void ag_profile_quantiles(const ag_u64_count *v, size_t n, double (*value_of)(uint64_t key),
                          ag_quantiles *ret);
double ag_profile_int_value(uint64_t key);
/* Bars over lengths and sizes: keys that are the values themselves. */
extern const ag_histogram_of ag_profile_of_ints;

#endif
