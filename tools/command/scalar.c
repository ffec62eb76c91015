/*
 * Elements of the four types, converted from and to double complex.
 */
#include "scalar.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static const char letters[] = "sdcz";

char dtype_letter(startile_dtype dtype)
{
    return letters[dtype];
}

const char *dtype_description(startile_dtype dtype)
{
    static const char *const words[] = {"real, single", "real, double", "complex, single",
                                        "complex, double"};
    return words[dtype];
}

bool dtype_from_letter(char letter, startile_dtype *dtype)
{
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (found)
        *dtype = (startile_dtype)(found - letters);
    return found;
}

size_t dtype_size(startile_dtype dtype)
{
    static const size_t sizes[] = {4, 8, 8, 16};
    return sizes[dtype];
}

bool dtype_is_complex(startile_dtype dtype)
{
    return dtype == STARTILE_C || dtype == STARTILE_Z;
}

bool dtype_is_single(startile_dtype dtype)
{
    return dtype == STARTILE_S || dtype == STARTILE_C;
}

startile_dtype dtype_other_precision(startile_dtype dtype)
{
    return dtype_is_single(dtype) ? dtype + 1 : dtype - 1;
}

double dtype_unit_roundoff(startile_dtype dtype)
{
    return dtype_is_single(dtype) ? 0x1p-24 : 0x1p-53;
}

double _Complex element_get(startile_dtype dtype, const void *a, size_t i)
{
    switch (dtype) {
    case STARTILE_S:
        return ((const float *)a)[i];
    case STARTILE_D:
        return ((const double *)a)[i];
    case STARTILE_C:
        return ((const float _Complex *)a)[i];
    case STARTILE_Z:
        break;
    }
    return ((const double _Complex *)a)[i];
}

double element_abs(startile_dtype dtype, const void *a, size_t i)
{
    double _Complex value = element_get(dtype, a, i);
    return dtype_is_complex(dtype) ? cabs(value) : fabs(creal(value));
}

void element_set(startile_dtype dtype, void *a, size_t i, double _Complex value)
{
    switch (dtype) {
    case STARTILE_S:
        ((float *)a)[i] = (float)creal(value);
        break;
    case STARTILE_D:
        ((double *)a)[i] = creal(value);
        break;
    case STARTILE_C:
        ((float _Complex *)a)[i] = (float _Complex)value;
        break;
    case STARTILE_Z:
        ((double _Complex *)a)[i] = value;
        break;
    }
}
