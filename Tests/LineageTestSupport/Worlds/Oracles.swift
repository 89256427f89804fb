import Foundation
import ObjectGraph

// Stores order some values by their bytes. Swift orders these values in another way or not at all.

/// The bytes of a text or of data, in the order in which stores sort them.
struct Bytes: Comparable {
  let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }
  init(_ data: Data) { bytes = Array(data) }

  static func < (one: Bytes, other: Bytes) -> Bool {
    one.bytes.lexicographicallyPrecedes(other.bytes)
  }

  func contains(_ other: Bytes) -> Bool {
    guard other.bytes.count <= bytes.count else { return false }
    return (0...bytes.count - other.bytes.count).contains {
      Array(bytes[$0..<$0 + other.bytes.count]) == other.bytes
    }
  }

  func hasPrefix(_ other: Bytes) -> Bool { Array(bytes.prefix(other.bytes.count)) == other.bytes }

  func hasSuffix(_ other: Bytes) -> Bool { Array(bytes.suffix(other.bytes.count)) == other.bytes }
}

extension Probe where Value == Bytes {
  /// Creates a probe of an attribute that stores compare by its bytes.
  init(
    _ column: @escaping (Columns<Root>) -> AttributeColumn<Root, Literal>, _ literals: [Literal],
    bytes unwrap: @escaping (Literal) -> Bytes?,
    _ value: @escaping (World, World.Row<Root>) -> Literal?
  ) {
    self.init(
      column: column, value: { value($0, $1).flatMap(unwrap) }, literals: literals, unwrap: unwrap,
      equal: ==, less: <)
  }
}
