import { createChallenge } from './provider-flow.js'
import { request } from './service.js'
import { withValues } from './texts.js'

const part = document.querySelector('.providers')

const { ok, answer } = await request('GET', 'auth/oidc')
for (const { name, label } of ok ? answer.providers : []) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'secondary'
  button.textContent = withValues(part.dataset.label, { provider: label })
  button.addEventListener('click', async () => {
    const query = new URLSearchParams({ code_challenge: await createChallenge() })
    location.assign(`api/v1/auth/oidc/${name}?${query}`)
  })
  part.append(button)
  part.hidden = false
}
