#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Functions of the Swift runtime and of the processor that Swift code cannot call itself. They are
// declared in C, because the compiler is about to refuse `@_silgen_name`.

/// Returns the object with one more strong reference, which the caller must release; null if the
/// object is being destroyed or has ended.
///
/// This is the function of the runtime on which `weak` is built. A `weak` reference gives each
/// object a side table, which slows down each retain of the object (`fetch objects`). The object
/// may have ended, but its memory must not have been freed: see `Liveness` in ObjectGraph and
/// `Responder` in ResponderChain.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// Retains the memory of an object, so that it is not freed when the object ends. Returns the
/// object.
///
/// This is the function of the runtime on which `unowned` is built; see `ResponderReference` in
/// ResponderChain.
void *_Nonnull swift_unownedRetain(void *_Nonnull object);

/// Releases the memory that `swift_unownedRetain` has retained. It returns nothing.
void swift_unownedRelease(void *_Nonnull object);

/// Prefetches the first two cache lines of an object's memory. The functions `prefetch()` in
/// ObjectGraph and ResponderChain use it.
///
/// The function only gives the processor a hint, so any address is allowed. It returns nothing.
static inline void lineage_prefetch(const void *_Nullable object) {
  __builtin_prefetch(object, 1);
  __builtin_prefetch((const char *)object + 64, 1);
}

/// Returns the new state of a CRC32C checksum after adding bytes to it. `Checksum` in LineageFiles
/// uses it. On x86 the processor's own instruction is used if there is one; on ARM, where nobody has
/// compiled it yet, only if the build is for processors that have it.
uint32_t lineage_crc32c(uint32_t state, const uint8_t *_Nullable bytes, size_t count);

/// Returns the same as `lineage_crc32c`, on every processor.
uint32_t lineage_portable_crc32c(uint32_t state, const uint8_t *_Nullable bytes, size_t count);

/// Returns whether the file system of an open file writes changed bytes over the old ones.
/// `MappedPage` in LineageFiles relies on this, because such a change never needs more disk space.
/// Returns false for a file system that is not known.
bool lineage_overwrites_in_place(int file);
