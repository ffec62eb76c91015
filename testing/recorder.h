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
    GETRF,
    GETRF_NOPIV,
    TRSM_COLUMN,
    UPDATE,
    SUBSTITUTION,
    LASWP,
    LAPMT,
    GEMM_COLUMN,
    GEADD,
    SELECT,
    MATCH,
    ORDER,
    ZERO_CHECK,
    ESTIMATE, /* a step of the estimator: `step` */
    GEQRF,    /* T is `written` here and in the next three, and read[0] where it is only read */
    LARFT,
    TPQRT, /* R and B are column_written and also_written */
    LARFB, /* V is column_read[0] */
    TPMQRT,
    TRANSPOSE,
    COPY,
    LARGEST,
    TRMM,
    TRTRI,
    LASCL, /* `up` and `down`: whose largest elements scale */
    REAL_DIAGONAL,
    KINDS,
    /* these are no tasks */
    HOME,
    FORGET,
    FORGET_CANDIDATES,
    FORGET_MATRIX,
    STAGE
};

enum gate { NO_GATE, OPENS_GATE, BEHIND_GATE };

struct record {
    enum kind kind;
    int64_t priority;
    enum gate gate;
    tile written; /* or, for HOME, LANGE and LANSY, the tile */
    tile read[2];
    char side, uplo, diag, op, norm;
    startile_complex alpha, beta;
    double weight;
    const startile_matrix *up, *down; /* LASCL */
    int64_t part;                     /* LANGE, LANSY */
    inverse *W;                       /* made by POTRF, used by TRSM, released by FORGET */
    inverse *upper_W;                 /* GETRF_NOPIV */
    bool want_inverse;                /* POTRF, GETRF */
    bool by_inverse;                  /* TRSM */
    bool after_info;                  /* TRSM */
    /* block columns */
    column column_written, also_written, column_read[2];
    const startile_pivots *P; /* panels first … last − 1 */
    int64_t first, last;
    bool writes_pivots, backwards; /* LASWP: undoing */
    char trans;
    int64_t n; /* order of the triangle, or columns of a panel */
    candidates *winners, *losers;
    char step; /* of the estimator: '0' start, 's' sign, 'u' unit, 'a' alternating, 'e' end */
    const startile_matrix *forgotten;
};

enum { MOST_RECORDS = 100000 };
extern struct record records[MOST_RECORDS];
extern int record_count;

/* Tiles of a tile_range (tiles_from()); a record is one tile's all the same. */
extern int64_t recorder_tiles;

void recorder_reset(void);
int count_of(enum kind kind);

/* A matrix of mt × nt tiles that nobody allocates; free() it. */
startile_matrix *fake_matrix(startile_dtype dtype, int64_t m, int64_t n, int64_t mb, int64_t nb);
/* Pivots for a matrix of that shape; free() them. */
startile_pivots *fake_pivots(const startile_matrix *A);
/* Triangles for a matrix of that shape; startile_matrix_destroy() them. */
startile_matrix *fake_triangles(const startile_matrix *A);
/* Any request will do. */
startile_request *fake_request(void);

#endif
