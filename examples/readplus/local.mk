# The commands of the readplus program that stand on the vector catalogue.

examples_readplus_readplus_CPPFLAGS += -DVECTORS_DIR='"$(vectorsdir)"'

examples_readplus_readplus_SOURCES += examples/readplus/cmd_vectors.c
examples_readplus_readplus_SOURCES += examples/readplus/hex_dump.c
examples_readplus_readplus_SOURCES += examples/readplus/hex_dump.h
examples_readplus_readplus_SOURCES += examples/readplus/message_show.c
examples_readplus_readplus_SOURCES += examples/readplus/message_show.h
examples_readplus_readplus_SOURCES += examples/readplus/vector_check.c
examples_readplus_readplus_SOURCES += examples/readplus/vector_check.h
examples_readplus_readplus_SOURCES += examples/readplus/vector_decoder.c
examples_readplus_readplus_SOURCES += examples/readplus/vector_encode.c
examples_readplus_readplus_SOURCES += examples/readplus/vector_export.c
examples_readplus_readplus_SOURCES += examples/readplus/vector_file.c
examples_readplus_readplus_SOURCES += examples/readplus/vector_file.h
examples_readplus_readplus_SOURCES += examples/readplus/vector_json.c
examples_readplus_readplus_SOURCES += examples/readplus/vector_new.c
examples_readplus_readplus_SOURCES += examples/readplus/vector_show.c
examples_readplus_readplus_SOURCES += examples/readplus/vector_tables.c
examples_readplus_readplus_SOURCES += examples/readplus/vector_wire.c
examples_readplus_readplus_SOURCES += examples/readplus/vector_wire.h
examples_readplus_readplus_SOURCES += examples/readplus/vector_words.c
examples_readplus_readplus_SOURCES += examples/readplus/vectors.h

# Captures.
examples_readplus_readplus_CPPFLAGS += $(PCAP_CFLAGS)
examples_readplus_readplus_LDADD += $(PCAP_LIBS)
EXTRA_DIST += examples/readplus/pcap_none.c
if WITH_PCAP
examples_readplus_readplus_SOURCES += examples/readplus/cmd_pcap.c
examples_readplus_readplus_SOURCES += examples/readplus/pcap_list.c
examples_readplus_readplus_SOURCES += examples/readplus/pcap_list.h
examples_readplus_readplus_SOURCES += examples/readplus/pcap_packet.c
examples_readplus_readplus_SOURCES += examples/readplus/pcap_packet.h
examples_readplus_readplus_SOURCES += examples/readplus/pcap_stream.c
examples_readplus_readplus_SOURCES += examples/readplus/pcap_stream.h
examples_readplus_readplus_SOURCES += examples/readplus/pcap_write.c
examples_readplus_readplus_SOURCES += examples/readplus/pcap_write.h
else
examples_readplus_readplus_SOURCES += examples/readplus/pcap_none.c
endif
