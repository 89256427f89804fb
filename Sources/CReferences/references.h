#pragma once

#include <stdint.h>

// Parts of the Swift runtime's stable interface that the language has no words for.

/// The object, with one more strong reference; null if it is being destroyed.
///
/// `weak` is made of it. The memory must still be an object's; see Liveness.swift, the one place
/// that calls it.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// The object, with so many more strong references; see ReferenceLedger.swift.
void *_Nonnull swift_retain_n(void *_Nonnull object, uint32_t count);

/// Takes so many strong references of the object back.
void swift_release_n(void *_Nonnull object, uint32_t count);

/// Asks for an object's memory before it is needed; see Ahead.swift, Observer.swift and Waiter.swift.
static inline void prefetch_object(const void *_Nullable object) {
  __builtin_prefetch(object, 1);
  __builtin_prefetch((const char *)object + 64, 1);
}
