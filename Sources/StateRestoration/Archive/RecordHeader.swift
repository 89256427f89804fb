import LineageFiles

/// The part of a record that tells all about its owner but the values.
struct RecordHeader {
  var id: UInt32 = 0
  var role = RecordRole.child
  var identifier = ""
  /// The name of the responder's kind; empty if it has none. Then a kind with the name of the
  /// identifier may make it.
  var kind = ""
  /// The version of the kind that has written the values. Zero means that the owner has no kind,
  /// although there is a kind with the name of its identifier. That kind must not make it.
  var version = 1
  /// The number of launches that have carried the record over without restoring it.
  var carriedLaunches = 0
  /// The time of the first of these launches, in seconds since the reference date.
  var carriedSince = 0.0
  /// Whether the last launch has reported that the next one will remove the record.
  var isExpiring = false
  /// Whether another owner has taken the record's place. The siblings with the same identifier are
  /// then numbered without this record.
  var isDisplaced = false
  /// The names of the contexts that the values need.
  var needs: [String] = []
  var slots: [ArchivedSlot] = []
}

/// The relation of a record's owner to its parent. The numbers are part of the format.
enum RecordRole: UInt8 {
  case child = 0
  case rootView = 1
  case presented = 2
  /// An object that is not a responder.
  case object = 3
  case application = 4
}

/// A slot as it is archived, with the registered name of its key.
struct ArchivedSlot: Equatable {
  /// The kind of a slot in an archive. The numbers are part of the format.
  enum SlotCode: UInt8 {
    /// A branch with the policy `follow`.
    case following = 1
    /// A branch with the policy `keep`.
    case keeping = 2
    case block = 3
    /// A value that is a child of the context inherited there.
    case handedDown = 4
    /// Another value. Only its identity is archived.
    case value = 5
  }

  var name: String
  var code: SlotCode
  /// The identity of a value, such as the id of its store; empty for the other slots.
  var identity = ""

  /// Whether the slot has a value, be it a child of the inherited context or not.
  var isValue: Bool { code == .handedDown || code == .value }
}

/// A record is its number, its values and its header. The header comes last, because it tells which
/// contexts the values need.
///
/// ```text
/// record = id:varint size:u32 count:u32 entry* header      size: bytes of count and entries
/// entry  = key:text size:u32 value
/// ```
extension RecordHeader {
  /// Writes the header as the end of an item's payload.
  func write(to writer: inout ValueWriter, needs: [String]) {
    writer.bytes.append(role.rawValue)
    writer.bytes.append(identifier)
    writer.bytes.append(kind)
    writer.bytes.append(length: version)
    writer.bytes.append(length: carriedLaunches)
    if carriedLaunches > 0 {
      writer.bytes.append(carriedSince.bitPattern)
      writer.bytes.append(UInt8((isExpiring ? 1 : 0) | (isDisplaced ? 2 : 0)))
    }
    writer.bytes.append(length: needs.count)
    for need in needs { writer.bytes.append(need) }
    writer.bytes.append(length: slots.count)
    for slot in slots {
      writer.bytes.append(slot.name)
      writer.bytes.append(slot.code.rawValue)
      if slot.code == .value { writer.bytes.append(slot.identity) }
    }
  }

  /// Reads a header from the reader of a record.
  init(_ record: ValueReader) throws {
    var reader = record
    guard let id = UInt32(exactly: try reader.varint()) else {
      throw StateError(.damaged("a record's number is out of range"))
    }
    self.id = id
    try reader.skip(Int(try reader.fixed(UInt32.self)))
    guard let role = RecordRole(rawValue: try reader.fixed(UInt8.self)) else {
      throw StateError(.damaged("a role is unknown"))
    }
    self.role = role
    identifier = try reader.text()
    kind = try reader.text()
    version = Int(clamping: try reader.varint())
    carriedLaunches = Int(min(try reader.varint(), 1_000_000))
    if carriedLaunches > 0 {
      carriedSince = Double(bitPattern: try reader.fixed(UInt64.self))
      let flags = try reader.fixed(UInt8.self)
      isExpiring = flags & 1 != 0
      isDisplaced = flags & 2 != 0
    }
    for _ in 0..<(try reader.length()) { needs.append(try reader.text()) }
    for _ in 0..<(try reader.length()) {
      let name = try reader.text()
      guard let code = ArchivedSlot.SlotCode(rawValue: try reader.fixed(UInt8.self)) else {
        throw StateError(.damaged("a slot is unknown"))
      }
      let identity = code == .value ? try reader.text() : ""
      slots.append(ArchivedSlot(name: name, code: code, identity: identity))
    }
  }
}
