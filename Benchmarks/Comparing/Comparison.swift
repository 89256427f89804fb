/// A comparison of the runs of two commits, figure by figure.
///
/// A machine that also runs other programs has no constant speed. So the runs of A and B alternate,
/// and ratios to a baseline of the same run are compared, not times. A difference counts only if it
/// is larger than the difference between runs of the same commit.
package struct Comparison {
  /// The increase above which a figure can count as slower, as a fraction.
  static let threshold = 0.05
  /// The recommended number of runs of each commit.
  static let runs = 5

  let a: [ReportFile]
  let b: [ReportFile]
  /// The figures that the files of both commits contain, in the order of the files.
  package let figures: [ComparedFigure]
  package let onlyInA: [FigureName]
  package let onlyInB: [FigureName]

  /// All figures except the baselines. Only these figures can count as slower or faster.
  var judged: [ComparedFigure] { figures.filter { $0.verdict != .baseline } }

  /// Whether there is at least one figure besides the baselines, and no figure is slower.
  package var isPassed: Bool { !judged.isEmpty && !judged.contains { $0.verdict == .slower } }

  /// Creates a comparison by reading the runs from files.
  init(of files: ComparedFiles) throws(ReportFileError) {
    var sides: [[ReportFile]] = []
    for paths in [files.a, files.b] {
      var side: [ReportFile] = []
      for path in paths { side.append(try ReportFile(readingFrom: path)) }
      sides.append(side)
    }
    self.init(sides[0], sides[1])
  }

  /// Creates a comparison of runs that were already read.
  package init(_ a: [ReportFile], _ b: [ReportFile]) {
    (self.a, self.b) = (a, b)
    let names = [a, b].map(Self.names)
    let known = names.map(Set.init)
    let related = (names[0] + names[1]).filter { $0.subject != $0.baseline }
    let baselines = Set(related.map(\.ofBaseline))
    onlyInA = names[0].filter { !known[1].contains($0) }
    onlyInB = names[1].filter { !known[0].contains($0) }
    figures = names[0].filter(known[1].contains).map { name in
      let rows = [a, b].map { $0.compactMap { $0.rows[name] } }
      let isRatio =
        name.subject != name.baseline && rows.joined().allSatisfy { $0.ratio > 0 }
      let sides = rows.map { rows in
        ComparedFigure.Side(
          values: Statistics(rows.map { isRatio ? $0.ratio : $0.median }),
          fastest: rows.map(\.minimum).min() ?? 0)
      }
      return ComparedFigure(
        name: name, a: sides[0], b: sides[1], isRatio: isRatio,
        isBaseline: baselines.contains(name))
    }
  }

  private static func names(of files: [ReportFile]) -> [FigureName] {
    var seen: Set<FigureName> = []
    return files.flatMap(\.names).filter { seen.insert($0).inserted }
  }
}

extension FigureName {
  /// The name of the baseline's figure in the same case.
  fileprivate var ofBaseline: FigureName {
    var name = self
    name.subject = baseline
    return name
  }
}
