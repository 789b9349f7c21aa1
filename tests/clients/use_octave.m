% SPDX-License-Identifier: Apache-2.0
% Octave as a client: products call sgemm_ or dgemm_, and A * A' calls ssyrk_ or dsyrk_.
1;

% A product in double precision without any BLAS: sums of outer products.
function c = product (a, b)
  c = zeros (rows (a), columns (b));
  for l = 1:columns (a)
    c += double (a(:, l)) .* double (b(l, :));
  endfor
endfunction

function wrong = judge (what, a, b, c)
  % The bound of docs/testing.md, twice if this sum is no more exact itself.
  u = double (eps (class (c))) / 2 * (1 + isa (c, "double"));
  bound = (columns (a) + 2) * u * product (abs (a), abs (b));
  wrong = sum (! (abs (double (c) - product (a, b)) <= bound)(:));
  printf ("%s, %s: %d wrong\n", what, class (c), wrong);
endfunction

rand ("seed", 1);
wrong = 0;
for type = {"single", "double"}
  a = cast (2 * rand (131, 119) - 1, type{1});
  b = cast (2 * rand (119, 127) - 1, type{1});
  t = cast (2 * rand (119, 131) - 1, type{1});
  wrong += judge ("A * B", a, b, a * b);
  wrong += judge ("A' * B", t', b, t' * b);
  wrong += judge ("A * A'", a, a', a * a');
endfor
if (wrong)
  error ("%d elements are wrong", wrong);
endif
