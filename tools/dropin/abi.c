/*
 * The machine's LAPACK for one ABI: its routines, and XERBLA, its error handler, which a program
 * may define itself. Compiled once per ABI.
 */
#include "abi.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Weak reference to XERBLA, NULL if the program has none. If the program is linked with this
 * library, the reference makes the linker export the program's own XERBLA to libraries. */
#define XERBLA PASTE4(PREFIX, , xerbla, SUFFIX)
typedef void xerbla_function(const char *name, const integer *position, size_t name_length);
extern xerbla_function XERBLA __attribute__((weak));
static xerbla_function *xerbla; /* the program's, else the machine's; NULL without either */

#ifdef STARTILE_WHEEL
#define TEXT(word) #word
#define EXPANDED_TEXT(word) TEXT(word)

/* Returns the function of the wheel's OpenBLAS, or NULL. */
static any_function *find(const char *name)
{
    static void *wheel;
    char symbol[40];
    if (wheel == NULL)
        wheel = open_loaded_library(EXPANDED_TEXT(PASTE4(PREFIX, , dpotrf, SUFFIX)));
    snprintf(symbol, sizeof symbol, EXPANDED_TEXT(PREFIX) "%s" EXPANDED_TEXT(SUFFIX), name);
    return wheel != NULL ? library_symbol(wheel, symbol) : NULL;
}

static bool has_same_names(void)
{
    return true;
}
#else
#define find machine_symbol
#define has_same_names has_same_suffix
#endif

/* Returns whether LAPACK has the routine for the type: the mixed ones have no single precision,
 * those of Hermitian matrices no real types, and SYNGST and GEQPF are ScaLAPACK's. A search for a
 * routine that the program lacks would open the machine's library. */
static bool exists(int routine, int dtype)
{
    if (routine >= SGESV)
        return dtype == STARTILE_D || dtype == STARTILE_Z;
    if (routine == SYNGST || routine == GEQPF)
        return false;
    return routine < HETRF || dtype == STARTILE_C || dtype == STARTILE_Z;
}

static void find_all(void)
{
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++) {
            char name[SYMBOL_NAME];
            if (!exists(r, t))
                continue;
            symbol_name(name, (enum routine)r, (startile_dtype)t);
            ABI.functions[r][t] = find(name);
        }
    xerbla = XERBLA != NULL ? XERBLA : (xerbla_function *)find("xerbla");
}

static void find_functions(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_all);
}

static bool is_xerbla_hidden(void)
{
    return XERBLA == NULL && has_same_names();
}

static void call_xerbla(int position, const char *name)
{
    const integer i = position;
    if (xerbla != NULL)
        xerbla(name, &i, strlen(name));
}

struct abi ABI = {.find_functions = find_functions,
                  .is_xerbla_hidden = is_xerbla_hidden,
                  .call_xerbla = call_xerbla};
