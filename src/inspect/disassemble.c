/* SPDX-License-Identifier: Apache-2.0
 * Disassembles machine code with GNU objdump, and writes the files of `clgemm inspect`. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "src/inspect/inspect.h"

/* Reads to the end and appends a NUL. NULL if memory is short. */
static char *read_all(int descriptor) {
    enum { MORE = 1 << 16 };
    size_t used = 0, room = 0;
    char *text = NULL;
    ssize_t got = 1;
    while (got > 0) {
        if (!clg_array_reserve(&text, &room, used + MORE, 1)) {
            free(text);
            return NULL;
        }
        got = read(descriptor, text + used, room - used - 1);
        used += got > 0 ? (size_t)got : 0;
    }
    text[used] = '\0';
    return text;
}

/* What `objdump` prints for the file; NULL if it cannot be run or fails. */
static char *run_objdump(char *path) {
    char *const arguments[] = {"objdump", "-d", "-w", "--no-show-raw-insn", path, NULL};
    int ends[2], status = -1;
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    const pid_t child = fork();
    if (child == 0) { /* only async-signal-safe calls: the process has threads */
        const int null = open("/dev/null", O_WRONLY);
        if (null >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0)
            execvp(arguments[0], arguments);
        _exit(127);
    }
    close(ends[1]);
    char *text = child > 0 ? read_all(ends[0]) : NULL;
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (status != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

char *inspect_disassemble(const unsigned char *elf, size_t size, const char **why) {
    char path[] = "/tmp/clgemm-inspect-XXXXXX";
    char *text = NULL;
    Elf64_Ehdr head;
    memcpy(&head, elf, sizeof head);
    if (head.e_machine != EM_X86_64) {
        *why = "the machine code is not for x86-64";
        return NULL;
    }
    const int descriptor = mkstemp(path);
    *why = "cannot write a file for objdump";
    if (descriptor < 0)
        return NULL;
    if (clg_write_all(descriptor, elf, size)) {
        *why = "cannot run objdump, which is part of GNU binutils";
        text = run_objdump(path);
    }
    close(descriptor);
    unlink(path);
    return text;
}

/* ---- Files ---- */

static bool write_file(struct inspect_job *job, char path[PATH_MAX], const char *name,
                       const char *extension, const void *bytes, size_t size) {
    snprintf(path, PATH_MAX, "%s/%s%s", job->folder, name, extension);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool wrote = descriptor >= 0 && clg_write_all(descriptor, bytes, size);
    if (descriptor >= 0 && close(descriptor))
        wrote = false;
    if (!wrote)
        fprintf(stderr, "%s: %s: %s\n", job->command, path, strerror(errno));
    return wrote;
}

/* PTX is its own text and ends with a NUL. For a runtime's own binary, the machine code in it is
 * the part that others can read. */
static bool write_finding(struct inspect_job *job, const char *name, struct inspect_finding *f) {
    size_t size = 0;
    const unsigned char *elf = inspect_elf(f, &size);
    if (!f->binary)
        return true;
    if (f->text && !elf)
        return write_file(job, f->files[0], name, ".ptx", f->text, strlen(f->text));
    if (!elf)
        return write_file(job, f->files[0], name, ".bin", f->binary, f->binary_size);
    return write_file(job, f->files[0], name, ".so", elf, size) &&
           (!f->text || write_file(job, f->files[1], name, ".s", f->text, strlen(f->text)));
}

bool inspect_write_files(struct inspect_job *job) {
    if (!output_make_folder(job->command, job->folder))
        return false;
    bool wrote = true;
    for (int i = 0; i < job->count; i++)
        wrote = write_finding(job, job->subjects[i].name, &job->findings[i]) && wrote;
    return wrote;
}
