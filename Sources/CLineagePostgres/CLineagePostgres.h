// PostgreSQL's client library. pkg-config tells where its header is.
#include <libpq-fe.h>
