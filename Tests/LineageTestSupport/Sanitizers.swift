import Foundation

/// Whether the address or thread sanitizer is active. Both replace `malloc`.
package let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
