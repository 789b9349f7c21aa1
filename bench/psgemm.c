/* SPDX-License-Identifier: Apache-2.0
 * A distributed product, timed and checked: PBLAS psgemm or pdgemm on a grid of MPI ranks.
 *
 * usage: psgemm TYPE M N K TRANS BLOCK REPEATS
 * TYPE is s or d; TRANS is NN, NT, TN or TT; BLOCK is the edge of the blocks in which matrices are
 * distributed. Rank 0 prints the milliseconds of each repetition on the slowest rank, then how many
 * elements of C exceed the bound of docs/testing.md. Exits with 1 if any does. */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ScaLAPACK has no headers. Elements are void here, because all pointers are passed alike. */
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
             const float *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
             const void *b, const int *ib, const int *jb, const int *desc_b, const float *beta,
             void *c, const int *ic, const int *jc, const int *desc_c);
void pdgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
             const double *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
             const void *b, const int *ib, const int *jb, const int *desc_b, const double *beta,
             void *c, const int *ic, const int *jc, const int *desc_c);

static const int zero = 0, one = 1;

struct grid {
    int context, rows, columns, row, column, block;
};

/* What PBLAS multiplies: pieces that add up to an element. They have so few bits that, for k up to
 * 2^19, products of two pieces add up in a double without rounding. For floats it is the element
 * itself, because a double's rounding is small beside their bound. */
struct type {
    char letter;
    size_t size;
    double roundoff;
    int pieces, piece_bits;
};
static const struct type types[] = {{'s', sizeof(float), 0x1p-24, 1, 24},
                                    {'d', sizeof(double), 0x1p-53, 3, 17}};

/* One matrix, column-major, of which this rank holds local_rows x local_columns. */
struct matrix {
    int rows, columns, local_rows, local_columns, ld, descriptor[9];
    unsigned seed;
    void *data;   /* elements of the type */
    double *wide; /* operands and results of the check */
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

/* A piece of the element at that position. Elements are in [-1, 1) and depend on the position only,
 * so that each rank can fill its own part. All pieces are multiples of the last one's unit. */
static double piece_of(const struct type *type, int64_t i, int64_t j, unsigned seed, int piece) {
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u ^ (uint64_t)j * 0xc2b2ae3d27d4eb4fu ^ seed;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    const int used = (piece + 1) * type->piece_bits;
    const uint64_t digits = x >> (64 - used) & ((UINT64_C(1) << type->piece_bits) - 1);
    return ldexp((double)digits, 1 - used) - (piece == 0);
}

static double element(const struct type *type, int64_t i, int64_t j, unsigned seed) {
    double sum = 0;
    for (int piece = 0; piece < type->pieces; piece++)
        sum += piece_of(type, i, j, seed, piece);
    return sum;
}

static size_t count_of(const struct matrix *x) {
    return (size_t)x->ld * (size_t)x->local_columns;
}

static struct matrix create(const struct grid *g, const struct type *type, int rows, int columns,
                            unsigned seed) {
    struct matrix x = {.rows = rows, .columns = columns, .seed = seed};
    int info;
    x.local_rows = numroc_(&rows, &g->block, &g->row, &zero, &g->rows);
    x.local_columns = numroc_(&columns, &g->block, &g->column, &zero, &g->columns);
    x.ld = x.local_rows > 1 ? x.local_rows : 1;
    descinit_(x.descriptor, &rows, &columns, &g->block, &g->block, &zero, &zero, &g->context, &x.ld,
              &info);
    x.data = allocate(count_of(&x), type->size);
    x.wide = allocate(count_of(&x), sizeof *x.wide);
    return x;
}

static void destroy(struct matrix *x) {
    free(x->data);
    free(x->wide);
}

static double get(const struct type *type, const struct matrix *x, size_t at) {
    return type->letter == 'd' ? ((const double *)x->data)[at]
                               : (double)((const float *)x->data)[at];
}

static void set(const struct type *type, struct matrix *x, size_t at, double value) {
    if (type->letter == 'd')
        ((double *)x->data)[at] = value;
    else
        ((float *)x->data)[at] = (float)value;
}

/* What goes into `wide`: a piece of each element, or its magnitude; or into the matrix itself. */
enum { MAGNITUDE = -1, ITSELF = -2 };

static void fill(struct matrix *x, const struct grid *g, const struct type *type, int what) {
    for (int c = 0; c < x->local_columns; c++)
        for (int r = 0; r < x->local_rows; r++) {
            const size_t at = (size_t)c * (size_t)x->ld + (size_t)r;
            const int64_t i = global(r, g->block, g->row, g->rows),
                          j = global(c, g->block, g->column, g->columns);
            if (what == ITSELF)
                set(type, x, at, element(type, i, j, x->seed));
            else
                x->wide[at] = what == MAGNITUDE ? fabs(element(type, i, j, x->seed))
                                                : piece_of(type, i, j, x->seed, what);
        }
}

struct product {
    const struct type *type;
    char ta, tb;
    int m, n, k;
    struct matrix a, b, c;
};

/* C from a, b and c, whose elements are doubles if `wide`, else floats. */
static void multiply(struct product *p, bool wide, const void *a, const void *b, void *c) {
    const float alpha = 1, beta = 0;
    const double wide_alpha = 1, wide_beta = 0;
    if (wide)
        pdgemm_(&p->ta, &p->tb, &p->m, &p->n, &p->k, &wide_alpha, a, &one, &one, p->a.descriptor, b,
                &one, &one, p->b.descriptor, &wide_beta, c, &one, &one, p->c.descriptor);
    else
        psgemm_(&p->ta, &p->tb, &p->m, &p->n, &p->k, &alpha, a, &one, &one, p->a.descriptor, b,
                &one, &one, p->b.descriptor, &beta, c, &one, &one, p->c.descriptor);
}

static double time_once(struct product *p) {
    /* NaN, so that an element that is never written is noticed */
    memset(p->c.data, 0xff, count_of(&p->c) * p->type->size);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime(), slowest;
    multiply(p, p->type->letter == 'd', p->a.data, p->b.data, p->c.data);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* The errors of the elements of C: the exact products of the pieces are added up in two doubles,
 * the second of which takes the rounding errors. */
static double *find_errors(struct product *p, const struct grid *g) {
    const struct type *type = p->type;
    const size_t count = count_of(&p->c);
    double *high = allocate(count, sizeof *high), *low = allocate(count, sizeof *low);
    for (int pieces = 0; pieces < type->pieces * type->pieces; pieces++) {
        fill(&p->a, g, type, pieces / type->pieces);
        fill(&p->b, g, type, pieces % type->pieces);
        multiply(p, true, p->a.wide, p->b.wide, p->c.wide);
        for (size_t i = 0; i < count; i++) {
            const double sum = high[i] + p->c.wide[i], part = sum - high[i];
            low[i] += (high[i] - (sum - part)) + (p->c.wide[i] - part);
            high[i] = sum;
        }
    }
    for (size_t i = 0; i < count; i++)
        high[i] = fabs((get(type, &p->c, i) - high[i]) - low[i]);
    free(low);
    return high;
}

/* The number of elements of C, on all ranks, outside the bound. */
static long count_wrong(struct product *p, const struct grid *g) {
    const struct matrix *c = &p->c;
    double *off = find_errors(p, g);
    long wrong = 0, all;
    fill(&p->a, g, p->type, MAGNITUDE);
    fill(&p->b, g, p->type, MAGNITUDE);
    multiply(p, true, p->a.wide, p->b.wide, p->c.wide);
    for (size_t i = 0; c->local_rows > 0 && i < count_of(c); i++)
        wrong += !(off[i] <= (p->k + 2) * p->type->roundoff * c->wide[i]); /* true for a NaN too */
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
    p->a = create(g, p->type, ta ? p->k : p->m, ta ? p->m : p->k, 1);
    p->b = create(g, p->type, tb ? p->n : p->k, tb ? p->k : p->n, 2);
    p->c = create(g, p->type, p->m, p->n, 0);
    fill(&p->a, g, p->type, ITSELF);
    fill(&p->b, g, p->type, ITSELF);
    time_once(p); /* opens the device and builds programs */
    for (int i = 0; i < repeats; i++) {
        double seconds = time_once(p);
        if (g->row == 0 && g->column == 0)
            printf("ms %.3f\n", seconds * 1e3);
    }
    long wrong = count_wrong(p, g);
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

static bool is_type(const char *text) {
    return !strcmp(text, "s") || !strcmp(text, "d");
}

int main(int count, char **words) {
    if (count != 8 || !is_type(words[1]) || !is_trans(words[5])) {
        fprintf(stderr, "usage: psgemm s|d M N K NN|NT|TN|TT BLOCK REPEATS\n");
        return 2;
    }
    struct product p = {.type = &types[words[1][0] == 'd'],
                        .ta = words[5][0],
                        .tb = words[5][1],
                        .m = atoi(words[2]),
                        .n = atoi(words[3]),
                        .k = atoi(words[4])};
    int block = atoi(words[6]), repeats = atoi(words[7]);
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
