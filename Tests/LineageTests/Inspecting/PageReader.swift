import Foundation
import Lineage
import Testing

/// A reader of an inspector's page. It finds the answers in the data as the page's script does.
struct PageReader {
  struct Data: Decodable {
    struct Responders: Decodable {
      let parents, roles, types, names: [Int]
    }

    struct Key: Decodable {
      let name: String
      let isOfHandlers: Bool
      let owners, kinds, origins, regions: [Int]
      let missing: Int
      let exceptions: [[Int]]
      let contexts, drifting, waiting: [Int]
    }

    struct Answer: Decodable {
      let outcome: Int
      let winner: Int?
      let isWall: Bool
      let nearMisses: [[Int]]
      let notes, advice: [Int]
    }

    struct Context: Decodable {
      let parent: Int?
      let name: String
      let store: String?
      let isUnsaved: Bool
      let changes: [Change]
      let count: Int
    }

    struct Change: Decodable, Equatable {
      let object, sort: String
      let properties: [[String]]
    }

    let application, date: String
    let strategy: String?
    let asker: Int
    let responders: Responders
    let keys: [Key]
    let answers: [Answer]
    let contexts: [Context]
    let texts: [String]
  }

  /// A slot on the way, as hops of an explanation have it.
  struct Slot: Equatable {
    let distance: Int
    let kind: String
    let origin: String?
  }

  let text: String
  let data: Data
  private let ends: [Int]

  init(_ url: URL) throws {
    text = try String(contentsOf: url, encoding: .utf8)
    let parts = text.components(separatedBy: "id=\"data\">")
    let json = try #require(parts.last?.components(separatedBy: "</script>").first)
    data = try JSONDecoder().decode(Data.self, from: Foundation.Data(json.utf8))
    let parents = data.responders.parents
    var ends = Array(parents.indices)
    for number in parents.indices.dropFirst().reversed() {
      ends[parents[number]] = max(ends[parents[number]], ends[number])
    }
    self.ends = ends
  }

  /// Writes the page of a responder's tree into a folder, and reads it.
  init(of responder: Responder, in folder: URL) throws {
    let url = folder.appending(path: "tree.html")
    try responder.inspect(to: url)
    try self.init(url)
  }

  func label(_ number: Int) -> String {
    let name = data.responders.names[number]
    let type = data.texts[data.responders.types[number]]
    return name < 0 ? type : "\(type) \"\(data.texts[name])\""
  }

  func chain(_ number: Int) -> [Int] {
    Array(sequence(first: number) { data.responders.parents[$0] }.prefix { $0 >= 0 })
  }

  func path(_ number: Int) -> String {
    let names = chain(number).map(label)
    guard names.count > 12 else { return names.joined(separator: " in ") }
    let left = names.prefix(6) + ["… \(names.count - 10) more …"] + names.suffix(4)
    return left.joined(separator: " in ")
  }

  /// Returns the slots of a key on the way from a responder, and the place of the winner in them.
  private func way(_ number: Int, _ key: Data.Key) -> [(slot: Int, distance: Int)] {
    chain(number).enumerated().compactMap { distance, owner in
      key.owners.firstIndex(of: owner).map { ($0, distance) }
    }
  }

  func answer(_ number: Int, _ key: Data.Key) -> Data.Answer {
    let nearest = way(number, key).first?.slot
    let below = key.owners.indices.filter { (number + 1..<ends[number] + 1) ~= key.owners[$0] }
    let isNamed = number == 0 || nearest.map { key.owners[$0] == number } ?? false
    let name = [nearest ?? -1, isNamed ? 1 : 0, below.first ?? -1, below.last ?? -1]
    let other = key.exceptions.first { Array($0.prefix(4)) == name }?[4]
    return data.answers[other ?? nearest.map { key.regions[$0] } ?? key.missing]
  }

  /// Returns the slots on the way up to the winner, and those above it.
  func slots(_ number: Int, _ key: Data.Key) -> (reached: [Slot], winner: Slot?, above: [Slot]) {
    let slots = way(number, key).map { slot, distance in
      Slot(
        distance: distance, kind: data.texts[key.kinds[slot]],
        origin: key.origins[slot] < 0 ? nil : data.texts[key.origins[slot]])
    }
    guard let winner = answer(number, key).winner else { return (slots, nil, []) }
    return (
      Array(slots.prefix(winner + 1)), slots[winner], Array(slots.suffix(from: winner + 1))
    )
  }

  /// Returns the explanation as the page shows it.
  func explanation(_ number: Int, _ key: Data.Key) -> String {
    let answer = answer(number, key)
    let (reached, winner, _) = slots(number, key)
    let way = chain(number)
    let owners = [
      "a": number, "w": winner.map { way[$0.distance] },
      "o": self.way(number, key).first.map { way[$0.distance] },
    ]
    func read(_ text: Int) -> String {
      data.texts[text].replacing(/\u{E000}(\/?)(\w+)\u{E001}/) { mark in
        guard let responder = owners[String(mark.2)] ?? Int(mark.2), ends.indices ~= responder
        else { return String(mark.0) }
        return mark.1.isEmpty ? label(responder) : path(responder)
      }
    }
    let hops = way.prefix((winner?.distance ?? way.count - 1) + 1)
    var lines = ["\(key.name) for \(path(number)): \(read(answer.outcome))"]
    let kinds = hops.indices.map { hop in reached.first { $0.distance == hop }?.kind }
    let isLeftOut = hops.indices.map { $0 >= 8 && $0 < hops.count - 4 && kinds[$0] == nil }
    for (hop, responder) in hops.enumerated() where !isLeftOut[hop] {
      lines.append(
        "  \(hop == 0 ? "asked" : "then ") \(label(responder)): \(kinds[hop] ?? "no slot")")
      let left = isLeftOut.count(where: \.self)
      if hop == 7, left > 0 { lines.append("  … \(left) more without a slot …") }
    }
    lines += answer.notes.map { "note: \(read($0))" }
    lines += answer.nearMisses.map {
      "note: \(read($0[0])) has it (\(read($0[2]))), but is \(read($0[1]))."
    }
    lines += answer.advice.map { "help: \(read($0))" }
    return lines.joined(separator: "\n")
  }
}

extension PageReader {
  /// Compares the page with `explain`, for each responder of a tree and each key.
  func check(_ top: Responder, _ keys: [any ContextKey.Type], _ comment: String) {
    let responders = [top] + Array(top.descendants)
    #expect(responders.indices.map(path) == responders.map(\.path), "\(comment)")
    for type in keys {
      guard let key = data.keys.first(where: { $0.name == String(describing: type) }) else {
        continue
      }
      for (number, responder) in responders.enumerated() {
        let explanation = responder.explain(type)
        let place = "\(comment): \(type) at \(responder.path)"
        #expect(self.explanation(number, key) == explanation.description, "\(place)")
        let (reached, winner, above) = slots(number, key)
        #expect(reached == Self.slots(explanation.hops), "\(place)")
        #expect(winner == explanation.winner.flatMap { Self.slots([$0]).first }, "\(place)")
        let isWall = answer(number, key).isWall
        #expect((isWall ? [] : above) == Self.slots(explanation.shadowed), "\(place)")
        #expect((isWall ? above : []) == Self.slots(explanation.beyond), "\(place)")
      }
    }
  }

  private static func slots(_ hops: [Explanation.Hop]) -> [Slot] {
    hops.compactMap { hop in
      hop.slot.map {
        Slot(distance: hop.distance, kind: "\($0)", origin: hop.origin.map { "\($0)" })
      }
    }
  }
}
