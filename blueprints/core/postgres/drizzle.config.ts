import { defineConfig } from 'drizzle-kit'

// `npm run db:generate` compares the tables with migrations/postgres/ and writes a migration for the difference.
// It needs no database. `npm run db:migrate` and every start of the service apply the migration.
export default defineConfig({
  schema: './src/db/schema/*.ts',

  dialect: 'postgresql',
  out: './migrations/postgres',
  // The table of applied migrations is in the same schema as for src/db/migrate.ts.
  migrations: { schema: 'public' },
})
