import { describe, expect, it } from 'vitest'
import { decide } from '../../../../src/update/files/decide.ts'
import type { Undecided } from '../../../../src/update/files/file.ts'

type Versions = Omit<Undecided, 'path'>
type Disk = Undecided['disk']

const onDisk = (text: string): Disk => ({
  ...{ kind: 'text', bytes: Buffer.from(text), mode: 0o644, hasByteOrderMark: false, isCrLf: false },
  text,
})
const absent: Disk = { kind: 'absent' }
const binary: Disk = { kind: 'other', what: 'binary' }

const OLD = 'one\ntwo\nthree\n'
const OURS = 'one\ntwo\nTHREE\n'
const MINE = 'ONE\ntwo\nthree\n'
const BOTH = 'ONE\ntwo\nTHREE\n'
const CLASH = 'one\ntwo\n3\n'

const decideOn = (versions: Versions, path = 'src/a.ts') => decide({ path, ...versions }, 'complete B')

describe('the decision table', () => {
  const table: [string, Versions, object][] = [
    ['base absent, disk is what is generated', { disk: onDisk(OURS), next: OURS }, { action: 'same' }],
    ['both changed it alike', { base: OLD, disk: onDisk(OURS), next: OURS }, { action: 'same' }],
    ['neither side changed it', { base: OLD, disk: onDisk(OLD), next: OLD }, { action: 'same' }],
    [
      'untouched, generated differently',
      { base: OLD, disk: onDisk(OLD), next: OURS },
      { action: 'update', text: OURS },
    ],
    ['untouched, no longer generated', { base: OLD, disk: onDisk(OLD) }, { action: 'delete' }],
    ['edited, generated as before', { base: OLD, disk: onDisk(MINE), next: OLD }, { action: 'edited' }],
    [
      'edited, generated differently, in different places',
      { base: OLD, disk: onDisk(MINE), next: OURS },
      { action: 'merge', text: BOTH },
    ],
    [
      'edited, generated differently, in one place',
      { base: OLD, disk: onDisk(CLASH), next: OURS },
      {
        action: 'conflict',
        text: 'one\ntwo\n<<<<<<< yours\n3\n=======\nTHREE\n>>>>>>> create-authsmith: complete B\n',
      },
    ],
    [
      'edited so that it already holds what is new',
      { base: OLD, disk: onDisk(BOTH), next: OURS },
      { action: 'edited' },
    ],
    ['edited, no longer generated', { base: OLD, disk: onDisk(MINE) }, { action: 'yours' }],
    ['deleted, generated as before', { base: OLD, disk: absent, next: OLD }, { action: 'same' }],
    ['deleted, generated differently', { base: OLD, disk: absent, next: OURS }, { action: 'deleted' }],
    ['deleted, no longer generated', { base: OLD, disk: absent }, { action: 'same' }],
    ['new', { disk: absent, next: OURS }, { action: 'create', text: OURS }],
    [
      'new, at the path of a file that the owner added',
      { disk: onDisk('one\nmine\n'), next: OLD },
      {
        action: 'conflict',
        text: 'one\n<<<<<<< yours\nmine\n=======\ntwo\nthree\n>>>>>>> create-authsmith: complete B\n',
      },
    ],
    ["a file of the owner's, never generated", { disk: onDisk(MINE) }, { action: 'same' }],
    [
      'new, in a folder that the owner deleted',
      { disk: absent, next: OURS, isFolderDeleted: true },
      { action: 'deleted' },
    ],
    [
      'generated again after the owner edited it, in a folder that they deleted',
      { base: OLD, disk: absent, next: OURS, dropped: 'edited', isFolderDeleted: true },
      { action: 'deleted' },
    ],
    ['absent everywhere', { disk: absent }, { action: 'same' }],
    [
      'generated again, and the owner had deleted it',
      { disk: absent, next: OURS, dropped: 'deleted' },
      { action: 'deleted' },
    ],
    [
      'generated again, and the edited rest is gone',
      { base: OLD, disk: absent, next: OURS, dropped: 'edited' },
      { action: 'create', text: OURS },
    ],
    [
      'generated again, and the edited rest is there',
      { base: OLD, disk: onDisk(MINE), next: OURS, dropped: 'edited' },
      { action: 'merge', text: BOTH },
    ],
  ]
  it.each(table)('%s', (_, versions, expected) => {
    expect(decideOn(versions)).toEqual(expected)
  })

  it.each<[string, string | undefined, string | undefined]>([
    ['untouched by the generator', OLD, OLD],
    ['generated differently', OLD, OURS],
    ['new', undefined, OURS],
    ['no longer generated', OLD, undefined],
  ])('keeps a file that it cannot read, and says why: %s', (_, base, next) => {
    expect(decideOn({ base, disk: binary, next })).toEqual({
      action: 'kept',
      detail: 'binary',
    })
  })

  it('never replaces or deletes a text that it did not generate', () => {
    const texts = [undefined, OLD, OURS, MINE]
    for (const base of texts) {
      for (const next of texts) {
        for (const disk of [OLD, OURS, MINE, CLASH]) {
          const { action, text: result = '' } = decideOn({ base, disk: onDisk(disk), next })
          if (action === 'delete' || action === 'update') expect(disk).toBe(base)
          expect(action).not.toBe('create')
          const own = disk.split('\n').filter((line) => !base?.split('\n').includes(line))
          if (action === 'conflict') expect(result.split('\n')).toEqual(expect.arrayContaining(own))
        }
      }
    }
  })
})

describe('a README', () => {
  const doc = (...rows: string[]) =>
    `# my-api\n\nHello.\n\n## Docs\n\n| page | read it to |\n|---|---|\n${rows.map((row) => `| ${row} | |\n`).join('')}\n## Map\n\n    src/\n`
  const path = 'README.md'

  it('that the owner wrote anew stays, whatever rows an add-on adds or takes out', () => {
    const mine = '# Shop\n\nOurs.\n'
    for (const [base, next] of [
      [doc('a', 'b'), doc('a', 'b', 'c')],
      [doc('a', 'b'), doc('a')],
    ] as const)
      expect(decideOn({ base, disk: onDisk(mine), next }, path)).toEqual({ action: 'edited' })
  })

  it('gets the rows of the sections that it still has', () => {
    const disk = doc('a').replace('# my-api\n\nHello.', '# Shop').replace('## Map\n\n    src/\n', 'Ours.\n')
    const next = doc('a', 'b').replace('    src/', '    src/\n    lib/')
    const text = doc('a', 'b')
      .replace('# my-api\n\nHello.', '# Shop')
      .replace('## Map\n\n    src/\n', 'Ours.\n')
    expect(decideOn({ base: doc('a'), disk: onDisk(disk), next }, path)).toEqual({ action: 'merge', text })
  })

  it('has a conflict where both sides changed a row', () => {
    const { action } = decideOn({ base: doc('a'), disk: onDisk(doc('mine')), next: doc('new') }, path)
    expect(action).toBe('conflict')
  })
})

describe('JSON', () => {
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`

  it('is merged by key', () => {
    const decision = decideOn(
      {
        base: json({ dependencies: { a: '1', c: '1' } }),
        disk: onDisk(json({ dependencies: { a: '1', b: '1', c: '1' } })),
        next: json({ dependencies: { a: '1', bb: '2', c: '1' } }),
      },
      'package.json',
    )
    expect(decision).toEqual({
      action: 'merge',
      text: json({ dependencies: { a: '1', b: '1', bb: '2', c: '1' } }),
    })
  })

  it('that the owner wrote at the path of a new file is a conflict', () => {
    const decision = decideOn({ disk: onDisk('{"a":1}\n'), next: '{"b":1}\n' }, 'tsconfig.json')
    expect(decision).toMatchObject({
      action: 'conflict',
      text: expect.stringContaining('<<<<<<< yours\n{"a":1}\n'),
    })
  })
})

describe('what only a formatter changed', () => {
  const base = "const a = '1'\nconst m = 0\nconst b = [1, 2]\n"
  const reformatted = 'const a = "1";\n\nconst m = 0;\nconst b = [\n\t1,\n\t2,\n];\n'
  const next = "const a = '2'\nconst m = 0\nconst b = [1, 2]\n"

  it('is updated or deleted', () => {
    const disk = onDisk(reformatted)
    expect(decideOn({ base, disk, next })).toEqual({ action: 'update', text: next.replace("'2'", '"2"') })
    expect(decideOn({ base, disk })).toEqual({ action: 'delete' })
    expect(decideOn({ base, disk, next: base })).toEqual({ action: 'same' })
  })

  it('stays in lines that the generator does not change', () => {
    const disk = onDisk(base.replace('[1, 2]\n', '[1, 2]'))
    expect(decideOn({ base, disk, next })).toEqual({ action: 'update', text: next.trimEnd() })
  })

  it('is merged in the layout of the owner, with the edits of both sides', () => {
    const disk = onDisk(reformatted.replace('2,\n', '2,\n\t3,\n'))
    const text = 'const a = "2"\nconst m = 0;\nconst b = [\n\t1,\n\t2,\n\t3,\n];\n'
    expect(decideOn({ base, disk, next })).toEqual({ action: 'merge', text })
  })

  it('has markers only around what both sides changed', () => {
    const disk = onDisk(reformatted.replace('"1"', '"3"'))
    const { action, text = '' } = decideOn({ base, disk, next })
    expect(action).toBe('conflict')
    expect(text).toContain('\nconst b = [\n\t1,\n\t2,\n];\n')
    expect(text.match(/"3"|'2'|<{7}|={7}|>{7}/g)).toEqual(['<<<<<<<', '"3"', '=======', "'2'", '>>>>>>>'])
  })

  it('counts as edited in a file whose language is unknown', () => {
    const versions = { base: 'RUN a\nRUN b\n', disk: onDisk('RUN  a\nRUN b\n') }
    expect(decideOn(versions, 'Dockerfile')).toEqual({ action: 'yours' })
  })
})
