// Records docs/images/create.svg: a real run of the command in tmux, one picture per step, as an animated SVG.
// `npm run pictures` needs tmux and Chromium.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const COLUMNS = 96
const ROWS = 42
const CELL = { width: 8.4, height: 18 }
const PALETTE = ['#1e1e2e', '#f38ba8', '#a6e3a1', '#f9e2af', '#89b4fa', '#cba6f7', '#94e2d5', '#cdd6f4']
const ESCAPE = '\u001b'
const TEXT = '#cdd6f4'
const DIM = '#7f849c'

const command = join(import.meta.dirname, '../../bin/create-authsmith.js')
const folder = mkdtempSync(join(tmpdir(), 'recording-'))
const socket = join(folder, 'tmux')
const tmux = (...args) =>
  execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' })

/** What the reader sees: keys to press, text to wait for, and how long the picture stays (seconds). */
const STEPS = [
  { keys: ['create-authsmith my-api'], until: /my-api $/, stays: 1.6 },
  { keys: ['Enter'], until: /❯ complete/, stays: 1.6 },
  { keys: ['Enter'], until: /❯ B/, stays: 1.6 },
  { keys: ['Enter'], until: /Database/, stays: 1.4 },
  { keys: ['Enter'], until: /Add-ons/, stays: 1.8 },
  { keys: ['Enter'], until: /Package manager/, stays: 1.2 },
  { keys: ['Enter'], until: /Next:[\s\S]*\$ $/, stays: 6 },
]

const frames = []
try {
  // The run is real: the function stands for the linked command of README.
  const shell = `create-authsmith() { node ${command} "$@"; }; PS1='$ '; clear`
  writeFileSync(join(folder, 'shell'), shell)
  const start = ['bash', '--rcfile', join(folder, 'shell'), '-i']
  tmux('new-session', '-d', '-x', String(COLUMNS), '-y', String(ROWS), '-c', folder, ...start)
  await shown(/^\$ $/)
  for (const { keys, until, stays } of STEPS) {
    tmux('send-keys', ...keys)
    await shown(until)
    // The temporary folder has another name in each recording.
    frames.push({ screen: tmux('capture-pane', '-e', '-p').replaceAll(folder, '/home/alice'), stays })
  }
} finally {
  tmux('kill-server')
  rmSync(folder, { recursive: true, force: true })
}
// A viewer that does not animate shows the first frame: the result.
frames.unshift(...frames.splice(-1))
writeFileSync(join(import.meta.dirname, 'create.svg'), svgOf(frames))

async function shown(text) {
  for (let tries = 0; !text.test(tmux('capture-pane', '-p').trimEnd().concat(' ')); tries += 1) {
    if (tries > 6000) throw new Error(`${text} did not appear:\n${tmux('capture-pane', '-p')}`)
    await sleep(100)
  }
}

/** All frames on top of each other; each is visible for its share of the time. */
function svgOf(frames) {
  const total = frames.reduce((sum, { stays }) => sum + stays, 0)
  const [width, height] = [COLUMNS * CELL.width + 32, ROWS * CELL.height + 32]
  let at = 0
  const pictures = frames.map(({ screen, stays }) => {
    const [from, to] = [at / total, (at + stays) / total].map((share) => share.toFixed(4))
    at += stays
    const times = from === '0.0000' ? `0;${to}` : `0;${from};${to}`
    const values = from === '0.0000' ? 'inline;none' : 'none;inline;none'
    const animation = `<animate attributeName="display" dur="${total.toFixed(1)}s" repeatCount="indefinite" calcMode="discrete" keyTimes="${times}" values="${values}"/>`
    const rows = screen.split('\n').map(rowOf).filter(Boolean)
    return `<g display="${from === '0.0000' ? 'inline' : 'none'}">${animation}${rows.join('')}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" role="img" aria-label="A terminal: create-authsmith my-api asks for mode, profile, database, add-ons and package manager, then writes the project.">
<style>text { white-space: pre }</style>
<rect width="100%" height="100%" rx="8" fill="${PALETTE[0]}"/>
${pictures.join('\n')}
</svg>
`
}

/** One line of the terminal, with its colours. */
function rowOf(line, row) {
  const y = 16 + (row + 1) * CELL.height - 4
  let column = 0
  let style = {}
  const spans = line.split(new RegExp(`(${ESCAPE}\\[[\\d;]*m)`)).map((part) => {
    if (part.startsWith(ESCAPE)) {
      style = styled(style, part.slice(2, -1))
      return ''
    }
    const x = (16 + column * CELL.width).toFixed(1)
    column += [...part].length
    if (part.trim() === '') return ''
    const text = part.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    return `<tspan x="${x}" fill="${style.fill ?? TEXT}"${style.bold ? ' font-weight="bold"' : ''}>${text}</tspan>`
  })
  return spans.some(Boolean) ? `<text y="${y}">${spans.join('')}</text>` : ''
}

function styled(before, codes) {
  let style = { ...before }
  for (const code of codes.split(';')) {
    if (code === '' || code === '0') style = {}
    else if (code === '1') style.bold = true
    else if (code === '2' || code === '90') style.fill = DIM
    else if (code === '39') style.fill = undefined
    else if (/^[39][0-7]$/.test(code)) style.fill = PALETTE[Number(code[1])]
  }
  return style
}
