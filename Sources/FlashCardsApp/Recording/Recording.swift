package import Foundation
package import LineageTerminal

/// A file to which each run of the program appends what it shows, as lines of JSON.
package final class Recording {
  /// The time to which those of the frames are relative.
  package let start = ContinuousClock.now
  /// The file; nil after an error, such as a full disk.
  private var file: FileHandle?
  private var shown: Frame?

  /// A line of the file.
  package enum Line: Codable {
    /// A run begins, in a terminal of this size.
    case run(width: Int, height: Int)
    /// The terminal has another size from now on, and is blank.
    case resize(width: Int, height: Int)
    /// Texts change, a number of seconds after the start of the run.
    case frame(time: Double, texts: [Text])
    /// The run ends. A run that is killed has no such line.
    case end
  }

  /// Neighbouring cells of one style, from the cell with a number.
  package struct Text: Codable { var cell = 0, text = "", style = Style.plain }

  /// The reason why a recording can be neither written nor shown.
  package struct Fault: Error, CustomStringConvertible { package let description: String }

  /// Opens a file, or makes one that only its owner can read.
  package init(_ url: URL) throws(Fault) {
    let descriptor = unsafe open(url.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Fault(description: "\(url.relativePath) cannot be written") }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Appends the texts of a frame that have changed. The cursor becomes a reversed cell.
  package func append(_ frame: Frame, at time: ContinuousClock.Instant = .now) {
    var frame = frame
    if let cell = frame.cursor {
      frame.write(Text(cell: cell, text: "\(frame.cells[cell].character)", style: .reverse))
    }
    let (width, height, texts) = (frame.width, frame.height, frame.texts(since: shown))
    guard !texts.isEmpty || !frame.hasSize(of: shown) else { return }
    if shown == nil { write(.run(width: width, height: height)) }
    if !frame.hasSize(of: shown ?? frame) { write(.resize(width: width, height: height)) }
    shown = frame
    let milliseconds = start.duration(to: time) / .milliseconds(1)
    write(.frame(time: milliseconds.rounded() / 1000, texts: texts))
  }

  /// Appends that the run ends by itself.
  package func end() { write(.end) }

  private func write(_ line: Line) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A killed run may have left half a line.
    let text = try? (shown == nil ? "\n" : "").utf8 + encoder.encode(line) + "\n".utf8
    if let text, (try? file?.write(contentsOf: text)) == nil { file = nil }
  }

  /// Returns the lines of a file. The last line of a killed run may be cut off, and is left out.
  package static func read(_ url: URL) throws(Fault) -> [Line] {
    let name = url.relativePath
    let data = try? FileHandle(forReadingFrom: url).readToEnd() ?? Data()
    guard let data else { throw Fault(description: "\(name) cannot be read") }
    var (lines, isCut) = ([Line](), false)
    for text in data.split(separator: UInt8(ascii: "\n")) {
      let line = try? JSONDecoder().decode(Line.self, from: text)
      if case .run = line { isCut = false }
      if isCut { throw Fault(description: "\(name) is damaged after \(lines.count) lines") }
      if let line { lines.append(line) } else { isCut = true }
    }
    guard case .run = lines.first else { throw Fault(description: "\(name) is no recorded run") }
    return lines
  }
}

extension Style: Codable {}

extension Frame {
  func hasSize(of other: Frame?) -> Bool { width == other?.width && height == other?.height }

  /// Shows what a line of a recording says.
  package mutating func show(_ line: Recording.Line) {
    switch line {
    case .run(let width, let height), .resize(let width, let height):
      self = Frame(width: width, height: height)
    case .frame(_, let texts): for text in texts { write(text) }
    case .end: break
    }
  }

  mutating func write(_ text: Recording.Text) {
    write(text.text, row: text.cell / width, column: text.cell % width, style: text.style)
  }

  /// Returns the texts that differ from another frame; from a blank one if that has another size.
  func texts(since other: Frame?) -> [Recording.Text] {
    let old = ((hasSize(of: other) ? other : nil) ?? Frame(width: width, height: height)).cells
    var (texts, next, last) = ([Recording.Text](), 0, cells[0])
    for (number, cell) in cells.enumerated() where cell.width > 0 && cell != old[number] {
      // Two neighbours of doubtful width could become one character.
      let isDoubtful = cell.isDoubtful || last.isDoubtful
      let isAlike = cell.style == last.style && cell.width == last.width && !isDoubtful
      if number != next || number % width == 0 || !isAlike {
        texts.append(Recording.Text(cell: number, style: cell.style))
      }
      texts[texts.count - 1].text.append(cell.character)
      (next, last) = (number + cell.width, cell)
    }
    return texts
  }
}
