/* Energy models of the codelets. Private to codelets/. */
#ifndef STARTILE_ENERGY_H
#define STARTILE_ENERGY_H

#include "startile.h"

#include <starpu.h>

/* Reads the watts when the library starts. */
void energy_configure(const startile_options *o);
/* Sets the codelet's energy model, stored in *model, which must live as long as the codelet. */
void energy_define(struct starpu_codelet *cl, struct starpu_perfmodel *model);

#endif
