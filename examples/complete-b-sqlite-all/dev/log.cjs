const { readdirSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

// How pino-pretty shows the log of the script dev. CommonJS, because pino-pretty loads it with require.

/** How the databases say that a table or column is missing. */
const missing =
  /no such (?:table|column): (?:\w+\.)?"?(\w+)|has no column named (\w+)|(?:relation|column) "?(?:\w+\.)?(\w+)"? (?:of relation \S+ )?does not exist/

const schema = join(__dirname, '../src/db/schema')

/** Whether src/db/schema has the table or column, so that only its migration is missing. */
const isInSchema = (name) =>
  readdirSync(schema)
    .filter((file) => file.endsWith('.ts'))
    .some((file) => new RegExp(`['"]${name}['"]`).test(readFileSync(join(schema, file), 'utf8')))

/** An error response has the same id. @param level 50 is that of errors */
const idOf = ({ level, reqId }) => (level >= 50 && reqId ? ` (request_id ${reqId})` : '')

function hintOf({ err }) {
  const [, ...names] = missing.exec(err?.message ?? '') ?? []
  const name = names.find(Boolean)
  if (!name || !isInSchema(name)) return ''
  return `: src/db/schema has ${name}, the database does not: run npm run db:generate`
}

module.exports = {
  translateTime: 'HH:MM:ss',
  singleLine: true,
  ignore: 'pid,hostname,reqId,event,address',
  // Without control characters: a path could write over the terminal.
  messageFormat: (log, messageKey) =>
    `${log[messageKey] ?? ''}${hintOf(log)}${idOf(log)}`.replaceAll(/\p{Cc}/gu, ''),
}
