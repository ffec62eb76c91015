/*
 * libstartile_scalapack: ScaLAPACK's Fortran symbols on startile's distributed matrices. A problem
 * of the crossover's size or larger goes to startile if its submatrices begin at block boundaries,
 * in the user's blocks or in a copy in larger tiles. All other calls go to the machine's ScaLAPACK,
 * also workspace queries and calls with a wrong argument, which it reports. All processes of a
 * BLACS context choose the same library.
 */
#ifndef SCALAPACK_H
#define SCALAPACK_H

#include "common.h"
#include "flops.h"
#include "startile_mpi.h"

#include <stddef.h>

/* Type of the length that Fortran passes for each character argument, after all other arguments */
typedef size_t length;

/* Indices of the elements of an array descriptor (DESCA), from 0 */
enum { DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_ };

/* -- context.c --------------------------------------------------------------------------------- */

/* The p × q processes of a BLACS context, seen from the process in row `row` and column `col`.
 * BLACS contexts with the same processes, p and q share one struct context. */
struct context {
    struct context *next;
    MPI_Comm communicator;
    int p, q, row, col;
    struct grid *grids; /* list of the grids made so far */
};

/* Finds the processes of a BLACS context, or creates their struct context at the first call.
 * Returns NULL if startile cannot work with them: there is no BLACS, this process is not among
 * them, memory does not suffice, or MPI was initialized without MPI_THREAD_MULTIPLE. Collective. */
struct context *find_context(integer blacs_context);
/* Returns whether `mine` is true on all processes and `fingerprint` is the same on all. Collective.
 */
bool agree(const struct context *c, bool mine, int64_t fingerprint);
/* Returns whether the rank of this process is that of a row-major numbering of the process grid. */
bool has_row_major_ranks(const struct context *c);
/* Returns whether startile has been started. */
bool is_startile_started(void);
/* Returns startile's grid whose first process is the one in that row and column of the context.
 * Creates the grid at its first use, and starts startile for the first grid. Returns NULL if that
 * fails. Collective. */
startile_grid *find_grid(struct context *c, int row, int col);

/* -- thread_level.c ---------------------------------------------------------------------------- */

/* Returns whether MPI is initialized with MPI_THREAD_MULTIPLE. If it has another level, the report
 * says so. */
bool has_thread_level(void);

/* -- operand.c --------------------------------------------------------------------------------- */

/* The m × n submatrix at (ia, ja) of a distributed array. */
struct operand {
    int64_t m, n;
    void *array;
    const integer *ia, *ja, *desc;
    startile_matrix *matrix; /* descriptor while startile works on the submatrix; else NULL */
    void *tiles;             /* this process' part of a copy in larger tiles, or NULL */
};

/* One dimension of a block-cyclic distribution in blocks of nb. source: process row (column) of the
 * first block; processes: number of process rows (columns); mine: process row (column) of this
 * process */
struct axis {
    int64_t nb;
    int source, processes, mine;
};

/* Return the distribution of an array's rows, of its columns. */
struct axis rows_of(const integer *desc, const struct context *c);
struct axis columns_of(const integer *desc, const struct context *c);
/* Returns the process row (column) that owns index i, counted from 0. (ScaLAPACK INDXG2P) */
int owner(struct axis x, int64_t i);
/* Returns how many of the first n indices this process owns. If it owns index n, this is the local
 * index of n. (ScaLAPACK NUMROC) */
int64_t local_extent(struct axis x, int64_t n);

/* Returns whether the descriptor is valid on this process and contains the submatrix, which has
 * elements. */
bool is_usable(const struct operand *A, const struct context *c);
/* Returns whether the submatrix of a usable operand begins at a block boundary. */
bool is_aligned(const struct operand *A);
/* Return the process row (column) of the context that owns the submatrix's first row (column). */
int first_process_row(const struct operand *A, const struct context *c);
int first_process_column(const struct operand *A, const struct context *c);
/* Sets A->matrix to a descriptor of the submatrix in the user's blocks. Returns 0 or a status, the
 * same on all processes. Collective. */
int wrap_blocks(struct operand *A, startile_dtype dtype, const struct context *c,
                startile_grid *grid);

/* Copy pivots to this process' part of IPIV, or from it. Return a status. Collective. */
int64_t pivots_to_local(startile_pivots *P, const struct operand *A, const struct context *c,
                        integer *ipiv);
int64_t pivots_from_local(startile_pivots *P, const struct operand *A, const struct context *c,
                          const integer *ipiv);
/* Copies P and tau, which are on the first process of the context, to the parts of IPIV and TAU of
 * all processes; P and T are not read elsewhere. status: that of the factorization on the first
 * process. Returns it, or a status of the copies, the same on all processes. Collective. */
int64_t pivoting_to_local(int64_t status, const startile_permutation *P, startile_reflectors *T,
                          const struct operand *A, const struct context *c, startile_dtype dtype,
                          integer *ipiv, void *tau);
/* Copy tau from the triangles T to this process' part of TAU, or set T from TAU. storev: 'C' for
 * QR, 'R' for LQ. Return a status. Collective. */
int64_t reflectors_to_local(startile_reflectors *T, const struct operand *A,
                            const struct context *c, startile_dtype dtype, char storev, void *tau);
int64_t reflectors_from_local(startile_reflectors *T, int64_t k, const struct operand *A,
                              const struct context *c, startile_dtype dtype, char storev,
                              const void *tau);

/* -- redistribute.c ---------------------------------------------------------------------------- */

/* Copies the submatrix to nb × nb tiles on a grid that begins at the first process of the context.
 * Sets A->tiles, which the caller frees, and A->matrix. Returns 0 or a status, the same on all
 * processes. Collective. */
int copy_to_tiles(struct operand *A, startile_dtype dtype, const struct context *c, int64_t nb,
                  startile_grid *grid);
/* Copies the submatrix to the first process of the context, and there sets A->matrix to a
 * descriptor in the tiles of startile_geqp3(). Elsewhere A->matrix stays NULL. nb: at least m and
 * n. Otherwise as copy_to_tiles(). Collective. */
int copy_to_first_process(struct operand *A, startile_dtype dtype, const struct context *c,
                          int64_t nb);
/* Copies A->tiles back to the submatrix. Returns 0 or a status, the same on all processes.
 * Collective. */
int copy_from_tiles(const struct operand *A, startile_dtype dtype, const struct context *c,
                    int64_t nb);

/* -- crossover.c ------------------------------------------------------------------------------- */

/* Returns the least size for which startile is faster with so many processes, or INFINITY. */
double crossover(enum routine routine, startile_dtype dtype, int processes);

/* -- route.c ----------------------------------------------------------------------------------- */

enum { MOST_OPERANDS = 2 };

/* One call of a symbol. */
struct call {
    struct problem problem;
    struct operand *operand[MOST_OPERANDS];
    struct context *context;
    startile_grid *grid;
    int64_t nb;         /* order of the tiles to which operands are copied; 0: no copies */
    bool is_outermost;  /* called by the program, not by the machine's ScaLAPACK */
    const char *reason; /* why the machine's ScaLAPACK solves the problem; NULL: startile does */
    struct report_span span;
    double began; /* time of the call in seconds, if the reason is the start */
};

/*
 * Begins a call. letters: its option letters; is_valid: false if an argument is wrong or only the
 * machine's routine can take it; B: NULL for routines of one matrix. Returns true if startile shall
 * solve the problem; the operands' matrices exist then. Returns false if the machine's ScaLAPACK
 * shall. Collective.
 */
bool call_begin(struct call *call, struct problem problem, bool is_valid, const char *letters,
                struct operand *A, struct operand *B);
/* Destroys the operands' matrices, and ends the call unless startile has left all operands
 * unchanged (left_operands_unchanged()). status: return value of startile's routine. Returns true
 * if the call has ended; *info is set then. Returns false if the machine's routine must be called.
 * Collective.
 */
bool call_end_if_answered(struct call *call, int64_t status, integer *info);
/* Ends a call whose problem the machine's routine has solved, or refused with info < 0. */
void call_end(struct call *call, int64_t info);

/* Returns the function of the machine's ScaLAPACK, or NULL if there is none. */
any_function *machine_function(enum routine routine, startile_dtype dtype);

/* Workspaces of a call and their lengths. more, lmore: a second workspace of real numbers or
 * integers, or NULL */
struct work {
    void *work, *more;
    const integer *lwork, *lmore;
};

/* Answer of the machine's routine to a query: the sizes of both workspaces, as the routine stores
 * them in their first elements, and INFO */
struct answer {
    double _Complex work;
    double more;
    integer info;
};

/* Value of LWORK that requests the sizes of the workspaces */
static const integer query = -1;
/* Returns whether the call is a query of the sizes. */
bool is_query(struct work w);
/* Returns whether on all processes the machine's query has succeeded and the workspaces are at
 * least as long as its answer. If not, destroys the operands' matrices; the machine's routine must
 * then be called, which reports the error. Collective. */
bool check_workspace(struct call *call, struct work w, const struct answer *answer);
/* Stores the sizes in the first elements of the workspaces, as ScaLAPACK does. */
void store_sizes(const struct call *call, struct work w, const struct answer *answer);

/* -- definition of symbols --------------------------------------------------------------------- */

/* TAKE(parameters) removes the parentheses of a list. */
#define TAKE(...) __VA_ARGS__

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

/* Begins the definition of a routine: defines the symbols psOP_, pdOP_, pcOP_ and pzOP_ with these
 * parameters. Each calls the function `op` with its type t and `arguments`, whose body follows. */
#define SYMBOLS(op, parameters, arguments)                                                         \
    typedef void op##_function(TAKE parameters);                                                   \
    static void op(startile_dtype t, TAKE parameters);                                             \
    SYMBOL(s, STARTILE_S, op, parameters, arguments)                                               \
    SYMBOL(d, STARTILE_D, op, parameters, arguments)                                               \
    SYMBOL(c, STARTILE_C, op, parameters, arguments)                                               \
    SYMBOL(z, STARTILE_Z, op, parameters, arguments)                                               \
    static void op(startile_dtype t, TAKE parameters)

/* Begins the definition of psorOP_, pdorOP_, pcunOP_ and pzunOP_ in the same way. */
#define UNITARY_SYMBOLS(op, parameters, arguments)                                                 \
    typedef void op##_function(TAKE parameters);                                                   \
    static void op(startile_dtype t, TAKE parameters);                                             \
    SYMBOL_NAMED(psor##op##_, STARTILE_S, op, parameters, arguments)                               \
    SYMBOL_NAMED(pdor##op##_, STARTILE_D, op, parameters, arguments)                               \
    SYMBOL_NAMED(pcun##op##_, STARTILE_C, op, parameters, arguments)                               \
    SYMBOL_NAMED(pzun##op##_, STARTILE_Z, op, parameters, arguments)                               \
    static void op(startile_dtype t, TAKE parameters)

/* Begins the definition of pssyOP_, pdsyOP_, pcheOP_ and pzheOP_ in the same way. */
#define HERMITIAN_SYMBOLS(op, parameters, arguments)                                               \
    typedef void op##_function(TAKE parameters);                                                   \
    static void op(startile_dtype t, TAKE parameters);                                             \
    SYMBOL_NAMED(pssy##op##_, STARTILE_S, op, parameters, arguments)                               \
    SYMBOL_NAMED(pdsy##op##_, STARTILE_D, op, parameters, arguments)                               \
    SYMBOL_NAMED(pche##op##_, STARTILE_C, op, parameters, arguments)                               \
    SYMBOL_NAMED(pzhe##op##_, STARTILE_Z, op, parameters, arguments)                               \
    static void op(startile_dtype t, TAKE parameters)

/* The machine's function of a routine for type t, cast to the type of the symbol `op` */
#define MACHINE(routine, op) ((op##_function *)machine_function(routine, t))

/* Returns whether *c is one of the letters. */
bool is_letter(const char *c, const char *letters);
/* Read and store a real number of a type's precision. */
double real_get(startile_dtype dtype, const void *x);
void real_set(startile_dtype dtype, void *x, double value);

#endif
