import ResponderChain

/// The reference context of the tests: it branches, and knows what happened to it.
package final class Notebook: BranchingContext, CustomStringConvertible {
  package let name: String
  package let parent: Notebook?
  package var hasUnsavedChanges = false
  package private(set) var childCount = 0
  package private(set) var log: [String] = []
  private let citizen: Citizen?

  package init(_ name: String, parent: Notebook? = nil, in census: Census? = nil) {
    self.name = name
    self.parent = parent
    citizen = census.map { Citizen(of: $0) }
  }

  package func makeChild() -> Notebook {
    childCount += 1
    return Notebook("\(name)/\(childCount)", parent: self, in: citizen?.census)
  }

  package func save() throws {
    log.append("save")
    hasUnsavedChanges = false
  }

  package func discard() {
    log.append("discard")
    hasUnsavedChanges = false
  }

  package var description: String { name }
}

/// The value context of the tests.
package struct Theme: Context, Hashable, Sendable, CustomStringConvertible {
  package let ink: String

  package init(_ ink: String) { self.ink = ink }

  package var description: String { ink }
}

/// A Sendable reference context.
package final class Session: Context, Sendable, CustomStringConvertible {
  package let user: String

  package init(_ user: String) { self.user = user }

  package var description: String { user }
}

/// A second context of a type that is a key already.
package enum Archive: ContextKey {
  package typealias Value = Notebook
}

/// An error of tests.
package struct Mishap: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
