# nfs42d and nfs42cp: a server and a client that a kernel will talk to, built on
# the public headers only.

# --- nfs42cp, the client -----------------------------------------------------
if WITH_NFS42
bin_PROGRAMS += examples/nfs42/nfs42cp
dist_man_MANS += examples/nfs42/nfs42cp.1
endif

examples_nfs42_nfs42cp_CPPFLAGS = $(our_cppflags) -D_GNU_SOURCE \
	$(TIRPC_CFLAGS) $(JSON_C_CFLAGS)
examples_nfs42_nfs42cp_LDADD = xdr/libnfs42.la lib/libreadplus.la \
	$(TIRPC_LIBS) $(JSON_C_LIBS)

examples_nfs42_nfs42cp_SOURCES =
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_call.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_call.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_copy.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_copy.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_extents.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_main.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_note.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_note.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_partial.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_partial.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_progress.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_progress.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_ranges.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_ranges.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_receive.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_receive.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_session.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_session.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_source.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_source.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_tell.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_transfer.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_transfer.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_wire.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_wire.h
examples_nfs42_nfs42cp_SOURCES += examples/readplus/number.c
