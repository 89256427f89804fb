import Foundation

/// The results of a run in the JSON format that other programs read.
struct JSONReport: Encodable {
  static let schema = 1

  let schema = JSONReport.schema
  let machine: Machine
  let swift: String
  let build: Machine.Build
  let commit: String?
  let date: String
  let seed: UInt64
  let effort: String
  let results: [Row]

  init(run: RunFacts, measurements: [Measurement]) {
    machine = run.machine
    swift = run.machine.swift
    build = run.machine.build
    commit = run.commit
    date = run.date
    seed = run.seed
    effort = run.effort.name
    results = measurements.map(Row.init)
  }

  func data() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }

  /// The figures of one subject in one case.
  struct Row: Codable {
    let suite: String
    let `case`: String
    let subject: String
    let parameters: [String: ParameterValue]
    let unit: Unit
    let minimum: Double
    let median: Double
    let p90: Double
    let samples: Int
    let baseline: String
    let ratio: Double

    init(_ measurement: Measurement) {
      suite = measurement.suite
      `case` = measurement.case
      subject = measurement.subject
      parameters = Dictionary(
        measurement.parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
      unit = measurement.unit
      minimum = measurement.statistics.minimum
      median = measurement.statistics.median
      p90 = measurement.statistics.p90
      samples = measurement.statistics.count
      baseline = measurement.baseline
      ratio = measurement.ratio
    }
  }
}

extension ParameterValue: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}
