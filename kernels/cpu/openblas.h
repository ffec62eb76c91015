/* OpenBLAS' kernels for this CPU. Private to this folder and to the command, whose peer it suits.
 */
#ifndef STARTILE_OPENBLAS_H
#define STARTILE_OPENBLAS_H

/* A copy of OpenBLAS that was built for many CPUs, by its own functions: the name of the kernels in
 * use, and the end and begin of their choice. */
struct openblas_choice {
    char *(*core)(void);
    void (*quit)(void);
    void (*init)(void);
};

/* OpenBLAS knows CPUs by their model number. For one that is newer than itself it takes its oldest
 * kernels (0.3.21 on Emerald Rapids: SSE3, a fifth of the rate of AVX-512). Then, and unless the
 * user has chosen with OPENBLAS_CORETYPE, this chooses by the instructions that the CPU has. To be
 * called while nobody uses that copy. */
void startile_openblas_suit_cpu(struct openblas_choice copy);

#endif
