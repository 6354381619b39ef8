import { describe, expect, it } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import { renderTemplate } from '../../../src/blueprints/template.ts'
import { basicB } from '../../support/fixtures.ts'
import { templateFault } from '../../support/template-fault.ts'

const render = (template: string, path = 'src/a.ts') => renderTemplate(path, template, planOf(basicB))

describe('templates', () => {
  it('keep a block whose flag is set, drop the others, and leave no control line', () => {
    const template = 'a\n<% if (auth_b) { %>\nb\n<% } %>\n<% if (auth_a) { %>\nc\n<% } %>\nd\n'
    expect(render(template)).toBe('a\nb\nd\n')
    expect(render('<% if (none) { %>\na\n<% } %>\nb')).toBe('b')
  })

  it('insert values through the escaper of the format', () => {
    expect(render("x('<%= name %>', '<%= cleanInstall %>')\n")).toBe("x('my-api', 'npm ci')\n")
    const hostile = { ...basicB, name: `'"\`<b>` }
    expect(renderTemplate('a.ts', "'<%= name %>'", planOf(hostile))).toBe(`'\\'\\"\`<b>'`)
    expect(renderTemplate('a.json', '"<%= name %>"', planOf(hostile))).toBe(`"'\\"\`<b>"`)
    expect(renderTemplate('a.md', '<%= name %>', planOf(hostile))).toBe(`'"\\\`\\<b\\>`)
    expect(() => renderTemplate('.env.example', '<%= name %>', planOf(hostile))).toThrow('unquoted')
  })

  it('do not render tags in values', () => {
    expect(renderTemplate('a.ts', "'<%= name %>'", planOf({ ...basicB, name: '<%= run %>' }))).toBe(
      "'<%= run %>'",
    )
  })

  it('know no other names: no globals, no members of Object', () => {
    for (const name of ['nmae', 'process', 'constructor', 'toString', 'globalThis', 'undefined']) {
      expect(templateFault(`<%= ${name} %>`), name).toContain('unknown')
    }
    for (const flag of ['auth_c', 'process'])
      expect(templateFault(`<% if (${flag}) { %>\na\n<% } %>\n`)).toContain('unknown')
  })

  it.each([
    ['raw output', '<%- name %>'],
    ['code', '<% process.exit() %>'],
    ['an expression', '<%= name + 1 %>'],
    ['a call', '<%= name.big() %>'],
    ['a comment', '<%# a %>'],
    ['an include', "<%- include('a') %>"],
    ['a block within a line', 'a <% if (auth) { %> b <% } %>'],
    ['an indented control line', '  <% if (auth) { %>\na\n  <% } %>'],
    ['a negation', '<% if (!auth) { %>\na\n<% } %>'],
    ['an else', '<% if (auth) { %>\na\n<% } else { %>\nb\n<% } %>'],
    ['nesting', '<% if (auth) { %>\n<% if (auth_b) { %>\na\n<% } %>\n<% } %>'],
    ['a block that stays open', '<% if (auth) { %>\na'],
    ['a block that opens nowhere', 'a\n<% } %>'],
    ['a tag that stays open', 'a <% b'],
    ['a tag over two lines', '<%=\nname %>'],
    ['five blocks', '<% if (auth) { %>\na\n<% } %>\n'.repeat(5)],
  ])('refuse %s', (_, template) => {
    expect(templateFault(template)).toBeTypeOf('string')
  })

  it('may contain four blocks', () => {
    expect(templateFault('<% if (auth) { %>\na\n<% } %>\n'.repeat(4))).toBeUndefined()
  })
})
