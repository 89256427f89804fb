import ObjectGraph
import Testing

/// Returns the name of the reason in the error that a closure throws; nil if it throws none.
func refusal<Result>(_ body: () throws -> Result) -> String? {
  reason(body).map { reason in
    if let name = Mirror(reflecting: reason).children.first?.label { return name }
    switch reason {
    case .otherContext: return "otherContext"
    case .full: return "full"
    case .readOnly: return "readOnly"
    case .closed: return "closed"
    case .ended: return "ended"
    case .saving: return "saving"
    default: return "\(reason)"
    }
  }
}

/// Returns the reason in the error that a closure throws; nil if it throws none.
func reason<Result>(_ body: () throws -> Result) -> GraphError.Reason? {
  do {
    _ = try body()
    return nil
  } catch let error as GraphError {
    return error.reason
  } catch {
    Issue.record("not a GraphError: \(error)")
    return nil
  }
}
