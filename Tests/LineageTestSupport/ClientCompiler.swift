package import Foundation
package import Testing

/// Functions that compile small programs against the built modules, as the build of a client does.
package enum ClientCompiler {
  /// A program that must compile, a program that must not, and the error that the compiler must
  /// print for the bad program.
  ///
  /// The programs differ in one place. If the good program compiles, this difference is the reason
  /// why the bad one does not.
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

    /// Expects that the good program compiles and the bad one does not. The preamble is put before
    /// each of them.
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

  /// Expects that a program does not compile, and that the output of the compiler contains each of
  /// the errors, and not the unwanted text.
  package static func expectRefusal(
    of source: String, errors: [String], unwanted: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try compile(source)
    #expect(result.status != 0, sourceLocation: sourceLocation)
    for error in errors {
      #expect(result.output.contains(error), "\(result.output)", sourceLocation: sourceLocation)
    }
    if let unwanted {
      #expect(
        !result.output.contains(unwanted), "\(result.output)", sourceLocation: sourceLocation)
    }
  }

  /// Compiles a program of several source files, whose names are the keys, and links it with the
  /// package's modules.
  package static func build(_ sources: [String: String], as program: URL) throws {
    let folder = program.appendingPathExtension("sources")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let files = try sources.map { name, text in
      let file = folder.appending(path: name)
      try Data(text.utf8).write(to: file)
      return file.path
    }
    let modules = try modules()
    let objects = try [
      "CLineageRuntime", "ResponderChain", "ObjectGraph", "SQLStorage", "LineageFiles",
      "SQLiteStorage", "PostgresStorage", "StateRestoration", "Lineage",
    ].flatMap { module in
      let folder = modules.deletingLastPathComponent().appending(path: "\(module).build")
      let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      return names.filter { $0.hasSuffix(".o") }.map { folder.appending(path: $0).path }
    }
    let result = try ChildProcess.run(
      "/usr/bin/env",
      ["swiftc", "-swift-version", "6", "-I", modules.path, "-o", program.path, "-lsqlite3"]
        + postgres + moduleMaps + files + objects)
    guard result.status == 0 else { throw Mishap(result.output) }
  }

  /// Compiles one source file and returns the compiler's status and output.
  private static func compile(
    _ source: String, arguments: [String] = []
  ) throws -> (status: Int32, output: String) {
    let drawer = try Drawer()
    let file = drawer.file("Client.swift")
    try Data(source.utf8).write(to: file)
    return try ChildProcess.run(
      "/usr/bin/env",
      [
        "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library",
        "-I", try modules().path,
      ] + moduleMaps + arguments + [file.path])
  }

  /// The compiler arguments for the C modules of the package. SwiftPM passes these arguments when
  /// it builds a client.
  private static var moduleMaps: [String] {
    let sources = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources")
    let names = ["CLineageRuntime/include", "CLineageSQLite"]
    return (names + (postgres.isEmpty ? [] : ["CLineagePostgres"])).flatMap {
      ["-Xcc", "-fmodule-map-file=\(sources.path)/\($0)/module.modulemap"]
    } + postgres.filter { $0 != "-lpq" }
  }

  /// The compiler arguments for libpq, if stores on a server are part of the build.
  private static var postgres: [String] {
    #if Postgres
    let flags = try? ChildProcess.run("/usr/bin/env", ["pkg-config", "--cflags-only-I", "libpq"])
    let folders = flags?.output.split(whereSeparator: \.isWhitespace).map(String.init) ?? []
    return ["-lpq"] + folders.flatMap { ["-Xcc", $0] }
    #else
    return []
    #endif
  }

  /// Returns the folder of the Swift modules that were built together with this test.
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
  /// A trait for tests of compiler errors. In builds with a sanitizer it disables them, because the
  /// compiler runs in a process that the sanitizer does not watch.
  package static var callsCompiler: Self {
    .disabled(if: isSanitized, "the compiler is the same without a sanitizer")
  }
}
