/* Warnings about the library's performance models. */
#ifndef MODELS_H
#define MODELS_H

/* Prints one line on stderr if models that were found or requested for this machine cannot be used,
 * all or in part. Must be called after startile_init(). A process prints one warning at most. */
void warn_of_models(void);

#endif
