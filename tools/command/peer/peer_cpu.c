/*
 * The CPU peer: the system's own threaded BLAS and LAPACK, loaded while the program runs.
 */
#include "peer_cpu.h"

#include "../../kernels/cpu/common/blas_names.h"
#include "../../kernels/cpu/common/openblas.h"
#include "scalar.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static struct {
    bool use_mkl, tried, loaded;
    void *blas, *lapack; /* handles from dlopen() */
    char library[64], name[96];
    void (*set_threads)(int);
} peer;

struct cpu_routines cpu_peer;

/* -- loading -------------------------------------------------------------------------------- */

/* Stores the symbol in the function pointer. Uses memcpy(), because ISO C has no cast between
 * pointers to objects and to functions. Returns whether the symbol exists. */
static bool find_symbol(void *library, const char *symbol, void *function_pointer)
{
    void *found = dlsym(library, symbol);
    memcpy(function_pointer, &found, sizeof found);
    return found != NULL;
}

/* Finds the routine of that type, first in LAPACK's library, which may contain BLAS, too. */
static bool find_typed_symbol(startile_dtype dtype, const char *routine, void *function_pointer)
{
    char symbol[32];
    snprintf(symbol, sizeof symbol, "%c%s_", dtype_letter(dtype), routine);
    return find_symbol(peer.lapack, symbol, function_pointer) ||
           find_symbol(peer.blas, symbol, function_pointer);
}

/* Stores the addresses of all CPU_ROUTINES in cpu_peer. Returns whether all exist. */
static bool find_routines(void)
{
    bool found = true;
    for (startile_dtype t = STARTILE_S; t <= STARTILE_Z; t++) {
#define FIND(real, complex)                                                                        \
    found =                                                                                        \
        found && find_typed_symbol(t, dtype_is_complex(t) ? #complex : #real, &cpu_peer.real[t]);
        CPU_ROUTINES(FIND)
    }
    return found;
}

void cpu_peer_choose_kernels(void *library)
{
    struct openblas_choice copy;
    find_symbol(library, "openblas_get_corename", &copy.core);
    find_symbol(library, "gotoblas_dynamic_quit", &copy.quit);
    find_symbol(library, "gotoblas_dynamic_init", &copy.init);
    startile_openblas_choose_kernels(copy);
}

/* Stores the name of the library. Adds the type of core to that of OpenBLAS. */
static void store_name(void)
{
    char *(*config)(void), *(*core)(void);
    void (*describe)(char *, int);
    if (find_symbol(peer.blas, "MKL_Get_Version_String", &describe)) {
        char description[256] = "";
        describe(description, sizeof description - 1);
        startile_name_mkl(description, peer.library, sizeof peer.library);
        return;
    }
    if (!find_symbol(peer.blas, "openblas_get_config", &config)) {
        snprintf(peer.library, sizeof peer.library, "libblas.so.3");
        return;
    }
    startile_name_openblas(config(), peer.library, 41);
    size_t length = strlen(peer.library);
    if (find_symbol(peer.blas, "openblas_get_corename", &core))
        snprintf(peer.library + length, sizeof peer.library - length, " %.15s", core());
}

/* Loads the libraries, and finds all routines. Returns whether they can be the peer. */
static bool load(const char *blas, const char *lapack)
{
    peer.blas = dlopen(blas, RTLD_NOW | RTLD_LOCAL);
    peer.lapack = dlopen(lapack, RTLD_NOW | RTLD_LOCAL);
    if (!peer.blas || !peer.lapack || !find_routines())
        return false;
    cpu_peer_choose_kernels(peer.blas);
    store_name();
    /* libblas.so.3 is a peer only if it is OpenBLAS or MKL: reference BLAS has no threads */
    return find_symbol(peer.blas, "openblas_set_num_threads", &peer.set_threads) ||
           find_symbol(peer.blas, "MKL_Set_Num_Threads", &peer.set_threads);
}

void cpu_peer_use_mkl(void)
{
    peer.use_mkl = true;
}

bool cpu_peer_load(void)
{
    /* .so.3 comes with MKL 2026, .so.2 with 2021 to 2025 */
    if (!peer.tried && peer.use_mkl)
        peer.loaded = load("libmkl_rt.so.3", "libmkl_rt.so.3") ||
                      load("libmkl_rt.so.2", "libmkl_rt.so.2") ||
                      load("libmkl_rt.so", "libmkl_rt.so");
    else if (!peer.tried)
        peer.loaded =
            load("libopenblas.so.0", "libopenblas.so.0") || load("libblas.so.3", "liblapack.so.3");
    peer.tried = true;
    return peer.loaded;
}

bool cpu_peer_find(const char *symbol, void *function_pointer)
{
    return cpu_peer_load() && (find_symbol(peer.lapack, symbol, function_pointer) ||
                               find_symbol(peer.blas, symbol, function_pointer));
}

const char *cpu_peer_name(void)
{
    if (!cpu_peer_load())
        return NULL;
    return peer.name[0] ? peer.name : peer.library;
}

void cpu_peer_set_threads(int threads)
{
    if (!cpu_peer_load() || !peer.set_threads)
        return;
    peer.set_threads(threads);
    snprintf(peer.name, sizeof peer.name, "%s (%d thread%s)", peer.library, threads,
             threads == 1 ? "" : "s");
}

/* -- calls ------------------------------------------------------------------------------------ */

const void *cpu_scalar(startile_dtype dtype, int value)
{
    static const float single[2][2] = {{1, 0}, {-1, 0}};
    static const double full[2][2] = {{1, 0}, {-1, 0}};
    int row = value < 0;
    return dtype_is_single(dtype) ? (const void *)single[row] : (const void *)full[row];
}

int cpu_peer_gemm(startile_dtype dtype, int64_t order, void *a, void *b, void *c)
{
    const int n = (int)order;
    cpu_peer.gemm[dtype]("N", "N", &n, &n, &n, cpu_scalar(dtype, -1), a, &n, b, &n,
                         cpu_scalar(dtype, 1), c, &n, (size_t)1, (size_t)1);
    return 0;
}
