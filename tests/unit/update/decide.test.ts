import { describe, expect, it } from 'vitest'
import { decide } from '../../../src/update/decide.ts'
import type { Text, Undecided } from '../../../src/update/file.ts'

type Versions = Omit<Undecided, 'path'>
type Disk = Undecided['disk']

const text = (plain: string, formatted = plain): Text => ({ text: plain, formatted })
const onDisk = (plain: string, formatted = plain): Disk => ({
  ...{ kind: 'text', bytes: Buffer.from(plain), mode: 0o644, hasByteOrderMark: false, isCrLf: false },
  ...text(plain, formatted),
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
    ['base absent, disk is what is generated', { disk: onDisk(OURS), next: text(OURS) }, { action: 'same' }],
    ['both changed it alike', { base: text(OLD), disk: onDisk(OURS), next: text(OURS) }, { action: 'same' }],
    ['neither side changed it', { base: text(OLD), disk: onDisk(OLD), next: text(OLD) }, { action: 'same' }],
    [
      'untouched, generated differently',
      { base: text(OLD), disk: onDisk(OLD), next: text(OURS) },
      { action: 'update', text: OURS },
    ],
    ['untouched, no longer generated', { base: text(OLD), disk: onDisk(OLD) }, { action: 'delete' }],
    [
      'edited, generated as before',
      { base: text(OLD), disk: onDisk(MINE), next: text(OLD) },
      { action: 'edited' },
    ],
    [
      'edited, generated differently, in different places',
      { base: text(OLD), disk: onDisk(MINE), next: text(OURS) },
      { action: 'merge', text: BOTH },
    ],
    [
      'edited, generated differently, in one place',
      { base: text(OLD), disk: onDisk(CLASH), next: text(OURS) },
      {
        action: 'conflict',
        text: 'one\ntwo\n<<<<<<< yours\n3\n=======\nTHREE\n>>>>>>> create-authsmith: complete B\n',
      },
    ],
    [
      'edited so that it already holds what is new',
      { base: text(OLD), disk: onDisk(BOTH), next: text(OURS) },
      { action: 'edited' },
    ],
    ['edited, no longer generated', { base: text(OLD), disk: onDisk(MINE) }, { action: 'yours' }],
    ['deleted, generated as before', { base: text(OLD), disk: absent, next: text(OLD) }, { action: 'same' }],
    [
      'deleted, generated differently',
      { base: text(OLD), disk: absent, next: text(OURS) },
      { action: 'deleted' },
    ],
    ['deleted, no longer generated', { base: text(OLD), disk: absent }, { action: 'same' }],
    ['new', { disk: absent, next: text(OURS) }, { action: 'create', text: OURS }],
    [
      'new, at the path of a file that the owner added',
      { disk: onDisk('one\nmine\n'), next: text(OLD) },
      {
        action: 'conflict',
        text: 'one\n<<<<<<< yours\nmine\n=======\ntwo\nthree\n>>>>>>> create-authsmith: complete B\n',
      },
    ],
    ["a file of the owner's, never generated", { disk: onDisk(MINE) }, { action: 'same' }],
    [
      'new, in a folder that the owner deleted',
      { disk: absent, next: text(OURS), isFolderDeleted: true },
      { action: 'deleted' },
    ],
    [
      'generated again after the owner edited it, in a folder that they deleted',
      { base: text(OLD), disk: absent, next: text(OURS), dropped: 'edited', isFolderDeleted: true },
      { action: 'deleted' },
    ],
    ['absent everywhere', { disk: absent }, { action: 'same' }],
    [
      'generated again, and the owner had deleted it',
      { disk: absent, next: text(OURS), dropped: 'deleted' },
      { action: 'deleted' },
    ],
    [
      'generated again, and the edited rest is gone',
      { base: text(OLD), disk: absent, next: text(OURS), dropped: 'edited' },
      { action: 'create', text: OURS },
    ],
    [
      'generated again, and the edited rest is there',
      { base: text(OLD), disk: onDisk(MINE), next: text(OURS), dropped: 'edited' },
      { action: 'merge', text: BOTH },
    ],
  ]
  it.each(table)('%s', (_, versions, expected) => {
    expect(decideOn(versions)).toEqual(expected)
  })

  it.each<[string, Text | undefined, Text | undefined]>([
    ['untouched by the generator', text(OLD), text(OLD)],
    ['generated differently', text(OLD), text(OURS)],
    ['new', undefined, text(OURS)],
    ['no longer generated', text(OLD), undefined],
  ])('keeps a file that it cannot read, and says why: %s', (_, base, next) => {
    expect(decideOn({ base, disk: binary, next })).toEqual({
      action: 'kept',
      detail: 'binary',
    })
  })

  it('never replaces or deletes a text that it did not generate', () => {
    const texts = [undefined, text(OLD), text(OURS), text(MINE)]
    for (const base of texts) {
      for (const next of texts) {
        for (const disk of [OLD, OURS, MINE, CLASH]) {
          const { action, text: result = '' } = decideOn({ base, disk: onDisk(disk), next })
          if (action === 'delete' || action === 'update') expect(disk).toBe(base?.text)
          expect(action).not.toBe('create')
          const own = disk.split('\n').filter((line) => !base?.text.split('\n').includes(line))
          if (action === 'conflict') expect(result.split('\n')).toEqual(expect.arrayContaining(own))
        }
      }
    }
  })
})

describe('JSON', () => {
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`

  it('is merged by key', () => {
    const decision = decideOn(
      {
        base: text(json({ dependencies: { a: '1', c: '1' } })),
        disk: onDisk(json({ dependencies: { a: '1', b: '1', c: '1' } })),
        next: text(json({ dependencies: { a: '1', bb: '2', c: '1' } })),
      },
      'package.json',
    )
    expect(decision).toEqual({
      action: 'merge',
      text: json({ dependencies: { a: '1', b: '1', bb: '2', c: '1' } }),
    })
  })

  it('that the owner wrote at the path of a new file is a conflict', () => {
    const decision = decideOn({ disk: onDisk('{"a":1}\n'), next: text('{"b":1}\n') }, 'tsconfig.json')
    expect(decision).toMatchObject({
      action: 'conflict',
      text: expect.stringContaining('<<<<<<< yours\n{"a":1}\n'),
    })
  })
})

describe('what only the formatter changed', () => {
  const base = text('a = "1"\n')
  const next = text('a = "2"\n', "a = '2'\n")
  const pretty = text(base.text, "a = '1'\n")

  it('is updated, and laid out in the same way', () => {
    const disk = onDisk("a = '1'\n")
    expect(decideOn({ base: pretty, disk, next })).toMatchObject({ action: 'update', text: "a = '2'\n" })
    expect(decideOn({ base: pretty, disk })).toMatchObject({ action: 'delete' })
    expect(decideOn({ base: pretty, disk, next: pretty })).toMatchObject({ action: 'same' })
  })

  it('counts as edited if the formatter is unknown', () => {
    expect(decideOn({ base, disk: onDisk("a = '1'\n") })).toMatchObject({ action: 'yours' })
  })

  it("merges in the owner's layout if the owner formats the file", () => {
    const versions = {
      base: text('"a"\n"b"\n"c"\n', "'a'\n'b'\n'c'\n"),
      next: text('"a"\n"b"\n"C"\n', "'a'\n'b'\n'C'\n"),
    }
    expect(decideOn({ ...versions, disk: onDisk("'A'\n'b'\n'c'\n") })).toMatchObject({
      action: 'merge',
      text: "'A'\n'b'\n'C'\n",
    })
    expect(decideOn({ ...versions, disk: onDisk('"A" \n"b"\n"c"\n', "'A'\n'b'\n'c'\n") })).toMatchObject({
      action: 'merge',
      text: '"A" \n"b"\n"C"\n',
    })
  })
})
