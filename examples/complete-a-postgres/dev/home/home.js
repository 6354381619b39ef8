const part = (id) => document.getElementById(id)

function element(name, text, properties = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...properties })
}

/** Shows names and values as a list of terms. */
function describe(list, entries) {
  list.replaceChildren(...entries.flatMap(({ name, value }) => [element('dt', name), element('dd', value)]))
}

async function load() {
  try {
    const response = await fetch('/dev/home.json')
    if (!response.ok) throw new Error('The service returned an error. See its log.')
    const { places, facts } = await response.json()
    const items = places.map(({ name, path }) => {
      const item = element('li', '')
      item.append(element('a', name, { href: path }))
      return item
    })
    part('places').replaceChildren(...items)
    describe(part('facts'), facts)
    part('state').textContent = `Runs at ${location.origin}`
  } catch (error) {
    part('state').textContent = error instanceof TypeError ? 'The service does not respond' : error.message
  }
}

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

part('create')?.addEventListener('click', createUser)
await load()
