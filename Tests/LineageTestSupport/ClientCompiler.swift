import Foundation

/// Compiles small programs against the built modules, as a client's compiler would.
package enum ClientCompiler {
  /// A program that must compile, its twin that must not, and what the compiler says of it.
  package struct Twins: Sendable, CustomStringConvertible {
    package let description: String
    package let good: String
    package let bad: String
    package let message: String

    package init(name: String, good: String, bad: String, message: String) {
      description = name
      self.good = good
      self.bad = bad
      self.message = message
    }
  }

  /// Checks one source file and returns what the compiler says.
  package static func compile(
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

  /// The folder of the modules that this test was built with.
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
