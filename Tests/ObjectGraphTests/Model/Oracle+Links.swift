import ObjectGraph

extension Oracle {
  /// Tells whether a context shows a tally with a number.
  func isTally(_ number: Int, _ context: Int) -> Bool {
    levels[context] != nil && kinds[number] == .tally && view(number, context) != nil
  }

  /// Returns the slips of a tally that lead to a card, in the order of their positions.
  func slips(_ tally: Int, _ context: Int) -> [Int] {
    func row(_ slip: Int) -> Row { view(slip, context) ?? [] }
    return all(.slip, context)
      .filter { row($0)[1] == tally + 1 && row($0)[2] > 0 && view(row($0)[2] - 1, context) != nil }
      .sorted { (row($0)[0], $0) < (row($1)[0], $1) }
  }

  /// Returns the cards of a tally in their order.
  func cards(_ tally: Int, _ context: Int) -> [Int] {
    slips(tally, context).compactMap { view($0, context).map { $0[2] - 1 } }
  }

  /// Links a card to a tally, or moves its oldest slip. Returns the number of the slip.
  func enlist(
    _ tally: Int, _ card: Int, at index: Int?, _ new: Step.New, _ context: Int
  ) -> String {
    guard isTally(tally, context), kinds[card] == .card, view(card, context) != nil else {
      return ""
    }
    levels[context]?.log?.begin()
    defer { levels[context]?.log?.end() }
    let slips = slips(tally, context)
    let index = index.map { $0 % (slips.count + 1) } ?? slips.count
    let links = slips.filter { view($0, context)?[2] == card + 1 }
    if let place = slips.firstIndex(where: { $0 == links.min() }) {
      move(slips, place, min(index, slips.count - 1), context)
      return "\(slips[place])"
    }
    kinds[new.number] = .slip
    let row = [makeRoom(at: index, among: slips, context), tally + 1, card + 1]
    levels[context]?.log?.record(new.number, nil)
    levels[context]?.local[new.number] = Local(phase: .inserted, base: row, value: row)
    return "\(new.number)"
  }

  func moveCard(_ tally: Int, _ start: Int, _ end: Int, _ context: Int) -> String {
    guard isTally(tally, context) else { return "" }
    let slips = slips(tally, context)
    guard !slips.isEmpty else { return "" }
    levels[context]?.log?.begin()
    defer { levels[context]?.log?.end() }
    let (start, end) = (start % slips.count, end % slips.count)
    if start != end { move(slips, start, end, context) }
    return ""
  }

  func removeCard(_ tally: Int, _ index: Int, _ context: Int) -> String {
    guard isTally(tally, context) else { return "" }
    let slips = slips(tally, context)
    return slips.isEmpty ? "" : delete([slips[index % slips.count]], context)
  }

  private func move(_ slips: [Int], _ start: Int, _ end: Int, _ context: Int) {
    var others = slips
    let slip = others.remove(at: start)
    setPosition(of: slip, to: makeRoom(at: end, among: others, context), context)
  }

  /// Returns a position between two slips. Positions are those of the library. Tests of links compare
  /// the orders that follow from them with arrays.
  private func makeRoom(at index: Int, among slips: [Int], _ context: Int) -> Int {
    let positions = slips.map { view($0, context)?[0] ?? 0 }
    let place = SparseOrder.place(at: index, in: positions)
    for (index, position) in place.others { setPosition(of: slips[index], to: position, context) }
    return place.position
  }

  private func setPosition(of slip: Int, to position: Int, _ context: Int) {
    if view(slip, context)?[0] != position { edit(slip, 0, position, context) }
  }
}
