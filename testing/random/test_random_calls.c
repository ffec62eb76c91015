/*
 * Calls the entries with LAPACK's arguments, in all forms of batches, with random arguments, a
 * third of them wrong. Checks the results, and that nothing but the documented elements is written.
 *
 *     test_random_calls [CALLS [SEED]]
 */
#include "arguments.h"
#include "pool.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct call *const tables[] = {calls_s, calls_d, calls_c, calls_z};

static int entries(const struct call *table)
{
    int number = 0;
    while (table[number].name != NULL)
        number++;
    return number;
}

/* Makes one call with LAPACK's arguments. Returns whether there is a fault, after a message. */
static bool call_typed(long number)
{
    startile_dtype dtype = (startile_dtype)draw(4);
    const struct call *table = tables[dtype], *call = &table[draw(entries(table))];
    int wrong = draw_arguments(call, dtype);
    int64_t result = call->run();
    const char *fault = check_result(call, result, wrong);
    if (fault != NULL)
        printf("call %ld, %s(%s): returns %" PRId64 ", first wrong argument %d: %s\n"
               "m %" PRId64 " n %" PRId64 " k %" PRId64 " nrhs %" PRId64 " count %" PRId64 "\n",
               number, call->name, call->arguments, result, wrong, fault, m[0], n[0], k[0], nrhs[0],
               count);
    free_arguments();
    return fault != NULL;
}

/* Returns whether gesv still solves a system, whose solution is 1. */
static bool is_usable(void)
{
    enum { N = 20 };
    double a[N * N], b[N], error = 0;
    int64_t ipiv[N];
    for (int i = 0; i < N; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++)
            b[i] += a[i + j * N] = 1.0 / (1 + i + 2 * j) + (i == j);
    }
    int64_t info = startile_dgesv(N, 1, a, N, ipiv, b, N);
    for (int i = 0; i < N; i++)
        error = fmax(error, fabs(b[i] - 1));
    return info == 0 && error < 1e-12;
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 100000, faults = 0;
    draw_seed(argc > 2 ? (uint64_t)atol(argv[2]) : 1);
    if (startile_init(NULL) != 0)
        return 1;
    for (long i = 0; i < calls && faults < 10; i++) {
        faults += i % 2 == 0   ? call_typed(i)
                  : i % 4 == 1 ? call_matrices(i / 4)
                               : call_batches(i / 4);
        if (i % 500 == 499 && !is_usable()) {
            printf("after call %ld: gesv fails\n", i);
            faults++;
        }
    }
    faults += finish_matrices() + finish_batches();
    startile_finalize();
    printf("%ld calls, %ld faults\n", calls, faults);
    return faults != 0;
}
