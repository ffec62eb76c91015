/*
 * mpirun -n P -x LD_PRELOAD=libstartile_scalapack.so time_crossovers LIBRARY ROUTINE TYPE BLOCK
 * N...: times a routine of the machine's ScaLAPACK, LIBRARY, and the preloaded one in turn, on
 * square matrices of each order N with as many right-hand sides. Prints medians, and the first N
 * for which startile is faster as a line of the file `crossovers`, 0 if there is none.
 * STARTILE_LAPACK_MIN=0 and STARTILE_NB choose startile for all calls.
 */
#define _GNU_SOURCE
#include "scalar.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A routine by its name for real types. arguments: a letter for each, in ScaLAPACK's order:
 *   u uplo   t trans   d diag   s side   n order, rows, columns, reflectors or right-hand sides
 *   A B matrices with indices and descriptor   p ipiv   T tau   w work   L lwork   k iwork
 *   K liwork   x rwork and X lrwork, of complex types only   i info */
struct scalapack_routine {
    const char *name, *arguments;
};

static const struct scalapack_routine routines[] = {
    {"potrf", "unAi"},       {"potri", "unAi"},        {"posv", "unnABi"},   {"potrs", "unnABi"},
    {"trtri", "udnAi"},      {"getrf", "nnApi"},       {"gesv", "nnApBi"},   {"getrs", "tnnApBi"},
    {"getri", "nApwLkKi"},   {"geqrf", "nnATwLi"},     {"gelqf", "nnATwLi"}, {"orgqr", "nnnATwLi"},
    {"geqpf", "nnApTwLxXi"}, {"ormqr", "stnnnATBwLi"}, {"gels", "tnnnABwLi"}};

enum {
    ROUTINES = sizeof routines / sizeof *routines,
    OURS = 0,
    MACHINE = 1,
    SIDES = 2,
    REPEATS = 5,
    MOST_ARGUMENTS = 20
};
static const double least_gain = 1.1;

/* The process grid, the type, and the operands of order n */
static int context, p, q, row, col, nb, n, lwork, liwork, info, descriptor[9];
static startile_dtype dtype;
static char *original, *a, *b, *tau, *work;
static int *pivots, *iwork;

typedef void routine_function();

/* Returns a function of the library. Ends the program if it is missing. */
static routine_function *find_function(void *library, const char *name)
{
    union {
        void *object;
        routine_function *function;
    } found = {dlsym(library, name)};
    if (found.object == NULL) {
        fprintf(stderr, "no %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return found.function;
}

/* Returns how many of n indices the process `mine` of `count` has. (ScaLAPACK NUMROC) */
static int local_extent(int mine, int count)
{
    int blocks = n / nb, own = blocks / count * nb, rest = blocks % count;
    return own + (mine < rest ? nb : mine == rest ? n % nb : 0);
}

/* Returns the global index of a local one. */
static int global_index(int local, int mine, int count)
{
    return (local / nb * count + mine) * nb + local % nb;
}

/* Allocates the operands. The original has small random elements, and 2 on the diagonal: a definite
 * matrix, a triangle, LU factors and reflectors; all of them well-conditioned. */
static void allocate_operands(void)
{
    int rows = local_extent(row, p), columns = local_extent(col, q);
    size_t leading = rows > 1 ? (size_t)rows : 1, size = dtype_size(dtype);
    size_t bytes = leading * (size_t)(columns > 0 ? columns : 1) * size;
    unsigned random = 1 + (unsigned)(row + p * col);
    lwork = 4 * n * nb + 4 * nb * nb + 8 * n;
    liwork = 4 * n + 8 * nb;
    original = malloc(bytes), a = malloc(bytes), b = malloc(bytes);
    tau = malloc((size_t)(n + nb) * size), work = malloc((size_t)lwork * size);
    pivots = malloc((size_t)(n + 2 * nb) * sizeof *pivots);
    iwork = malloc((size_t)liwork * sizeof(double)); /* also RWORK */
    if (!original || !a || !b || !tau || !work || !pivots || !iwork)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            bool is_diagonal = global_index(i, row, p) == global_index(j, col, q);
            random = random * 1664525u + 1013904223u;
            element_set(dtype, original, (size_t)i + (size_t)j * leading,
                        is_diagonal ? 2 : (double)(random >> 8) / (1 << 24) / n);
        }
    int values[] = {1, context, n, n, nb, nb, 0, 0, (int)leading};
    memcpy(descriptor, values, sizeof descriptor);
}

static void free_operands(void)
{
    free(original), free(a), free(b), free(tau), free(work), free(pivots), free(iwork);
}

static void restore_operands(void)
{
    int rows = local_extent(row, p), columns = local_extent(col, q);
    size_t bytes = (size_t)rows * (size_t)columns * dtype_size(dtype);
    memcpy(a, original, bytes);
    memcpy(b, original, bytes);
    for (int j = 0; j < columns; j++)
        element_set(dtype, tau, (size_t)j, 0.5);
    for (int i = 0; i < rows; i++)
        pivots[i] = global_index(i, row, p) + 1;
}

/* Stores the addresses of an argument, four for a matrix. Returns their number. */
static int store_addresses(void **address, char letter)
{
    static char uplo[] = "L", diag[] = "N", side[] = "L", trans[] = "N";
    static int one = 1;
    void *const addresses[128] = {['u'] = uplo,    ['d'] = diag,  ['s'] = side,    ['t'] = trans,
                                  ['n'] = &n,      ['A'] = a,     ['B'] = b,       ['p'] = pivots,
                                  ['T'] = tau,     ['w'] = work,  ['L'] = &lwork,  ['k'] = iwork,
                                  ['K'] = &liwork, ['x'] = iwork, ['X'] = &liwork, ['i'] = &info};
    if ((letter == 'x' || letter == 'X') && !dtype_is_complex(dtype))
        return 0;
    address[0] = addresses[(unsigned char)letter];
    if (letter != 'A' && letter != 'B')
        return 1;
    address[1] = address[2] = &one;
    address[3] = descriptor;
    return 4;
}

/* Returns the seconds of one call on all processes. The lengths of the letters, 1, are behind the
 * arguments. */
static double time_call(routine_function *f, const struct scalapack_routine *r)
{
    void *x[MOST_ARGUMENTS + 3];
    int count = 0;
    for (const char *c = r->arguments; *c != '\0'; c++)
        count += store_addresses(x + count, *c);
    while (count < MOST_ARGUMENTS)
        x[count++] = (void *)(uintptr_t)1;
    restore_operands();
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    f(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14],
      x[15], x[16], x[17], x[18], x[19]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (info != 0) {
        fprintf(stderr, "%s: info %d\n", r->name, info);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return MPI_Wtime() - began;
}

static int by_value(const void *x, const void *y)
{
    double u = *(const double *)x, v = *(const double *)y;
    return (u > v) - (u < v);
}

/* Prints the medians of both sides. Returns whether startile is faster. */
static bool compare(routine_function *const f[SIDES], const struct scalapack_routine *r)
{
    double times[SIDES][REPEATS];
    allocate_operands();
    for (int side = 0; side < SIDES; side++)
        time_call(f[side], r);
    for (int i = 0; i < REPEATS; i++)
        for (int side = 0; side < SIDES; side++)
            times[side][i] = time_call(f[side], r);
    free_operands();
    for (int side = 0; side < SIDES; side++)
        qsort(times[side], REPEATS, sizeof *times[side], by_value);
    double ours = times[OURS][REPEATS / 2], machine = times[MACHINE][REPEATS / 2];
    MPI_Bcast(&ours, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&machine, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (row == 0 && col == 0)
        printf("# %d: ScaLAPACK %.4g, %.4g to %.4g s; startile %.4g, %.4g to %.4g s\n", n, machine,
               times[MACHINE][0], times[MACHINE][REPEATS - 1], ours, times[OURS][0],
               times[OURS][REPEATS - 1]);
    return machine >= least_gain * ours;
}

/* Makes the most square process grid with p <= q. */
static void make_grid(void *library)
{
    int processes, zero = 0, all = -1;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    for (p = 1; (p + 1) * (p + 1) <= processes;)
        p++;
    while (processes % p != 0)
        p--;
    q = processes / p;
    find_function(library, "blacs_get_")(&all, &zero, &context);
    find_function(library, "blacs_gridinit_")(&context, "R", &p, &q, (size_t)1);
    find_function(library, "blacs_gridinfo_")(&context, &p, &q, &row, &col);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    void *library = argc > 5 ? dlopen(argv[1], RTLD_NOW) : NULL;
    const struct scalapack_routine *r = routines;
    while (argc > 5 && r < routines + ROUTINES && strcmp(r->name, argv[2]) != 0)
        r++;
    if (library == NULL || r == routines + ROUTINES || !dtype_from_letter(argv[3][0], &dtype)) {
        fprintf(stderr, "usage: time_crossovers LIBRARY ROUTINE TYPE BLOCK N...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    nb = atoi(argv[4]);
    make_grid(library);
    char name[32];
    bool is_unitary = r->name[0] == 'o' && dtype_is_complex(dtype);
    snprintf(name, sizeof name, "p%c%s%s_", dtype_letter(dtype), is_unitary ? "un" : "",
             r->name + (is_unitary ? 2 : 0));
    routine_function *const f[] = {find_function(RTLD_DEFAULT, name), find_function(library, name)};
    int found = 0;
    for (int i = 5; i < argc && found == 0; i++) {
        n = atoi(argv[i]);
        found = compare(f, r) ? n : 0;
    }
    if (row == 0 && col == 0)
        printf("p%s@%d %c cpu %d\n", r->name, p * q, dtype_letter(dtype), found);
    MPI_Finalize();
}
