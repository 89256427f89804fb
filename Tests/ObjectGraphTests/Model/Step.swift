/// One step of a random program. Objects and contexts are numbers, so that the oracle and the
/// library can perform the same step.
///
/// A step makes no sense if, for example, its object or context does not exist. The oracle and the
/// library then skip it, so the shrinker can remove any step.
indirect enum Step: Equatable {
  /// A new object. All objects of one draft are linked to each other.
  struct New: Equatable {
    let number: Int
    let kind: Kind
    let text: Int
    let count: Int
    /// The field that refers to another object of the draft, and the number of that object.
    var link: (field: Int, target: Int)?

    static func == (one: New, other: New) -> Bool {
      one.number == other.number && one.kind == other.kind && one.text == other.text
        && one.count == other.count && one.link?.field == other.link?.field
        && one.link?.target == other.link?.target
    }
  }

  enum Policy: CaseIterable { case error, mine, theirs, resolve }

  /// A commit of another root context.
  enum Foreign: Equatable {
    case edit(Int, field: Int, Int)
    case link(Int, field: Int, Int?)
    case delete(Int)
    case insert(New)
  }

  case insert(New, into: Int)
  case draft([New], through: Int, into: Int)
  case edit(Int, field: Int, Int, in: Int)
  case link(Int, field: Int, Int?, in: Int)
  case linkNew(Int, field: Int, New, in: Int)
  case delete(Int, in: Int)
  case deleteAll([Int], in: Int)
  /// Inserts decks, or moves those with the same names to the shelves of the new ones.
  case upsert([New], in: Int)
  /// Puts back what the deletion with the given number has deleted, in its context.
  case putBack(Int)
  case save(Int)
  case saveAll(Int)
  case discard(Int)
  case refresh(Int)
  case child(Int, of: Int)
  case drop(Int)
  case policy(Policy, in: Int)
  case recordUndo(Bool, in: Int)
  case undo(Int)
  case redo(Int)
  case group([Step], in: Int)
  case foreign(Foreign, savesBefore: Bool)
  case fetch(Question, in: Int)
  case members(Int, relation: Int, in: Int)
  /// Links a card to a tally, by a new slip if there is none yet. Positions of links are reduced modulo
  /// their number. Without a position, the card becomes the last one.
  case enlist(Int, card: Int, at: Int?, New, in: Int)
  case moveCard(Int, from: Int, to: Int, in: Int)
  case removeCard(Int, at: Int, in: Int)
  case cards(Int, in: Int)
  /// Archives the unsaved changes of all contexts.
  case archive
  /// Ends the process. The next one has the contexts of the last archive, with their unsaved changes.
  case restart
}

extension Step: CustomStringConvertible {
  /// The step as a text that resembles Swift code.
  var description: String {
    switch self {
    case .insert(let new, let context): "let \(new)\ntry c\(context).insert(o\(new.number))"
    case .draft(let news, let through, let context):
      news.map { "let \($0)" }.joined(separator: "\n")
        + news.compactMap { new in
          new.link.map {
            "\no\(new.number).\(new.kind.properties[$0.field]) = o\($0.target)"
          }
        }.joined() + "\ntry c\(context).insert(o\(through))"
    case .edit(let object, let field, let value, let context):
      "c\(context).o\(object)[\(field)] = \(value)"
    case .link(let object, let field, let target, let context):
      "c\(context).o\(object)[\(field)] = \(target.map { "c\(context).o\($0)" } ?? "nil")"
    case .linkNew(let object, let field, let new, let context):
      "let \(new)\nc\(context).o\(object)[\(field)] = o\(new.number)"
    case .delete(let object, let context): "try c\(context).delete(o\(object))"
    case .deleteAll(let objects, let context):
      "try c\(context).delete([\(objects.map { "o\($0)" }.joined(separator: ", "))])"
    case .upsert(let news, let context):
      "try c\(context).upsert([\(news.map(\.upserted).joined(separator: ", "))], by: \\.name)"
        + " { $0.shelf = $1.shelf }"
    case .putBack(let deletion): "try d\(deletion).putBack()"
    case .save(let context): "try c\(context).save()"
    case .saveAll(let context): "try c\(context).saveAll()"
    case .discard(let context): "c\(context).discard()"
    case .refresh(let context): "try c\(context).refresh()"
    case .child(let child, let context): "let c\(child) = c\(context).makeChild()"
    case .drop(let context): "c\(context) = nil"
    case .policy(let policy, let context): "c\(context).conflictPolicy = .\(policy)"
    case .recordUndo(let records, let context): "c\(context).recordsUndo = \(records)"
    case .undo(let context): "c\(context).undo()"
    case .redo(let context): "c\(context).redo()"
    case .group(let steps, let context):
      "c\(context).group {\n"
        + steps.map { "  \($0)".replacing("\n", with: "\n  ") + "\n" }.joined() + "}"
    case .foreign(let change, let saves):
      "other.\(change); try other.save()\(saves ? "; try c0.save()" : ""); try c0.merge()"
    case .fetch(let question, let context): "try c\(context).fetch(\(question))"
    case .members(let object, let relation, let context):
      "c\(context).o\(object).\(Relation.all[relation].inverse)"
    case .enlist(let tally, let card, let index, let new, let context):
      "try c\(context).o\(tally).cards.insert(o\(card), at: \(index.map(String.init) ?? "end"))"
        + "  // o\(new.number)"
    case .moveCard(let tally, let from, let to, let context):
      "try c\(context).o\(tally).cards.move(from: \(from), to: \(to))"
    case .removeCard(let tally, let index, let context):
      "try c\(context).o\(tally).cards.remove(at: \(index))"
    case .cards(let tally, let context): "c\(context).o\(tally).cards"
    case .archive: "archive()"
    case .restart: "restart()"
    }
  }
}

extension Step.New: CustomStringConvertible {
  fileprivate var upserted: String { "\(self) on \(link.map { "o\($0.target)" } ?? "no shelf")" }

  var description: String {
    "o\(number) = Object(\(kind): \(kind.row(named: text, number: count)))"
  }
}
