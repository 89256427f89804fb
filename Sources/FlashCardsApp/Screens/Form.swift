import Lineage
import Terminal

/// A screen with texts to fill in. It works in a branch of the context, so that nobody else sees
/// what it makes and changes until it is saved.
class Form: Screen {
  private let fields: [TextField]
  @Restorable("field") private var place = 0
  /// Whether the form makes a new object.
  @Restorable("isNew") final var isNew = true

  /// The error if the object that the form needs was deleted meanwhile.
  struct Gone: Error {}

  init(_ identifier: String, fields: [TextField]) {
    self.fields = fields
    super.init(identifier, views: fields)
    branch(ObjectContext.self)
  }

  /// Writes the texts into objects of the branch.
  func write(into context: ObjectContext) throws {}

  override var focus: ViewResponder? { fields[place % fields.count] }

  override var bindings: [Binding] {
    let isLast = place >= fields.count - 1
    return [
      (.enter, isLast ? "save" : "next", { try isLast ? self.save() : self.move(1) }),
      (.escape, "cancel", { try self.leave(.discard) }), (.control("s"), "save", save),
      (.tab, "", { self.move(1) }), (.down, "", { self.move(1) }),
      (.backTab, "", { self.move(-1) }), (.up, "", { self.move(-1) }),
    ]
  }

  private func move(_ step: Int) { place = (place + step + fields.count) % fields.count }

  private func save() throws {
    let context = try context()
    do {
      try write(into: context)
      try leave(.saveAll)
    } catch {
      // The texts are still in the fields. The next attempt begins with objects as they are then.
      context.discard()
      throw error
    }
  }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    for (index, row) in zip(fields.indices, stride(from: rows.lowerBound, to: rows.upperBound, by: 2)) {
      fields[index].draw(in: &frame, row: row, isFocused: index == place)
    }
  }
}

extension ObjectContext {
  /// Returns the context's own object for one that a form has kept.
  func own<Value: Entity>(_ object: Object<Value>?) throws -> Object<Value> {
    guard let object, let own = try find(object.id) else { throw Form.Gone() }
    return own
  }
}
