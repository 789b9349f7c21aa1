/* SPDX-License-Identifier: Apache-2.0
 * The routine that a caller would have reached without us: that of the program's own BLAS. */
#ifndef CLG_BLAS_FIND_H
#define CLG_BLAS_FIND_H

#include "blas/names.h"

/* The way onwards from one place in the program that calls one of our names. */
struct clg_route {
    const struct clg_name *name;
    const void *site;   /* where the call returns to */
    void (*next)(void); /* the program's own routine; NULL: there is none */
    void (*gemm)(void); /* the product's routine beside it, or, for routines that are many of them,
                         * in its stead; `next` itself where that is one. NULL: blas/plain.h */
    bool is_long;       /* its integers have 64 bits */
    struct clg_route *following;
};

/* Looks, in this order: behind us in the program's own order of libraries (dlsym(RTLD_NEXT)); in
 * the object that calls, which Python and the like have opened for themselves alone; in
 * CLGEMM_CPU_BLAS; in any library that is loaded; in libblas.so.3; in the BLAS that was named when
 * this library was built. What
 * leads back into us, or into another copy of us, is passed over. Of a batch the first BLAS that
 * has it, or a product, is taken: no further one is opened for what its products do.
 *
 * Where a file's name has "blas64" in it, or the like, plain names take 64-bit integers there.
 *
 * A route is found once for each place and kept; a library that one leads to stays loaded. Takes no
 * lock of ours, as opening libraries runs code of theirs. Never NULL. */
const struct clg_route *clg_route_find(enum clg_name_id id, const void *site);

/* Looks a symbol up as the program sees it from a route's place: its global scope, the calling
 * object, the BLAS. NULL where there is none. */
void *clg_route_symbol(const struct clg_route *route, const char *symbol);

/* Another function that we export, as the caller at `site` would have reached it without us; NULL
 * where there is none. */
void *clg_next_symbol(const char *symbol, const void *site);

#endif
