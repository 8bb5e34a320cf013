# nfs42d: the server in a test's own process, and one behind sockets.

noinst_HEADERS += tests/nfs42_program.h
noinst_HEADERS += tests/nfs42_talk.h

nfs42d_checks =
nfs42d_checks += tests/check_nfs42_budget
nfs42d_checks += tests/check_nfs42_files
nfs42d_checks += tests/check_nfs42_open
nfs42d_checks += tests/check_nfs42_operations
nfs42d_checks += tests/check_nfs42_session
nfs42d_checks += tests/check_nfs42_sockets

nfs42d_check_cppflags = $(AM_CPPFLAGS) $(TIRPC_CFLAGS) $(JSON_C_CFLAGS) \
	-I$(top_srcdir)/examples/nfs42
nfs42d_check_ldadd = $(nfs42d_ldadd) $(CHECK_LIBS)

tests_check_nfs42_budget_CPPFLAGS = $(nfs42d_check_cppflags)
tests_check_nfs42_budget_LDADD = $(nfs42d_check_ldadd)
tests_check_nfs42_operations_CPPFLAGS = $(nfs42d_check_cppflags)
tests_check_nfs42_operations_LDADD = $(nfs42d_check_ldadd)
tests_check_nfs42_open_CPPFLAGS = $(nfs42d_check_cppflags)
tests_check_nfs42_open_LDADD = $(nfs42d_check_ldadd)
tests_check_nfs42_files_CPPFLAGS = $(nfs42d_check_cppflags)
tests_check_nfs42_files_LDADD = $(nfs42d_check_ldadd)
tests_check_nfs42_session_CPPFLAGS = $(nfs42d_check_cppflags)
tests_check_nfs42_session_LDADD = $(nfs42d_check_ldadd)
tests_check_nfs42_sockets_CPPFLAGS = $(nfs42d_check_cppflags) \
	-DNFS42D='"$(abs_top_builddir)/examples/nfs42/nfs42d"'
tests_check_nfs42_sockets_LDADD = $(nfs42d_check_ldadd)

nfs42d_shell_tests =
nfs42d_shell_tests += tests/nfs42-readme.sh
nfs42d_shell_tests += tests/nfs42d-options.sh
EXTRA_DIST += $(nfs42d_shell_tests)
if WITH_NFS42
TESTS += $(nfs42d_shell_tests)
if HAVE_CHECK
check_PROGRAMS += $(nfs42d_checks)
TESTS += $(nfs42d_checks)
endif
endif

# The server of check_nfs42_sockets is a program of its own, started by libtool's
# script.
nfs42d_valgrind = valgrind -q --vgdb=no --leak-check=full --error-exitcode=9 \
	--trace-children=yes --trace-children-skip=*/sed,*/dirname,*/ls,*/cat
