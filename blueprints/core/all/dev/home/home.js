export const part = (id) => document.getElementById(id)

function element(name, text, properties = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...properties })
}

/** Shows names and values as a list of terms. */
export function describe(list, entries) {
  list.replaceChildren(...entries.flatMap(({ name, value }) => [element('dt', name), element('dd', value)]))
}

async function load() {
  try {
    const response = await fetch('/dev/home.json')
    if (!response.ok) throw new Error('The service returned an error. See its log.')
    const { name, links, facts } = await response.json()
    part('name').textContent = name
    document.title = `${name} in development`
    const items = links.map(({ name, path }) => {
      const item = element('li', '')
      item.append(element('a', name, { href: path }))
      return item
    })
    part('links').replaceChildren(...items)
    describe(part('facts'), facts)
    part('state').textContent = `Runs at ${location.origin}`
  } catch (error) {
    part('state').textContent = error instanceof TypeError ? 'The service does not respond' : error.message
  }
}

await load()
