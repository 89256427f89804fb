extension InspectorPage {
  /// The style sheet.
  static let style = #"""
    :root {
      --paper: #fbfbf9; --pane: #f3f3ef; --card: #fff; --ink: #1d1f23; --soft: #5c6068;
      --faint: #7b7f87; --line: #e1e1da; --rail: #c4c5be; --hover: #0000000a;
      --pick: #e1eafb; --pick-ink: #1b4fa8; --win: #147045; --win-wash: #eaf6ef; --win-line: #a9d8bf;
      --unsaved: #8a5200; --unsaved-wash: #fdf1dc; --drift: #7338ab; --drift-wash: #f3eafb;
      --wait: #1b5c8e; --wait-wash: #e6f1f9; --wall: #b02d27; --wall-wash: #fbeae8;
      --wall-line: #e6aaa6;
      --mono: ui-monospace, "SF Mono", "Cascadia Code", "DejaVu Sans Mono", monospace;
      --sans: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #14161a; --pane: #191c21; --card: #1e2228; --ink: #e7e9ec; --soft: #a3aab4;
        --faint: #838a95; --line: #2c3138; --rail: #454c56; --hover: #ffffff0d;
        --pick: #23324d; --pick-ink: #9dc1ff; --win: #5fd39b; --win-wash: #16291f;
        --win-line: #2f6a4d; --unsaved: #f2b75c; --unsaved-wash: #3a2d16; --drift: #cfa4f7;
        --drift-wash: #31233f; --wait: #84c3f2; --wait-wash: #1a2f40; --wall: #ff8f86;
        --wall-wash: #341d1c; --wall-line: #6d3a37;
      }
    }
    * { box-sizing: border-box; }
    html, body { height: 100%; margin: 0; }
    body { font: 14px/1.5 var(--sans); color: var(--ink); background: var(--paper); display: grid;
      grid-template: auto minmax(0, 1fr) / minmax(280px, 360px) minmax(0, 1fr); }
    button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
      text-align: left; cursor: pointer; }
    :focus-visible { outline: 2px solid var(--pick-ink); outline-offset: 1px; border-radius: 5px; }
    header { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 4px 14px; padding: 10px 20px;
      align-items: baseline; border-bottom: 1px solid var(--line); background: var(--card); }
    header .meta { color: var(--soft); font-size: 12.5px; }
    header .badges { margin-left: auto; }
    .badges { display: flex; flex-wrap: wrap; gap: 4px; }
    .badge { display: inline-block; font-size: 11.5px; font-weight: 550; line-height: 1; padding: 3.5px 7px;
      border-radius: 20px; white-space: nowrap; }
    .unsaved.badge { color: var(--unsaved); background: var(--unsaved-wash); }
    .drift.badge { color: var(--drift); background: var(--drift-wash); }
    .wait.badge { color: var(--wait); background: var(--wait-wash); }
    .wall.badge { color: var(--wall); background: var(--wall-wash); }

    nav { background: var(--pane); border-right: 1px solid var(--line); overflow: auto;
      padding: 12px 10px 30px; }
    nav input { width: 100%; font: inherit; font-size: 13px; padding: 6px 10px; color: inherit;
      margin-bottom: 10px; background: var(--card); border: 1px solid var(--line);
      border-radius: 7px; }
    nav input::placeholder { color: var(--faint); opacity: 1; }
    .node { display: flex; align-items: center; gap: 7px; width: 100%; padding: 0 8px 0 4px;
      border-radius: 6px; min-height: 27px; }
    .node::before { content: ""; flex: none; align-self: stretch; margin-right: -7px;
      width: calc(var(--level) * 15px); background: repeating-linear-gradient(90deg,
        transparent 0 7px, var(--line) 7px 8px, transparent 8px 15px); }
    .node[hidden] { display: none; }
    .node:hover { background: var(--hover); }
    .node[aria-selected="true"] { background: var(--pick); }
    .node .role { flex: none; width: 15px; text-align: center; color: var(--faint);
      font-size: 12px; }
    .node .type { font: 12.5px var(--mono); white-space: nowrap; flex: none; max-width: 70%;
      overflow: hidden; text-overflow: ellipsis; }
    .node[aria-selected="true"] .type { color: var(--pick-ink); font-weight: 650; }
    .node .name { color: var(--soft); font-size: 12.5px; flex: 1; min-width: 0; overflow: hidden;
      text-overflow: ellipsis; white-space: nowrap; }
    .node .badges { flex: none; flex-wrap: nowrap; }
    .node .badges:empty { display: none; }
    .node .way { flex: none; width: 6px; height: 6px; border-radius: 50%; }
    .node.on .way { background: var(--rail); }
    .node.won .way { background: var(--win); box-shadow: 0 0 0 3px var(--win-line); }
    .node.stopped .way { background: var(--wall); box-shadow: 0 0 0 3px var(--wall-line); }
    .legend { margin: 16px 6px 0; padding-top: 12px; border-top: 1px solid var(--line);
      color: var(--soft); font-size: 12px; display: grid; gap: 5px; }
    .legend .badge { min-width: 40px; margin-right: 8px;
      text-align: center; }
    .type, .name, small, code, b, s, ins, .who { unicode-bidi: isolate; }
    kbd { font: 11px var(--mono); border: 1px solid var(--line); border-radius: 4px;
      padding: 0 4px; background: var(--card); }

    main { overflow: auto; padding: 20px 30px 60px; }
    main > * { max-width: 880px; }
    .path { color: var(--soft); font-size: 12.5px; display: flex; flex-wrap: wrap; gap: 2px 6px; }
    .path button:hover, .panel li button:hover { color: var(--pick-ink);
      text-decoration: underline; }
    h1 { font: 650 20px/1.3 var(--mono); letter-spacing: -.02em; margin: 3px 0 14px;
      overflow-wrap: anywhere; }
    small { font: 400 12.5px var(--sans); color: var(--soft); letter-spacing: 0; }
    h1 small { font-size: 15px; margin-left: 10px; }
    .waits { margin-bottom: 10px; }
    .waits:empty { display: none; }
    .keys { display: flex; flex-wrap: wrap; gap: 6px; margin-bottom: 18px; }
    .keys button { font: 12.5px var(--mono); padding: 4px 10px; border: 1px solid var(--line);
      border-radius: 7px; background: var(--card); display: flex; gap: 7px; align-items: center;
      overflow-wrap: anywhere; }
    .keys button:hover { border-color: var(--rail); }
    .keys button[aria-pressed="true"] { background: var(--pick); border-color: transparent;
      color: var(--pick-ink); font-weight: 650; }
    .dot { flex: none; width: 7px; height: 7px; border-radius: 50%; background: var(--win); }
    .dot.pending { background: var(--wait); }
    .dot.block, .dot.failed { background: var(--wall); }
    .dot.missing { background: none; border: 1.5px solid var(--rail); }
    .says { font-size: 16px; line-height: 1.45; margin: 0 0 16px; text-wrap: pretty;
      overflow-wrap: anywhere; }
    .says code { font: 600 14.5px var(--mono); }
    .says em { font-style: normal; font-weight: 650; color: var(--win); }
    .says em.pending { color: var(--wait); }
    .says em.block, .says em.failed { color: var(--wall); }
    .says em.missing { color: var(--soft); }
    .hint { color: var(--soft); margin: -8px 0 14px; font-size: 13px; overflow-wrap: anywhere; }

    .cascade { list-style: none; margin: 0 0 24px; padding: 0; }
    .cascade li { display: grid; grid-template-columns: 30px minmax(0, 1fr) auto; gap: 0 12px;
      position: relative; padding: 8px 14px 8px 0; min-height: 38px; }
    .cascade li::before { content: ""; position: absolute; left: 14px; top: 0; bottom: 0;
      width: 2px; background: var(--rail); }
    .cascade li:first-child::before { top: 18px; }
    .cascade li:last-child::before { bottom: calc(100% - 18px); }
    .cascade .knot { position: relative; width: 12px; height: 12px; margin: 4px 0 0 9px;
      border-radius: 50%; background: var(--paper); border: 2px solid var(--rail); }
    .cascade .who { font: 13px var(--mono); overflow-wrap: anywhere; }
    .cascade .who small { margin-left: 8px; }
    .cascade .who .badge { margin-left: 8px; font-family: var(--sans); }
    .cascade .what { color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
    .cascade .at { font: 12px var(--mono); color: var(--faint); padding-top: 2px;
      overflow-wrap: anywhere; text-align: right; }
    .cascade .asked .knot { background: var(--ink); border-color: var(--ink); }
    .cascade .winner { border-radius: 10px; background: var(--win-wash);
      box-shadow: inset 0 0 0 1px var(--win-line); }
    .cascade .winner .knot { background: var(--win); border-color: var(--win);
      box-shadow: 0 0 0 4px var(--win-wash); }
    .cascade .winner .who { font-weight: 700; color: var(--win); }
    .cascade .winner .what { color: var(--ink); font-weight: 550; }
    .cascade .winner.pending { background: var(--wait-wash); box-shadow: none; }
    .cascade .winner.pending .knot { background: var(--wait); border-color: var(--wait); }
    .cascade .winner.pending .who { color: var(--wait); }
    .cascade .winner.failed { background: var(--wall-wash);
      box-shadow: inset 0 0 0 1px var(--wall-line); }
    .cascade .winner.failed .knot { background: var(--wall); border-color: var(--wall); }
    .cascade .winner.failed .who { color: var(--wall); }
    .cascade .winner ~ li::before, .cascade .fold::before {
      background: repeating-linear-gradient(var(--rail) 0 3px, transparent 3px 7px); }
    .cascade .parent .knot { border-color: var(--win); }
    .cascade .drift .knot { border-color: var(--drift); border-style: dashed; }
    .cascade .shadowed .who, .cascade .shadowed .what { color: var(--faint); }
    .cascade .shadowed .who, .cascade .shadowed b { text-decoration: line-through; }
    .cascade .shadowed small { display: inline-block; }
    .cascade b { font-weight: inherit; }
    .cascade .fold { min-height: 0; padding-top: 3px; padding-bottom: 3px; }
    .cascade .fold .knot { visibility: hidden; }
    .cascade .fold button { color: var(--faint); font-size: 12.5px; }
    .cascade .fold button:hover { color: var(--pick-ink); }
    .cascade .wall { padding: 0 14px 10px 0; margin: 8px 0; border-radius: 10px;
      overflow: hidden; background: var(--wall-wash); box-shadow: inset 0 0 0 1px var(--wall-line); }
    .cascade .wall::before { display: none; }
    .cascade .wall::after { content: ""; grid-column: 1 / -1; grid-row: 1; height: 15px;
      margin: 0 -14px 7px 0; opacity: .45; background:
        repeating-linear-gradient(90deg, var(--wall) 0 28px, transparent 28px 30px)
          0 0 / 100% 6.5px no-repeat,
        repeating-linear-gradient(90deg, var(--wall) 0 13px, transparent 13px 15px,
          var(--wall) 15px 30px) 0 8.5px / 100% 6.5px no-repeat; }
    .cascade .wall .knot { background: var(--wall); border-color: var(--wall); border-radius: 3px; }
    .cascade .wall .who { font-weight: 700; color: var(--wall); }
    .cascade .beyond { opacity: .55; }
    .cascade .top .knot { border: 0; border-radius: 2px; height: 3px; margin-top: 9px;
      background: var(--rail); }

    .panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(270px, 100%), 1fr));
      gap: 14px; align-items: start; }
    .panel { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
      padding: 12px 16px 14px; overflow-wrap: anywhere; }
    @media (min-width: 900px) {
      .panels:has(.family) { grid-template: auto 1fr / 3fr 2fr; }
      .panel.family { grid-row: span 2; }
    }
    .panel h2 { font: 600 12.5px var(--sans); color: var(--soft); margin: 0 0 8px; }
    .panel ul { list-style: none; margin: 0; padding: 0; }
    .panel li { padding: 3px 0; font-size: 13px; }
    .panel li button { font: 12.5px var(--mono); }
    .panel li small { margin-left: 8px; }
    .panel p { margin: 0; color: var(--soft); font-size: 12.5px; }
    .nest { border: 1px solid var(--line); border-radius: 8px; padding: 8px 11px; font-size: 13px;
      margin-top: 6px; background: var(--paper); }
    .nest.mine { border-color: var(--win-line); background: var(--win-wash); }
    .nest .badge { margin-left: 8px; }
    .nest code { font: 12.5px var(--mono); }
    .nest .edit { font: 12px/1.6 var(--mono); color: var(--soft); margin-top: 5px; }
    .nest s { color: var(--faint); }
    .nest ins { text-decoration: none; color: var(--unsaved); }
    details { margin-top: 14px; color: var(--soft); font-size: 13px; }
    summary { cursor: pointer; width: max-content; }
    pre { font: 12.5px/1.6 var(--mono); color: var(--ink); background: var(--card);
      border: 1px solid var(--line); border-radius: 10px; padding: 13px 16px; overflow: auto;
      margin: 8px 0 0; }
    @media (max-width: 760px) {
      html, body { height: auto; }
      body { grid-template: auto auto auto / minmax(0, 1fr); }
      header { padding: 10px 16px; }
      header .badges { margin-left: 0; }
      nav { border-right: 0; border-bottom: 1px solid var(--line); max-height: 44vh; }
      main { padding: 18px 16px 40px; }
      .cascade li { grid-template-columns: 30px minmax(0, 1fr); }
      .cascade .at { grid-column: 2; text-align: left; }
    }
    """#
}
