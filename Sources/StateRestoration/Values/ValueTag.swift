/// The first byte of an archived value, which tells the value's type.
///
/// The tags allow a program without the app's code to read, check and print values. The numbers are
/// part of the format and never change.
package enum ValueTag: UInt8 {
  case null = 0
  case `false` = 1
  case `true` = 2
  /// A signed integer, written by ``ValueWriter/writeZigzag(_:)``.
  case integer = 3
  /// An integer above the largest `Int64`.
  case largeInteger = 4
  case double = 5
  case float = 6
  case text = 7
  case data = 8
  /// The seconds since the reference date, as a double.
  case date = 9
  case uuid = 10
  case url = 11
  case array = 12
  /// Pairs of a text and a value.
  case dictionary = 13
  /// An array of signed integers. The integers have no tags of their own.
  case integers = 14
  /// The id of a responder's record.
  case responder = 15
  /// A reference that only a context can resolve: the name of the context, then a text.
  case reference = 16
  /// An optional that holds nil, or another optional with this tag: for example `.some(nil)` of an
  /// `Int??`.
  case some = 17
  case decimal = 18
  /// The early part of a contextual value, and then the rest of it.
  case early = 19

  /// The name of the type, for messages.
  var name: String {
    switch self {
    case .null: "nil"
    case .false, .true: "Bool"
    case .integer, .largeInteger: "an integer"
    case .double: "Double"
    case .float: "Float"
    case .text: "String"
    case .data: "Data"
    case .date: "Date"
    case .uuid: "UUID"
    case .url: "URL"
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .integers: "an array of integers"
    case .responder: "a responder"
    case .reference: "an object of a context"
    case .some: "an optional of an optional"
    case .decimal: "Decimal"
    case .early: "a value with an early part"
    }
  }
}
