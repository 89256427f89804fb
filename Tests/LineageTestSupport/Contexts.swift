import ResponderChain

/// A class of branching contexts for tests. A notebook counts its children and logs its saves and
/// discards.
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

/// A context for tests that is a value type.
package struct Theme: Context, Hashable, Sendable, CustomStringConvertible {
  package let ink: String

  package init(_ ink: String) { self.ink = ink }

  package var description: String { ink }
}

/// A context for tests that is a Sendable class.
package final class Session: Context, Sendable, CustomStringConvertible {
  package let user: String

  package init(_ user: String) { self.user = user }

  package var description: String { user }
}

/// A key for a second context of the type ``Notebook``. The type itself is the key of the first.
package enum Archive: ContextKey {
  package typealias Value = Notebook
}

/// An error for tests, with any description.
package struct Mishap: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
