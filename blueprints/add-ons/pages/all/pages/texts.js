/**
 * Returns a text of the page by its name or the code of an error. It is a `data-text` in a <template> of the .html file,
 * which holds all texts of its page: scripts have none.
 * @param {string} name
 * @returns {string | undefined}
 */
export function textOf(name) {
  const texts = [...document.querySelectorAll('template')].flatMap(({ content }) => [
    ...content.querySelectorAll('[data-text]'),
  ])
  return texts.find(({ dataset }) => dataset.text === name)?.textContent
}

/** Fills in the values of a text: `{time}` becomes `values.time`. */
export const withValues = (text = '', values = {}) => text.replaceAll(/\{(\w+)\}/g, (_, name) => values[name])

/** A duration in the language of the page. @param {number} seconds 0 if unknown: then it is a minute */
export function inWords(seconds) {
  const [count, unit] =
    seconds > 0 && seconds <= 90 ? [seconds, 'second'] : [Math.ceil((seconds || 60) / 60), 'minute']
  const { lang } = document.documentElement
  return new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}
