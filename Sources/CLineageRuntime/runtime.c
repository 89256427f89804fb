#include "CLineageRuntime.h"

// Functions that depend on the processor or the operating system. The other functions need no code
// here; see the header.

#include <string.h>

// The effect on a checksum of the lowest four bits of its state.
static const uint32_t nibbles[16] = {
  0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
  0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t lineage_portable_crc32c(uint32_t state, const uint8_t *bytes, size_t count) {
  for (; count > 0; count--) {
    state ^= *bytes++;
    state = state >> 4 ^ nibbles[state & 15];
    state = state >> 4 ^ nibbles[state & 15];
  }
  return state;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2")))
static uint32_t native_crc32c(uint32_t state, const uint8_t *bytes, size_t count) {
  uint64_t value = state;
  for (; count >= 8; count -= 8, bytes += 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    value = __builtin_ia32_crc32di(value, word);
  }
  for (; count > 0; count--) value = __builtin_ia32_crc32qi((uint32_t)value, *bytes++);
  return (uint32_t)value;
}

uint32_t lineage_crc32c(uint32_t state, const uint8_t *bytes, size_t count) {
  return __builtin_cpu_supports("sse4.2") ? native_crc32c(state, bytes, count)
                                          : lineage_portable_crc32c(state, bytes, count);
}

#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

uint32_t lineage_crc32c(uint32_t state, const uint8_t *bytes, size_t count) {
  for (; count >= 8; count -= 8, bytes += 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    state = __crc32cd(state, word);
  }
  for (; count > 0; count--) state = __crc32cb(state, *bytes++);
  return state;
}

#else

uint32_t lineage_crc32c(uint32_t state, const uint8_t *bytes, size_t count) {
  return lineage_portable_crc32c(state, bytes, count);
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
