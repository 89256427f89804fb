/// A competitor in a case. The time of `prepare` is not measured.
struct Subject {
  let name: String
  let prepare: @MainActor () async throws -> Trial
}

/// A prepared subject: the closures that compute its answer and take its samples.
///
/// The trial holds closures because methods of generic classes are never specialised. With such a
/// class behind a protocol, each lookup's time would include a dynamic call.
struct Trial {
  /// The number of measured operations in one iteration.
  var operations = 1
  /// Whether each sample evicts the contents of the caches. No iteration then runs before the
  /// sample.
  var isCold = false
  /// The answer that the subject computes, which must be the same for all subjects of the case.
  let answer: @MainActor () async throws -> Answer
  /// The time in nanoseconds, or the memory in bytes, that all iterations of a sample take
  /// together.
  let sample: @MainActor (_ iterations: Int) async throws -> Double
  /// The secondary results that were observed while sampling; read once, at the end.
  var besides: @MainActor () -> [Besides] = { [] }
}

/// A secondary result that is measured along with a case and reported by a name of its own.
struct Besides {
  let name: String
  let unit: Unit
  private let samples: [Double]

  /// Creates a result from samples in nanoseconds or bytes.
  init(_ name: String, _ unit: Unit, _ samples: [Double]) {
    (self.name, self.unit, self.samples) = (name, unit, samples)
  }

  var inUnit: [Double] { samples.map { $0 / unit.divisor } }
}

/// The figures that a subject computes, by name, so that an error can show the differences.
typealias Answer = [String: Int]
