/* Checks the result of a call, and which memory it has written. */
#include "arguments.h"

#include <stdlib.h>
#include <string.h>

/* Copies the elements of the operand's matrices to the copy from before the call, in which then
 * only other bytes differ. */
static void accept_elements(struct operand *o)
{
    for (int q = 0; q < count; q++)
        for (int64_t j = 0; o->rows[q] > 0 && j < o->columns[q]; j++) {
            size_t at = o->border + (size_t)(q * o->stride + j * o->ld[q]) * o->element;
            memcpy(o->before + at, o->all + at, (size_t)o->rows[q] * o->element);
        }
}

/* Checks info in the batch's form: `result` is the number of the first matrix whose info is not 0.
 */
static bool has_info(int64_t result)
{
    const int64_t *info = operands[INFO].memory;
    for (int64_t q = 0; q < count && (result == 0 || q < result); q++)
        if ((info[q] != 0) != (q + 1 == result))
            return false;
    return true;
}

const char *check_result(const struct call *call, int64_t result, int wrong)
{
    bool has_infos = strstr(call->shapes, "info") != NULL;
    int64_t most = wrong != 0 ? 0 : has_infos ? count : call->shapes[0] == '!' ? m[0] + n[0] : 0;
    if (wrong != 0 && result != -wrong)
        return "the result is not that of the first wrong argument";
    if (wrong == 0 && (result < 0 || result > most))
        return "the result is not documented";
    if (wrong == 0 && has_infos && !has_info(result))
        return "info and the result differ";
    for (struct operand *o = operands; o < operands + OPERANDS; o++) {
        if (o->all == NULL)
            continue;
        if (wrong == 0 && o->mode == '+')
            accept_elements(o);
        if (memcmp(o->all, o->before, o->bytes) != 0)
            return wrong != 0       ? "a wrong call has written"
                   : o->mode == '+' ? "memory outside the matrices was written"
                                    : "an operand that is only read was written";
    }
    return NULL;
}

void free_arguments(void)
{
    for (struct operand *o = operands; o < operands + OPERANDS; o++) {
        if (!o->is_guarded)
            free(o->all);
        free(o->before);
        o->all = o->before = NULL;
    }
}
