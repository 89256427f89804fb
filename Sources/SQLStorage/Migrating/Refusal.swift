package import ObjectGraph

/// The reason to end an opening.
package struct Refusal: Error {
  package let opening: Opening<Never>

  package init(opening: Opening<Never>) { self.opening = opening }
}
