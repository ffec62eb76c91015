/*
 * Stands in for the codelets: every insert function of codelets.h writes down what it was asked
 * for, in order, and nothing runs. So the algorithms can be looked at without StarPU.
 */
#ifndef TESTING_RECORDER_H
#define TESTING_RECORDER_H

#include "codelets.h"

enum kind {
    POTRF,
    TRSM,
    HERK,
    GEMM,
    SCALE_GEMM, /* without factors */
    SCALE_HERK,
    LASET,
    LACPY,
    RANDOM,
    LANGE,
    LANSY,
    KINDS,
    /* these are no tasks */
    HOME,
    FORGET
};

struct record {
    enum kind kind;
    int64_t priority;
    tile written; /* or, for HOME, LANGE and LANSY, the tile */
    tile read[2];
    char side, uplo, diag, op, norm;
    startile_complex alpha, beta;
    double weight;
    int64_t part;      /* LANGE, LANSY */
    inverse *W;        /* made by POTRF, used by TRSM, released by FORGET */
    bool want_inverse; /* POTRF */
    bool by_inverse;   /* TRSM */
    bool after_info;   /* TRSM */
};

enum { MOST_RECORDS = 100000 };
extern struct record records[MOST_RECORDS];
extern int record_count;

void recorder_reset(void);
int count_of(enum kind kind);

/* A matrix of mt × nt tiles that nobody allocates; free() it. */
startile_matrix *fake_matrix(startile_dtype dtype, int64_t m, int64_t n, int64_t mb, int64_t nb);
/* Any request will do. */
startile_request *fake_request(void);

#endif
