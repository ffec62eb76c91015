/*
 * libstartile_scalapack: ScaLAPACK's Fortran symbols on startile's distributed matrices. A problem
 * above the crossover whose submatrices begin at block boundaries goes to startile, in the user's
 * blocks or in a copy in larger tiles; any other, and
 * any with a wrong argument or a workspace query, goes to the machine's ScaLAPACK, which tells what
 * is wrong. All processes of a BLACS context take the same way.
 */
#ifndef SCALAPACK_H
#define SCALAPACK_H

#include "common.h"
#include "flops.h"
#include "startile_mpi.h"

#include <stddef.h>

/* Elements of a descriptor. */
enum { DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_ };

/* -- context.c --------------------------------------------------------------------------------- */

/* The processes of a BLACS context. Contexts with the same processes share one. */
struct context {
    struct context *next;
    MPI_Comm communicator;
    int p, q, row, col;
    struct grid *grids;
};

/* Returns the processes of a BLACS context, or NULL if startile cannot work on it: this process is
 * not in it, or MPI was initialized without MPI_THREAD_MULTIPLE. Collective. */
struct context *find_context(integer blacs_context);
/* Returns whether `mine` holds on all processes, and `fingerprint` is the same on all. Collective.
 */
bool agree(const struct context *c, bool mine, int64_t fingerprint);
/* Returns whether the rank of this process counts along the process rows first. */
bool has_row_major_ranks(const struct context *c);
/* Returns the grid whose first process is the one in that row and column of the context; starts
 * startile with the first one. NULL if that fails. Collective. */
startile_grid *grid_from(struct context *c, int row, int col);

/* -- operand.c --------------------------------------------------------------------------------- */

/* The m × n submatrix at (ia, ja) of a distributed array. */
struct operand {
    int64_t m, n;
    void *array;
    const integer *ia, *ja, *desc;
    startile_matrix *matrix; /* while startile works on it */
    void *tiles;             /* copy in larger tiles of this process' part, or NULL */
};

/* One dimension of a block-cyclic distribution, seen from this process. */
struct axis {
    int64_t nb;
    int source, processes, mine;
};

struct axis rows_of(const integer *desc, const struct context *c);
struct axis columns_of(const integer *desc, const struct context *c);
/* Returns the process that owns index i, from 0. (ScaLAPACK INDXG2P) */
int owner(struct axis x, int64_t i);
/* Returns how many of the first n indices this process owns: also the local index of n if it owns
 * that. (ScaLAPACK NUMROC) */
int64_t extent(struct axis x, int64_t n);

/* Returns whether the descriptor is valid on this process, and startile can take the submatrix: it
 * begins at a block boundary and has elements. */
bool is_usable(const struct operand *A, const struct context *c);
/* Returns the row (column) of the context that owns the submatrix's first row (column). */
int first_process_row(const struct operand *A, const struct context *c);
int first_process_column(const struct operand *A, const struct context *c);
/* Sets A->matrix. Returns 0 or a status, the same on all processes. Collective. */
int wrap(struct operand *A, startile_dtype dtype, const struct context *c, startile_grid *grid);

/* Copies pivots to this process' part of IPIV. Returns a status. Collective. */
int64_t pivots_to_local(startile_pivots *P, const struct operand *A, const struct context *c,
                        integer *ipiv);
int64_t pivots_from_local(startile_pivots *P, const struct operand *A, const struct context *c,
                          const integer *ipiv);
/* Copies tau between the triangles T and this process' part of TAU; storev: 'C' for QR, 'R' for LQ.
 * Returns a status. Collective. */
int64_t reflectors_to_local(startile_matrix *T, const struct operand *A, const struct context *c,
                            startile_dtype dtype, char storev, void *tau);
int64_t reflectors_from_local(startile_matrix *T, const struct operand *A, const struct context *c,
                              startile_dtype dtype, char storev, const void *tau);

/* -- redistribute.c ---------------------------------------------------------------------------- */

/* Copies the submatrix to nb × nb tiles on a grid that begins at the first process of the context,
 * and sets A->tiles, which the caller frees, and A->matrix. Returns 0 or a status, the same on all
 * processes. Collective. */
int copy_to_tiles(struct operand *A, startile_dtype dtype, const struct context *c, int64_t nb,
                  startile_grid *grid);
/* Copies A->tiles back to the submatrix. Returns likewise. Collective. */
int copy_from_tiles(const struct operand *A, startile_dtype dtype, const struct context *c,
                    int64_t nb);

/* -- route.c ----------------------------------------------------------------------------------- */

enum { MOST_OPERANDS = 2 };

/* One call of a symbol. */
struct call {
    struct problem problem;
    struct operand *operand[MOST_OPERANDS];
    struct context *context;
    startile_grid *grid;
    int64_t nb;        /* order of the tiles to which operands are copied, or 0 */
    bool is_outermost; /* not from inside the machine's ScaLAPACK */
    bool on_startile;
    double began;
};

/*
 * Begins a call. `letters` are its options, which are valid if `is_valid`; B is NULL for routines
 * of one matrix. Returns whether startile is to solve the problem: the operands are wrapped then.
 */
bool call_begin(struct call *call, struct problem problem, bool is_valid, const char *letters,
                struct operand *A, struct operand *B);
/* Takes a status of startile. Returns whether the call is over and *info is set; if not, the
 * machine's routine is to be called. */
bool call_solved(struct call *call, int64_t status, integer *info);
/* Ends a call that the machine's routine has answered. */
void call_end(struct call *call);

/* Returns the symbol of the machine's ScaLAPACK. */
any_function *machine_function(enum routine routine, startile_dtype dtype);

/* Two workspaces, the second of real or integer elements, or NULL. */
struct work {
    void *work, *more;
    const integer *lwork, *lmore;
};

/* The sizes that the machine's routine answers to a query. */
struct answer {
    double _Complex work;
    double more;
    integer info;
};

/* LWORK = −1 asks for sizes. */
static const integer query = -1;
bool is_query(struct work w);
/* Returns whether the workspaces are as long as the machine's answer says on all processes; if not,
 * the machine's routine is to be called. Collective. */
bool has_workspace(struct call *call, struct work w, const struct answer *answer);
/* Stores the sizes in the workspaces, as the reference does. */
void store_sizes(const struct call *call, struct work w, const struct answer *answer);

/* -- definition of symbols --------------------------------------------------------------------- */

#define TAKE(...) __VA_ARGS__

#ifdef STARTILE_SCALAPACK_C
/* The library with C names has no Fortran symbols. */
#define SYMBOLS(op, parameters, arguments) typedef void op##_function(TAKE parameters);
#define UNITARY_SYMBOLS SYMBOLS
#else
#define EXPORTED __attribute__((visibility("default")))
#define JOIN(a, b, c) p##a##b##c
#define PASTE(a, b, c) JOIN(a, b, c)

#define SYMBOL_NAMED(name, dtype, op, parameters, arguments)                                       \
    EXPORTED void name(TAKE parameters);                                                           \
    EXPORTED void name(TAKE parameters)                                                            \
    {                                                                                              \
        op(dtype, TAKE arguments);                                                                 \
    }

#define SYMBOL(letter, dtype, op, parameters, arguments)                                           \
    SYMBOL_NAMED(PASTE(letter, op, _), dtype, op, parameters, arguments)

/* Defines psOP_, pdOP_, pcOP_ and pzOP_ with those parameters. Each calls the function `op`, whose
 * first argument is the type, with `arguments`. */
#define SYMBOLS(op, parameters, arguments)                                                         \
    typedef void op##_function(TAKE parameters);                                                   \
    SYMBOL(s, STARTILE_S, op, parameters, arguments)                                               \
    SYMBOL(d, STARTILE_D, op, parameters, arguments)                                               \
    SYMBOL(c, STARTILE_C, op, parameters, arguments)                                               \
    SYMBOL(z, STARTILE_Z, op, parameters, arguments)

/* Defines psorOP_, pdorOP_, pcunOP_ and pzunOP_ likewise. */
#define UNITARY_SYMBOLS(op, parameters, arguments)                                                 \
    typedef void op##_function(TAKE parameters);                                                   \
    SYMBOL_NAMED(psor##op##_, STARTILE_S, op, parameters, arguments)                               \
    SYMBOL_NAMED(pdor##op##_, STARTILE_D, op, parameters, arguments)                               \
    SYMBOL_NAMED(pcun##op##_, STARTILE_C, op, parameters, arguments)                               \
    SYMBOL_NAMED(pzun##op##_, STARTILE_Z, op, parameters, arguments)
#endif

#define MACHINE(routine, op) ((op##_function *)machine_function(routine, t))

bool is_letter(const char *c, const char *letters);
/* Real numbers of a type's precision. */
double real_get(startile_dtype dtype, const void *x);
void real_set(startile_dtype dtype, void *x, double value);

#endif
