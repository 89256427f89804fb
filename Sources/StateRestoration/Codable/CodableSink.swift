import Foundation
import LineageFiles

/// The bytes that a Codable value writes, and the containers that are open in them.
///
/// Containers are written directly into the bytes, and an inner container lies within an outer
/// container. So writing to a container ends all containers inside it, and nothing can be written
/// to the inner containers any more.
final class CodableSink {
  // Exclusivity is unchecked for speed (`save`): no code of an app runs during an access. Only
  // simple values write themselves directly.
  @exclusivity(unchecked) @safe var writer = ValueWriter(capacity: 16)
  @exclusivity(unchecked) @safe private var open: [OpenContainer] = []
  private var serial = 0
  /// The types that were written so far; see ``isDictionary(_:)``.
  private var unordered: [ObjectIdentifier: Bool?] = [:]

  /// A container that was begun and has not ended.
  private struct OpenContainer {
    let start: Int
    let tag: ValueTag
    let serial: Int
    var count = 0
  }

  /// Ends the innermost open containers, until only `level` containers are open.
  func close(to level: Int) {
    while open.count > level {
      let last = open.removeLast()
      writer.close(last.start, count: last.count)
    }
  }

  /// Returns the serial number of a value's open container. Begins one if it has none yet. The
  /// level is the number of containers around it.
  func container(_ tag: ValueTag, at level: Int) throws -> Int {
    if open.count > level, open[level].tag == tag { return open[level].serial }
    close(to: level)
    serial += 1
    open.append(OpenContainer(start: try writer.open(tag), tag: tag, serial: serial))
    return serial
  }

  /// Begins an element of a container, and returns the level of its value. Containers inside that
  /// container end.
  ///
  /// - Throws: the error with which the container was begun, or ``StateError`` if it has ended.
  func beginElement(of container: Result<Int, any Error>) throws -> Int {
    let serial = try container.get()
    guard let level = open.lastIndex(where: { $0.serial == serial }) else {
      throw StateError(.unstorable("Its encode(to:) writes to a container that has ended."))
    }
    close(to: level + 1)
    open[level].count += 1
    return level + 1
  }

  /// Returns the number of elements of a container; zero if the container has ended.
  func count(of container: Result<Int, any Error>) -> Int {
    guard case .success(let serial) = container else { return 0 }
    return open.last { $0.serial == serial }?.count ?? 0
  }

  /// Forgets the open containers of a value that could not be written.
  func forgetContainers() { if !open.isEmpty { open = [] } }

  /// Writes a value. The level is the number of containers around the value.
  func write<Value: Encodable>(_ value: Value, at level: Int) throws {
    if Self.isDirect(Value.self), let value = value as? any StateValue {
      return try value.write(to: &writer)
    }
    let start = writer.bytes.count
    try value.encode(to: StateValueEncoder(sink: self, level: .success(level)))
    close(to: level)
    if writer.bytes.count == start {
      // A value without properties has written nothing. An empty dictionary is written for it.
      writer.close(try writer.open(.dictionary), count: 0)
    }
    guard let isDictionary = isDictionary(Value.self) else { return }
    // Some dictionaries encode themselves as an array of alternating keys and values.
    let arePairs = isDictionary && writer.bytes[start] == ValueTag.array.rawValue
    try writer.sortElements(of: start, arePairs: arePairs)
  }

  /// Returns whether a type is a dictionary or, if false, a set; nil if the order of its elements
  /// is the same in each process.
  private func isDictionary(_ type: any Any.Type) -> Bool? {
    if let known = unordered[ObjectIdentifier(type)] { return known }
    let found = (type as? any UnorderedCollection.Type)?.isDictionary
    unordered[ObjectIdentifier(type)] = .some(found)
    return found
  }

  /// Returns whether this module writes the values of a type without their `encode(to:)`, which
  /// would write more bytes.
  static func isDirect(_ type: any Any.Type) -> Bool {
    type == Date.self || type == Data.self || type == URL.self || type == UUID.self
      || type == Decimal.self
  }
}

/// A collection type with an element order that differs from process to process.
private protocol UnorderedCollection {
  static var isDictionary: Bool { get }
}

extension Dictionary: UnorderedCollection {
  fileprivate static var isDictionary: Bool { true }
}

extension Set: UnorderedCollection {
  fileprivate static var isDictionary: Bool { false }
}
