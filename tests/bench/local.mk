# How fast it is.  Programs a line; none is built by make or make check.

EXTRA_PROGRAMS += tests/bench/bench_deliver
EXTRA_PROGRAMS += tests/bench/bench_file
EXTRA_PROGRAMS += tests/bench/bench_cold
tests_bench_bench_deliver_LDADD = lib/libreadplus.la
EXTRA_DIST += tests/bench/bench-file.sh
EXTRA_DIST += tests/bench/ntirpc_peer.c
noinst_HEADERS += tests/bench/bench.h
noinst_HEADERS += tests/bench/codec.h
noinst_HEADERS += tests/bench/ends.h
if WITH_RPC
EXTRA_PROGRAMS += tests/bench/bench_ends
tests_bench_bench_ends_SOURCES = tests/bench/bench_ends.c
tests_bench_bench_ends_SOURCES += tests/bench/ends_client.c
tests_bench_bench_ends_SOURCES += tests/bench/ends_rpcgen.c
tests_bench_bench_ends_SOURCES += tests/bench/ends_run.c
tests_bench_bench_ends_SOURCES += tests/bench/ends_server.c
tests_bench_bench_ends_CPPFLAGS = $(rpc_check_cppflags)
tests_bench_bench_ends_LDADD = $(rpc_check_ldadd)
EXTRA_PROGRAMS += tests/bench/bench_codec
tests_bench_bench_codec_SOURCES = tests/bench/bench_codec.c
tests_bench_bench_codec_SOURCES += tests/bench/codec_peers.c
tests_bench_bench_codec_SOURCES += tests/bench/codec_ways.c
tests_bench_bench_codec_CPPFLAGS = $(rpc_check_cppflags)
tests_bench_bench_codec_LDADD = $(rpc_check_ldadd)

bench-codec: tests/bench/bench_codec
	tests/bench/bench_codec
endif
CLEANFILES += $(EXTRA_PROGRAMS)

# What replies from a descriptor cost against READ, on four file systems (root).
bench-file: tests/bench/bench_file$(EXEEXT)
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	    $(SHELL) $(srcdir)/tests/bench/bench-file.sh

# --- how many instructions the codec takes, so that none comes back ---------
EXTRA_DIST += tests/bench/instructions.c
EXTRA_DIST += tests/bench/instructions.sh
EXTRA_DIST += tests/bench/instructions.txt

check-instructions update-instructions:
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) \
	    $(srcdir)/tests/bench/instructions.sh $@ || test $$? -eq 77

.PHONY: bench-codec bench-file check-instructions update-instructions
