/** @import { Judged } from './figures.js' */

const WIDTH = 760
const LEFT = 250
const LONGEST = 370
const TOP = 76
const ROW = 40

/**
 * Draws the ratios as bars: the same rows and notes give the same picture. It follows the reader's choice of light or
 * dark, and its description has all figures for those who cannot see it.
 * @param {Judged[]} rows
 * @param {{ title: string, how: string, where: string }} notes what, how and where it was measured
 */
export function chartOf(rows, { title, how, where }) {
  const height = TOP + rows.length * ROW + 44
  // A round can be faster than bare Fastify.
  const scale = LONGEST / Math.max(1, ...rows.map(({ high, isRefused }) => (isRefused ? 0 : high)))
  const lines = rows.map((row, number) => barOf(row, TOP + number * ROW, scale, number === 0))
  const figures = rows.map((row) => `${row.name}: ${figureOf(row)}`).join('; ')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc" font-family="system-ui,sans-serif" font-size="14">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(`${figures}. ${how} ${where}`)}</desc>
<style>
.card { fill: #fff; stroke: #d0d7de }
text { fill: #1f2328 }
.note { fill: #59636e; font-size: 12px }
.bar { fill: #0969da }
.other { fill: #8c959f }
.range { stroke: #1f2328 }
@media (prefers-color-scheme: dark) {
.card { fill: #0d1117; stroke: #3d444d }
text { fill: #f0f6fc }
.note { fill: #9198a1 }
.bar { fill: #4493f8 }
.other { fill: #656c76 }
.range { stroke: #f0f6fc }
}
</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
<text x="20" y="32" font-size="16" font-weight="600">${escaped(title)}</text>
<text class="note" x="20" y="54">${escaped(how)}</text>
${lines.join('\n')}
<text class="note" x="20" y="${height - 20}">${escaped(where)}</text>
</svg>
`
}

/** @param {Judged} row @param {number} y @param {number} scale @param {boolean} isBare */
function barOf(row, y, scale, isBare) {
  const { name, ratio, low, high, isRefused } = row
  const label = `<text x="20" y="${y + 19}">${escaped(name)}</text>`
  const figure = (/** @type {number} */ x) =>
    `<text x="${rounded(x)}" y="${y + 19}">${escaped(figureOf(row))}</text>`
  if (isRefused) return label + figure(LEFT)
  const at = (/** @type {number} */ value) => LEFT + value * scale
  const kind = name.startsWith('create-authsmith') ? 'bar' : 'other'
  const bar = `<rect class="${kind}" x="${LEFT}" y="${y + 4}" width="${rounded(ratio * scale)}" height="20" rx="3"/>`
  const range = isBare ? '' : `<path class="range" d="M${rounded(at(low))} ${y + 14}H${rounded(at(high))}"/>`
  return label + bar + range + figure(at(Math.max(ratio, high)) + 10)
}

/** @param {Judged} row */
function figureOf({ ratio, perSecond, verdict, isRefused }) {
  if (isRefused) return verdict
  return `${ratio.toFixed(ratio < 0.1 ? 3 : 2)} (${Math.round(perSecond).toLocaleString('en-US')}/s)`
}

/** @param {number} value */
function rounded(value) {
  return Number(value.toFixed(1))
}

/** @param {string} text */
function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
