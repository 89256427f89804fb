// Stands before glibc's malloc in the test program, which glibc allows, and counts.

#include "allocations.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic uint64_t count;
static _Atomic uint64_t bytes;

uint64_t allocation_count(void) { return atomic_load(&count); }
uint64_t allocation_bytes(void) { return atomic_load(&bytes); }

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)
#include <malloc.h>

void *__libc_malloc(size_t size);

void *malloc(size_t size) {
  void *block = __libc_malloc(size);
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  if (block)
    atomic_fetch_add_explicit(&bytes, malloc_usable_size(block) + 8, memory_order_relaxed);
  return block;
}
#endif
