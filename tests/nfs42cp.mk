# The tests of nfs42cp, and the bad network they put it on.
nfs42cp_tests =
nfs42cp_tests += tests/nfs42cp-ganesha.sh
nfs42cp_tests += tests/nfs42cp-odd.sh
nfs42cp_tests += tests/nfs42cp.sh

EXTRA_DIST += $(nfs42cp_tests)
EXTRA_DIST += tests/nfs42cp-lib.sh

if WITH_NFS42
TESTS += $(nfs42cp_tests)
noinst_PROGRAMS += tests/nfs42_proxy
endif
tests_nfs42_proxy_SOURCES = tests/nfs42_proxy.c
tests_nfs42_proxy_LDADD =

# A server that is odd.
noinst_HEADERS += tests/nfs42_odd.h
if WITH_NFS42
noinst_PROGRAMS += tests/nfs42_odd
endif
tests_nfs42_odd_SOURCES = tests/nfs42_odd.c tests/nfs42_odd_item.c
tests_nfs42_odd_CPPFLAGS = $(our_cppflags) -D_GNU_SOURCE $(TIRPC_CFLAGS)
tests_nfs42_odd_LDADD = xdr/libnfs42.la lib/libreadplus.la $(TIRPC_LIBS)

# The table of 2015, its half on the host.
EXTRA_DIST += tests/bench/table-2015.sh
if WITH_NFS42
bench-table-2015: all
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/bench/table-2015.sh
endif
.PHONY: bench-table-2015
