// Fuzzy c-regression in the plane: one x, one y, an intercept. The arithmetic of sdclab.methods.fcrm,
// sdclab.clustering.fcm and sdclab.measures (pil, dr) for this case; a test compares both on the same points.
"use strict";

const EPSILON = 1e-5; // no membership changes by more: the end
const MAX_ITERATIONS = 30;
const FLOOR = 1e-100; // what an error of zero is replaced by
const SAME = 1e-24; // a squared distance below this share of the record's squared x: the record is the centre

const sum = (values) => values.reduce((a, b) => a + b, 0);
const mean = (values) => sum(values) / values.length;
const variance = (values) => { const m = mean(values); return mean(values.map((v) => (v - m) ** 2)); };
const largest = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);
const smallest = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const weights = (u) => u.map((row) => row.map((v) => v * Math.sqrt(v))); // u^m with the papers' m = 1.5

function seeded(seed) { // mulberry32: a small generator, so that a start can be had again
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function randomRecords(x, c, random) { // c different records as first centres
  const order = x.map((_, i) => i);
  for (let i = 0; i < c; i++) {
    const j = i + Math.floor(random() * (order.length - i));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order.slice(0, c).map((i) => x[i]);
}

function memberships(errors) { // cluster x record: relative to a record's smallest error, so that nothing overflows
  const u = errors.map(() => []);
  for (let k = 0; k < errors[0].length; k++) {
    const least = smallest(errors.map((row) => row[k]));
    const shares = errors.map((row) => (least / row[k]) ** 2);
    const total = sum(shares);
    shares.forEach((share, i) => { u[i][k] = share / total; });
  }
  return u;
}

function largestChange(u, before) {
  return largest(u.map((row, i) => largest(row.map((v, k) => Math.abs(v - before[i][k])))));
}

// --- step 1: fuzzy c-means on x -----------------------------------------------------------------------------

function fcm(x, start, random) {
  const origin = quantile([...x].sort((a, b) => a - b), 0.5);
  const records = x.map((v) => v - origin);
  let centres = start.map((v) => v - origin);
  let u = membershipsOrShare(records, centres, random);
  for (let iteration = 1; iteration <= MAX_ITERATIONS; iteration++) {
    centres = weights(u).map((w, i) => {
      const total = sum(w);
      return total > 0 ? sum(w.map((v, k) => v * records[k])) / total : centres[i];
    });
    const updated = membershipsOrShare(records, centres, random);
    const change = largestChange(updated, u);
    u = updated;
    if (change < EPSILON) break;
  }
  return u;
}

function membershipsOrShare(records, centres, random) { // a record that is a centre belongs to it alone
  const distances = centres.map((v) => records.map((r) => (r - v) ** 2));
  const u = memberships(distances.map((row) => row.map((d) => Math.max(d, Number.MIN_VALUE))));
  records.forEach((r, k) => {
    const same = centres.map((_, i) => distances[i][k] <= SAME * r * r);
    const count = same.filter(Boolean).length;
    if (count === 0) return;
    const shares = same.map((is) => (is ? (count > 1 ? random() : 1) : 0));
    const total = sum(shares);
    shares.forEach((share, i) => { u[i][k] = share / total; });
  });
  return u;
}

// --- steps 2 and 3: weighted regressions and new memberships --------------------------------------------------

function basis(x) { // orthonormal: the ones, and x centred; a constant x has no second column
  const origin = mean(x);
  const centred = x.map((v) => v - origin);
  const varies = largest(centred.map(Math.abs)) > 1e-10 * largest(x.map(Math.abs));
  const length = varies ? Math.sqrt(sum(centred.map((v) => v * v))) : Infinity;
  return { origin, length, first: 1 / Math.sqrt(x.length), second: centred.map((v) => v / length) };
}

function regression(columns, y, w) { // least squares by the eigenvalues of X'DX that are not zero
  const { first, second } = columns;
  const a = first * first * sum(w);
  const b = first * sum(w.map((v, k) => v * second[k]));
  const d = sum(w.map((v, k) => v * second[k] ** 2));
  const side = [first * sum(w.map((v, k) => v * y[k])), sum(w.map((v, k) => v * second[k] * y[k]))];
  const angle = 0.5 * Math.atan2(2 * b, a - d);
  const axes = [[Math.cos(angle), Math.sin(angle)], [-Math.sin(angle), Math.cos(angle)]];
  const values = axes.map(([p, q]) => p * p * a + 2 * p * q * b + q * q * d);
  const solution = [0, 0];
  axes.forEach((axis, i) => {
    if (values[i] <= 1e-12 * largest(values)) return;
    const along = (axis[0] * side[0] + axis[1] * side[1]) / values[i];
    solution[0] += along * axis[0];
    solution[1] += along * axis[1];
  });
  const slope = solution[1] / columns.length;
  return { slope, intercept: solution[0] * first - slope * columns.origin };
}

function iterate(x, y, before) { // one iteration from given memberships
  const columns = basis(x);
  const lines = weights(before).map((w) => regression(columns, y, w));
  const errors = lines.map((line) => x.map((v, k) => Math.max((line.intercept + line.slope * v - y[k]) ** 2, FLOOR)));
  const u = memberships(errors);
  const objective = sum(weights(u).map((w, i) => sum(w.map((v, k) => v * errors[i][k]))));
  return { lines, u, objective, change: largestChange(u, before) };
}

function labels(u) { // every record's cluster of greatest membership, the first of equals
  return u[0].map((_, k) => u.reduce((best, row, i) => (row[k] > u[best][k] ? i : best), 0));
}

function release(x, lines, u) {
  return labels(u).map((i, k) => lines[i].intercept + lines[i].slope * x[k]);
}

// --- measures --------------------------------------------------------------------------------------------------

function erf(t) { // a series of positive terms
  if (t > 6) return 1;
  let term = t, total = t;
  for (let k = 0; term > 1e-17 * total; k++) {
    term *= (2 * t * t) / (2 * k + 3);
    total += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-t * t) * total;
}

function loss(change, spread, scale) { // 2 Phi(|z|) - 1; a change below rounding of the scale is none
  return Math.abs(change) <= 1e-12 * scale ? 0 : erf(Math.abs(change) / Math.sqrt(Math.max(spread, 0)) / Math.SQRT2);
}

function quantile(sorted, level) {
  const at = level * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

function pil(y, released) { // one attribute: mean, variance and quantiles
  const n = y.length, size = largest(y.map(Math.abs));
  const centre = mean(y), mu2 = variance(y), mu4 = mean(y.map((v) => (v - centre) ** 4));
  const byMean = loss(mean(released) - centre, mu2 / n, size);
  const byVariance = loss(variance(released) - mu2, Math.max((mu4 - mu2 ** 2) / n, (2 * mu2 ** 2) / n ** 2), mu2);
  const before = [...y].sort((a, b) => a - b), after = [...released].sort((a, b) => a - b);
  const bandwidth = n ** -0.2 * Math.sqrt((mu2 * n) / (n - 1));
  const byQuantiles = [];
  for (let percent = 5; percent < 100; percent += 5) {
    const level = percent / 100, at = quantile(before, level);
    const kernel = mean(y.map((v) => Math.exp(-0.5 * ((at - v) / bandwidth) ** 2)));
    const density = kernel / (bandwidth * Math.sqrt(2 * Math.PI));
    byQuantiles.push(loss(quantile(after, level) - at, (level * (1 - level)) / n / density ** 2, size));
  }
  return (100 * (byMean + byVariance + mean(byQuantiles))) / 3;
}

function dr(y, released) {
  return 0.25 * (dbrl(y, released) + prl(y, released)) + 0.5 * interval(y, released);
}

function standardised(values) {
  const centre = mean(values), spread = Math.sqrt(variance(values));
  const varies = spread > 1e-12 * largest(values.map(Math.abs));
  return values.map((v) => (varies ? (v - centre) / spread : 0));
}

function dbrl(y, released) { // distance-based record linkage; a tie of t nearest records counts 1/t
  const known = standardised(y), seen = standardised(released);
  return 100 * mean(known.map((v, k) => {
    const reach = smallest(seen.map((s) => Math.abs(s - v))) * (1 + 1e-9) + 1e-12;
    return Math.abs(seen[k] - v) > reach ? 0 : 1 / seen.filter((s) => Math.abs(s - v) <= reach).length;
  }));
}

function binned(values) { // ten bins of equal width over the file's own range
  const low = smallest(values), high = largest(values), width = high > low ? high - low : 1;
  return values.map((v) => Math.min(Math.max(Math.floor(((v - low) / width) * 10), 0), 9));
}

function prl(y, released) { // probabilistic record linkage; values agree in the same bin
  const n = y.length, known = binned(y), seen = binned(released);
  const inBin = Array.from({ length: 10 }, (_, b) => seen.filter((s) => s === b).length);
  const agreeing = sum(known.map((b) => inBin[b]));
  const mates = known.filter((b, k) => b === seen[k]).length;
  const inside = (p) => Math.min(Math.max(p, 1e-6), 1 - 1e-6);
  const m = inside(mates / n), u = inside((agreeing - mates) / (n * Math.max(n - 1, 1)));
  const weight = { agree: Math.log(m / u), disagree: Math.log((1 - m) / (1 - u)) };
  return 100 * mean(known.map((b, k) => {
    const counts = { agree: inBin[b], disagree: n - inBin[b] };
    const present = Object.keys(counts).filter((pattern) => counts[pattern] > 0);
    const best = largest(present.map((pattern) => weight[pattern]));
    const tied = sum(present.filter((pattern) => weight[pattern] === best).map((pattern) => counts[pattern]));
    return weight[seen[k] === b ? "agree" : "disagree"] === best ? 1 / tied : 0;
  }));
}

function interval(y, released) { // values within 1 to 10 % of a standard deviation
  const spread = Math.sqrt(variance(y));
  const distances = y.map((v, k) => Math.abs(v - released[k]) / spread);
  const shares = [];
  for (let percent = 1; percent <= 10; percent++) shares.push(mean(distances.map((d) => (d <= percent / 100 ? 1 : 0))));
  return 100 * mean(shares);
}
