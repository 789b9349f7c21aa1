/* SPDX-License-Identifier: Apache-2.0
 * A program without a BLAS that opens extensions with local symbols, as Python does.
 * Usage: host EXTENSION WHAT... [-- EXTENSION WHAT...]     exits with 1 on a wrong result */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int run_function(const char *what);

int main(int argc, char **argv) {
    run_function *run = NULL;
    for (int i = 1; i < argc; i++) {
        if (!run) {
            void *extension = dlopen(argv[i], RTLD_LAZY | RTLD_LOCAL);
            run = extension ? (run_function *)dlsym(extension, "extension_run") : NULL;
            if (!run) {
                fprintf(stderr, "%s\n", dlerror());
                return 2;
            }
        } else if (strcmp(argv[i], "--") == 0) {
            run = NULL;
        } else if (run(argv[i])) {
            fprintf(stderr, "%s is wrong\n", argv[i]);
            return 1;
        }
    }
    return 0;
}
