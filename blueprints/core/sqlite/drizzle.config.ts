import { defineConfig } from 'drizzle-kit'

// `npm run db:generate` compares the tables with migrations/sqlite/ and writes a migration for the difference.
// It needs no database. `npm run db:migrate` and every start of the service apply the migration.
export default defineConfig({
  schema: './src/db/schema/*.ts',

  dialect: 'sqlite',
  out: './migrations/sqlite',
})
