import LineageTestSupport
import Testing

@Suite("What cannot be restored does not compile", .hangGuard, .callsCompiler)
struct CompileFailTests {
  private static let preamble = """
    import ResponderChain
    import StateRestoration
    struct Opaque {}
    struct Plain: Codable {}
    extension Plain: RestorableValue {}
    struct Late: ContextualValue {
      func write(to writer: inout ValueWriter) throws {}
      static func read(from reader: inout ValueReader) throws -> Late { Late() }
    }

    """

  static let twins = [
    ClientCompiler.Twins(
      name: "A property of a type that cannot be kept",
      good: "final class A: Controller { @Restorable(\"a\") var a = Plain() }",
      bad: "final class A: Controller { @Restorable(\"a\") var a = Opaque() }",
      message: "needs ': Codable, RestorableValue' on the type"),
    ClientCompiler.Twins(
      name: "An optional property of a type that cannot be kept",
      good: "final class A: Controller { @Restorable(\"a\") var a: Plain? }",
      bad: "final class A: Controller { @Restorable(\"a\") var a: Opaque? }",
      message: "needs ': Codable, RestorableValue' on the type"),
    ClientCompiler.Twins(
      name: "A property of a struct",
      good: "final class A: Controller { @Restorable(\"a\") var a = 1 }",
      bad: "struct A { @Restorable(\"a\") var a = 1 }\nfunc f(_ a: A) -> Int { a.a }",
      message: "@Restorable belongs in a Responder"),
    ClientCompiler.Twins(
      name: "A property of a class that is no responder",
      good: "final class A: Controller { @Restorable(\"a\") var a = 1 }",
      bad: "final class A { @Restorable(\"a\") var a = 1 }",
      message: "inherit from 'Responder'"),
    ClientCompiler.Twins(
      name: "Decoding a value that may have to wait",
      good: "func f(_ coder: StateDecoder) throws -> Plain? { try coder.decode(\"a\") }",
      bad: "func f(_ coder: StateDecoder) throws -> Late? { try coder.decode(\"a\") }",
      message: "conform to 'RestorableValue'"),
    ClientCompiler.Twins(
      name: "A class with one of the two methods",
      good: """
        final class A: StateRestoring {
          func encodeRestorableState(with coder: StateEncoder) throws {}
          func decodeRestorableState(with coder: StateDecoder) throws {}
        }
        """,
      bad: """
        final class A: StateRestoring {
          func encodeRestorableState(with coder: StateEncoder) throws {}
        }
        """,
      message: "does not conform to protocol 'StateRestoring'"),
  ]

  @Test("A type that cannot be kept is refused with one error")
  func oneError() throws {
    try ClientCompiler.expectRefusal(
      of: Self.preamble + "final class A: Controller { @Restorable(\"a\") var a = Opaque() }",
      errors: ["needs ': Codable, RestorableValue' on the type"], unwanted: "requires that")
  }

  @Test("The compiler says what is wrong", arguments: twins)
  func refused(_ twins: ClientCompiler.Twins) throws {
    try twins.check(after: Self.preamble)
  }
}
