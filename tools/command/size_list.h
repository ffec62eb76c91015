/*
 * Lists of sizes on the command line: "1024,2048" or START:STOP:STEP, also mixed.
 */
#ifndef SIZE_LIST_H
#define SIZE_LIST_H

#include <stddef.h>
#include <stdint.h>

struct size_list {
    int64_t *values;
    size_t count;
};

/* Appends; sizes are at least `least`. NULL, or what is wrong in words. */
const char *size_list_parse(struct size_list *list, const char *text, int64_t least);
void size_list_free(struct size_list *list);

#endif
