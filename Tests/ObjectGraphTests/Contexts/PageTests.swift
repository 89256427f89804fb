import LineageTestSupport
import ObjectGraph
import Testing

@Suite("All objects of an entity, a page at a time")
struct PageTests {
  @Test("Pages of any size are a fetch in the order of ids", arguments: Stores.all)
  func pages(_ stores: Stores) async throws {
    let root = try await stores.open([Badge.self]).makeContext()
    var badges: [Object<Badge>] = []
    for number in 0..<20 { badges.append(try root.insert(Badge("stored \(number)"))) }
    try root.save()
    let context = root.makeChild()
    for number in 20..<23 { badges.append(try root.insert(Badge("above \(number)"))) }
    for number in 23..<26 { try context.insert(Badge("new \(number)")) }
    try root.delete(badges[0])
    try root.delete(badges[9])
    try context.delete(try context.object(with: badges[4].id))
    try context.delete(try context.object(with: badges[20].id))
    try context.object(with: badges[7].id).name = "changed"
    badges[8].name = "changed above"
    for context in [root, context] {
      let all = try context.fetch(Badge.self).sorted { $0.id.key < $1.id.key }
      for size in [1, 2, 3, 7, 20, 100] {
        var pages: [[GraphObject]] = []
        try context.forEachPage(of: 0, size) { pages.append($0) }
        #expect(pages.joined().elementsEqual(all, by: ===))
        #expect(pages.dropLast().allSatisfy { $0.count == size })
        #expect(pages.last.map { (1...size).contains($0.count) } ?? true)
      }
    }
    context.discard()
    root.discard()
  }

  @Test("Any number of pages looks at each row once")
  func cost() throws {
    let store = try MemoryStore([Badge.self])
    let context = store.makeContext()
    for number in 0..<500 { try context.insert(Badge("\(number)")) }
    try context.save()
    let before = store.visitedRows
    var count = 0
    try context.forEachPage(of: 0, 10) { count += $0.count }
    #expect(count == 500 && store.visitedRows - before == 500)
  }
}
