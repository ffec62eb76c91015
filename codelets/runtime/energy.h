/*
 * Energy models of the codelets. Private to this folder.
 */
#ifndef STARTILE_ENERGY_H
#define STARTILE_ENERGY_H

#include "startile.h"

#include <starpu.h>

/* When the library starts. */
void energy_configure(const startile_options *o);
/* Gives the codelet its energy model, in room that lives as long as it. */
void energy_define(struct starpu_codelet *cl, struct starpu_perfmodel *model);

#endif
