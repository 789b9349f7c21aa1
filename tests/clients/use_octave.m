% SPDX-License-Identifier: Apache-2.0
% Octave as a client: products of single matrices call sgemm_, and A * A' calls ssyrk_.
1;

function wrong = judge (what, a, b, c)
  % The bound of docs/testing.md around the product in double precision.
  bound = (columns (a) + 2) * 2 ^ -24 * (abs (double (a)) * abs (double (b)));
  wrong = sum (! (abs (double (c) - double (a) * double (b)) <= bound)(:));
  printf ("%s: %d wrong\n", what, wrong);
endfunction

rand ("seed", 1);
a = single (2 * rand (131, 119) - 1);
b = single (2 * rand (119, 127) - 1);
t = single (2 * rand (119, 131) - 1);
wrong = judge ("A * B", a, b, a * b);
wrong += judge ("A' * B", t', b, t' * b);
wrong += judge ("A * A'", a, a', a * a');
if (wrong)
  error ("%d elements are wrong", wrong);
endif
