/*
 * Words on the library's performance models.
 */
#ifndef MODELS_H
#define MODELS_H

/* After startile_init(): one line on stderr where models had to be refused; once a process. */
void warn_of_models(void);

#endif
