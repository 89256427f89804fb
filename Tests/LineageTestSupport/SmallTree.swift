package import ResponderChain

/// A controller for tests. A census can count it.
package final class Screen: Controller {
  private let citizen: Citizen?

  package init(_ name: String, in census: Census? = nil) {
    citizen = census.map { Citizen(of: $0) }
    super.init()
    self.debugName = name
  }
}

/// A view for tests. A census can count it.
package final class Page: ViewResponder {
  private let citizen: Citizen?

  package init(_ name: String, in census: Census? = nil) {
    citizen = census.map { Citizen(of: $0) }
    super.init()
    self.debugName = name
  }
}

/// Two controllers with views, below one application:
///
/// ```
/// application
///   left   — root view page — leaf
///   right  — root view uncle
/// ```
package struct SmallTree {
  package let application: Application
  package let left: Screen
  package let right: Screen
  package let page: Page
  package let leaf: Page
  package let uncle: Page

  package init(_ strategy: Strategy = .skipping, in census: Census? = nil) throws {
    application = Application(strategy: strategy)
    left = Screen("left", in: census)
    right = Screen("right", in: census)
    page = Page("page", in: census)
    leaf = Page("leaf", in: census)
    uncle = Page("uncle", in: census)
    try application.append(left)
    try application.append(right)
    try left.setRootView(page)
    try right.setRootView(uncle)
    try page.append(leaf)
  }

  /// All responders of the tree, parents before children.
  package var all: [Responder] { [application] + Array(application.descendants) }
}
