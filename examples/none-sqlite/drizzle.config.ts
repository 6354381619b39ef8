import { defineConfig } from 'drizzle-kit'

// `npm run db:generate` compares the tables with migrations/sqlite/ and writes the SQL that leads from one to the other.
// It needs no database. `npm run db:migrate` and every start of the service apply it.
export default defineConfig({
  dialect: 'sqlite',
  schema: './src/db/schema/*.ts',
  out: './migrations/sqlite',
})
