/**
 * @file startile.h
 * @brief Dense linear algebra as DAGs of tile tasks on StarPU: matrices, requests, operations.
 *
 * Three levels share the same algorithms:
 *  - `startile_dpotrf()` and the other typed entries of startile_lapack.h take LAPACK's arguments
 *    and block;
 *  - `startile_potrf()` takes matrix descriptors and blocks;
 *  - `startile_potrf_async()` submits the tasks into a ::startile_request and returns.
 *
 * **Return values.** Every function that can fail returns
 *  - 0: success;
 *  - −i: argument i is wrong; no task was submitted and no argument was changed;
 *  - k > 0: LAPACK's info, documented at each function;
 *  - #STARTILE_ERROR_LAST … #STARTILE_ERROR_FIRST: a run-time failure, see ::startile_error.
 *
 * The library never prints, aborts or exits, and it stays usable after any of these returns. Two
 * failures outside the library end the program: StarPU aborts when a CUDA call of its own fails,
 * for example in a transfer, and the system sends SIGBUS when a disk fails under a mapped file.
 * LAPACK's option letters are accepted in upper and lower case. Before startile_init() the blocking
 * form of every asynchronous operation returns #STARTILE_ERROR_STARPU, whatever its arguments are.
 *
 * **Error bounds.** c is a constant of moderate size, eps the unit roundoff.
 *
 * **Threads.** Several host threads may call the functions at once, as long as no two threads use
 * the same matrix or the same request at the same time. A function whose comment says "Thread-safe"
 * has no such restriction. No function may be called from inside a StarPU task or callback. On CPUs
 * a blocking function on matrices of one tile or batches of one chunk runs kernels in the calling
 * thread, in at most as many threads at once as there are CPU workers.
 *
 * Nothing depends on the state of the thread that starts or calls the library. Kernels compute in
 * the default floating-point environment: they round to nearest, keep subnormal numbers and do not
 * trap; the caller's environment is unchanged afterwards. Threads that the library starts block all
 * signals except those that an instruction raises, and have no real-time policy.
 *
 * **Processes.** A child of fork() has none of its parent's threads. If the parent uses StarPU at
 * the time of fork(), functions that need StarPU return #STARTILE_ERROR_STARPU in the child, and
 * those that destroy objects and startile_finalize() do nothing; the child may exit. Otherwise the
 * child can start the library.
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

/** @brief Element type of a matrix, in LAPACK's letters. */
typedef enum startile_dtype {
    STARTILE_S, /**< float */
    STARTILE_D, /**< double */
    STARTILE_C, /**< float complex */
    STARTILE_Z  /**< double complex */
} startile_dtype;

/** @brief Run-time failures. startile_strerror() returns the message of each. */
typedef enum startile_error {
    STARTILE_ERROR_FIRST = -1001,     /**< highest code of the range */
    STARTILE_ERROR_MEMORY = -1001,    /**< host or device memory could not be allocated, or a thread
                                         could not be created */
    STARTILE_ERROR_NO_WORKER = -1002, /**< no StarPU worker can run a task of the operation, or uses
                                         the GPU in whose memory an argument is */
    STARTILE_ERROR_DEVICE = -1003,    /**< a CUDA, cuBLAS or cuSOLVER call failed */
    STARTILE_ERROR_CANCELLED = -1004, /**< startile_cancel() came before the operation's end */
    STARTILE_ERROR_STARPU = -1005, /**< StarPU could not be started, or is not running; the process
                                      is a child of fork() whose parent uses StarPU; or exit()
                                      has begun in another thread */
    STARTILE_ERROR_TILE = -1006,   /**< a tile has no handle, or a tile that is read has no value */
    STARTILE_ERROR_TRACE = -1007, /**< StarPU was built without FxT, was started without a trace, or
                                     cannot write in the trace folder; or no task was traced */
    STARTILE_ERROR_PROFILE = -1008,     /**< a profile is being recorded already, or none is */
    STARTILE_ERROR_DISK = -1009,        /**< a file or folder cannot be used, the disk is full, or a
                                           transfer from or to it failed */
    STARTILE_ERROR_ENVIRONMENT = -1010, /**< an environment variable has a wrong value; the
                                           message names it */
    STARTILE_ERROR_MPI = -1011,         /**< the program has not initialized MPI with
                                           MPI_THREAD_MULTIPLE, or a call of MPI failed */
    STARTILE_ERROR_MISMATCH = -1012,    /**< the processes of a grid called different routines,
                                           passed different arguments or have different kinds of
                                           workers; or a request was used on grids of different
                                           processes */
    STARTILE_ERROR_JOURNAL = -1013, /**< a journal is damaged, or the operation cannot keep one */
    STARTILE_ERROR_JOURNAL_VERSION = -1014, /**< a journal of another version of its format */
    STARTILE_ERROR_JOURNAL_MATRIX = -1015,  /**< a journal of another factorization: the routine,
                                               the matrix in the file, its shape or its tiles
                                               differ */
    STARTILE_ERROR_CORRUPTION = -1016,      /**< the result is not that of the operation, see
                                               startile_options::verify */
    STARTILE_ERROR_JOURNAL_IN_USE = -1017,  /**< another process or matrix has the journal */
    STARTILE_ERROR_LAST = -1099             /**< lowest code of the range */
} startile_error;

/**
 * @brief Returns the one-line message of a return value of this library; never NULL. Thread-safe.
 *
 * After a failure with a code of several causes the message has the cause, in the thread that the
 * code was returned to: the file and the system's message, the environment variable and its value,
 * or the tile that startile_matrix_from_handles() refuses. A failure of a task comes with
 * startile_wait() or startile_test(). Other threads, and later failures with the same code, have
 * messages of their own. The string is valid until the thread's next call of the library.
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

/** @} */

/* ------------------------------------------------------------------------------------------- */
/** @defgroup runtime Start and stop
 *  @{ */

/**
 * @brief Choice between the library's own GPU kernels and NVIDIA's, for products, triangular
 * operations and Cholesky's diagonal tile, which have both.
 */
typedef enum startile_implementation {
    STARTILE_AUTO,  /**< the value of the environment variable STARTILE_IMPLEMENTATION, "auto",
                       "own" or "vendor". Without it the faster one: by the library's performance
                       models where StarPU's policy uses models, else by measurements that the
                       library contains */
    STARTILE_OWN,   /**< kernels of this library */
    STARTILE_VENDOR /**< kernels of cuBLAS and cuSOLVER */
} startile_implementation;

/**
 * @brief Arithmetic of products in single precision on GPUs.
 *
 * Sums are in single precision. All but STARTILE_PRODUCTS_PLAIN need compute capability 9.0 and
 * apply to products with k ≥ 256 for which they are faster; other products, and those with factors
 * outside the range of the format, are computed in single precision. FP16 takes elements of at most
 * 2¹⁵ and has an absolute error for elements below 2⁻¹⁴: it is for matrices whose largest elements
 * are about 1. Products of single complex matrices are always STARTILE_PRODUCTS_PLAIN.
 */
typedef enum startile_products {
    STARTILE_PRODUCTS_AUTO,   /**< chosen by the library */
    STARTILE_PRODUCTS_PLAIN,  /**< single precision */
    STARTILE_PRODUCTS_SPLIT,  /**< operands split into three BF16 numbers: single precision */
    STARTILE_PRODUCTS_FP16X2, /**< operands split into two FP16 numbers: 22 bits; absolute error
                                 2⁻³⁶ for small elements */
    STARTILE_PRODUCTS_TF32,   /**< operands rounded to TF32: 11 bits; triangles as in
                                 STARTILE_PRODUCTS_SPLIT */
    STARTILE_PRODUCTS_BF16,   /**< operands rounded to BF16: 8 bits */
    STARTILE_PRODUCTS_FP16,   /**< operands rounded to FP16: 11 bits */
    STARTILE_PRODUCTS_DOUBLE  /**< double precision; only as a result */
} startile_products;

/**
 * @brief Allocates memory of a GPU for the library; see startile_options::allocate.
 * @param bytes size, > 0; the memory must be aligned to 256 bytes
 * @param device number of the GPU, which is the calling thread's current device
 * @param stream cudaStream_t in which the library uses the memory first
 * @param context startile_options::allocator
 * @return the memory, or NULL without memory
 */
typedef void *startile_allocate(size_t bytes, int device, void *stream, void *context);

/**
 * @brief Frees memory of startile_allocate. All work of the library on it has ended.
 * @param memory the memory
 * @param bytes size at its allocation
 * @param device number of the GPU, which is the calling thread's current device
 * @param stream cudaStream_t of the worker that used the memory
 * @param context startile_options::allocator
 */
typedef void startile_release(void *memory, size_t bytes, int device, void *stream, void *context);

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
    int hybrid; /**< used with GPUs only. 0 (default): the library's tasks run on GPUs only, and the
                   CPU workers are left to the caller's tasks. Non-zero: StarPU chooses CPU or GPU
                   for each task by its performance models, which must be calibrated */
    int pause_when_idle; /**< non-zero: StarPU's workers sleep while no matrix, batch or request
                            exists. Allowed only in programs that submit no StarPU tasks of their
                            own and hold no own handles with data on GPUs: sleeping workers run no
                            task and transfer no data. Without effect where StarPU has blocking
                            drivers, as built by tools/setup: its idle workers sleep soon
                            anyway; idle workers of other builds spin */
    startile_implementation implementation; /**< kernels on GPUs; default STARTILE_AUTO */
    int tensor_single; /**< non-zero, or the environment variable STARTILE_TENSOR_SINGLE=1: on GPUs
                          of compute capability 9.0 the library's own products in single precision
                          split their operands and run on tensor cores, with the accuracy of single
                          precision. Operands whose values do not allow that accuracy use the
                          ordinary single-precision kernel */
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
                         asynchronous calls wait for the check. With a journal level 2 is as level
                         1. Checksums need additional memory, and level 2 needs memory for a copy of
                         the operand that is overwritten */
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
 * @param size sizeof(startile_options), or sizeof of the variable
 */
void startile_options_default(startile_options *options, size_t size);

/**
 * @brief Starts the library. Uses a StarPU that is running already, else starts StarPU.
 *
 * Calls nest: each successful call needs one startile_finalize(). Only the options of the first
 * call count. The exception is pause_when_idle, which is switched off by the first call that does
 * not set it. When StarPU runs already, only hybrid, implementation, tensor_single,
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
 * Thread-safe, except that the call that starts StarPU sets environment variables for it: no other
 * thread may call getenv() meanwhile.
 *
 * @param options options, or NULL for the defaults
 * @return 0; −1 for options without a valid size, a scheduler that StarPU does not know, a number
 * of workers or GPUs below −1, more CPU workers than STARPU_MAXCPUS, negative watts, an
 * implementation outside the enumeration, a level `verify` outside 0 … 2, or one of allocate and
 * release without the other; #STARTILE_ERROR_ENVIRONMENT for a malformed STARTILE_IMPLEMENTATION,
 *         STARTILE_TENSOR_SINGLE, STARTILE_EMULATED_DOUBLE, STARTILE_VERIFY, STARTILE_REPRODUCIBLE
 *         or STARTILE_NB, a STARTILE_MODELS whose models cannot be used, or a variable of StarPU
 *         that StarPU cannot use; #STARTILE_ERROR_STARPU or #STARTILE_ERROR_NO_WORKER;
 *         #STARTILE_ERROR_MEMORY if memory or the threads of the workers do not suffice;
 *         #STARTILE_ERROR_DISK if no folder for StarPU's files can be written, or no file can be
 *         opened; #STARTILE_ERROR_TRACE if options->trace or STARTILE_TRACE requests a trace, and
 *         StarPU was built without FxT or runs already without a trace, or the folder cannot be
 *         written
 */
int startile_init(const startile_options *options);

/**
 * @brief Undoes one startile_init(). The last call stops StarPU if the library started it.
 *
 * Every descriptor and request must be destroyed before the last call. A program may end without
 * it, also while threads are in calls of the library and while requests are unfinished.
 */
void startile_finalize(void);

/** @brief Calibrated performance models in use; see startile_models_find(). */
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
int startile_models_find(startile_models *models);

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
int startile_models_named(const char *name, startile_models *models);

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
 * @brief Allocates page-locked host memory, from and to which transfers run asynchronously and at
 * full speed.
 * @return memory to be freed by startile_free(); NULL on failure, and before startile_init()
 */
void *startile_malloc(size_t bytes);

/** @brief Frees memory from startile_malloc(), with the same `bytes`; NULL is allowed. */
void startile_free(void *memory, size_t bytes);

/**
 * @brief Page-locks memory that the caller allocated. Has no effect without a GPU. @return 0, −1
 * for NULL, −2 for bytes = 0, #STARTILE_ERROR_MEMORY, or #STARTILE_ERROR_STARPU before
 * startile_init()
 */
int startile_pin(void *memory, size_t bytes);

/** @brief Undoes startile_pin(). @return as for startile_pin() */
int startile_unpin(void *memory, size_t bytes);

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
 *  @{
 */

/** @brief A group of asynchronous operations with one return value. */
typedef struct startile_request startile_request;

/**
 * @brief Creates an empty request. @return 0, −1, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_request_create(startile_request **request);

/**
 * @brief Sets the priority of the operations that are submitted into the request after this call.
 *
 * Tasks of a request with a higher priority go first if the scheduler supports priorities. The
 * default is 0. A difference of 1 between two requests outweighs every difference of priorities
 * inside a factorization.
 * @return 0, −1, or −2 for |priority| > 1000
 */
int startile_request_set_priority(startile_request *request, int priority);

/**
 * @brief Sets the level of startile_options::verify for the operations that are submitted into the
 * request after this call.
 * @return 0, −1, or −2 for a level outside 0 … 2
 */
int startile_request_set_verify(startile_request *request, int level);

/** @brief Place of a corrupted element, as far as the checksums tell it. */
typedef struct startile_corruption {
    const char *routine; /**< "potrf", "getrf", "getrf_nopiv", "getrf_tntpiv", "geqrf", "gemm",
                            "trsm" or "trtrs"; NULL: no corruption found */
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
int startile_corruption_found(startile_request *request, startile_corruption *found);

/** @brief A bit that startile_inject_flip() flips. */
typedef struct startile_flip {
    const char *operation; /**< name of the tasks' codelet without the letter of the type, as
                              `startile bench ROUTINE --placement` prints it, for example "gemm"
                              (potrf: "potrf", "trsm_inverse", "herk", "herk_gemm"); NULL: all tasks
                              of the library, those of checksums, too. A name that no task has is
                              no error: the flip then does not happen */
    int64_t task;          /**< number of the task, ≥ 0, among those of the operation that write a
                              tile, in the order in which they run */
    int64_t tile;          /**< number of the tile, ≥ 0, among those that the task writes, modulo
                              their number */
    int64_t row;           /**< row of the element in the tile, ≥ 0, modulo the tile's rows */
    int64_t column;        /**< its column, ≥ 0, modulo the tile's columns */
    int64_t bit;           /**< bit of the element, ≥ 0, modulo the element's size */
    int64_t count;         /**< number of these tasks, from `task` on, that flip the bit; 0 as 1 */
} startile_flip;

/**
 * @brief Makes later tasks flip a bit of their result: for tests of a program's reaction to
 * #STARTILE_ERROR_CORRUPTION.
 *
 * A new call replaces the flip of an earlier one. Thread-safe.
 * @param flip the bit; NULL: no flip
 * @return 1 if not all flips of the earlier call have happened; they will not happen; else 0; −1
 * for a negative number or an operation's name of more than 23 characters
 */
int startile_inject_flip(const startile_flip *flip);

/**
 * @brief Waits for all operations of the request. More may be submitted afterwards. Collective if
 * an operation was on a grid.
 * @return 0, or the first failure: LAPACK's info (> 0) or a ::startile_error; −1 for NULL
 */
int64_t startile_wait(startile_request *request);

/**
 * @brief Tests without waiting whether all operations of the request have finished. Not collective:
 * on a grid it tests the tasks and messages of the calling process only.
 * @param request the request
 * @param[out] done 1 or 0
 * @return as startile_wait() if *done is 1, else 0; −1, −2 for NULL. On a grid the result is what
 * the calling process knows; only startile_wait() returns the same on all.
 */
int64_t startile_test(startile_request *request, int *done);

/**
 * @brief Returns a StarPU handle that the request writes when the operations that were submitted
 * into it so far have ended: for tasks of the program that depend on their outcome.
 *
 * The handle has StarPU's variable interface and holds one int64_t: the value that startile_wait()
 * would return at this moment; on a grid, what the calling process knows. A task that reads the
 * handle runs after the operations, also if these have failed, and after results such as those of
 * startile_lange_async() are stored. starpu_data_acquire_cb() calls a function at this moment.
 * Operations that are submitted into the request later do not delay the outcome, so they may wait
 * for tasks that read it; if one of them fails before, the outcome is this failure.
 *
 * The request owns the handle, which is only to be read (STARPU_R) and not to be unregistered.
 * startile_request_reset() and startile_request_destroy() unregister it, and wait for the tasks on
 * it that were submitted before.
 * @param request the request
 * @param[out] outcome a new handle at each call
 * @return 0, −1, −2, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_NO_WORKER
 */
int startile_request_outcome(startile_request *request, starpu_data_handle_t *outcome);

/**
 * @brief Cancels the request: its tasks that have not begun do nothing. startile_wait() must still
 * be called; it returns #STARTILE_ERROR_CANCELLED if a task was skipped.
 *
 * Tiles keep the values that finished tasks wrote. A tile that a skipped task would have
 * overwritten without reading it is undefined. May be called from any thread. On a grid one process
 * may cancel for all.
 * @return 0, or −1 for NULL
 */
int startile_cancel(startile_request *request);

/**
 * @brief Waits for the request as startile_wait() does, then empties it, so that a failed or
 * cancelled request can be used again, also on another grid. Its priority stays.
 * @return 0, −1 for NULL, or #STARTILE_ERROR_MEMORY; the request keeps its outcome then
 */
int startile_request_reset(startile_request *request);

/** @brief Waits for the request as startile_wait() does, then frees it; NULL is allowed. */
void startile_request_destroy(startile_request *request);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup trace Traces and profiles
 *
 *  A trace is written by StarPU: files in a folder, for ViTE and other viewers, with every task,
 *  transfer and worker state. A profile is an array in memory with one record per task of the
 *  library. Do not record either in a timed run: both cost a few microseconds per task.
 *  @{
 */

/**
 * @brief Starts recording StarPU's execution trace, until startile_trace_stop(). Several recorded
 * regions go into one trace.
 *
 * The files are written when StarPU stops. If the library started StarPU, the last
 * startile_finalize() writes them into the folder startile_options.trace.
 * If the program starts StarPU itself, it sets STARPU_FXT_TRACE=1, STARPU_GENERATE_TRACE=1 and
 * STARPU_FXT_PREFIX, the folder, before starpu_init(); the whole run is recorded. Without these
 * variables startile_init() returns #STARTILE_ERROR_TRACE where a trace is requested.
 * The files include paje.trace (for ViTE), dag.dot (for Graphviz) and tasks.rec. `startile gantt`
 * draws the picture gantt.svg from them, and corrects the colors in paje.trace. In
 * paje.trace a task has its codelet's name and color, the coordinates X and Y of the first tile
 * that it writes, the step of the algorithm as Iteration, and its priority. A program that runs
 * StarPU more than once traces the last run only. Begin and end the region with no task under way:
 * the trace of a task that runs at either end is incomplete.
 * @return 0, #STARTILE_ERROR_TRACE, #STARTILE_ERROR_STARPU
 */
int startile_trace_start(void);

/** @brief Ends the recorded region. @return as for startile_trace_start() */
int startile_trace_stop(void);

/**
 * @brief One task of a profile. Times are in seconds since the submission of the first task, and
 * NaN for a task that did not run.
 */
typedef struct startile_task_record {
    const char *codelet; /**< name of the codelet, for example "dgemm" */
    int64_t step;        /**< step of the algorithm's outer loop, from 0; −1: none */
    int64_t row; /**< index i of the first tile (i, j) that the task writes; of the panel's diagonal
                    tile for a task that writes LU's pivots first; −1: no tile of a matrix */
    int64_t column;   /**< index j of that tile */
    int worker;       /**< StarPU's number of the worker; −1: the task did not run */
    int on_cuda;      /**< 1: the worker runs on a GPU, 0: on a CPU core */
    uint32_t shape;   /**< hash of the task's dimensions; equal for tasks of one codelet with equal
                         work */
    double flops;     /**< number of real floating-point operations */
    double submitted; /**< time of submission */
    double start;     /**< time when the worker began the task */
    double end;       /**< time when the task ended */
    double cpu_seconds;  /**< prediction of StarPU's performance model for a CPU core, in seconds;
                            NaN if the model has no value, or if it is not calibrated and the policy
                            had no choice of devices */
    double cuda_seconds; /**< prediction for a GPU, in seconds */
    double joules;       /**< energy by the task's energy model, in joules; 0: no model */
    int64_t first_dependency; /**< index of its first entry in startile_profile::dependency */
    int64_t dependencies;     /**< number of its entries */
} startile_task_record;

/** @brief The library's tasks of a recorded region, in the order of submission. */
typedef struct startile_profile {
    int64_t count;              /**< number of tasks */
    startile_task_record *task; /**< records of the tasks */
    int64_t *dependency; /**< for each task the indices of the earlier tasks that wrote its data or
                            read the data it overwrites; an index may occur twice */
} startile_profile;

/**
 * @brief Starts recording the library's tasks that any thread submits until
 * startile_profile_stop(). Switches StarPU's profiling on and resets its counters.
 * @return 0, #STARTILE_ERROR_PROFILE if a profile is being recorded already,
 *         #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_profile_start(void);

/**
 * @brief Ends the recorded region, waits for its tasks and returns their records.
 * @param[out] profile the records, to be freed by startile_profile_destroy(); NULL on failure
 * @return 0, −1, #STARTILE_ERROR_PROFILE if no profile is being recorded, #STARTILE_ERROR_MEMORY if
 *         host memory did not suffice for all records, #STARTILE_ERROR_STARPU
 */
int startile_profile_stop(startile_profile **profile);

/** @brief Frees a profile; NULL is allowed. May be called after startile_finalize(). */
void startile_profile_destroy(startile_profile *profile);

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
 *   - potrf: 18·w tiles where all tasks run on GPUs, else 6·w;
 *   - potrs, posv, potrf_update, potrf_downdate, gemm, herk, syrk, trsm, trtrs, trmm, hemm,
 *     symm, trtri, lauum, potri, pocon, geqrf_tree, unmqr_tree: 6·w tiles, and as much as potrf for
 * posv; posv_mixed: as posv;
 *   - porfs, posvx: 6·w tiles and 4·w block columns of the factor and of X;
 *   - getrf, getrf_nopiv, getrf_tntpiv, gecon, geqrf, unmqr, unmlq, ungqr: 4·w block columns, of
 *     m × nb elements; gelqf and unglq: as many of Aᴴ, of n × nb elements;
 *   - getrs, gesv, gesv_mixed, gels, gels_mixed: 4·w block columns of A and 4·w of B;
 *   - getri: 2·w rows of tiles, of mb × n elements;
 *   - for a matrix on a disk, also main memory for copies: one of A and B for gesv with refinement;
 *     one of A in single precision for gesv_mixed, posv_mixed and gels_mixed; one of A for getri,
 *     gelqf, ungqr, unmlq and gels with m < n; two of A for unglq; one of C for unmqr with side
 *     'R'.
 *
 *  For potrf, potrs, getrf and its variants, getrs, gesv, geqrf and gels these amounts were tested;
 *  with less the operation ends with #STARTILE_ERROR_MEMORY and has written nothing. Other
 *  operations end with #STARTILE_ERROR_MEMORY when they submit a task whose tiles exceed the
 *  capacity of every memory that it could run in; they may have written a part of the result then.
 *  STARPU_LIMIT_CUDA_MEM and STARPU_LIMIT_CPU_MEM, in MiB, limit the memory that StarPU takes.
 *  StarPU allocates tiles of up to 4 MiB in chunks of 32 MiB of a GPU's memory, each tile rounded
 *  up to a multiple of 16 KiB. Larger tiles need 160 MiB more, because StarPU keeps some chunks.
 *  Tiles of other matrices that are still in a memory are evicted, but later than needed, which
 *  adds transfers.
 *  @{
 */

/** @brief A matrix descriptor. */
typedef struct startile_matrix startile_matrix;

/**
 * @brief Creates a matrix whose tiles are allocated by the library, each in the memory where it is
 * first written.
 *
 * Elements are 0 until they are written: by startile_laset(), startile_random(),
 * startile_from_lapack(), an operation, or the caller's own tasks.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param mb rows of a tile; 0: the library chooses square tiles, and nb must be 0 too
 * @param nb columns of a tile; 0 as for mb
 * @return 0, −1 … −6, #STARTILE_ERROR_STARPU, #STARTILE_ERROR_MEMORY; the latter also if this
 *         matrix and all others of startile_matrix_create() together exceed the memory of host and
 *         GPUs
 */
int startile_matrix_create(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
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
 * @param mb rows of a tile, or 0, as for startile_matrix_create()
 * @param nb columns of a tile, or 0
 * @return 0, −1 … −8, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU; #STARTILE_ERROR_NO_WORKER if
 *         `a` is in the memory of a GPU without a StarPU worker, or the library was built without
 *         CUDA
 */
int startile_matrix_wrap(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, void *a,
                         int64_t lda, int64_t mb, int64_t nb);

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
 * @param mb rows of a tile, or 0, as for startile_matrix_create()
 * @param nb columns of a tile, or 0
 * @param device number that CUDA gives to the GPU that has `a`; for managed memory that of the
 *        stream's GPU. −1: found by the address
 * @param stream cudaStream_t of this GPU, not in a capture; NULL: the default stream of CUDA's
 *        legacy kind. Where no tasks run on GPUs it must be NULL, and no stream is waited for
 * @return as for startile_matrix_wrap(); −9 if `a` is not on this device; −10 if CUDA refuses to
 *         record an event in the stream; #STARTILE_ERROR_NO_WORKER also for a stream where no tasks
 *         run on GPUs
 */
int startile_matrix_wrap_device(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                void *a, int64_t lda, int64_t mb, int64_t nb, int device,
                                void *stream);

/**
 * @brief Makes later operations on a wrapped matrix wait for the work that is in a CUDA stream now,
 * as startile_matrix_wrap_device() does.
 *
 * For a caller that has changed the elements after startile_matrix_gather().
 * @param A a matrix of startile_matrix_wrap() or startile_matrix_wrap_device()
 * @param stream as for startile_matrix_wrap_device()
 * @return 0; −1; −2 if CUDA refuses to record an event in the stream; #STARTILE_ERROR_NO_WORKER,
 *         #STARTILE_ERROR_MEMORY
 */
int startile_matrix_after_stream(startile_matrix *A, void *stream);

/** @brief A grid of p × q processes that share matrices; see startile_mpi.h. */
typedef struct startile_grid startile_grid;

/**
 * @brief Frees a grid without matrices and requests; NULL is allowed. Collective.
 * @return 0, or −1 if matrices of the grid, or requests with operations on them, have not been
 *         destroyed
 */
int startile_grid_destroy(startile_grid *grid);

/**
 * @brief Returns a grid in which the first process of `grid` owns all tiles, to scatter and gather
 * with startile_lacpy(): wrap the first process' storage with startile_matrix_wrap_local(). The
 * library frees the grid. Returns NULL for NULL.
 */
startile_grid *startile_grid_root(startile_grid *grid);

/**
 * @brief Creates a matrix that is distributed over the processes of a grid. Collective.
 *
 * Tile (i, j) belongs to the process in row i mod p and column j mod q of the grid, as in
 * ScaLAPACK's block-cyclic distribution. Its elements are 0 until they are written.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows of the whole matrix, ≥ 0
 * @param n columns of the whole matrix, ≥ 0
 * @param mb rows of a tile, or 0, as for startile_matrix_create()
 * @param nb columns of a tile, or 0
 * @param grid the grid
 * @return 0, −1 … −7, #STARTILE_ERROR_STARPU, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_MPI;
 *         #STARTILE_ERROR_MISMATCH if the arguments or the kinds of workers differ between the
 *         processes. The same on all processes, see startile_mpi.h.
 */
int startile_matrix_create_distributed(startile_matrix **A, startile_dtype dtype, int64_t m,
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
 * @param grid the grid
 * @return 0, −1 … −9, else as for startile_matrix_create_distributed()
 */
int startile_matrix_wrap_local(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                               void *local, int64_t lld, int64_t mb, int64_t nb,
                               startile_grid *grid);

/**
 * @brief Returns the rank in the grid of the process that owns tile (i, j); 0 for a local matrix,
 * −1 for NULL or a tile outside the matrix.
 */
int startile_matrix_owner(const startile_matrix *A, int64_t i, int64_t j);

/** @brief Returns the grid of a distributed matrix, NULL for a local one. */
startile_grid *startile_matrix_grid(const startile_matrix *A);

/**
 * @brief Creates a matrix whose tiles are in a temporary file: for matrices larger than the memory.
 *
 * If tasks run on CPU workers only, StarPU keeps tiles in main memory up to its limit, writes tiles
 * back to the file and reads them again as tasks need them. The limit is the value of the
 * environment variable STARPU_LIMIT_CPU_MEM, in MiB, when StarPU starts; without it nine tenths of
 * the machine's memory. After a failed transfer every request with a task on the matrix that begins
 * later fails with #STARTILE_ERROR_DISK, and so does startile_matrix_gather(); the library stays
 * usable.
 *
 * If tasks run on GPUs, or with startile_options::map_files, the file is mapped
 * instead, and the system decides which parts are in main memory. The reason is that StarPU 1.4 can
 * wait for ever in a transfer between a disk and a GPU when main memory is scarce.
 * STARPU_LIMIT_CPU_MEM is then only the capacity for which tasks are ordered. A failed read of the
 * disk, or a truncation of the file by another process, ends the program with SIGBUS, as for every
 * mapped file.
 *
 * Matrices of startile_matrix_create() are never written to disks. The file has no name, and its
 * whole size is allocated by this call. If the file is to be mapped and its file system does not
 * support fallocate(2), the call returns #STARTILE_ERROR_DISK. Elements are 0 until they are
 * written.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param mb rows of a tile, or 0, as for startile_matrix_create()
 * @param nb columns of a tile, or 0
 * @param folder folder of the file
 * @return 0, −1 … −7, #STARTILE_ERROR_DISK, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_matrix_create_on_disk(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                   int64_t mb, int64_t nb, const char *folder);

/**
 * @brief Wraps a file that holds a matrix in LAPACK's column-major layout.
 *
 * Transfers and failures are as for startile_matrix_create_on_disk(). Between this call and
 * startile_matrix_destroy() or startile_matrix_gather() nobody else may access the file;
 * startile_matrix_gather() waits for the disk and returns failures. A tile with mb = m is read in
 * one transfer if lda = m; other tiles are read column by column.
 *
 * The elements of two matrices are undefined if both wrap overlapping parts of one file at the same
 * time.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param file name of the file; it is opened with O_RDWR, so it must be writable even if the matrix
 *         is only read
 * @param first bytes before the first element; for a mapped file a multiple of the size of its real
 *         numbers, 4 or 8 bytes
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param mb rows of a tile, or 0, as for startile_matrix_create()
 * @param nb columns of a tile, or 0
 * @return 0, −1 … −9, #STARTILE_ERROR_DISK also if the file is shorter than the matrix,
 *         #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_matrix_wrap_file(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                              const char *file, int64_t first, int64_t lda, int64_t mb, int64_t nb);

/**
 * @brief Keeps a journal of the factorization of a matrix in a file, so that it can be continued
 * after the process has ended at any moment.
 *
 * The journal is a second file. startile_potrf(), startile_getrf(), startile_getrf_tntpiv(),
 * startile_getrf_nopiv() and startile_geqrf() create it, and record in it which block columns of
 * the factors are on the disk. After a kill or a power failure, wrap the file again with the same
 * arguments, call this function with the same journal, and call the routine again with the same
 * arguments: it reads P or T of the finished panels from the journal, continues, and gives the bits
 * of an uninterrupted run; on GPUs only with the option reproducible (docs/reproducibility.md), for
 * LU of a run with a journal. After the last block column it returns at once, with the outcome. The
 * library does not remove the journal.
 *
 * **Work lost.** The block columns that were in work, at most 2·g: g = max(2, w/8) for potrf and
 * max(2, w) for the others, with w workers that run the library's tasks; fewer if the memory holds
 * fewer. A block column of potrf with uplo 'U' is a row of tiles.
 *
 * **Cost.** One more write and read of the matrix, and two to five waits for the disk per block
 * column, while tasks run; for LU with interchanges as much again after the last panel. The journal
 * takes 2·g block columns of disk space, and for geqrf T. A matrix that exceeds the memory is read
 * once per g block columns.
 *
 * **Safety.** A routine refuses a journal that is damaged, of another version or of another
 * factorization, and a file whose elements differ from the journal's samples of them, up to 64 × 64
 * of each block column that is not in work; it has written nothing then. Block columns in work are
 * restored from their copies. The last record may be missing, as after a power failure. A journal
 * is locked for the process that has it. After this function has failed with a startile_error, the
 * routines that would keep the journal fail with it too and write nothing, until a further call of
 * this function succeeds.
 *
 * The asynchronous forms of these routines wait for the tasks that were submitted on A before, and
 * return when the factorization has ended. startile_posv() and startile_gesv() without refinement
 * keep the journal of their factorization; B is not restored. startile_gels() returns −2 and
 * startile_gesv() with refinement −4. startile_posv_mixed() and startile_gesv_mixed() end with
 * #STARTILE_ERROR_JOURNAL if they refine first, and then factor A. Other routines that write A do
 * not use the journal: it is void after them.
 * @param A a new matrix of startile_matrix_wrap_file(); a temporary file ends with its process
 * @param file name of the journal; created by the routine if it does not exist
 * @return 0; −1 also for a view, a matrix in no file of the caller (all distributed matrices), or
 * one with a journal; −2; #STARTILE_ERROR_JOURNAL, #STARTILE_ERROR_JOURNAL_VERSION,
 * #STARTILE_ERROR_JOURNAL_MATRIX, #STARTILE_ERROR_JOURNAL_IN_USE, #STARTILE_ERROR_DISK,
 * #STARTILE_ERROR_MEMORY. The routines return these, too.
 */
int startile_matrix_journal(startile_matrix *A, const char *file);

/**
 * @brief Returns the bytes that were read from and written to a matrix' file since the matrix was
 * created. For a mapped file the counts are those of getrusage(2) for the whole process: bytes read
 * from disks, and changed pages that the system will write.
 * @return 0, −1 for NULL or a matrix that is not on a disk, −2, −3
 */
int startile_matrix_disk_bytes(const startile_matrix *A, int64_t *read, int64_t *written);

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
int startile_matrix_from_handles(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                 int64_t mb, int64_t nb, const starpu_data_handle_t *tiles,
                                 int64_t ldt);

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
int startile_matrix_from_mpi_handles(startile_matrix **A, startile_dtype dtype, int64_t m,
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
 * the solvers in mixed precision need V until startile_wait(). A view of a view depends on A only.
 * @param[out] V the new descriptor
 * @param A a matrix without a grid
 * @param row first row, from 0: a multiple of A's tile height, or A's number of rows
 * @param column first column, from 0: a multiple of A's tile width, or A's number of columns
 * @param m rows, ≥ 0: a multiple of A's tile height, or all rows from `row` on
 * @param n columns, ≥ 0: a multiple of A's tile width, or all columns from `column` on
 * @return 0, −1 … −6, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_matrix_view(startile_matrix **V, const startile_matrix *A, int64_t row, int64_t column,
                         int64_t m, int64_t n);

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
 *         if any read or write of its file failed since it was created
 */
int startile_matrix_gather(startile_matrix *A);

/**
 * @brief Returns StarPU's handle of tile (i, j), for the caller's own tasks; NULL if out of range.
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
 * @brief Copies LAPACK storage into A. Blocking. For a distributed A, `a` is the storage of the
 * grid's first process; the other processes may pass NULL and any lda ≥ 1. @return 0, −1, −2, −3
 * or a ::startile_error
 */
int64_t startile_from_lapack(startile_matrix *A, const void *a, int64_t lda);

/**
 * @brief Copies A into LAPACK storage; for a distributed A, into that of the grid's first process,
 * as for startile_from_lapack(). Blocking. @return 0, −1, −2, −3 or a ::startile_error
 */
int64_t startile_to_lapack(startile_matrix *A, void *a, int64_t lda);

/**
 * @brief Sets A to diag on the diagonal and to offdiag off it (LAPACK xLASET).
 * @param uplo 'L', 'U': that triangle (or trapezoid), diagonal included; 'G': all
 * @param offdiag value off the diagonal
 * @param diag value on the diagonal
 * @param A m × n, written; 'L' and 'U' need mb = nb
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int startile_laset_async(char uplo, startile_complex offdiag, startile_complex diag,
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
 * @param A m × n, read
 * @param B m × n of the same type, both local or both on grids of the same processes; written. The
 *        other triangle is not changed.
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int startile_lacpy_async(char uplo, const startile_matrix *A, startile_matrix *B,
                         startile_request *request);
/** @brief Blocking startile_lacpy_async(). */
int64_t startile_lacpy(char uplo, const startile_matrix *A, startile_matrix *B);

/**
 * @brief Fills A with pseudo-random elements; real and imaginary parts are uniform in [−1, 1). An
 * element depends only on seed, its row and its column, not on tile size or device.
 * @param kind 'G': general; 'S': symmetric; 'H': Hermitian. 'S' and 'H' need m = n. With bump = n,
 *         'S' and 'H' of a real type are positive definite, and 'H' of a complex type except for
 *         rare small matrices.
 * @param seed any number
 * @param bump real number that is added to the diagonal for every kind
 * @param A written
 * @param request request into which the tasks are submitted
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
 * @brief Computes a norm of a general matrix (LAPACK xLANGE), accumulated in double. NaN
 * propagates.
 *
 * The relative error is at most (m + n) · 2⁻⁵³. 'F' does not overflow.
 * @param norm 'M': max |a_ij|; '1' or 'O': largest column sum; 'I': largest row sum; 'F' or 'E':
 *        Frobenius
 * @param A m × n, read
 * @param[out] value the result, valid when the request has finished without a failure; 0 for an
 *        empty matrix
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int startile_lange_async(char norm, const startile_matrix *A, double *value,
                         startile_request *request);
/** @brief Blocking startile_lange_async(). */
int64_t startile_lange(char norm, const startile_matrix *A, double *value);

/**
 * @brief Computes a norm of a symmetric matrix of which one triangle is stored (LAPACK xLANSY).
 * @param norm as for startile_lange_async()
 * @param uplo 'L' or 'U': the triangle that is read
 * @param A n × n with square tiles, read
 * @param[out] value the result, valid when the request has finished without a failure
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int startile_lansy_async(char norm, char uplo, const startile_matrix *A, double *value,
                         startile_request *request);
/** @brief Blocking startile_lansy_async(). */
int64_t startile_lansy(char norm, char uplo, const startile_matrix *A, double *value);

/**
 * @brief Computes a norm of a Hermitian matrix (LAPACK xLANHE). The imaginary parts of the diagonal
 * are taken as zero. Arguments and return values are those of startile_lansy_async().
 */
int startile_lanhe_async(char norm, char uplo, const startile_matrix *A, double *value,
                         startile_request *request);
/** @brief Blocking startile_lanhe_async(). */
int64_t startile_lanhe(char norm, char uplo, const startile_matrix *A, double *value);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup blas3 Tile BLAS 3
 *
 *  op(X) is X for 'N', Xᵀ for 'T', Xᴴ for 'C'. The tiles of the operands must match: op(A) has the
 *  tile height of C, op(B) the tile width of C, and the tile width of op(A) is the tile height of
 *  op(B).
 *  @{
 */

/**
 * @brief Computes C := alpha·op(A)·op(B) + beta·C (BLAS xGEMM).
 * @param transa 'N', 'T' or 'C'
 * @param transb 'N', 'T' or 'C'
 * @param alpha scalar
 * @param A op(A) is m × k; read
 * @param B op(B) is k × n; read
 * @param beta scalar; when it is 0, C need not be initialized
 * @param C m × n; updated
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −8
 */
int startile_gemm_async(char transa, char transb, startile_complex alpha, const startile_matrix *A,
                        const startile_matrix *B, startile_complex beta, startile_matrix *C,
                        startile_request *request);
/** @brief Blocking startile_gemm_async(). */
int64_t startile_gemm(char transa, char transb, startile_complex alpha, const startile_matrix *A,
                      const startile_matrix *B, startile_complex beta, startile_matrix *C);

/**
 * @brief Computes C := alpha·op(A)·op(A)ᴴ + beta·C on one triangle (BLAS xHERK; xSYRK for real
 * types).
 * @param uplo 'L' or 'U': the triangle of C that is updated; the other is not touched
 * @param trans 'N': op(A) = A is n × k; 'C' (or 'T' for real types): op(A) = Aᴴ, A is k × n
 * @param alpha real scalar
 * @param A read
 * @param beta real scalar
 * @param C n × n with square tiles; updated
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −7
 */
int startile_herk_async(char uplo, char trans, double alpha, const startile_matrix *A, double beta,
                        startile_matrix *C, startile_request *request);
/** @brief Blocking startile_herk_async(). */
int64_t startile_herk(char uplo, char trans, double alpha, const startile_matrix *A, double beta,
                      startile_matrix *C);

/**
 * @brief Computes C := alpha·op(A)·op(A)ᵀ + beta·C on one triangle (BLAS xSYRK).
 * @param uplo 'L' or 'U': the triangle of C that is updated
 * @param trans 'N' or 'T' (or 'C' for real types)
 * @param alpha scalar
 * @param A op(A) is n × k; read
 * @param beta scalar
 * @param C n × n with square tiles; updated
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −7
 */
int startile_syrk_async(char uplo, char trans, startile_complex alpha, const startile_matrix *A,
                        startile_complex beta, startile_matrix *C, startile_request *request);
/** @brief Blocking startile_syrk_async(). */
int64_t startile_syrk(char uplo, char trans, startile_complex alpha, const startile_matrix *A,
                      startile_complex beta, startile_matrix *C);

/**
 * @brief Solves op(A)·X = alpha·B or X·op(A) = alpha·B for X, which overwrites B (BLAS xTRSM).
 *
 * X has the backward error of substitution, |B − op(A)·X| ≤ c·n·eps·|op(A)|·|X| with a small
 * constant c. On GPUs a product with the inverse W of a tile T replaces the solve if W passed a
 * check that bounds ‖T‖·‖W‖; its error is ‖B − T·X‖ ≤ c·n·eps·‖T‖·‖W‖·‖B‖. b/a for a diagonal
 * element a may be computed as b·(1/a), with a relative error of up to 2·eps, where a division has
 * eps (the unit roundoff).
 * @param side 'L': op(A)·X = alpha·B; 'R': X·op(A) = alpha·B
 * @param uplo 'L' or 'U': the triangle of A that is read
 * @param transa 'N', 'T' or 'C'
 * @param diag 'N'; or 'U': A has a diagonal of ones, which is not read
 * @param alpha scalar
 * @param A triangular with square tiles; read. The routine does not check the diagonal for zeros.
 * @param B updated
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −8
 */
int startile_trsm_async(char side, char uplo, char transa, char diag, startile_complex alpha,
                        const startile_matrix *A, startile_matrix *B, startile_request *request);
/** @brief Blocking startile_trsm_async(). */
int64_t startile_trsm(char side, char uplo, char transa, char diag, startile_complex alpha,
                      const startile_matrix *A, startile_matrix *B);

/**
 * @brief Solves op(A)·X = B for a triangular A (LAPACK xTRTRS): startile_trsm(), but a zero on A's
 * diagonal is found first.
 * @param uplo 'L' or 'U': the triangle of A that is read
 * @param trans 'N', 'T' or 'C'
 * @param diag 'N'; or 'U': A has a diagonal of ones, which is not read
 * @param A n × n with square tiles; read
 * @param B n × nrhs with A's tile height; overwritten by X
 * @param request request into which the tasks are submitted; info k > 0: A(k, k) is the first
 *        diagonal element that is exactly zero; B is then not changed
 * @return 0, −1 … −6
 */
int startile_trtrs_async(char uplo, char trans, char diag, const startile_matrix *A,
                         startile_matrix *B, startile_request *request);
/** @brief Blocking startile_trtrs_async(); returns info. */
int64_t startile_trtrs(char uplo, char trans, char diag, const startile_matrix *A,
                       startile_matrix *B);

/**
 * @brief Computes B := alpha·op(A)·B or B := alpha·B·op(A) for a triangular A (BLAS xTRMM).
 *
 * Each diagonal tile needs a temporary of its size.
 * @param side 'L': op(A)·B; 'R': B·op(A)
 * @param uplo 'L' or 'U': the triangle of A that is read
 * @param transa 'N', 'T' or 'C'
 * @param diag 'N'; or 'U': A has a diagonal of ones, which is not read
 * @param alpha scalar; when it is 0, B becomes 0 and A is not read
 * @param A triangular with square tiles; read
 * @param B updated
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −8
 */
int startile_trmm_async(char side, char uplo, char transa, char diag, startile_complex alpha,
                        const startile_matrix *A, startile_matrix *B, startile_request *request);
/** @brief Blocking startile_trmm_async(). */
int64_t startile_trmm(char side, char uplo, char transa, char diag, startile_complex alpha,
                      const startile_matrix *A, startile_matrix *B);

/**
 * @brief Computes C := alpha·A·B + beta·C or C := alpha·B·A + beta·C for a Hermitian A of which one
 * triangle is stored (BLAS xHEMM; xSYMM for real types).
 *
 * Each diagonal tile of A needs a temporary of its size.
 * @param side 'L': A·B; 'R': B·A
 * @param uplo 'L' or 'U': the triangle of A that is read, without the imaginary parts of the
 *        diagonal
 * @param alpha scalar; when it is 0, A and B are not read
 * @param A Hermitian with square tiles; read
 * @param B shape and tiles of C; read
 * @param beta scalar; when it is 0, C need not be initialized
 * @param C m × n; updated. Its tile height ('L') or tile width ('R') is that of A
 * @param request request into which the tasks are submitted
 * @return 0, −1, −2, −4, −5, −7, −8
 */
int startile_hemm_async(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                        const startile_matrix *B, startile_complex beta, startile_matrix *C,
                        startile_request *request);
/** @brief Blocking startile_hemm_async(). */
int64_t startile_hemm(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                      const startile_matrix *B, startile_complex beta, startile_matrix *C);

/**
 * @brief Computes C := alpha·A·B + beta·C or C := alpha·B·A + beta·C for a symmetric A of which one
 * triangle is stored (BLAS xSYMM). Arguments and return values are those of startile_hemm_async().
 */
int startile_symm_async(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                        const startile_matrix *B, startile_complex beta, startile_matrix *C,
                        startile_request *request);
/** @brief Blocking startile_symm_async(). */
int64_t startile_symm(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                      const startile_matrix *B, startile_complex beta, startile_matrix *C);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/** @defgroup cholesky Cholesky
 *  @{ */

/**
 * @brief Computes the Cholesky factorization A = L·Lᴴ or A = Uᴴ·U (LAPACK xPOTRF).
 *
 * The algorithm is right-looking over tiles, with look-ahead by priorities (Volkov & Demmel 2008,
 * section 5). On a GPU a block column B is multiplied by the inverse of T, the factor of its
 * diagonal tile, if κ = ‖T⁻¹‖₁·‖T‖₁ is at most the order of T; otherwise a triangular solve
 * replaces the multiplication. The multiplication leaves a residual of the order nb·eps·κ·‖B‖ (Du
 * Croz & Higham 1992). The bound on κ keeps the backward error at the order of LAPACK's, ‖A − L·Lᴴ‖
 * ≤ c·n·eps·‖A‖ (Higham 2002, theorem 10.3).
 *
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by L or U; the other is not
 *        touched
 * @param A n × n, Hermitian positive definite, square tiles
 * @param request request into which the tasks are submitted; info k > 0: the leading minor of order
 *         k is not positive definite; the leading k − 1 rows and columns of the factor are valid,
 *         the rest is undefined
 * @return 0, −1 … −3
 */
int startile_potrf_async(char uplo, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_potrf_async(); returns info. */
int64_t startile_potrf(char uplo, startile_matrix *A);

/**
 * @brief Solves A·X = B with the factor of startile_potrf() in A (LAPACK xPOTRS).
 * @param uplo as given to startile_potrf()
 * @param A the factor; read
 * @param B n × nrhs with A's tile height; overwritten by X
 * @param request request into which the tasks are submitted
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
 * @param request request into which the tasks are submitted; info as for startile_potrf_async()
 * @return 0, −1 … −4
 */
int startile_posv_async(char uplo, startile_matrix *A, startile_matrix *B,
                        startile_request *request);
/** @brief Blocking startile_posv_async(); returns info. */
int64_t startile_posv(char uplo, startile_matrix *A, startile_matrix *B);

/**
 * @brief Refines a solution of A·X = B with the Cholesky factor of A, and bounds its errors (LAPACK
 * xPORFS).
 *
 * Two steps of iterative refinement with residuals in working precision (Higham 2002,
 * section 12.1); LAPACK takes up to five, until the backward error is eps. The bound of the forward
 * error estimates ‖ |A⁻¹|·(|r| + (n + 1)·eps·(|A|·|x| + |b|)) ‖∞ by Higham's estimator, with nrhs
 * estimates of 8 solves each; it is rarely more than a factor of 3 too small (Higham 2002,
 * section 15.1). |z| is |re| + |im|. Temporaries: one of X's size, and one of twice or four times
 * its size.
 * @param uplo 'L' or 'U': the triangle of A and of the factor
 * @param A n × n, Hermitian positive definite, square tiles, at most 1024 × 1024 of them, on no
 * grid; read
 * @param F the factor of A in tiles of A's size; read
 * @param B n × nrhs with A's tile height; read
 * @param X n × nrhs with B's tiles; refined
 * @param[out] ferr nrhs numbers: estimates of ‖x − A⁻¹·b‖∞ / ‖x‖∞ for each column
 * @param[out] berr nrhs numbers: componentwise backward errors max_i |b − A·x|_i / (|A|·|x| +
 * |b|)_i
 * @param request request into which the tasks are submitted; ferr and berr are valid when it has
 *        finished without a failure
 * @return 0, −1 … −8
 */
int startile_porfs_async(char uplo, const startile_matrix *A, const startile_matrix *F,
                         const startile_matrix *B, startile_matrix *X, double *ferr, double *berr,
                         startile_request *request);
/** @brief Blocking startile_porfs_async(). */
int64_t startile_porfs(char uplo, const startile_matrix *A, const startile_matrix *F,
                       const startile_matrix *B, startile_matrix *X, double *ferr, double *berr);

/**
 * @brief Solves A·X = B by Cholesky, refines X, and returns condition number and errors (LAPACK
 * xPOSVX with FACT = 'N'). Blocking.
 *
 * A is not equilibrated. Scaling rows and columns by powers of two changes no rounding of a
 * Cholesky factorization or of its solves, as long as nothing overflows or underflows, and the
 * backward error does not depend on the scaling (Higham 2002, section 10.1.1). Only rcond does: it
 * is that of A. For a badly scaled A it may be below eps although X is accurate, which ferr and
 * berr then show. The rcond that xPOSVX returns with FACT = 'E' is that of the matrix with the
 * elements a_ij / sqrt(a_ii·a_jj).
 * @param uplo 'L' or 'U': the triangle of A that is read, and of the factor
 * @param A n × n as for startile_porfs_async(); read
 * @param F n × n in tiles of A's size; the triangle is overwritten by the factor
 * @param B n × nrhs with A's tile height; read
 * @param X n × nrhs with B's tiles; overwritten by the solution, and undefined if info ≤ n is
 *        positive
 * @param[out] rcond as for startile_pocon_async(); 0 if 0 < info ≤ n
 * @param[out] ferr nrhs numbers, as for startile_porfs_async()
 * @param[out] berr nrhs numbers, as for startile_porfs_async()
 * @return 0; k > 0, k ≤ n: as for startile_potrf_async(); n + 1: rcond < eps, A is singular to
 *         working precision, and X and the errors are computed; −1 … −8 or a ::startile_error
 */
int64_t startile_posvx(char uplo, const startile_matrix *A, startile_matrix *F,
                       const startile_matrix *B, startile_matrix *X, double *rcond, double *ferr,
                       double *berr);

/**
 * @brief Updates a Cholesky factor: the factor of A becomes that of A + V·Vᴴ (LINPACK xCHUD), in
 * 2·n²·k operations.
 *
 * The algorithm is the QR factorization of [Lᴴ; Vᴴ] by block rows. Its backward error is that of
 * Householder QR, so ‖A + V·Vᴴ − L₁·L₁ᴴ‖ ≤ c·n·(n + k)·eps·‖A + V·Vᴴ‖ (Higham 2002, theorem 19.4).
 * The diagonal of the new factor is positive. Needs temporaries for Vᴴ and a block row of the
 * factor.
 * @param uplo as given to startile_potrf()
 * @param A n × n with square tiles, the factor; overwritten by the new one
 * @param V n × k with A's tile height; read
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int startile_potrf_update_async(char uplo, startile_matrix *A, const startile_matrix *V,
                                startile_request *request);
/** @brief Blocking startile_potrf_update_async(). */
int64_t startile_potrf_update(char uplo, startile_matrix *A, const startile_matrix *V);

/**
 * @brief Downdates a Cholesky factor: the factor of A becomes that of A − V·Vᴴ (LINPACK xCHDD), in
 * about 3·n²·k + 2·n²·nb operations.
 *
 * With P = L⁻¹·V and the Cholesky factor C of I − Pᴴ·P, unitary transformations eliminate P from
 * [P; C] and turn [Lᴴ; 0] into [L₁ᴴ; Z]. No hyperbolic transformations are used. ‖A − V·Vᴴ −
 * L₁·L₁ᴴ‖ ≤ c·n·(n + k)·eps·‖A‖ (Stewart, IMA J. Appl. Math. 23, 1979). This is relative to A: if A
 * − V·Vᴴ is much smaller than A, or nearly singular, its factor is not accurate, whatever method
 * computes it from L. Needs temporaries of twice the size of V and for a block row of the factor.
 * @param uplo as given to startile_potrf()
 * @param A n × n with square tiles, the factor; overwritten by the new one
 * @param V n × k with A's tile height; read
 * @param request request into which the tasks are submitted; info j > 0: A − V_j·V_jᴴ, where V_j
 *         has the first j columns of V, is not positive definite to working precision; A then still
 *         has the factor from before the call
 * @return 0, −1 … −4
 */
int startile_potrf_downdate_async(char uplo, startile_matrix *A, const startile_matrix *V,
                                  startile_request *request);
/** @brief Blocking startile_potrf_downdate_async(); returns info. */
int64_t startile_potrf_downdate(char uplo, startile_matrix *A, const startile_matrix *V);

/**
 * @brief Computes A := A⁻¹ for a triangular matrix, in place (LAPACK xTRTRI).
 *
 * For each block column the algorithm solves with the diagonal tile from the right, updates by
 * products, and solves with the diagonal tile from the left. The inverse of a diagonal tile T is
 * the solution of T·X = I, in a temporary of the tile's size.
 * @param uplo 'L' or 'U': the triangle that is read and overwritten; the other is not touched
 * @param diag 'U': A has a diagonal of ones, which is neither read nor written; 'N': the diagonal
 *         is read and overwritten
 * @param A n × n with square tiles
 * @param request request into which the tasks are submitted; info k > 0: A(k, k) is the first
 *         diagonal element that is exactly zero; A is then not changed
 * @return 0, −1 … −4
 */
int startile_trtri_async(char uplo, char diag, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_trtri_async(); returns info. */
int64_t startile_trtri(char uplo, char diag, startile_matrix *A);

/**
 * @brief Computes A := Lᴴ·L or A := U·Uᴴ for the triangle of A, in place (LAPACK xLAUUM).
 *
 * The imaginary parts of the diagonal are ignored, as in LAPACK's xLAUU2. Each diagonal tile needs
 * a temporary of its size.
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by this triangle of the
 *         product; the other is not touched
 * @param A n × n with square tiles
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int startile_lauum_async(char uplo, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_lauum_async(). */
int64_t startile_lauum(char uplo, startile_matrix *A);

/**
 * @brief Computes the inverse X of a Hermitian positive definite matrix from its Cholesky factor
 * (LAPACK xPOTRI): startile_trtri(), then startile_lauum(). ‖A·X − I‖ ≤ c·n·eps·cond(A) (Higham
 * 2002, section 14.4).
 * @param uplo 'L' or 'U': the triangle of the factor, overwritten by this triangle of the inverse
 * @param A n × n with square tiles
 * @param request request into which the tasks are submitted; info as for startile_trtri_async()
 * @return 0, −1 … −3
 */
int startile_potri_async(char uplo, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_potri_async(); returns info. */
int64_t startile_potri(char uplo, startile_matrix *A);

/**
 * @brief Estimates the reciprocal condition number 1 / (‖A‖₁·‖A⁻¹‖₁) from a Cholesky factor (LAPACK
 * xPOCON), by the method of startile_gecon_async().
 * @param uplo 'L' or 'U': the triangle of the factor
 * @param A n × n with square tiles, at most 1024 × 1024 of them; read
 * @param anorm the 1-norm of A before the factorization, ≥ 0
 * @param[out] rcond as for startile_gecon_async()
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int startile_pocon_async(char uplo, const startile_matrix *A, double anorm, double *rcond,
                         startile_request *request);
/** @brief Blocking startile_pocon_async(). */
int64_t startile_pocon(char uplo, const startile_matrix *A, double anorm, double *rcond);

/**
 * @brief Computes log det A from the Cholesky factor of A.
 *
 * The method and its error are those of startile_gedet_async(). Only the factor's diagonal is read,
 * which is the same for both triangles.
 * @param A n × n with square tiles, the factor; read
 * @param[out] logdet the result, valid when the request has finished without a failure; 0 for n = 0
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int startile_podet_async(const startile_matrix *A, double *logdet, startile_request *request);
/** @brief Blocking startile_podet_async(). */
int64_t startile_podet(const startile_matrix *A, double *logdet);

/** @} */

/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup lu LU
 *
 *  The factorizations divide a matrix into block columns of nb columns, the width of its tiles, and
 *  process a block column as a whole, even if several tiles hold it. **Tiles as tall as the matrix
 *  (mb = m)** are the recommended shape; startile_tile_shape() returns one. A diagonal block of nb
 *  rows must lie in one tile: mb must be a multiple of nb, or at least m. There
 *  may be at most 1024 rows and 1024 columns of tiles.
 *
 *  Row interchanges on a GPU need shared memory for 2·nb elements; they end with
 *  #STARTILE_ERROR_DEVICE if a thread block has less. In complex double this allows nb = 6500 for
 *  227 KiB (compute capability 9.0), 4500 for 163 KiB (8.0) and 2500 for 99 KiB (8.6, 8.9), in
 *  other types twice as much.
 *  @{
 */

/**
 * @brief Returns the recommended tile shape of a routine for the running workers.
 *
 * Cholesky gets square tiles; LU and QR get whole block columns (mb = m). Tiles are smaller if the
 * matrix exceeds the memory of the GPUs, or main memory where tasks run on CPU workers only.
 * "geqrf_tree" gets tiles of several thousand rows. "gels" gets the same tiles without a GPU for m
 * ≥ 2·n and m > 4096, because a tree is then at least as fast as panels (perf_models/NOTES.md,
 * "CPU cores").
 * @param routine LAPACK's name of the routine without the type letter: "potrf", "getrf", "geqrf",
 *         "gels", …; or "getrf_nopiv", "getrf_tntpiv", "geqrf_tree", "gesv_mixed",
 *         "posv_mixed"
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param[out] mb rows of a tile
 * @param[out] nb columns of a tile
 * @return 0, −1 for an unknown routine, −2 … −6, #STARTILE_ERROR_STARPU
 */
int startile_tile_shape(const char *routine, startile_dtype dtype, int64_t m, int64_t n,
                        int64_t *mb, int64_t *nb);
/**
 * @brief startile_tile_shape() for a matrix in main memory.
 *
 * If all tasks run on GPUs, the tiles of Cholesky and of LU with pivots are smaller than those for
 * a matrix in GPU memory: finished tiles are copied back while the factorization goes on.
 */
int startile_tile_shape_in_host(const char *routine, startile_dtype dtype, int64_t m, int64_t n,
                                int64_t *mb, int64_t *nb);

/** @brief Row interchanges of an LU factorization: one StarPU handle per panel of nb columns. */
typedef struct startile_pivots startile_pivots;

/**
 * @brief Creates the pivots for a factorization of A: min(m, n) pivots, in panels of A's tile
 * width. Until a factorization writes them they are the identity permutation.
 * @return 0, −1, −2, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_pivots_create(startile_pivots **P, const startile_matrix *A);

/** @brief Waits for the tasks on the pivots, then frees them; NULL is allowed. */
void startile_pivots_destroy(startile_pivots *P);

/**
 * @brief Copies the pivots to LAPACK's ipiv: row i was interchanged with row ipiv[i − 1], both
 * 1-based. Blocking: waits for the tasks that write the pivots.
 * @param P pivots of startile_getrf() or startile_getrf_tntpiv(); read
 * @param[out] ipiv min(m, n) elements
 * @return 0, −1, −2 or a ::startile_error
 */
int startile_pivots_to_lapack(startile_pivots *P, int64_t *ipiv);

/**
 * @brief Sets the pivots from LAPACK's ipiv. Blocking.
 * @param P written
 * @param ipiv min(m, n) elements, each between its own 1-based index and m
 * @return 0, −1, −2 (also for an element out of range; P is then unchanged), #STARTILE_ERROR_MEMORY
 */
int startile_pivots_from_lapack(startile_pivots *P, const int64_t *ipiv);

/**
 * @brief Returns StarPU's handle of panel k, for the caller's own tasks; NULL if out of range.
 *
 * The handle has a matrix interface of int64_t with 5 columns and one row per pivot of the panel.
 * The first column holds the panel's elements of ipiv, as returned by startile_pivots_to_lapack();
 * the caller may read it. The other columns are internal.
 */
starpu_data_handle_t startile_pivots_handle(const startile_pivots *P, int64_t k);

/**
 * @brief Computes the LU factorization with partial pivoting, P·A = L·U (LAPACK xGETRF).
 *
 * The algorithm is right-looking over block columns, with look-ahead by priorities (Volkov & Demmel
 * 2008, sections 5 and 6). A step factors a panel with row interchanges. Each block column to its
 * right then gets the row interchanges, a triangular solve and a product. The block columns of L to
 * its left get the interchanges of several panels at a time. The pivot of a column is its largest
 * element by |re| + |im|; of equal elements the topmost. On a GPU a multiplication by the inverse
 * of the panel's unit lower triangle T replaces the triangular solve if ‖T⁻¹‖₁·‖T‖₁ is at most the
 * order of T. The backward error is ‖P·A − L·U‖ ≤ c·n·eps·‖L‖·‖U‖. The growth of U's elements over
 * A's is at most 2ⁿ⁻¹ and nearly always small (Higham 2002, section 9.3).
 *
 * On a grid with several process rows the processes of a column factor a panel together, each on
 * its own rows, with the pivots that one process would choose; a NaN counts as the largest element
 * there. Each process needs a CPU worker.
 *
 * @param A m × n; overwritten by L (unit diagonal not stored) and U
 * @param P created for A's shape; overwritten
 * @param request request into which the tasks are submitted; info k > 0: U(k, k) is the first
 *         diagonal element of U that is exactly zero. The factorization is complete. Tasks of
 *         operations submitted into the request after it do nothing if they have not begun when the
 *         zero is found; others run, and the results of these operations are undefined.
 *         startile_getrs(), with the factors in the same request, leaves B unchanged.
 * @return 0, −1 … −3
 */
int startile_getrf_async(startile_matrix *A, startile_pivots *P, startile_request *request);
/** @brief Blocking startile_getrf_async(); returns info. */
int64_t startile_getrf(startile_matrix *A, startile_pivots *P);

/**
 * @brief Computes the LU factorization without pivoting, A = L·U, by the algorithm of
 * startile_getrf_async().
 *
 * Use it only for matrices that need no pivoting, for example diagonally dominant ones. For other
 * matrices the growth of the elements is unbounded, and a small pivot makes the result inaccurate
 * without an error code.
 *
 * @param A m × n; overwritten by L and U
 * @param request request into which the tasks are submitted; info k > 0: U(k, k) is the first
 *         diagonal element of U that is exactly zero; the leading k − 1 rows and columns of the
 *         factors are valid, the rest is undefined
 * @return 0, −1, −2
 */
int startile_getrf_nopiv_async(startile_matrix *A, startile_request *request);
/** @brief Blocking startile_getrf_nopiv_async(); returns info. */
int64_t startile_getrf_nopiv(startile_matrix *A);

/**
 * @brief Computes the LU factorization with tournament pivoting, P·A = L·U: communication-avoiding
 * LU (Grigori, Demmel & Xiang, "CALU: a communication optimal LU factorization algorithm", SIAM J.
 * Matrix Anal. Appl. 32, 2011).
 *
 * A binary tree of small factorizations with partial pivoting, which run in parallel, selects the
 * pivot rows of a panel; the panel is then factored without further pivoting. Elements of L are not
 * bounded by 1. The growth of U's elements is at most 2^(n(H+1)−1), where H is ⌈log₂ l⌉ for a
 * panel's tree of l leaves; on a grid each process row counts as at least one leaf. For partial
 * pivoting the growth is at most 2^(n−1). In the paper's experiments the growth was at most a small
 * multiple of the growth with partial pivoting. Every routine that takes the factors and pivots of
 * startile_getrf() takes these too.
 *
 * @param A m × n; overwritten by L and U
 * @param P created for A's shape; overwritten
 * @param request request into which the tasks are submitted; info as for
 *         startile_getrf_nopiv_async()
 * @return 0, −1 … −3
 */
int startile_getrf_tntpiv_async(startile_matrix *A, startile_pivots *P, startile_request *request);
/** @brief Blocking startile_getrf_tntpiv_async(); returns info. */
int64_t startile_getrf_tntpiv(startile_matrix *A, startile_pivots *P);

/**
 * @brief Solves op(A)·X = B with the factors of an LU factorization (LAPACK xGETRS). Rounding
 * errors are those of startile_trsm_async().
 * @param trans 'N': A·X = B; 'T': Aᵀ·X = B; 'C': Aᴴ·X = B
 * @param A n × n, the factors; read
 * @param P the pivots; read. NULL: no interchanges, as after startile_getrf_nopiv()
 * @param B n × nrhs; its tile height is a multiple of A's tile width, or at least n; overwritten
 *        by X
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int startile_getrs_async(char trans, const startile_matrix *A, const startile_pivots *P,
                         startile_matrix *B, startile_request *request);
/** @brief Blocking startile_getrs_async(). */
int64_t startile_getrs(char trans, const startile_matrix *A, const startile_pivots *P,
                       startile_matrix *B);

/**
 * @brief Factors A and solves A·X = B (LAPACK xGESV), with optional iterative refinement (LAPACK
 * xGERFS: residual in working precision, Higham 2002, section 12.1).
 *
 * One step makes the solve componentwise backward stable unless A is close to singular. Refinement
 * needs copies of A and B.
 * @param A n × n; overwritten by its factors
 * @param P created for A's shape; overwritten
 * @param B n × nrhs, tiles as for startile_getrs_async(); overwritten by X; not changed if info > 0
 * @param refine steps of refinement, 0 … 10
 * @param request request into which the tasks are submitted; info as for startile_getrf_async()
 * @return 0, −1 … −5
 */
int startile_gesv_async(startile_matrix *A, startile_pivots *P, startile_matrix *B, int refine,
                        startile_request *request);
/** @brief Blocking startile_gesv_async(); returns info. */
int64_t startile_gesv(startile_matrix *A, startile_pivots *P, startile_matrix *B, int refine);

/** @brief How a solver in mixed precision improves the solution in single precision. */
typedef enum startile_method {
    STARTILE_METHOD_AUTO,       /**< refinement; if it stagnates after it has reduced the error by a
                                   factor of 1.5 or more, GMRES takes over */
    STARTILE_METHOD_REFINEMENT, /**< iterative refinement (Higham 2002, chapter 12), accelerated */
    STARTILE_METHOD_GMRES       /**< GMRES with the factors as preconditioner after the first step
                                   (Carson & Higham, SIAM J. Sci. Comput. 40, 2018). It converges if
                                   A has few small singular values, up to condition numbers of about
                                   1e12. Each step keeps 2·n·nrhs elements, at most n²/16 (or 2²⁰)
                                   together; where it converts the factors, n²/16 more */
} startile_method;

/** @brief Options of startile_gesv_mixed(), startile_posv_mixed() and startile_gels_mixed(); all
 * zero: the defaults. */
typedef struct startile_mixed_options {
    startile_products products; /**< products of the factorization. STARTILE_PRODUCTS_AUTO:
                                   STARTILE_PRODUCTS_FP16X2; for a Hermitian A whose rows are
                                   dominated by the diagonal STARTILE_PRODUCTS_FP16 */
    startile_method method;     /**< how X is improved */
    double tolerance;   /**< backward error (startile_mixed_result.backward) at which the iteration
                           ends, in units of eps = 2⁻⁵³; 0: 10 */
    int max_iterations; /**< largest number of steps of refinement and GMRES, 1 … 30; 0: 30. One
                           step is always computed, also where X needs none */
    int certificate;    /**< non-zero: compute startile_mixed_result.componentwise, and find large
                           condition numbers for .forward, in one to six steps. Ignored by gels */
} startile_mixed_options;

/** @brief Steps of a solver in mixed precision, and the errors of X. NaN: not computed. */
typedef struct startile_mixed_result {
    startile_products products; /**< arithmetic of the factorization that gave X;
                                   STARTILE_PRODUCTS_DOUBLE after the fallback */
    startile_method method;     /**< STARTILE_METHOD_GMRES if GMRES was used, else
                                   STARTILE_METHOD_REFINEMENT */
    int iterations;  /**< LAPACK's iter: the number of steps; in double precision −1 (too many
                        right-hand sides), −2 (a value out of range), −3 (no factorization in single
                        precision), −31 (steps gained less than a factor of 2, or max_iterations) */
    double backward; /**< largest backward error of the columns of X, which ended the iteration.
                        gesv and posv: max_i |b − A·x|_i / (Σ_j |a_ij| · ‖x‖∞), at most twice too
                        large: a bound of LAPACK's ‖b − A·x‖∞ / (‖A‖∞·‖x‖∞). gels: see
                        startile_gels_mixed_async() */
    double componentwise; /**< largest |b − A·x|_i / (|A|·|x| + |b|)_i; not for gels */
    double forward; /**< estimate of the largest ‖x − A⁻¹·b‖∞ / ‖x‖∞, from the size of the
                       corrections (Demmel et al., ACM TOMS 32, 2006) and a lower bound of ‖A⁻¹‖. It
                       may be too small, above all for n < 5 and, without
                       startile_mixed_options.certificate, for condition numbers beyond 1e13 */
} startile_mixed_result;

/**
 * @brief Solves A·X = B with an LU factorization in single precision and iterative refinement to
 * double precision (LAPACK xSGESV, xCGESV; Higham 2002, section 12.1).
 *
 * A is scaled by powers of two and factored in single precision. Refinement converges if growth ·
 * cond(A) · 2⁻²² is small; every step must at least halve the error. GMRES also solves systems with
 * a larger cond(A) if only few singular values are small (::startile_method). If neither converges,
 * A is factored in double precision, as by startile_gesv_async(). The solver needs memory for half
 * of A. Tasks that the program submits on A, P, B and X after this call run after its end, also
 * those that only read B. The descriptors must not be destroyed before startile_wait(). For nrhs =
 * 0 nothing is computed.
 *
 * On a grid of processes (startile_mpi.h) all get the same result. They decide together after each
 * step, so this call returns after the last step; only the tasks of a fallback remain. GMRES and
 * the certificate also need memory for a copy of A. If the options of two processes differ, the
 * call returns #STARTILE_ERROR_MISMATCH.
 *
 * @param A n × n in double precision; not changed if result->iterations ≥ 0, else overwritten by
 * its factors
 * @param P created for A's shape; overwritten by the interchanges of the factorization that gave X
 * @param B n × nrhs, tiles as for startile_getrs_async(); read
 * @param X n × nrhs, with the block columns of B; overwritten; not B
 * @param options options, or NULL for the defaults
 * @param[out] result valid after startile_wait(); or NULL
 * @param request request into which the tasks are submitted; info as for startile_getrf_async()
 * @return 0, −1 … −5, −7
 */
int startile_gesv_mixed_async(startile_matrix *A, startile_pivots *P, const startile_matrix *B,
                              startile_matrix *X, const startile_mixed_options *options,
                              startile_mixed_result *result, startile_request *request);
/** @brief Blocking startile_gesv_mixed_async(); returns info. */
int64_t startile_gesv_mixed(startile_matrix *A, startile_pivots *P, const startile_matrix *B,
                            startile_matrix *X, const startile_mixed_options *options,
                            startile_mixed_result *result);

/**
 * @brief Solves A·X = B for a Hermitian positive definite A with a Cholesky factorization in single
 * precision and iterative refinement to double precision (LAPACK xSPOSV, xCPOSV).
 *
 * The method is that of startile_gesv_mixed_async(), with the factorization of
 * startile_potrf_async().
 *
 * @param uplo 'L' or 'U': the triangle of A that is read
 * @param A n × n in double precision, square tiles; not changed if result->iterations ≥ 0, else the
 *        triangle is overwritten by its factor
 * @param B n × nrhs, tiles as for startile_potrs_async(); read
 * @param X n × nrhs, with the tiles of B; overwritten; not B
 * @param options options, or NULL for the defaults
 * @param[out] result valid after startile_wait(); or NULL
 * @param request request into which the tasks are submitted; info as for startile_potrf_async()
 * @return 0, −1 … −5, −7
 */
int startile_posv_mixed_async(char uplo, startile_matrix *A, const startile_matrix *B,
                              startile_matrix *X, const startile_mixed_options *options,
                              startile_mixed_result *result, startile_request *request);
/** @brief Blocking startile_posv_mixed_async(); returns info. */
int64_t startile_posv_mixed(char uplo, startile_matrix *A, const startile_matrix *B,
                            startile_matrix *X, const startile_mixed_options *options,
                            startile_mixed_result *result);

/**
 * @brief Computes A⁻¹ from the factors of an LU factorization (LAPACK xGETRI).
 *
 * The algorithm solves A·X = I by independent block columns and skips the zeros of L⁻¹: 4/3·n³
 * operations, as LAPACK's. On a grid it solves A·X = I with the rows of I interchanged: 2·n³
 * operations. It needs a temporary of A's size. ‖A·X − I‖ ≤ c·n·eps·‖ |L|·|U|·|X| ‖ (Higham 2002,
 * section 14.3, method A).
 * @param A n × n, the factors; overwritten by the inverse
 * @param P the pivots; read. NULL: no interchanges
 * @param request request into which the tasks are submitted; info k > 0: U(k, k) is the first
 *         diagonal element of U that is exactly zero; A is then not changed
 * @return 0, −1 … −3
 */
int startile_getri_async(startile_matrix *A, const startile_pivots *P, startile_request *request);
/** @brief Blocking startile_getri_async(); returns info. */
int64_t startile_getri(startile_matrix *A, const startile_pivots *P);

/**
 * @brief Estimates the reciprocal condition number 1 / (‖A‖·‖A⁻¹‖) from the factors of an LU
 * factorization (LAPACK xGECON).
 *
 * Higham's 1-norm estimator (LAPACK xLACN2) returns a lower bound of ‖A⁻¹‖ that is rarely more than
 * a factor of 3 too small. The pivots are not needed, since they do not change the norm.
 * @param norm '1' or 'O': 1-norm; 'I': ∞-norm
 * @param A n × n, the factors; read
 * @param anorm this norm of A before the factorization, ≥ 0
 * @param[out] rcond the result, valid when the request has finished. 0 if U has a zero on its
 *         diagonal, if anorm is 0, if the estimate overflows or meets NaN, or if the request has
 *         failed; 1 for n = 0
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int startile_gecon_async(char norm, const startile_matrix *A, double anorm, double *rcond,
                         startile_request *request);
/** @brief Blocking startile_gecon_async(). */
int64_t startile_gecon(char norm, const startile_matrix *A, double anorm, double *rcond);

/**
 * @brief Computes sign and logarithm of a determinant from the factors of an LU factorization:
 * det A = *sign · exp(*logabsdet).
 *
 * The diagonal of U is multiplied in double precision, with a separate exponent, as in LINPACK's
 * xGEDI: the product neither overflows nor underflows. The rounding of these products changes the
 * logarithm by at most 3·n·2⁻⁵³ and the argument of *sign by as much; the logarithm itself has a
 * relative error of a few 2⁻⁵³. The factors are exact for A + ΔA with the ΔA of the factorization,
 * which changes log |det A| by about |trace(A⁻¹·ΔA)| (Higham 2002, section 14.6).
 * @param A n × n, the factors; read
 * @param P the pivots; read. NULL: no interchanges, as after startile_getrf_nopiv()
 * @param[out] sign 1 or −1 for real types, a number of modulus 1 for complex ones; 0 if U has a
 * zero on its diagonal; 1 for n = 0; NaN if an element of the diagonal is not finite
 * @param[out] logabsdet log |det A|: −∞ if U has a zero on its diagonal; 0 for n = 0; not finite if
 *         an element of the diagonal is not finite. Both results are valid when the request has
 *         finished without a failure, or with the zero pivot of a startile_getrf_async() in the
 *         same request, which is no failure of this operation
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int startile_gedet_async(const startile_matrix *A, const startile_pivots *P, startile_complex *sign,
                         double *logabsdet, startile_request *request);
/** @brief Blocking startile_gedet_async(). */
int64_t startile_gedet(const startile_matrix *A, const startile_pivots *P, startile_complex *sign,
                       double *logabsdet);

/** @} */

/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup qr QR and least squares
 *
 *  A = Q·R with Q = H₁·H₂·…, a product of Householder reflectors Hᵢ = I − τᵢ·vᵢ·vᵢᴴ in LAPACK's
 *  form: vᵢ is stored below the diagonal of A's column i (its element on the diagonal is 1), τᵢ in
 *  tau. The reflectors of a block column form one block reflector I − V·T·Vᴴ (Schreiber & Van Loan,
 *  SIAM J. Sci. Stat. Comput. 10, 1989). The triangles T, with tau on their diagonals, are stored
 *  in an object of their own, ::startile_reflectors. Tiles are as for LU.
 *  @{
 */

/**
 * @brief Triangles T of the block reflectors of a QR or LQ factorization: one StarPU handle per
 * panel of nb columns.
 */
typedef struct startile_reflectors startile_reflectors;

/**
 * @brief Creates the triangles for a factorization of A with min(m, n) reflectors.
 * @return 0, −1, −2, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU; on a grid as
 *         startile_matrix_create_distributed()
 */
int startile_reflectors_create(startile_reflectors **T, const startile_matrix *A);

/**
 * @brief Uses a matrix for the triangles of k reflectors: for handles of the caller, for a file, or
 * for less than min(m, n) reflectors.
 *
 * T and M are one object, which is destroyed once, as T or as M.
 * @param[out] T the triangles
 * @param M nb × k elements in tiles of nb × nb, where nb is the tile width of the matrices that T
 *        is used with
 * @return 0, −1, −2 also for other tiles
 */
int startile_reflectors_from_matrix(startile_reflectors **T, startile_matrix *M);

/** @brief Waits for the tasks on the triangles, then frees them; NULL is allowed. */
void startile_reflectors_destroy(startile_reflectors *T);

/**
 * @brief Returns the triangles as a matrix of nb × k elements in tiles of nb × nb, for
 * startile_matrix_handle(), startile_lacpy() and so on; NULL for NULL. It is T's object.
 */
startile_matrix *startile_reflectors_matrix(startile_reflectors *T);

/**
 * @brief Copies LAPACK's tau from the diagonals of T's tiles. Blocking: waits for the tasks that
 * write T.
 * @param T triangles of startile_geqrf() or startile_gelqf(); read
 * @param[out] tau as many elements as there are reflectors, of A's type
 * @return 0, −1, −2, #STARTILE_ERROR_STARPU
 */
int startile_reflectors_to_lapack(startile_reflectors *T, void *tau);

/**
 * @brief Computes T from reflectors in A and tau, as LAPACK's xGEQRF or xGELQF returns them (LAPACK
 * xLARFT). Blocking.
 * @param storev 'C': the reflectors are columns of A (QR); 'R': they are rows of A (LQ)
 * @param A m × n, the reflectors; read
 * @param tau as many elements as T has reflectors; read
 * @param T written
 * @return 0, −1 … −4 or a ::startile_error
 */
int64_t startile_reflectors_from_lapack(char storev, const startile_matrix *A, const void *tau,
                                        startile_reflectors *T);

/**
 * @brief Computes the QR factorization A = Q·R (LAPACK xGEQRF).
 *
 * The algorithm is right-looking over block columns, with look-ahead by priorities. A step factors
 * a panel and applies its block reflector to each block column to the right. Backward error: A + ΔA
 * = Q·R with ‖ΔA‖ ≤ c·m·n·eps·‖A‖ column by column, and Q orthogonal to working precision, for
 * every A (Higham 2002, theorem 19.4).
 *
 * On a grid with several process rows a panel is factored by TSQR, and LAPACK's V, T and R are
 * reconstructed with the same bounds. If a column is zero below the diagonal there, tau is 2 and
 * R's diagonal element has the other sign, while LAPACK has tau = 0. Temporaries on each process: a
 * copy of its part of the panels that are being factored.
 *
 * @param A m × n; overwritten by R on and above the diagonal and V below it
 * @param T created for A's shape; overwritten
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int startile_geqrf_async(startile_matrix *A, startile_reflectors *T, startile_request *request);
/** @brief Blocking startile_geqrf_async(). */
int64_t startile_geqrf(startile_matrix *A, startile_reflectors *T);

/**
 * @brief Computes the LQ factorization A = L·Q (LAPACK xGELQF), from the QR factorization Aᴴ =
 * Qᴴ·Lᴴ in a temporary of A's size.
 * @param A m × n; overwritten by L on and below the diagonal and by the reflectors above it, in
 *        rows
 * @param T created for A's shape; overwritten
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int startile_gelqf_async(startile_matrix *A, startile_reflectors *T, startile_request *request);
/** @brief Blocking startile_gelqf_async(). */
int64_t startile_gelqf(startile_matrix *A, startile_reflectors *T);

/**
 * @brief Computes C := op(Q)·C or C := C·op(Q) with the Q of startile_geqrf() (LAPACK xORMQR,
 * xUNMQR).
 * @param side 'L': op(Q)·C; 'R': C·op(Q), computed from Cᴴ in a temporary of C's size
 * @param trans 'N': op(Q) = Q; 'C' (or 'T' for real types): op(Q) = Qᴴ
 * @param A the reflectors, in as many columns as T has; read. Further columns are not read.
 * @param T read
 * @param C updated. The order of Q is the number of A's rows; C has as many rows ('L') or columns
 *         ('R'). With 'L' the tile height of C is a multiple of A's tile width, or at least m.
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −6
 */
int startile_unmqr_async(char side, char trans, const startile_matrix *A,
                         const startile_reflectors *T, startile_matrix *C,
                         startile_request *request);
/** @brief Blocking startile_unmqr_async(). */
int64_t startile_unmqr(char side, char trans, const startile_matrix *A,
                       const startile_reflectors *T, startile_matrix *C);

/**
 * @brief Overwrites A by the first n columns of Q (LAPACK xORGQR, xUNGQR). Needs temporaries for
 * the reflectors, up to A's size.
 * @param A m × n, m ≥ n, with the reflectors in its first k columns; overwritten
 * @param T the triangles of these k ≤ n reflectors; read
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int startile_ungqr_async(startile_matrix *A, const startile_reflectors *T,
                         startile_request *request);
/** @brief Blocking startile_ungqr_async(). */
int64_t startile_ungqr(startile_matrix *A, const startile_reflectors *T);

/**
 * @brief Computes C := op(Q)·C or C := C·op(Q) with the Q of startile_gelqf() (LAPACK xORMLQ,
 * xUNMLQ).
 *
 * Arguments and return values are those of startile_unmqr_async(), with two differences: the
 * reflectors are rows of A, as many as T has columns, and the order of Q is the number of A's
 * columns. Needs temporaries of A's size and, with side 'R', of C's size.
 */
int startile_unmlq_async(char side, char trans, const startile_matrix *A,
                         const startile_reflectors *T, startile_matrix *C,
                         startile_request *request);
/** @brief Blocking startile_unmlq_async(). */
int64_t startile_unmlq(char side, char trans, const startile_matrix *A,
                       const startile_reflectors *T, startile_matrix *C);

/**
 * @brief Overwrites the m × n matrix A, m ≤ n, by the first m rows of the Q of startile_gelqf()
 * (LAPACK xORGLQ, xUNGLQ).
 *
 * Arguments and return values are those of startile_ungqr_async(), with the reflectors in the first
 * k ≤ m rows of A. Needs a temporary of A's size.
 */
int startile_unglq_async(startile_matrix *A, const startile_reflectors *T,
                         startile_request *request);
/** @brief Blocking startile_unglq_async(). */
int64_t startile_unglq(startile_matrix *A, const startile_reflectors *T);

/**
 * @brief Solves a least-squares problem, or computes the solution of least norm, for A of full rank
 * (LAPACK xGELS).
 *
 * If op(A) has at least as many rows as columns, each column of X minimizes the 2-norm of its
 * column of B − op(A)·X. Otherwise each column of X is the solution of op(A)·X = B with the least
 * 2-norm. A matrix A with m ≥ 2·n in several rows of tiles, whose height is B's tile height, is
 * factored by startile_geqrf_tree() with the greedy tree; other matrices are factored by
 * startile_geqrf() or startile_gelqf(). startile_tile_shape() returns tiles for the faster of the
 * two. The method is normwise backward stable (Higham 2002, theorem 20.3). As in LAPACK, A or B is
 * scaled if its largest element is outside [s, 1/s], s = 2⁻⁹⁷⁰ for double, 2⁻¹⁰³ for float.
 *
 * Temporaries: one of A's size for m < n; 3·nb·n elements per row of tiles for a tree; the cleared
 * rows of B for a solution of least norm.
 *
 * @param trans 'N': op(A) = A; 'C' (or 'T' for real types): op(A) = Aᴴ
 * @param A m × n; overwritten by its factorization
 * @param B max(m, n) × nrhs. Its tile height is a multiple of A's tile width, or at least max(m,
 *         n); a tree needs A's tile height. On entry the first rows, as many as op(A) has, are the
 *         right-hand sides. On exit the first rows, as many as op(A) has columns, are X. If op(A)
 *         has more rows than columns, the squares of a column's elements below X add up to the
 *         squared 2-norm of this column's residual; otherwise the rows below X are undefined. If
 *         m = 0 or n = 0, all of B becomes 0. For A = 0, X is 0, as in LAPACK, and the rows below
 *         are undefined.
 * @param request request into which the tasks are submitted; info k > 0: R(k, k) is the first
 *         diagonal element of R that is exactly zero: A does not have full rank, and B is not
 *         changed. As in LAPACK, an infinite element scales the other elements to 0 before A is
 *         factored, so that k is often 1.
 * @return 0, −1 … −4
 */
int startile_gels_async(char trans, startile_matrix *A, startile_matrix *B,
                        startile_request *request);
/** @brief Blocking startile_gels_async(); returns info. */
int64_t startile_gels(char trans, startile_matrix *A, startile_matrix *B);

/**
 * @brief Solves min ‖B − A·X‖₂ for A of full rank with a QR factorization in single precision and
 * iterative refinement of the normal equations to double precision (Björck 1996, section 6.6.5).
 *
 * The method is that of startile_gesv_mixed_async(), without GMRES. The columns of A are scaled by
 * powers of two. Each step solves with R and multiplies with A and Aᴴ in double precision; Aᴴ·A is
 * not formed. Refinement converges if cond(A) · 2⁻²² is small and, where cond(A) is above 1e4, the
 * residual is not much larger than A·X. The error of X is then as large as that of
 * startile_gels_async(), which is the fallback. With e = b − A·x the backward error is the smaller
 * of max_i |Aᴴ·e|_i / (‖a_i‖₁·‖e‖∞), where a_i are the columns of A, and ‖Qᴴ·e‖∞ / (‖A‖∞·‖x‖∞) with
 * the e before the last step. The solver needs memory for half of A and a copy of B.
 *
 * @param A m × n in double precision, m ≥ n, tiles as for startile_geqrf_async(); not changed if
 *        result->iterations ≥ 0, else overwritten as by startile_gels_async()
 * @param B m × nrhs, tiles as for startile_gels_async(); read
 * @param X n × nrhs, with the block columns of B; overwritten; not B
 * @param options options, or NULL for the defaults; method: not STARTILE_METHOD_GMRES
 * @param[out] result valid after startile_wait(); or NULL
 * @param request request into which the tasks are submitted; info as for startile_gels_async()
 * @return 0, −1 … −4, −6
 */
int startile_gels_mixed_async(startile_matrix *A, const startile_matrix *B, startile_matrix *X,
                              const startile_mixed_options *options, startile_mixed_result *result,
                              startile_request *request);
/** @brief Blocking startile_gels_mixed_async(); returns info. */
int64_t startile_gels_mixed(startile_matrix *A, const startile_matrix *B, startile_matrix *X,
                            const startile_mixed_options *options, startile_mixed_result *result);

/** @brief Order in which startile_geqrf_tree() combines the tiles of a block column in pairs. */
typedef enum startile_tree_kind {
    STARTILE_TREE_FLAT,   /**< each tile with the first one, in turn: the fewest operations */
    STARTILE_TREE_BINARY, /**< binary tree over neighbours: the fewest steps for one block column */
    STARTILE_TREE_GREEDY  /**< at each step as many pairs as possible: the fewest steps for several
                             block columns */
} startile_tree_kind;

/**
 * @brief A reduction tree for matrices of one shape, with the reflectors that a factorization
 * stores outside the matrix.
 */
typedef struct startile_tree startile_tree;

/**
 * @brief Creates the tree for factorizations of A. A's tile height mb must be a multiple of nb, or
 * at least m.
 *
 * The tree needs 3·nb·min(m, n) elements per row of tiles. On a grid with several process rows, all
 * rows of a block column that one process row owns count as one tile, for every kind.
 * @return 0, −1 … −3, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int startile_tree_create(startile_tree **tree, const startile_matrix *A, startile_tree_kind kind);

/** @brief Waits for the tasks on the tree, then frees it; NULL is allowed. */
void startile_tree_destroy(startile_tree *tree);

/**
 * @brief Computes the QR factorization with a reduction tree over the rows of tiles: TSQR for one
 * block column, communication-avoiding QR for several (Demmel, Grigori, Hoemmen & Langou, SIAM J.
 * Sci. Comput. 34, 2012; the greedy tree: Bouwmeester, Jacquelin, Langou & Robert, SC 2011).
 *
 * Each tile of a block column is factored separately, and the triangles R are combined in pairs.
 * These tasks run in parallel, while a panel over the whole column is one task: the algorithm suits
 * tall matrices. The error bound is that of startile_geqrf(). R differs from that of
 * startile_geqrf() only by the signs of its rows and by rounding. Q is stored in a form that only
 * startile_unmqr_tree() reads.
 * @param A m × n; overwritten by R on and above the diagonal and by a part of Q's reflectors below
 *         it
 * @param tree created for A's shape; overwritten
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int startile_geqrf_tree_async(startile_matrix *A, startile_tree *tree, startile_request *request);
/** @brief Blocking startile_geqrf_tree_async(). */
int64_t startile_geqrf_tree(startile_matrix *A, startile_tree *tree);

/**
 * @brief Computes C := op(Q)·C or C := C·op(Q) with the Q of startile_geqrf_tree().
 * @param side 'L' or 'R', as for startile_unmqr_async()
 * @param trans 'N', 'C' or, for real types, 'T'
 * @param A result of startile_geqrf_tree(); read
 * @param tree tree of that factorization; read
 * @param C updated; with 'L' it has A's tile height
 * @param request request into which the tasks are submitted
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
