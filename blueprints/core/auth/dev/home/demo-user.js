import { describe, part } from './home.js'

async function createUser() {
  const username = `demo-${crypto.randomUUID().slice(0, 8)}`
  // Whatever PASSWORD_MIN_LENGTH is: 64 characters, the most that it may ask for.
  const password = `Aa-7-${crypto.randomUUID()}${crypto.randomUUID().slice(13)}`
  const user = { email: `${username}@example.com`, username, password }
  try {
    const response = await fetch('/api/v1/auth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(user),
    })
    const { title } = await response.json()
    part('demo-state').textContent = response.ok ? 'Registered. Log in with:' : `Not registered: ${title}`
    if (!response.ok) return
    describe(part('demo'), [
      { name: 'Username', value: user.username },
      { name: 'Email', value: user.email },
      { name: 'Password', value: user.password },
    ])
  } catch {
    part('demo-state').textContent = 'The service does not respond'
  }
}

part('create').addEventListener('click', createUser)
