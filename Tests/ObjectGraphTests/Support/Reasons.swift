import ObjectGraph
import Testing

/// Returns the reason with which the closure is refused, as its case's name; nil if it is not
/// refused.
func refusal<Result>(_ body: () throws -> Result) -> String? {
  reason(body).map { reason in
    if let name = Mirror(reflecting: reason).children.first?.label { return name }
    switch reason {
    case .otherContext: return "otherContext"
    case .full: return "full"
    case .readOnly: return "readOnly"
    case .closed: return "closed"
    case .ended: return "ended"
    default: return "\(reason)"
    }
  }
}

/// Returns the reason with which the closure is refused.
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
