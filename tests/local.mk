# Tests: a line a test.  check_<module>.c is a program of its own (Check); a
# NAME.sh exits 0, 1, or by skip() of lib.sh 77 with the reason printed.

checks =
checks += tests/check_agree
checks += tests/check_base
checks += tests/check_captures
checks += tests/check_decode
checks += tests/check_decode_res
checks += tests/check_encode
checks += tests/check_encoder
checks += tests/check_encoder_random
checks += tests/check_fetch
checks += tests/check_hostile
checks += tests/check_hostile_paths
checks += tests/check_image
checks += tests/check_laws
checks += tests/check_scatter
checks += tests/check_seek
checks += tests/check_segment
checks += tests/check_size
checks += tests/check_wire
checks += tests/check_extents
checks += tests/check_judge
checks += tests/check_stream
checks += tests/check_stream_calls
checks += tests/check_expand
checks += tests/check_expand_places
checks += tests/check_message
checks += tests/check_message_faults
checks += tests/check_peers
checks += tests/check_plan
checks += tests/check_plan_rules
checks += tests/check_reply
checks += tests/check_reserve
checks += tests/check_reply_failures
checks += tests/check_reply_faults
checks += tests/check_splice
checks += tests/check_splice_faults
checks += tests/check_source
checks += tests/check_restore
checks += tests/check_restore_failures

# Those of the libtirpc bridge.
rpc_checks =
rpc_checks += tests/check_rpc
rpc_checks += tests/check_rpc_catalogue
rpc_checks += tests/check_rpc_hostile
rpc_checks += tests/check_rpc_oom
rpc_checks += tests/check_rpc_types
rpc_checks += tests/check_rpcgen

rpc_check_cppflags = $(AM_CPPFLAGS) $(TIRPC_CFLAGS)
rpc_check_ldadd = lib/libreadplus-rpc.la $(LDADD) $(TIRPC_LIBS)
tests_check_rpc_CPPFLAGS = $(rpc_check_cppflags)
tests_check_rpc_LDADD = $(rpc_check_ldadd)
tests_check_rpc_catalogue_CPPFLAGS = $(rpc_check_cppflags) \
	-DTOP_SRCDIR='"$(abs_top_srcdir)"'
tests_check_rpc_catalogue_LDADD = $(rpc_check_ldadd)
tests_check_rpc_hostile_CPPFLAGS = $(rpc_check_cppflags)
tests_check_rpc_hostile_LDADD = $(rpc_check_ldadd)
checks += tests/check_race
tests_check_rpc_types_CPPFLAGS = $(rpc_check_cppflags)
tests_check_rpc_types_LDADD = $(rpc_check_ldadd)
tests_check_rpcgen_CPPFLAGS = $(rpc_check_cppflags)
tests_check_rpcgen_LDADD = $(rpc_check_ldadd)
# With lib/rpc.c in it, not the library.
tests_check_rpc_oom_CPPFLAGS = -I$(top_srcdir) $(rpc_check_cppflags)
tests_check_rpc_oom_LDADD = $(LDADD) $(TIRPC_LIBS)
checks += tests/check_program

shell_tests =
shell_tests += tests/arrows.sh
shell_tests += tests/core-purity.sh
shell_tests += tests/filesystems.sh
shell_tests += tests/headers.sh
shell_tests += tests/install.sh
shell_tests += tests/loop-example.sh
shell_tests += tests/msan.sh
shell_tests += tests/promises.sh
shell_tests += tests/read-sizes.sh
shell_tests += tests/readme.sh
shell_tests += tests/restore-example.sh
shell_tests += tests/symbols.sh

rpc_shell_tests =
rpc_shell_tests += tests/names.sh

program_shell_tests =
program_shell_tests += tests/program-catalogue.sh
program_shell_tests += tests/program-copy.sh
program_shell_tests += tests/program-decode.sh
program_shell_tests += tests/program-encode.sh
program_shell_tests += tests/program-map.sh
program_shell_tests += tests/program-reply.sh

include tests/vectors/local.mk

# What tests/read-sizes.sh looks at.
noinst_PROGRAMS += tests/sequential

# Files the tests read.
noinst_HEADERS += tests/check_main.h
noinst_HEADERS += tests/captures.h
noinst_HEADERS += tests/guard.h
noinst_HEADERS += tests/made_message.h
noinst_HEADERS += tests/restore_rig.h
EXTRA_DIST += tests/captures/README
EXTRA_DIST += tests/captures/replies.txt
EXTRA_DIST += $(shell_tests) $(rpc_shell_tests) $(program_shell_tests)
noinst_HEADERS += tests/check_rpc.h
noinst_HEADERS += tests/codec.h
noinst_HEADERS += tests/encoder.h
noinst_HEADERS += tests/delivery.h
noinst_HEADERS += tests/faulty.h
noinst_HEADERS += tests/faulty_reply.h
noinst_HEADERS += tests/faulty_splice.h
noinst_HEADERS += tests/feed.h
noinst_HEADERS += tests/lay.h
noinst_HEADERS += tests/brought.h
noinst_HEADERS += tests/hostile.h
noinst_HEADERS += tests/pieces.h
noinst_HEADERS += tests/plain/check.h
noinst_HEADERS += tests/transcript.h
EXTRA_DIST += tests/hostile.txt

# These read files of the source tree.
source_cppflags = $(AM_CPPFLAGS) -DTOP_SRCDIR='"$(abs_top_srcdir)"'
tests_check_base_CPPFLAGS = $(source_cppflags)
tests_check_fetch_CPPFLAGS = $(source_cppflags)
tests_check_hostile_CPPFLAGS = $(source_cppflags)
tests_check_hostile_paths_CPPFLAGS = $(source_cppflags)
EXTRA_DIST += tests/README
EXTRA_DIST += tests/lib.sh
EXTRA_DIST += tests/program.sh
EXTRA_DIST += tests/names/both.c
EXTRA_DIST += tests/names/optin.c
EXTRA_DIST += tests/names/read_plus.x
EXTRA_DIST += tests/names/statuses.c

tests_check_captures_CPPFLAGS = $(AM_CPPFLAGS) \
	-DCAPTURES='"$(abs_top_srcdir)/tests/captures/replies.txt"'
# The rooms of the readplus program that are tested one by one.
tests_check_program_SOURCES = tests/check_program.c
tests_check_program_SOURCES += examples/readplus/draw.c
tests_check_program_SOURCES += examples/readplus/hex.c
tests_check_program_SOURCES += examples/readplus/number.c
tests_check_program_SOURCES += examples/readplus/proof.c
tests_check_program_SOURCES += examples/readplus/sparse.c

# --- how they run ----------------------------------------------------------
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	CC='$(CC)'; export CC; \
	CFLAGS='$(CFLAGS)'; export CFLAGS; \
	LDFLAGS='$(LDFLAGS)'; export LDFLAGS; \
	MAKE='$(MAKE)'; export MAKE; \
	NM='$(NM)'; export NM; \
	PKG_CONFIG='$(PKG_CONFIG)'; export PKG_CONFIG; \
	RPCGEN='$(RPCGEN)'; export RPCGEN; \
	TIRPC_CFLAGS='$(TIRPC_CFLAGS)'; export TIRPC_CFLAGS; \
	TIRPC_LIBS='$(TIRPC_LIBS)'; export TIRPC_LIBS; \
	HAVE_RPC='$(have_rpc)'; export HAVE_RPC;

TESTS = $(shell_tests)
TESTS += examples/03-receive
if WITH_RPC
have_rpc = yes
TESTS += $(rpc_shell_tests)
TESTS += examples/10-rpc
else
have_rpc = no
endif
if WITH_PROGRAM
TESTS += $(program_shell_tests)
TESTS += $(program_host_tests)
endif
include tests/nfs42cp.mk
include tests/nfs42d.mk

if HAVE_CHECK
check_PROGRAMS += $(checks)
TESTS += $(checks)
if WITH_RPC
check_PROGRAMS += $(rpc_checks)
TESTS += $(rpc_checks)
endif
else
check-local:
	@echo 'make check needs the Check library (Debian: check);' \
	    'install it and configure again' >&2; exit 1
endif

# The same programs under valgrind; CK_FORK=no so that it sees one process.
# Several at once; each keeps what it said in a file until it has ended.
check-valgrind: all $(check_PROGRAMS)
	@CK_FORK=no; READPLUS_SLOW=1; NFS42D_RUNNER="$(nfs42d_valgrind)"; \
	export CK_FORK READPLUS_SLOW NFS42D_RUNNER; \
	printf '%s\n' $(check_PROGRAMS) | \
	xargs -n 1 -P "$$(getconf _NPROCESSORS_ONLN)" sh -c '\
	    $(LIBTOOL) --mode=execute valgrind -q --leak-check=full \
	        --error-exitcode=9 "./$$0" >"$$0.valgrind" 2>&1; status=$$?; \
	    echo "valgrind $$0"; cat "$$0.valgrind"; exit $$status'
CLEANFILES += tests/*.valgrind

# And on other machines; not part of check, because one of them is emulated.
check-cross:
	+@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/cross.sh || \
	    test $$? -eq 77
EXTRA_DIST += tests/cross.sh tests/cross/fetch.sh

# What static analysers find in lib/: nothing, or it fails.
analyze: all
	+@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/analyze.sh || \
	    test $$? -eq 77
EXTRA_DIST += tests/analyze.sh

.PHONY: analyze check-cross check-valgrind
