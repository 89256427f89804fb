#pragma once

#include <stdint.h>

/// How often memory was asked for in this process; 0 where nobody counts.
uint64_t allocation_count(void);
