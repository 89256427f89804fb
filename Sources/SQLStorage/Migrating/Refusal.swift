package import ObjectGraph

/// An error with the reason why a store cannot be opened.
///
/// The reason is an `Opening<Never>`, so that code below the store can throw the error without
/// naming the store's type. The error is not an `OpeningError`, which also needs the store's URL.
package struct Refusal: Error {
  package let opening: Opening<Never>

  package init(_ opening: Opening<Never>) { self.opening = opening }
}
