# How fast it is.  Programs a line; none is built by make or make check.

EXTRA_PROGRAMS += tests/bench/bench_deliver
EXTRA_PROGRAMS += tests/bench/bench_file
EXTRA_PROGRAMS += tests/bench/bench_cold
tests_bench_bench_file_SOURCES = tests/bench/bench_file.c
tests_bench_bench_file_SOURCES += tests/bench/file_ways.c
tests_bench_bench_deliver_LDADD = lib/libreadplus.la
EXTRA_DIST += tests/bench/ntirpc_peer.c
noinst_HEADERS += tests/bench/bench.h
noinst_HEADERS += tests/bench/codec.h
noinst_HEADERS += tests/bench/ends.h
noinst_HEADERS += tests/bench/file.h
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

bench_rpc = tests/bench/bench_codec tests/bench/bench_ends
endif
CLEANFILES += $(EXTRA_PROGRAMS)

# Everything: tables, bench.json, bench-*.svg.  keep-pictures makes the last
# ones those of README.md.
EXTRA_DIST += tests/bench/bench.sh
EXTRA_DIST += tests/bench/draw.awk
bench_pictures = layouts segments sizes
EXTRA_DIST += tests/bench/layouts.svg
EXTRA_DIST += tests/bench/segments.svg
EXTRA_DIST += tests/bench/sizes.svg
CLEANFILES += bench.json bench-layouts.svg bench-segments.svg bench-sizes.svg

bench bench-full: $(bench_rpc) tests/bench/bench_deliver \
		tests/bench/bench_file tests/bench/bench_cold
	+@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/bench/bench.sh $@

keep-pictures:
	for picture in $(bench_pictures); do \
	    cp bench-$$picture.svg $(srcdir)/tests/bench/$$picture.svg; \
	done

# --- how many instructions the codec takes, so that none comes back ---------
EXTRA_DIST += tests/bench/instructions.c
EXTRA_DIST += tests/bench/instructions.sh
EXTRA_DIST += tests/bench/instructions.txt

check-instructions update-instructions:
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) \
	    $(srcdir)/tests/bench/instructions.sh $@ || test $$? -eq 77

.PHONY: bench bench-full keep-pictures check-instructions update-instructions
