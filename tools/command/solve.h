/*
 * What the parts of `startile solve` share.
 */
#ifndef SOLVE_H
#define SOLVE_H

#include "startile.h"

#include <stdbool.h>

/* METHOD_AUTO: Cholesky where A looks positive definite, LU where it is not. */
enum solve_method { METHOD_AUTO, METHOD_CHOLESKY, METHOD_LU };

/* The command line. */
struct solve_settings {
    const char *a_file, *b_file, *out_file, *trace_folder;
    int64_t random_order; /* of a random A; 0: A is in a file */
    enum solve_method method;
    int64_t refine; /* steps after LU */
    bool precision_given;
    startile_dtype dtype;
    char uplo;
    int64_t nb; /* 0: the library's choice */
};

/* A's file, or what stands for it in messages. */
const char *matrix_name(const struct solve_settings *s);

struct linear_system {
    startile_dtype dtype;
    int64_t n, nrhs;
    char words[64]; /* about A */
    void *a;        /* n × n; Cholesky overwrites a triangle, which is restored afterwards */
    void *diagonal; /* of A */
    void *b, *x;    /* n × nrhs */
    void *factors;  /* n × n, of LU; NULL without */
};

/* How it was solved. */
struct solution {
    enum solve_method method;
    char reason[96]; /* for LU where Cholesky might have been; else "" */
    int64_t mb, nb;
    double seconds;
    double rcond; /* reciprocal condition number; NaN: unknown */
};

/* Room for count elements; one at least, so that NULL always means failure, which was reported. */
void *elements(startile_dtype dtype, int64_t count);

/* solve_system.c: A, b and room for x. False after a report. */
bool system_read(const struct solve_settings *s, struct linear_system *p);
void system_free(struct linear_system *p);
/* x := b */
void system_reset(struct linear_system *p);
/* A, where Cholesky has overwritten the triangle uplo. */
void system_restore(struct linear_system *p, char uplo);

/* solve_library.c: 0, LAPACK's info, or a ::startile_error. */
int64_t run_library(const struct solve_settings *s, struct linear_system *p,
                    struct solution *solution);

#endif
