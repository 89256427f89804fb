/// The name that identifies a figure in the files of several runs.
///
/// The baseline and the unit are parts of the name, because figures with different baselines or
/// units cannot be compared.
package struct FigureName: Hashable {
  let suite: String
  let `case`: String
  let parameters: [String: ParameterValue]
  let unit: Unit
  let baseline: String
  var subject: String

  init(_ row: JSONReport.Row) {
    suite = row.suite
    `case` = row.case
    parameters = row.parameters
    unit = row.unit
    baseline = row.baseline
    subject = row.subject
  }

  /// The suite, the case and its parameters, for instance “store insert rows 100,000”.
  var title: String {
    let values = parameters.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return ([suite, `case`] + values).joined(separator: " ")
  }
}
