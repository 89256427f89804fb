import ResponderChain

/// A number that names a record in all archives, and the responder of the record in values that refer
/// to it.
///
/// It is a hash of the path that the record has in its first archive, and of the generation of that
/// archive. So it does not change, and is never given to another record.
package struct RecordID: Hashable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  /// No record.
  static let none = RecordID(0)
  /// The application's record. Smaller numbers name no records.
  package static let application = RecordID(16)

  /// Returns the id of a record directly below this one that is new in the archive of a generation.
  /// The ordinal tells such records with the same identifier apart.
  package func below(_ identifier: String, _ generation: UInt64, _ ordinal: Int = 0) -> RecordID {
    var hash = number
    func feed(_ bits: UInt64) {
      hash = (hash ^ bits) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 32
    }
    // A byte that no UTF-8 text has separates the identifier from the rest.
    let bytes = identifier.utf8.span
    for index in bytes.indices { feed(UInt64(bytes[index])) }
    for bits in [0xFF, generation, UInt64(ordinal)] { feed(bits) }
    return RecordID(hash > 16 ? hash : hash + 17)
  }

  /// Makes an id from its bytes.
  init(_ bytes: ArraySlice<UInt8>) {
    number = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The bytes of the number.
  var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
}

/// A responder to which values refer.
struct ReferredResponder {
  /// The responder; nil while it is not restored, and after it was deallocated.
  private(set) weak var responder: Responder?
  private let wasThere: Bool

  init(_ responder: Responder?) { (self.responder, wasThere) = (responder, responder != nil) }

  /// Whether the responder was deallocated, so that nothing finds it any more.
  var isOver: Bool { wasThere && responder == nil }
}
