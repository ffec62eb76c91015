#include <stddef.h>

/* Fortran's // of two strings, which LAPACK's xORMQR and xORMLQ ask the compiler's library for: for
 * this alone the library would need that. */
void _gfortran_concat_string(size_t length, char *to, size_t length_a, const char *a,
                             size_t length_b, const char *b);
void _gfortran_concat_string(size_t length, char *to, size_t length_a, const char *a,
                             size_t length_b, const char *b)
{
    for (size_t i = 0; i < length; i++)
        to[i] = i < length_a ? a[i] : i - length_a < length_b ? b[i - length_a] : ' ';
}
