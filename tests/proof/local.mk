# Proofs of the library's own sources with Frama-C; README says of what.
prove:
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/proof/prove.sh || \
	    test $$? -eq 77

# Small faults put into what is proved: MUTATE_FLAGS='--sample 20 --seed 2'.
prove-mutants:
	@python3 $(top_srcdir)/tests/proof/mutants.py $(MUTATE_FLAGS)

EXTRA_DIST += tests/proof/LOG
EXTRA_DIST += tests/proof/README
EXTRA_DIST += tests/proof/functions
EXTRA_DIST += tests/proof/mutants.py
EXTRA_DIST += tests/proof/prove.sh

.PHONY: prove prove-mutants
