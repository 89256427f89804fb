extension Responder {
  /// Whether explanations name the file and line at which each slot was made; `false` by default.
  ///
  /// This setting is one for the whole process. It concerns slots that are made while it is true.
  /// Each of them then needs some more memory, in a table beside the slots. While it is false, a
  /// slot costs only the check of this setting.
  public static var keepsOrigins: Bool {
    get { OriginTable.isOn }
    set { OriginTable.isOn = newValue }
  }

  /// Notes the origin of the slot that is about to be made or changed, if origins are kept.
  @inline(__always)
  final func note(_ origin: SlotOrigin, of id: KeyID) {
    if OriginTable.isOn { noteNow(origin, of: id) }
  }

  @inline(never)
  private final func noteNow(_ origin: SlotOrigin, of id: KeyID) {
    core.makeHooksIfNeeded().origins[id] = origin
  }
}
