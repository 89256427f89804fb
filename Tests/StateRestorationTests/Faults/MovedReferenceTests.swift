import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("References whose responders move between applications and archives")
struct MovedReferenceTests {
  private final class Row: Controller {
    @Restorable("number") var number = 0
    @Restorable("target") var target: Row?
  }

  private static func launch(_ archive: StateArchive?) -> (App, [Row], Restoration) {
    let (app, restoration) = (App(), Restoration { Kind("row", Row.init) })
    app.launch(restoring: restoration, from: archive)
    return (app, app.descendants.compactMap { $0 as? Row }, restoration)
  }

  /// Adds rows below a responder.
  private static func add(_ numbers: Range<Int>, to parent: Responder) throws -> [Row] {
    try numbers.map { number in
      let row = Row()
      row.restorationIdentifier = "row"
      row.number = number
      try parent.append(row)
      return row
    }
  }

  @Test("A tree that is restored again, and saved again, gives the same bytes")
  func sameBytes() throws {
    let (first, _, one) = Self.launch(nil)
    _ = try Self.add(0..<1, to: first)
    let archive = one.archive(of: first)
    let (app, _, restoration) = Self.launch(archive)
    let new = try Self.add(1..<3, to: app)
    new[0].target = new[1]
    var archives: [StateArchive] = []
    for _ in 0..<2 {
      archives.append(restoration.archive(of: app))
      restoration.restore(archive, into: app)
    }
    new[0].target = nil
    #expect(archives[0] == archives[1])
  }

  @Test("A reference that led nowhere does not lead to a responder that is not archived")
  func nowhere() throws {
    let (first, _, restoration) = Self.launch(nil)
    let rows = try Self.add(0..<4, to: first)
    (rows[0].target, rows[2].target) = (rows[1], rows[3])
    let archive = restoration.archive(of: first)
    for row in rows { row.target = nil }
    let (one, moved, _) = Self.launch(archive)
    let (other, _, last) = Self.launch(nil)
    let unnamed = Controller()
    try other.append(unnamed)
    for (row, parent) in zip(moved, [other, unnamed, other]) {
      row.removeFromParent()
      try parent.append(row)
    }
    _ = last.archive(of: other)
    #expect(moved[2].target == nil)
    #expect(!moved[2].$target.missing.isEmpty)
    for row in moved { row.target = nil }
    withExtendedLifetime((one, first)) {}
  }

  @Test("A long chain of references moves to another application, without recursion")
  func chain() throws {
    let count = 30_000
    let (first, _, restoration) = Self.launch(nil)
    let holder = try Self.add(0..<1, to: first)[0]
    let rows = try Self.add(1..<count, to: holder)
    for (row, next) in zip(rows, rows.dropFirst()) { row.target = next }
    let archive = restoration.archive(of: first)
    for row in rows { row.target = nil }
    let (one, moved, _) = Self.launch(archive)
    let (other, _, last) = Self.launch(nil)
    moved[0].removeFromParent()
    try other.append(moved[0])
    let (again, restored, _) = Self.launch(last.archive(of: other))
    #expect(restored[1].target === restored[2])
    #expect(restored[count - 2].target === restored[count - 1])
    for row in restored { row.target = nil }
    withExtendedLifetime((one, again)) {}
  }
}
