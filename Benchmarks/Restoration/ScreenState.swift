import Foundation
import Lineage

/// The eight values of one screen. All subjects save and restore these values.
struct ScreenState: Codable {
  var title = ""
  var count = 0
  var isOpen = false
  var ratio = 0.0
  var opened = Date(timeIntervalSinceReferenceDate: 0)
  var rows: [Int] = []
  var thumbnail = Data()
  var spot: Spot?

  /// A nested value.
  struct Spot: Codable {
    var x: Double
    var y: Double
    var name: String
  }

  /// Returns the states of some screens. Equal seeds give equal states.
  static func states(_ count: Int, seed: UInt64) -> [ScreenState] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { number in
      let count = Int.random(in: 0..<1000, using: &generator)
      let isOpen = Bool.random(using: &generator)
      let ratio = Double.random(in: 0...1, using: &generator)
      let rows = (0..<4).map { _ in Int.random(in: 0..<10_000, using: &generator) }
      let thumbnail = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let spot = Spot(x: Double(number), y: 0.5, name: "spot")
      return ScreenState(
        title: "Screen number \(number)", count: count, isOpen: isOpen, ratio: ratio,
        opened: Date(timeIntervalSinceReferenceDate: Double(number)), rows: rows,
        thumbnail: Data(thumbnail), spot: number % 2 == 0 ? spot : nil)
    }
  }

  /// A number that is computed from all values, so that different values are likely to give
  /// different numbers.
  var figure: Int {
    title.utf8.count + count + (isOpen ? 1 : 0) + Int(ratio * 1000)
      + Int(opened.timeIntervalSinceReferenceDate) + rows.reduce(0, +)
      + thumbnail.reduce(0) { $0 + Int($1) } + Int(spot?.x ?? -1)
  }
}

extension ScreenState.Spot: RestorableValue {}

extension [ScreenState] {
  var answer: Answer { ["screens": count, "sum": reduce(0) { $0 &+ $1.figure }] }
}
