/* SPDX-License-Identifier: Apache-2.0
 * Files of loaded libraries. */
#ifndef CLG_BLAS_OBJECT_H
#define CLG_BLAS_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the file's name without folders, as it is given or with links followed, has `part` in
 * it: "libblas.so.3" may be a link to "libopenblas.so.0.3". */
bool clg_object_is_named(const char *path, const char *part);

/* The names of all that is loaded but for the program itself, each ended by a NUL, with an empty
 * one behind the last; NULL where memory is short. The caller frees it. */
char *clg_objects_loaded(void);

#endif
