package import Foundation

/// One part of an archived value. A value is read as a sequence of parts, so that a reader needs
/// neither recursion nor memory for the whole value.
package enum ValueEvent {
  case null
  case bool(Bool)
  case integer(Int64)
  /// An integer above the largest `Int64`.
  case largeInteger(UInt64)
  case double(Double)
  case float(Float)
  case text(String)
  case data(ArraySlice<UInt8>)
  /// The seconds since the reference date.
  case date(Double)
  case uuid(UUID)
  case url(String)
  case decimal(String)
  /// A reference that only the context with this name can resolve.
  case reference(context: String, text: String)
  /// A reference to the responder of a record.
  case responder(RecordID)
  /// A number of nested optionals around the next value.
  case beginOptional(Int)
  case beginArray
  case beginDictionary
  /// The key of the next value in a dictionary.
  case key(String)
  /// The end of an array, a dictionary or an optional.
  case end
  /// The bytes of a container that is nested deeper than the caller allows.
  case deep(ArraySlice<UInt8>)
}

/// A walk over the parts of one archived value. The walk has its own stack, so a deeply nested
/// value cannot overflow the stack of the thread.
struct ValueWalk {
  private(set) var reader: ValueReader
  /// The greatest number of nested containers that are opened.
  private let nesting: Int
  private var open: [OpenContainer] = []
  /// The number of open containers, without optionals.
  private var depth = 0

  /// A container with elements that are still to be read.
  private struct OpenContainer {
    /// The number of elements that are still to be read.
    var rest: Int
    let content: Content
    /// The position at which the container around this one ends; nil for an optional.
    let outerEnd: Int?
  }

  private enum Content { case values, keysAndValues, integers }

  init(_ reader: ValueReader, nesting: Int) {
    self.reader = reader
    self.nesting = nesting
  }

  /// Calls the closure with each part, until the closure returns false.
  ///
  /// - Throws: ``StateError`` if the bytes are not exactly one value.
  mutating func run(_ body: (ValueEvent) throws -> Bool) throws {
    guard try readValue(body) else { return }
    while let last = open.last {
      guard last.rest > 0 else {
        if let outerEnd = last.outerEnd {
          try reader.leave(outerEnd)
          depth -= 1
        }
        open.removeLast()
        guard try body(.end) else { return }
        continue
      }
      open[open.count - 1].rest -= 1
      switch last.content {
      case .integers:
        guard try body(.integer(reader.zigzag())) else { return }
      case .keysAndValues:
        guard try body(.key(reader.text())), try readValue(body) else { return }
      case .values:
        guard try readValue(body) else { return }
      }
    }
    guard reader.position == reader.end else {
      throw StateError(.damaged("there are more bytes than one value has"))
    }
  }

  /// Reads a value without elements, or the beginning of a container.
  ///
  /// - Returns: false if the closure has ended the walk.
  private mutating func readValue(_ body: (ValueEvent) throws -> Bool) throws -> Bool {
    var optionals = 0
    while try reader.peekTag() == .some {
      _ = try reader.tag()
      optionals += 1
    }
    if optionals > 0 {
      open.append(OpenContainer(rest: 1, content: .values, outerEnd: nil))
      return try body(.beginOptional(optionals))
    }
    switch try reader.peekTag() {
    case .array: return try enter(.array, .values, .beginArray, body)
    case .dictionary: return try enter(.dictionary, .keysAndValues, .beginDictionary, body)
    case .integers: return try enter(.integers, .integers, .beginArray, body)
    case .uuid: return try body(.uuid(UUID.read(from: &reader)))
    default: return try body(readSimple())
    }
  }

  private mutating func enter(
    _ tag: ValueTag, _ content: Content, _ event: ValueEvent,
    _ body: (ValueEvent) throws -> Bool
  ) throws -> Bool {
    guard depth < nesting else {
      let start = reader.position
      try reader.skip()
      return try body(.deep(reader.bytes[start..<reader.position]))
    }
    let (outerEnd, count) = try reader.enter(tag)
    depth += 1
    open.append(OpenContainer(rest: count, content: content, outerEnd: outerEnd))
    return try body(event)
  }

  /// Reads a value that has no elements.
  private mutating func readSimple() throws -> ValueEvent {
    switch try reader.tag() {
    case .false: .bool(false)
    case .true: .bool(true)
    case .integer: .integer(try reader.zigzag())
    case .largeInteger: .largeInteger(try reader.fixed(UInt64.self))
    case .double: .double(Double(bitPattern: try reader.fixed(UInt64.self)))
    case .float: .float(Float(bitPattern: try reader.fixed(UInt32.self)))
    case .text: .text(try reader.text())
    case .data: .data(try reader.data())
    case .date: .date(Double(bitPattern: try reader.fixed(UInt64.self)))
    case .url: .url(try reader.text())
    case .decimal: .decimal(try reader.text())
    case .reference: .reference(context: try reader.text(), text: try reader.text())
    case .responder: .responder(RecordID(try reader.fixed(UInt64.self)))
    case .null, .array, .dictionary, .integers, .some, .uuid: .null
    }
  }
}
