/*
 * Lists of sizes on the command line.
 */
#include "size_list.h"

#include "command.h"

#include <stdlib.h>
#include <string.h>

/* More are surely a slip of the pen. */
enum { MOST_SIZES = 10000 };
static const int64_t largest = INT32_MAX;
#define LARGEST "2147483647"

static const char *append(struct size_list *list, int64_t value)
{
    if (list->count == MOST_SIZES)
        return "too many sizes";
    int64_t *grown = realloc(list->values, (list->count + 1) * sizeof *grown);
    if (!grown)
        return "out of memory";
    list->values = grown;
    list->values[list->count++] = value;
    return NULL;
}

/* START:STOP:STEP, STOP included where a step hits it. */
static const char *append_range(struct size_list *list, char *text, int64_t least)
{
    int64_t bound[3];
    char *rest, *word = strtok_r(text, ":", &rest);
    for (int i = 0; i < 3; i++, word = strtok_r(NULL, ":", &rest))
        if (!word || !parse_integer(word, i < 2 ? least : 1, largest, &bound[i]))
            return "a range is START:STOP:STEP, of sizes up to " LARGEST;
    if (word)
        return "a range is START:STOP:STEP";
    if (bound[0] > bound[1])
        return "the range is empty";
    const char *wrong = NULL;
    for (int64_t value = bound[0]; value <= bound[1] && !wrong; value += bound[2])
        wrong = append(list, value);
    return wrong;
}

static const char *append_word(struct size_list *list, char *word, int64_t least)
{
    int64_t value;
    if (strchr(word, ':'))
        return append_range(list, word, least);
    if (!parse_integer(word, least, largest, &value))
        return least ? "sizes are integers from 1 to " LARGEST
                     : "sizes are integers from 0 to " LARGEST;
    return append(list, value);
}

const char *size_list_parse(struct size_list *list, const char *text, int64_t least)
{
    char *copy = strdup(text), *rest;
    if (!copy)
        return "out of memory";
    const char *wrong = *copy ? NULL : "the list is empty";
    for (char *word = strtok_r(copy, ",", &rest); word && !wrong; word = strtok_r(NULL, ",", &rest))
        wrong = append_word(list, word, least);
    free(copy);
    if (!wrong && !list->count)
        wrong = "the list is empty";
    return wrong;
}

void size_list_free(struct size_list *list)
{
    free(list->values);
    *list = (struct size_list){0};
}
