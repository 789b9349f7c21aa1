/* SPDX-License-Identifier: Apache-2.0
 * Instructions that are marked as comments in PTX. */
#include <stdlib.h>
#include <string.h>

#include "program/rewrite.h"
#include "support/check.h"

static void rewritten(const char *ptx, const char *expected) {
    size_t size = strlen(ptx) + 1;
    unsigned char *binary = malloc(size);
    memcpy(binary, ptx, size);
    assert_int_equal(clg_rewrite_ptx(&binary, &size), expected != NULL);
    assert_string_equal((const char *)binary, expected ? expected : ptx);
    assert_int_equal(size, strlen((const char *)binary) + 1);
    free(binary);
}

static void marks_come_out_of_ptx(void **state) {
    (void)state;
    rewritten(".target sm_90, texmode\n//@ wgmma.fence;\nadd;\n",
              ".target sm_90a, texmode\nwgmma.fence;\nadd;\n");
    rewritten(".target sm_90\n//@ a;\n//@ b;", ".target sm_90a\na;\nb;");
    rewritten(".target sm_90\n// a comment\n", NULL); /* nothing to rewrite */
    rewritten(".target sm_90a\n//@ a;", NULL);        /* already of that target */
    rewritten(".target sm_80\n//@ a;", NULL);         /* another device's */
    rewritten(".target sm_90\n.target sm_90\n//@ a;", NULL);
    rewritten("", NULL);
    rewritten("\177ELF//@ ", NULL);
    assert_null(clg_rewrite_of(clg_source_find("tiled")));
    assert_non_null(clg_rewrite_of(clg_source_find("tensor")));
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(marks_come_out_of_ptx)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
