% Checks Octave's routines on LAPACK.
warning ("off", "Octave:singular-matrix");
rand ("seed", 1);
for n = [3 20 90]
  for part = [0 1]
    a = rand (n) + part * i * rand (n);
    b = rand (n, 2);
    h = a * a' + n * eye (n);
    [q, r] = qr (a);
    [l, u, p] = lu (a);
    c = chol (h);
    [qp, rp, pp] = qr (a);
    d = [a(:,1:end-1), zeros(n, 1)];
    errors = [norm(a * (a \ b) - b), norm(q * r - a), norm(l * u - p * a), norm(c' * c - h) / n, ...
              norm(inv (h) * h - eye (n)), norm(qp * rp - a * pp), ...
              any(diff (abs (diag (rp))) > 1e-12 * n), norm(d \ b - pinv (d) * b) / norm(pinv (d))];
    if (any (errors > 1e-10 * n))
      printf ("%g ", errors);
      exit (1);
    endif
  endfor
endfor
printf ("octave is right\n");
