// The contents tell where the reader is; the scorecard is narrowed by study, verdict and words.
"use strict";

{
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const sections = [...document.querySelectorAll("main > section")].filter((section) => links.has(section.id));

  function here() { // the last section that has begun in the upper third of the window
    const begun = sections.filter((section) => section.getBoundingClientRect().top < innerHeight / 3);
    const link = links.get((begun.at(-1) ?? sections[0])?.id);
    if (!link || link.ariaCurrent) return;
    links.forEach((other) => other.removeAttribute("aria-current"));
    link.setAttribute("aria-current", "true");
    const list = link.closest("ul"), room = list.getBoundingClientRect(), place = link.getBoundingClientRect();
    list.scrollBy(place.left - room.left - room.width / 3, place.top - room.top - room.height / 3); // the list alone, not the page
  }

  addEventListener("scroll", here, { passive: true });
  addEventListener("resize", here, { passive: true });
  here();
}

function unfold() { // a link to a folded table opens it
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName === "DETAILS") target.open = true;
}
addEventListener("hashchange", unfold);
unfold();

for (const box of document.querySelectorAll(".narrowed")) {
  const choices = box.querySelector(".choices"), rows = [...box.querySelectorAll("tbody tr")];
  const selects = [...choices.querySelectorAll("select")], words = choices.querySelector("input");
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const chosen = (row) => selects.every((select) => {
    return !select.value || row.cells[select.dataset.column].lastChild.textContent.trim() === select.value;
  });

  function narrow() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row, i) => { row.hidden = !chosen(row) || !wanted.every((word) => texts[i].includes(word)); });
    const left = rows.filter((row) => !row.hidden).length;
    choices.querySelector("output").textContent = `${left} of ${rows.length}`;
    box.querySelector(".none").hidden = left > 0;
    box.querySelector(".box").hidden = left === 0;
  }

  choices.hidden = false;
  choices.addEventListener("input", narrow);
  narrow();
}
