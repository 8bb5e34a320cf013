# Tests: a line a test.  check_<module>.c is a program of its own (Check);
# a NAME.sh exits 0, or 1, or by skip() of lib.sh 77 with the reason printed.

checks =
checks += tests/check_base

shell_tests =

noinst_HEADERS += tests/check_main.h
EXTRA_DIST += $(shell_tests)

TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	MAKE='$(MAKE)' CC='$(CC)' NM='$(NM)' PKG_CONFIG='$(PKG_CONFIG)' \
	WITH_RPC='$(with_rpc)'; \
	export top_srcdir top_builddir MAKE CC NM PKG_CONFIG WITH_RPC;

if HAVE_CHECK
check_PROGRAMS += $(checks)
TESTS = $(checks) $(shell_tests)
else
TESTS = $(shell_tests)
check-local:
	@echo 'make check needs the Check library (Debian: check);' \
	    'install it and configure again' >&2; exit 1
endif
