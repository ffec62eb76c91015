/* State that a thread inherits from the program: signal mask, scheduling policy, floating-point
 * environment, locale. The library's threads and kernels do not depend on it. */
#ifndef STARTILE_THREAD_STATE_H
#define STARTILE_THREAD_STATE_H

#include <fenv.h>
#include <locale.h>
#include <stdbool.h>

/*
 * Calls function(arg) in a new thread, waits for its end, and stores its result. Threads that the
 * function creates, such as StarPU's workers, inherit the new thread's state:
 * - signals are blocked, except those that an instruction raises (SIGSEGV, SIGFPE, …), so a signal
 *   to the process is handled in the program's own threads;
 * - the policy is SCHED_OTHER if the caller has a real-time policy;
 * - the floating-point environment is the default one.
 * The function runs in the locale "C". If it binds its thread to a core (STARPU_MAIN_THREAD_BIND),
 * the caller gets this core. Returns false if no thread can be created.
 */
bool run_in_default_thread(int (*function)(void *arg), void *arg, int *result);

/* Makes "C" the locale of the calling thread. Returns the earlier one, for uselocale(). */
locale_t use_c_locale(void);

/* The caller's floating-point environment, if it is not the default one. */
struct floating_point {
    fenv_t caller;
    bool is_changed;
};

/* Returns whether SSE's control register has its default value; false on machines without SSE. The
 * x87 unit's register is not read, because fesetenv() sets both. */
static inline bool has_default_floating_point(void)
{
#ifdef __SSE2__
    enum { CONTROL_BITS = 0xffc0, DEFAULT = 0x1f80 }; /* of MXCSR; its other bits are flags */
    return (__builtin_ia32_stmxcsr() & CONTROL_BITS) == DEFAULT;
#else
    return false;
#endif
}

/* Makes the default floating-point environment the calling thread's: rounds to nearest, keeps
 * subnormal numbers, has no traps. */
static inline struct floating_point use_default_floating_point(void)
{
    struct floating_point f = {.is_changed = !has_default_floating_point()};
    if (f.is_changed) {
        fegetenv(&f.caller);
        fesetenv(FE_DFL_ENV);
    }
    return f;
}

/* Restores the caller's environment with the exception flags that it had. */
static inline void restore_floating_point(const struct floating_point *f)
{
    if (f->is_changed)
        fesetenv(&f->caller);
}

#endif
