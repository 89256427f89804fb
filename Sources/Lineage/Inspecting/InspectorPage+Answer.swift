extension InspectorPage {
  /// The answer at the right, for one responder and key.
  static let answerScript = #"""
    const link = i => make("button", { onclick: () => go(i) }, type(i));
    const named = i => name(i) ? make("small", {}, name(i)) : null;
    const item = (i, text) =>
      make("li", {}, link(i), named(i), text ? make("p", {}, text) : null);
    const list = (items, none) => items.length ? make("ul", {}, items) : make("p", {}, none);

    const sentence = (i, key, found) => {
      const code = text => make("code", {}, text);
      const em = text => make("em", { className: found.state }, text);
      const asks = [code(label(i)), " asks for ", code(key.name), " and "];
      if (found.winner < 0)
        return [...asks, "finds ", em("nothing"), `: no responder up to ${label(0)} has it.`];
      const owner = key.owners[found.winner];
      const where = owner === i ? "itself" : code(label(owner));
      const region = key.nearest[i];
      const isUnmade = region >= 0 && region !== found.winner;
      if (isUnmade && (found.state === "value" || found.state === "branch"))
        return [...asks, "gets ", em("a child"), ", which the branch of ",
          code(label(key.owners[region])), " makes at its first use."];
      switch (found.state) {
        case "block": return [...asks, "is stopped by the ", em("block"), " of ", where, "."];
        case "pending": return [...asks, "must ", em("wait"), ": it is expected at ", where, "."];
        case "failed": return [...asks, "gets ", em("an error"), ": it has failed at ", where, "."];
        case "branch": return [...asks, "gets ", em("a child"), ", made by the branch of ", where, "."];
        default: return [...asks, "gets ", em("the value"), " of ", where, "."];
      }
    };

    const cascade = (i, key, found) => {
      const lines = [];
      let silent = [], isDecided = false, isFirstAbove = true;
      const line = (classes, r, what, at, marks) => make("li", { className: classes },
        make("span", { className: "knot" }),
        make("div", {},
          make("div", { className: "who" }, type(r), named(r), marks),
          make("div", { className: "what" }, what)),
        make("span", { className: "at" }, at ?? ""));
      const flush = () => {
        if (!silent.length) return;
        const folded = silent;
        const unfold = event => event.target.closest("li")
          .replaceWith(...folded.map(r => line("", r, "says nothing")));
        const types = folded.slice(0, 5).map(type).join(", ") + (folded.length > 5 ? ", …" : "");
        lines.push(make("li", { className: "fold" }, make("span", { className: "knot" }),
          make("button", { onclick: unfold, title: "Show them" },
            folded.length === 1 ? `${types} says nothing` : `${folded.length} say nothing: ${types}`),
          make("span")));
        silent = [];
      };
      for (const r of chain(i)) {
        const slot = key.nearest[r];
        const isOwner = slot >= 0 && key.owners[slot] === r;
        if (!isOwner && r !== i) { silent.push(r); continue; }
        flush();
        if (!isOwner) { lines.push(line("asked", r, "asked; says nothing itself")); continue; }
        const text = make("b", {}, kind(key, slot));
        const at = key.origins[slot] < 0 ? "" : texts[key.origins[slot]];
        const context = contexts[key.held.get(slot)];
        const marks = [unsaved(context),
          key.drifting.includes(slot) ? badge("drift", "drifts") : null];
        const of = context && context.name !== key.name ? `: ${context.name}` : "";
        if (slot === found.winner) {
          const isWall = found.state === "block";
          lines.push(line(isWall ? "wall winner" : `winner ${found.state}`, r, [text, of], at, marks));
          isDecided = true;
        } else if (!isDecided) {
          lines.push(line("parent", r, [text, "; has no child yet"], at, marks));
        } else {
          const isBranch = isFirstAbove && found.state === "branch";
          const drifts = isBranch && key.drifting.includes(found.winner);
          const [sort, tail] = found.isWall ? ["beyond", "; not reached"]
            : key.isOfHandlers ? ["next", "; asked next, if it is declined"]
            : drifts ? ["drift", "; inherited now, but the child keeps the parent that it had"]
            : isBranch ? ["parent", "; what the branch inherits"] : ["shadowed", "; shadowed"];
          lines.push(line(sort, r, [text, of, tail], at, marks));
          isFirstAbove = false;
        }
      }
      flush();
      if (found.winner < 0)
        lines.push(make("li", { className: "top" }, make("span", { className: "knot" }),
          make("div", { className: "what" }, "the top of the tree")));
      return make("ol", { className: "cascade" }, lines);
    };

    const family = (key, found) => {
      if (!key.held.size) return null;
      const mine = key.held.get(found.winner);
      const boxes = contexts.map((context, i) => make("div", {
        className: i === mine ? "nest mine" : "nest",
      },
        make("div", {}, make("code", {}, context.name),
          context.store ? make("small", {}, ` ${context.store}`) : null, unsaved(context)),
        context.isUnsaved && !context.count
          ? make("p", {}, "This page does not show its changes.") : null,
        context.changes.map(change => make("div", { className: "edit" },
          `${change.object} ${change.sort}`,
          change.properties.map(([property, old, now]) => make("div", {}, `${property} `,
            old ? make("s", {}, old) : null, old ? " " : null, make("ins", {}, now))))),
        context.count > context.changes.length
          ? make("p", {}, `and ${context.count - context.changes.length} more`) : null));
      const roots = [], used = new Set(key.held.values());
      for (const i of used) for (let c = i; c !== undefined; c = contexts[c].parent) used.add(c);
      boxes.forEach((box, i) => {
        if (!used.has(i)) return;
        const parent = contexts[i].parent;
        if (parent === undefined) roots.push(box); else boxes[parent].append(box);
      });
      return make("div", { className: "panel family" },
        make("h2", {}, "The family of contexts"), roots);
    };

    const panels = (i, key, found) => {
      const same = [...parents.keys()]
        .filter(r => r !== i && find(r, key).winner === found.winner);
      const limit = 12;
      const titles = { missing: "Who else finds nothing", block: "Who else is stopped here",
        pending: "Who else would wait for this", failed: "Who else gets this error" };
      const way = new Set(chain(i));
      const misses = found.nearMisses.length
        ? found.nearMisses.map(m => {
          const text = `${m.kind}, ${m.place}`;
          return m.responder < 0 ? make("li", {}, m.path, make("p", {}, text))
            : item(m.responder, text);
        })
        : key.owners.flatMap((r, slot) => way.has(r) ? [] : [item(r, kind(key, slot))]);
      return make("div", { className: "panels" },
        family(key, found),
        make("div", { className: "panel" }, make("h2", {}, titles[found.state] ?? "Who else gets this"),
          list(same.slice(0, limit).map(r => item(r)), "No other responder."),
          same.length > limit ? make("p", {}, `and ${same.length - limit} more`) : null),
        make("div", { className: "panel" }, make("h2", {}, "Not on the way, but near"),
          list(misses.slice(0, limit), "No slot beside the way."),
          misses.length > limit ? make("p", {}, `and ${misses.length - limit} more`) : null));
    };

    """#

  /// The selection, the keyboard and the links.
  static let controlScript = #"""
    let at = data.asker, place = Math.max(0, keys.findIndex(k => k.held.size));
    const draw = () => {
      const key = keys[place];
      const found = key && answer(at, key);
      const way = new Set(chain(at));
      const owner = found && found.winner >= 0 ? key.owners[found.winner] : -1;
      rows.forEach((row, r) => {
        const isStop = found?.state === "block" || found?.state === "failed";
        row.className = `node ${r === owner ? (isStop ? "stopped" : "won") : way.has(r) ? "on" : ""}`;
        row.setAttribute("aria-selected", r === at);
        row.tabIndex = r === at ? 0 : -1;
      });
      main.replaceChildren(
        make("div", { className: "path" }, chain(at).reverse().flatMap((r, n) =>
          [n ? make("span", {}, "›") : null, r === at ? make("span", {}, type(r)) : link(r)])),
        make("h1", {}, type(at), name(at) ? make("small", {}, name(at)) : null),
        make("div", { className: "badges waits" },
          badges[at].wait.map(k => badge("wait", `waits for ${k}`))),
        make("div", { className: "keys", role: "group", "aria-label": "Keys" }, keys.map((k, n) =>
          make("button", { "aria-pressed": n === place, onclick: () => pick(n) },
            make("span", { className: `dot ${find(at, k).state}` }), keyNames[n]))));
      if (!key) return main.append(make("p", { className: "says" }, "No responder has a slot."));
      main.append(
        make("p", { className: "says" }, sentence(at, key, found)),
        ...[...found.notes, ...found.advice].map(text => make("p", { className: "hint" }, text)),
        cascade(at, key, found), panels(at, key, found),
        make("details", {},
          make("summary", {}, "As text, as ", make("code", {}, "explain"), " prints it"),
          make("pre", {}, explain(at, key, found))));
    };
    const go = (responder, key = place) => {
      [at, place] = [responder, key];
      draw();
      rows[at].scrollIntoView({ block: "nearest" });
      const hash = "#" + [anchors[at], keyNames[place] ?? ""].map(encodeURIComponent).join("|");
      try { history.replaceState(null, "", hash); } catch { location.hash = hash; }
    };
    const follow = () => {
      let parts = [];
      try { parts = location.hash.slice(1).split("|").map(decodeURIComponent); } catch {}
      const [responder, key] = [anchors.indexOf(parts[0]), keyNames.indexOf(parts[1])];
      if (responder >= 0) at = responder;
      if (key >= 0) place = key;
      draw();
      rows[at].scrollIntoView({ block: "nearest" });
    };
    const move = step => {
      let next = at + step;
      while (next >= 0 && next < count && rows[next].hidden) next += step;
      if (next >= 0 && next < count) choose(next);
    };
    const pick = n => {
      if (n >= keys.length) return;
      go(at, n);
      main.querySelectorAll(".keys button")[n].focus();
    };
    const choose = responder => { go(responder); rows[responder].focus(); };
    document.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const isIn = element => element.contains(document.activeElement);
      const buttons = [...main.querySelectorAll(".keys button")];
      const inKeys = buttons.indexOf(document.activeElement);
      const actions = {
        "/": () => isIn(search) ? false : search.focus(),
        Escape: () => { search.value = ""; filter(); choose(at); },
        ArrowDown: () => isIn(main) ? false : move(1),
        ArrowUp: () => isIn(main) ? false : move(-1),
        ArrowLeft: () => inKeys > 0 ? pick(inKeys - 1)
          : isIn(tree) && parents[at] >= 0 ? choose(parents[at]) : false,
        ArrowRight: () => inKeys >= 0 ? pick(inKeys + 1)
          : isIn(tree) && children[at].length ? choose(children[at][0]) : false,
        Enter: () => {
          if (isIn(search)) {
            const named = keyNames.findIndex(n => n.toLowerCase() === search.value.toLowerCase());
            if (named >= 0) place = named;
            if (hits.length) choose(hits[0]);
          } else if (isIn(tree)) buttons[place]?.focus(); else return false;
        },
      };
      if (actions[event.key] && actions[event.key]() !== false) event.preventDefault();
    });
    addEventListener("hashchange", follow);
    follow();
    """#
}
