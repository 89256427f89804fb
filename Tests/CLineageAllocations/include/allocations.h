#pragma once

#include <stdint.h>

/// How often memory was asked for in this process; 0 where nobody counts.
uint64_t allocation_count(void);

/// The bytes of all memory that was asked for in this process, with the eight bytes that glibc
/// keeps beside each block. Freed memory counts too.
uint64_t allocation_bytes(void);
