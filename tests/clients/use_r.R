# SPDX-License-Identifier: Apache-2.0
# R as a client: products call dgemm_, crossprod(A) and tcrossprod(A) dsyrk_, from libR.

# A product without any BLAS: sums of outer products.
product <- function(a, b) {
  c <- matrix(0, nrow(a), ncol(b))
  for (l in seq_len(ncol(a)))
    c <- c + a[, l] * rep(b[l, ], each = nrow(a))
  c
}

wrong <- 0
judge <- function(what, a, b, c) {
  # The bound of docs/testing.md, twice, because the sums above are no more exact.
  bound <- (ncol(a) + 2) * .Machine$double.eps * product(abs(a), abs(b))
  off <- sum(!(abs(c - product(a, b)) <= bound), na.rm = FALSE)
  cat(sprintf("%s: %d wrong\n", what, off))
  wrong <<- wrong + off
}

set.seed(1)
random <- function(rows, columns) matrix(2 * runif(rows * columns) - 1, rows)
a <- random(131, 119)
b <- random(119, 127)
t_a <- random(119, 131)

judge("A %*% B", a, b, a %*% b)
judge("t(A) %*% B", t(t_a), b, t(t_a) %*% b)
judge("crossprod(A, B)", t(t_a), b, crossprod(t_a, b))
judge("tcrossprod(A, B)", a, b, tcrossprod(a, t(b)))
judge("crossprod(A)", t(a), a, crossprod(a))
judge("tcrossprod(A)", a, t(a), tcrossprod(a))

# R looks for NaN first and then multiplies by its own loops.
a[3, 5] <- NaN
stopifnot(identical(which(is.nan((a %*% b)[, 1])), 3L))
if (wrong > 0)
  stop(wrong, " elements are wrong")
