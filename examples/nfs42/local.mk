# nfs42d and nfs42cp: a server and a client that a kernel will talk to, built on
# the public headers only.
