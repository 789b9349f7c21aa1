/* SPDX-License-Identifier: Apache-2.0
 * Finds the routine of the program's own BLAS that a caller would reach without the drop-in. */
#ifndef CLG_BLAS_FIND_H
#define CLG_BLAS_FIND_H

#include "blas/names.h"

/* Where calls from one place in the program go on to. */
struct clg_route {
    const struct clg_name *name;
    const void *site;   /* the call's return address */
    void (*next)(void); /* the program's own routine; NULL: there is none */
    void (*gemm)(void); /* for a batch the product's routine in the same library, or without `next`
                         * the first one found; for a product `next` itself. NULL: blas/plain.c */
    bool is_long;       /* its integers have 64 bits */
    struct clg_route *following;
};

/* Searches in this order:
 *
 * 1. the libraries behind this one in the program's own order (dlsym(RTLD_NEXT));
 * 2. the calling object and what only it has loaded, as Python's extensions do;
 * 3. CLGEMM_CPU_BLAS;
 * 4. all loaded libraries;
 * 5. libblas.so.3, then the BLAS that was named when this library was built.
 *
 * Skips this library and copies of it. For a batch, the search ends at the first BLAS that has the
 * batch or the product: no other BLAS is opened, because products are enough.
 *
 * In a library whose file name contains "blas64" or the like, names without a suffix take 64-bit
 * integers.
 *
 * A route is found once for each place and kept; the library that it leads to stays loaded. Holds
 * no lock, because opening a library runs code of that library. Never returns NULL. */
const struct clg_route *clg_route_find(enum clg_name_id id, const void *site);

/* Looks a symbol up as the program sees it from a route's place: in the global scope, the calling
 * object and the BLAS. Returns NULL if there is none. */
void *clg_route_symbol(const struct clg_route *route, const char *symbol);

/* Returns the function that the caller at `site` would have reached without this library, for
 * another name that it exports; NULL if there is none. Found once for each place and kept. `name`
 * has to stay where it is. */
void (*clg_next_function(const struct clg_name *name, const void *site))(void);

/* Whether a loaded object's file name without folders contains `part`, either as given or with
 * links followed: "libblas.so.3" may be a link to "libopenblas.so.0.3". */
bool clg_object_is_named(const char *path, const char *part);

#endif
