#pragma once

/// The object, with one more strong reference; null if it is being destroyed.
///
/// Part of the Swift runtime's stable interface: `weak` is made of it. The memory must still be an
/// object's; see Liveness.swift, the one place that calls it.
void *_Nullable swift_tryRetain(void *_Nonnull object);
