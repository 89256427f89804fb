import LineageFiles
import Synchronization

/// The words of the crash guard's page, which is mapped into memory. This type does not retain the
/// page, so that writing a word needs no reference counting.
///
/// This is safe for two reasons. The words are within the page, and the caller of the initialiser
/// retains the page as long as it uses the words.
@safe
struct PageWords {
  private let start: UnsafeMutableRawPointer

  /// Makes the words of a page. The caller must retain the page.
  init(of page: MappedPage) { unsafe start = page.start }

  /// The word that says which code runs; see ``GuardWord``.
  var word: UInt64 {
    @inline(__always) get { unsafe Self.load(start + GuardPage.wordOffset) }
    @inline(__always) nonmutating set { unsafe Self.store(newValue, start + GuardPage.wordOffset) }
  }

  /// The generation (serial number) of the archive in which the record has its number.
  var generation: UInt64 {
    get { unsafe Self.load(start + GuardPage.generationOffset) }
    nonmutating set { unsafe Self.store(newValue, start + GuardPage.generationOffset) }
  }

  /// The hash of the record's path.
  var path: UInt64 {
    @inline(__always) get { unsafe Self.load(start + GuardPage.pathOffset) }
    @inline(__always) nonmutating set { unsafe Self.store(newValue, start + GuardPage.pathOffset) }
  }

  /// The sequence number that the guard's state had when the word was written; see ``GuardState``.
  var launch: UInt64 { unsafe Self.load(start + GuardPage.launchOffset) }

  @inline(__always)
  private static func load(_ place: UnsafeMutableRawPointer) -> UInt64 {
    unsafe UInt64(
      littleEndian: place.assumingMemoryBound(to: Atomic<UInt64>.self).pointee
        .load(ordering: .relaxed))
  }

  /// Writes a word. Earlier writes of this thread become visible before this word does, also in the
  /// file.
  @inline(__always)
  private static func store(_ word: UInt64, _ place: UnsafeMutableRawPointer) {
    unsafe place.assumingMemoryBound(to: Atomic<UInt64>.self).pointee
      .store(word.littleEndian, ordering: .releasing)
  }
}
