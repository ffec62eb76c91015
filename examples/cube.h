/*
 * The boundary element method for a conducting cube: its panels and their potential coefficients.
 * capacitance.c explains the method.
 */
#ifndef CUBE_H
#define CUBE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Capacitance of the unit cube in units of 4πε₀ × edge, by J. Helsing, K.-M. Perfekt: On the
 * polarizability and capacitance of the cube, Applied and Computational Harmonic Analysis 34 (2013)
 * 445-468 */
static const double literature = 0.66067815;

/* |relative error| must be at most error_constant / p³ + error_floor. Measured errors are between
 * 0.106 / p³ and 0.144 / p³ for p = 2 … 48. The floor accounts for the Taylor expansion and for the
 * last digit of the literature value. */
static const double error_constant = 0.15, error_floor = 2e-7;

/* A rectangle with corners lo and hi, parallel to two of the axes. Axis `normal` is the third one,
 * along which lo = hi. */
typedef struct {
    int normal;
    double lo[3], hi[3];
} panel;

/* Returns the position of panel boundary i = 0 … p along an edge [0, 1]. Its distance from the
 * nearer end is 4 t³, where t is the smaller one of i/p and 1 − i/p. For densities that grow like
 * (distance from the edge)^(−1/3), piecewise constants reach an error of p⁻³ if the power of t is
 * above 9/4. */
static double grade(int i, int p)
{
    double t = (double)i / p;
    return t <= 0.5 ? 4 * t * t * t : 1 - 4 * (1 - t) * (1 - t) * (1 - t);
}

/* Returns an allocated array of the cube's 6p² panels, or NULL if memory does not suffice. */
static panel *cut_cube(int p)
{
    panel *panels = malloc(6 * (size_t)p * (size_t)p * sizeof *panels), *next = panels;
    if (panels == NULL)
        return NULL;
    for (int face = 0; face < 6; face++)
        for (int i = 0; i < p; i++)
            for (int j = 0; j < p; j++, next++) {
                int w = face / 2, u = (w + 1) % 3, v = (w + 2) % 3; /* axes; w is the normal */
                next->normal = w;
                next->lo[w] = next->hi[w] = face % 2;
                next->lo[u] = grade(i, p), next->hi[u] = grade(i + 1, p);
                next->lo[v] = grade(j, p), next->hi[v] = grade(j + 1, p);
            }
    return panels;
}

/* Returns log(x + r) − log |(y, z)|, where r = |(x, y, z)|, or 0 where that is infinite: its factor
 * in the primitives is 0 there. The closed forms contain log(x + r). The subtracted term does not
 * depend on x, so the sums over the bounds of x do not contain it; with it the function loses no
 * digits for x < 0. */
static double log_term(double x, double y, double z)
{
    double h2 = y * y + z * z;
    return h2 == 0 ? 0 : asinh(x / sqrt(h2));
}

/* Returns atan(x y / (z r)), or 0 where that is undefined: its factor in the primitives is 0 there.
 */
static double atan_term(double x, double y, double z, double r)
{
    return z == 0 || r == 0 ? 0 : atan(x * y / (z * r));
}

/* Returns F with ∂⁴F/∂u²∂v² = 1/r. Source of both closed forms: A. E. Ruehli, P. A. Brennan:
 * Efficient capacitance calculations for three-dimensional multiconductor systems, IEEE
 * Transactions on Microwave Theory and Techniques 21 (1973) 76-82. */
static double primitive_parallel(double u, double v, double w)
{
    double r = sqrt(u * u + v * v + w * w);
    return (v * v - w * w) * u / 2 * log_term(u, v, w) +
           (u * u - w * w) * v / 2 * log_term(v, u, w) - (u * u + v * v - 2 * w * w) * r / 6 -
           u * v * w * atan_term(u, v, w, r);
}

/* Returns F with ∂⁴F/∂u²∂v∂w = 1/r. */
static double primitive_perpendicular(double u, double v, double w)
{
    double r = sqrt(u * u + v * v + w * w);
    return (u * u / 2 - w * w / 6) * w * log_term(v, u, w) +
           (u * u / 2 - v * v / 6) * v * log_term(w, u, v) + u * v * w * log_term(u, v, w) -
           v * w * r / 3 - u * u * u / 6 * atan_term(v, w, u, r) -
           u * v * v / 2 * atan_term(u, w, v, r) - u * w * w / 2 * atan_term(u, v, w, r);
}

/* Computes the differences of the two panels' bounds along an axis, and the sign that the primitive
 * has at each difference in the definite integral. Returns the number of differences: 4 if both
 * panels extend along the axis, 2 if one of them does, 1 if none does. */
static int bound_differences(const panel *p, const panel *q, int axis, double difference[4],
                             double sign[4])
{
    int count = 0;
    for (int a = 0; a < (p->normal == axis ? 1 : 2); a++)
        for (int b = 0; b < (q->normal == axis ? 1 : 2); b++, count++) {
            difference[count] = (a ? p->lo : p->hi)[axis] - (b ? q->hi : q->lo)[axis];
            sign[count] = a == b ? 1 : -1;
        }
    return count;
}

/* Returns the area of a panel. */
static double area(const panel *p)
{
    int u = (p->normal + 1) % 3, v = (p->normal + 2) % 3;
    return (p->hi[u] - p->lo[u]) * (p->hi[v] - p->lo[v]);
}

/* Returns the potential coefficient in closed form. The closed form suffers from cancellation for
 * distant panels. */
static double closed_form(const panel *p, const panel *q)
{
    bool parallel = p->normal == q->normal;
    double (*primitive)(double, double, double) =
        parallel ? primitive_parallel : primitive_perpendicular;
    /* axes of the primitive's arguments: u is the one that is neither v nor w, and 0 + 1 + 2 = 3 */
    int w = p->normal, v = parallel ? (w + 2) % 3 : q->normal, u = 3 - v - w;
    double du[4], dv[4], dw[4], su[4], sv[4], sw[4], sum = 0;
    int nu = bound_differences(p, q, u, du, su), nv = bound_differences(p, q, v, dv, sv),
        nw = bound_differences(p, q, w, dw, sw);
    for (int i = 0; i < nu; i++)
        for (int j = 0; j < nv; j++)
            for (int k = 0; k < nw; k++)
                sum += su[i] * sv[j] * sw[k] * primitive(du[i], dv[j], dw[k]);
    return sum / (area(p) * area(q));
}

/*
 * Returns the potential coefficient P_ij of panels p and q, in closed form or for distant panels by
 * a Taylor expansion. For a random point x of one panel and y of the other, x − y varies about the
 * difference d of the centers; its coordinates are independent, with variances s and fourth
 * cumulants c. Let r = |d|. If r² ≥ 80 Σ s, the function returns the mean of 1/|x − y|, expanded
 * about d up to fourth order. The expansion changes the capacitance by less than 1e-7, measured for
 * p = 4 … 32 against the closed form for every pair.
 */
static double potential_coefficient(const panel *p, const panel *q)
{
    double d2[3], s[3], c[3], r2 = 0, sum_s = 0;
    for (int k = 0; k < 3; k++) {
        double d = (p->lo[k] + p->hi[k] - q->lo[k] - q->hi[k]) / 2;
        double a2 = (p->hi[k] - p->lo[k]) * (p->hi[k] - p->lo[k]);
        double b2 = (q->hi[k] - q->lo[k]) * (q->hi[k] - q->lo[k]);
        d2[k] = d * d;
        s[k] = (a2 + b2) / 12;
        c[k] = -(a2 * a2 + b2 * b2) / 120;
        r2 += d2[k];
        sum_s += s[k];
    }
    if (r2 < 80 * sum_s)
        return closed_form(p, q);

    double sum_ss = 0, sum_sx = 0, sum_ssx = 0, sum_c = 0;
    for (int k = 0; k < 3; k++) {
        double x = d2[k] / r2;
        sum_ss += s[k] * s[k];
        sum_sx += s[k] * x;
        sum_ssx += s[k] * s[k] * x;
        sum_c += c[k] * (105 * x * x - 90 * x + 9); /* c_k r⁵ ∂⁴(1/r)/∂d_k⁴ */
    }
    /* second: r³ (Σ s ∂²/∂d²)(1/r); fourth: r⁵ (Σ s ∂²/∂d²)²(1/r) */
    double second = 3 * sum_sx - sum_s;
    double fourth =
        105 * sum_sx * sum_sx - 30 * sum_sx * sum_s - 60 * sum_ssx + 3 * sum_s * sum_s + 6 * sum_ss;
    return (1 + second / (2 * r2) + (3 * fourth + sum_c) / (24 * r2 * r2)) / sqrt(r2);
}

#endif
