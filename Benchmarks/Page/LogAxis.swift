import Foundation

/// A logarithmic axis that assigns pixels to values. Equal factors between values are equal
/// distances on it.
struct LogAxis {
  let values: ClosedRange<Double>
  let pixels: (from: Double, to: Double)

  /// Creates an axis that covers the values, and extends beyond both ends by the factor `padding`.
  init(covering values: [Double], from: Double, to: Double, padding: Double = 1) {
    let positive = values.filter { $0 > 0 && $0.isFinite }
    let (least, most) = (positive.min() ?? 1, positive.max() ?? 10)
    // A flat curve gets an axis beyond its values, because an axis of equal values would have no
    // length.
    let spread = most / least < 2 ? 2.0 : 1
    self.values = (least / padding / spread)...(most * padding * spread)
    pixels = (from, to)
  }

  func position(_ value: Double) -> Double {
    let clamped = min(max(value, values.lowerBound), values.upperBound)
    let share =
      log(clamped / values.lowerBound) / log(values.upperBound / values.lowerBound)
    return pixels.from + share * (pixels.to - pixels.from)
  }

  /// The values that get a label, which are powers of ten. A short axis also has their multiples by
  /// 3, or by 2 and 5. A very long axis has only every second label.
  var ticks: [Double] {
    let decades = log10(values.upperBound / values.lowerBound)
    let steps: [Double] = decades < 1.2 ? [1, 2, 5] : decades < 2.2 ? [1, 3] : [1]
    let first = Int(log10(values.lowerBound).rounded(.down))
    let last = Int(log10(values.upperBound).rounded(.up))
    let ticks = (first...last).flatMap { power in steps.map { $0 * pow(10, Double(power)) } }
    let inside = ticks.filter { values.contains($0) }
    let stride = decades > 6 ? 2 : 1
    return inside.enumerated().filter { $0.offset.isMultiple(of: stride) }.map(\.element)
  }
}
