package import ObjectGraph

import Foundation

/// Copies of the rows of a live list. They are updated only by the changes that the list reports.
package final class ListMirror<Value: Entity> {
  package let list: LiveList<Value>
  /// The rows of each section, as texts. A text changes only when the list reports a change of its
  /// row.
  package private(set) var rows: [[String]]
  /// The number of times that the list has reported changes.
  package private(set) var batches = 0
  package private(set) var last: ListChanges?
  private var observation: ObjectObservation?

  package init(_ list: LiveList<Value>) {
    self.list = list
    rows = list.sections.map { list[$0.rows].map(Self.row) }
    observation = list.observe { [unowned self] list, changes in
      batches += 1
      last = changes
      changes.apply(to: &rows) { Self.row(list[$0]) }
    }
  }

  /// Describes an object. A note is described by its id, text, weight and mood only, because
  /// reflection over all properties would take most of the time of a test.
  private static func row(_ object: Object<Value>) -> String {
    guard let note = object as? Object<Note> else { return object.description }
    return "\(note.id.key) \(note.text) \(note.weight) \(note.mood ?? "-")"
  }

  /// Compares the list with the objects of a fresh fetch, the mirror with the list, and index paths
  /// with positions. Returns a description of the first fault; nil if there is none.
  package func complaint(fresh: [Object<Value>]) -> String? {
    let texts = list.sections.map { list[$0.rows].map(Self.row) }
    if !list.checkInvariants() { return "its invariants do not hold" }
    if Array(list) != fresh {
      return "it has \(list.map(\.id.short)), a fetch \(fresh.map(\.id.short))"
    }
    if rows != texts {
      return "the mirror has \(rows), the list \(texts) after \(String(describing: last))"
    }
    let sections = list.sections
    for (position, object) in list.enumerated() {
      let path = list.indexPath(at: position)
      guard list.indexPath(of: object) == path, list.position(at: path) == position,
        list[path] === object, sections[path[0]].rows.contains(position)
      else { return "row \(position) is not at \(path)" }
    }
    return nil
  }

  /// Compares the list with a fresh fetch and the mirror with the list. Returns a description of
  /// the first fault; nil if there is none.
  package func complaint() throws -> String? {
    complaint(fresh: try list.context.fetch(list.request))
  }
}

extension Ref {
  /// The end of the id, which differs between the objects of a test.
  fileprivate var short: Substring { description.suffix(6) }
}
