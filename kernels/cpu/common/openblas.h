/* Choice of OpenBLAS' kernels for this CPU. Used only by this folder and by the command, for the
 * OpenBLAS that it measures as a reference. */
#ifndef STARTILE_OPENBLAS_H
#define STARTILE_OPENBLAS_H

/* Functions of a copy of OpenBLAS that was built for many CPU types: the name of the kernels in
 * use, and the end and the start of its choice of kernels. NULL if the copy lacks them. */
struct openblas_choice {
    char *(*core)(void);
    void (*quit)(void);
    void (*init)(void);
};

/* Chooses OpenBLAS' kernels by the CPU's instruction sets. OpenBLAS identifies CPUs by model number
 * and uses its oldest kernels for a CPU that is newer than itself (0.3.21 on Emerald Rapids: SSE3,
 * a fifth of the rate of AVX-512). The function changes the choice only in this case, and only if
 * the environment variable OPENBLAS_CORETYPE is unset. No thread may use the copy during the
 * call. */
void startile_openblas_suit_cpu(struct openblas_choice copy);

#endif
