/* Passes the calls of this library's symbols to libstartile_report, which is loaded if the
 * environment requests a report. */
#include "common.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

static report_enter_function *enter;
static report_leave_function *leave;
static report_remark_function *remark;
static char names[ROUTINES][4][SYMBOL_NAME];

bool report_begin(void)
{
    const char *file = getenv("STARTILE_LAPACK_REPORT");
    void *library = file != NULL && *file != '\0'
                        ? dlopen(STARTILE_REPORT_SONAME, RTLD_NOW | RTLD_LOCAL)
                        : NULL;
    if (library == NULL)
        return false;
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++)
            symbol_name(names[r][t], (enum routine)r, (startile_dtype)t);
    enter = (report_enter_function *)library_symbol(library, "startile_report_enter");
    leave = (report_leave_function *)library_symbol(library, "startile_report_leave");
    remark = (report_remark_function *)library_symbol(library, "startile_report_remark");
    return enter != NULL && leave != NULL && remark != NULL;
}

void report_enter(struct report_span *span)
{
    span->is_served = true;
    enter(span);
}

void report_leave(struct report_span *span, const struct problem *p, const char *reason)
{
    static const char on_gpus[] = "startile, GPU", on_cpus[] = "startile, CPU",
                      on_machine[] = DROPIN_MACHINE,
                      excluded[] = "workspace query or wrong argument";
    struct report_call call = {.name = names[p->routine][p->dtype],
                               .reason = p->is_excluded ? excluded : reason,
                               .size = p->is_excluded ? -1 : round(cbrt(p->m * p->n * p->k)),
                               .flops = p->is_excluded ? 0 : p->flops};
    call.place = call.reason != NULL ? on_machine : startile_is_on_gpus() ? on_gpus : on_cpus;
    leave(span, &call);
}

void report_remark(const char *text)
{
    if (remark != NULL)
        remark(text);
}
