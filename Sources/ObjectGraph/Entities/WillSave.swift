public import Foundation

/// An entity that prepares each changed object for a save into the store.
///
/// ```swift
/// extension Note: WillSave {
///   mutating func willSave(_ save: SaveMoment<Note>) {
///     if save.isNew { created = save.date }
///     modified = save.date
///     if save.changes(\.title) { slug = title.lowercased() }
///   }
/// }
/// ```
public protocol WillSave: Entity {
  /// Changes the value that a save is about to write.
  ///
  /// A save into the store calls this function for each new and each edited object, with the values of
  /// all contexts that it saves, and before it asks for ``Entity/problems``. A child's save into its
  /// parent does not call it, and does not ask such objects for problems. After the save, the whole family of contexts shows the result. If the
  /// save throws, the result is taken back.
  ///
  /// What the function changes is no edit that a user has made. So if others have changed the object
  /// meanwhile, the conflict policy decides about the user's edits alone, and the function is called
  /// again, with the same date, for the value that follows from that.
  mutating func willSave(_ save: SaveMoment<Self>)
}

/// A save into the store, as ``WillSave/willSave(_:)`` sees it for one object.
public struct SaveMoment<Value: Entity>: Sendable {
  /// The date, which is the same for all objects of the save.
  public let date: Date
  /// Whether the object was never in the store.
  public let isNew: Bool
  let changed: ColumnMask

  /// Returns whether the save changes a property. All properties of a new object change.
  ///
  /// - Precondition: The property is an attribute or a to-one property of the schema.
  public func changes(_ path: any PartialKeyPath<Value> & Sendable) -> Bool {
    guard let column = Value.layout.column(of: path) else {
      preconditionFailure("changes(_:) takes an attribute or a to-one property of \(Value.self).")
    }
    return isNew || changed.contains(column)
  }
}

/// Whether a save calls ``WillSave/willSave(_:)``.
public enum SaveHooks: Sendable {
  case on
  /// The values are written as they are, for example by an import that keeps dates.
  case off
}

extension WillSave {
  /// Returns the value that is to be written.
  func prepared(_ date: Date, isNew: Bool, _ changed: ColumnMask) -> Self {
    var value = self
    value.willSave(SaveMoment(date: date, isNew: isNew, changed: changed))
    return value
  }
}
