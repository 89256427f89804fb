#pragma once

/// Whether the thread sanitizer watches, and hears of mutexes and continuations.
int thread_sanitizer_hears(void);
