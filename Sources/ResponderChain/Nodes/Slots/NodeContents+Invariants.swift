extension NodeContents {
  /// Returns a sentence for each law of the table that does not hold.
  func checkInvariants(of core: Core) -> [String] {
    var broken: [String] = []
    var used: [EntryRef] = []
    forEachEntry { used.append($0) }
    if capacity.nonzeroBitCount != 1 { broken.append("has a table of no power of two") }
    if used.count != count { broken.append("counts \(count) entries but has \(used.count)") }
    if used.count == capacity { broken.append("has no free entry, where probing ends") }
    var ownBits: UInt64 = 0
    for entry in used {
      let slot = entry.slot
      let name = slot.key.key
      if find(slot.id)?.slot !== slot { broken.append("cannot find \(name)") }
      if entry.isOwn != (slot.owner == CoreRef(core)) { broken.append("mistakes whose \(name) is") }
      if entry.cell != slot.readableCell.map({ CellRef($0) }) {
        broken.append("has another value of \(name) than its slot")
      }
      if entry.isOwn { ownBits |= slot.id.bit }
    }
    if ownBits != core.keyBits { broken.append("has other key bits than slots") }
    return broken
  }
}
