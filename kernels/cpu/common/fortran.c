#include <stddef.h>

/* Concatenates two Fortran strings. LAPACK's xORMQR and xORMLQ call this function of libgfortran;
 * with this definition the library does not need libgfortran. */
void _gfortran_concat_string(size_t length, char *to, size_t length_a, const char *a,
                             size_t length_b, const char *b);
void _gfortran_concat_string(size_t length, char *to, size_t length_a, const char *a,
                             size_t length_b, const char *b)
{
    for (size_t i = 0; i < length; i++)
        to[i] = i < length_a ? a[i] : i - length_a < length_b ? b[i - length_a] : ' ';
}
