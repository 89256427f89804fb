import Foundation

/// The machine and the compiler of a run, and the server if there is one.
struct Machine: Encodable {
  let system: String
  let architecture: String
  let processor: String
  let cores: Int
  let memory: UInt64
  let swift: String
  let build: Build
  /// The settings of the server on which figures depend, by their names; nil if no case uses a server.
  var server: [String: String]?

  /// The build configuration of the program. Figures are useful only from a release build.
  enum Build: String, Encodable {
    case debug, release

    static var current: Build {
      #if DEBUG
      .debug
      #else
      .release
      #endif
    }
  }

  private enum CodingKeys: CodingKey { case system, architecture, processor, cores, memory, server }

  static var current: Machine {
    let process = ProcessInfo.processInfo
    return Machine(
      system: process.operatingSystemVersionString, architecture: architecture,
      processor: processorName ?? "unknown", cores: process.processorCount,
      memory: process.physicalMemory, swift: compiler, build: .current)
  }

  /// A description of the machine and the build, in one line.
  var summary: String {
    [
      processor, "\(cores) cores", memoryText, system, architecture, "Swift \(swift)",
      "\(build.rawValue) build",
    ].joined(separator: ", ")
  }

  /// The physical memory, for instance “24 GB”.
  var memoryText: String { "\((Double(memory) / 1_073_741_824).formatted(digits: 2)) GB" }

  private static var architecture: String {
    #if arch(x86_64)
    "x86_64"
    #elseif arch(arm64)
    "arm64"
    #else
    "other"
    #endif
  }

  /// The version of the compiler that built the program, as far as conditional compilation can tell
  /// it.
  private static var compiler: String {
    #if compiler(>=6.5)
    "6.5 or later"
    #elseif compiler(>=6.4)
    "6.4"
    #elseif compiler(>=6.3.1)
    "6.3.1"
    #elseif compiler(>=6.3)
    "6.3"
    #else
    "6.2"
    #endif
  }

  private static var processorName: String? {
    let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
  }
}
