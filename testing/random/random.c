#include "random.h"

#include <string.h>

static uint64_t random_state;

void draw_seed(uint64_t seed)
{
    random_state = seed * 0x9e3779b97f4a7c15u | 1;
}

/* Marsaglia's xorshift64* */
int64_t draw(int64_t below)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (int64_t)((random_state * 0x2545f4914f6cdd1d) >> 33) % below;
}

char draw_letter(const char *letters)
{
    char letter = letters[draw((int64_t)strlen(letters))];
    return draw_one_of(4) ? letter : (char)(letter | ' ');
}
