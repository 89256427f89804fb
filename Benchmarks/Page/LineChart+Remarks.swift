extension LineChart {
  /// The sentences on the spikes of the curves. Curves with a step at the same place share one.
  var remarks: [String] {
    var remarks: [String] = []
    var steps: [(place: String, names: [String])] = []
    for one in series {
      for spike in Spike.all(in: one.points) {
        switch spike {
        case .peak(let point, let factor):
          remarks.append(
            """
            A spike: \(one.name) takes \(yText(point.y, 3)) at \(Int(point.x).grouped) \(xLabel), \
            \(factor.times) its costlier neighbour.
            """)
        case .step(let from, let to):
          let place =
            "From \(Int(from.x).grouped) to \(Int(to.x).grouped) \(xLabel), a factor of "
            + "\((to.x / from.x).formatted(digits: 2))"
          let name = "\(one.name) by \((to.y / from.y).formatted(digits: 2))"
          if let index = steps.firstIndex(where: { $0.place == place }) {
            steps[index].names.append(name)
          } else {
            steps.append((place, [name]))
          }
        }
      }
    }
    return remarks
      + steps.map { "\($0.place), the cost rises steeply: \($0.names.joined(separator: ", "))." }
  }
}
