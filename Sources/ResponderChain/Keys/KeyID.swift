/// A key's identity as one word: the address of its metatype.
@usableFromInline
struct KeyID: Equatable, Sendable {
  let word: UInt
  /// The number of bits that a node's mask has for keys.
  static let bitCount = 59

  @usableFromInline
  init(_ key: any Any.Type) {
    word = UInt(bitPattern: ObjectIdentifier(key))
  }

  init(word: UInt) { self.word = word }

  /// The word, spread over all bits, since metatypes lie close to each other.
  var hash: UInt { word &* 0x9E37_79B9_7F4A_7C15 }

  /// The key's bit in a node's mask; different keys may share one.
  var bit: UInt64 { 1 &<< UInt64(maskIndex) }

  /// The index of the key's bit.
  var maskIndex: Int {
    Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt(Self.bitCount)).high)
  }
}

/// The index of a key's bit in a node's mask, so that tests can make keys collide.
package func maskIndex(of key: any ContextKey.Type) -> Int {
  KeyID(key).maskIndex
}
