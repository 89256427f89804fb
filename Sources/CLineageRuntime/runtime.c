#include "CLineageRuntime.h"

// Functions that depend on the processor or the operating system. The other functions need no code
// here; see the header.

#if defined(__x86_64__)
#include <cpuid.h>
#include <string.h>

bool lineage_has_crc32c(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
}

__attribute__((target("sse4.2")))
uint32_t lineage_crc32c(uint32_t state, const uint8_t *bytes, size_t count) {
  uint64_t value = state;
  for (; count >= 8; count -= 8, bytes += 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    value = __builtin_ia32_crc32di(value, word);
  }
  for (; count > 0; count--, bytes++)
    value = __builtin_ia32_crc32qi((uint32_t)value, *bytes);
  return (uint32_t)value;
}

#else

bool lineage_has_crc32c(void) { return false; }

uint32_t lineage_crc32c(uint32_t state, const uint8_t *bytes, size_t count) {
  (void)bytes, (void)count;
  return state;
}

#endif

#if defined(__linux__)
#include <sys/vfs.h>

bool lineage_overwrites_in_place(int file) {
  struct statfs status;
  if (fstatfs(file, &status) != 0) return false;
  switch ((unsigned long)status.f_type) {
  case 0xEF53:      // ext2, ext3, ext4
  case 0x58465342:  // XFS
  case 0x01021994:  // tmpfs
    return true;
  default:
    return false;
  }
}

#else

bool lineage_overwrites_in_place(int file) { return false; }

#endif
