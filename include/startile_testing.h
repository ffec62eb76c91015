/**
 * @file startile_testing.h
 * @brief For tests: random matrices, and flipped bits.
 */
#ifndef STARTILE_TESTING_H
#define STARTILE_TESTING_H

#include "startile_core.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/**
 * @defgroup testing For tests
 *
 *  **Threads.** Several threads may call these functions at once, each on its own matrices and
 *  requests.
 *  @{
 */

/**
 * @brief Fills A with pseudo-random elements; real and imaginary parts are uniform in [−1, 1),
 * multiples of 2⁻²³. An element depends only on seed, its row and its column, not on tile size or
 * device. The generator is the finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
 * @param kind 'G': general; 'S': symmetric; 'H': Hermitian. 'S' and 'H' need m = n. With bump = n,
 *         'S' and 'H' of a real type are positive definite, and 'H' of a complex type except for
 *         rare small matrices.
 * @param seed any number
 * @param bump real number that is added to the diagonal for every kind
 * @param A m × n; written
 * @param request request into which the tasks are submitted
 * @return 0, −1, −4, −5
 */
int64_t startile_random_async(char kind, uint64_t seed, double bump, startile_matrix *A,
                              startile_request *request);
/** @brief Blocking startile_random_async(). */
int64_t startile_random(char kind, uint64_t seed, double bump, startile_matrix *A);

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
int64_t startile_inject_flip(const startile_flip *flip);

/** @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
