/// The part of an archive that is to be restored. A later case restores less.
public enum RestorationExtent: Sendable, Comparable {
  /// All records are restored.
  case all
  /// Only the application's own record is restored. The others are kept for the next launch.
  ///
  /// A screen that is opened later in this process begins anew. The next launch restores the new
  /// state, and still keeps the old record for a launch in which nothing has its place.
  case minimum
  /// Nothing is restored. All records are kept, also the application's own. So saves in this
  /// process do not write the application's present state.
  case nothing
}
