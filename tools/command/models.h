/* The library's performance models. */
#ifndef MODELS_H
#define MODELS_H

#include <stddef.h>

/* Prints one line on stderr if models that were found or requested for this machine cannot be used,
 * all or in part. Must be called after startile_init(). A process prints one warning at most. */
void warn_of_models(void);

/* Stores the name of the GPU on which the models in use were measured, or for which they were
 * derived; "" for none. */
void gpu_of_models(char *gpu, size_t size);

#endif
