import LineageTerminal

/// Recorded runs, joined into one picture that moves.
package struct Movie {
  /// The recorded lines, each with the time at which it is shown, in seconds.
  private var scenes: [(time: Double, line: Recording.Line)] = []

  /// The longest time in which nothing changes, in seconds.
  private static let pause = 1.5

  /// Joins recorded lines. A shell starts each run, after it has killed the one before.
  package init(_ lines: [Recording.Line]) {
    var (now, last, command) = (0.0, 0.0, "$ flashcards")
    for line in lines {
      switch line {
      case .run:
        now += scenes.isEmpty ? 0 : Self.pause
        scenes += [(now, line), (now, .frame(time: 0, texts: [.init(text: command)]))]
        now += Self.pause
        (last, command) = (0, "$ kill -9 $(pgrep flashcards) && flashcards")
      case .frame(let time, _):
        now += min(max(0, time - last), Self.pause)
        last = time
      case .end: command = "$ flashcards"
      case .resize: break
      }
      scenes.append((now, line))
    }
  }

  /// Returns an SVG of 20 seconds and at most 200 KB, with as many frames as that allows.
  package func svg() throws(Recording.Fault) -> String {
    let text = [500.0, 250, 125, 50, 25, 10].lazy.map(draw).first { $0.utf8.count <= 200_000 }
    guard let text else { throw .init(description: "the frames are too large for 200 KB of SVG") }
    return text
  }

  /// Draws each frame over those before. It is hidden until its time, unless nothing may move.
  private func draw(frames: Double) -> String {
    let scale = frames / max(20, (scenes.last?.time ?? 0) + Self.pause)
    let starts = scenes.map { ($0.time * scale).rounded(.down) * 100 / frames } + [100]
    var (frame, shown, groups, width, height) = (Frame(width: 1, height: 1), Frame?.none, "", 0, 0)
    for (number, scene) in scenes.enumerated() {
      frame.show(scene.line)
      // Of the lines that come into one frame of the movie, only the last is shown.
      guard starts[number] < starts[number + 1] else { continue }
      groups += """
        <style>@keyframes f\(number){0%{visibility:hidden}\(starts[number])%{visibility:visible}}</style>
        <g style="animation:f\(number) 20s step-end infinite">\(frame.svg(over: shown))</g>

        """
      (width, height, shown) = (max(width, frame.width * 9), max(height, frame.height * 20), frame)
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width + 32)" height="\(height + 32)" \
      viewBox="-16 -16 \(width + 32) \(height + 32)"><style>
      svg { --back: #f6f8fa; --text: #1f2328; font: 15px ui-monospace, Menlo, Consolas, monospace }
      @media (prefers-color-scheme: dark) { svg { --back: #161b22; --text: #e6edf3 } }
      @media (prefers-reduced-motion: reduce) { g { animation: none !important } }
      rect { fill: var(--back); width: 100%; height: 100% } .reverse rect { fill: var(--text) }
      text { fill: var(--text); white-space: pre } .reverse text { fill: var(--back) }
      .bold { font-weight: bold } .bad text { fill: #e5484d } .dim text { opacity: 0.65 }
      .underline text { text-decoration: underline }</style>
      \(groups)</svg>
      """
  }
}

extension Frame {
  private static let escapes: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]

  /// Returns the SVG that covers another frame by this one. A text has the width of its cells in
  /// every font.
  fileprivate func svg(over other: Frame?) -> String {
    texts(since: other).reduce(hasSize(of: other) ? "" : #"<rect x="-16" y="-16" rx="8"/>"#) {
      let width = $1.text.reduce(0) { $0 + Frame.width(of: $1) } * 9
      // Scalars are looked at, because a mark makes one character with the bracket before it.
      let escaped = $1.text.unicodeScalars.map { Self.escapes[$0] ?? "\($0)" }.joined()
      return $0 + """
        <svg class="\($1.style)" x="\($1.cell % self.width * 9)" y="\($1.cell / self.width * 20)" \
        width="\(width)" height="20"><rect/><text y="15" textLength="\(width)">\(escaped)</text></svg>
        """
    }
  }
}
