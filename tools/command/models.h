/* Warnings about the library's performance models. */
#ifndef MODELS_H
#define MODELS_H

/* Prints one line on stderr if this machine's performance models cannot be used. Prints it once per
 * process. */
void warn_of_models(void);

#endif
