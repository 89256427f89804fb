/// One of the competitors in a case; `prepare` runs outside the clock.
struct Subject {
  let name: String
  let prepare: @MainActor () async throws -> Trial
}

/// A prepared subject.
///
/// Closures, not a protocol with a generic class behind it: methods of generic classes are never
/// specialised, so that the call of a witness would be measured with each lookup.
struct Trial {
  /// How many of the counted things one iteration does.
  var operations = 1
  /// Whether each sample evicts whatever the caches hold, so that nothing is run before it.
  var isCold = false
  /// What the subject computes; it has to be the same for all subjects of the case.
  let answer: @MainActor () async throws -> Answer
  /// The nanoseconds, or bytes, that so many iterations take altogether.
  let sample: @MainActor (_ iterations: Int) async throws -> Double
  /// What was observed while sampling; asked for once, in the end.
  var besides: @MainActor () -> [Besides] = { [] }
}

/// Something that was measured along with a case, and is a result of its own.
struct Besides {
  let name: String
  let unit: Unit
  private let samples: [Double]

  /// Samples of nanoseconds or bytes.
  init(_ name: String, _ unit: Unit, _ samples: [Double]) {
    (self.name, self.unit, self.samples) = (name, unit, samples)
  }

  var inUnit: [Double] { samples.map { $0 / unit.divisor } }
}

/// Named figures, so that a difference can be shown.
typealias Answer = [String: Int]
