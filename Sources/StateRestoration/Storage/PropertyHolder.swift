import ResponderChain

/// The attachment of a responder that has used a restorable property.
///
/// A responder that takes part in restoration has a ``Mark`` instead, which is a subclass.
class PropertyHolder: Attachment {
  /// The properties of the responder that are to be archived.
  ///
  /// Exclusivity is unchecked for speed (`save`): a list calls no code of an app, and
  /// ``ownerWillEnd()`` ends its access before.
  @exclusivity(unchecked) @safe final var properties: PropertyList

  init(_ properties: PropertyList = PropertyList()) { self.properties = properties }

  /// The ``Responder/restorationKind`` that code of the app has set; nil if it has set none.
  final var kindName: String?

  // These functions are declared here, because a subclass cannot override functions of a protocol's
  // extension.
  func ownedDidChange(of responder: Responder) {}
  func didLink(_ responder: Responder) {}
  func didUnlink(_ responder: Responder) {}
  func slotsDidChange(of responder: Responder) {}
  func valueDidChange(_ key: any ContextKey.Type, of responder: Responder) {}
  func keptChangesDidChange(of responder: Responder) {}
  func hasWaitingChanges(_ key: any ContextKey.Type) -> Bool { false }
  func dropWaitingChanges(_ key: any ContextKey.Type) {}
  func didAttach(_ responder: Responder) {}

  /// Removes the properties when the responder is deallocated. The value of a property may be a
  /// responder below the deallocated responder, and may then retain this attachment. So the value
  /// and the attachment would keep each other alive.
  func ownerWillEnd() {
    let old = properties
    properties = PropertyList()
    withExtendedLifetime(old) {}
  }
}
