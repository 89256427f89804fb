import Foundation

/// Whether the address or the thread sanitizer watches, which bring a malloc of their own.
package let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
