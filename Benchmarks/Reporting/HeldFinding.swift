/// The distribution of the durations of jobs on the tree's isolation during a background import.
struct HeldFinding {
  let measurement: Measurement

  /// Returns the findings for the measurements of a run.
  static func all(in measurements: [Measurement]) -> [HeldFinding] {
    measurements.of("isolation held").filter { $0.subject != $0.baseline }
      .map(HeldFinding.init)
  }

  var sentence: String {
    let (unit, held) = (measurement.unit, measurement.statistics)
    let rows = measurement[parameter: "rows"]?.description ?? "some"
    return """
      An import of \(rows) rows in the background held the tree's isolation for \
      \(unit.spoken(held.median)) at a time (median of \(held.count.grouped)), \
      \(unit.spoken(held.p90)) at the 90th percentile, \(unit.spoken(held.p99)) at the 99th, and \
      \(unit.spoken(held.maximum)) at most.
      """
  }
}
