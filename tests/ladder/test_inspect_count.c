/* SPDX-License-Identifier: Apache-2.0
 * Counting instructions in PTX and in a disassembly: which belong to the kernel, and of which kind
 * they are. */
#include <string.h>

#include "src/inspect/inspect.h"
#include "support/check.h"

static const char ptx[] = ".version 8.4\n"
                          ".target sm_90\n"
                          ".func helper()\n{\n\tfma.rn.f32 %f1, %f1, %f1, %f1;\n\tret;\n}\n"
                          ".entry clg_other(\n\t.param .u32 p\n)\n{\n\tmov.u32 %r1, 0;\n\tret;\n}\n"
                          "\t// .globl\tclg_one\n"
                          ".entry clg_one(\n\t.param .u32 p,\n\t.param .u64 q\n)\n"
                          ".reqntid 16, 16, 1\n"
                          "{\n"
                          "\t.reg .f32 %f<4>;\n"
                          "\tld.param.u64 %rd1, [q];\n"
                          "\tmov.u32 %r1, %tid.x;\n"
                          "\tmov.b64 {%r2, %r3}, %rd1;\n"
                          "$L__BB0_1:\n"
                          "\tld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n"
                          "\tld.global.f32 %f1, [%rd1];\n"
                          "\tst.shared.v4.f32 [%r1], {%f1, %f2, %f3, %f4};\n"
                          "\tbar.sync 0;\n"
                          "\tld.shared.f32 %f2, [%r1+4]; // fma.rn.f32 in a comment;\n"
                          "\t// begin inline asm\n"
                          "\tshfl.sync.idx.b32 %f3, %f2, %r1, 31, 0xffffffff;\n"
                          "\t// end inline asm\n"
                          "\tfma.rn.f32 %f1, %f2, %f3, %f1;\n"
                          "\tfma.rn.f32 \t%f1, %f2, %f3, %f1;\n"
                          "\t{ .reg .pred p; fma.rn.f32 %f1, %f2, %f3, %f1; }\n"
                          "\tst.local.f32 [%rd1], %f1;\n"
                          "\tld.local.f32 %f1, [%rd1];\n"
                          "\t@%p1 bra $L__BB0_1;\n"
                          "\t@!%p1 st.global.f32 [%rd1], %f1;\n"
                          "\tret;\n"
                          "}\n"
                          ".entry clg_one_more()\n{\n\tfma.rn.f32 %f1, %f1, %f1, %f1;\n}\n";

static void counts_ptx(void **state) {
    int64_t v[COUNTS];
    (void)state;
    assert_true(inspect_count_ptx(ptx, "clg_one", v));
    assert_int_equal(v[COUNT_FMA], 3);
    assert_int_equal(v[COUNT_GLOBAL_LOADS], 2);
    assert_int_equal(v[COUNT_GLOBAL_STORES], 1);
    assert_int_equal(v[COUNT_LOCAL_LOADS], 1);
    assert_int_equal(v[COUNT_LOCAL_STORES], 1);
    assert_int_equal(v[COUNT_STACK_LOADS], 1);
    assert_int_equal(v[COUNT_STACK_STORES], 1);
    assert_int_equal(v[COUNT_SHUFFLES], 1);
    assert_int_equal(v[COUNT_MOVES], 2);
    assert_int_equal(v[COUNT_LOADS], -1);
    assert_int_equal(v[COUNT_STORES], -1);
    assert_int_equal(v[COUNT_ALL], 17);
    assert_true(inspect_count_ptx(ptx, "clg_other", v));
    assert_int_equal(v[COUNT_ALL], 2);
    assert_int_equal(v[COUNT_FMA], 0);
    assert_false(inspect_count_ptx(ptx, "clg_on", v));
    assert_false(inspect_count_ptx("", "clg_one", v));
    assert_false(inspect_count_ptx(".entry clg_one(", "clg_one", v));
}

static const char x86[] = "\n/tmp/x.so:     file format elf64-x86-64\n\n\n"
                          "Disassembly of section .text:\n\n"
                          "0000000000001000 <_pocl_kernel_clg_other>:\n"
                          "    1000:\tvfmadd231ps %ymm1,%ymm2,%ymm3\n\n"
                          "0000000000001010 <_pocl_kernel_clg_one>:\n"
                          "    1010:\tpush   %rbp\n"
                          "    1011:\tmov    %rsp,%rbp\n"
                          "    1014:\tlea    (%rdi,%rsi,4),%rax\n"
                          "    1018:\tvmovups (%rdi),%ymm0\n"
                          "    101c:\tvmovups %ymm0,0x40(%rsp)\n"
                          "    1020:\tvmovaps 0x40(%rsp),%ymm0\n"
                          "    1024:\tvfmadd231ps (%rax,%rcx,4),%ymm1,%ymm0\n"
                          "    102a:\tvfmadd213ps %ymm1,%ymm2,%ymm0\n"
                          "    102f:\tvbroadcastss 0x10(%rip),%ymm2        # 2000 <data>\n"
                          "    1038:\tvpermilps $0x1b,%ymm2,%ymm2\n"
                          "    103e:\tcmpl   $0x0,0x8(%rdi)\n"
                          "    1042:\tvmovups %ymm0,(%rdx,%rcx,4)\n"
                          "    1047:\tvmovaps %ymm0,%ymm5\n"
                          "    104b:\tdata16 cs nopw 0x0(%rax,%rax,1)\n"
                          "    1056:\tjne    1018 <_pocl_kernel_clg_one+0x8>\n"
                          "    1058:\tret\n\n"
                          "0000000000001060 <_pocl_kernel_clg_one_workgroup>:\n"
                          "    1060:\tvfmadd231ps %ymm1,%ymm2,%ymm3\n";

static void counts_x86(void **state) {
    int64_t v[COUNTS];
    (void)state;
    assert_true(inspect_count_x86(x86, "clg_one", v));
    assert_int_equal(v[COUNT_ALL], 16);
    assert_int_equal(v[COUNT_FMA], 2);
    assert_int_equal(v[COUNT_LOADS], 4); /* vmovups, a factor, vbroadcastss, cmpl */
    assert_int_equal(v[COUNT_STORES], 1);
    assert_int_equal(v[COUNT_STACK_LOADS], 1);
    assert_int_equal(v[COUNT_STACK_STORES], 1);
    assert_int_equal(v[COUNT_SHUFFLES], 1);
    assert_int_equal(v[COUNT_MOVES], 2);
    assert_int_equal(v[COUNT_GLOBAL_LOADS], -1);
    assert_int_equal(v[COUNT_LOCAL_STORES], -1);
    assert_false(inspect_count_x86(x86, "clg_none", v));
    assert_false(inspect_count_x86("", "clg_one", v));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_ptx), cmocka_unit_test(counts_x86)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
