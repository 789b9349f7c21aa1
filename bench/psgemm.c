/* SPDX-License-Identifier: Apache-2.0
 * A distributed product, timed and checked: PBLAS psgemm on a grid of MPI ranks, against pdgemm.
 *
 * usage: psgemm M N K TRANS BLOCK REPEATS
 * TRANS is NN, NT, TN or TT; BLOCK is the edge of the blocks in which matrices are distributed.
 * Rank 0 prints the milliseconds of each repetition, slowest rank, then how many elements of C lie
 * outside the bound of docs/testing.md. Exits with 1 if any does. */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ScaLAPACK comes without headers. */
void Cblacs_pinfo(int *rank, int *ranks);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *rank, const int *first, const int *ranks);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb,
               const int *first_row, const int *first_column, const int *context, const int *ld,
               int *info);
void psgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
             const float *alpha, const float *a, const int *ia, const int *ja, const int *desc_a,
             const float *b, const int *ib, const int *jb, const int *desc_b, const float *beta,
             float *c, const int *ic, const int *jc, const int *desc_c);
void pdgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desc_a,
             const double *b, const int *ib, const int *jb, const int *desc_b, const double *beta,
             double *c, const int *ic, const int *jc, const int *desc_c);

static const int zero = 0, one = 1;

struct grid {
    int context, rows, columns, row, column, block;
};

/* One matrix, column-major, of which this rank holds local_rows x local_columns. */
struct matrix {
    int rows, columns, local_rows, local_columns, ld, descriptor[9];
    float *single;
    double *wide;
};

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "psgemm: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    return memory;
}

/* The global row or column of a local one. */
static int64_t global(int local, int block, int rank, int ranks) {
    return ((int64_t)(local / block) * ranks + rank) * block + local % block;
}

/* In [-1, 1), by place, so that each rank can fill its own part. */
static float element(int64_t i, int64_t j, unsigned seed) {
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u ^ (uint64_t)j * 0xc2b2ae3d27d4eb4fu ^ seed;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return (float)(x >> 40) * 0x1p-23f - 1;
}

static struct matrix create(const struct grid *g, int rows, int columns) {
    struct matrix x = {.rows = rows, .columns = columns};
    int info;
    x.local_rows = numroc_(&rows, &g->block, &g->row, &zero, &g->rows);
    x.local_columns = numroc_(&columns, &g->block, &g->column, &zero, &g->columns);
    x.ld = x.local_rows > 1 ? x.local_rows : 1;
    descinit_(x.descriptor, &rows, &columns, &g->block, &g->block, &zero, &zero, &g->context, &x.ld,
              &info);
    size_t count = (size_t)x.ld * (size_t)x.local_columns;
    x.single = allocate(count, sizeof *x.single);
    x.wide = allocate(count, sizeof *x.wide);
    return x;
}

static void destroy(struct matrix *x) {
    free(x->single);
    free(x->wide);
}

static void fill(struct matrix *x, const struct grid *g, unsigned seed) {
    for (int j = 0; j < x->local_columns; j++)
        for (int i = 0; i < x->local_rows; i++) {
            size_t at = (size_t)j * (size_t)x->ld + (size_t)i;
            x->single[at] = element(global(i, g->block, g->row, g->rows),
                                    global(j, g->block, g->column, g->columns), seed);
            x->wide[at] = x->single[at];
        }
}

static void make_absolute(struct matrix *x) {
    for (size_t i = 0; i < (size_t)x->ld * (size_t)x->local_columns; i++)
        x->wide[i] = fabs(x->wide[i]);
}

struct product {
    char ta, tb;
    int m, n, k;
    struct matrix a, b, c;
};

static double time_once(struct product *p) {
    const float alpha = 1, beta = 0;
    /* NaN, so that an element that nobody writes shows. */
    memset(p->c.single, 0xff, (size_t)p->c.ld * (size_t)p->c.local_columns * sizeof(float));
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime(), slowest;
    psgemm_(&p->ta, &p->tb, &p->m, &p->n, &p->k, &alpha, p->a.single, &one, &one, p->a.descriptor,
            p->b.single, &one, &one, p->b.descriptor, &beta, p->c.single, &one, &one,
            p->c.descriptor);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static void multiply_wide(struct product *p) {
    const double alpha = 1, beta = 0;
    pdgemm_(&p->ta, &p->tb, &p->m, &p->n, &p->k, &alpha, p->a.wide, &one, &one, p->a.descriptor,
            p->b.wide, &one, &one, p->b.descriptor, &beta, p->c.wide, &one, &one, p->c.descriptor);
}

/* Elements of C, on all ranks, outside the bound. Destroys the wide matrices. */
static long count_wrong(struct product *p) {
    struct matrix *c = &p->c;
    size_t count = (size_t)c->ld * (size_t)c->local_columns;
    double *off = allocate(count, sizeof *off);
    long wrong = 0, all;
    multiply_wide(p);
    for (size_t i = 0; i < count; i++)
        off[i] = fabs((double)c->single[i] - c->wide[i]);
    make_absolute(&p->a);
    make_absolute(&p->b);
    multiply_wide(p);
    for (size_t i = 0; c->local_rows > 0 && i < count; i++)
        wrong += !(off[i] <= (p->k + 2) * 0x1p-24 * c->wide[i]); /* so is a NaN */
    free(off);
    MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* The most nearly square grid of all ranks. */
static struct grid open_grid(int block) {
    struct grid g = {.block = block};
    int rank, ranks;
    Cblacs_pinfo(&rank, &ranks);
    g.rows = (int)sqrt((double)ranks);
    while (ranks % g.rows)
        g.rows--;
    Cblacs_get(-1, 0, &g.context);
    Cblacs_gridinit(&g.context, "Row", g.rows, ranks / g.rows);
    Cblacs_gridinfo(g.context, &g.rows, &g.columns, &g.row, &g.column);
    return g;
}

static long run(struct product *p, const struct grid *g, int repeats) {
    bool ta = p->ta == 'T', tb = p->tb == 'T';
    p->a = create(g, ta ? p->k : p->m, ta ? p->m : p->k);
    p->b = create(g, tb ? p->n : p->k, tb ? p->k : p->n);
    p->c = create(g, p->m, p->n);
    fill(&p->a, g, 1);
    fill(&p->b, g, 2);
    time_once(p); /* opens the device and builds programs */
    for (int i = 0; i < repeats; i++) {
        double seconds = time_once(p);
        if (g->row == 0 && g->column == 0)
            printf("ms %.3f\n", seconds * 1e3);
    }
    long wrong = count_wrong(p);
    if (g->row == 0 && g->column == 0)
        printf("%d x %d ranks: %ld wrong\n", g->rows, g->columns, wrong);
    destroy(&p->a);
    destroy(&p->b);
    destroy(&p->c);
    return wrong;
}

static bool is_trans(const char *text) {
    return strlen(text) == 2 && strspn(text, "NT") == 2;
}

int main(int count, char **words) {
    if (count != 7 || !is_trans(words[4])) {
        fprintf(stderr, "usage: psgemm M N K NN|NT|TN|TT BLOCK REPEATS\n");
        return 2;
    }
    struct product p = {.ta = words[4][0],
                        .tb = words[4][1],
                        .m = atoi(words[1]),
                        .n = atoi(words[2]),
                        .k = atoi(words[3])};
    int block = atoi(words[5]), repeats = atoi(words[6]);
    if (p.m < 1 || p.n < 1 || p.k < 1 || block < 1 || repeats < 0) {
        fprintf(stderr, "psgemm: sizes must be positive\n");
        return 2;
    }
    MPI_Init(&count, &words);
    struct grid grid = open_grid(block);
    long wrong = run(&p, &grid, repeats);
    Cblacs_gridexit(grid.context);
    MPI_Finalize();
    return wrong != 0;
}
