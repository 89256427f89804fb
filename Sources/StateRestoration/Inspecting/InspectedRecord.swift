/// The facts about one record, without its values.
package struct InspectedRecord {
  /// The relation of the record's responder or object to its parent.
  package enum Relation: String, Sendable {
    case application, child, rootView, presented, object
  }

  /// A branch, a block or a value that the responder has for a context key.
  package struct Slot {
    /// The registered name of the context key.
    package let context: String
    /// The kind of slot in words.
    package let kind: String
    /// A text that identifies the slot's value, such as the id of its store; empty if there is
    /// none.
    package let identity: String
  }

  package let role: Relation
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
  /// The version of the app that has crashed while it restored the record; nil if there was no
  /// crash.
  package let quarantine: String?
  /// The names of the contexts that the values need.
  package let needs: [String]
  package let slots: [Slot]

  init(_ header: RecordHeader) {
    role =
      switch header.role {
      case .application: .application
      case .child: .child
      case .rootView: .rootView
      case .presented: .presented
      case .object: .object
      }
    identifier = header.identifier
    kind = header.kind
    version = header.version
    carriedLaunches = header.extras.carriedLaunches
    carriedSince = header.extras.carriedSince
    isExpiring = header.extras.isExpiring
    isDisplaced = header.extras.isDisplaced
    quarantine = header.extras.quarantine
    needs = header.extras.needs
    slots = header.extras.slots.map { slot in
      Slot(context: slot.name, kind: Self.words(slot.code), identity: slot.identity)
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
