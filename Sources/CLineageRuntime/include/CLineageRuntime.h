#pragma once

#include <stdint.h>

// Parts of the Swift runtime's stable interface that the language has no words for.

/// The object, with one more strong reference; null if it is being destroyed.
///
/// `weak` is made of it. The memory must still be an object's; see Liveness.swift and Round.swift.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// The object, with so many more strong references; see ReferenceLedger.swift.
void *_Nonnull swift_retain_n(void *_Nonnull object, uint32_t count);

/// Takes so many strong references of the object back.
void swift_release_n(void *_Nonnull object, uint32_t count);

/// Asks for an object's memory before it is needed; see Ahead.swift, Observer.swift,
/// Waiter.swift and Responder+Waiting.swift.
static inline void prefetch_object(const void *_Nullable object) {
  __builtin_prefetch(object, 1);
  __builtin_prefetch((const char *)object + 64, 1);
}

/// Adds a cancellation handler to the current task and removes it; see Waiter.swift.
__attribute__((swiftcall)) void *_Nonnull swift_task_addCancellationHandler(
    __attribute__((swiftcall)) void (*_Nonnull handler)(
        __attribute__((swift_context)) void *_Nonnull),
    void *_Nonnull context);
__attribute__((swiftcall)) void swift_task_removeCancellationHandler(void *_Nonnull record);

/// Wakes a waiter; in Waiter.swift.
void lineage_wake(void *_Nonnull waiter);

static inline __attribute__((swiftcall)) void wake_cancelled(
    __attribute__((swift_context)) void *_Nonnull waiter) {
  lineage_wake(waiter);
}

/// Has the waiter woken when the current task is cancelled, at once if it is already.
static inline void *_Nonnull add_waking(void *_Nonnull waiter) {
  return swift_task_addCancellationHandler(wake_cancelled, waiter);
}

/// Takes that back; if the waiter is being woken, after it was.
static inline void remove_waking(void *_Nonnull record) {
  swift_task_removeCancellationHandler(record);
}
