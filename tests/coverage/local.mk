# `make coverage`: what the tests reach of lib/, all of it or it fails.
EXTRA_DIST += tests/coverage/report.py
EXTRA_DIST += tests/coverage/run.sh
EXTRA_DIST += tests/coverage/unreachable

coverage:
	+@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/coverage/run.sh

.PHONY: coverage
