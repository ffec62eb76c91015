/**
 * @file startile_core.h
 * @brief Start and stop, requests and matrices. Include startile.h, which has more.
 */
#ifndef STARTILE_CORE_H
#define STARTILE_CORE_H

#include "startile_types.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <complex>
typedef std::complex<double> startile_complex;
extern "C" {
#else
/**
 * @brief Scalar argument of the operations on descriptors; converted to the matrix' element type.
 */
typedef double _Complex startile_complex;
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/** @defgroup basics Version, element types and error codes
 *  @{ */

#define STARTILE_VERSION_MAJOR 0 /**< major version */
#define STARTILE_VERSION_MINOR 1 /**< minor version */
#define STARTILE_VERSION_PATCH 0 /**< patch level */

/** @brief StarPU's data handle, declared as in starpu_data.h; that header need not be included. */
typedef struct _starpu_data_state *starpu_data_handle_t;

/**
 * @brief Returns the one-line message of a return value of this library; never NULL. Thread-safe.
 *
 * After a failure with a code of several causes the message has the cause, in the thread that the
 * code was returned to: the file and the system's message, the environment variable and its value,
 * or the tile that startile_matrix_from_handles() refuses. A failure of a task comes with
 * startile_request_wait() or startile_request_test(). Other threads, and later failures with the
 * same code, have messages of their own. The string is valid until the thread's next call of the
 * library.
 */
const char *startile_strerror(int64_t code);

/** @brief Returns the version, for example "0.1.0". Thread-safe. */
const char *startile_version(void);

/**
 * @brief Returns the version of StarPU and whether it has startile's patches: "1.4.10, patched" or
 * "1.4.10, unpatched: safe mode, …". Thread-safe.
 *
 * StarPU 1.4.10 may lose data in a full memory. The patches mend that. Without them the library
 * avoids it, which is slower: see docs/install.md.
 */
const char *startile_starpu_version(void);

/**
 * @brief Returns name and version of the BLAS of the workers on CPU cores: "OpenBLAS 0.3.21",
 * "MKL 2026.2", "BLIS 0.9.0". Thread-safe.
 *
 * The library has a copy of its own, which uses one thread per worker. It does not use the BLAS of
 * the program, and does not change its number of threads.
 */
const char *startile_blas_version(void);

/** @} */

/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup runtime Start and stop
 *
 *  **Threads.** These functions are thread-safe. startile_init(), startile_finalize() and
 *  startile_models_named() say what other threads must not do meanwhile.
 *  @{
 */

/**
 * @brief Choice between the library's own GPU kernels and NVIDIA's, for products, triangular
 * operations and Cholesky's diagonal tile, which have both.
 */
typedef enum startile_implementation {
    STARTILE_IMPLEMENTATION_AUTO,  /**< the value of the environment variable
                                      STARTILE_IMPLEMENTATION, "auto", "own" or "vendor". Without it
                                      the faster one: by the library's performance models where
                                      StarPU's policy uses models, else by measurements that the
                                      library contains */
    STARTILE_IMPLEMENTATION_OWN,   /**< kernels of this library */
    STARTILE_IMPLEMENTATION_VENDOR /**< kernels of cuBLAS and cuSOLVER */
} startile_implementation;

/**
 * @brief Callback that reports the progress of the library's tasks.
 *
 * The counts are of all tasks since the library last had nothing to do, in real floating-point
 * operations by the formulas of LAPACK Working Note 41. `total` grows when operations are
 * submitted; a factorization counts with all its tasks from its begin on, a continued one with the
 * remaining ones.
 *
 * Called at most ten times per second, and when all tasks have ended, in a thread of StarPU, which
 * runs no task meanwhile, or in a thread that calls the library. The callback must not call this
 * library; calls do not overlap.
 * @param arg startile_options::progress_arg
 * @param done operations of finished tasks, > 0
 * @param total operations of all tasks
 * @param seconds estimate of the remaining time at the mean rate so far
 */
typedef void startile_progress(void *arg, double done, double total, double seconds);

/**
 * @brief Options of startile_init(), to be filled by startile_options_default() first. Later
 * versions may add fields at the end; `size` tells the library which fields the caller's version
 * has.
 */
typedef struct startile_options {
    size_t size; /**< sizeof(startile_options), set by startile_options_default() */
    int ncpu;  /**< number of CPU workers, at most STARPU_MAXCPUS (`startile info` prints it); −1:
                  one per core. STARPU_NCPU has priority over it */
    int ncuda; /**< number of GPUs, the first ones of the host; −1: all, or the process' share of
                  them where a launcher has started several processes on this host. STARPU_NCUDA has
                  priority over it */
    int workers_per_cuda; /**< StarPU workers per GPU, each with its own stream and CPU core; −1: 3,
                             one of which runs only tasks of critical paths */
    const char *scheduler; /**< name of StarPU's scheduling policy; NULL: chosen by the library, see
                              docs/gpus.md */
    int hybrid; /**< used with GPUs only (docs/hybrid.md). 0 (default): the library's tasks run on
                   GPUs only, and the CPU workers are left to the caller's tasks. 1: CPU workers
                   take part in operations on matrices of those types and sizes for which calibrated
                   models of this machine say that it saves time; without models in none. 2: in all
                   operations, for tests and measurements: StarPU chooses CPU or GPU for each task
                   by its performance models */
    int pause_when_idle; /**< non-zero: StarPU's workers sleep while no matrix, batch or request
                            exists. Allowed only in programs that submit no StarPU tasks of their
                            own and hold no own handles with data on GPUs: sleeping workers run no
                            task and transfer no data. Without effect where StarPU has blocking
                            drivers, as built by tools/setup: its idle workers sleep soon
                            anyway; idle workers of other builds spin */
    startile_implementation implementation; /**< kernels on GPUs; default
                                               STARTILE_IMPLEMENTATION_AUTO */
    int plain_single; /**< non-zero, or the environment variable STARTILE_PLAIN_SINGLE=1: products
                         in single precision and complex single precision multiply unsplit operands
                         in FP32. 0 (default): on GPUs of compute capability 9.0 large products
                         split each operand into three BF16 numbers and run on tensor cores. The
                         error of an element is at most about (k / 16 + 9) u |a|ᵀ|b|, with u = 2⁻²⁴,
                         a the row of op(A), b the column of op(B), k u |a|ᵀ|b| without the split;
                         of a complex one's parts, with 2 k. Products whose operands have elements
                         that are not zero and below 2⁻¹⁰⁰, or so large that sums could overflow,
                         are not split. Takes up to 1 GiB of GPU memory for each worker */
    int emulated_double; /**< non-zero, or the environment variable STARTILE_EMULATED_DOUBLE=1: on
                            GPUs of compute capability 9.0 the library's own kernels compute large
                            products C + α op(A) op(B) in double precision, with real α, on INT8
                            tensor cores (Ozaki scheme II with 14 moduli). The error of an element
                            is at most about u (√k + 3) ‖a‖₂ ‖b‖₂, with u = 2⁻⁵³, a the row of
                            op(A), b the column of op(B); of a complex one's parts, with 2 k.
                            Products of integers need not be exact. Products with Inf, NaN, elements
                            above 2⁴⁰⁰, or rows or columns with few large elements run on FP64
                            tensor cores. Takes up to 1.2 GB of GPU memory for each worker */
    const char *trace;   /**< folder for StarPU's execution trace, written when StarPU stops; a name
                            of up to 200 bytes, created if absent. Recorded are the tasks between
                            startile_trace_start() and startile_trace_stop(). `startile gantt FOLDER`
                            draws it.
                            NULL: the folder that the environment variable STARTILE_TRACE names, and
                            the whole run is recorded; without that variable no trace is written */
    double cpu_watts;    /**< additional power of a working CPU core over an idle one, in watts;
                            `startile bench --energy` measures it. With cuda_watts it defines energy
                            models of the codelets, by which StarPU's policies dmda and dmdas weigh
                            energy against time: STARPU_SCHED_GAMMA is the time that one joule is
                            worth, in µs, default 1000. 0 for both (default): no energy models */
    double cuda_watts;   /**< additional power of a working GPU over an idle one, in watts */
    int map_files; /**< non-zero: files of matrices are mapped into main memory also where tasks run
                      on CPU workers only; see startile_matrix_create_on_disk() */
    startile_allocate *allocate; /**< function that allocates the kernels' workspace on GPUs, for
                                    example from a framework's pool; NULL: cudaMalloc(). Each worker
                                    of a GPU calls it in its own thread, when the library starts and
                                    where a larger workspace is needed: for 72 MiB at the start,
                                    more for LU and QR of large tiles. StarPU's own memory does not
                                    come from it: copies of tiles, and temporaries. StarPU 1.4 has
                                    no hook for these; STARPU_LIMIT_CUDA_MEM limits them */
    startile_release *release;   /**< function that frees what `allocate` returned; both or none */
    void *allocator;             /**< argument `context` of both functions */
    startile_progress *progress; /**< callback, or NULL (default) */
    void *progress_arg;          /**< its first argument */
    int verify;       /**< detection of silent corruption by checksums (docs/verification.md).
                         0 (default): the level in the environment variable STARTILE_VERIFY, or none.
                         1: an operation whose result was changed by a flipped bit, or by a wrong
                         computation or transfer, fails with #STARTILE_ERROR_CORRUPTION.
                         2: it runs again from a copy of its input, and fails if three runs are
                         wrong. An info > 0 is returned if two consecutive runs agree on it, or if
                         the third run has it.
                         startile_request_set_verify() sets the level of a request. Not checked are
                         the routines that docs/verification.md leaves out. On a grid of processes
                         asynchronous calls wait for the check. With a journal, column pivoting or
                         symmetric interchanges level 2 is as level 1. Checksums need memory, and
                         level 2 needs memory for a copy of the operand that is overwritten */
    int reproducible; /**< non-zero, or the environment variable STARTILE_REPRODUCIBLE=1: a call
                         with the same arguments, tiles and environment variables gives the same
                         bits on all processors of one kind (docs/reproducibility.md). They depend
                         neither on the number of workers and GPUs, nor on the scheduler, the memory
                         or the time at which tasks run. `hybrid` has no effect then, tasks on GPUs
                         use one implementation, and default tile shapes and the number of matrices
                         in a task of a batch depend only on the call, the kind of processor and the
                         models in use */
} startile_options;

/**
 * @brief Fills *options with the defaults. Thread-safe.
 * @param[out] options the options
 * @param size sizeof *options: the size of the structure for which the program was compiled
 */
void startile_options_default(startile_options *options, size_t size);

/**
 * @brief Starts the library. Uses a StarPU that is running already, else starts StarPU.
 *
 * Calls nest: each successful call needs one startile_finalize(). Only the options of the first
 * call count. The exception is pause_when_idle, which is switched off by the first call that does
 * not set it. When StarPU runs already, only hybrid, implementation, plain_single,
 * emulated_double, cpu_watts, cuda_watts, map_files, allocate, release, allocator, progress, verify
 * and reproducible count. The typed entries of startile_lapack.h call startile_init() themselves if
 * the library is not started.
 *
 * Processes that mpirun, mpiexec or srun started on one host divide its GPUs: of g GPUs and l
 * processes, process r uses GPUs floor(r·g / l) … floor((r+1)·g / l) − 1. If l > g, it uses GPU
 * r mod g and an equal part of the memory that StarPU may take there. The GPUs are not divided
 * if STARPU_WORKERS_CUDAID or STARPU_NCUDA is set, if options->ncuda ≥ 0, or if
 * CUDA_VISIBLE_DEVICES leaves the process one GPU.
 *
 * StarPU keeps its measurements of the machine under XDG_CACHE_HOME, STARPU_HOME or HOME, the first
 * that is set. If it cannot make, read or write its files there, it uses startile-UID in the folder
 * for temporary files. Damaged files are replaced.
 *
 * While the call that starts StarPU sets environment variables for it, no other thread may call
 * getenv().
 *
 * @param options options, or NULL for the defaults
 * @return 0; −1 for options without a valid size, a scheduler that StarPU does not know, a number
 * of workers or GPUs below −1, more CPU workers than STARPU_MAXCPUS, negative watts, an
 * implementation outside the enumeration, `hybrid` or `verify` outside 0 … 2, or one of allocate
 * and release without the other; #STARTILE_ERROR_ENVIRONMENT for a malformed
 * STARTILE_IMPLEMENTATION, STARTILE_PLAIN_SINGLE, STARTILE_EMULATED_DOUBLE, STARTILE_VERIFY,
 * STARTILE_REPRODUCIBLE or STARTILE_NB, a STARTILE_MODELS whose models cannot be used, or a
 * variable of StarPU that StarPU cannot use; #STARTILE_ERROR_STARPU or #STARTILE_ERROR_NO_WORKER;
 *         #STARTILE_ERROR_MEMORY if memory or the threads of the workers do not suffice;
 *         #STARTILE_ERROR_DISK if no folder for StarPU's files can be written, or no file can be
 *         opened; #STARTILE_ERROR_TRACE if options->trace or STARTILE_TRACE requests a trace, and
 *         StarPU was built without FxT or runs already without a trace, or the folder cannot be
 *         written
 */
int64_t startile_init(const startile_options *options);

/**
 * @brief Undoes one startile_init(). The last call stops StarPU if the library started it.
 *
 * Every descriptor and request must be destroyed before the last call. While it stops StarPU, other
 * threads may call startile_init(), startile_finalize() and the typed entries, but no other
 * function; after a trace it restores environment variables, so no other thread may call getenv().
 * A program may end without the last call, also while threads are in calls of the library and while
 * requests are unfinished.
 */
void startile_finalize(void);

/** @brief Calibrated performance models in use; see startile_models_in_use(). */
typedef struct startile_models {
    char machine[64];  /**< name of the machine on which the models were measured; "" for none */
    char folder[4096]; /**< folder of the models; "" for none */
    char words[1024];  /**< reason for this choice, one line */
    int refused; /**< non-zero: models that were found or requested cannot be used, all or in part;
                    words has the reason */
} startile_models;

/**
 * @brief Returns the performance models that the library has used since its start.
 *
 * At startile_init() the library searches a folder of models that `startile calibrate` measured on
 * exactly these processors: the same GPU model if its tasks run on GPUs; the same CPU model with as
 * many cores if they run on CPU workers. It searches
 * ${XDG_DATA_HOME:-~/.local/share}/startile/models first, then the models that come with the
 * library, and takes the newest folder of the first place that has one. The environment variable
 * STARTILE_MODELS names a folder or a machine to use instead, and startile_init() fails if that is
 * not there, damaged, stale or of other processors; its value `none` disables the models.
 * Without a folder that fits, StarPU measures the tasks itself; it also measures tasks whose file
 * is damaged.
 *
 * models->refused is also set when another folder for these processors cannot be used; the words
 * then have its path and the reason.
 *
 * @param[out] models the models, after a check of all files of the folder; none before
 *         startile_init()
 * @return 0; −1 for NULL
 */
int64_t startile_models_in_use(startile_models *models);

/**
 * @brief Finds models by a machine's name or by a folder. This machine's processors are not
 * compared.
 *
 * Must not be called while another thread starts the library.
 *
 * @param[in] name of a machine, or path of a folder, which must contain a '/'
 * @param[out] models the models; models->refused is set if they cannot be used, and models->words
 *         has the reason
 * @return 0; −1 or −2 for NULL, −1 for an empty name
 */
int64_t startile_models_named(const char *name, startile_models *models);

/**
 * @brief Returns the size from which on a routine is faster than LAPACK, by the models in use.
 *
 * The sizes come from the table `crossovers` in the models' folder; the machine's own LAPACK was
 * measured for it. The table has sizes for tasks on GPUs and for tasks on CPU workers. The size is
 * n for a square matrix. For other shapes it is the cube root of the product of the dimensions in
 * the operation count.
 *
 * @param[in] routine "potrf", "orgqr" (for complex types, too), …
 * @param dtype type of the matrix
 * @return the size; 0 if the table has no entry or an argument is wrong, and before startile_init()
 */
int64_t startile_crossover(const char *routine, startile_dtype dtype);

/** @brief Returns the number of StarPU workers that run on CPU cores; 0 before startile_init(). */
int startile_cpu_workers(void);

/**
 * @brief Returns the number of StarPU workers that run on CUDA devices; 0 before startile_init().
 */
int startile_cuda_workers(void);

/**
 * @brief Allocates `bytes` bytes of page-locked host memory, from and to which transfers run
 * asynchronously and at full speed.
 * @return memory to be freed by startile_free(); NULL on failure, and before startile_init()
 */
void *startile_malloc(size_t bytes);

/** @brief Frees memory from startile_malloc(), with the same `bytes`; NULL is allowed. */
void startile_free(void *memory, size_t bytes);

/**
 * @brief Page-locks `bytes` bytes of memory that the caller allocated. Has no effect without a GPU.
 * @return 0, −1 for NULL, −2 for bytes = 0, #STARTILE_ERROR_MEMORY, or #STARTILE_ERROR_STARPU
 * before startile_init()
 */
int64_t startile_pin(void *memory, size_t bytes);

/** @brief Undoes startile_pin(). @return as for startile_pin() */
int64_t startile_unpin(void *memory, size_t bytes);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup request Requests: groups of asynchronous operations
 *
 *  A request gathers any number of asynchronous operations. StarPU orders them by their data: an
 *  operation waits for earlier operations, and for the caller's own StarPU tasks, on the same
 *  handles. When an operation fails or the request is cancelled, the request has ended: its tasks
 *  that have not begun, and all operations submitted later, do nothing until
 *  startile_request_reset(). The results of an operation of which only some tasks have run are
 *  undefined. A call that would leave more than 200,000 tasks of a request unfinished waits until
 *  half of them are done.
 *
 *  **Threads.** One thread at a time submits operations into a request, waits for it, or calls
 *  another function on it. Threads may use different requests at once. Only
 *  startile_request_cancel() may be called at any time before startile_request_destroy().
 *  @{
 */

/** @brief A group of asynchronous operations with one return value. */
typedef struct startile_request startile_request;

/**
 * @brief Creates an empty request.
 * @param[out] request the new request
 * @return 0, −1, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_request_create(startile_request **request);

/**
 * @brief Sets the priority of the operations that are submitted into the request after this call.
 *
 * Tasks of a request with a higher priority go first if the scheduler supports priorities. The
 * default is 0. A difference of 1 between two requests outweighs every difference of priorities
 * inside a factorization.
 * @param request the request
 * @param priority −1000 … 1000
 * @return 0, −1, or −2 for |priority| > 1000
 */
int64_t startile_request_set_priority(startile_request *request, int priority);

/**
 * @brief Sets the level of startile_options::verify for the operations that are submitted into the
 * request after this call.
 * @param request the request
 * @param level 0, 1 or 2
 * @return 0, −1, or −2 for a level outside 0 … 2
 */
int64_t startile_request_set_verify(startile_request *request, int level);

/** @brief Place of a corrupted element, as far as the checksums tell it. */
typedef struct startile_corruption {
    const char *routine; /**< "potrf", "getrf", "getrf_nopiv", "getrf_tntpiv", "geqrf", "geqp3",
                            "geqp3_random", "gemm", "trsm" or "trtrs"; NULL: no corruption found */
    int64_t step; /**< step of the algorithm's outer loop that computed the tile last, for gemm
                     always the last step; −1: not known */
    int64_t row;  /**< index i of the tile (i, j); −1: not known, because several elements of the
                     column are wrong. For LU the rows count in their order before the
                     interchanges */
    int64_t column; /**< index j of that tile, in the first block column with a wrong checksum */
} startile_corruption;

/**
 * @brief Returns the place of the corruption for which an operation of the request, or a blocking
 * call, returned #STARTILE_ERROR_CORRUPTION.
 *
 * The place is that of the first column whose checksum is wrong. The row is computed from two
 * checksums of that column as if one element were wrong.
 * @param request the request; NULL: the last blocking call of the calling thread that found a
 *        corruption
 * @param[out] found its place
 * @return 1, or 0 if there is none; −2 for NULL
 */
int64_t startile_request_corruption(startile_request *request, startile_corruption *found);

/**
 * @brief Waits for all operations of the request. More may be submitted afterwards. Collective if
 * an operation was on a grid.
 * @param request the request
 * @return 0, or the first failure: LAPACK's info (> 0) or a ::startile_error; −1 for NULL
 */
int64_t startile_request_wait(startile_request *request);

/**
 * @brief Tests without waiting whether all operations of the request have finished. Not collective:
 * on a grid it tests the tasks and messages of the calling process only.
 * @param request the request
 * @param[out] done 1 or 0
 * @return as startile_request_wait() if *done is 1, else 0; −1, −2 for NULL. On a grid the result
 * is what the calling process knows; only startile_request_wait() returns the same on all.
 */
int64_t startile_request_test(startile_request *request, int *done);

/**
 * @brief Returns a StarPU handle that the request writes when the operations that were submitted
 * into it so far have ended: for tasks of the program that depend on their outcome.
 *
 * The handle has StarPU's variable interface and holds one int64_t: the value that
 * startile_request_wait() would return at this moment; on a grid, what the calling process knows. A
 * task that reads the handle runs after the operations, also if these have failed, and after
 * results such as those of startile_lange_async() are stored. starpu_data_acquire_cb() calls a
 * function at this moment. Operations that are submitted into the request later do not delay the
 * outcome, so they may wait for tasks that read it; if one of them fails before, the outcome is
 * this failure.
 *
 * The request owns the handle, which is only to be read (STARPU_R) and not to be unregistered.
 * startile_request_reset() and startile_request_destroy() unregister it, and wait for the tasks on
 * it that were submitted before.
 * @param request the request
 * @param[out] outcome a new handle at each call
 * @return 0, −1, −2, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_NO_WORKER
 */
int64_t startile_request_outcome(startile_request *request, starpu_data_handle_t *outcome);

/**
 * @brief Cancels the request: its tasks that have not begun do nothing. startile_request_wait()
 * must still be called; it returns #STARTILE_ERROR_CANCELLED if a task was skipped.
 *
 * Tiles keep the values that finished tasks wrote. A tile that a skipped task would have
 * overwritten without reading it is undefined. Thread-safe. On a grid one process may cancel for
 * all.
 * @param request the request
 * @return 0, or −1 for NULL
 */
int64_t startile_request_cancel(startile_request *request);

/**
 * @brief Waits for the request as startile_request_wait() does, then empties it, so that a failed
 * or cancelled request can be used again, also on another grid. Its priority and its level of
 * `verify` stay.
 * @param request the request
 * @return 0 whatever the outcome was, −1 for NULL
 */
int64_t startile_request_reset(startile_request *request);

/**
 * @brief Waits for the request as startile_request_wait() does, then frees it.
 * @param request the request; NULL is allowed
 */
void startile_request_destroy(startile_request *request);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup matrix Matrices
 *
 *  An m × n matrix in tiles of mb × nb elements, column-major inside a tile, one StarPU handle
 *  (matrix interface) per tile. Tile (i, j) holds rows i·mb … and columns j·nb …; the last tiles of
 *  a row or column may be smaller. The dimensions of a tile must fit 32 bits.
 *
 *  **Several GPUs.** With g GPUs, tile (i, j) belongs to GPU j mod g if nt ≥ 2·mt, to GPU i mod g
 *  if mt ≥ 2·nt, else to GPU min(i, j) mod g, for mt × nt tiles. A task runs on the GPU to which
 *  its largest tile belongs; a tile that it writes counts twice. The data of a tile may be in any
 *  memory before the task.
 *
 *  **Capacity.** The memory of a GPU must hold the matrix, or the data of two tasks of each of the
 *  GPU's workers. Main memory must likewise hold a matrix on a disk that is not mapped, or the data
 *  of two tasks of each worker that runs the library's tasks. With w such workers the data of these
 *  tasks are
 *   - potrf, posv, posv_mixed: 18·w tiles where all tasks run on GPUs, else 6·w;
 *   - potrs, potrf_update, potrf_downdate, gemm, herk, syrk, trsm, trtrs, trmm, hemm,
 *     symm, trtri, lauum, potri, hegst, pocon, geqrf_tree, unmqr_tree: 6·w tiles;
 *   - porfs, posvx: 6·w tiles and 4·w block columns of the factor and of X;
 *   - getrf, getrf_nopiv, getrf_tntpiv, gecon, geqrf, unmqr, unmlq, ungqr: 4·w block columns, of
 *     m × nb elements; gelqf and unglq: as many of Aᴴ, of n × nb elements;
 *   - getrs, gesv, gesv_mixed, gels, gels_mixed: 4·w block columns of A and 4·w of B;
 *   - getri: 2·w rows of tiles, of mb × n elements;
 *   - geqp3_random, geqp3_rank: 4·w block columns; for a matrix on a disk main memory must hold
 *     2 + ⌈n/m⌉ more;
 *   - geqp3: the matrix, in a GPU's memory or else in main memory; pstrf, sytrf, hetrf, sysv, hesv:
 *     the triangle's tiles, likewise; gelsy: A and a temporary of its size, in main memory;
 *   - sytrf_aa, hetrf_aa, sysv_aa, hesv_aa: 4·w block columns, and two temporaries of A's size, in
 *     main memory; sytrs_aa, hetrs_aa: 4·w block columns of A and 4·w of B;
 *   - sytrs, sycon, sydet, heinertia and their Hermitian names: 4·w block columns of A and 4·w of
 *     B; sytrs, sycon: and a temporary of A's size; sytri, hetri: two of them; syrfs, herfs: 6·w
 *     tiles, 4·w block columns of the factors and of X, and a temporary of A's size;
 *   - for a matrix on a disk, also main memory for copies: one of A and B for gesv with refinement;
 *     one of A in single precision for gesv_mixed, posv_mixed and gels_mixed; one of A for getri,
 *     gelqf, ungqr, unmlq and gels with m < n; two of A for unglq; one of C for unmqr with side
 *     'R'.
 *
 *  For potrf, potrs, getrf and its variants, getrs, gesv, geqrf, geqp3_random and gels these
 *  amounts were tested; with less the operation ends with #STARTILE_ERROR_MEMORY and has written
 *  nothing. Other
 *  operations end with #STARTILE_ERROR_MEMORY when they submit a task whose tiles exceed the
 *  capacity of every memory that it could run in; they may have written a part of the result then.
 *  STARPU_LIMIT_CUDA_MEM and STARPU_LIMIT_CPU_MEM, in MiB, limit the memory that StarPU takes.
 *  StarPU allocates tiles of up to 4 MiB in chunks of 32 MiB of a GPU's memory, each tile rounded
 *  up to a multiple of 16 KiB. Larger tiles need 160 MiB more, because StarPU keeps some chunks.
 *  Tiles of other matrices that are still in a memory are evicted, but later than needed, which
 *  adds transfers.
 *
 *  **Threads.** One thread at a time uses a matrix in a call. Threads may use different matrices at
 *  once. On grids one thread of a process at a time calls these functions, see startile_mpi.h.
 *  @{
 */

/** @brief A matrix descriptor. */
typedef struct startile_matrix startile_matrix;

/**
 * @brief Creates a matrix whose tiles are allocated by the library, each in the memory where it is
 * first written.
 *
 * Elements are 0 until they are written: by startile_laset(), startile_random(),
 * startile_matrix_from_lapack(), an operation, or the caller's own tasks.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param mb rows of a tile, ≥ 1
 * @param nb columns of a tile, ≥ 1
 * @return 0, −1 … −6, #STARTILE_ERROR_STARPU, #STARTILE_ERROR_MEMORY; the latter also if this
 *         matrix and all others of startile_matrix_create() together exceed the memory of host and
 *         GPUs
 */
int64_t startile_matrix_create(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                               int64_t mb, int64_t nb);

/**
 * @brief Wraps LAPACK's column-major storage without a copy.
 *
 * Between this call and startile_matrix_destroy() or startile_matrix_gather() the caller must not
 * access the storage. Call startile_pin() on it first for full transfer speed to GPUs.
 *
 * The storage may be in main memory, page-locked or not; in managed memory of CUDA; or in the
 * memory of a GPU. The library finds the GPU by the address. Its tasks then use the elements where
 * they are; only tasks on other devices copy tiles. Work of CUDA streams that writes the elements
 * must have ended before this call, or use startile_matrix_wrap_device().
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param a the elements; may be NULL when m·n = 0. In the memory of a GPU it must be a multiple of
 *        the element size
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param mb rows of a tile, ≥ 1
 * @param nb columns of a tile, ≥ 1
 * @return 0, −1 … −8, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU; #STARTILE_ERROR_NO_WORKER if
 *         `a` is in the memory of a GPU without a StarPU worker, or the library was built without
 *         CUDA
 */
int64_t startile_matrix_wrap(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                             void *a, int64_t lda, int64_t mb, int64_t nb);

/**
 * @brief Returns the recommended tile shape of a routine for the running workers.
 *
 * Cholesky and products get square tiles; LU and QR get whole block columns (mb = m). Tiles are
 * smaller if the matrix exceeds the memory of the GPUs, or main memory where tasks run on CPU
 * workers only. "geqrf_tree" gets tiles of several thousand rows. "gels" gets the same tiles
 * without a GPU for m ≥ 2·n and m > 4096, because a tree is then at least as fast as panels
 * (perf_models/NOTES.md, "CPU cores").
 * @param routine the name of a routine on matrices, without `startile_`:
 *         - Cholesky: "potrf", "potrs", "posv", "posv_mixed", "posvx", "porfs", "pstrf",
 *           "potrf_update", "potrf_downdate", "potri", "trtri", "lauum", "hegst", "pocon", "podet";
 *         - LU: "getrf", "getrf_tntpiv", "getrf_nopiv", "getrs", "gesv", "gesv_mixed", "getri",
 *           "gecon", "gedet";
 *         - symmetric indefinite systems: "sytrf", "sytrs", "sysv", "syrfs", "sycon", "sytri",
 *           "sydet", "hetrf", "hetrs", "hesv", "herfs", "hecon", "hetri", "hedet", "heinertia",
 *           "sytrf_aa", "sytrs_aa", "sysv_aa", "hetrf_aa", "hetrs_aa", "hesv_aa";
 *         - QR: "geqrf", "gelqf", "unmqr", "unmlq", "ungqr", "unglq", or by their real names
 *           "ormqr", "ormlq", "orgqr", "orglq"; "geqp3", "geqp3_random", "geqp3_rank",
 *           "gels", "gelsy", "gels_mixed"; "geqrf_tree", "unmqr_tree";
 *         - products, triangular solves, norms and copies: "gemm", "herk", "syrk", "hemm", "symm",
 *           "trsm", "trmm", "trtrs", "lange", "lansy", "lanhe", "laset", "lacpy", "random"
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param[out] mb rows of a tile
 * @param[out] nb columns of a tile
 * @return 0, −1 for an unknown routine or NULL, −2 … −6, #STARTILE_ERROR_STARPU. Thread-safe.
 */
int64_t startile_tile_shape(const char *routine, startile_dtype dtype, int64_t m, int64_t n,
                            int64_t *mb, int64_t *nb);
/**
 * @brief startile_tile_shape() for a matrix in main memory.
 *
 * If all tasks run on GPUs, the tiles of Cholesky and of LU with pivots are smaller than those for
 * a matrix in GPU memory: finished tiles are copied back while the factorization goes on.
 * Thread-safe.
 */
int64_t startile_tile_shape_in_host(const char *routine, startile_dtype dtype, int64_t m, int64_t n,
                                    int64_t *mb, int64_t *nb);

/**
 * @brief Creates a matrix as startile_matrix_create() does, in the tiles of startile_tile_shape().
 *
 * Right-hand sides take mb and nb of startile_matrix_shape(A); for startile_gels() with m < n they
 * take tiles of n rows.
 * @param[out] A the new descriptor
 * @param routine routine that will be called with A, as for startile_tile_shape()
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @return 0, −1 … −5, else as for startile_matrix_create()
 */
int64_t startile_matrix_create_for(startile_matrix **A, const char *routine, startile_dtype dtype,
                                   int64_t m, int64_t n);
/**
 * @brief Wraps LAPACK's storage as startile_matrix_wrap() does, in the tiles of
 * startile_tile_shape() if `a` is in the memory of a GPU, else in those of
 * startile_tile_shape_in_host().
 *
 * The tiles of right-hand sides are as for startile_matrix_create_for().
 * @param[out] A the new descriptor
 * @param routine routine that will be called with A, as for startile_tile_shape()
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param a the elements, as for startile_matrix_wrap()
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @return 0, −1 … −7, else as for startile_matrix_wrap()
 */
int64_t startile_matrix_wrap_for(startile_matrix **A, const char *routine, startile_dtype dtype,
                                 int64_t m, int64_t n, void *a, int64_t lda);

/**
 * @brief Wraps column-major storage as startile_matrix_wrap() does, in order with a CUDA stream.
 *
 * Operations on A begin when the work that is in the stream now has ended. If `a` is in the memory
 * of a GPU, the call returns at once: it records an event in the stream, and one task for each
 * eight tiles waits for the event in the stream of a worker of that GPU. If the host can access `a`
 * (managed memory, main memory), the call itself waits for the event. No call waits for the device.
 *
 * Work that is launched in any stream after startile_matrix_gather() or startile_matrix_destroy()
 * sees the results: both return when the operations on A have ended, so the stream need not wait.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param a the elements, as for startile_matrix_wrap()
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param mb rows of a tile, ≥ 1
 * @param nb columns of a tile, ≥ 1
 * @param device number that CUDA gives to the GPU that has `a`; for managed memory that of the
 *        stream's GPU. −1: found by the address
 * @param stream cudaStream_t of this GPU, not in a capture; NULL: the default stream of CUDA's
 *        legacy kind. Where no tasks run on GPUs it must be NULL, and no stream is waited for
 * @return as for startile_matrix_wrap(); −9 if `a` is not on this device; −10 if CUDA refuses to
 *         record an event in the stream; #STARTILE_ERROR_NO_WORKER also for a stream where no tasks
 *         run on GPUs
 */
int64_t startile_matrix_wrap_device(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                    void *a, int64_t lda, int64_t mb, int64_t nb, int device,
                                    void *stream);

/**
 * @brief Makes later operations on a wrapped matrix wait for the work that is in a CUDA stream now,
 * as startile_matrix_wrap_device() does.
 *
 * For a caller that has changed the elements after startile_matrix_gather().
 * @param A a matrix of startile_matrix_wrap() or startile_matrix_wrap_device()
 * @param stream as for startile_matrix_wrap_device()
 * @return 0; −1 also for a matrix that is not wrapped, or is on a grid; −2 if CUDA refuses to
 *         record an event in the stream; #STARTILE_ERROR_NO_WORKER, #STARTILE_ERROR_MEMORY,
 *         #STARTILE_ERROR_STARPU
 */
int64_t startile_matrix_after_stream(startile_matrix *A, void *stream);

/** @brief A grid of p × q processes that share matrices; see startile_mpi.h. */
typedef struct startile_grid startile_grid;

/**
 * @brief Frees a grid without matrices and requests; NULL is allowed. Collective.
 * @return 0, or −1 if matrices of the grid, or requests with operations on them, have not been
 *         destroyed
 */
int64_t startile_grid_destroy(startile_grid *grid);

/**
 * @brief Returns a grid in which the first process of `grid` owns all tiles, to scatter and gather
 * with startile_lacpy(): wrap the first process' storage with startile_matrix_wrap_local(). The
 * library frees the grid. Returns NULL for NULL. Thread-safe.
 */
startile_grid *startile_grid_root(startile_grid *grid);

/**
 * @brief Creates a matrix that is distributed over the processes of a grid. Collective.
 *
 * Tile (i, j) belongs to the process in row i mod p and column j mod q of the grid, as in
 * ScaLAPACK; on symmetric grids see startile_mpi.h. Its elements are 0 until they are written.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows of the whole matrix, ≥ 0
 * @param n columns of the whole matrix, ≥ 0
 * @param mb rows of a tile, ≥ 1
 * @param nb columns of a tile, ≥ 1
 * @param grid the grid
 * @return 0, −1 … −7, #STARTILE_ERROR_STARPU, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_MPI;
 *         #STARTILE_ERROR_MISMATCH if the arguments or the kinds of workers differ between the
 *         processes. The same on all processes, see startile_mpi.h.
 */
int64_t startile_matrix_create_distributed(startile_matrix **A, startile_dtype dtype, int64_t m,
                                           int64_t n, int64_t mb, int64_t nb, startile_grid *grid);

/**
 * @brief Wraps ScaLAPACK's block-cyclic storage without a copy. Collective.
 *
 * Each process passes the elements that it owns, in column-major order. The first tile belongs to
 * the process in row 0 and column 0 (RSRC = CSRC = 0). Between this call and
 * startile_matrix_destroy() or startile_matrix_gather() the caller must not access the storage.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows of the whole matrix, ≥ 0
 * @param n columns of the whole matrix, ≥ 0
 * @param local this process' elements, in main memory; may be NULL if it has none
 * @param lld leading dimension of `local`, from max(1, its rows) to 2³¹ − 1
 * @param mb rows of a tile (MB), ≥ 1
 * @param nb columns of a tile (NB), ≥ 1
 * @param grid the grid; not a symmetric one
 * @return 0, −1 … −9, else as for startile_matrix_create_distributed()
 */
int64_t startile_matrix_wrap_local(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                   void *local, int64_t lld, int64_t mb, int64_t nb,
                                   startile_grid *grid);

/**
 * @brief Returns the rank in the grid of the process that owns tile (i, j), both from 0; 0 for a
 * local matrix, −1 for NULL or a tile outside the matrix. Thread-safe.
 */
int startile_matrix_owner(const startile_matrix *A, int64_t i, int64_t j);

/** @brief Returns the grid of a distributed matrix, NULL for a local one. Thread-safe. */
startile_grid *startile_matrix_grid(const startile_matrix *A);

/**
 * @brief Creates a matrix from StarPU handles that the caller owns.
 *
 * Each handle must have StarPU's matrix interface with the shape and element size of its tile. The
 * caller keeps the ownership: the handles must outlive the descriptor, and the library never
 * unregisters them.
 *
 * StarPU must order the tasks on the handles by their accesses: a handle whose sequential
 * consistency flag is off is refused with −7. An operation that reads a tile ends its request with
 * #STARTILE_ERROR_TILE if the tile has no value yet (home node −1, and no task that writes it was
 * submitted before). An operation that writes a part of a tile, say a triangle, reads the tile. Any
 * operation ends its request with #STARTILE_ERROR_TILE if the flag of a tile was switched off after
 * this call. The initial value of starpu_data_set_reduction_methods() does not count as a value:
 * write the tile first. The library does not detect that starpu_data_invalidate_submit() drops a
 * value while tasks on the tile are pending: StarPU 1.4.10 then ends the program.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param mb rows of a tile, ≥ 1
 * @param nb columns of a tile, ≥ 1
 * @param tiles ⌈m/mb⌉ × ⌈n/nb⌉ handles, column-major; copied. An entry may be NULL if no operation
 *         uses the tile, for example in the triangle that is not stored; an operation that uses it
 *         ends its request with #STARTILE_ERROR_TILE.
 * @param ldt leading dimension of tiles, ≥ max(1, ⌈m/mb⌉)
 * @return 0, −1 … −8, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_matrix_from_handles(startile_matrix **A, startile_dtype dtype, int64_t m,
                                     int64_t n, int64_t mb, int64_t nb,
                                     const starpu_data_handle_t *tiles, int64_t ldt);

/**
 * @brief Creates a matrix on a grid from StarPU handles that the caller owns and has registered
 * with StarPU-MPI. Collective.
 *
 * Each handle is as for startile_matrix_from_handles(). starpu_mpi_data_register() has given it an
 * owner and a tag that is the same on all processes. Tags below 2³⁶ are free for the program. The
 * owner must be the process that owns the tile by the grid's rule, see
 * startile_matrix_create_distributed(). Its rank counts in the communicator of
 * startile_grid_create(). Handles of other processes' tiles have the home node −1. Tiles of the
 * calling process must have a value.
 *
 * The caller may call starpu_mpi_task_insert() on the handles between two calls of the library, in
 * the same order on all processes. StarPU orders these tasks with the library's, also with those of
 * asynchronous routines that have not ended.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param mb rows of a tile, ≥ 1
 * @param nb columns of a tile, ≥ 1
 * @param tiles ⌈m/mb⌉ × ⌈n/nb⌉ handles, column-major, on each process; copied. An entry may be
 *         NULL on all processes if no operation uses the tile; an operation that uses it ends its
 *         request with #STARTILE_ERROR_TILE.
 * @param ldt leading dimension of tiles, ≥ max(1, ⌈m/mb⌉)
 * @param grid the grid
 * @return 0, −1 … −9, −7 also for a handle with another owner; #STARTILE_ERROR_MISMATCH also if
 *         the tags differ between the processes; else as for startile_matrix_create_distributed()
 */
int64_t startile_matrix_from_mpi_handles(startile_matrix **A, startile_dtype dtype, int64_t m,
                                         int64_t n, int64_t mb, int64_t nb,
                                         const starpu_data_handle_t *tiles, int64_t ldt,
                                         startile_grid *grid);

/**
 * @brief Creates a descriptor of a submatrix that consists of whole tiles of A.
 *
 * V has A's type and tile shape, and its element (0, 0) is element (row, column) of A. V has no
 * storage: both descriptors have the same tiles, so StarPU orders operations on V and on A by the
 * tiles that they access, and startile_matrix_gather() on V waits for V's tiles only. Two operands
 * of one call must not share tiles, unless both are only read.
 *
 * A must outlive V. V may be destroyed when the calls that use it have returned:
 * startile_matrix_destroy() does not wait for the tasks on V's tiles and does not change them. Only
 * the solvers in mixed precision need V until startile_request_wait(). A view of a view depends on
 * A only.
 * @param[out] V the new descriptor
 * @param A a matrix without a grid
 * @param row first row, from 0: a multiple of A's tile height, or A's number of rows
 * @param column first column, from 0: a multiple of A's tile width, or A's number of columns
 * @param m rows, ≥ 0: a multiple of A's tile height, or all rows from `row` on
 * @param n columns, ≥ 0: a multiple of A's tile width, or all columns from `column` on
 * @return 0, −1 … −6, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_matrix_view(startile_matrix **V, const startile_matrix *A, int64_t row,
                             int64_t column, int64_t m, int64_t n);

/**
 * @brief Frees the descriptor; NULL is allowed. Waits for the tasks on its tiles, unless the caller
 * owns the handles.
 *
 * The elements of a wrapped matrix are then in the caller's storage or file.
 */
void startile_matrix_destroy(startile_matrix *A);

/**
 * @brief Waits for the tasks on a wrapped matrix and transfers all its tiles to the caller's memory
 * or into its file.
 *
 * The caller may then read and write the storage until the next operation on A.
 * @return 0, or −1 for NULL or a matrix that is neither wrapped nor on a disk; #STARTILE_ERROR_DISK
 *         if any read or write of its file failed since it was created; #STARTILE_ERROR_MEMORY,
 *         #STARTILE_ERROR_STARPU
 */
int64_t startile_matrix_gather(startile_matrix *A);

/**
 * @brief Returns StarPU's handle of tile (i, j), both from 0, for the caller's own tasks; NULL if
 * out of range. Thread-safe for a local matrix.
 */
starpu_data_handle_t startile_matrix_handle(const startile_matrix *A, int64_t i, int64_t j);

/** @brief Type, dimensions and tile shape of a matrix. */
typedef struct startile_shape {
    startile_dtype dtype; /**< element type */
    int64_t m;            /**< rows */
    int64_t n;            /**< columns */
    int64_t mb;           /**< rows of a tile */
    int64_t nb;           /**< columns of a tile */
    int64_t mt;           /**< number of rows of tiles, ⌈m/mb⌉ */
    int64_t nt;           /**< number of columns of tiles, ⌈n/nb⌉ */
} startile_shape;

/** @brief Returns the shape of A; all fields are 0 for NULL. Thread-safe. */
startile_shape startile_matrix_shape(const startile_matrix *A);

/**
 * @brief Copies LAPACK storage into A. Blocking; collective for a distributed A.
 * @param A m × n; written
 * @param a m × n elements of A's type, column-major, as for startile_matrix_wrap(); read. For a
 *        distributed A, the storage of the grid's first process, in main memory; the other
 *        processes may pass NULL
 * @param lda leading dimension, max(1, m) … 2³¹ − 1; on the other processes any lda ≥ 1
 * @return 0, −1 … −3 or a ::startile_error
 */
int64_t startile_matrix_from_lapack(startile_matrix *A, const void *a, int64_t lda);

/**
 * @brief Copies A into LAPACK storage. Blocking; collective for a distributed A.
 * @param A m × n; read
 * @param[out] a m × n elements, as for startile_matrix_from_lapack()
 * @param lda as for startile_matrix_from_lapack()
 * @return 0, −1 … −3 or a ::startile_error
 */
int64_t startile_matrix_to_lapack(startile_matrix *A, void *a, int64_t lda);

/**
 * @brief Sets A to diag on the diagonal and to offdiag off it (LAPACK xLASET).
 * @param uplo 'L', 'U': that triangle (or trapezoid), diagonal included; 'G': all
 * @param offdiag value off the diagonal
 * @param diag value on the diagonal
 * @param A m × n, written; 'L' and 'U' need mb = nb
 * @param request request into which the tasks are submitted
 * @return 0, −1, −4, −5
 */
int64_t startile_laset_async(char uplo, startile_complex offdiag, startile_complex diag,
                             startile_matrix *A, startile_request *request);
/** @brief Blocking startile_laset_async(). */
int64_t startile_laset(char uplo, startile_complex offdiag, startile_complex diag,
                       startile_matrix *A);

/**
 * @brief Copies A, or one triangle of it, to B (LAPACK xLACPY).
 *
 * Tiles of A and B need not match. On distributed matrices this also copies between grids of the
 * same processes, so it changes any distribution into any other (see docs/many-nodes.md). While
 * received tiles take too much memory, it waits before it submits more.
 * @param uplo 'L', 'U': that triangle, diagonal included; 'G': all
 * @param A m × n, read; not B
 * @param B m × n of the same type, both local or both on grids of the same processes; written. The
 *        other triangle is not changed.
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int64_t startile_lacpy_async(char uplo, const startile_matrix *A, startile_matrix *B,
                             startile_request *request);
/** @brief Blocking startile_lacpy_async(). */
int64_t startile_lacpy(char uplo, const startile_matrix *A, startile_matrix *B);

/** @} */
#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
