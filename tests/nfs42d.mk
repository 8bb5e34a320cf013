# nfs42d: against the server in the same process, and behind sockets.

EXTRA_DIST += tests/nfs42_talk.h

nfs42d_checks =
nfs42d_checks += tests/check_nfs42_session

nfs42d_check_cppflags = $(AM_CPPFLAGS) $(TIRPC_CFLAGS) $(JSON_C_CFLAGS) \
	-I$(top_srcdir)/examples/nfs42
nfs42d_check_ldadd = xdr/libnfs42.la $(LDADD) $(TIRPC_LIBS) $(JSON_C_LIBS)

tests_check_nfs42_session_SOURCES = tests/check_nfs42_session.c $(nfs42d_core)
tests_check_nfs42_session_CPPFLAGS = $(nfs42d_check_cppflags)
tests_check_nfs42_session_LDADD = $(nfs42d_check_ldadd)

if WITH_NFS42
if HAVE_CHECK
check_PROGRAMS += $(nfs42d_checks)
TESTS += $(nfs42d_checks)
endif
endif
