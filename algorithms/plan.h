/*
 * The plan of a routine, and the loop over the steps of a factorization by panels.
 *
 * If A fits the memory, its block columns are one block: step k factors panel k and updates all
 * block columns right of it. Otherwise they are cut into blocks that fit. A block begins with
 * left-looking steps, which update it by the panels of earlier blocks; the steps of its own panels
 * follow. Each block is transferred once, and so are, for each block, the panels before it
 * (Yamazaki, Tomov & Dongarra, section 4). With a journal, blocks are groups of a few block
 * columns.
 */
#ifndef STARTILE_PLAN_H
#define STARTILE_PLAN_H

#include "operations/insert.h"

/* Memory that a routine needs: the rows of the table in capacity.c */
enum working_set {
    POTRF,
    GETRF, /* LU, also without pivoting and with a tournament */
    GEQRF,
    GEQP3_RANDOM,    /* and geqp3_rank */
    WHOLE,           /* routines with column or diagonal pivoting, whose tasks work on all of A */
    TILE_PRODUCTS,   /* routines whose tasks work on three tiles, as C += A B */
    COLUMN_PRODUCTS, /* routines whose tasks work on block columns of two matrices */
    GELS_BY_PANELS,
    GELS_BY_TREE,
    GELSY,
    GETRI,
    SYTRS, /* solves with Bunch–Kaufman factors */
    SYTRI,
    SYTRF_AA,
    UNGQR,
    GELQF,
    UNGLQ
};

/* Equation by which the option verify checks a result (verify.h). */
enum equation { UNCHECKED, LLH, LU, QR, LDL, LTL, PRODUCT, SOLUTION };

typedef struct plan plan;
typedef struct step step;

/* Submits the tasks that factor the step's panel. Returns the inverse of the factor of the diagonal
 * block, or NULL. */
typedef inverse *panel_factorization(const step *s);

/* Operands, tasks and check of a routine */
struct plan {
    const char *name;             /* of the routine, for journals and reports */
    enum working_set working_set; /* memory of its tasks */
    enum equation equation;
    startile_matrix *A;          /* matrix that it overwrites */
    char uplo;                   /* triangle of A that it uses; 'G': all of A */
    bool ignores_A;              /* it does not read the old values of A */
    view V;                      /* A as the algorithm sees it; Cholesky: the triangle is lower */
    const startile_matrix *sums; /* checksums of A for `verify`, which a journal keeps, or NULL */
    startile_matrix *B; /* right-hand sides of gesv, gels, gelsy, which they overwrite, too */
    bool returns_tiles; /* its tasks return each tile of A to host memory when it is ready */
    bool (*submit)(context ctx, const plan *p); /* submits the tasks; false: the request failed */

    /* factorizations */
    int64_t panels;             /* number of panels */
    startile_pivots *P;         /* LU with pivoting, else NULL */
    panel_factorization *panel; /* LU */
    bool by_tournament;       /* LU: panels of several process rows choose pivots by a tournament */
    const startile_matrix *T; /* QR: triangles of the block reflectors */
    startile_permutation *permutation; /* QR with column pivoting, pivoted Cholesky; else NULL */
    const startile_symmetric_pivots *symmetric_pivots; /* Bunch–Kaufman factors; else NULL */
    const startile_matrix *band;        /* Aasen's factorization: band matrix T, and the */
    const startile_pivots *band_pivots; /* interchanges of its factors; else NULL */
    uint64_t seed;                      /* geqp3_random, geqp3_rank: of the sketch */
    double rcond;                       /* gelsy: bound of the rank */
    double *estimate;                   /* gelsy: 1 / condition of the rank's triangle, or NULL */
    double tol;                         /* pivoted Cholesky: limit for pivots; geqp3_rank */
    int64_t max_rank;                   /* geqp3_rank */
    int64_t *rank;                      /* of gelsy, pivoted Cholesky, geqp3_rank, a result */
    const startile_tree *tree;          /* QR by a tree */
    int refinements;                    /* gesv: number of refinement steps */
    bool is_triangular;   /* Cholesky: the tasks use only tiles on and below the diagonal of V */
    bool reuses_inverses; /* left-looking steps read the inverses, too, unless A has a journal */

    /* V := alpha left right + beta V, V := alpha left V, or V := alpha left^-1 V. The tiles of
     * `left` hold a matrix, or its factors (L and U, or L), or the reflectors of Q. */
    view left, right;
    const startile_pivots *interchanges; /* of the factors of LU that it uses, or NULL */
    startile_complex alpha, beta;
    char triangle, diag; /* triangle of left's matrix that it uses, and its diagonal */
    bool solves;         /* hegst: V := left^-1 V left^-H; else V := left^H V left */
    char op; /* of L U (getrs), Q (unmqr), A (gels); 'C' for hemm, herk, hetrf, 'T' for symm, syrk,
                sytrf; also of routines with their factors */
};

/* Returns whether p->triangle is lower in the view p->left. */
static inline bool is_lower_as_seen(const plan *p)
{
    return (p->triangle == 'L') == (p->left.op == 'N');
}

/* Carries out a routine: checks the memory, submits its tasks, the return of A's tiles to host
 * memory, and the check of the result. submit_plan() is for public routines: with level 2 of the
 * option verify the routine runs again after a wrong result. carry_out() does it once. Returns
 * false if the request has failed. (carry_out.c) */
void submit_plan(const plan *p, startile_request *request);
bool carry_out(context ctx, const plan *p);
/* Checks the arguments of a routine on the triangle uplo of A, and carries out p with them. In p.V
 * the triangle is lower. Returns 0 or −i. (carry_out.c) */
int submit_on_triangle(plan p, char uplo, startile_matrix *A, startile_request *request);

/* One step: the tasks of panel k on block columns first … last − 1. */
struct step {
    const plan *p;
    context panel, update; /* contexts for the tasks that factor the panel, and for the updates */
    int64_t k, first, last;
    bool has_panel;   /* the step factors the panel; otherwise it is left-looking */
    int64_t urgency;  /* highest priority of the step's tasks that are not critical() */
    inverse *W;       /* the panel's inverse from keep_inverse(), or NULL */
    bool is_complete; /* after the loop: all steps were submitted */
    /* -- of next_step() -- */
    context ctx;    /* of all steps */
    inverse **kept; /* inverses by panel; NULL before the loop has begun and after its end */
    int64_t block_first,
        block_last;   /* block columns of the block, or of the group with a journal */
    int64_t finished; /* with a journal: block columns that are recorded as finished */
    bool is_open;     /* the step has begun */
};

/* The loop over the steps of a factorization:
 *
 *     step s = first_step(ctx, p);
 *     while (next_step(&s)) { tasks of step s }
 *     if (s.is_complete) …
 *
 * next_step() ends the step before: it frees the step's temporaries and copies in other processes,
 * hints which tiles are idle, and returns finished tiles of Cholesky to host memory. It begins the
 * next block where one ends, which with a journal may wait for the disk. It returns false after the
 * last step, or if first_step() or the journal has failed; s.is_complete tells which. After another
 * failure of the request the loop goes on: the tasks of later steps do nothing. */
step first_step(context ctx, const plan *p);
bool next_step(step *s);

/* Stores W as the inverse of the step's panel, for this step and, with p->reuses_inverses, for the
 * left-looking steps of later blocks. */
void keep_inverse(step *s, inverse *W);

/* Returns the priority of a task on the tile or block column `distance` right of or below tile (k,
 * k). Left-looking tasks of a block have a lower priority than all tasks of earlier blocks. */
int64_t priority_at(const step *s, int64_t distance);

/* Returns whether all of A is factored as one block: it fits the memory, and has no journal. */
bool is_one_block(const plan *p);

/* After the loop of an LU factorization with several blocks: calls submit(), which submits the
 * interchanges of block columns first … last − 1, for block columns 0 … last − 1; with a journal,
 * group by group, and records each group that is finished. Returns false if the journal has failed.
 */
bool submit_second_pass(context ctx, const plan *p, int64_t last,
                        void (*submit)(context ctx, const plan *p, int64_t first, int64_t last));

/* Returns the end (exclusive) of the block of block columns that begins at `first` and fits the
 * memory, see columns_at_a_time(). */
int64_t end_of_block(const startile_matrix *A, int64_t first);
/* Hints that all tiles of A may be evicted, if A exceeds the memory. Call it before a routine that
 * reads A once: StarPU then first evicts the tiles that earlier tasks left in the memory. Without
 * the hint it would evict tiles in use, because it prefers tiles that need no write-back. */
void hint_idle_if_large(const startile_matrix *A);
/* Submits the return of all tiles of a wrapped matrix to host memory. Call it when no later task
 * writes them. */
void return_matrix(context ctx, const startile_matrix *A);

#endif
