// A C target needs a source file; the header has all there is.
#include "CLineageRuntime.h"
