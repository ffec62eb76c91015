/* The calls of one type. Compiled four times, with one of STARTILE_TYPE_S, _D, _C, _Z defined. */
#include "arguments.h"

#if defined STARTILE_TYPE_S
#define TABLE calls_s
#define TYPED(op) startile_s##op
#define UNITARY(op) startile_sor##op
#define HERMITIAN(op) startile_ssy##op
#elif defined STARTILE_TYPE_D
#define TABLE calls_d
#define TYPED(op) startile_d##op
#define UNITARY(op) startile_dor##op
#define HERMITIAN(op) startile_dsy##op
#define MIXED(real, complex) startile_d##real
#elif defined STARTILE_TYPE_C
#define TABLE calls_c
#define TYPED(op) startile_c##op
#define UNITARY(op) startile_cun##op
#define HERMITIAN(op) startile_che##op
#elif defined STARTILE_TYPE_Z
#define TABLE calls_z
#define TYPED(op) startile_z##op
#define UNITARY(op) startile_zun##op
#define HERMITIAN(op) startile_zhe##op
#define MIXED(real, complex) startile_z##complex
#endif

#define op_a operands[A]
#define op_b operands[B]
#define op_c operands[C]
#define op_x operands[X]
#define op_y operands[Y]
#define op_tau operands[TAU]
#define op_ipiv operands[IPIV]
#define op_tb operands[TB]
#define op_ipiv2 operands[IPIV2]
#define op_info operands[INFO]
#define op_result operands[RESULT]
#define op_iter operands[ITER]
#define op_rcond operands[RCOND]
#define op_sign operands[SIGN]
#define op_logabsdet operands[LOGABSDET]

/* The macros expand the name of the routine before it is pasted. */
#define CALL_(routine) call_##routine
#define CALL(routine) CALL_(routine)
#define NAME_(routine) #routine
#define NAME(routine) NAME_(routine)
#define TEXT_(...) #__VA_ARGS__
#define TEXT_OF(...) TEXT_(__VA_ARGS__)

#define ENTRY(routine, shapes, ...)                                                                \
    static int64_t CALL(routine)(void)                                                             \
    {                                                                                              \
        return routine(__VA_ARGS__);                                                               \
    }
#include "typed_rows.h"
#undef ENTRY

#define TEXT
#define ENTRY(routine, shapes, ...)                                                                \
    {NAME(routine), FORM, shapes, TEXT_OF(__VA_ARGS__), CALL(routine)},
const struct call TABLE[] = {
#include "typed_rows.h"
    {NULL, SINGLE, NULL, NULL, NULL},
};
