/**
 * @file startile.h
 * @brief Dense linear algebra as DAGs of tile tasks on StarPU: matrices, requests, operations.
 *
 * This header has what most programs need. Others have the rest: startile_mixed.h (mixed
 * precision), startile_disk.h (matrices in files), startile_trace.h (traces and profiles),
 * startile_mpi.h (grids of processes), startile_batch.h (many small matrices), startile_lapack.h
 * (LAPACK's arguments) and startile_testing.h (random matrices, flipped bits).
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
 *  - k > 0: LAPACK's info, documented at each function; 1 for "yes" where the comment says so;
 *  - #STARTILE_ERROR_LAST … #STARTILE_ERROR_FIRST: a run-time failure, see ::startile_error.
 *
 * `startile_NAME_async()` returns 0 or −i for the arguments i that its comment lists; on a grid of
 * processes also #STARTILE_ERROR_MPI and #STARTILE_ERROR_MISMATCH. info and the failures of tasks
 * come with startile_request_wait(). `startile_NAME()`, the blocking form, has the same arguments
 * without the request. It returns −i as the asynchronous form does, else what
 * startile_request_wait() would return.
 *
 * The library never prints, aborts or exits, and it stays usable after any of these returns. Two
 * failures outside the library end the program: StarPU aborts when a CUDA call of its own fails,
 * for example in a transfer, and the system sends SIGBUS when a disk fails under a mapped file.
 * LAPACK's option letters are accepted in upper and lower case. Before startile_init() the blocking
 * form of every asynchronous operation returns #STARTILE_ERROR_STARPU, whatever its arguments are.
 *
 * **Error bounds.** c is a constant of moderate size, eps the unit roundoff. Comments cite
 *  - Volkov & Demmel 2008: LU, QR and Cholesky Factorizations using Vector Capabilities of GPUs,
 *    LAPACK Working Note 202;
 *  - Higham 2002: Accuracy and Stability of Numerical Algorithms, second edition, SIAM;
 *  - Du Croz & Higham 1992: Stability of Methods for Matrix Inversion, IMA J. Numer. Anal. 12;
 *  - Björck 1996: Numerical Methods for Least Squares Problems, SIAM.
 *
 * **Threads.** Several host threads may call functions at once if each uses objects of its own:
 * matrices, pivots, reflectors, trees, batches, requests. A call uses its objects until it returns,
 * also those that it only reads. Its tasks may run longer: StarPU orders the tasks of later calls
 * after them. Views without common tiles are different objects. There are three exceptions:
 *  - A function whose comment or group says "Thread-safe" may be called at any time, also on an
 *    object that another thread uses, but not while another thread destroys the object.
 *  - One thread of a process at a time uses grids of processes and the objects on them, see
 *    startile_mpi.h.
 *  - The call of startile_init() that starts StarPU, and the one of startile_finalize() that stops
 *    it, restrict what other threads do meanwhile.
 *
 * No function may be called from inside a StarPU task or callback. On CPUs a blocking function on
 * matrices of one tile or batches of one chunk runs kernels in the calling thread, in at most as
 * many threads at once as there are CPU workers.
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

#include "startile_core.h"
#include "startile_routines.h"

#endif
