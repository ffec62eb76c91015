/* Tests of startile_scalapack.h, one function per type. */
#ifndef C_NAMES_H
#define C_NAMES_H

enum { ORDER = 40, WIDTH = 9, BLOCK = 8 };

/* A BLACS grid. machine: dlopen()'s handle of the machine's ScaLAPACK. */
struct grid {
    void *machine;
    int context, p, q, row, col;
};

/* Returns the routine of the machine's ScaLAPACK. Ends the program if it is missing. */
void (*machine_routine(const struct grid *g, const char *name))();
/* Counts one test, and prints `what` if it failed. */
void expect(const struct grid *g, int is_right, char type, const char *what);

void test_c_names_s(const struct grid *g);
void test_c_names_d(const struct grid *g);
void test_c_names_c(const struct grid *g);
void test_c_names_z(const struct grid *g);

#endif
