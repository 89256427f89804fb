package import ObjectGraph

import Foundation

/// Copies of a live list's rows, which nothing but the list's changes keep up to date.
package final class ListMirror<Value: Entity> {
  package let list: LiveList<Value>
  /// The rows as they were when each was told last.
  package private(set) var rows: [[String]]
  /// The number of times that the list has told of changes.
  package private(set) var batches = 0
  package private(set) var last: ListChanges?
  private var observation: ListObservation?

  package init(_ list: LiveList<Value>) {
    self.list = list
    rows = list.sections.map { list[$0.rows].map(Self.row) }
    observation = list.observe { [unowned self] list, changes in
      batches += 1
      last = changes
      changes.apply(to: &rows) { Self.row(list[$0]) }
    }
  }

  /// Describes all that the object shows. It does so by hand for notes, because reflection takes
  /// most of a test's time.
  private static func row(_ object: Object<Value>) -> String {
    guard let note = object as? Object<Note> else { return object.description }
    return "\(note.id.key) \(note.text) \(note.weight) \(note.mood ?? "-")"
  }

  /// Returns a fault of the mirror, of the list or of its index paths; nil if there is none.
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

  /// Compares the mirror with a fresh fetch and returns a fault, if there is one.
  package func complaint() throws -> String? {
    complaint(fresh: try list.context.fetch(list.request))
  }
}

extension Ref {
  /// The part of the id that differs within a test.
  fileprivate var short: Substring { description.suffix(6) }
}
