/* Choice of OpenBLAS' kernels for this CPU. Used by this folder for the library's own OpenBLAS, and
 * by the command for the OpenBLAS that it measures as a reference. */
#ifndef STARTILE_OPENBLAS_H
#define STARTILE_OPENBLAS_H

/* Functions of a copy of OpenBLAS that was built for many CPU types. core() returns the name of the
 * kernels in use; quit() and init() undo and repeat the choice of kernels. A function that the copy
 * lacks is NULL. */
struct openblas_choice {
    char *(*core)(void);
    void (*quit)(void);
    void (*init)(void);
};

/* Chooses OpenBLAS' kernels by the CPU's instruction sets, if OpenBLAS has chosen its oldest
 * kernels and the environment variable OPENBLAS_CORETYPE is unset. Does nothing if the copy lacks a
 * function or the CPU supports neither AVX-512 nor AVX2. The call is needed because OpenBLAS
 * identifies CPUs by model number and uses its oldest kernels for a CPU that is newer than itself:
 * 0.3.21 on Emerald Rapids uses SSE3, at a fifth of the rate of AVX-512. No thread may use the copy
 * during the call. */
void startile_openblas_choose_kernels(struct openblas_choice copy);

#endif
