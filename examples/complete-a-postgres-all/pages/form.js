import { send } from './service.js'

/**
 * Sends a form to the service and shows errors in it. Each field has the name of its member in the body.
 * @param {HTMLFormElement} form with `#<id of a field>-error` for errors of a field and `.problem` for all others. The
 *   attribute `data-<error code>` is the sentence for an error.
 * @param {string} path below /api/v1
 * @param {object} parts
 * @param {() => object} parts.body returns the body to send
 * @param {(answer: object) => void} parts.onDone
 * @param {typeof send} [parts.submit] sends the body; without it, as a POST without access token
 * @param {() => string | undefined} [parts.refuse] returns why the form cannot be sent now
 * @param {() => void} [parts.onTokenRefused] shows that the token from the email is not valid
 * @param {() => void} [parts.onLogInRequired] asks for the login
 * @param {(outcome: object) => boolean} [parts.onRefused] returns whether it has shown what to do
 */
export function handleForm(form, path, parts) {
  const { body, onDone, onTokenRefused, onLogInRequired, onRefused, refuse, submit = send } = parts
  let isBusy = false

  form.addEventListener('input', ({ target }) => showFieldError(target, []))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isBusy) return
    clearMessages(form)
    if (askForMissing(form)) return
    const reason = refuse?.()
    if (reason) return showProblem(form, reason)

    isBusy = true
    const stopWaiting = showWaiting(form)
    const outcome = await submit(path, body())
    stopWaiting()
    isBusy = false

    if (outcome.ok) onDone(outcome.answer)
    else if (onTokenRefused && isTokenRefused(outcome)) onTokenRefused()
    else if (onLogInRequired && outcome.code === 'not_authenticated') onLogInRequired()
    else if (!onRefused?.(outcome)) showOutcome(form, outcome)
  })
}

function showWaiting(form) {
  const button = form.querySelector('[type=submit]')
  const progress = form.querySelector('.progress')
  const label = button.textContent
  button.textContent = button.dataset.busy
  progress.textContent = button.dataset.busy
  // Not `disabled`: the button would lose the focus, and a screen reader its position.
  button.setAttribute('aria-disabled', 'true')
  return () => {
    button.textContent = label
    progress.textContent = ''
    button.removeAttribute('aria-disabled')
  }
}

/** Shows the messages of a field. Without messages it clears them. */
export function showFieldError(input, messages) {
  const error = document.getElementById(`${input.id}-error`)
  if (!error) return
  error.replaceChildren(...messages.map((message) => paragraph(message)))
  error.hidden = messages.length === 0
  if (messages.length > 0) input.setAttribute('aria-invalid', 'true')
  else input.removeAttribute('aria-invalid')
}

/** Shows an error of the whole form and moves the focus there, so that screen readers announce it. */
export function showProblem(form, sentence) {
  const problem = form.querySelector('.problem')
  problem.replaceChildren(paragraph(sentence))
  problem.hidden = false
  problem.focus()
}

const isTokenRefused = ({ code, fields }) => code === 'invalid_or_expired_token' || fields.token !== undefined

/** Shows why the service refused a form. @param {object} outcome of the request */
export function showOutcome(form, { code, fields, sentence }) {
  const wrong = inputsOf(form).filter((input) => fields[input.name])
  for (const input of wrong) showFieldError(input, textsOf(fields[input.name]))
  if (wrong[0]) wrong[0].focus()
  else showProblem(form, form.getAttribute(`data-${code.replaceAll('_', '-')}`) ?? sentence)
}

/** The texts of errors. Password rules that the page lists are not repeated: the list marks those that are not met. */
function textsOf(errors) {
  const rules = document.querySelector('.rules')
  const listed = new Set([...document.querySelectorAll('.rules li')].map(({ dataset }) => dataset.code))
  const others = errors.filter(({ code }) => !listed.has(code)).map(({ message }) => message)
  return others.length > 0 ? others : [rules.dataset.refused]
}

function askForMissing(form) {
  const missing = inputsOf(form).filter((input) => input.required && input.value.trim() === '')
  for (const input of missing) showFieldError(input, [input.dataset.missing])
  missing[0]?.focus()
  return missing.length > 0
}

function clearMessages(form) {
  for (const message of form.querySelectorAll('.problem, .sent')) message.hidden = true
  for (const input of inputsOf(form)) showFieldError(input, [])
}

const inputsOf = (form) => [...form.querySelectorAll('input')]

function paragraph(text) {
  const element = document.createElement('p')
  element.textContent = text
  return element
}
