/// A column of labels, each placed as near to its desired position as the labels' height allows.
struct LabelColumn {
  let lowest: Double
  let highest: Double
  let gap: Double

  /// Returns the places of labels with the given desired places, in the same order.
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
