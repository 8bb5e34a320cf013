# Proofs of the library's own sources with Frama-C; README says of what.
prove:
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/proof/prove.sh || \
	    test $$? -eq 77

EXTRA_DIST += tests/proof/README
EXTRA_DIST += tests/proof/functions
EXTRA_DIST += tests/proof/prove.sh

.PHONY: prove
