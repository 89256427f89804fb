/// One of the implementations that a case compares. The time of `prepare` is not measured.
package struct Subject {
  let name: String
  let prepare: @MainActor () async throws -> Trial
}

/// A prepared subject. It consists of the closures that compute the subject's answer and take its
/// samples.
///
/// The trial has closures, not methods. Methods of a generic class are never specialised. Methods
/// behind a protocol would add a dynamic call to each lookup.
struct Trial {
  /// The number of measured operations in one iteration.
  var operations = 1
  /// Whether the closure `sample` first evicts the contents of the caches. No unmeasured iteration
  /// precedes such a sample.
  var isCold = false
  /// The closure that computes the subject's answer. All subjects of a case must have equal
  /// answers.
  let answer: @MainActor () async throws -> Answer
  /// The closure that takes one sample. It returns the time in nanoseconds, or the memory in bytes,
  /// that all of its iterations take together.
  let sample: @MainActor (_ iterations: Int) async throws -> Double
  /// The closure that returns the secondary results of all samples. It is called once, after the
  /// last sample.
  var besides: @MainActor () -> [Besides] = { [] }
}

/// A secondary result, which is measured together with a case and reported under its own name.
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

/// The figures that a subject computes, by their names. An error about different answers shows
/// these names.
typealias Answer = [String: Int]
