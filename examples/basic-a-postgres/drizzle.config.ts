import { defineConfig } from 'drizzle-kit'

// `npm run db:generate` compares the tables with migrations/postgres/ and writes the SQL that leads from one to the other.
// It needs no database. `npm run db:migrate` and every start of the service apply it.
export default defineConfig({
  dialect: 'postgresql',
  schema: './src/db/schema/*.ts',
  out: './migrations/postgres',
  // The record of what was applied lies beside the tables, where src/db/migrate.ts keeps it too.
  migrations: { schema: 'public' },
})
