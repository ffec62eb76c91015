#include "dag.h"

#include <stdlib.h>

char case_text[200];

void require_at(bool condition, const char *text, const char *file, int line)
{
    if (!condition) {
        print_error("in case: %s\n", case_text);
        _assert_true(0, text, file, line);
    }
}

int64_t elements(int64_t tiles)
{
    return tiles == 0 ? 0 : tiles * NB - 3;
}

startile_matrix *square(startile_dtype dtype, int64_t tiles)
{
    return fake_matrix(dtype, elements(tiles), elements(tiles), NB, NB);
}

startile_matrix *shaped(int shape, int64_t rows, int64_t columns)
{
    int64_t m = elements(rows), tall = m > 0 ? m : 1;
    return fake_matrix(STARTILE_Z, m, elements(columns),
                       shape == 0   ? NB
                       : shape == 1 ? 2 * NB
                                    : tall,
                       NB);
}

bool is_column(column c, const startile_matrix *A, int64_t j, int64_t row, int64_t rows)
{
    return c.A == A && c.j == j && c.row == row && c.rows == rows;
}

int64_t block_rows(const startile_matrix *A, int64_t k)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t count = s.m < s.n ? s.m : s.n;
    return count - k * NB < NB ? count - k * NB : NB;
}

bool is_task(const struct record *r)
{
    return r->kind < KINDS;
}

/* -- dependences ----------------------------------------------------------------------------- */

/* Tiles first … last − 1 of block column j of a matrix, panels of pivots, or candidates. */
struct access {
    const void *of;
    int64_t j, first, last;
    bool writes;
};
enum { MOST_ACCESSES = 12 };

static int add_tile(struct access *a, int count, tile t, bool writes)
{
    if (t.A != NULL)
        a[count++] = (struct access){t.A, t.j, t.i, t.i + 1, writes};
    return count;
}

static int add_column(struct access *a, int count, column c, bool writes)
{
    if (c.A == NULL || c.rows <= 0)
        return count;
    int64_t mb = startile_matrix_shape(c.A).mb;
    a[count++] = (struct access){c.A, c.j, c.row / mb, (c.row + c.rows - 1) / mb + 1, writes};
    return count;
}

static int accesses_of(const struct record *r, struct access *a)
{
    int count = add_tile(a, 0, r->written, true);
    count = add_tile(a, count, r->read[0], false);
    count = add_tile(a, count, r->read[1], false);
    count = add_column(a, count, r->column_written, true);
    count = add_column(a, count, r->also_written, true);
    count = add_column(a, count, r->column_read[0], false);
    count = add_column(a, count, r->column_read[1], false);
    if (r->P != NULL)
        a[count++] = (struct access){r->P, 0, r->first, r->last, r->writes_pivots};
    if (r->winners != NULL)
        a[count++] = (struct access){r->winners, 0, 0, 1, r->kind != ORDER};
    if (r->losers != NULL)
        a[count++] = (struct access){r->losers, 0, 0, 1, false};
    return count;
}

static bool conflict(const struct access *a, const struct access *b)
{
    return a->of == b->of && a->j == b->j && a->first < b->last && b->first < a->last &&
           (a->writes || b->writes);
}

bool depends(const struct record *b, const struct record *a)
{
    struct access of_a[MOST_ACCESSES], of_b[MOST_ACCESSES];
    int count_a = accesses_of(a, of_a), count_b = accesses_of(b, of_b);
    for (int i = 0; i < count_a; i++)
        for (int j = 0; j < count_b; j++)
            if (conflict(&of_a[i], &of_b[j]))
                return true;
    return false;
}

int longest_chain(void)
{
    int *length = calloc((size_t)record_count, sizeof *length), longest = 0;
    for (int b = 0; b < record_count; b++) {
        for (int a = 0; a < b && is_task(&records[b]); a++)
            if (is_task(&records[a]) && depends(&records[b], &records[a]) && length[a] > length[b])
                length[b] = length[a];
        length[b] += is_task(&records[b]);
        longest = length[b] > longest ? length[b] : longest;
    }
    free(length);
    return longest;
}

/* -- priorities ------------------------------------------------------------------------------ */

static bool is_panel(const struct record *r)
{
    return r->kind == POTRF || r->kind == GETRF || r->kind == GETRF_NOPIV || r->kind == GEQRF;
}

static bool is_ready(int task, const bool *done)
{
    for (int a = 0; a < task; a++)
        if (is_task(&records[a]) && !done[a] && depends(&records[task], &records[a]))
            return false;
    return true;
}

void check_priorities(int workers)
{
    bool *done = calloc((size_t)record_count, sizeof *done);
    for (;;) {
        int chosen[8], count = 0;
        while (count < workers) {
            int best = -1;
            for (int t = 0; t < record_count; t++) {
                bool taken = !is_task(&records[t]) || done[t];
                for (int c = 0; c < count; c++)
                    taken = taken || chosen[c] == t;
                if (!taken && is_ready(t, done) &&
                    (best < 0 || records[t].priority > records[best].priority))
                    best = t;
            }
            if (best < 0)
                break;
            chosen[count++] = best;
        }
        if (count == 0)
            break;
        for (int t = 0; t < record_count; t++)
            if (is_panel(&records[t]) && !done[t] && is_ready(t, done))
                require(records[t].priority >= records[chosen[0]].priority);
        for (int c = 0; c < count; c++)
            done[chosen[c]] = true;
    }
    for (int t = 0; t < record_count; t++)
        require(done[t] || !is_task(&records[t]));
    free(done);
}

/* -- records one by one ----------------------------------------------------------------------- */

const struct record *next_of(struct reader *in, enum kind kind)
{
    while (kind != HOME && in->at < record_count && records[in->at].kind == HOME)
        in->at++;
    require(in->at < record_count && records[in->at].kind == kind);
    return &records[in->at++];
}

void read_tiles(struct reader *in, enum kind kind, const startile_matrix *A)
{
    bool seen[DAG_TILES][DAG_TILES] = {{false}};
    startile_shape s = startile_matrix_shape(A);
    for (int64_t t = 0; t < s.mt * s.nt; t++) {
        const struct record *r = next_of(in, kind);
        require(r->written.A == A && !seen[r->written.i][r->written.j]);
        seen[r->written.i][r->written.j] = true;
    }
}

void check_homes(const startile_matrix *A)
{
    int homes[DAG_TILES][DAG_TILES] = {{0}};
    startile_shape s = startile_matrix_shape(A);
    for (int r = 0; r < record_count; r++) {
        column c = records[r].column_written;
        tile t = records[r].written;
        if (is_task(&records[r]) && t.A == A)
            require(homes[t.i][t.j] == 0);
        for (int64_t i = 0; i < s.mt && c.A == A; i++)
            require(homes[i][c.j] == 0 || (i + 1) * s.mb <= c.row || i * s.mb >= c.row + c.rows);
        if (records[r].kind == HOME && t.A == A)
            homes[t.i][t.j]++;
    }
    for (int64_t j = 0; j < s.nt; j++)
        for (int64_t i = 0; i < s.mt; i++)
            require(homes[i][j] == 1);
}
