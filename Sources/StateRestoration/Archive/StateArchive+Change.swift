/// The step that turns a stored archive into a newer one.
public enum ArchiveChange: Sendable, Equatable {
  /// No step is needed, because the newer archive is stored already or has no bytes.
  case none
  /// These bytes are to be appended to the stored bytes.
  case append([UInt8])
  /// These bytes are to replace the stored bytes.
  case replace([UInt8])
}

extension StateArchive {
  /// Returns the step that turns a stored archive into this one.
  ///
  /// ```swift
  /// let archive = restoration.archiveChanges(of: application)
  /// switch archive.change(from: stored) {
  /// case .none: break
  /// case .append(let bytes): try file.append(bytes)
  /// case .replace(let bytes): try file.replace(bytes)
  /// }
  /// stored = archive
  /// ```
  ///
  /// If the bytes cannot be stored, leave `stored` as it is. The next step then includes these
  /// bytes.
  ///
  /// Bytes are appended only if this archive was made from `stored` by saves of changes. So
  /// `stored` must be the `StateArchive` that was stored last, or the one with which the
  /// application was launched. Any other archive is replaced, even one with equal bytes.
  ///
  /// - Complexity: O(*n*) for *n* bytes that are to be stored.
  public func change(from stored: StateArchive?) -> ArchiveChange {
    guard let stored, let last = stored.chunks.last, stored.chunks.count <= chunks.count,
      chunks[stored.chunks.count - 1] === last
    else { return chunks.isEmpty ? .none : .replace(bytes) }
    let added = chunks[stored.chunks.count...]
    return added.isEmpty ? .none : .append(added.flatMap(\.bytes))
  }
}
