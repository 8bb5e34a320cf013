# The catalogue of vectors, for any project to take, and the tests that hold
# this one to it.

vectorsdir = $(pkgdatadir)/vectors
dist_vectors_DATA =
dist_vectors_DATA += tests/vectors/COPYING
dist_vectors_DATA += tests/vectors/README
dist_vectors_DATA += tests/vectors/rpcgen_accepts
dist_vectors_DATA += tests/vectors/schema.json
dist_vectors_DATA += tests/vectors/boundary.txt
dist_vectors_DATA += tests/vectors/budget.txt
dist_vectors_DATA += tests/vectors/compound.txt
dist_vectors_DATA += tests/vectors/fault.txt
dist_vectors_DATA += tests/vectors/large.txt
dist_vectors_DATA += tests/vectors/operation.txt
dist_vectors_DATA += tests/vectors/peers.txt
dist_vectors_DATA += tests/vectors/record.txt
dist_vectors_DATA += tests/vectors/rfc_example.txt
dist_vectors_DATA += tests/vectors/rpc.txt
dist_vectors_DATA += tests/vectors/seek.txt
dist_vectors_DATA += tests/vectors/sequence.txt
dist_vectors_DATA += tests/vectors/sizes.txt
dist_vectors_DATA += tests/vectors/status.txt
dist_vectors_DATA += tests/vectors/truncation.txt

EXTRA_DIST += tests/vectors/families.py
EXTRA_DIST += tests/vectors/judge_listing.py
EXTRA_DIST += tests/vectors/judge_tshark.py
EXTRA_DIST += tests/vectors/messages.py
EXTRA_DIST += tests/vectors/mkvectors.py
EXTRA_DIST += tests/vectors/readback.py
EXTRA_DIST += tests/vectors/rpcgen_decoder.c
EXTRA_DIST += tests/vectors/shuffle_pcap.py
EXTRA_DIST += tests/vectors/use.c
EXTRA_DIST += tests/vectors/use.py
EXTRA_DIST += tests/vectors/wire.py

checks += tests/check_vectors
rpc_checks += tests/check_vectors_rpc
shell_tests += tests/vectors.sh
program_shell_tests += tests/decode-forms.sh
program_shell_tests += tests/vectors-program.sh

# These build and run programs of this machine.
program_host_tests =
program_host_tests += tests/vectors-decoders.sh
program_host_tests += tests/vectors-exports.sh
EXTRA_DIST += tests/vectors-decoders.sh
EXTRA_DIST += tests/vectors-exports.sh
EXTRA_DIST += tests/decode-pcap.sh
EXTRA_DIST += tests/tshark.sh
if WITH_PCAP
program_host_tests += tests/decode-pcap.sh
program_host_tests += tests/tshark.sh
endif

# The program's reader of the catalogue, without the program.
vector_sources =
vector_sources += examples/readplus/hex.c
vector_sources += examples/readplus/hex.h
vector_sources += examples/readplus/input.c
vector_sources += examples/readplus/input.h
vector_sources += examples/readplus/number.c
vector_sources += examples/readplus/program.h
vector_sources += examples/readplus/vector_check.c
vector_sources += examples/readplus/vector_check.h
vector_sources += examples/readplus/vector_encode.c
vector_sources += examples/readplus/vector_file.c
vector_sources += examples/readplus/vector_file.h
vector_sources += examples/readplus/vector_wire.c
vector_sources += examples/readplus/vector_wire.h
vector_sources += examples/readplus/vector_words.c

vectors_here = -I$(top_srcdir) \
	-DVECTORS_DIR='"$(abs_top_srcdir)/tests/vectors"'
tests_check_vectors_SOURCES = tests/check_vectors.c $(vector_sources)
tests_check_vectors_CPPFLAGS = $(vectors_here) $(AM_CPPFLAGS)
tests_check_vectors_rpc_SOURCES = tests/check_vectors_rpc.c $(vector_sources)
tests_check_vectors_rpc_CPPFLAGS = $(vectors_here) $(rpc_check_cppflags)
tests_check_vectors_rpc_LDADD = $(rpc_check_ldadd)
