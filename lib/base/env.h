/* SPDX-License-Identifier: Apache-2.0
 * The environment, as far as the library may trust it, and the places that it names. */
#ifndef CLG_BASE_ENV_H
#define CLG_BASE_ENV_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether the process has more rights than the user who started it (set-uid, set-gid, file
 * capabilities), so that its environment cannot be trusted. */
bool clg_env_is_foreign(void);

/* Copies the environment for all that is asked later: the C library lets no thread read it while
 * another one sets a variable. For the drop-in as it is loaded, which exports the copy by this
 * name, so that the library that it loads asks it too. NULL if memory is short. */
#define CLG_ENV_KEPT "clgemm_blas_environment"
char **clg_env_keep(void);

/* The variable's value, or NULL if it is unset or empty, or if the process is set-uid. */
const char *clg_env(const char *name);

/* A size in bytes: "4096", "64K", "256M" or "1G" (powers of 1024). `otherwise` if the variable is
 * unset or not a size. */
uint64_t clg_env_size(const char *name, uint64_t otherwise);

/* Whether the variable is "0". */
bool clg_env_is_off(const char *name);

/* ---- Places ---- */

struct clg_path {
    char path[PATH_MAX]; /* "" if there is none */
    const char *from;    /* the variable or rule that determined it */
};

/* The folder of compiled programs: CLGEMM_CACHE_DIR, XDG_CACHE_HOME/clgemm, HOME/.cache/clgemm. */
void clg_path_programs(struct clg_path *out);

/* The user's configuration of the drop-in: clgemm/clgemm.conf in XDG_CONFIG_HOME or HOME/.config.
 */
void clg_path_config(struct clg_path *out);

enum { CLG_TUNING_PATHS = 3 };

/* The places of tuning files in the order of search. All are "" with CLGEMM_TUNING=0. */
void clg_paths_tuning(struct clg_path out[CLG_TUNING_PATHS]);

/* Called before OpenCL: ocl-icd cuts OCL_ICD_FILENAMES at its first colon, in the environment. */
void clg_env_keep_loaders(void);

/* A list for execve(): the environment as it was before that, without variables that would load
 * libraries into another program (LD_PRELOAD, LD_AUDIT). The caller frees the list, not its
 * strings. NULL if memory is short, or if the process is set-uid. */
char **clg_env_for_exec(void);

#endif
