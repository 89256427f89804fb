/// A column of labels. Each label is placed as near to its desired position as the other labels
/// allow.
struct LabelColumn {
  let lowest: Double
  let highest: Double
  let gap: Double

  /// Returns a position for each of the desired positions, in the same order. Positions differ by
  /// at least `gap`.
  func places(for wishes: [Double]) -> [Double] {
    let order = wishes.indices.sorted { (wishes[$0], $0) < (wishes[$1], $1) }
    var places = wishes
    var least = lowest
    for index in order {
      places[index] = max(wishes[index], least)
      least = places[index] + gap
    }
    var most = highest
    for index in order.reversed() {
      places[index] = min(places[index], most)
      most = places[index] - gap
    }
    return places
  }
}
