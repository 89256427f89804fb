import Lineage

/// A screen of the restoration suite that also saves a reference to an object of a store.
protocol ObjectScreen: StateScreen {
  /// The song that the screen shows.
  var song: Object<Song>? { get set }
}

/// A screen that saves its song by the two methods of `StateRestoring`.
final class ObjectMethodScreen: MethodScreen, ObjectScreen {
  var song: Object<Song>?

  override func encodeRestorableState(with coder: StateEncoder) throws {
    try super.encodeRestorableState(with: coder)
    try coder.encode(song, for: "song")
  }

  override func decodeRestorableState(with coder: StateDecoder) throws {
    try super.decodeRestorableState(with: coder)
    try coder.whenReady("song", into: \.song, of: self)
  }
}

/// A screen that has its song in a `@Restorable` property.
final class ObjectPropertyScreen: PropertyScreen, ObjectScreen {
  @Restorable("song") var song: Object<Song>?
}
