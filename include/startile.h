/**
 * @file startile.h
 * @brief Dense linear algebra as DAGs of tile tasks on StarPU: matrices, requests, operations.
 *
 * Three levels share the same algorithms:
 *  - `startile_dpotrf()` and its kin in startile_lapack.h take LAPACK's arguments and block;
 *  - `startile_potrf()` takes matrix descriptors and blocks;
 *  - `startile_potrf_async()` submits the tasks into a ::startile_request and returns.
 *
 * **Return values.** Every function that can fail returns
 *  - 0: success;
 *  - −i: argument i is wrong; nothing was submitted and nothing was touched;
 *  - above 0: LAPACK's info, as the function's comment says;
 *  - #STARTILE_ERROR_LAST … #STARTILE_ERROR_FIRST: a failure at run time, see ::startile_error.
 *
 * The library never prints, aborts or exits, and it stays usable after any of these. (StarPU itself
 * ends the program when a GPU fails under it, in a transfer say, and the system when a disk does
 * under a file that is mapped.) LAPACK's letters are taken in either case. Before startile_init()
 * blocking calls return #STARTILE_ERROR_STARPU, whatever their arguments.
 *
 * **Threads.** All functions may be called from several host threads at once, as long as no two
 * threads use the same matrix or the same request at the same time, unless a comment says more.
 * None may be called from inside a StarPU task or callback.
 */
#ifndef STARTILE_H
#define STARTILE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <complex>
typedef std::complex<double> startile_complex;
extern "C" {
#else
/** @brief Scalars of the operations on descriptors; converted to the matrix' own type. */
typedef double _Complex startile_complex;
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

#define STARTILE_VERSION_MAJOR 0 /**< first part of the version */
#define STARTILE_VERSION_MINOR 1 /**< second part */
#define STARTILE_VERSION_PATCH 0 /**< third part */

/** @brief StarPU's data handle, declared as in starpu_data.h, which need not be included. */
typedef struct _starpu_data_state *starpu_data_handle_t;

/** @brief Element type of a matrix, in LAPACK's letters. */
typedef enum startile_dtype {
    STARTILE_S, /**< float */
    STARTILE_D, /**< double */
    STARTILE_C, /**< float complex */
    STARTILE_Z  /**< double complex */
} startile_dtype;

/** @brief Failures at run time. startile_strerror() puts them into words. */
typedef enum startile_error {
    STARTILE_ERROR_FIRST = -1001,     /**< the range begins */
    STARTILE_ERROR_MEMORY = -1001,    /**< host or device memory could not be allocated */
    STARTILE_ERROR_NO_WORKER = -1002, /**< no StarPU worker can run a task of the operation */
    STARTILE_ERROR_DEVICE = -1003,    /**< a CUDA, cuBLAS or cuSOLVER call failed */
    STARTILE_ERROR_CANCELLED = -1004, /**< startile_cancel() came before the operation's end */
    STARTILE_ERROR_STARPU = -1005,    /**< StarPU could not be started, or is not running */
    STARTILE_ERROR_TILE = -1006,      /**< a tile has no handle, or is read and has no value */
    STARTILE_ERROR_TRACE = -1007,     /**< StarPU was built without FxT, was not started with a
                                         trace, or cannot write in its folder */
    STARTILE_ERROR_PROFILE = -1008,   /**< a profile was begun already, or none was */
    STARTILE_ERROR_DISK = -1009,      /**< a file or folder cannot be used, has no room, or a
                                         transfer from or to it failed */
    STARTILE_ERROR_LAST = -1099       /**< the range ends */
} startile_error;

/** @brief One line on a return value of this library; never NULL. Thread-safe. */
const char *startile_strerror(int64_t code);

/** @brief "0.1.0". Thread-safe. */
const char *startile_version(void);

/* ------------------------------------------------------------------------------------------- */
/** @defgroup runtime Start and stop
 *  @{ */

/** @brief Whose kernels GPUs run, where there are two: products, triangles, Cholesky's diagonal. */
typedef enum startile_implementation {
    STARTILE_AUTO,  /**< what the environment variable STARTILE_IMPLEMENTATION says, own or vendor;
                         else the faster of the two: by its performance models, where StarPU's policy
                         has any, or by measurements that the library comes with */
    STARTILE_OWN,   /**< the library's */
    STARTILE_VENDOR /**< cuBLAS' and cuSOLVER's */
} startile_implementation;

/** @brief How StarPU is started, where it is the library that starts it. */
typedef struct startile_options {
    int ncpu;              /**< CPU workers; −1: one per core, or what STARPU_NCPU says */
    int ncuda;             /**< GPUs; −1: all, or what STARPU_NCUDA says */
    int workers_per_cuda;  /**< StarPU workers a GPU, each with its stream and CPU core; −1: as
                                many as were the fastest where the machine was calibrated, else 3,
                                of which one keeps to critical paths */
    const char *scheduler; /**< StarPU's policy; NULL: chosen by the library, see README */
    int hybrid;            /**< with GPUs: 0 (the default) runs the library's tasks on GPUs only and
                                leaves the CPU workers to the caller's tasks; non-zero lets
                                StarPU's performance models choose, which must be calibrated */
    int pause_when_idle;   /**< of no effect where StarPU has blocking drivers, as tools/setup
                                builds it: its idle workers sleep after 200 µs. With another StarPU
                                idle workers spin; non-zero lets them sleep while no matrix, no
                                batch and no request exists. Only for programs that submit no
                                StarPU tasks of their own, and have no data on GPUs in handles of
                                their own, which nobody would bring home then */
    startile_implementation implementation; /**< kernels on GPUs; STARTILE_AUTO by default */
    int tensor_single; /**< non-zero: on GPUs of compute capability 9.0 the library's own products
                          in single precision split their operands and run on tensor cores, with the
                            accuracy of single precision; operands that this does not hold for are
                            multiplied as ever. Or the environment variable
                          STARTILE_TENSOR_SINGLE=1.
                          */
    const char *trace; /**< a folder, made if need be, of a name of up to 200 bytes, where StarPU
                          leaves its execution trace when it stops, see startile_trace_start(); or
                          NULL: none, unless the environment variable STARTILE_TRACE names one, and
                          then everything is recorded */
    double cpu_watts;  /**< what a CPU core draws more when it works than when it idles; with
                          cuda_watts it gives the codelets energy models, by which StarPU's policies
                          dmda, dmdas and their like weigh joules (STARPU_SCHED_GAMMA is what one is
                          worth, in µs, 1000 unless said otherwise) against time. 0 for both, the
                          default: what the environment variable STARTILE_WATTS says, as
                          "CPU,GPU": two numbers, 0 or more; or no models, which is also what
                          another text there stands for. startile bench --energy measures them. */
    double cuda_watts; /**< the same for a GPU */
} startile_options;

/** @brief Fills *options with the defaults. Thread-safe. */
void startile_options_default(startile_options *options);

/**
 * @brief Starts the library; joins StarPU when it is already running, else starts it.
 *
 * Calls nest: each successful call needs its startile_finalize(). Only the first call's options
 * count, but for pause_when_idle, which ends with the first call that does not ask for it. When
 * StarPU runs already, only hybrid, implementation, tensor_single and the
 * watts count. The
 * typed entries of startile_lapack.h make this call themselves when nobody has.
 *
 * StarPU keeps its measurements of the machine under STARPU_HOME, XDG_CACHE_HOME or HOME; where
 * none of the first two is set and the third cannot be written, STARPU_HOME becomes startile-UID in
 * the folder for temporary files.
 *
 * @param options how to start StarPU, or NULL for the defaults
 * @return 0; −1 for a scheduler that StarPU does not know, a number of workers or GPUs
 *         below −1 or an implementation that is none of the enumeration; #STARTILE_ERROR_STARPU,
 *         #STARTILE_ERROR_NO_WORKER or #STARTILE_ERROR_MEMORY; #STARTILE_ERROR_TRACE where a trace
 * is asked for and StarPU was built without FxT
 */
int startile_init(const startile_options *options);

/**
 * @brief Undoes one startile_init(); the last one stops StarPU if the library started it.
 *
 * Every matrix, request and startile_pivots must have been destroyed before.
 */
void startile_finalize(void);

/** @brief Which calibrated performance models the library uses; see startile_models_find(). */
typedef struct startile_models {
    char machine[64];  /**< name of the machine that they were measured on; "" for none */
    char folder[4096]; /**< where they are; "" for none */
    char words[1024];  /**< why these, or why none: one line */
    int refused;       /**< non-zero: models were found or asked for that cannot be used, all or in
                            part, as the words say */
} startile_models;

/**
 * @brief Says which performance models this start of the library uses.
 *
 * At startile_init() the library looks for a folder, made by `startile calibrate`, that was
 * measured on the same processors: the same GPU where its tasks run on GPUs, the same CPU where
 * they run on CPU workers. It looks in the folders of STARTILE_MODELS_PATH (separated by colons),
 * in ${XDG_DATA_HOME:-~/.local/share}/startile/models, and where its own are installed; of several
 * in one place those with as many cores as here come first, then complete ones, then the newest.
 * One of some routines or types only gives way to a complete one in a later place that has as many
 * cores as here, or where neither has. The environment variable STARTILE_MODELS names a folder or a
 * machine instead, or says `none`. Where none fits, or a file is damaged, StarPU learns by itself.
 *
 * A folder that would fit but for its state, in a place before that of the one in use, counts as
 * refused, too. The words have notes after "; " on what is used in part, or passed over.
 *
 * The tables of tile sizes and of crossovers for CPU workers count only with as many cores as here.
 *
 * @param[out] models filled in; reads all files of the folder. Before startile_init(): none.
 * @return 0; −1 for NULL
 */
int startile_models_find(startile_models *models);

/**
 * @brief Finds the models of a machine by its name, or in a folder whose path has a '/' in it,
 * whatever machine this is.
 *
 * Not while another thread starts the library.
 *
 * @param[in] name of a machine, or a folder
 * @param[out] models filled in; models->refused where they cannot be used, and the words say why
 * @return 0; −1 or −2 for NULL, −1 for an empty name
 */
int startile_models_named(const char *name, startile_models *models);

/**
 * @brief The size from which on a routine is faster than the LAPACK that it was compared with on
 * this machine, as the models in use say.
 *
 * From the table `crossovers` in their folder, for tasks on GPUs or on CPU workers as this start of
 * the library has them; the latter only with as many cores as here. The size is n for a square
 * matrix, the cube root of the product of the dimensions that the operations grow with for others.
 *
 * @param[in] routine "potrf", "orgqr" (for complex types, too), …
 * @param dtype type of the matrix
 * @return the size; 0 where nothing is said, or for wrong arguments
 */
int64_t startile_crossover(const char *routine, startile_dtype dtype);

/** @brief Number of StarPU workers that run on CPU cores; 0 before startile_init(). */
int startile_cpu_workers(void);

/** @brief Number of StarPU workers that run on CUDA devices; 0 before startile_init(). */
int startile_cuda_workers(void);

/**
 * @brief Page-locked host memory: transfers to GPUs run at full speed and asynchronously.
 * @return memory for startile_free(), or NULL; also before startile_init()
 */
void *startile_malloc(size_t bytes);

/** @brief Frees startile_malloc()'s memory of that size; NULL is allowed. */
void startile_free(void *memory, size_t bytes);

/** @brief Page-locks memory that the caller allocated, as startile_malloc() would. No effect
 *  without a GPU. @return 0, −1, −2, #STARTILE_ERROR_MEMORY, or
 *  #STARTILE_ERROR_STARPU before startile_init() */
int startile_pin(void *memory, size_t bytes);

/** @brief Undoes startile_pin(). @return as startile_pin() */
int startile_unpin(void *memory, size_t bytes);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/** @defgroup request Requests: what was submitted and how it ended
 *
 *  A request gathers any number of asynchronous operations. They run as their data allows: an
 *  operation waits for earlier ones, and for the caller's own StarPU tasks, on the same handles.
 *  When one of them fails or the request is cancelled, tasks of the request that have not begun do
 *  nothing, and so does all that is submitted into it later: it has ended. A call that would leave
 *  more than 200,000 tasks of a request unfinished waits until half of them are done.
 *  @{ */

/** @brief A group of asynchronous operations with one outcome. */
typedef struct startile_request startile_request;

/** @brief Makes an empty request. @return 0, −1, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU */
int startile_request_create(startile_request **request);

/**
 * @brief Priority of what is submitted into the request from now on.
 *
 * Requests of higher priority go first where the scheduler knows priorities; 0 is the default.
 * One step outweighs every difference inside a factorization.
 * @return 0, −1, or −2 for |priority| > 1000
 */
int startile_request_set_priority(startile_request *request, int priority);

/**
 * @brief Waits for all that was submitted into the request; more may be submitted afterwards.
 * @return 0, or the first failure: LAPACK's info (> 0) or a ::startile_error; −1 for NULL
 */
int64_t startile_wait(startile_request *request);

/**
 * @brief Asks without waiting whether all is finished.
 * @param request the request
 * @param[out] done 1 or 0
 * @return as startile_wait() when done, else 0; −1, −2 for NULL
 */
int64_t startile_test(startile_request *request, int *done);

/**
 * @brief Lets the tasks that have not begun do nothing; startile_wait() still has to be called, and
 * returns #STARTILE_ERROR_CANCELLED if there were any.
 *
 * The matrices keep what was written so far, but for tiles that a skipped operation would have
 * overwritten without reading them: those are undefined. May be called from any thread.
 * @return 0, or −1 for NULL
 */
int startile_cancel(startile_request *request);

/** @brief Waits, then frees the request; NULL is allowed. */
void startile_request_destroy(startile_request *request);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/** @defgroup trace Traces and profiles
 *
 *  A trace is StarPU's own: files in a folder, for ViTE and other viewers, with every task,
 * transfer and state of a worker. A profile is an array of the library's tasks in memory. Neither
 * should be taken in a run that is timed: both take a few microseconds a task.
 *  @{ */

/**
 * @brief StarPU's execution trace records from here to startile_trace_stop(); regions add up.
 *
 * The files are written when StarPU stops: by the last startile_finalize() into the folder
 * startile_options.trace, or, in a program that starts StarPU itself with STARPU_FXT_TRACE=1 (where
 * everything is recorded from the start), where StarPU's documentation says. Among them are
 * paje.trace (for ViTE; tasks have their codelet's name and color, tile coordinates X and Y of the
 * first tile that they write, the step of the algorithm as Iteration, and priority), dag.dot (for
 * Graphviz) and tasks.rec. A program that runs StarPU more than once traces the last run only. The
 * region should begin and end with no task under way: of one that is, the trace tells a part.
 * @return 0, #STARTILE_ERROR_TRACE, #STARTILE_ERROR_STARPU
 */
int startile_trace_start(void);

/** @brief Ends the region. @return as startile_trace_start() */
int startile_trace_stop(void);

/** @brief One task of a profile. Times are in seconds from the first task's submission. */
typedef struct startile_task_record {
    const char *codelet;      /**< "dgemm", say */
    int64_t step;             /**< of the algorithm's outer loop, from 0; −1: none */
    int64_t row;              /**< of the first tile that it writes, or of the panel's tile on the
                                   diagonal for LU's pivots; −1: not a matrix' tile */
    int64_t column;           /**< of the same */
    int worker;               /**< StarPU's number of it; −1: the task did not run */
    int on_cuda;              /**< 1: that worker is a GPU's, 0: a CPU core */
    uint32_t shape;           /**< the same for tasks of one codelet on data of the same sizes */
    double flops;             /**< operations, real ones */
    double submitted;         /**< when it was submitted */
    double start;             /**< when its worker began with it */
    double end;               /**< when it ended */
    double cpu_seconds;       /**< what StarPU's performance model expects on a CPU core; NaN where
                                   it does not know, or is no calibrated one and the policy had
                                   no choice of devices */
    double cuda_seconds;      /**< the same on a GPU */
    double joules;            /**< what its energy model expects it to have taken; 0: it has none */
    int64_t first_dependency; /**< index into startile_profile::dependency */
    int64_t dependencies;     /**< how many from there on */
} startile_task_record;

/** @brief The library's tasks of a region, in the order of submission. */
typedef struct startile_profile {
    int64_t count;              /**< of tasks */
    startile_task_record *task; /**< the tasks */
    int64_t *dependency; /**< numbers of earlier tasks that a task's data came from or that read
                            what it overwrites; one may be there twice */
} startile_profile;

/**
 * @brief Records the library's tasks that are submitted from here to startile_profile_stop(), by
 * any thread, and switches StarPU's profiling on, whose counters begin anew.
 * @return 0, #STARTILE_ERROR_PROFILE for a second one at a time, #STARTILE_ERROR_MEMORY,
 *         #STARTILE_ERROR_STARPU
 */
int startile_profile_start(void);

/**
 * @brief Ends the region, waits for its tasks, and hands over their records.
 * @param[out] profile for startile_profile_destroy(); NULL in case of failure
 * @return 0, −1, #STARTILE_ERROR_PROFILE when none was begun, #STARTILE_ERROR_MEMORY when there was
 *         no room for all of it, #STARTILE_ERROR_STARPU
 */
int startile_profile_stop(startile_profile **profile);

/** @brief Frees a profile; NULL is allowed. Also after startile_finalize(). */
void startile_profile_destroy(startile_profile *profile);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/** @defgroup matrix Matrices
 *
 *  An m × n matrix in tiles of mb × nb elements, column-major inside a tile, one StarPU handle
 *  (matrix interface) per tile. Tile (i, j) holds rows i·mb … and columns j·nb …; the last tiles
 *  of a row or column are smaller. A tile must fit 32-bit dimensions.
 *
 *  **Several GPUs.** Where tasks run on several, tile (i, j) belongs to number j of them modulo how
 *  many there are, where there are at least twice as many columns as rows of tiles; to number i for
 *  the reverse; else to number min(i, j). A task runs on the GPU to which the largest tile that it
 *  works on belongs, where tiles that it writes count twice. They may be anywhere before.
 *
 *  **Little memory.** The memory of each GPU, when a matrix is elsewhere, and main memory, for what
 *  is on a disk and not mapped, must have room for two tasks of each worker that gets its data
 *  there, or for the matrix. With w workers (the GPU's; in main memory all that run the library's
 *  tasks) that is
 *   - potrf: 18·w tiles where all tasks run on GPUs, else 6·w;
 *   - potrs, posv, gemm, herk, syrk, trsm, trtri, lauum, potri, pocon, geqrf_tree, unmqr_tree:
 *     6·w tiles, and as much as potrf for posv;
 *   - getrf, getrf_nopiv, getrf_tntpiv, gecon, geqrf, unmqr, unmlq, ungqr: 4·w block columns, of
 *     m × nb elements;
 *   - getrs, gesv, gels: the same, of A and of B;
 *   - getri: 2·w rows of tiles, of mb × n elements;
 *   - of what is on a disk, main memory for copies, too: of A and B for gesv with refinement, of A
 *     for getri, gelqf, ungqr, unmlq and gels of a wide A, two of A for unglq, of C for unmqr from
 *     the right.
 *
 *  For potrf, potrs, getrf and its variants, getrs, gesv, geqrf and gels so much was seen to be
 * enough; with less than is listed operations end with #STARTILE_ERROR_MEMORY and have written
 * nothing. Others end so, in the middle maybe, when they meet a task whose tiles have no room in
 * any memory that it could run in.
 * STARPU_LIMIT_CUDA_MEM and STARPU_LIMIT_CPU_MEM, in MiB, limit what StarPU takes. For tiles of up
 * to 4 MiB it takes a GPU's memory in chunks of 32 MiB, and rounds them up to 16 KiB; larger ones
 * need 160 MiB more, since it keeps some chunks. Tiles of other matrices that are still in a memory
 * give way, but later than they might, so that more bytes move.
 *  @{ */

/** @brief A matrix descriptor. */
typedef struct startile_matrix startile_matrix;

/**
 * @brief Tiles without a home: each is allocated where it is first written.
 *
 * Elements are 0 until written (startile_laset(), startile_random(), startile_from_lapack(), or
 * the caller's own tasks).
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param mb rows of a tile; 0: the library's choice for square tiles (nb must then be 0 too)
 * @param nb columns of a tile; 0 as for mb
 * @return 0, −1 … −6, #STARTILE_ERROR_MEMORY also where host and GPUs together have no room for
 * this one beside all others that were made so, #STARTILE_ERROR_STARPU
 */
int startile_matrix_create(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                           int64_t mb, int64_t nb);

/**
 * @brief Wraps LAPACK's column-major storage without a copy.
 *
 * Between this call and startile_matrix_destroy() (or startile_matrix_gather()) the storage
 * belongs to the library. startile_pin() it first for full transfer speed to GPUs.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param a the elements; may be NULL when m·n = 0
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param mb rows of a tile, or 0, as for startile_matrix_create()
 * @param nb columns of a tile, or 0
 * @return 0, −1 … −8, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_matrix_wrap(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, void *a,
                         int64_t lda, int64_t mb, int64_t nb);

/**
 * @brief Tiles in a file of the library's: for matrices larger than the memory.
 *
 * Where tasks run on CPUs alone they have tiles in main memory as long as there is room, and StarPU
 * writes back and reads again what they need. How much of the main memory it takes is what the
 * environment variable STARPU_LIMIT_CPU_MEM says when it starts, in MiB, or nine tenths of the
 * machine's. When a transfer fails, every request with a task on the matrix that begins afterwards
 * fails with #STARTILE_ERROR_DISK, and so does startile_matrix_gather(); the library stays usable.
 *
 * Where tasks run on GPUs, or if the environment variable STARTILE_DISK is `map`, the file is
 * mapped instead, and the system reads, keeps and writes what it wants: StarPU 1.4 was seen to wait
 * for ever for what goes between a disk and a GPU through little main memory. STARPU_LIMIT_CPU_MEM
 * then only says how much the order of tasks should count on. As of every mapped file, a disk that
 * fails to read, or somebody who makes the file shorter meanwhile, ends the program (SIGBUS).
 *
 * Matrices of startile_matrix_create() are not written to disks. The file has no name, and the disk
 * has all its room from the beginning: where its file system cannot promise that (fallocate(2)),
 * nothing is mapped, and #STARTILE_ERROR_DISK. Elements are 0 until written.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param mb rows of a tile, or 0, as for startile_matrix_create()
 * @param nb columns of a tile, or 0
 * @param folder where
 * @return 0, −1 … −7, #STARTILE_ERROR_DISK, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_matrix_create_on_disk(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                   int64_t mb, int64_t nb, const char *folder);

/**
 * @brief Wraps a file that holds a matrix as LAPACK does, column by column.
 *
 * Otherwise as startile_matrix_create_on_disk(). Between this call and startile_matrix_destroy()
 * (or startile_matrix_gather(), which tells of failures and waits for the disk) the file belongs to
 * the library. A tile as high as the matrix is read in one go if lda = m; others column by column.
 *
 * One file, or parts of it that overlap, in two matrices at a time is not supported: what they hold
 * is then undefined.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param file its name; opened for reading and writing (O_RDWR), so that it must be writable even
 *        where it is only read
 * @param first bytes before the first element; of a file that is mapped a multiple of the bytes of
 *        its real numbers, 4 or 8
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param mb rows of a tile, or 0, as for startile_matrix_create()
 * @param nb columns of a tile, or 0
 * @return 0, −1 … −9, #STARTILE_ERROR_DISK also for a file that ends before the matrix does,
 *         #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_matrix_wrap_file(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                              const char *file, int64_t first, int64_t lda, int64_t mb, int64_t nb);

/**
 * @brief Bytes that went from a matrix' file to main memory, and back, since it was made; of a file
 * that is mapped what the system counts for the whole process (getrusage(2)): what it read from
 * disks, and pages that are to be written since they have changed.
 * @return 0, −1 for NULL or a matrix that is not on a disk, −2, −3
 */
int startile_matrix_disk_bytes(const startile_matrix *A, int64_t *read, int64_t *written);

/**
 * @brief Builds a matrix from StarPU handles that the caller owns.
 *
 * Each must be of StarPU's matrix interface with the shape and element size of its tile. The
 * handles stay the caller's: they outlive the descriptor and are never unregistered here.
 *
 * StarPU must order the tasks on them by their accesses: handles whose sequential consistency flag
 * is off are refused with −7. An operation that reads a tile ends its request with
 * #STARTILE_ERROR_TILE when the tile has no value yet (home node −1, and no task that writes it was
 * submitted before), or when its flag has been switched off since. The initial value that
 * starpu_data_set_reduction_methods() gives does not count: write such a tile first.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param mb rows of a tile, ≥ 1
 * @param nb columns of a tile, ≥ 1
 * @param tiles ⌈m/mb⌉ × ⌈n/nb⌉ handles, column-major; copied. NULL entries stand for tiles that
 *        no operation will touch (say, the other triangle); one that does ends its request with
 *        #STARTILE_ERROR_TILE.
 * @param ldt leading dimension of tiles, ≥ max(1, ⌈m/mb⌉)
 * @return 0, −1 … −8, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_matrix_from_handles(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                 int64_t mb, int64_t nb, const starpu_data_handle_t *tiles,
                                 int64_t ldt);

/**
 * @brief Frees the descriptor; NULL is allowed. Waits for the tasks on its tiles, unless these are
 * the caller's handles.
 *
 * A wrapped matrix' result is then in the caller's storage, or file.
 */
void startile_matrix_destroy(startile_matrix *A);

/**
 * @brief Waits for the tasks on a wrapped matrix and brings all its tiles to the host, or into its
 * file.
 *
 * The caller may then read the storage, until the next operation on A, and write it.
 * @return 0, or −1 for NULL or a matrix that is neither wrapped nor on a disk;
 *         #STARTILE_ERROR_DISK when anything of it could not be read or written since it was made
 */
int startile_matrix_gather(startile_matrix *A);

/** @brief StarPU's handle of tile (i, j), for the caller's own tasks; NULL when out of range. */
starpu_data_handle_t startile_matrix_handle(const startile_matrix *A, int64_t i, int64_t j);

/** @brief What a descriptor describes. */
typedef struct startile_shape {
    startile_dtype dtype; /**< element type */
    int64_t m;            /**< rows */
    int64_t n;            /**< columns */
    int64_t mb;           /**< rows of a tile */
    int64_t nb;           /**< columns of a tile */
    int64_t mt;           /**< rows of tiles, ⌈m/mb⌉ */
    int64_t nt;           /**< columns of tiles, ⌈n/nb⌉ */
} startile_shape;

/** @brief Shape of A; all zero for NULL. Thread-safe. */
startile_shape startile_matrix_shape(const startile_matrix *A);

/** @brief Copies LAPACK storage into A. Blocking. @return 0, −1, −2, −3 or a ::startile_error */
int64_t startile_from_lapack(startile_matrix *A, const void *a, int64_t lda);

/** @brief Copies A into LAPACK storage. Blocking. @return 0, −1, −2, −3 or a ::startile_error */
int64_t startile_to_lapack(startile_matrix *A, void *a, int64_t lda);

/**
 * @brief A := offdiag off the diagonal, diag on it (LAPACK xLASET), where the tiles live.
 * @param uplo 'L', 'U': that triangle (or trapezoid), diagonal included; 'G': all
 * @param offdiag value off the diagonal
 * @param diag value on the diagonal
 * @param A m × n, written
 * @param request where to submit
 * @return 0, −1 … −5
 */
int startile_laset_async(char uplo, startile_complex offdiag, startile_complex diag,
                         startile_matrix *A, startile_request *request);
/** @brief Blocking startile_laset_async(). */
int64_t startile_laset(char uplo, startile_complex offdiag, startile_complex diag,
                       startile_matrix *A);

/**
 * @brief B := A, or one triangle of it (LAPACK xLACPY).
 * @param uplo 'L', 'U': that triangle, diagonal included; 'G': all
 * @param A m × n, read
 * @param B m × n of the same type and tiles, written
 * @param request where to submit
 * @return 0, −1 … −4
 */
int startile_lacpy_async(char uplo, const startile_matrix *A, startile_matrix *B,
                         startile_request *request);
/** @brief Blocking startile_lacpy_async(). */
int64_t startile_lacpy(char uplo, const startile_matrix *A, startile_matrix *B);

/**
 * @brief Pseudo-random elements, uniform in [−1, 1) (each part of a complex one), where the
 * tiles live. An element depends on seed, its row and its column only: not on tile size or device.
 * @param kind 'G': general; 'S': symmetric; 'H': Hermitian. 'S' and 'H' need m = n and the
 *        diagonal gets bump added: with bump = n the matrix is positive definite.
 * @param seed any number
 * @param bump real number added to the diagonal, for every kind
 * @param A written
 * @param request where to submit
 * @return 0, −1 … −5
 */
int startile_random_async(char kind, uint64_t seed, double bump, startile_matrix *A,
                          startile_request *request);
/** @brief Blocking startile_random_async(). */
int64_t startile_random(char kind, uint64_t seed, double bump, startile_matrix *A);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/** @defgroup norms Norms
 *  @{ */

/**
 * @brief Norm of a general matrix (LAPACK xLANGE); accumulated in double. NaN propagates.
 *
 * Relative error at most (m + n) · 2⁻⁵³ beyond that of the elements; no overflow for 'F'.
 * @param norm 'M': max |a_ij|; '1' or 'O': largest column sum; 'I': largest row sum; 'F' or 'E':
 *        Frobenius
 * @param A m × n, read
 * @param[out] value written when the request has finished; 0 for an empty matrix
 * @param request where to submit
 * @return 0, −1 … −4
 */
int startile_lange_async(char norm, const startile_matrix *A, double *value,
                         startile_request *request);
/** @brief Blocking startile_lange_async(). */
int64_t startile_lange(char norm, const startile_matrix *A, double *value);

/**
 * @brief Norm of a symmetric matrix of which one triangle is stored (LAPACK xLANSY).
 * @param norm as for startile_lange_async()
 * @param uplo 'L' or 'U': the triangle that is read
 * @param A n × n with square tiles, read
 * @param[out] value written when the request has finished
 * @param request where to submit
 * @return 0, −1 … −5
 */
int startile_lansy_async(char norm, char uplo, const startile_matrix *A, double *value,
                         startile_request *request);
/** @brief Blocking startile_lansy_async(). */
int64_t startile_lansy(char norm, char uplo, const startile_matrix *A, double *value);

/** @brief As startile_lansy_async() for a Hermitian matrix (LAPACK xLANHE): the diagonal's
 *  imaginary parts are taken as zero. */
int startile_lanhe_async(char norm, char uplo, const startile_matrix *A, double *value,
                         startile_request *request);
/** @brief Blocking startile_lanhe_async(). */
int64_t startile_lanhe(char norm, char uplo, const startile_matrix *A, double *value);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/** @defgroup blas3 Tile BLAS 3
 *
 *  op(X) is X for 'N', Xᵀ for 'T', Xᴴ for 'C'. The tiles of the operands must fit each other:
 *  the tile height of op(A) is C's, its tile width is op(B)'s tile height, and so on.
 *  @{ */

/**
 * @brief C := alpha·op(A)·op(B) + beta·C (BLAS xGEMM).
 * @param transa 'N', 'T' or 'C'
 * @param transb 'N', 'T' or 'C'
 * @param alpha scalar
 * @param A op(A) is m × k; read
 * @param B op(B) is k × n; read
 * @param beta scalar; when it is 0, C need not be initialised
 * @param C m × n; updated
 * @param request where to submit
 * @return 0, −1 … −8
 */
int startile_gemm_async(char transa, char transb, startile_complex alpha, const startile_matrix *A,
                        const startile_matrix *B, startile_complex beta, startile_matrix *C,
                        startile_request *request);
/** @brief Blocking startile_gemm_async(). */
int64_t startile_gemm(char transa, char transb, startile_complex alpha, const startile_matrix *A,
                      const startile_matrix *B, startile_complex beta, startile_matrix *C);

/**
 * @brief C := alpha·op(A)·op(A)ᴴ + beta·C on one triangle (BLAS xHERK; xSYRK for real types).
 * @param uplo 'L' or 'U': the triangle of C that is updated; the other is not touched
 * @param trans 'N': op(A) = A is n × k; 'C' (or 'T' for real types): op(A) = Aᴴ, A is k × n
 * @param alpha real scalar
 * @param A read
 * @param beta real scalar
 * @param C n × n with square tiles; updated
 * @param request where to submit
 * @return 0, −1 … −7
 */
int startile_herk_async(char uplo, char trans, double alpha, const startile_matrix *A, double beta,
                        startile_matrix *C, startile_request *request);
/** @brief Blocking startile_herk_async(). */
int64_t startile_herk(char uplo, char trans, double alpha, const startile_matrix *A, double beta,
                      startile_matrix *C);

/**
 * @brief C := alpha·op(A)·op(A)ᵀ + beta·C on one triangle (BLAS xSYRK).
 * @param uplo 'L' or 'U': the triangle of C that is updated
 * @param trans 'N' or 'T' (or 'C' for real types)
 * @param alpha scalar
 * @param A op(A) is n × k; read
 * @param beta scalar
 * @param C n × n with square tiles; updated
 * @param request where to submit
 * @return 0, −1 … −7
 */
int startile_syrk_async(char uplo, char trans, startile_complex alpha, const startile_matrix *A,
                        startile_complex beta, startile_matrix *C, startile_request *request);
/** @brief Blocking startile_syrk_async(). */
int64_t startile_syrk(char uplo, char trans, startile_complex alpha, const startile_matrix *A,
                      startile_complex beta, startile_matrix *C);

/**
 * @brief Solves op(A)·X = alpha·B or X·op(A) = alpha·B for X, which overwrites B (BLAS xTRSM).
 * @param side 'L': op(A)·X = alpha·B; 'R': X·op(A) = alpha·B
 * @param uplo 'L' or 'U': the triangle of A that is read
 * @param transa 'N', 'T' or 'C'
 * @param diag 'N', or 'U': A's diagonal is taken as ones
 * @param alpha scalar
 * @param A triangular with square tiles; read. A zero on the diagonal is not looked for.
 * @param B updated
 * @param request where to submit
 * @return 0, −1 … −8
 */
int startile_trsm_async(char side, char uplo, char transa, char diag, startile_complex alpha,
                        const startile_matrix *A, startile_matrix *B, startile_request *request);
/** @brief Blocking startile_trsm_async(). */
int64_t startile_trsm(char side, char uplo, char transa, char diag, startile_complex alpha,
                      const startile_matrix *A, startile_matrix *B);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/** @defgroup cholesky Cholesky
 *  @{ */

/**
 * @brief Cholesky factorization A = L·Lᴴ or A = Uᴴ·U (LAPACK xPOTRF).
 *
 * Right-looking over tiles, with look-ahead by priorities (Volkov & Demmel 2008, section 5). On a
 * GPU a block column is solved by multiplication with the inverse of the factor T of its diagonal
 * tile when κ = ‖T⁻¹‖₁·‖T‖₁ is at most the order of T, and by a triangular solve when it is more.
 * The multiplication leaves a residual of the order nb·eps·κ·‖B‖ (Du Croz & Higham 1992), so that
 * the guard keeps the backward error of the order of LAPACK's, ‖A − L·Lᴴ‖ ≤ c·n·eps·‖A‖ (Higham
 * 2002, theorem 10.3).
 *
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by L or U; the other is not
 *        touched
 * @param A n × n, Hermitian positive definite, square tiles
 * @param request where to submit; info k > 0: the leading minor of order k is not positive
 *        definite; the leading k − 1 rows and columns of the factor are valid, the rest is
 *        undefined
 * @return 0, −1 … −3
 */
int startile_potrf_async(char uplo, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_potrf_async(); returns info. */
int64_t startile_potrf(char uplo, startile_matrix *A);

/**
 * @brief Solves A·X = B with the factor that startile_potrf() left in A (LAPACK xPOTRS).
 * @param uplo as given to startile_potrf()
 * @param A the factor; read
 * @param B n × nrhs with A's tile height; overwritten by X
 * @param request where to submit
 * @return 0, −1 … −4
 */
int startile_potrs_async(char uplo, const startile_matrix *A, startile_matrix *B,
                         startile_request *request);
/** @brief Blocking startile_potrs_async(). */
int64_t startile_potrs(char uplo, const startile_matrix *A, startile_matrix *B);

/**
 * @brief Factors A and solves A·X = B (LAPACK xPOSV).
 * @param uplo as for startile_potrf_async()
 * @param A overwritten by its factor
 * @param B overwritten by X; not touched when A is not positive definite
 * @param request where to submit; info as for startile_potrf_async()
 * @return 0, −1 … −4
 */
int startile_posv_async(char uplo, startile_matrix *A, startile_matrix *B,
                        startile_request *request);
/** @brief Blocking startile_posv_async(); returns info. */
int64_t startile_posv(char uplo, startile_matrix *A, startile_matrix *B);

/**
 * @brief A := A⁻¹ for a triangular matrix (LAPACK xTRTRI), in place.
 *
 * By block columns: solves with the diagonal tiles from the right and from the left, and products
 * between them; a diagonal tile itself solves T·X = I, for which it takes a temporary of its size.
 * @param uplo 'L' or 'U': the triangle that is read and overwritten; the other is not touched
 * @param diag 'U': a diagonal of ones, which is neither read nor written; 'N': not so
 * @param A n × n with square tiles
 * @param request where to submit; info k > 0: A(k, k) is exactly zero, the first such; A is then
 *        not touched
 * @return 0, −1 … −4
 */
int startile_trtri_async(char uplo, char diag, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_trtri_async(); returns info. */
int64_t startile_trtri(char uplo, char diag, startile_matrix *A);

/**
 * @brief A := Lᴴ·L or U·Uᴴ for the triangle of A (LAPACK xLAUUM), in place.
 *
 * Of a diagonal that is not real only the real part is used, as in LAPACK's xLAUU2.
 * Takes a temporary of a tile's size for each diagonal tile.
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by that of the product; the
 *        other is not touched
 * @param A n × n with square tiles
 * @param request where to submit
 * @return 0, −1 … −3
 */
int startile_lauum_async(char uplo, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_lauum_async(). */
int64_t startile_lauum(char uplo, startile_matrix *A);

/**
 * @brief Inverse of a Hermitian positive definite matrix from its Cholesky factor (LAPACK xPOTRI):
 * startile_trtri(), then startile_lauum(). ‖A·X − I‖ ≤ c·n·eps·cond(A) (Higham 2002, section 14.4).
 * @param uplo 'L' or 'U': the factor, overwritten by that triangle of the inverse
 * @param A n × n with square tiles
 * @param request where to submit; info as for startile_trtri_async()
 * @return 0, −1 … −3
 */
int startile_potri_async(char uplo, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_potri_async(); returns info. */
int64_t startile_potri(char uplo, startile_matrix *A);

/**
 * @brief Estimates the reciprocal condition number from a Cholesky factor (LAPACK xPOCON), as
 * startile_gecon_async() does from those of LU.
 * @param uplo 'L' or 'U': the triangle that the factor is in; read
 * @param A n × n with square tiles, at most 1024 in a row
 * @param anorm the 1-norm of A as it was before it was factored, ≥ 0
 * @param[out] rcond as for startile_gecon_async()
 * @param request where to submit
 * @return 0, −1 … −5
 */
int startile_pocon_async(char uplo, const startile_matrix *A, double anorm, double *rcond,
                         startile_request *request);
/** @brief Blocking startile_pocon_async(). */
int64_t startile_pocon(char uplo, const startile_matrix *A, double anorm, double *rcond);

/** @} */

/* ------------------------------------------------------------------------------------------- */
/** @defgroup lu LU
 *
 *  The factorizations cut a matrix into block columns of nb columns, its tiles' width, and work on
 *  one as a whole, whichever tiles it lies in. **Tiles as tall as the matrix (mb = m)** are the
 *  natural shape; startile_tile_shape() names one. A diagonal block of nb rows must not straddle
 *  tiles: mb is a multiple of nb, or at least m. On a GPU nb is at most 7000. There are at most
 * 1024 rows and 1024 columns of tiles.
 *  @{ */

/**
 * @brief The tile shape that suits a routine on the workers that are running.
 *
 * Square tiles for Cholesky, whole block columns (mb = m) for LU and QR; smaller ones for what the
 * GPUs have no room for, or, where tasks run on CPUs alone, main memory. "geqrf_tree" gets tiles of
 * some thousand rows, and so does "gels" without a GPU for m ≥ 2·n, m > 4096: there a tree is
 * faster than panels, or as fast (perf_models/NOTES.md).
 * @param routine LAPACK's name without the type: "potrf", "getrf", "geqrf", "gels", …; or
 *        "getrf_nopiv", "getrf_tntpiv", "geqrf_tree"
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param[out] mb rows of a tile
 * @param[out] nb columns of a tile
 * @return 0, −1 for an unknown routine, −2 … −6, #STARTILE_ERROR_STARPU
 */
int startile_tile_shape(const char *routine, startile_dtype dtype, int64_t m, int64_t n,
                        int64_t *mb, int64_t *nb);

/** @brief The row interchanges of an LU factorization: one StarPU handle per panel of nb columns.
 */
typedef struct startile_pivots startile_pivots;

/**
 * @brief Makes the pivots for a factorization of A: min(m, n) of them, in panels of A's tile width.
 * Until one is written they are those of the identity.
 * @return 0, −1, −2, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_pivots_create(startile_pivots **P, const startile_matrix *A);

/** @brief Waits for the tasks on the pivots, then frees them; NULL is allowed. */
void startile_pivots_destroy(startile_pivots *P);

/**
 * @brief ipiv as LAPACK has it: row i was interchanged with row ipiv[i − 1], both 1-based.
 * Blocking: waits for the tasks that write them.
 * @param P as startile_getrf() left them
 * @param[out] ipiv min(m, n) elements
 * @return 0, −1, −2
 */
int startile_pivots_to_lapack(startile_pivots *P, int64_t *ipiv);

/**
 * @brief The reverse of startile_pivots_to_lapack(). Blocking.
 * @param P written
 * @param ipiv min(m, n) elements, each between its own 1-based index and m
 * @return 0, −1, −2 (also for an element out of range; P is then as before), #STARTILE_ERROR_MEMORY
 */
int startile_pivots_from_lapack(startile_pivots *P, const int64_t *ipiv);

/**
 * @brief StarPU's handle of panel k, for the caller's own tasks; NULL when out of range.
 *
 * A matrix interface of int64_t, k × 5 for k pivots: the first column is this panel's share of ipiv
 * as of startile_pivots_to_lapack(), to be read only; the rest is the library's own.
 */
starpu_data_handle_t startile_pivots_handle(const startile_pivots *P, int64_t k);

/**
 * @brief LU factorization with partial pivoting, P·A = L·U (LAPACK xGETRF).
 *
 * Right-looking over block columns with look-ahead by priorities (Volkov & Demmel 2008, sections 5
 * and 6): panel with row interchanges; interchanges, triangular solve and product for each block
 * column to its right; interchanges of L to its left, some panels at a time. The pivot of a column
 * is its largest element by |re| + |im|, the topmost of equals. On a GPU the solve multiplies
 * with the inverse of the panel's unit lower triangle T when ‖T⁻¹‖₁·‖T‖₁ is at most its order,
 * and solves when it is more. Backward error ‖P·A − L·U‖ ≤ c·n·eps·‖L‖·‖U‖, where the growth of
 * U's elements over A's is at most 2ⁿ⁻¹ and nearly always small (Higham 2002, section 9.3).
 *
 * @param A m × n; overwritten by L (unit diagonal not stored) and U
 * @param P written; made for A's shape
 * @param request where to submit; info k > 0: U(k, k) is exactly zero, the first such. The
 *        factorization is complete all the same, but what is submitted into the request after it
 *        does nothing.
 * @return 0, −1 … −3
 */
int startile_getrf_async(startile_matrix *A, startile_pivots *P, startile_request *request);
/** @brief Blocking startile_getrf_async(); returns info. */
int64_t startile_getrf(startile_matrix *A, startile_pivots *P);

/**
 * @brief LU factorization without pivoting, A = L·U, as startile_getrf_async() otherwise.
 *
 * For matrices that allow it, say diagonally dominant ones: nothing bounds the growth of the
 * elements else, and a small pivot spoils the result without a word.
 *
 * @param A m × n; overwritten by L and U
 * @param request where to submit; info k > 0: U(k, k) is exactly zero, the first such; the
 *        leading k − 1 rows and columns of the factors are valid, the rest is undefined
 * @return 0, −1, −2
 */
int startile_getrf_nopiv_async(startile_matrix *A, startile_request *request);
/** @brief Blocking startile_getrf_nopiv_async(); returns info. */
int64_t startile_getrf_nopiv(startile_matrix *A);

/**
 * @brief LU factorization with tournament pivoting, P·A = L·U: communication-avoiding LU (Grigori,
 * Demmel & Xiang, "CALU: a communication optimal LU factorization algorithm", SIAM J. Matrix Anal.
 * Appl. 32, 2011).
 *
 * A panel's pivot rows are chosen by a binary tree of small factorizations with partial pivoting,
 * which run in parallel, instead of column by column; the panel is then factored without further
 * pivoting. Elements of L are not bounded by 1. The growth of U's elements is bounded by
 * 2^(n(H+1)−1) with H = ⌈log₂ of the leaves of a panel's tree⌉, against 2^(n−1) for partial
 * pivoting; in the paper's experiments it was at most a small multiple of partial pivoting's.
 * Factors and pivots fit startile_getrs() and its kin like startile_getrf()'s.
 *
 * @param A m × n; overwritten by L and U
 * @param P written; made for A's shape
 * @param request where to submit; info as for startile_getrf_nopiv_async()
 * @return 0, −1 … −3
 */
int startile_getrf_tntpiv_async(startile_matrix *A, startile_pivots *P, startile_request *request);
/** @brief Blocking startile_getrf_tntpiv_async(); returns info. */
int64_t startile_getrf_tntpiv(startile_matrix *A, startile_pivots *P);

/**
 * @brief Solves op(A)·X = B with the factors of an LU factorization (LAPACK xGETRS).
 * @param trans 'N': A·X = B; 'T': Aᵀ·X = B; 'C': Aᴴ·X = B
 * @param A n × n, the factors; read
 * @param P the pivots; read. NULL: none, as after startile_getrf_nopiv()
 * @param B n × nrhs; its tile height is a multiple of A's tile width, or at least n; overwritten
 *        by X
 * @param request where to submit
 * @return 0, −1 … −5
 */
int startile_getrs_async(char trans, const startile_matrix *A, const startile_pivots *P,
                         startile_matrix *B, startile_request *request);
/** @brief Blocking startile_getrs_async(). */
int64_t startile_getrs(char trans, const startile_matrix *A, const startile_pivots *P,
                       startile_matrix *B);

/**
 * @brief Factors A and solves A·X = B (LAPACK xGESV), with steps of iterative refinement if wanted
 * (as LAPACK xGERFS does them: residual in working precision, Higham 2002, section 12.1).
 *
 * One step makes the solve backward stable, componentwise, unless A is close to singular. It takes
 * copies of A and B.
 * @param A n × n; overwritten by its factors
 * @param P written; made for A's shape
 * @param B n × nrhs, tiles as for startile_getrs_async(); overwritten by X; not touched when info >
 *        0
 * @param refine steps of refinement, 0 … 10
 * @param request where to submit; info as for startile_getrf_async()
 * @return 0, −1 … −5
 */
int startile_gesv_async(startile_matrix *A, startile_pivots *P, startile_matrix *B, int refine,
                        startile_request *request);
/** @brief Blocking startile_gesv_async(); returns info. */
int64_t startile_gesv(startile_matrix *A, startile_pivots *P, startile_matrix *B, int refine);

/**
 * @brief A := A⁻¹ from the factors of an LU factorization (LAPACK xGETRI).
 *
 * Solves A·X = I, leaving out what is zero in L⁻¹: 4/3·n³ operations as LAPACK's, by independent
 * block columns. Takes a temporary of A's size. ‖A·X − I‖ ≤ c·n·eps·‖ |L|·|U|·|X| ‖ (Higham 2002,
 * section 14.3, method A).
 * @param A n × n, the factors; overwritten by the inverse
 * @param P the pivots; read. NULL: none
 * @param request where to submit; info k > 0: U(k, k) is exactly zero, the first such; A is then
 *        not touched
 * @return 0, −1 … −3
 */
int startile_getri_async(startile_matrix *A, const startile_pivots *P, startile_request *request);
/** @brief Blocking startile_getri_async(); returns info. */
int64_t startile_getri(startile_matrix *A, const startile_pivots *P);

/**
 * @brief Estimates the reciprocal condition number 1 / (‖A‖·‖A⁻¹‖) from the factors of an LU
 * factorization (LAPACK xGECON).
 *
 * Higham's 1-norm estimator (LAPACK xLACN2): a lower bound of ‖A⁻¹‖, hardly ever off by more than a
 * factor of 3. No pivots are needed, since they do not change the norm.
 * @param norm '1' or 'O': 1-norm; 'I': ∞-norm
 * @param A n × n, the factors; read
 * @param anorm that norm of A as it was before it was factored, ≥ 0
 * @param[out] rcond written when the request has finished; 0 when U has a zero on its diagonal,
 *        when anorm is 0, when the estimate overflows or meets NaN, and when the request has
 * failed; 1 for n = 0
 * @param request where to submit
 * @return 0, −1 … −5
 */
int startile_gecon_async(char norm, const startile_matrix *A, double anorm, double *rcond,
                         startile_request *request);
/** @brief Blocking startile_gecon_async(). */
int64_t startile_gecon(char norm, const startile_matrix *A, double anorm, double *rcond);

/** @} */

/* ------------------------------------------------------------------------------------------- */
/** @defgroup qr QR and least squares
 *
 *  A = Q·R with Q = H₁·H₂·…, a product of Householder reflectors Hᵢ = I − τᵢ·vᵢ·vᵢᴴ, which is kept
 *  in LAPACK's form: vᵢ below the diagonal of A's column i (its element on the diagonal is 1), τᵢ
 * in tau. The reflectors of a block column are one block reflector I − V·T·Vᴴ (Schreiber & Van
 * Loan, SIAM J. Sci. Stat. Comput. 10, 1989); the triangles T, with tau on their diagonals, are a
 * matrix beside A. Tiles are as for LU: mb is a multiple of nb, or at least m, and mb = m is the
 * natural shape.
 *  @{ */

/**
 * @brief Makes the triangles T for a factorization of A: a matrix of nb × min(m, n) elements in
 * tiles of nb × nb, where nb is A's tile width.
 *
 * A caller may as well make such a matrix from handles of its own.
 * @return as startile_matrix_create(); −2 for NULL
 */
int startile_reflectors_create(startile_matrix **T, const startile_matrix *A);

/**
 * @brief tau as LAPACK has it: the diagonals of T's tiles. Blocking: waits for the tasks that write
 * them.
 * @param T as startile_geqrf() or startile_gelqf() left it
 * @param[out] tau as many elements as T has columns, of its type
 * @return 0, −1 (also for a matrix of another shape than T's), −2, #STARTILE_ERROR_STARPU
 */
int startile_reflectors_to_lapack(startile_matrix *T, void *tau);

/**
 * @brief T from the reflectors that LAPACK's xGEQRF or xGELQF, or anybody else's, left in A and tau
 * (LAPACK xLARFT). Blocking.
 * @param storev 'C': the reflectors are columns of A, as of QR; 'R': rows, as of LQ
 * @param A m × n, the reflectors; read
 * @param tau as many elements as T has columns; read
 * @param T written
 * @return 0, −1 … −4 or a ::startile_error
 */
int64_t startile_reflectors_from_lapack(char storev, const startile_matrix *A, const void *tau,
                                        startile_matrix *T);

/**
 * @brief QR factorization A = Q·R (LAPACK xGEQRF).
 *
 * Right-looking over block columns with look-ahead by priorities: panel; block reflector applied to
 * each block column to its right. Backward error: A + ΔA = Q·R with ‖ΔA‖ ≤ c·m·n·eps·‖A‖ column by
 * column, and Q orthogonal to working precision, for every A (Higham 2002, theorem 19.4).
 *
 * @param A m × n; overwritten by R on and above the diagonal and V below it
 * @param T as of startile_reflectors_create(); written
 * @param request where to submit
 * @return 0, −1 … −3
 */
int startile_geqrf_async(startile_matrix *A, startile_matrix *T, startile_request *request);
/** @brief Blocking startile_geqrf_async(). */
int64_t startile_geqrf(startile_matrix *A, startile_matrix *T);

/**
 * @brief LQ factorization A = L·Q (LAPACK xGELQF): that of Aᴴ = Qᴴ·Lᴴ, in a temporary of A's size.
 * @param A m × n; overwritten by L on and below the diagonal and by the reflectors above it, in
 *        rows
 * @param T as of startile_reflectors_create(); written
 * @param request where to submit
 * @return 0, −1 … −3
 */
int startile_gelqf_async(startile_matrix *A, startile_matrix *T, startile_request *request);
/** @brief Blocking startile_gelqf_async(). */
int64_t startile_gelqf(startile_matrix *A, startile_matrix *T);

/**
 * @brief C := op(Q)·C or C·op(Q) with the Q of startile_geqrf() (LAPACK xORMQR, xUNMQR).
 * @param side 'L': op(Q)·C; 'R': C·op(Q), by way of Cᴴ in a temporary of C's size
 * @param trans 'N': op(Q) = Q; 'C' (or 'T' for real types): op(Q) = Qᴴ
 * @param A the reflectors, as many columns as T has (more are not read); read
 * @param T read
 * @param C Q is of order A's rows, which is C's number of rows ('L') or columns ('R'). With 'L'
 *        C's tile height is a multiple of A's tile width, or at least m. Updated.
 * @param request where to submit
 * @return 0, −1 … −6
 */
int startile_unmqr_async(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                         startile_matrix *C, startile_request *request);
/** @brief Blocking startile_unmqr_async(). */
int64_t startile_unmqr(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                       startile_matrix *C);

/**
 * @brief A := the first n columns of Q (LAPACK xORGQR, xUNGQR). Takes temporaries for the
 * reflectors, up to A's size.
 * @param A m × n, m ≥ n, with the reflectors in its first k columns; overwritten
 * @param T the triangles of these, k ≤ n; read
 * @param request where to submit
 * @return 0, −1 … −3
 */
int startile_ungqr_async(startile_matrix *A, const startile_matrix *T, startile_request *request);
/** @brief Blocking startile_ungqr_async(). */
int64_t startile_ungqr(startile_matrix *A, const startile_matrix *T);

/** @brief As startile_unmqr_async() with the Q of startile_gelqf() (LAPACK xORMLQ, xUNMLQ): the
 *  reflectors are rows of A, as many as T has columns, and Q's order is A's columns. Takes
 *  temporaries of A's size and, with side 'R', of C's. */
int startile_unmlq_async(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                         startile_matrix *C, startile_request *request);
/** @brief Blocking startile_unmlq_async(). */
int64_t startile_unmlq(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                       startile_matrix *C);

/** @brief A := the first m rows of the Q of startile_gelqf(), for m × n, m ≤ n (LAPACK xORGLQ,
 *  xUNGLQ). Takes a temporary of A's size. */
int startile_unglq_async(startile_matrix *A, const startile_matrix *T, startile_request *request);
/** @brief Blocking startile_unglq_async(). */
int64_t startile_unglq(startile_matrix *A, const startile_matrix *T);

/**
 * @brief Least squares, or the solution of least norm, for A of full rank (LAPACK xGELS).
 *
 * With op(A) of at least as many rows as columns: X minimizes ‖B − op(A)·X‖₂, column by column.
 * Otherwise X is the solution of op(A)·X = B with the least ‖X‖₂. An A with m ≥ 2·n in several rows
 * of tiles, of B's height, is factored by startile_geqrf_tree() (greedy), any other by panels as
 * startile_geqrf() and startile_gelqf() do; startile_tile_shape() names tiles for the faster one.
 * Normwise backward stable (Higham 2002, theorem 20.3). Like LAPACK it scales A or B where their
 * largest elements are outside of [s, 1/s], s = 2⁻⁹⁷⁰ for double, 2⁻¹⁰³ for float.
 *
 * It takes temporaries: for m < n one of A's size, for a tree 3·nb·n elements for each row of
 * tiles, for solutions of least norm one of the rows of B that are cleared.
 *
 * @param trans 'N': op(A) = A; 'C' (or 'T' for real types): op(A) = Aᴴ
 * @param A m × n; overwritten by details of its factorization
 * @param B max(m, n) × nrhs. Its tile height is a multiple of A's tile width, or at least
 *        max(m, n); A's own where there is to be a tree. On entry its first rows, as many as op(A)
 *        has, are the right-hand sides; on exit X, as many rows as op(A) has columns. Where op(A)
 *        is tall, the squares of the rows below sum up to the residual's; else these are undefined.
 *        Without rows or columns in A all of B becomes 0. For A = 0, X is 0 as LAPACK's, and the
 *        rows below are undefined.
 * @param request where to submit; info k > 0: R(k, k) is exactly zero, the first such: A does not
 *        have full rank, and B is not touched. As by LAPACK, an infinite element makes 0 of the
 *        others before A is factored, so that k is often 1 then.
 * @return 0, −1 … −4
 */
int startile_gels_async(char trans, startile_matrix *A, startile_matrix *B,
                        startile_request *request);
/** @brief Blocking startile_gels_async(); returns info. */
int64_t startile_gels(char trans, startile_matrix *A, startile_matrix *B);

/** @brief Order in which startile_geqrf_tree() joins the rows of tiles of a block column. */
typedef enum startile_tree_kind {
    STARTILE_TREE_FLAT,   /**< one after the other onto the first: the fewest operations */
    STARTILE_TREE_BINARY, /**< neighbours in pairs, then pairs of pairs: the fewest steps down one
                               block column */
    STARTILE_TREE_GREEDY  /**< at each step as many pairs as are ready: the fewest steps for several
                               block columns */
} startile_tree_kind;

/** @brief A reduction tree for matrices of one shape, and what a factorization by it leaves beside
 *  the matrix. */
typedef struct startile_tree startile_tree;

/**
 * @brief Makes the tree for factorizations of A, which has tiles with mb a multiple of nb or at
 * least m.
 *
 * It takes 3·nb·min(m, n) elements for each row of tiles.
 * @return 0, −1 … −3, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_tree_create(startile_tree **tree, const startile_matrix *A, startile_tree_kind kind);

/** @brief Waits for the tasks on the tree, then frees it; NULL is allowed. */
void startile_tree_destroy(startile_tree *tree);

/**
 * @brief QR factorization with a reduction tree over the rows of tiles: TSQR for one block column,
 * communication-avoiding QR for several (Demmel, Grigori, Hoemmen & Langou, SIAM J. Sci. Comput.
 * 34, 2012; the greedy tree: Bouwmeester, Jacquelin, Langou & Robert, SC 2011).
 *
 * Each tile of a block column is factored by itself, and the triangles R are joined in pairs. That
 * exposes parallelism which a panel down the whole column hides, so it suits tall matrices. The
 * error is that of startile_geqrf(), and R is the same but for the signs of its rows; Q is in a
 * form of its own, for startile_unmqr_tree().
 * @param A m × n; overwritten by R on and above the diagonal and a part of Q below it
 * @param tree made for A's shape; written
 * @param request where to submit
 * @return 0, −1 … −3
 */
int startile_geqrf_tree_async(startile_matrix *A, startile_tree *tree, startile_request *request);
/** @brief Blocking startile_geqrf_tree_async(). */
int64_t startile_geqrf_tree(startile_matrix *A, startile_tree *tree);

/**
 * @brief C := op(Q)·C or C·op(Q) with the Q of startile_geqrf_tree().
 * @param side 'L' or 'R', as for startile_unmqr_async()
 * @param trans 'N', 'C' or, for real types, 'T'
 * @param A as startile_geqrf_tree() left it; read
 * @param tree as startile_geqrf_tree() left it; read
 * @param C with 'L' in tiles of A's height; updated
 * @param request where to submit
 * @return 0, −1 … −6
 */
int startile_unmqr_tree_async(char side, char trans, const startile_matrix *A,
                              const startile_tree *tree, startile_matrix *C,
                              startile_request *request);
/** @brief Blocking startile_unmqr_tree_async(). */
int64_t startile_unmqr_tree(char side, char trans, const startile_matrix *A,
                            const startile_tree *tree, startile_matrix *C);

/** @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
