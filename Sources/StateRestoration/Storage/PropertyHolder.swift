import ResponderChain

/// The attachment of a responder whose restorable properties were used.
///
/// A responder that takes part in restoration has a ``Mark`` instead, which is a subclass.
class PropertyHolder: Attachment {
  /// The properties of the responder that are to be archived.
  ///
  /// Accesses are unchecked for speed. None can overlap another, because a list calls no code of an
  /// app.
  @exclusivity(unchecked) @safe final var properties: PropertyList

  init(_ properties: PropertyList = PropertyList()) { self.properties = properties }

  // These are declared here, because a subclass cannot override functions of a protocol's
  // extension.
  func ownedDidChange(of responder: Responder) {}
  func didLink(_ responder: Responder) {}
  func didUnlink(_ responder: Responder) {}
  func slotsDidChange(of responder: Responder) {}
  func didAttach(_ responder: Responder) {}

  /// Removes the properties. Their values may be responders below the one that ends, which retain
  /// this attachment.
  final func ownerWillEnd() { properties = PropertyList() }
}
