# What transmute_torture runs: lists, levels, numbers, names that are set again.
x = ones((3, 4, 5), float32)
y = cumsum(x, 1)
parts = split(y, 2, 2)
vmap
  a = in(y, 0)
  w = ones((5, 5), float32)
  b = matmul(a, w)
  largest = amax(a)
  b = add(b, largest)
  c = out(b, 0)
end
z = concat([c, parts[0], parts[1]], 2)
print(z)
