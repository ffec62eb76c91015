/*
 * libstartile_report: counts calls of LAPACK's and ScaLAPACK's routines and writes them as a table
 * when the process ends. The drop-ins count the calls of their own symbols. wrappers.c counts those
 * of routines that startile does not have; it has these symbols only where `startile run --report`
 * preloads this library.
 */
#ifndef REPORT_CALLS_H
#define REPORT_CALLS_H

#include <stdbool.h>
#include <stdio.h>

/* One call that runs, in the stack frame of the symbol. A call is visible, that is counted, if it
 * is not part of another one: calls in a routine of the drop-ins are part of it, and calls of
 * routines that startile does not have are part of the first of them in the thread. */
struct report_span {
    double began;
    bool is_served; /* the call of a drop-in's symbol */
    bool is_visible;
};

/* Description of a call that has ended. name, place, reason: static texts, equal for equal rows of
 * the table; place: "startile, CPU" or the machine's library; reason: why startile did not solve
 * the problem, or NULL if it did. size: −1 if it is not known */
struct report_call {
    const char *name, *place, *reason;
    double size, flops;
};

/* -- report.c: interface for the drop-ins, which find these functions by name -------------------
 */

/* Begins a call; is_served must be set. */
typedef void report_enter_function(struct report_span *span);
report_enter_function startile_report_enter;
/* Ends the call and counts it. */
typedef void report_leave_function(struct report_span *span, const struct report_call *call);
report_leave_function startile_report_leave;
/* Adds a line below the table: why startile solves no problem of this process. `text` must remain
 * valid. */
typedef void report_remark_function(const char *text);
report_remark_function startile_report_remark;

/* Reason of the calls of routines that startile does not have */
extern const char report_not_in_startile[];

/* -- table.c ----------------------------------------------------------------------------------- */

/* Line of the table: all calls with the same name, place and reason. ranks: in a sum over several
 * processes a text of those with such calls, or NULL */
struct report_row {
    const char *name, *place, *reason; /* reason "": on startile */
    long calls;
    double smallest, largest; /* sizes; −1 if they are not known */
    double seconds, flops;
    char *ranks;
};

struct report_table {
    struct report_row *rows;
    int count;
    const char *remark; /* line below the table, or NULL */
};

/* Prints the table, sorted by seconds. title: the process or processes */
void report_print(FILE *out, const char *title, struct report_table *table);

/* -- ranks.c ----------------------------------------------------------------------------------- */

/* Adds to a file that the processes of mpirun on this host share that this process will report. */
void report_announce_rank(void);
/* Adds the table of one process of mpirun to that file. Returns false if this process is none, if
 * its rank is in the file already, or if the file cannot be written. Otherwise the last of the
 * host's processes that report gets in *sum the text of the summed table, to be freed by free(),
 * and all others NULL. */
bool report_add_rank(const struct report_table *table, char **sum);

#endif
