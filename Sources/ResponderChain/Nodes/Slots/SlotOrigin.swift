import Synchronization

/// The place of the call that has made a slot, or has last set it. Explanations name it, if
/// ``Responder/keepsOrigins`` is true.
public enum SlotOrigin: Sendable {
  /// A line of the program's sources. The file has the form of `#fileID`.
  case source(StaticString, Int)
  /// The slot was made from an archive by state restoration.
  case restored
}

extension SlotOrigin: CustomStringConvertible {
  /// The file with its module and the line, as in `FlashCardsApp/Form.swift:27`, or `restored`.
  public var description: String {
    switch self {
    case .source(let file, let line): "\(file):\(line)"
    case .restored: "restored"
    }
  }
}

extension SlotOrigin: Equatable {
  /// Returns whether both are the same line, or both are restored.
  public static func == (one: Self, other: Self) -> Bool { one.description == other.description }
}

/// The origins of one responder's slots. This table is beside the slots, because a slot would need
/// more memory in each tree otherwise.
struct OriginTable {
  /// The number of times that the process has begun or ended to keep origins. It is odd while they
  /// are kept. Origins of an earlier period may be those of replaced slots, so they do not count.
  private static let period = Atomic<Int>(0)

  private var origins: [UInt: (origin: SlotOrigin, period: Int)] = [:]

  /// Whether origins are kept now.
  static var isOn: Bool {
    @inline(__always) get { period.load(ordering: .relaxed) & 1 == 1 }
    set { if newValue != isOn { period.wrappingAdd(1, ordering: .relaxed) } }
  }

  /// The origin of the slot for a key; nil if it was not kept, and if no origins are kept now.
  subscript(id: KeyID) -> SlotOrigin? {
    get {
      guard Self.isOn, let kept = origins[id.word], kept.period == Self.present else { return nil }
      return kept.origin
    }
    set { origins[id.word] = newValue.map { ($0, Self.present) } }
  }

  private static var present: Int { period.load(ordering: .relaxed) }
}
