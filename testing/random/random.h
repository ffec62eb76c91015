/* Pseudo-random numbers, which are equal on every machine. */
#ifndef TESTING_RANDOM_H
#define TESTING_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

void draw_seed(uint64_t seed);
/* Returns a number from 0 to below − 1. */
int64_t draw(int64_t below);
/* Returns a letter of the text, in upper or lower case. */
char draw_letter(const char *letters);

/* Returns true in one of so many cases. */
static inline bool draw_one_of(int64_t cases)
{
    return draw(cases) == 0;
}

#endif
