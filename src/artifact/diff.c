/* diff -- longest common subsequence, after what both begin and end with was taken away. */
#include "artifact/diff.h"

#define MAX_CELLS (16u << 20) /* of the table: 4,000 by 4,000 lines */

static size_t lines_of(ag_str text, ag_arena *arena, ag_str **ret)
{
	size_t n = 1, k = 0;
	ag_str *list;

	for (size_t i = 0; i < text.len; i++)
		n += text.ptr[i] == '\n';
	list = ag_new_n(arena, ag_str, n);
	while (text.ptr && text.len)
		list[k++] = ag_str_split(&text, '\n');
	*ret = list;
	return k;
}

typedef struct differ {
	const ag_str *a, *b;
	size_t na, nb;
	ag_diff_line *out;
	size_t n;
} differ;

static void put(differ *d, char mark, ag_str text)
{
	d->out[d->n++] = (ag_diff_line){ mark, text };
}

static void compare(differ *d, ag_arena *arena)
{
	const size_t w = d->nb + 1;
	unsigned *longest;
	size_t i = 0, k = 0;

	if ((d->na + 1) > MAX_CELLS / w) {
		for (i = 0; i < d->na; i++)
			put(d, '-', d->a[i]);
		for (k = 0; k < d->nb; k++)
			put(d, '+', d->b[k]);
		return;
	}
	longest = ag_new_n(arena, unsigned, (d->na + 1) * w);
	for (size_t x = d->na; x-- > 0;) {
		for (size_t y = d->nb; y-- > 0;) {
			const unsigned down = longest[(x + 1) * w + y],
				       right = longest[x * w + y + 1];

			longest[x * w + y] = ag_str_eq(d->a[x], d->b[y])
			                             ? longest[(x + 1) * w + y + 1] + 1
			                     : down > right ? down
			                                    : right;
		}
	}
	while (i < d->na || k < d->nb) {
		if (i < d->na && k < d->nb && ag_str_eq(d->a[i], d->b[k])) {
			put(d, ' ', d->a[i++]);
			k++;
		} else if (i < d->na &&
		           (k == d->nb || longest[(i + 1) * w + k] >= longest[i * w + k + 1])) {
			put(d, '-', d->a[i++]);
		} else {
			put(d, '+', d->b[k++]);
		}
	}
}

size_t ag_diff_lines(ag_str a, ag_str b, ag_arena *arena, ag_diff_line **ret)
{
	ag_str *x, *y;
	const size_t nx = lines_of(a, arena, &x), ny = lines_of(b, arena, &y);
	differ d = { .out = ag_new_n(arena, ag_diff_line, nx + ny + 1) };
	size_t same = 0, end = 0;

	while (same < nx && same < ny && ag_str_eq(x[same], y[same]))
		put(&d, ' ', x[same++]);
	while (end < nx - same && end < ny - same && ag_str_eq(x[nx - end - 1], y[ny - end - 1]))
		end++;
	d.a = x + same;
	d.b = y + same;
	d.na = nx - same - end;
	d.nb = ny - same - end;
	compare(&d, arena);
	for (size_t i = nx - end; i < nx; i++)
		put(&d, ' ', x[i]);
	*ret = d.out;
	return d.n;
}
