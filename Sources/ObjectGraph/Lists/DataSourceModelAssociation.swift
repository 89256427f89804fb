public import Foundation

/// A source of rows with identifiers that mean the same rows in later launches.
///
/// To restore a list on screen, an archive stores the identifiers of the selected row and of the
/// first visible row. It does not store index paths, because they change between launches.
public protocol DataSourceModelAssociation {
  /// Returns an identifier for the element at an index path; nil if there is no element. The
  /// identifier means the same element in every launch.
  func modelIdentifierForElement(at path: IndexPath) -> String?
  /// Returns the current index path of the element with an identifier; nil if there is no such
  /// element.
  func indexPathForElement(withModelIdentifier identifier: String) -> IndexPath?
}

extension LiveList: DataSourceModelAssociation {
  /// Returns the URI of the object at an index path; nil if the list has no row there, or if the
  /// context is a draft.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public final func modelIdentifierForElement(at path: IndexPath) -> String? {
    guard hasRow(at: path) else { return nil }
    return try? context.uri(of: self[path]).absoluteString
  }

  /// Returns the index path of the object with a URI; nil if the object is deleted, not in the
  /// list, or in another store.
  ///
  /// - Complexity: O(*n*) for a scan of *n* ids.
  public final func indexPathForElement(withModelIdentifier identifier: String) -> IndexPath? {
    guard let uri = URL(string: identifier),
      let object = try? context.object(at: uri) as? Object<Value>
    else { return nil }
    return indexPath(of: object)
  }
}
