import Foundation

/// Groups of the system's error numbers.
enum SystemErrors {
  /// The errors of a disk, a quota or a file that can take no more bytes.
  static let full: Set<Int32> = [ENOSPC, EDQUOT, EFBIG]
  /// The errors after which a later attempt to take a lock may succeed.
  static let passing: Set<Int32> = [
    ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE, ENOMEM, EINTR, ENOENT,
  ]
}
