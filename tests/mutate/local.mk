# Mutants of lib/, to test the tests (and the proofs) with.
EXTRA_DIST += tests/mutate/README
EXTRA_DIST += tests/mutate/mutants.py
