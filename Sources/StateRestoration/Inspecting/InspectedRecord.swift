/// The facts about one record, without its values.
package struct InspectedRecord {
  /// The relation of the record's responder or object to its parent, as a word.
  package let role: String
  package let identifier: String
  /// The name of the kind; empty if there is none.
  package let kind: String
  /// The version of the kind that has written the values.
  package let version: Int
  /// The number of launches that have kept the record for later without restoring it.
  package let carriedLaunches: Int
  /// The time of the first launch that has kept the record for later, in seconds since the
  /// reference date.
  package let carriedSince: Double
  /// Whether the next launch will remove the record, unless it restores the record.
  package let isExpiring: Bool
  /// Whether another responder or object has taken the record's place in the tree.
  package let isDisplaced: Bool
  /// Whether a launch has left out the record because earlier launches have ended in it.
  package let isLeftOut: Bool
  /// The names of the contexts that the values need.
  package let needs: [String]
  /// The branches, blocks and values that the responder has for context keys, each with the key's
  /// name and the text that identifies its value.
  package let slots: [String]

  init(_ header: RecordHeader) {
    role = "\(header.role)"
    identifier = header.identifier
    kind = header.kind
    version = header.version
    carriedLaunches = header.extras.carriedLaunches
    carriedSince = header.extras.carriedSince
    isExpiring = header.extras.isExpiring
    isDisplaced = header.extras.isDisplaced
    isLeftOut = header.leftOutOrdinal != nil
    needs = header.extras.needs
    slots = header.extras.slots.map { slot in
      "\(slot.name): \(Self.words(slot.code))" + (slot.identity.isEmpty ? "" : " \(slot.identity)")
    }
  }

  private static func words(_ code: ArchivedSlot.SlotCode) -> String {
    switch code {
    case .following: "branch, follow"
    case .keeping: "branch, keep"
    case .block: "block"
    case .handedDown: "handed down"
    case .value: "value"
    }
  }
}
