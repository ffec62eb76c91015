% Octave's operators and factorizations of full matrices.
1;
function result (name, tolerance, values)
  printf ("result %s %g", name, tolerance);
  printf (" %.17g", values);
  printf ("\n");
endfunction
randn ("state", 1);
n = 1500;
a = randn (n);
b = randn (n, 1);
h = a * a' / n + eye (n);

result ("solve", 1e-8, a \ b);
result ("solve.positive", 1e-10, h \ b);
result ("least.squares", 1e-10, a(:, 1:500) \ b);
result ("inv", 1e-8, diag (inv (a)));
result ("det", 1e-8, log (abs (det (a(1:1200, 1:1200) / 20))));
result ("chol", 1e-10, diag (chol (h)));
[q, r] = qr (a);
result ("qr", 1e-8, abs (diag (r)));
result ("qr.q", 0, norm (q * r - a, 1) < 1e-10);
[q, r, p] = qr (a(:, 1:n/2), 0);
result ("qr.pivots", 0, p(1:50));
[l, u, p] = lu (a);
result ("lu", 1e-8, diag (u));
result ("lu.pivots", 0, p * (1:n)');
result ("expm", 1e-10, diag (expm (h / 4)));
c = a + 1i * flipud (a);
x = c \ b;
result ("solve.complex", 1e-8, [real(x); imag(x)]);
