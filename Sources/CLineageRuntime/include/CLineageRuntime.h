#pragma once

#include <stdint.h>

// The functions of the Swift runtime, and of the processor, that the language has no words for.

/// Returns the object with one more strong reference, which the caller gives back; null if the object
/// is being destroyed.
///
/// The runtime's own function, of which `weak` is made. The memory must still be an object's, alive or
/// dying: see Liveness.swift in ObjectGraph and Responder.swift in ResponderChain.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// Returns the object with so many more strong references.
///
/// The runtime's own function; see Observer.swift.
void *_Nonnull swift_retain_n(void *_Nonnull object, uint32_t count);

/// Takes so many strong references of the object back, which may end it. It returns nothing.
void swift_release_n(void *_Nonnull object, uint32_t count);

/// Asks the processor for an object's memory before it is needed; see Prefetch.swift in ObjectGraph.
///
/// It reads nothing, so the address may be any. It returns nothing.
static inline void prefetch_object(const void *_Nullable object) {
  __builtin_prefetch(object, 1);
  __builtin_prefetch((const char *)object + 64, 1);
}
