import Foundation

/// The report of one launch, as it is kept in a file.
package struct StoredReport: Sendable {
  /// The time of the launch, in seconds since the reference date.
  package var date: Double
  /// The version of the app that was launched.
  package var appVersion: String
  package var report: RestorationReport

  package init(date: Double, appVersion: String, report: RestorationReport) {
    self.date = date
    self.appVersion = appVersion
    self.report = report
  }
}
