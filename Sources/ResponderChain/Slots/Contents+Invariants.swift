extension Contents {
  /// The laws of the table that do not hold.
  func checkInvariants(of core: Core) -> [String] {
    var broken: [String] = []
    let used = (0..<capacity).map { table.entries[$0] }.filter { $0.key != 0 }
    if capacity.nonzeroBitCount != 1 { broken.append("has a table of no power of two") }
    if used.count != count { broken.append("counts \(count) entries but has \(used.count)") }
    if used.count == capacity { broken.append("has no free entry, where probing ends") }
    var ownBits: UInt64 = 0
    for entry in used {
      guard let slot = entry.slot?.takeUnretainedValue() else {
        broken.append("has an entry without a slot")
        continue
      }
      if slot.id.word != entry.key { broken.append("has \(slot.key.key) under another key") }
      if find(slot.id)?.pointee.key != entry.key { broken.append("cannot find \(slot.key.key)") }
      if entry.isOwn != (slot.owner === core) { broken.append("mistakes whose \(slot.key.key) is") }
      if entry.cell?.toOpaque() != slot.settledCell.map({ Unmanaged.passUnretained($0).toOpaque() })
      {
        broken.append("has another value of \(slot.key.key) than its slot")
      }
      if entry.isOwn { ownBits |= slot.id.bit }
    }
    if ownBits != core.keyBits { broken.append("has other key bits than slots") }
    return broken
  }
}
