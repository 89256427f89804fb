extension InspectorPage {
  /// The script: the data with its answers, then the tree, the answer and the keyboard.
  static let script = dataScript + treeScript + answerScript + controlScript

  /// Reads the data. An answer comes from the list that the library has written; nothing is looked
  /// up here but its place.
  private static let dataScript = #"""
    "use strict";
    const data = JSON.parse(document.getElementById("data").textContent);
    const { texts, answers, keys, contexts } = data;
    const { parents, roles, types, names } = data.responders;
    const count = parents.length;
    const roleNames = ["top", "child", "view", "presented"];
    const roleSigns = ["◆", "◇", "▫", "▸"];
    const type = i => texts[types[i]];
    const name = i => texts[names[i]] ?? "";
    const label = i => names[i] >= 0 ? `${type(i)} "${name(i)}"` : type(i);
    const chain = i => { const way = []; for (; i >= 0; i = parents[i]) way.push(i); return way; };
    const path = i => {
      const way = chain(i).map(label);
      const left = way.length - 10;
      const short = way.length <= 12 ? way
        : [...way.slice(0, 6), `… ${left} more …`, ...way.slice(-4)];
      return short.join(" in ");
    };
    const levels = [], ends = [], children = [];
    for (let i = 0; i < count; i++) {
      levels.push(i ? levels[parents[i]] + 1 : 0);
      ends.push(i);
      children.push([]);
      if (i) children[parents[i]].push(i);
    }
    for (let i = count - 1; i > 0; i--) ends[parents[i]] = Math.max(ends[parents[i]], ends[i]);

    for (const key of keys) {
      // The place of the nearest slot of each responder, and the number of slots up to it.
      key.nearest = [];
      key.counts = [];
      for (let i = 0, next = 0; i < count; i++) {
        const isOwner = key.owners[next] === i;
        key.nearest.push(isOwner ? next : i ? key.nearest[parents[i]] : -1);
        if (isOwner) next++;
        key.counts.push(next);
      }
      key.others = new Map(key.exceptions.map(e => [e.slice(0, 4).join(), e[4]]));
      key.held = new Map();
      for (let i = 0; i < key.contexts.length; i += 2)
        key.held.set(key.contexts[i], key.contexts[i + 1]);
    }
    // Two keys can have the same name.
    const unique = list => {
      const seen = new Map();
      return list.map(text => {
        const number = (seen.get(text) ?? 0) + 1;
        seen.set(text, number);
        return number > 1 ? `${text}~${number}` : text;
      });
    };
    const keyNames = unique(keys.map(k => k.name));
    const anchors = unique(parents.map((_, i) => name(i) || type(i)));

    const slotAbove = (key, slot) => {
      const parent = parents[key.owners[slot]];
      return parent < 0 ? -1 : key.nearest[parent];
    };
    const kind = (key, slot) => texts[key.kinds[slot]];
    // The answer of a responder, with the places of its slot and of the winner.
    const find = (i, key) => {
      const slot = key.nearest[i];
      const [first, end] = [key.counts[i], key.counts[ends[i]]];
      const below = first < end ? [first, end - 1] : [-1, -1];
      const isNamed = i === 0 || slot >= 0 && key.owners[slot] === i ? 1 : 0;
      const other = key.others.get([slot, isNamed, ...below].join());
      const found = answers[other ?? (slot < 0 ? key.missing : key.regions[slot])];
      let winner = found.winner === undefined ? -1 : slot;
      for (let n = 0; n < found.winner; n++) winner = slotAbove(key, winner);
      const state = winner < 0 ? "missing" : kind(key, winner).replace(/,.*/, "");
      return { found, slot, winner, state };
    };
    const answer = (i, key) => {
      const { found, slot, winner, state } = find(i, key);
      const owners = { a: i, w: key.owners[winner], o: key.owners[slot] };
      // Marks stand for responders.
      const read = text => texts[text].replace(/\uE000(\/?)(\w+)\uE001/g, (mark, slash, name) => {
        const responder = owners[name] ?? Number(name);
        return responder < count ? (slash ? path : label)(responder) : mark;
      });
      return {
        winner, state, isWall: found.isWall,
        outcome: read(found.outcome), notes: found.notes.map(read), advice: found.advice.map(read),
        nearMisses: found.nearMisses.map(([at, place, slot]) => ({
          responder: Number(/^\uE000\/(\d+)\uE001$/.exec(texts[at])?.[1] ?? -1),
          path: read(at), place: read(place), kind: read(slot) })),
      };
    };
    // The explanation in the form that `explain` prints.
    const explain = (i, key, found) => {
      const last = found.winner < 0 ? 0 : key.owners[found.winner];
      const hops = chain(i).filter(r => levels[r] >= levels[last]);
      const own = r => key.owners[key.nearest[r]] === r ? kind(key, key.nearest[r]) : null;
      const isLeftOut = hops.map((r, n) => n >= 8 && n < hops.length - 4 && own(r) === null);
      const left = isLeftOut.filter(Boolean).length;
      const lines = [`${key.name} for ${path(i)}: ${found.outcome}`];
      hops.forEach((r, n) => {
        if (isLeftOut[n]) return;
        lines.push(`  ${n ? "then " : "asked"} ${label(r)}: ${own(r) ?? "no slot"}`);
        if (n === 7 && left) lines.push(`  … ${left} more without a slot …`);
      });
      for (const note of found.notes) lines.push(`note: ${note}`);
      for (const miss of found.nearMisses)
        lines.push(`note: ${miss.path} has it (${miss.kind}), but is ${miss.place}.`);
      for (const advice of found.advice) lines.push(`help: ${advice}`);
      return lines.join("\n");
    };

    // Texts become nodes of text only.
    const make = (tag, properties, ...content) => {
      const element = document.createElement(tag);
      for (const [name, value] of Object.entries(properties ?? {}))
        if (name in element) element[name] = value; else element.setAttribute(name, value);
      element.append(...content.flat().filter(c => c !== null && c !== undefined && c !== ""));
      return element;
    };
    const badge = (sort, text, title) =>
      make("span", { className: `badge ${sort}`, title: title ?? text }, text);
    const unsaved = context => context?.isUnsaved
      ? badge("unsaved", context.count ? `${context.count} unsaved` : "unsaved") : null;

    """#

  /// The tree at the left, with a row for each responder.
  private static let treeScript = #"""
    const badges = parents.map(() => ({ unsaved: 0, drift: [], wait: [], wall: [] }));
    const sums = { unsaved: 0, drift: 0, wait: 0, wall: 0 };
    const counted = new Set();
    for (const key of keys) {
      key.owners.forEach((owner, slot) => {
        if (kind(key, slot) === "block") { badges[owner].wall.push(key.name); sums.wall++; }
        const held = key.held.get(slot);
        if (!contexts[held]?.isUnsaved) return;
        badges[owner].unsaved += contexts[held].count || 1;
        if (!counted.has(held)) sums.unsaved += contexts[held].count || 1;
        counted.add(held);
      });
      for (const slot of key.drifting) { badges[key.owners[slot]].drift.push(key.name); sums.drift++; }
      for (const i of key.waiting) { badges[i].wait.push(key.name); sums.wait++; }
    }
    const signs = own => [
      own.unsaved ? badge("unsaved", `● ${own.unsaved}`, `${own.unsaved} unsaved`) : null,
      own.drift.length ? badge("drift", "⇄", `drifts: ${own.drift.join(", ")}`) : null,
      own.wait.length ? badge("wait", "◔", `waits for ${own.wait.join(", ")}`) : null,
      own.wall.length ? badge("wall", "▦", `blocks ${own.wall.join(", ")}`) : null,
    ];
    const slotNames = parents.map(() => []);
    for (const key of keys) for (const owner of key.owners) slotNames[owner].push(key.name);

    const rows = parents.map((_, i) => {
      const row = make("button", {
        className: "node", role: "treeitem", tabIndex: -1, "aria-level": levels[i] + 1,
        title: `${label(i)} (${roleNames[roles[i]]})`, onclick: () => go(i),
      },
        make("span", { className: "role" }, roleSigns[roles[i]]),
        make("span", { className: "type" }, type(i)),
        make("span", { className: "name" }, levels[i] > 12 ? `(${levels[i]}) ${name(i)}` : name(i)),
        make("span", { className: "badges" }, signs(badges[i])),
        make("span", { className: "way" }));
      row.style.setProperty("--level", Math.min(levels[i], 12));
      return row;
    });
    const search = make("input", {
      type: "search", placeholder: "Find a responder or a key", "aria-label": "Find",
      oninput: () => filter(),
    });
    const tree = make("div", { role: "tree", "aria-label": "Responders" }, rows);
    const main = make("main", { tabIndex: -1 });
    const haystacks = parents.map((_, i) =>
      [type(i), name(i), ...slotNames[i]].join("\n").toLowerCase());
    let hits = [];
    const filter = () => {
      const text = search.value.toLowerCase();
      hits = [...parents.keys()].filter(i => haystacks[i].includes(text));
      const shown = new Set();
      for (const i of hits)
        for (let r = i; r >= 0 && !shown.has(r); r = parents[r]) shown.add(r);
      rows.forEach((row, i) => { row.hidden = !shown.has(i); });
    };
    const legend = (sort, sign, text) => make("div", {}, badge(sort, sign), text);
    const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
    document.title = `${data.application}: the tree`;
    document.body.append(
      make("header", {},
        make("b", {}, data.application),
        make("span", { className: "meta" }, [
          plural(count, "responder"), plural(keys.length, "key"),
          data.strategy ? `strategy .${data.strategy}` : "no application",
          new Date(data.date).toLocaleString(),
        ].join(" · ")),
        make("span", { className: "badges" },
          sums.unsaved ? badge("unsaved", `${sums.unsaved} unsaved`) : null,
          sums.drift ? badge("drift", `${sums.drift} drifting`) : null,
          sums.wait ? badge("wait", `${sums.wait} waiting`) : null,
          sums.wall ? badge("wall", plural(sums.wall, "block")) : null)),
      make("nav", { "aria-label": "The tree" }, search, tree,
        make("div", { className: "legend" },
          legend("unsaved", "● 2", "unsaved changes of a context"),
          legend("drift", "⇄", "keeps a child of an earlier context"),
          legend("wait", "◔", "a task waits for a context"),
          legend("wall", "▦", "blocks a key"),
          make("div", {}, "◆ top  ◇ child  ▫ view  ▸ presented"),
          make("div", {}, ...["↑", "↓", "←", "→"].map(k => make("kbd", {}, k)), " move  ",
            make("kbd", {}, "/"), " find  ", make("kbd", {}, "Enter"), " keys  ",
            make("kbd", {}, "Esc"), " back"))),
      main);

    """#
}
