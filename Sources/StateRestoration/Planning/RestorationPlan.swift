import ResponderChain

/// The steps that a restoration will take, one for each record, parents first. Before the plan is
/// made, no code of the app runs except ``Restoration/ask``.
public struct RestorationPlan {
  /// The step for one record.
  public enum Step: Sendable, Equatable {
    /// The application's own record is decoded.
    case application
    /// The factory of the kind is called. If a responder with the archived path is there already,
    /// the factory gets it as ``RestorationRequest/existing``.
    case make(kind: String)
    /// ``Restoration/makeResponder`` is called. If it returns nil, a responder with the archived
    /// path that is there already gets the record.
    case find
    /// An added object is decoded.
    case object
    /// The record and the records below it wait until a responder with the record's identifier is
    /// attached. If that responder is there already, the records are restored in the launch.
    case whenAttached
    /// The record is kept for a later launch. The text is the reason.
    case carry(String)
    /// The record, or one above it, is left out because of earlier ends of the process. It is kept
    /// for another version of the app. The text is the reason.
    case leaveOut(String)
    /// The record is removed. The text is the reason.
    case drop(String)
  }

  /// One record of the plan, with its step.
  struct Node {
    let record: Record
    /// The index of the record above this record; nil for the first record.
    var parent: Int?
    var header: RecordHeader
    /// The number of earlier siblings with the same identifier.
    var ordinal = 0
    /// The ordinal that tells the record's place, by which the crash guard names it, apart from those
    /// of its siblings.
    var placeOrdinal = 0
    var depth = 0
    var step = Step.find
    /// The index of the kind plus one; zero if there is none.
    var kind: UInt16 = 0
    /// The index of the record in the report.
    var reportIndex = 0
    /// Whether the record is not restored in this launch, because a sibling record with the same
    /// identifier has taken its place.
    var isSpare = false
    /// Whether this record is left out, because launches have ended in it.
    var isLeftOut = false
    /// Whether this record or one above it is left out.
    var isOut: Bool {
      if case .leaveOut = step { return true }
      return false
    }
    /// Whether this record, or one above it, waits until a responder is attached.
    var isWaiting = false
    /// The indices of the records directly below this record.
    var below = 0..<0
  }

  var nodes: [Node] = []
  /// Whether at least one record waits until a responder is attached.
  var hasWaiting = false

  /// Returns the identifiers on the way from the application to a record's responder or object.
  func path(_ index: Int) -> [String] {
    var path: [String] = []
    var next = index
    while let parent = nodes[next].parent {
      path.append(nodes[next].header.identifier)
      next = parent
    }
    return path.reversed()
  }

  /// Adds the identifiers of a record and of the records above it to a line. The first record of
  /// the plan is left out.
  ///
  /// - Returns: false if the line is full.
  func addPath(_ index: Int, to line: inout PathLine) -> Bool {
    var next = index
    while let parent = nodes[next].parent {
      guard line.add(nodes[next].header.identifier) else { return false }
      next = parent
    }
    return true
  }
}

extension RestorationPlan: CustomStringConvertible {
  /// One line for each record.
  ///
  /// - Complexity: O(*n* · *depth*) for *n* records.
  public var description: String {
    nodes.indices.map { index in
      let node = nodes[index]
      let path = path(index)
      var line = path.isEmpty ? "application" : path.joined(separator: " › ")
      if node.ordinal > 0 { line += " (\(node.ordinal + 1))" }
      line += ": \(node.step)"
      for slot in node.header.extras.slots { line += ", \(slot.text)" }
      if !node.header.extras.needs.isEmpty {
        line += ", needs " + node.header.extras.needs.joined(separator: ", ")
      }
      return line
    }
    .joined(separator: "\n")
  }
}

extension RestorationPlan.Step: CustomStringConvertible {
  /// The step in a few words.
  public var description: String {
    switch self {
    case .application: "decode"
    case .make(let kind): "make or use a \(kind)"
    case .find: "find"
    case .object: "decode the added object"
    case .whenAttached: "wait until it is attached"
    case .carry(let reason): "carry over: \(reason)"
    case .leaveOut(let reason): "leave out: \(reason)"
    case .drop(let reason): "remove: \(reason)"
    }
  }
}

extension RestorationPlan {
  /// Returns a sentence for each responder of the archived tree that a launch has not restored.
  ///
  /// Three sorts of records get no sentence: records that wait until their screen is opened,
  /// records of added objects, and records that were carried in the archive already. A record below
  /// an unrestored record gets no sentence either.
  func unrestored(in report: RestorationReport) -> [String] {
    var isLeft = [Bool](repeating: false, count: nodes.count)
    var sentences: [String] = []
    for (index, node) in nodes.enumerated() {
      let outcome = report.outcome(node.reportIndex)
      if outcome == .restored || outcome == .waiting { continue }
      isLeft[index] = true
      if let parent = node.parent, isLeft[parent] { continue }
      if node.step == .whenAttached || node.step == .object { continue }
      if node.header.extras.carriedLaunches > 0 { continue }
      let record = report.record(node.reportIndex)
      let path = record.path.isEmpty ? "The application" : record.path.joined(separator: " › ")
      sentences.append("\(path) was not restored: \(record.reason ?? "There is no reason.")")
    }
    return sentences
  }
}
