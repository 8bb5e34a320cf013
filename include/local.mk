# Public headers, installed as <readplus.h> and <readplus/NAME.h>.

readplusincludedir = $(includedir)/readplus

include_HEADERS += include/readplus.h

readplusinclude_HEADERS += include/readplus/base.h
readplusinclude_HEADERS += include/readplus/segment.h
readplusinclude_HEADERS += include/readplus/size.h
readplusinclude_HEADERS += include/readplus/plan.h
readplusinclude_HEADERS += include/readplus/encode.h
readplusinclude_HEADERS += include/readplus/decode.h
readplusinclude_HEADERS += include/readplus/scatter.h
readplusinclude_HEADERS += include/readplus/expand.h
readplusinclude_HEADERS += include/readplus/stream.h
readplusinclude_HEADERS += include/readplus/seek.h
readplusinclude_HEADERS += include/readplus/extents.h
readplusinclude_HEADERS += include/readplus/judge.h
readplusinclude_HEADERS += include/readplus/source.h
readplusinclude_HEADERS += include/readplus/reply.h
readplusinclude_HEADERS += include/readplus/splice.h
readplusinclude_HEADERS += include/readplus/message.h
readplusinclude_HEADERS += include/readplus/restore.h

if WITH_RPC
readplusinclude_HEADERS += include/readplus/rpc.h
endif
