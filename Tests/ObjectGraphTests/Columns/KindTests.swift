import LineageTestSupport
import ObjectGraph
import Testing

@Suite("The kinds of attributes")
struct KindTests {
  @Test("The sample has a plain and an optional one of each", arguments: ColumnKind.allCases)
  func sample(_ kind: ColumnKind) {
    let columns = kind.examples.map { Sample.layout.columns[$0.column] }
    #expect(columns.allSatisfy { $0.kind == kind })
    let isOptional = Set(columns.map(\.isOptional))
    #expect(isOptional == (kind == .reference ? [true] : [true, false]))
  }

  @Test("Each example has values of which all but one are not nil", arguments: ColumnKind.allCases)
  func examples(_ kind: ColumnKind) throws {
    for example in kind.examples {
      let column = Sample.layout.columns[example.column]
      let values = try example.samples.map { sample in
        var sample = sample
        return try StructMemory.lend(&sample) { try column.stored(of: $0) }
      }
      #expect(Set(values).count == values.count && values.count > 1)
      #expect(values.filter { $0.isNull }.count == (column.isOptional ? 1 : 0))
    }
  }
}
