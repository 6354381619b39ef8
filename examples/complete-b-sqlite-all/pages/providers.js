import { createChallenge, isPath } from './provider-flow.js'
import { request } from './service.js'
import { withValues } from './texts.js'

const returnTo = new URLSearchParams(location.search).get('return_to')
const part = document.querySelector('.providers')

const { ok, answer } = await request('GET', 'auth/oidc')
for (const { name, label } of ok ? answer.providers : []) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'secondary'
  button.textContent = withValues(part.dataset.label, { provider: label })
  button.addEventListener('click', async () => {
    const query = new URLSearchParams({ code_challenge: await createChallenge() })
    if (isPath(returnTo)) query.set('return_to', returnTo)
    location.assign(`api/v1/auth/oidc/${name}?${query}`)
  })
  part.append(button)
  part.hidden = false
}
