/// The kinds and the names of contexts of a restoration.
public struct RestorationParts {
  var kinds: [Kind] = []
  var contexts: [ContextName] = []
}

/// The result builder for the kinds and context names of a restoration.
@resultBuilder
public enum RestorationBuilder {
  /// Builds a list of one kind.
  public static func buildExpression(_ kind: Kind) -> RestorationParts {
    RestorationParts(kinds: [kind])
  }

  /// Builds a list of one context name.
  public static func buildExpression(_ name: ContextName) -> RestorationParts {
    RestorationParts(contexts: [name])
  }

  /// Builds the list that was built elsewhere, unchanged.
  public static func buildExpression(_ parts: RestorationParts) -> RestorationParts { parts }

  /// Builds one list from several lists.
  public static func buildBlock(_ parts: RestorationParts...) -> RestorationParts {
    buildArray(parts)
  }

  /// Builds one list from the lists of a loop.
  public static func buildArray(_ parts: [RestorationParts]) -> RestorationParts {
    parts.reduce(into: RestorationParts()) {
      $0.kinds += $1.kinds
      $0.contexts += $1.contexts
    }
  }

  /// Builds the list of an `if` without `else`; an empty list if the condition is false.
  public static func buildOptional(_ parts: RestorationParts?) -> RestorationParts {
    parts ?? RestorationParts()
  }

  /// Builds the list of the first branch of a condition.
  public static func buildEither(first: RestorationParts) -> RestorationParts { first }

  /// Builds the list of the second branch of a condition.
  public static func buildEither(second: RestorationParts) -> RestorationParts { second }
}
