/*
 * Words on the library's performance models.
 */
#ifndef MODELS_H
#define MODELS_H

/* After startile_init(): a line on stderr where models had to be refused, or STARTILE_WATTS
 * says nothing that makes energy models; once a process. */
void warn_of_models(void);

#endif
