# The tests of nfs42cp, and the bad network they put it on.
nfs42cp_tests =
nfs42cp_tests += tests/nfs42cp-ganesha.sh

EXTRA_DIST += $(nfs42cp_tests)
EXTRA_DIST += tests/nfs42cp-lib.sh

if WITH_NFS42
TESTS += $(nfs42cp_tests)
noinst_PROGRAMS += tests/nfs42_proxy
endif
tests_nfs42_proxy_SOURCES = tests/nfs42_proxy.c
tests_nfs42_proxy_LDADD =
