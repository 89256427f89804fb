public import Foundation

/// A source of rows that can name a row for an archive, and find it again where it is then.
///
/// It is what a list on screen needs to be restored: the selected row, and the first visible one,
/// are archived by the identifiers of what they show, because index paths change.
public protocol DataSourceModelAssociation {
  /// What identifies the element at an index path in any launch; nil if there is none.
  func modelIdentifierForElement(at path: IndexPath) -> String?
  /// Where the element is now that has an identifier; nil if it is not among the rows.
  func indexPathForElement(withModelIdentifier identifier: String) -> IndexPath?
}

extension LiveList: DataSourceModelAssociation {
  /// The URI of the row's object; nil if there is no such row, or the context is a draft.
  public final func modelIdentifierForElement(at path: IndexPath) -> String? {
    guard hasRow(at: path) else { return nil }
    return try? context.uri(of: self[path]).absoluteString
  }

  /// Where the object with a URI is; nil if it is deleted, not in the list, or of another store.
  ///
  /// - Complexity: O(*n*), a scan of ids.
  public final func indexPathForElement(withModelIdentifier identifier: String) -> IndexPath? {
    guard let uri = URL(string: identifier),
      let object = try? context.object(at: uri) as? Object<Value>
    else { return nil }
    return indexPath(of: object)
  }
}
