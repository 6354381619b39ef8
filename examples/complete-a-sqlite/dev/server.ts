// Set before any other module is loaded. In production, the service starts with src/server.ts instead.
process.env.NODE_ENV = 'development'

await import('../src/server.ts')
