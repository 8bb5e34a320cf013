# Public headers, installed as <readplus.h> and <readplus/NAME.h>.

readplusincludedir = $(includedir)/readplus

include_HEADERS += include/readplus.h

readplusinclude_HEADERS += include/readplus/base.h

if WITH_RPC
readplusinclude_HEADERS += include/readplus/rpc.h
endif
