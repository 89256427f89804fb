/// The CSS of the page, with light and dark colours.
enum Stylesheet {
  static let text = """
    :root {
      --page: #f7f7f5; --card: #fff; --ink: #1d2127; --soft: #5c6570; --grid: #e7e8ea;
      --rule: #aab1ba; --edge: #e2e3e6;
      --alarm: #fff1d6; --alarm-edge: #d98a00;
      \(declarations(\.light))
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --page: #14171b; --card: #1c2026; --ink: #e8eaed; --soft: #a0a8b3; --grid: #2b3038;
        --rule: #59626e; --edge: #2a2f37;
        --alarm: #3a2d12; --alarm-edge: #e0a030;
        \(declarations(\.dark))
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; padding: 32px 24px 64px; max-width: 1080px; background: var(--page);
      color: var(--ink); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", "Liberation Sans",
      sans-serif;
    }
    h1 { font-size: 28px; margin: 0 0 4px; letter-spacing: -0.01em; }
    h2 { font-size: 20px; margin: 44px 0 2px; letter-spacing: -0.01em; }
    p { margin: 0 0 14px; color: var(--soft); max-width: 80ch; }
    .key span { display: inline-block; width: 28px; border-top: 3px solid var(--soft);
      margin: 0 8px 4px 0; }
    .key .dashes { border-top: 2px dashed var(--soft); margin-left: 20px; }
    .warning { padding: 10px 14px; margin: 12px 0; border-radius: 8px; color: var(--ink);
      background: var(--alarm); border-left: 4px solid var(--alarm-edge); }
    .verdict { margin: 16px 0; padding: 14px 18px; background: var(--card);
      border: 1px solid var(--edge); border-left: 4px solid var(--c0); border-radius: 10px; }
    .verdict h2 { margin: 0 0 6px; }
    .verdict ul { margin: 0; padding-left: 20px; max-width: 90ch; }
    .verdict p { margin: 8px 0 0; }
    .verdict p + ul { color: var(--soft); font-size: 14px; }
    .figures { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; }
    figure { margin: 0; padding: 16px 18px 14px; background: var(--card); grid-column: span 2;
      border: 1px solid var(--edge); border-radius: 10px; min-width: 0; }
    figure.half { grid-column: span 1; }
    h3 { font-size: 14px; margin: 0 0 8px; }
    .bars + h3 { margin-top: 16px; }
    figcaption { margin-top: 10px; padding-top: 10px; border-top: 1px solid var(--grid);
      font-size: 14px; color: var(--soft); max-width: 105ch; }
    svg { display: block; width: 100%; height: auto; overflow: visible; }
    svg.wide { max-width: 920px; }
    .half svg.wide { max-width: 620px; }
    .narrow { display: none; }
    svg text { font-size: 12.5px; fill: var(--soft); font-variant-numeric: tabular-nums; }
    svg .middle { text-anchor: middle; }
    svg .end { text-anchor: end; }
    .legend { list-style: none; margin: 8px 0 0; padding: 0; font-size: 13px; }
    .legend li { display: inline-block; margin-right: 16px; color: var(--c); font-weight: 600; }
    .legend li::before { content: ""; display: inline-block; width: 18px; margin: 0 6px 4px 0;
      border-top: 3px solid var(--c); }
    .legend li.dashed::before { border-top: 2px dashed var(--c); }
    .bar { display: grid; grid-template-columns: 176px minmax(0, 1fr); gap: 10px;
      align-items: center; font-size: 13px; line-height: 26px; }
    .bar > span:first-child { color: var(--soft); text-align: right; }
    .track { display: flex; align-items: center; gap: 8px; }
    .bar i { flex: none; width: calc((100% - 110px) * var(--share)); min-width: 1px; height: 18px;
      border-radius: 3px; background: var(--c); }
    .bar b { font-weight: 400; font-variant-numeric: tabular-nums; white-space: nowrap; }
    @media (max-width: 1000px) { figure.half { grid-column: span 2; } }
    @media (max-width: 700px) {
      body { padding: 20px 12px 48px; }
      figure { padding: 12px 12px 10px; }
      .wide { display: none; }
      svg.narrow { display: block; max-width: 440px; }
      ul.narrow { display: block; }
      .bar { grid-template-columns: minmax(0, 1fr); gap: 0; line-height: 20px; margin-bottom: 4px; }
      .bar > span:first-child { text-align: left; }
    }
    .grid { stroke: var(--grid); }
    .rule { stroke: var(--rule); }
    polyline { fill: none; stroke: var(--c); stroke-width: 2.6; stroke-linejoin: round; }
    .dashed polyline { stroke-width: 1.8; stroke-dasharray: 5 4; }
    .dot circle { fill: var(--c); }
    .dot .hit { fill: transparent; }
    .dot:hover circle:first-child { r: 5.5px; }
    .name text { fill: var(--c); font-weight: 600; }
    .name path { stroke: var(--c); fill: none; opacity: 0.45; }
    .mark circle { fill: var(--card); stroke: var(--c); stroke-width: 2.5; }
    .mark text { fill: var(--c); font-size: 12px; font-weight: 600; paint-order: stroke;
      stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
    .drop { stroke: var(--c); stroke-dasharray: 2 4; opacity: 0.7; }
    details { margin-top: 44px; }
    summary { cursor: pointer; font-weight: 600; }
    .scroll { overflow-x: auto; }
    table { border-collapse: collapse; margin-top: 12px; font-size: 13px; }
    th, td { text-align: left; padding: 3px 14px 3px 0; border-bottom: 1px solid var(--grid);
      white-space: nowrap; }
    figure table { width: 100%; margin-top: 0; }
    figure th, figure td { white-space: normal; vertical-align: bottom; }
    figure .n { padding: 3px 0 3px 10px; }
    .n { text-align: right; font-variant-numeric: tabular-nums; }
    \(rules)
    """

  /// The colour of the named subjects: one value for a light background, and one for a dark
  /// background.
  private struct Colour {
    let names: [String]
    let light: String
    let dark: String
  }

  private static let colours = [
    Colour(
      names: ["skipping", "Lineage", "FlashCards"] + ObjectSection.names + LivingSection.shares,
      light: "#1466c9", dark: "#5fa8ff"),
    Colour(names: ["baton"], light: "#d1500a", dark: "#ff9352"),
    Colour(names: ["chain"], light: "#1e8043", dark: "#55c983"),
    Colour(names: ["weak recursion", "hand-written push"], light: "#9b2fb5", dark: "#d98af0"),
    Colour(names: ["strong recursion"], light: "#c2255c", dark: "#ff85ad"),
    Colour(names: ["dictionary per node", "raw SQLite, best"], light: "#8a6508", dark: "#dcb445"),
    Colour(names: ["persistent map per node"], light: "#0b7285", dark: "#4cc3d6"),
    Colour(
      names: [
        "stored reference", "stored closures", "bare continuations", "bare class", "raw SQLite",
        "raw libpq", "fetch again", "foreground import", "open and hand down", "poll loop",
        "plain key",
      ],
      light: "#6a737d", dark: "#a9b2bd"),
  ]

  private static func declarations(_ shade: KeyPath<Colour, String>) -> String {
    colours.enumerated().map { "--c\($0): \($1[keyPath: shade]);" }.joined(separator: " ")
  }

  private static var rules: String {
    colours.enumerated().map { index, colour in
      let classes = colour.names.map { ".\($0.cssClass)" }.joined(separator: ", ")
      return "\(classes) { --c: var(--c\(index)); }"
    }.joined(separator: "\n")
  }
}
