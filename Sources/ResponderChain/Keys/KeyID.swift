/// The identity of a key. It is the address of the key's metatype.
@usableFromInline
struct KeyID: Equatable, Sendable {
  let word: UInt
  /// The number of bits for keys in a node's mask.
  static let bitCount = 58

  @usableFromInline
  init(_ key: any Any.Type) {
    word = UInt(bitPattern: ObjectIdentifier(key))
  }

  init(word: UInt) { self.word = word }

  /// The hash of the key. It mixes the bits of ``word``, because metatypes lie close to each other
  /// in memory.
  var hash: UInt { word &* 0x9E37_79B9_7F4A_7C15 }

  /// The key's bit in a node's mask. Two keys may share a bit. A lookup then also searches tables
  /// that do not have its key.
  var bit: UInt64 { 1 &<< UInt64(maskIndex) }

  /// The index of the key's bit in a node's mask. It differs between processes, because it depends
  /// on the address of the key's metatype.
  var maskIndex: Int {
    Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt(Self.bitCount)).high)
  }
}

/// Returns the index of a key's bit in a node's mask. Tests use it to choose keys that share a bit.
package func maskIndex(of key: any ContextKey.Type) -> Int {
  KeyID(key).maskIndex
}
