import { describe, expect, it } from 'vitest'
import { encodeAs, readDisk } from '../../../src/project/disk.ts'
import { memoryFs } from '../../support/fixtures.ts'

describe('a file on the disk', () => {
  const read = (bytes: string | Buffer) => {
    const memory = memoryFs()
    memory.volume.mkdirSync('/work/src')
    memory.volume.writeFileSync('/work/src/a.ts', bytes)
    return readDisk(memory.fs, '/work', 'src/a.ts')
  }

  it.each([
    ['LF', 'a\nb\n', 'a\nb\n'],
    ['CR LF', 'a\r\nb\r\n', 'a\nb\n'],
    ['a byte order mark', '\u{feff}a\n', 'a\n'],
    ['both', '\u{feff}a\r\nb', 'a\nb'],
    ['nothing', '', ''],
  ])('is compared by its text, and written back to the byte: %s', (_, bytes, text) => {
    const file = read(bytes)
    expect(file).toMatchObject({ kind: 'text', text })
    expect(encodeAs(file, text).toString()).toBe(bytes)
    expect(encodeAs(file, `${text}x\ny\n`).toString()).toBe(
      bytes + (bytes.includes('\r\n') ? 'x\r\ny\r\n' : 'x\ny\n'),
    )
  })

  it.each([
    ['one in an LF file', 'a\nb\r\nc\nd', 'new\nb\nc\nd', 'new\nb\r\nc\nd'],
    ['one in a CR LF file', 'a\r\nb\nc\r\nd\r\n', 'a\nb\nnew\nc\nd\n', 'a\r\nb\nnew\r\nc\r\nd\r\n'],
    ['at a line that became the last one', 'a\nb\nc\r\nd', 'a\nb\nc', 'a\nb\nc'],
    [
      'at a line that is not the last one any more',
      '\u{feff}a\r\nb\nc',
      'a\nb\nc\nd\n',
      '\u{feff}a\r\nb\nc\nd\n',
    ],
  ])('keeps the line ends of each line that stays, if they are mixed: %s', (_, bytes, text, expected) => {
    expect(encodeAs(read(bytes), text).toString()).toBe(expected)
  })

  it.each([
    ['binary', Buffer.from([0x89, 0x50, 0, 0x47])],
    ['binary', Buffer.from([0xff, 0xfe, 0x61])],
    ['binary', Buffer.from('a\0b')],
    ['larger than 4194304 bytes', Buffer.alloc(4 * 1024 * 1024 + 1, 'a')],
  ])('that is %s has no text', (what, bytes) => {
    expect(read(bytes)).toMatchObject({ kind: 'other', what })
  })

  it('that is not a file is not read, nor is a file behind a link', () => {
    const memory = memoryFs({ '/work/src/a.ts': 'a', '/work/file': 'f', '/outside/a.ts': 'secret' })
    memory.volume.mkdirSync('/work/src/folder')
    memory.volume.symlinkSync('/outside', '/work/link')
    memory.volume.symlinkSync('/outside/a.ts', '/work/src/link.ts')
    memory.volume.symlinkSync('/nowhere', '/work/src/dangling.ts')
    const what = (path: string) => readDisk(memory.fs, '/work', path)
    expect(what('src/folder')).toEqual({ kind: 'other', what: 'a directory' })
    expect(what('src/link.ts')).toEqual({ kind: 'other', what: 'a symbolic link' })
    expect(what('src/dangling.ts')).toEqual({ kind: 'other', what: 'a symbolic link' })
    expect(what('link/a.ts')).toEqual({
      kind: 'other',
      what: 'below the symbolic link link',
      isBelowLink: true,
    })
    expect(what('file/a.ts')).toEqual({ kind: 'other', what: 'below file, which is not a directory' })
    expect(what('none/a.ts')).toEqual({ kind: 'absent' })
  })
})
