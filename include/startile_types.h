/**
 * @file
 * @brief Types of startile_core.h that the library's kernels use, too.
 */
#ifndef STARTILE_TYPES_H
#define STARTILE_TYPES_H

#include <stddef.h>

/** @addtogroup basics
 *  @{ */

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
    STARTILE_ERROR_CANCELLED =
        -1004,                     /**< startile_request_cancel() came before the operation's end */
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

/** @} */

/**
 * @ingroup runtime
 * @brief Arithmetic of products in single precision on GPUs.
 *
 * Sums are in single precision. All but STARTILE_PRODUCTS_PLAIN need compute capability 9.0 and
 * apply to products with k ≥ 256 for which they are faster; other products, and those with factors
 * outside the range of the format, are computed in single precision. FP16 takes elements of at most
 * 2¹⁵ and has an absolute error for elements below 2⁻¹⁴: it is for matrices whose largest elements
 * are about 1.
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
 * @ingroup runtime
 * @brief Allocates memory of a GPU for the library; see startile_options::allocate. Several workers
 * may call the function at once.
 * @param bytes size, > 0; the memory must be aligned to 256 bytes
 * @param device number of the GPU, which is the calling thread's current device
 * @param stream cudaStream_t in which the library uses the memory first
 * @param context startile_options::allocator
 * @return the memory, or NULL without memory
 */
typedef void *startile_allocate(size_t bytes, int device, void *stream, void *context);

/**
 * @ingroup runtime
 * @brief Frees memory of startile_allocate. All work of the library on it has ended. Several
 * workers may call the function at once.
 * @param memory the memory
 * @param bytes size at its allocation
 * @param device number of the GPU, which is the calling thread's current device
 * @param stream cudaStream_t of the worker that used the memory
 * @param context startile_options::allocator
 */
typedef void startile_release(void *memory, size_t bytes, int device, void *stream, void *context);

#endif
