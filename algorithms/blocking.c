/* The asynchronous and the blocking routines on matrices. */
#include "blocking.h"
#include "startile_mixed.h"
#include "startile_testing.h"

#include "algorithms.h"
#include "data/reflectors.h"
#include "grid/agreement.h"
#include "library/library.h"

static argument reflectors_argument(const startile_reflectors *T)
{
    return matrix_argument(triangles_of(T));
}

static argument written_reflectors_argument(startile_reflectors *T)
{
    return written_argument(triangles_of(T));
}

static argument letter_argument(char letter)
{
    return integer_argument((uint64_t)capital(letter));
}

/* Converts a parameter of a routine to an `argument` of a call, see begin_call(). */
#define ARGUMENT(x)                                                                                \
    _Generic((x),                                                                                  \
        char: letter_argument,                                                                     \
        int: integer_argument,                                                                     \
        int64_t: integer_argument,                                                                 \
        uint64_t: integer_argument,                                                                \
        double: number_argument,                                                                   \
        startile_complex: number_argument,                                                         \
        const double *: result_argument,                                                           \
        double *: result_argument,                                                                 \
        int64_t *: result_argument,                                                                \
        startile_complex *: result_argument,                                                       \
        const startile_mixed_options *: mixed_options_argument,                                          \
        startile_mixed_result *: result_argument,                                                  \
        startile_matrix *: written_argument,                                                       \
        const startile_matrix *: matrix_argument,                                                  \
        startile_reflectors *: written_reflectors_argument,                                        \
        const startile_reflectors *: reflectors_argument,                                          \
        startile_pivots *: pivots_argument,                                                        \
        const startile_pivots *: pivots_argument,                                                  \
        startile_permutation *: permutation_argument,                                              \
        startile_symmetric_pivots *: symmetric_pivots_argument,                                    \
        const startile_symmetric_pivots *: symmetric_pivots_argument,                              \
        startile_tree *: tree_argument,                                                            \
        const startile_tree *: tree_argument)(x)
#define ARGUMENTS1(a) ARGUMENT(a)
#define ARGUMENTS2(a, ...) ARGUMENT(a), ARGUMENTS1(__VA_ARGS__)
#define ARGUMENTS3(a, ...) ARGUMENT(a), ARGUMENTS2(__VA_ARGS__)
#define ARGUMENTS4(a, ...) ARGUMENT(a), ARGUMENTS3(__VA_ARGS__)
#define ARGUMENTS5(a, ...) ARGUMENT(a), ARGUMENTS4(__VA_ARGS__)
#define ARGUMENTS6(a, ...) ARGUMENT(a), ARGUMENTS5(__VA_ARGS__)
#define ARGUMENTS7(a, ...) ARGUMENT(a), ARGUMENTS6(__VA_ARGS__)
#define ARGUMENTS8(a, ...) ARGUMENT(a), ARGUMENTS7(__VA_ARGS__)
#define EIGHTH(a, b, c, d, e, f, g, h, name, ...) name
#define ARGUMENTS(...)                                                                             \
    EIGHTH(__VA_ARGS__, ARGUMENTS8, ARGUMENTS7, ARGUMENTS6, ARGUMENTS5, ARGUMENTS4, ARGUMENTS3,    \
           ARGUMENTS2, ARGUMENTS1, )                                                               \
    (__VA_ARGS__)
#define LIST(...) __VA_ARGS__

/* Defines startile_NAME_async() and startile_NAME(). With distributed matrices begin_call() lets
 * either all processes submit tasks or none: submit_NAME() without a request, which only validates
 * the other arguments, gives it the status of this process. */
#define ROUTINE(name, parameters, ...)                                                             \
    int64_t startile_##name##_async(LIST parameters, startile_request *request)                    \
    {                                                                                              \
        if (request != NULL && library_unusable_after_fork())                                      \
            return STARTILE_ERROR_STARPU;                                                          \
        const argument list[] = {ARGUMENTS(__VA_ARGS__)};                                          \
        const call c = {#name, list, sizeof list / sizeof *list};                                  \
        int wrong =                                                                                \
            !is_distributed(&c) ? 0 : begin_call(&c, submit_##name(__VA_ARGS__, NULL), request);   \
        return wrong != 0 ? wrong : submit_##name(__VA_ARGS__, request);                           \
    }                                                                                              \
    BLOCKING(name, parameters, __VA_ARGS__)

#include "routine_list.h"
