import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Figures")
struct FigureTests {
  private let context: ObjectContext
  private let samples: [Object<Sample>]

  init() throws {
    context = try MemoryStore(StoreLaw.entities).makeContext()
    var samples: [Object<Sample>] = []
    for number in 1...4 {
      var sample = Sample()
      sample.number = number
      sample.small = 100
      sample.ratio = 0.5
      sample.price = 0.1 * Decimal(number)
      sample.text = "\(number)"
      sample.maybeNumber = number.isMultiple(of: 2) ? number : nil
      sample.maybeText = number.isMultiple(of: 2) ? "t\(number)" : nil
      sample.maybeTime = Date(timeIntervalSinceReferenceDate: Double(number))
      samples.append(try context.insert(sample))
    }
    samples[3].friend = samples[0]
    self.samples = samples
  }

  @Test("are of the attribute's own type, saved or not", arguments: [true, false])
  func types(isSaved: Bool) throws {
    if isSaved { try context.save() }
    #expect(try context.count(Sample.self) == 4)
    #expect(try context.count(Sample.self, where: { $0.number > 2 }) == 2)
    #expect(try context.exists(Sample.self, where: { $0.number == 4 }))
    #expect(try !context.exists(Sample.self, where: { $0.number == 5 }))
    #expect(try context.sum(Sample.self, of: { $0.number }) == 10)
    #expect(try context.sum(Sample.self, of: { $0.ratio }) == 2)
    #expect(try context.average(Sample.self, of: { $0.number }) == 2.5)
    #expect(try context.sum(Sample.self, of: { $0.price }) == 1)
    #expect(try context.average(Sample.self, of: { $0.price }) == 0.25)
    #expect(try context.average(Sample.self, of: { $0.price }, where: { $0.number > 4 }) == nil)
    #expect(try context.maximum(Sample.self, of: { $0.price }) == 0.4)
    #expect(try context.minimum(Sample.self, of: { $0.text }) == "1")
    #expect(try context.maximum(Sample.self, of: { $0.number }, where: { $0.number < 3 }) == 2)
  }

  @Test("of optional attributes leave nil out", arguments: [true, false])
  func optionals(isSaved: Bool) throws {
    if isSaved { try context.save() }
    #expect(try context.sum(Sample.self, of: { $0.maybeNumber }) == 6)
    #expect(try context.average(Sample.self, of: { $0.maybeNumber }) == 3)
    #expect(try context.minimum(Sample.self, of: { $0.maybeText }) == "t2")
    let last: Date? = try context.maximum(Sample.self, of: { $0.maybeTime })
    #expect(last == Date(timeIntervalSinceReferenceDate: 4))
    #expect(try context.sum(Sample.self, of: { $0.maybePrice }) == 0)
    let mean = try context.average(Sample.self, of: { $0.maybePrice })
    #expect(mean == nil && type(of: mean) == Decimal?.self)
    #expect(try context.sum(Sample.self, of: { $0.maybeScore }) == 0)
    #expect(try context.average(Sample.self, of: { $0.maybeScore }) == nil)
    #expect(try context.maximum(Sample.self, of: { $0.maybeLink }) == nil)
  }

  @Test("leave out what no column can keep, in each store and each context", arguments: Stores.all)
  func notANumber(_ stores: Stores) async throws {
    let opened = try await stores.open(StoreLaw.entities)
    let root = opened.makeContext()
    for number in [1, 4, 2] {
      var sample = Sample()
      sample.number = number
      (sample.score, sample.maybeScore) = (Double(number), number == 4 ? nil : Double(number))
      (sample.ratio, sample.maybeRatio) = (Float(number), Float(number))
      (sample.price, sample.maybePrice) = (Decimal(number), Decimal(number))
      (sample.size, sample.maybeHuge) = (UInt(number), UInt64(number))
      try root.insert(sample)
    }
    try root.save()
    let child = root.makeChild()
    let odd = try child.fetch(Sample.self, where: { $0.number == 4 })[0]
    (odd.score, odd.maybeScore, odd.ratio, odd.maybeRatio) = (.nan, .signalingNaN, .nan, .nan)
    (odd.price, odd.maybePrice, odd.size, odd.maybeHuge) = (.nan, .nan, .max, .max)
    // The store computes the figures of the two other samples by itself.
    for (context, others) in [(child, { _ in .all() }), (root, { $0.number < 4 })]
      as [(ObjectContext, (Columns<Sample>) -> Filter<Sample>)]
    {
      #expect(try context.sum(Sample.self, of: { $0.score }, where: others) == 3)
      #expect(try context.average(Sample.self, of: { $0.maybeScore }, where: others) == 1.5)
      #expect(try context.minimum(Sample.self, of: { $0.maybeScore }, where: others) == 1)
      #expect(try context.maximum(Sample.self, of: { $0.score }, where: others) == 2)
      #expect(try context.sum(Sample.self, of: { $0.maybeRatio }, where: others) == 3)
      #expect(try context.average(Sample.self, of: { $0.ratio }, where: others) == 1.5)
      #expect(try context.sum(Sample.self, of: { $0.price }, where: others) == 3)
      #expect(try context.average(Sample.self, of: { $0.price }, where: others) == 1.5)
      #expect(try context.average(Sample.self, of: { $0.maybePrice }, where: others) == 1.5)
      #expect(try context.maximum(Sample.self, of: { $0.maybePrice }, where: others) == 2)
      #expect(try context.maximum(Sample.self, of: { $0.size }, where: others) == 2)
      #expect(try context.sum(Sample.self, of: { $0.maybeHuge }, where: others) == 3)
    }
    #expect(try child.count(Sample.self) == 3)
    #expect(throws: GraphError.self) { try child.saveAll() }
    child.discard()
    root.discard()
    #expect(try child.sum(Sample.self, of: { $0.score }) == 7)
  }

  @Test("of Decimals are exact, the mean too, in each store, saved or not", arguments: Stores.all)
  func decimals(_ stores: Stores) async throws {
    let context = try await stores.open(StoreLaw.entities).makeContext()
    var samples: [Object<Sample>] = []
    for price in ["0.1", "0.2", "12345678901234567890123456789012345678"] {
      var sample = Sample()
      sample.price = try #require(Decimal(string: price))
      sample.maybePrice = price.count > 3 ? nil : sample.price
      samples.append(try context.insert(sample))
    }
    let third = try #require(Decimal(string: "4115226300411522630041152263004115226.1"))
    for _ in 0..<2 {
      let few: (Columns<Sample>) -> Filter<Sample> = { $0.price < 1 }
      #expect(try context.sum(Sample.self, of: { $0.price }, where: few) == 0.3)
      let mean: Decimal? = try context.average(Sample.self, of: { $0.price }, where: few)
      #expect(mean == 0.15)
      #expect(try context.average(Sample.self, of: { $0.maybePrice }) == 0.15)
      #expect(try context.average(Sample.self, of: { $0.price }) == third)
      #expect(throws: GraphError.self) { try context.sum(Sample.self, of: { $0.price }) }
      try context.save()
    }
  }

  @Test("behind relations see unsaved changes there")
  func relations() throws {
    try context.save()
    #expect(try context.maximum(Sample.self, of: { $0.friend.number }) == 1)
    samples[0].number = 7
    #expect(try context.maximum(Sample.self, of: { $0.friend.number }) == 7)
  }

  @Test("that their type cannot hold are errors", arguments: [true, false])
  func overflow(isSaved: Bool) throws {
    samples[0].number = .max
    if isSaved { try context.save() }
    #expect(throws: GraphError.self) { try context.sum(Sample.self, of: { $0.small }) }
    #expect(throws: GraphError.self) { try context.sum(Sample.self, of: { $0.number }) }
  }
}
