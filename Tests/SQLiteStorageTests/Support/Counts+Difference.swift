import SQLiteStorage

extension Counts {
  static func - (one: Counts, other: Counts) -> Counts {
    var difference = one
    difference.prepared -= other.prepared
    difference.stepped -= other.stepped
    difference.machineSteps -= other.machineSteps
    difference.pagesRead -= other.pagesRead
    difference.keyTexts -= other.keyTexts
    return difference
  }
}
