/*
 * The tables of all types, and the setup of OpenBLAS.
 *
 * A StarPU worker is one core, so OpenBLAS must not start threads inside it; yet the caller may use
 * OpenBLAS with all its threads elsewhere in the same process, and the number of threads is one
 * global of OpenBLAS. So the library links its own copy, with symbols that nobody else sees, and
 * sets that copy to one thread. It is the threaded build all the same, since the serial build does
 * not lock its buffers against several calling threads.
 */
#include "kernels.h"
#include "openblas.h"

extern const startile_kernels startile_cpu_skernels, startile_cpu_dkernels, startile_cpu_ckernels,
    startile_cpu_zkernels;

const startile_kernels *const startile_cpu_kernels[4] = {
    &startile_cpu_skernels, &startile_cpu_dkernels, &startile_cpu_ckernels, &startile_cpu_zkernels};

/* OpenBLAS' own, without a header. */
extern void openblas_set_num_threads(int);
extern int blas_thread_shutdown_(void);
extern char *openblas_get_corename(void);
/* Not where it was built for one CPU only. */
extern void gotoblas_dynamic_quit(void) __attribute__((weak));
extern void gotoblas_dynamic_init(void) __attribute__((weak));

void startile_cpu_setup(void)
{
    startile_openblas_suit_cpu((struct openblas_choice){
        openblas_get_corename, gotoblas_dynamic_quit, gotoblas_dynamic_init});
    openblas_set_num_threads(1);
    blas_thread_shutdown_();
}
