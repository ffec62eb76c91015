% Checks Octave's routines on LAPACK.
rand ("seed", 1);
for n = [3 20 90]
  for part = [0 1]
    a = rand (n) + part * i * rand (n);
    b = rand (n, 2);
    h = a * a' + n * eye (n);
    [q, r] = qr (a);
    [l, u, p] = lu (a);
    c = chol (h);
    errors = [norm(a * (a \ b) - b), norm(q * r - a), norm(l * u - p * a), norm(c' * c - h) / n, ...
              norm(inv (h) * h - eye (n))];
    if (any (errors > 1e-10 * n))
      printf ("%g ", errors);
      exit (1);
    endif
  endfor
endfor
printf ("octave is right\n");
