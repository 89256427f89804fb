// Tells the thread sanitizer of what it does not see on Linux: the library that has the slow path of
// `Synchronization.Mutex` is not instrumented, and the one that has continuations says nothing when
// one was resumed before it was awaited.
//
// These functions stand before the libraries' in the test program. Each calls the library's.

#include "thread_sanitizer.h"

#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WATCHED
#endif
#endif

#ifndef WATCHED

int thread_sanitizer_hears(void) { return 0; }

#else

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define UNSEEN __attribute__((no_sanitize("thread")))
#define SWIFT UNSEEN __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

/// The library's function of a name, which is this program's too.
UNSEEN static void *next(const char *name) {
  // RTLD_NEXT, without the macro that makes it visible.
  void *function = dlsym((void *)-1l, name);
  if (!function) abort();
  return function;
}

int thread_sanitizer_hears(void) { return 1; }

// A mutex. The word it consists of is what the fast path locks and unlocks, which is in this program
// and instrumented: so both paths tell of the same address.

SWIFT void lock_slowly(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void lock_slowly(uint32_t thread, SELF void *mutex) {
  static __attribute__((swiftcall)) void (*lock)(uint32_t, SELF void *);
  if (!lock) lock = next(LOCK);
  lock(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT _Bool try_lock_slowly(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT _Bool try_lock_slowly(SELF void *mutex) {
  static __attribute__((swiftcall)) _Bool (*lock)(SELF void *);
  if (!lock) lock = next(TRY_LOCK);
  _Bool is_locked = lock(mutex);
  if (is_locked) __tsan_acquire(mutex);
  return is_locked;
}

SWIFT void unlock_slowly(SELF void *mutex) __asm__(UNLOCK);
SWIFT void unlock_slowly(SELF void *mutex) {
  static __attribute__((swiftcall)) void (*unlock)(SELF void *);
  if (!unlock) unlock = next(UNLOCK);
  __tsan_release(mutex);
  unlock(mutex);
}

// A continuation. Whoever resumes one releases the task, which the runtime tells. What goes on after
// it acquires the task here, before it does anything else.

struct context {
  void *parent;
  __attribute__((swiftasynccall)) void (*resume)(
      __attribute__((swift_async_context)) struct context *);
};

__attribute__((swiftcall)) void *swift_task_getCurrent(void);

UNSEEN static __attribute__((swiftasynccall)) void resumed(
    __attribute__((swift_async_context)) struct context *context) {
  struct context *original = context->parent;
  *context = *original;
  free(original);
  __tsan_acquire(swift_task_getCurrent());
  __attribute__((musttail)) return context->resume(context);
}

SWIFT void *swift_continuation_init(struct context *context, uintptr_t flags);
SWIFT void *swift_continuation_init(struct context *context, uintptr_t flags) {
  static __attribute__((swiftcall)) void *(*init)(struct context *, uintptr_t);
  if (!init) init = next("swift_continuation_init");
  struct context *original = malloc(sizeof *original);
  if (!original) abort();
  *original = *context;
  context->parent = original;
  context->resume = resumed;
  return init(context, flags);
}

#endif
