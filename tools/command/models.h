/* Warnings about the library's performance models. */
#ifndef MODELS_H
#define MODELS_H

/* After startile_init(): one line on stderr if models were refused; once a process. */
void warn_of_models(void);

#endif
