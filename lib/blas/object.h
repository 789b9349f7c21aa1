/* SPDX-License-Identifier: Apache-2.0
 * Files of loaded libraries. */
#ifndef CLG_BLAS_OBJECT_H
#define CLG_BLAS_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the file's name without folders contains `part`, either as given or with links followed:
 * "libblas.so.3" may be a link to "libopenblas.so.0.3". */
bool clg_object_is_named(const char *path, const char *part);

/* The names of all loaded objects except the program itself, each ended by a NUL. An empty name
 * ends the list. NULL if memory is short. The caller frees it. */
char *clg_objects_loaded(void);

#endif
