// Points of the risk-utility maps tell what they are; folded tables unfold for the printer.
"use strict";

const card = document.getElementById("card");

function show(point) {
  card.replaceChildren(...point.getAttribute("aria-label").split("; ").map((line) => {
    const row = document.createElement("div");
    row.textContent = line;
    return row;
  }));
  card.hidden = false;
  const mark = point.getBoundingClientRect(), box = card.getBoundingClientRect();
  const left = Math.min(mark.right + 8, innerWidth - box.width - 8);
  const below = mark.bottom + 8 + box.height < innerHeight;
  card.style.left = `${Math.max(8, left)}px`;
  card.style.top = `${below ? mark.bottom + 8 : Math.max(8, mark.top - box.height - 8)}px`;
}

function hide() {
  card.hidden = true;
}

function along(points, from, key) { // where an arrow key leads: the nearest point to the left or right, by PIL
  const ordered = [...points].sort((a, b) => a.getBoundingClientRect().x - b.getBoundingClientRect().x);
  return ordered[ordered.indexOf(from) + (key === "ArrowRight" || key === "ArrowDown" ? 1 : -1)];
}

for (const map of document.querySelectorAll(".map")) {
  const points = map.querySelectorAll(".point");
  points.forEach((point, i) => {
    point.tabIndex = i === 0 ? 0 : -1; // one stop for Tab; the arrow keys do the rest
    point.addEventListener("pointerenter", () => show(point));
    point.addEventListener("pointerleave", hide);
    point.addEventListener("focus", () => show(point));
    point.addEventListener("blur", hide);
    point.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
      const next = along(points, point, event.key);
      if (!next) return;
      point.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  });
}

addEventListener("scroll", () => { // a point under the mouse or with the focus takes its card along
  const point = document.querySelector(".point:hover, .point:focus");
  if (point) show(point); else hide();
}, { capture: true, passive: true });
const folded = () => [...document.querySelectorAll("details:not([open])")];
let unfolded = [];
addEventListener("beforeprint", () => { unfolded = folded(); unfolded.forEach((part) => { part.open = true; }); });
addEventListener("afterprint", () => unfolded.forEach((part) => { part.open = false; }));
