import Foundation
package import Testing

/// Compiles small programs against the built modules, as a client's compiler would.
package enum ClientCompiler {
  /// A program that must compile, its twin that must not, and the compiler's words about the twin.
  ///
  /// The good program shows that the bad one is refused for its one difference, not for a mistake
  /// in both.
  package struct Twins: Sendable, CustomStringConvertible {
    package let description: String
    private let good: String
    private let bad: String
    private let message: String

    package init(name: String, good: String, bad: String, message: String) {
      description = name
      self.good = good
      self.bad = bad
      self.message = message
    }

    /// Expects that the good program compiles after the preamble, and that the bad one is refused.
    package func check(
      after preamble: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try ClientCompiler.expectAcceptance(
        of: preamble + good, sourceLocation: sourceLocation)
      try ClientCompiler.expectRefusal(
        of: preamble + bad, errors: ["error:", message], sourceLocation: sourceLocation)
    }
  }

  /// Expects that a program compiles.
  package static func expectAcceptance(
    of source: String, arguments: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try compile(source, arguments: arguments)
    #expect(result.status == 0, "\(result.output)", sourceLocation: sourceLocation)
  }

  /// Expects that a program does not compile, and that the compiler says each of the errors.
  package static func expectRefusal(
    of source: String, errors: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try compile(source)
    #expect(result.status != 0, sourceLocation: sourceLocation)
    for error in errors {
      #expect(result.output.contains(error), "\(result.output)", sourceLocation: sourceLocation)
    }
  }

  /// Compiles one source file and returns the compiler's status and output.
  private static func compile(
    _ source: String, arguments: [String] = []
  ) throws -> (status: Int32, output: String) {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lineage-compile-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("Client.swift")
    try Data(source.utf8).write(to: file)
    return try ChildProcess.run(
      "/usr/bin/env",
      [
        "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library",
        "-I", try modules().path,
      ] + moduleMaps + arguments + [file.path])
  }

  /// The C modules of the package, which SwiftPM names to its clients.
  private static var moduleMaps: [String] {
    let sources = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources")
    return ["CLineageRuntime/include", "CLineageSQLite"].flatMap {
      ["-Xcc", "-fmodule-map-file=\(sources.path)/\($0)/module.modulemap"]
    }
  }

  /// Returns the folder of the modules that this test was built with.
  private static func modules() throws -> URL {
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    var folder = program.deletingLastPathComponent()
    while folder.path != "/" {
      let modules = folder.appendingPathComponent("Modules")
      let module = modules.appendingPathComponent("ResponderChain.swiftmodule")
      if FileManager.default.fileExists(atPath: module.path) { return modules }
      folder = folder.deletingLastPathComponent()
    }
    throw Mishap("No module ResponderChain was found above \(program.path).")
  }
}

extension Trait where Self == ConditionTrait {
  /// Leaves out tests that run the compiler in builds with a sanitizer, which would watch nothing of
  /// what they test.
  package static var callsCompiler: Self {
    .disabled(if: isSanitized, "the compiler is the same without a sanitizer")
  }
}
