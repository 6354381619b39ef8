// Records the pictures of RECORDINGS: real runs of the command in tmux, one frame per step, as an animated SVG.
// `npm run pictures` needs tmux and Chromium.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const COLUMNS = 96
const CELL = { width: 8.4, height: 18 }
const PALETTE = ['#1e1e2e', '#f38ba8', '#a6e3a1', '#f9e2af', '#89b4fa', '#cba6f7', '#94e2d5', '#cdd6f4']
const ESCAPE = '\u001b'
const TEXT = '#cdd6f4'
const DIM = '#7f849c'

const command = join(import.meta.dirname, '../../bin/create-authsmith.js')

/** What the reader sees: keys to press, text to wait for, and how long the frame stays (seconds). */
const RECORDINGS = [
  {
    picture: 'create.svg',
    label:
      'A terminal: create-authsmith my-api asks for mode, profile, database, add-ons and package manager, then writes the project.',
    rows: 43,
    steps: [
      { keys: ['create-authsmith my-api'], until: /my-api $/, stays: 1.6 },
      { keys: ['Enter'], until: /❯ complete/, stays: 1.6 },
      { keys: ['Enter'], until: /❯ B/, stays: 1.6 },
      { keys: ['Enter'], until: /Database/, stays: 1.4 },
      { keys: ['Enter'], until: /Add-ons/, stays: 1.8 },
      { keys: ['Enter'], until: /Package manager/, stays: 1.2 },
      { keys: ['Enter'], until: /Next:[\s\S]*\$ $/, stays: 6 },
    ],
  },
  {
    picture: 'add.svg',
    label:
      'A terminal: create-authsmith add asks which add-ons a project gets and adds admin and metrics; create-authsmith remove pages takes one out.',
    rows: 36,
    project: 'my-api',
    steps: [
      { keys: ['create-authsmith add'], until: /add $/, stays: 1.6 },
      { keys: ['Enter'], until: /Add-ons to add/, stays: 2 },
      {
        keys: ['Down', 'Space', ...Array(8).fill('Down'), 'Space'],
        until: /◉ metrics/,
        stays: 2,
      },
      { keys: ['Enter'], until: /Added admin, metrics[\s\S]*\$ $/, stays: 4 },
      {
        keys: ["git add . && git commit -qm 'Add admin and metrics'", 'Enter'],
        until: /metrics'\n\$ $/,
        stays: 1,
      },
      { keys: ['create-authsmith remove pages'], until: /pages $/, stays: 1.6 },
      { keys: ['Enter'], until: /removed pages[\s\S]*\$ $/, stays: 6 },
    ],
  },
]

for (const recording of RECORDINGS) {
  const frames = await framesOf(recording)
  // A viewer that does not animate shows the first frame: the result.
  frames.unshift(...frames.splice(-1))
  writeFileSync(join(import.meta.dirname, recording.picture), svgOf(frames, recording))
}

async function framesOf({ project = '.', rows, steps }) {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'))
  const tmux = (...args) =>
    execFileSync('tmux', ['-S', join(folder, 'tmux'), '-f', '/dev/null', ...args], { encoding: 'utf8' })

  async function shown(text) {
    for (let tries = 0; !text.test(tmux('capture-pane', '-p').trimEnd().concat(' ')); tries += 1) {
      if (tries > 6000) throw new Error(`${text} did not appear:\n${tmux('capture-pane', '-p')}`)
      await sleep(100)
    }
  }

  const frames = []
  try {
    if (project !== '.') execFileSync(process.execPath, [command, project, '--yes'], { cwd: folder })
    // The run is real: the function stands for the linked command of README.
    const author = ['AUTHOR', 'COMMITTER'].map(
      (who) => `GIT_${who}_NAME=Alice GIT_${who}_EMAIL=alice@example.com`,
    )
    const shell = `create-authsmith() { node ${command} "$@"; }; export ${author.join(' ')}; PS1='$ '; clear`
    writeFileSync(join(folder, 'shell'), shell)
    const start = ['bash', '--rcfile', join(folder, 'shell'), '-i']
    const size = ['-x', String(COLUMNS), '-y', String(rows)]
    tmux('new-session', '-d', ...size, '-c', join(folder, project), ...start)
    await shown(/^\$ $/)
    for (const { keys, until, stays } of steps) {
      tmux('send-keys', ...keys)
      await shown(until)
      // The temporary folder has another name in each recording.
      frames.push({ screen: tmux('capture-pane', '-e', '-p').replaceAll(folder, '/home/alice'), stays })
    }
  } finally {
    tmux('kill-server')
    rmSync(folder, { recursive: true, force: true })
  }
  return frames
}

/** All frames on top of each other; each is visible for its share of the time. */
function svgOf(frames, { label, rows }) {
  const total = frames.reduce((sum, { stays }) => sum + stays, 0)
  const [width, height] = [COLUMNS * CELL.width + 32, rows * CELL.height + 32]
  let at = 0
  const pictures = frames.map(({ screen, stays }) => {
    const [from, to] = [at / total, (at + stays) / total].map((share) => share.toFixed(4))
    at += stays
    const times = from === '0.0000' ? `0;${to}` : `0;${from};${to}`
    const values = from === '0.0000' ? 'inline;none' : 'none;inline;none'
    const animation = `<animate attributeName="display" dur="${total.toFixed(1)}s" repeatCount="indefinite" calcMode="discrete" keyTimes="${times}" values="${values}"/>`
    const lines = screen.split('\n').map(rowOf).filter(Boolean)
    return `<g display="${from === '0.0000' ? 'inline' : 'none'}">${animation}${lines.join('')}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" role="img" aria-label="${label}">
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
