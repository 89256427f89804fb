/// A key of the keyboard, or a text that was pasted.
package enum Key: Hashable, Sendable, ExpressibleByExtendedGraphemeClusterLiteral {
  case character(Character), control(Character), paste(String)
  case enter, escape, tab, backTab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown

  package init(extendedGraphemeClusterLiteral character: Character) { self = .character(character) }
}
