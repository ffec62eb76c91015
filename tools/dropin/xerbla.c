/* Calls of XERBLA, LAPACK's error handler, which a program may define itself. */
#include "dropin.h"

#include <string.h>

#ifdef STARTILE_ILP64
#define XERBLA xerbla_64_
#else
#define XERBLA xerbla_
#endif

/* Weak reference to XERBLA, NULL if the program has none. If the program is linked with this
 * library, the reference makes the linker export the program's own XERBLA to libraries. */
typedef void xerbla_function(const char *name, const integer *position, size_t name_length);
extern xerbla_function XERBLA __attribute__((weak));

bool xerbla_is_hidden(void)
{
    return XERBLA == NULL && has_same_suffix();
}

void call_xerbla(int position, const char *name)
{
    const integer i = position;
    xerbla_function *xerbla = XERBLA != NULL ? XERBLA : (xerbla_function *)machine_symbol("xerbla");
    if (xerbla != NULL)
        xerbla(name, &i, strlen(name));
}
