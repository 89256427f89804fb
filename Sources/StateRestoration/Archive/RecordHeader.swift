import LineageFiles

/// The part of a record that describes the responder or object. The other part of the record has
/// the values.
package struct RecordHeader: Sendable {
  package var role = RecordRole.child
  /// The number that names the record in all archives; see ``RecordID``.
  package var id = RecordID.none
  package var identifier = ""
  /// The name of the responder's kind. If the record names no kind, this name is empty, and the
  /// responder's identifier is looked up as the name of a kind.
  package var kind = ""
  /// The version of the kind that has written the values. Zero means that the responder
  /// has none, although a kind has its identifier as name.
  package var version = 1
  /// The facts that only few records have; nil if this record has none of them. They are in an
  /// object of their own, so that most headers are small.
  private var box: ExtrasBox?

  init() {}

  /// The facts about a record that launches have kept for later; nil if they have restored it.
  package var carry: Carry? {
    get { box?.extras.carry }
    set { if newValue != nil || box != nil { extras.carry = newValue } }
  }

  /// The names of the contexts that the values need. The empty name stands for responders of the
  /// tree, to which values refer.
  package var needs: [String] {
    get { box?.extras.needs ?? [] }
    set { extras.needs = newValue }
  }

  /// The names of the contexts that the values and parts need.
  package var contexts: [String] {
    guard let extras = box?.extras else { return [] }
    let values = extras.needs.filter { !$0.isEmpty }
    return extras.parts.flatMap(\.needs).reduce(into: values) {
      if !$0.contains($1) { $0.append($1) }
    }
  }

  package var slots: [ArchivedSlot] {
    get { box?.extras.slots ?? [] }
    set { if !newValue.isEmpty || box != nil { extras.slots = newValue } }
  }

  /// The parts that modules above have added.
  package var parts: [ArchivedPart] {
    get { box?.extras.parts ?? [] }
    set { if !newValue.isEmpty || box != nil { extras.parts = newValue } }
  }

  /// Whether another responder or object has taken the record's place in the tree.
  var isDisplaced: Bool { carry?.isDisplaced ?? false }

  private var extras: Extras {
    get { box?.extras ?? Extras() }
    set { box = ExtrasBox(newValue) }
  }

  private struct Extras: Sendable {
    var carry: Carry?
    var needs: [String] = []
    var slots: [ArchivedSlot] = []
    var parts: [ArchivedPart] = []
  }

  private final class ExtrasBox: Sendable {
    let extras: Extras

    init(_ extras: Extras) { self.extras = extras }
  }
}

/// The facts about a carried record, which is kept for a later launch because no responder or
/// object has it.
package struct Carry: Sendable {
  /// The number of launches that have kept the record. A launch that restored nothing counts only
  /// if it was the first launch that kept the record.
  package var launches = 0
  /// The time of the first launch that has kept the record, in seconds since the reference date.
  package var since = 0.0
  /// Whether a report has said that the next launch will remove the record.
  package var isExpiring = false
  /// Whether another responder or object has taken the record's place. If so, this record is left
  /// out when siblings with the same identifier are counted.
  package var isDisplaced = false
  /// Whether a launch has left out the record because of its strikes.
  package var isLeftOut = false
}

/// The relation of a record's responder or object to its parent. The raw values are part of the
/// format.
package enum RecordRole: UInt8, Sendable {
  case child = 0
  case rootView = 1
  case presented = 2
  /// An object that is not a responder.
  case object = 3
  case application = 4
}

/// A slot as it is archived, with the name that is registered for its key.
package struct ArchivedSlot: Equatable, Sendable, CustomStringConvertible {
  /// The kind of a slot in an archive. The raw values are part of the format.
  package enum SlotCode: UInt8, Sendable {
    /// A branch with the policy `follow`.
    case following = 1
    /// A branch with the policy `keep`.
    case keeping = 2
    case block = 3
    /// A slot with a value that is a child of the context which the responder inherits.
    case handedDown = 4
    /// A slot with any other value. Only a text that identifies the value is archived.
    case value = 5

    /// The kind of slot, for the end of a message.
    var text: String {
      switch self {
      case .following: "branch, follow"
      case .keeping: "branch, keep"
      case .block: "block"
      case .handedDown: "handed down"
      case .value: "value"
      }
    }
  }

  var name: String
  var code: SlotCode
  /// The text that identifies the value of a slot with the code `value`, such as the id of the
  /// value's store. Otherwise empty.
  var identity = ""

  /// The name of the slot's context, the kind of slot, and the text that identifies its value.
  package var description: String {
    "\(name): \(code.text)" + (identity.isEmpty ? "" : " \(identity)")
  }
}

/// The layout of a record: its values and its header. The header comes last, because it
/// lists the contexts that the values need.
///
/// ```text
/// record = size:u32 count:u32 entry* header      size: bytes of count and entries
/// entry  = key:text size:u32 value
/// ```
extension RecordHeader {
  /// The bit beside the role that says that the record has parts.
  private static let partsFlag: UInt8 = 0x80

  /// Writes the header, which is the last part of a record.
  func write(to writer: inout ValueWriter, needs: [String]) {
    writer.bytes.append(role.rawValue | (parts.isEmpty ? 0 : Self.partsFlag))
    writer.bytes.append(id.number)
    writer.bytes.append(identifier)
    writer.bytes.append(kind)
    writer.bytes.append(length: version)
    let carry = carry ?? Carry()
    let launches = carry.isLeftOut ? max(carry.launches, 1) : carry.launches
    writer.bytes.append(length: launches)
    if launches > 0 {
      let flags = [carry.isLeftOut, carry.isDisplaced, carry.isExpiring]
      writer.bytes.append(carry.since.bitPattern)
      writer.bytes.append(flags.reduce(0) { $0 << 1 | ($1 ? 1 : 0) as UInt8 })
    }
    writer.bytes.append(names: needs)
    writer.bytes.append(length: slots.count)
    for slot in slots {
      writer.bytes.append(slot.name)
      writer.bytes.append(slot.code.rawValue)
      if slot.code == .value { writer.bytes.append(slot.identity) }
    }
    guard !parts.isEmpty else { return }
    writer.bytes.append(length: parts.count)
    for part in parts {
      writer.bytes.append(part.name)
      writer.bytes.append(names: part.needs)
      writer.bytes.append(length: part.bytes.count)
      writer.bytes.append(part.bytes.span)
    }
  }

  /// Reads the header of a record. The reader must be at the beginning of the record.
  init(_ record: ValueReader) throws {
    var reader = record
    try reader.skip(Int(try reader.fixed(UInt32.self)))
    let byte = try reader.fixed(UInt8.self)
    guard let role = RecordRole(rawValue: byte & ~Self.partsFlag) else {
      throw StateError(.damaged("a role is unknown"))
    }
    self.role = role
    id = RecordID(try reader.fixed(UInt64.self))
    guard id.number >= RecordID.application.number else {
      throw StateError(.damaged("its id names no record"))
    }
    identifier = try reader.text()
    kind = try reader.text()
    version = Int(clamping: try reader.varint())
    let launches = try reader.varint()
    var carry: Carry?
    if launches > 0 {
      // A launch treats a time in the future as the present time.
      let since = Double(bitPattern: try reader.fixed(UInt64.self))
      let flags = try reader.fixed(UInt8.self)
      carry = Carry(
        launches: Int(min(launches, 1_000_000)), since: since.magnitude < 1e11 ? since : 1e11,
        isExpiring: flags & 1 != 0, isDisplaced: flags & 2 != 0, isLeftOut: flags & 4 != 0)
    }
    let needs = try Self.names(&reader)
    var slots: [ArchivedSlot] = []
    for _ in 0..<(try Self.count(&reader)) {
      let name = try reader.text()
      guard let code = ArchivedSlot.SlotCode(rawValue: try reader.fixed(UInt8.self)) else {
        throw StateError(.damaged("a slot is unknown"))
      }
      let identity = code == .value ? try reader.text() : ""
      slots.append(ArchivedSlot(name: name, code: code, identity: identity))
    }
    var parts: [ArchivedPart] = []
    for _ in 0..<(byte & Self.partsFlag == 0 ? 0 : try Self.count(&reader)) {
      let (name, needs) = (try reader.text(), try Self.names(&reader))
      parts.append(ArchivedPart(name: name, needs: needs, bytes: Array(try reader.data())))
    }
    if carry != nil || !needs.isEmpty || !slots.isEmpty || !parts.isEmpty {
      extras = Extras(carry: carry, needs: needs, slots: slots, parts: parts)
    }
  }

  /// Reads the names of needed contexts.
  private static func names(_ reader: inout ValueReader) throws -> [String] {
    let count = try count(&reader)
    if count == 0 { return [] }
    return try (0..<count).map { _ in try reader.text() }
  }

  /// Reads the number of needed contexts, of slots, or of parts. Throws an error if the number is
  /// above ``ContextTable/limit``.
  @inline(__always)
  private static func count(_ reader: inout ValueReader) throws -> Int {
    let count = try reader.length()
    guard count <= ContextTable.limit else {
      throw StateError(.damaged("it has more than \(ContextTable.limit) names"))
    }
    return count
  }
}

extension ByteBuffer {
  /// Appends the number of names, and the names.
  fileprivate mutating func append(names: [String]) {
    append(length: names.count)
    for name in names { append(name) }
  }
}
