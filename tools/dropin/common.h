/*
 * Declarations shared by the libraries with LAPACK's and ScaLAPACK's symbols: names of routines,
 * the machine's library, the report. The machine's LAPACK (ScaLAPACK) is the one that the program
 * would use without this library.
 */
#ifndef DROPIN_COMMON_H
#define DROPIN_COMMON_H

#include "calls.h"
#include "startile.h"

#include <stdbool.h>
#include <stdint.h>

/* Fortran's type INTEGER in the ABI of the file that is compiled (tools/dropin/abi.h) */
#ifdef STARTILE_ILP64
typedef int64_t integer;
#else
typedef int32_t integer;
#endif

enum routine {
    POTRF,
    PSTRF,
    POTRS,
    POTRI,
    POSV,
    TRTRI,
    TRTRS,
    LAUUM,
    SYGST,  /* complex types: HEGST */
    SYNGST, /* complex types: HENGST; only in ScaLAPACK */
    POCON,
    GETRF,
    GETRS,
    GETRI,
    GESV,
    GECON,
    GEQRF,
    GELQF,
    GEQP3,
    GEQPF, /* only in ScaLAPACK */
    ORGQR,
    ORGLQ,
    ORMQR,
    ORMLQ,
    GELS,
    GELSY,
    SYTRF,
    SYTRS,
    SYTRS2,
    SYTRI,
    SYSV,
    SYCON,
    SYTRF_AA, /* LAPACK's xSYTRF_AA_2STAGE */
    SYTRS_AA,
    SYSV_AA,
    HETRF, /* HETRF to HESV_AA: c, z */
    HETRS,
    HETRS2,
    HETRI,
    HESV,
    HECON,
    HETRF_AA,
    HETRS_AA,
    HESV_AA,
    SGESV, /* d: DSGESV; z: ZCGESV */
    SPOSV,
    ROUTINES
};

/* The problem of one call. The number of operations grows as the product m n k. The size of the
 * problem, which is compared with crossovers, is the cube root of m n k: n for a square matrix. */
struct problem {
    enum routine routine;
    startile_dtype dtype;
    double m, n, k;
    double flops;
    bool is_excluded; /* true for a workspace query or a wrong argument: startile does not get the
                         call */
};

/* -- common.c ---------------------------------------------------------------------------------- */

/* Returns LAPACK's name without the letter of the type: "potrf"; for ORGQR "orgqr" or, for complex
 * types, "ungqr"; for SYGST "sygst" or "hegst", for SYNGST likewise; for SGESV "sgesv" or "cgesv";
 * for SYTRF_AA "sytrf_aa". */
const char *routine_name(enum routine routine, startile_dtype dtype);
/* Stores the symbol's name with the letter of the type, without its suffix: "dpotrf",
 * "dsytrf_aa_2stage", or "pdpotrf" in the library with ScaLAPACK's symbols. */
enum { SYMBOL_NAME = 20 };
void symbol_name(char name[SYMBOL_NAME], enum routine routine, startile_dtype dtype);
/* Returns STARTILE_LAPACK_MIN, the least size of the problems that go to startile, or NAN if the
 * variable is not set or empty. If its value is malformed, prints a message and returns infinity.
 */
double least_size(void);
/* Status of a call that was not made, because memory for it could not be allocated */
enum { NOT_CALLED = INT32_MIN };
/* Returns whether a call of startile with this status has left all operands unchanged, so that the
 * machine's routine can solve the problem: startile could not start, the call was not made
 * (NOT_CALLED), or startile refused an argument that the reference allows, such as a leading
 * dimension beyond 2³¹. After other failures the operands may be changed; the caller of the symbol
 * then gets the status.
 */
bool left_operands_unchanged(int64_t status);
/* Returns the time in seconds since some point in the past. */
double seconds_now(void);

/* -- start.c ----------------------------------------------------------------------------------- */

/* Returns whether the start of startile would take longer than it saves: the machine's library has
 * spent little time in problems that are large enough for startile, this one included. processes:
 * number of those that solve the problem */
bool start_does_not_pay(const struct problem *problem, int processes);
/* Adds the duration of a problem that the machine's library has solved because of that. */
void add_seconds_before_start(double seconds);
/* Returns the number of hardware threads that startile may use. */
int usable_cpus(void);
/* Returns whether NVIDIA's driver is present and STARPU_NCUDA does not disable GPUs. Does not start
 * CUDA or StarPU. */
bool has_gpu(void);
extern const char reason_start[]; /* reason in reports */

/* -- measured.c -------------------------------------------------------------------------------- */

/* Reads the crossovers for CPU cores that were measured on this machine, unless it has a GPU. */
void measured_read(void);
/* Returns the measured crossover of a routine, named as for startile_crossover(), or 0. */
int64_t measured_crossover(const char *routine, startile_dtype dtype);

/* -- address_space.c --------------------------------------------------------------------------- */

/* Returns whether startile can start and leave the machine's LAPACK the address space for its
 * buffers. */
bool has_address_space_for_startile(void);

/* -- symbols.c --------------------------------------------------------------------------------- */

typedef void any_function(void);

/* Returns the function of this name in an opened library, or NULL. */
any_function *library_symbol(void *library, const char *name);
/* Returns whether the address is in a drop-in: in this library, whatever the name of its file, or
 * in a file libstartile_lapack or libstartile_lapack64. Without this test each of the two could
 * take the other one for the machine's LAPACK, and they would call each other for ever. */
bool is_in_dropin(const void *address);
/* Returns the function of this name, which lacks the suffix "_" or "_64_", or NULL. Looks for it
 * among the program's symbols, unless STARTILE_LAPACK_LIBRARY names a library. If it is not there,
 * looks in that library or in the machine's LAPACK or ScaLAPACK, which it opens without adding
 * their symbols to the program's. */
any_function *machine_symbol(const char *name);
/* Returns whether the names in the machine's LAPACK have the same suffix as those of this library,
 * "_" or "_64_". */
bool has_same_suffix(void);

/* -- report.c ---------------------------------------------------------------------------------- */

/* Loads libstartile_report if the environment requests a report. Returns whether there will be one.
 * The functions below, but for report_remark(), may be called only then. */
bool report_begin(void);
/* Begins a call. */
void report_enter(struct report_span *span);
/* Ends the call and counts it. reason: why the machine's library has solved
 * the problem, a static text; NULL: startile has solved it */
void report_leave(struct report_span *span, const struct problem *problem, const char *reason);
/* Adds a line below the table: why startile solves no problem of this process. `text` must remain
 * valid. */
void report_remark(const char *text);
/* Returns whether startile has GPU workers. Each of the two libraries has its own definition. */
bool startile_is_on_gpus(void);

#endif
