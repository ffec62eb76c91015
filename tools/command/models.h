/* Warnings about the library's performance models. */
#ifndef MODELS_H
#define MODELS_H

/* Prints one line on stderr, once a process, if startile_init() refused the models. */
void warn_of_models(void);

#endif
