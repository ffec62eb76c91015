/*
 * The model of a transfer: latency + bytes / rate.
 */
#include "machine.h"

#include <math.h>

/* Both terms by the measured time are to add up to 1: the normal equations of that. */
double fit_transfer(size_t count, const double *bytes, const double *seconds, double *latency,
                    double *rate)
{
    double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        double a = 1 / seconds[i], b = bytes[i] / seconds[i];
        aa += a * a;
        ab += a * b;
        bb += b * b;
        a1 += a;
        b1 += b;
    }
    double determinant = aa * bb - ab * ab;
    *latency = (a1 * bb - b1 * ab) / determinant;
    double inverse_rate = (b1 * aa - a1 * ab) / determinant;
    *rate = 1 / inverse_rate;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((*latency + bytes[i] * inverse_rate) / seconds[i] - 1));
    return largest;
}
