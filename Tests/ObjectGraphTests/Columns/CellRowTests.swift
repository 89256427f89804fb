import ObjectGraph
import Testing

@Suite("Rows of cells")
struct CellRowTests {
  @Test("All cells hold null at first, then what they are given")
  func cells() {
    let row = CellRow(count: 3)
    #expect((0..<3).allSatisfy { row[$0].stored == .null })
    row[1] = .integer(7)
    row[2] = .real(0.5)
    #expect((0..<3).map { row[$0].stored } == [.null, .integer(7), .real(0.5)])
  }

  @Test("A column that a row lacks ends the process", arguments: [-1, 2, .max])
  func missingColumn(column: Int) async {
    await #expect(processExitsWith: .failure) { [column] in
      _ = CellRow(count: 2)[column]
    }
    await #expect(processExitsWith: .failure) { [column] in
      CellRow(count: 2)[column] = .null
    }
  }

  @Test("A row without columns has no cell")
  func empty() async {
    #expect(CellRow(count: 0).count == 0)
    await #expect(processExitsWith: .failure) { _ = CellRow(count: 0)[0] }
  }

  @Test(
    "Bytes that are lent are a value's own",
    arguments: ["", "a", "é\0ß", String(repeating: "long ", count: 10_000)])
  func bytes(text: String) {
    let arena = CellArena(capacity: 16)
    let cells = [StoredValue.text(text), .blob(Array(text.utf8))].map { $0.cell(in: arena) }
    withExtendedLifetime(arena) {
      for cell in cells {
        cell.withBytes { bytes in
          #expect(bytes.indices.map { bytes[$0] } == Array(text.utf8))
        }
      }
    }
  }
}
