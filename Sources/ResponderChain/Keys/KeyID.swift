/// The identity of a key, which is the address of its metatype in one word.
@usableFromInline
struct KeyID: Equatable, Sendable {
  let word: UInt
  /// The number of bits that a node's mask has for keys.
  static let bitCount = 58

  @usableFromInline
  init(_ key: any Any.Type) {
    word = UInt(bitPattern: ObjectIdentifier(key))
  }

  init(word: UInt) { self.word = word }

  /// The hash of the key. It is the word with its bits mixed, because metatypes lie close to each
  /// other in memory.
  var hash: UInt { word &* 0x9E37_79B9_7F4A_7C15 }

  /// The key's bit in a node's mask. Different keys may share a bit, which makes lookups search
  /// some tables in vain.
  var bit: UInt64 { 1 &<< UInt64(maskIndex) }

  /// The index of the key's bit. A key has other indexes in other processes, because its metatype
  /// lies elsewhere in memory.
  var maskIndex: Int {
    Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt(Self.bitCount)).high)
  }
}

/// Returns the index of a key's bit in a node's mask, so that tests can choose keys that share a
/// bit.
package func maskIndex(of key: any ContextKey.Type) -> Int {
  KeyID(key).maskIndex
}
