// Judges a page by what the browser has drawn, at the present width: returns [{rule, text}], empty for a sound page.
//
// It knows no class and no template of the inspector; rectangles are those of the text's line boxes, in CSS pixels.
// overlap: two texts lie on each other. beyond: something extends beyond the page's width. cut: a box that cannot be
// scrolled cuts a text off. broken: a word is drawn over several lines although it could stay whole (see `canStayWhole`).
() => {
  "use strict";
  const UNSEEN = new Set(["SCRIPT", "STYLE", "TITLE", "NOSCRIPT", "TEMPLATE", "OPTION", "OPTGROUP", "TEXTAREA"]);
  const BREAKS = new Set(["BR", "WBR", "IMG", "INPUT", "SELECT", "TEXTAREA", "BUTTON", "VIDEO", "IFRAME", "svg"]);
  const MOST = 8; // findings of a rule
  const page = document.documentElement;
  const view = page.clientWidth;
  const found = [];
  const say = (rule, text) => {
    if (found.filter((each) => each.rule === rule).length < MOST) found.push({ rule, text });
  };
  const brief = (text) => (text.length > 90 ? `${text.slice(0, 89)}…` : text);
  const called = (node) => brief(node.data.replace(/\s+/g, " ").trim());
  const memo = (make) => {
    const known = new Map();
    return (key) => known.get(key) ?? known.set(key, make(key)).get(key);
  };
  const styleOf = (element) => getComputedStyle(element);

  // ---- Rectangles, and what is seen of them.
  const EVERYTHING = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };
  const cap = (a, b) => ({
    left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
  });
  const isSeen = (rect) => rect.right - rect.left >= 2 && rect.bottom - rect.top >= 2;
  // Where letters have ink: without the space that fonts leave above capitals and below.
  const ink = (rect) => {
    const rim = (rect.bottom - rect.top) * 0.15;
    return { left: rect.left, right: rect.right, top: rect.top + rim, bottom: rect.bottom - rim };
  };
  const paddingBox = (element) => {
    const rect = element.getBoundingClientRect(), style = styleOf(element);
    const border = (side) => parseFloat(style[`border${side}Width`]) || 0;
    return {
      left: rect.left + border("Left"), right: rect.right - border("Right"),
      top: rect.top + border("Top"), bottom: rect.bottom - border("Bottom"),
    };
  };
  const contentBox = (element) => {
    const box = paddingBox(element), style = styleOf(element);
    return { left: box.left + parseFloat(style.paddingLeft), right: box.right - parseFloat(style.paddingRight) };
  };
  const isInline = (element) => !BREAKS.has(element.tagName) && /^(inline|contents)$/.test(styleOf(element).display);
  const blockOf = (element) => {
    while (isInline(element)) element = element.parentElement;
    return element;
  };
  // An element that the reader can scroll sideways or up and down.
  const scrolls = (element, style = styleOf(element)) =>
    (/auto|scroll/.test(style.overflowX) && element.scrollWidth > element.clientWidth) ||
    (/auto|scroll/.test(style.overflowY) && element.scrollHeight > element.clientHeight);
  // What clips an element's content. `all` is what is seen at once; `inner` what is seen while the nearest scrolled box,
  // `scroller`, is scrolled; `shortens`: something that clips puts an ellipsis.
  const clipOf = memo((element) => {
    if (!element || element === page || element === document.body) {
      return { all: EVERYTHING, inner: EVERYTHING, scroller: null, shortens: false };
    }
    const style = styleOf(element);
    const outer = clipOf(holder(element, style));
    const clips = (style.display !== "inline" || element.tagName === "svg") && (style.overflowX !== "visible" || style.overflowY !== "visible");
    if (/inset\((50|100)%/.test(style.clipPath)) return { ...outer, all: { ...outer.all, right: -1e9 }, inner: { ...outer.inner, right: -1e9 } };
    if (!clips) return outer;
    const box = paddingBox(element);
    if (style.overflowX === "visible") Object.assign(box, { left: -1e9, right: 1e9 });
    if (style.overflowY === "visible") Object.assign(box, { top: -1e9, bottom: 1e9 });
    const all = cap(outer.all, box);
    if (scrolls(element, style)) return { all, inner: EVERYTHING, scroller: element, shortens: false };
    const shortens = outer.shortens || style.textOverflow !== "clip";
    return { all, inner: cap(outer.inner, box), scroller: outer.scroller, shortens };
  });
  // The ancestor whose clipping applies: boxes that are positioned escape those between them and what they stand on.
  const holder = (element, style) => {
    if (style.position === "fixed") return null;
    let up = element.parentElement;
    while (style.position === "absolute" && up && styleOf(up).position === "static" && styleOf(up).transform === "none") {
      up = up.parentElement;
    }
    return up;
  };
  // The opaque box that stays where it is while the page is scrolled, such as a bar; texts pass below it on purpose.
  const barOf = memo((element) => {
    if (!element) return null;
    const style = styleOf(element);
    const opaque = !/^rgba\(.*, 0(\.\d+)?\)$|transparent/.test(style.backgroundColor);
    return /fixed|sticky/.test(style.position) && opaque ? element : barOf(element.parentElement);
  });
  const isShown = memo((element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }));
  const rectsOf = (node, start = 0, end = node.data.length) => {
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, end);
    return [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
  };

  // ---- Texts: each line of each text node. The browser takes long to find a place in a node of many lines, so these
  // are split first, which changes nothing that is drawn.
  const nodesWithin = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    return nodes;
  };
  for (let node of nodesWithin(document.body)) {
    for (let end; node.data.length > 200 && (end = node.data.slice(100).search(/\s/)) >= 0; ) node = node.splitText(end + 101);
  }
  const isPreformatted = memo((element) => /preserve|spaces/.test(styleOf(element).whiteSpaceCollapse));
  // The rectangles of a node's lines; word by word where spaces at the end of a line hang out of the box.
  const lettersOf = (node) => {
    const rects = rectsOf(node), element = node.parentElement;
    if (!isPreformatted(element)) return rects;
    const { right } = contentBox(blockOf(element));
    if (rects.every((rect) => rect.right <= right)) return rects;
    return [...node.data.matchAll(/\S+/g)].flatMap(({ 0: word, index }) => rectsOf(node, index, index + word.length));
  };
  const lines = [];
  for (const node of nodesWithin(document.body)) {
    const element = node.parentElement;
    if (!node.data.trim() || UNSEEN.has(element.tagName) || !isShown(element)) continue;
    const clip = clipOf(element);
    for (const rect of lettersOf(node)) {
      if (rect.right > 0 && rect.bottom > 0) lines.push({ node, element, rect, clip });
    }
  }

  const judgeOverlap = () => {
    const told = new Set();
    lines.sort((a, b) => a.rect.top - b.rect.top);
    lines.forEach((one, place) => {
      for (let next = place + 1; next < lines.length && lines[next].rect.top < one.rect.bottom; next++) {
        const other = lines[next];
        const part = one.clip.scroller === other.clip.scroller ? "inner" : "all";
        const a = cap(one.rect, one.clip[part]), b = cap(other.rect, other.clip[part]);
        if (!isSeen(a) || !isSeen(b)) continue;
        const both = cap(ink(a), ink(b));
        if (both.right - both.left <= 1 || both.bottom - both.top <= 1) continue;
        if (barOf(one.element) !== barOf(other.element)) continue;
        if (one.node === other.node && one.clip.shortens) continue; // with the ellipsis, and without
        const text = `“${called(one.node)}” and “${called(other.node)}”`;
        if (!told.has(text)) say("overlap", text);
        told.add(text);
      }
    });
  };

  const judgeWidth = () => {
    for (const { node, rect, clip } of lines) {
      const seen = cap(rect, clip.all);
      if (isSeen(seen) && (seen.right > view + 1 || seen.left < -1)) {
        say("beyond", `“${called(node)}” reaches from ${Math.round(seen.left)} to ${Math.round(seen.right)} px`);
      }
    }
    if (page.scrollWidth <= view || found.some((each) => each.rule === "beyond")) return;
    const reaches = (element) => {
      const rect = cap(element.getBoundingClientRect(), clipOf(element.parentElement).all);
      return isShown(element) && rect.right > view + 0.5 && rect.bottom > rect.top;
    };
    const wide = [...document.body.querySelectorAll("*")].filter(reaches);
    const innermost = wide.filter((element) => !wide.some((other) => other !== element && element.contains(other)));
    for (const element of innermost) say("beyond", `<${element.tagName.toLowerCase()}> ${brief(element.textContent.trim())}`);
    if (!innermost.length) say("beyond", `the page is ${page.scrollWidth} px wide`);
  };

  const judgeCuts = () => {
    for (const { node, element, rect, clip } of lines) {
      const seen = cap(rect, clip.inner), letters = ink(rect);
      const drawn = isSeen(seen) || (element.closest("svg") && isSeen(clip.inner));
      const cut = seen.left > rect.left + 1.5 || seen.right < rect.right - 1.5
        || seen.top > letters.top + 1.5 || seen.bottom < letters.bottom - 1.5;
      if (drawn && cut && !clip.shortens) say("cut", `“${called(node)}”`);
    }
  };

  // ---- Words: runs of characters that are no spaces, also through several inline elements.
  // Calls `take` with the text nodes of each run of inline content within `root`.
  const eachFlow = (root, take) => {
    let nodes = [];
    const flush = () => {
      if (nodes.length) take(nodes);
      nodes = [];
    };
    const walk = (element) => {
      for (const child of element.childNodes) {
        if (child.nodeType === Node.TEXT_NODE) nodes.push(child);
        else if (child.nodeType === Node.ELEMENT_NODE && !UNSEEN.has(child.tagName) && child.tagName !== "svg") {
          const inline = isInline(child);
          if (!inline) flush();
          if (child.checkVisibility({ checkVisibilityCSS: true }) || styleOf(child).display === "contents") walk(child);
          if (!inline) flush();
        }
      }
    };
    walk(root);
    flush();
  };
  const rows = (rects) => rects.reduce((count, rect, place) => {
    const before = rects[place - 1];
    const apart = before && Math.abs(rect.top + rect.bottom - before.top - before.bottom) / 2;
    return count + (before && apart < 0.6 * Math.min(rect.height, before.height) ? 0 : 1);
  }, 0);
  const pen = document.createElement("canvas").getContext("2d");
  const isMonospace = memo((font) => {
    pen.font = font;
    return pen.measureText("iiii").width === pen.measureText("mmmm").width;
  });
  const ANYWHERE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}\p{M}\u200d\uff00-\uffef]/u;
  const COMPOUND = /^[^\p{L}\p{N}]*\p{L}+(['’]\p{L}+)*([-‐–—/]+(\p{L}+(['’]\p{L}+)*|\p{N}+))*[^\p{L}\p{N}]*$/u;
  const ADDRESS = /^\P{L}*\p{L}+:\/\/\S+$/u;
  // Text of several words in a typewriter face, such as a command or JSON: no style holds one word of it together.
  const isListing = memo((element) => {
    if (isPreformatted(element)) return true;
    let typed = null;
    for (let up = element; up && isMonospace(styleOf(up).font); up = up.parentElement) typed = up;
    return typed !== null && (/\s/.test(typed.textContent.trim()) || typed.querySelector("wbr") !== null);
  });
  // Whether lines may end here: between characters of a script without spaces; behind the hyphen, dash or slash of a
  // compound in prose, or of anything in a listing; between the words of what is not a word, such as JSON without spaces.
  // Elsewhere a name and an address are to be whole.
  const isLawful = (text, place, element) => {
    const before = text[place - 1], after = text[place];
    if (ANYWHERE.test(text.slice(Math.max(0, place - 2), place + 2))) return true;
    if (/[-‐–—/?]/.test(before)) {
      if (isListing(element) || (COMPOUND.test(text) && !isMonospace(styleOf(element).font))) return true;
    }
    if (ADDRESS.test(text) || /[,;:.)\]}]/.test(after)) return false;
    return /[,;)\]}>|&=?]/.test(before) || /[[({<]/.test(after) || (/["'`]/.test(after) && /[[({<:]/.test(before));
  };

  class Word {
    constructor(text, parts) {
      this.text = text; // parts: [node, start, end]
      this.parts = parts;
      this.rects = parts.flatMap((part) => rectsOf(...part));
      this.width = this.rects.reduce((sum, rect) => sum + rect.width, 0);
      this.element = parts[0][0].parentElement;
    }
    // The places in the text at which a new line begins.
    places() {
      const places = [];
      let before = null, place = 0;
      for (const [node, start, end] of this.parts) {
        for (let at = start; at < end; at++, place++) {
          const rect = rectsOf(node, at, at + 1)[0];
          if (!rect) continue;
          if (before && rows([before, rect]) > 1) places.push(place);
          before = rect;
        }
      }
      return places;
    }
  }
  // The width that no line within the element exceeds without something being moved.
  const limit = (element) => (clipOf(element).scroller ?? page).clientWidth;
  // The broken words within an element that are not wider than any line.
  const brokenWords = (root) => {
    const broken = [];
    eachFlow(root, (nodes) => {
      if (!isShown(nodes[0].parentElement)) return;
      const drawn = nodes.map((node) => (node.data.trim() ? rectsOf(node) : []));
      if (rows(drawn.flat()) < 2) return;
      const text = nodes.map((node) => node.data).join("");
      let first = 0, begin = 0; // the node in which the word begins, and where that begins in the text
      for (const match of text.matchAll(/[^\s\u200b\u00ad]{2,}/gu)) {
        const end = match.index + match[0].length;
        while (begin + nodes[first].data.length <= match.index) begin += nodes[first++].data.length;
        const parts = [];
        for (let place = first, at = begin; at < end; at += nodes[place++].data.length) {
          parts.push([nodes[place], Math.max(match.index - at, 0), Math.min(end - at, nodes[place].data.length)]);
        }
        if (parts.length === 1 && drawn[first].length < 2) continue;
        const word = new Word(match[0], parts);
        if (rows(word.rects) < 2 || word.width > limit(word.element)) continue;
        word.breaks = word.places();
        if (word.breaks.some((place) => !isLawful(word.text, place, word.element))) broken.push(word);
      }
    });
    return broken;
  };

  const isInLine = (element) => /inline-|table-cell/.test(styleOf(element).display);
  // Holds a word together; returns the function that lets it go again. Tables choose their columns' widths meanwhile, and
  // no box in a line and no cell is bound to be narrower than a short line of prose.
  const hold = (word) => {
    const undo = [];
    const put = (element, name, value) => {
      const old = element.style.getPropertyValue(name), weight = element.style.getPropertyPriority(name);
      element.style.setProperty(name, value, "important");
      undo.push(() => (old ? element.style.setProperty(name, old, weight) : element.style.removeProperty(name)));
    };
    for (let table = word.element.closest("table"); table; table = table.parentElement.closest("table")) {
      if (styleOf(table).tableLayout !== "fixed") continue;
      put(table, "table-layout", "auto");
      for (const cell of table.querySelectorAll("th, td, col")) put(cell, "width", "auto");
    }
    for (let box = blockOf(word.element); isInLine(box); box = blockOf(box.parentElement)) {
      const bound = styleOf(box).maxWidth;
      if (bound !== "none") put(box, "max-width", `max(${bound}, 50ch)`);
    }
    word.held = [];
    for (const [node, start, end] of word.parts) {
      const span = document.createElement("span");
      span.textContent = node.data.slice(start, end);
      span.style.whiteSpace = "nowrap";
      const all = [document.createTextNode(node.data.slice(0, start)), span, document.createTextNode(node.data.slice(end))];
      node.replaceWith(...all);
      word.held.push(span.firstChild);
      undo.push(() => {
        all[0].replaceWith(node);
        all[1].remove();
        all[2].remove();
      });
    }
    return () => undo.reverse().forEach((step) => step());
  };
  const counted = (words) => words.reduce((counts, { text }) => counts.set(text, (counts.get(text) ?? 0) + 1), new Map());
  // The width of the line that a word's box could have: of the box, or of the row of a grid or flexible box in which it
  // stands beside others, since a row can give a word its width or stand below each other.
  const lineOf = (block) => {
    for (let box = block; box.parentElement; box = box.parentElement) {
      const up = box.parentElement;
      if (/flex|grid/.test(styleOf(up).display)) return contentBox(up);
      const beside = [...up.childNodes].some((child) => child !== box && child.textContent.trim() && !UNSEEN.has(child.tagName));
      if (beside || /table/.test(styleOf(box).display)) break;
    }
    return contentBox(block);
  };
  const widthOf = (box) => box.right - box.left;
  // A word could stay whole if it is not wider than its row; or if, held together, it lies on one line of its box, nothing
  // else begins to be scrolled or to extend for it, and no shorter word breaks instead.
  const canStayWhole = (word, broken) => {
    const block = blockOf(word.element), above = [];
    if (Math.abs(word.width - widthOf(contentBox(block))) <= 1) return false; // by a part of a pixel it did not fit
    if (word.width <= widthOf(lineOf(block))) return true;
    for (let element = block; element; element = element.parentElement) {
      above.push({ element, width: element.getBoundingClientRect().width, over: element.scrollWidth - element.clientWidth,
        moves: scrolls(element) && element.scrollWidth > element.clientWidth });
    }
    const release = hold(word);
    try {
      const rects = word.held.flatMap((node) => rectsOf(node));
      if (rows(rects) > 1) return false;
      for (let box = block, inLine = true; inLine; box = blockOf(box.parentElement)) {
        const { left, right } = contentBox(box);
        if (rects.some((rect) => rect.right > right + 0.5 || rect.left < left - 0.5)) return false;
        inLine = isInLine(box) && styleOf(box).display !== "table-cell";
      }
      const mover = above.findIndex(({ moves, element }) => moves && word.width <= element.clientWidth);
      if (above.some(({ element, over }, place) => element.scrollWidth - element.clientWidth > over + 1 && place > mover)) return false;
      const moved = above.findLastIndex(({ element, width }) => Math.abs(element.getBoundingClientRect().width - width) > 0.5);
      const region = above[Math.min(moved + 1, above.length - 1)].element;
      const before = counted(broken.filter(({ element }) => region.contains(element)));
      const after = brokenWords(region), counts = counted(after);
      return !after.some(({ text, width }) => width < word.width && counts.get(text) > (before.get(text) ?? 0));
    } finally {
      release();
    }
  };
  const judgeWords = () => {
    const broken = brokenWords(document.body), known = new Set(), narrowest = new Map();
    const tables = [...document.querySelectorAll("table")];
    for (const word of broken) {
      if (found.filter(({ rule }) => rule === "broken").length >= MOST) return;
      const block = blockOf(word.element), room = Math.round(widthOf(contentBox(block)));
      const key = `${word.text} ${room}`;
      if (known.has(key)) continue;
      known.add(key);
      // What is too wide for a column, or a box, makes all that is wider too wide.
      const column = block.closest("td, th"), place = column ? `${tables.indexOf(column.closest("table"))} ${column.cellIndex}` : block;
      if (word.width >= (narrowest.get(place) ?? Infinity)) continue;
      if (!canStayWhole(word, broken)) narrowest.set(place, word.width);
      else {
        const shown = [0, ...word.breaks].map((place, index) => word.text.slice(place, word.breaks[index]));
        say("broken", `“${brief(shown.join("|"))}”, ${Math.round(word.width)} px wide, in <${block.tagName.toLowerCase()}> of ${room} px`);
      }
    }
  };

  scrollTo(0, 0);
  judgeOverlap();
  judgeWidth();
  judgeCuts();
  judgeWords();
  return found;
}
