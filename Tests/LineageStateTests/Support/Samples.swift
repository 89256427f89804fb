import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration

/// A controller with a value of each type that an archive can have.
final class Everything: Controller {
  @Restorable("flag") var flag = true
  @Restorable("number") var number = -7
  @Restorable("large") var large = UInt64.max
  @Restorable("ratio") var ratio = 1.5
  @Restorable("single") var single: Float = 0.1
  @Restorable("text") var text = "half-typed"
  @Restorable("data") var data = Data([0, 1, 254, 255])
  @Restorable("date") var date = Date(timeIntervalSinceReferenceDate: 785_719_996.25)
  @Restorable("id") var id = UUID(uuidString: "9C5B94B1-35AD-49BB-B118-8E8FC24ABF80")
  @Restorable("place") var place = URL(string: "https://example.org/a?b#c")
  @Restorable("price") var price = Decimal(string: "12.50")
  @Restorable("days") var days = [1, -2, 3]
  @Restorable("words") var words = ["one", "two"]
  @Restorable("nested") var nested: [String: [[String]]] = ["b": [["x"], []], "$a": []]
  @Restorable("nothing") var nothing: Int?
  @Restorable("doubt") var doubt: Int?? = .some(nil)
  @Restorable("other") var other: Responder?
  @Restorable("page") var page: PageNumber?
  @Restorable("row") var row: Row?
}

/// A controller with one text.
final class Note: Controller {
  @Restorable("text") var text = ""

  init(_ identifier: String, _ text: String = "") {
    super.init()
    restorationIdentifier = identifier
    if !text.isEmpty { self.text = text }
  }

  override convenience init() { self.init("note") }
}

/// A value that can be decoded only when a notebook is available.
struct PageNumber: ContextualValue {
  let page: Int

  func write(to writer: inout ValueWriter) throws {
    try writer.writeReference("page \(page)") { context, _ in context is Notebook }
  }

  static func read(from reader: inout ValueReader) throws -> PageNumber {
    let (text, _) = try reader.readReference()
    return PageNumber(page: Int(String(decoding: text, as: UTF8.self).dropFirst(5)) ?? 0)
  }
}

/// A page with a number that is there before the notebook.
struct Row: ContextualValue {
  typealias Early = Int
  let number: Int
  let page: PageNumber

  func write(to writer: inout ValueWriter) throws {
    try writer.writeEarly(number) { try page.write(to: &$0) }
  }

  static func read(from reader: inout ValueReader) throws -> Row {
    try reader.readEarly { Row(number: $0 ?? 0, page: try PageNumber.read(from: &$1)) }
  }

}

func makeRestoration() -> Restoration {
  Restoration {
    Kind("note", Note.init)
    Kind("everything", version: 3, Everything.init)
    ContextName("notes", Notebook.self)
  }
}

/// Archives of small trees.
enum Samples {
  /// Returns an application whose tree has values of all types, and its restoration.
  static func world() throws -> (Application, Restoration) {
    let (application, restoration) = (Application(), makeRestoration())
    application.launch(restoring: restoration, from: nil)
    application.provide(Notebook("root"))
    let everything = Everything()
    everything.restorationIdentifier = "everything"
    let notes = Note("notes", "a list")
    try application.append(everything)
    try application.append(notes)
    notes.branch(Notebook.self, .keep)
    for number in 0..<3 {
      let note = Note(number < 2 ? "note" : "last", "note \(number)")
      try notes.append(note)
      if number == 1 {
        everything.other = note
        try note.append(Note("below", "the lowest"))
      }
    }
    everything.number = -8
    everything.page = PageNumber(page: 12)
    everything.row = Row(number: 3, page: PageNumber(page: 13))
    return (application, restoration)
  }

  /// Returns four archives of one tree, each after more changes.
  static func archives() throws -> [StateArchive] {
    let (application, restoration) = try world()
    var archives = [restoration.archive(of: application)]
    for number in 1...3 {
      for case let note as Note in application.descendants
      where note.restorationIdentifier == "note" {
        note.text = "changed \(number)"
      }
      if number == 2 { try application.append(Note("new", "text of a new one")) }
      archives.append(restoration.archive(of: application, asksAll: false))
    }
    return archives
  }
}
