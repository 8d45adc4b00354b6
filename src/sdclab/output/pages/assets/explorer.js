// The page around fcrm.js: points in, a fit step by step, its lines and numbers out.

const MAX_POINTS = 2000;
const MAX_CLUSTERS = 10;
const WIDTH = 600, HEIGHT = 450, LEFT = 44, RIGHT = 10, TOP = 10, BOTTOM = 28;
const PAUSE = 120; // milliseconds between iterations, so that the eye can follow

const byId = (name) => document.getElementById(name);
let x = [], y = [];
let fit = null; // the fit so far: memberships, lines, iteration
let timer = null;
let range = { x: [0, 100], y: [0, 100] };

// --- the fit -----------------------------------------------------------------------------------------------------

function problem() { // why there is nothing to fit, if so
  const c = Number(byId("c").value);
  if (!Number.isInteger(c) || c < 1 || c > MAX_CLUSTERS) return `c must be a whole number from 1 to ${MAX_CLUSTERS}.`;
  if (x.length < Math.max(3, c)) return `At least ${Math.max(3, c)} points are needed.`;
  if (largest(y) === smallest(y)) return "All y are equal: there is nothing to protect.";
  return "";
}

function started() { // memberships by fuzzy c-means on x from random points
  const random = seeded(Number(byId("seed").value));
  const u = fcm(x, randomRecords(x, Number(byId("c").value), random), random);
  return { u, lines: [], iteration: 0, objective: NaN, done: false };
}

function advance() {
  const trouble = problem();
  say(trouble);
  if (trouble) return pause();
  fit = fit || started();
  if (fit.done) return pause();
  const next = iterate(x, y, fit.u);
  const iteration = fit.iteration + 1;
  fit = { ...next, iteration, done: next.change <= EPSILON || iteration === MAX_ITERATIONS };
  if (fit.done) {
    pause();
    say(next.change <= EPSILON ? `Converged after ${iteration} iterations.` : `Stopped after ${iteration} iterations, as the papers do.`);
  }
  draw();
}

function run() {
  if (fit && fit.done) fit = null;
  pause();
  byId("run").disabled = true;
  byId("stop").disabled = false;
  timer = setInterval(advance, PAUSE);
  advance();
}

function pause() {
  clearInterval(timer);
  timer = null;
  byId("run").disabled = false;
  byId("stop").disabled = true;
}

function reset() { // the points stay
  pause();
  fit = null;
  say("");
  draw();
}

// --- points ------------------------------------------------------------------------------------------------------

function setPoints(newX, newY) {
  [x, y] = [newX, newY];
  range = { x: spanned(x), y: spanned(y) };
  reset();
}

function spanned(values) { // 0 to 100 while that holds them all, else their own range with a margin
  const low = smallest(values), high = largest(values);
  if (!(low < 0 || high > 100)) return [0, 100];
  const margin = 0.05 * (high - low) || 1;
  return [low - margin, high + margin];
}

function parsed(text) { // pairs of numbers; what is wrong is said by its line, never by its value
  const pairs = [];
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  for (let i = 0; i < lines.length; i++) {
    const fields = lines[i].trim().split(/\s*[,;\t]\s*|\s+/).filter((field) => field !== "");
    if (fields.length === 0) continue;
    const numbers = fields.map((field) => Number(field.replace(/^"(.*)"$/, "$1")));
    const named = pairs.length === 0 && numbers.every(Number.isNaN);
    if (named) continue;
    if (numbers.length !== 2 || !numbers.every(Number.isFinite)) throw new Error(`Line ${i + 1} is not a pair of numbers.`);
    pairs.push(numbers);
  }
  if (pairs.length === 0) throw new Error("There are no pairs of numbers.");
  if (pairs.length > MAX_POINTS) throw new Error(`At most ${MAX_POINTS} points are allowed here; there are ${pairs.length}.`);
  return pairs;
}

function use(text) {
  try {
    const pairs = parsed(text);
    setPoints(pairs.map((pair) => pair[0]), pairs.map((pair) => pair[1]));
    say(`${pairs.length} points.`);
  } catch (error) {
    say(error.message);
  }
}

function twoLines() { // y = 10 + 0.8 x and y = 90 - 0.6 x with a little noise
  const random = seeded(2009);
  const newX = [], newY = [];
  for (let i = 0; i < 60; i++) {
    const at = Math.round(1000 * random()) / 10;
    const noise = 3 * (random() + random() - 1);
    newX.push(at);
    newY.push(Math.round(10 * ((i % 2 ? 90 - 0.6 * at : 10 + 0.8 * at) + noise)) / 10);
  }
  byId("c").value = 2;
  setPoints(newX, newY);
}

function fiveGroups() { // five short slanted groups, as in the paper's example
  const random = seeded(2010);
  const newX = [], newY = [];
  const middles = [[15, 25], [30, 70], [50, 40], [68, 80], [85, 30]];
  for (let i = 0; i < 100; i++) {
    const [middleX, middleY] = middles[i % 5];
    const along = 14 * (random() - 0.5);
    newX.push(Math.round(10 * (middleX + along)) / 10);
    newY.push(Math.round(10 * (middleY + (i % 2 ? 1 : 0.8) * along + 8 * (random() - 0.5))) / 10);
  }
  byId("c").value = 5;
  setPoints(newX, newY);
}

// --- drawing -----------------------------------------------------------------------------------------------------

const across = (v) => LEFT + ((v - range.x[0]) / (range.x[1] - range.x[0])) * (WIDTH - LEFT - RIGHT);
const up = (v) => HEIGHT - BOTTOM - ((v - range.y[0]) / (range.y[1] - range.y[0])) * (HEIGHT - TOP - BOTTOM);

function element(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function axes() {
  const parts = [];
  for (let i = 0; i <= 5; i++) {
    const atX = range.x[0] + (i / 5) * (range.x[1] - range.x[0]), atY = range.y[0] + (i / 5) * (range.y[1] - range.y[0]);
    parts.push(element("line", { x1: across(atX), x2: across(atX), y1: TOP, y2: HEIGHT - BOTTOM, class: "grid" }));
    parts.push(element("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: up(atY), y2: up(atY), class: "grid" }));
    parts.push(element("text", { x: across(atX), y: HEIGHT - 8, "text-anchor": i === 5 ? "end" : "middle" }, short(atX)));
    parts.push(element("text", { x: LEFT - 6, y: up(atY) + 4, "text-anchor": "end" }, short(atY)));
  }
  return parts;
}

function lineOf(line, i, own) { // as far as the cluster's points reach
  const ends = own.length ? [smallest(own), largest(own)] : [];
  const places = ends.map((at) => [across(at), up(line.intercept + line.slope * at)]);
  if (!places.length) return null;
  const [[x1, y1], [x2, y2]] = places;
  return element("line", { x1, y1, x2, y2, class: `fitted k${i}` });
}

function draw() {
  const of = fit ? labels(fit.u) : x.map(() => null);
  const frame = element("clipPath", { id: "frame" });
  frame.append(element("rect", { x: LEFT, y: TOP, width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM }));
  const marks = x.map((v, k) => {
    const i = of[k] === null ? 7 : of[k];
    const place = `translate(${across(v)} ${up(y[k])})`;
    return element("path", { d: of[k] === null ? SHAPES[0] : SHAPES[i], class: `mark hollow k${i}`, transform: place });
  });
  const fitted = fit ? fit.lines.map((line, i) => lineOf(line, i, x.filter((_, k) => of[k] === i))).filter(Boolean) : [];
  const inside = element("g", { "clip-path": "url(#frame)" });
  inside.append(...fitted);
  byId("plane").replaceChildren(frame, ...axes(), ...marks, inside);
  tell(of);
}

const short = (v) => Number(v.toPrecision(5)).toString().replace("-", "−");

function tell(of) {
  byId("count").textContent = x.length;
  byId("iteration").textContent = fit ? fit.iteration : 0;
  const lines = fit ? fit.lines : [];
  const numbers = { objective: NaN, pil: NaN, dr: NaN, score: NaN, change: NaN };
  if (lines.length) {
    const released = release(x, lines, fit.u);
    Object.assign(numbers, { objective: fit.objective, change: fit.change, pil: pil(y, released), dr: dr(y, released) });
    numbers.score = (numbers.pil + numbers.dr) / 2;
  }
  const shown = { objective: short, change: (v) => v.toExponential(2) };
  for (const [name, value] of Object.entries(numbers)) {
    byId(name).textContent = Number.isNaN(value) ? "–" : (shown[name] || ((v) => v.toFixed(3)))(value);
  }
  byId("lines").replaceChildren(...lines.map((line, i) => {
    const row = document.createElement("div");
    const mark = element("svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true" });
    mark.append(element("path", { d: SHAPES[i], class: `mark hollow k${i}` }));
    const sign = line.slope < 0 ? "−" : "+"; // the sign stands apart from the slope
    const members = of.filter((cluster) => cluster === i).length;
    row.append(mark, ` y = ${short(line.intercept)} ${sign} ${short(Math.abs(line.slope))} x, ${members} points`);
    return row;
  }));
}

function say(text) {
  byId("said").textContent = text;
}

// --- what the user does ---------------------------------------------------------------------------------------------

byId("plane").addEventListener("click", (event) => {
  const box = byId("plane").getBoundingClientRect();
  const atX = ((event.clientX - box.left) / box.width) * WIDTH, atY = ((event.clientY - box.top) / box.height) * HEIGHT;
  if (atX < LEFT || atX > WIDTH - RIGHT || atY < TOP || atY > HEIGHT - BOTTOM) return;
  if (x.length >= MAX_POINTS) return say(`At most ${MAX_POINTS} points are allowed here.`);
  x = [...x, range.x[0] + ((atX - LEFT) / (WIDTH - LEFT - RIGHT)) * (range.x[1] - range.x[0])];
  y = [...y, range.y[0] + ((HEIGHT - BOTTOM - atY) / (HEIGHT - TOP - BOTTOM)) * (range.y[1] - range.y[0])];
  reset();
});
byId("run").addEventListener("click", run);
byId("step").addEventListener("click", () => { pause(); advance(); });
byId("stop").addEventListener("click", pause);
byId("reset").addEventListener("click", reset);
byId("two").addEventListener("click", twoLines);
byId("five").addEventListener("click", fiveGroups);
byId("undo").addEventListener("click", () => { x = x.slice(0, -1); y = y.slice(0, -1); reset(); });
byId("clear").addEventListener("click", () => setPoints([], []));
byId("c").addEventListener("change", reset);
byId("seed").addEventListener("change", reset);
byId("use").addEventListener("click", () => use(byId("pairs").value));
byId("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (file) use(await file.text());
});
draw();
