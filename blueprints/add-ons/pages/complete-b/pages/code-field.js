/** A code in groups of four, as emails show it. Any other text, such as the token of a link, stays as it is. */
export function inGroups(text) {
  // Someone may paste the sentence around the code.
  const [code] = /(?:[0-9a-z]{4}\p{Pd}){3}[0-9a-z]{4}/iu.exec(text) ?? [text]
  const characters = code.replaceAll(/[\s\p{Pd}]/gu, '')
  if (!/^[0-9a-z]{1,16}$/i.test(characters)) return text
  return characters
    .toUpperCase()
    .match(/.{1,4}/g)
    .join('-')
}

/** Groups the code while it is typed, pasted or filled in. @param {HTMLInputElement} input */
export function groupCode(input) {
  input.addEventListener('input', ({ isComposing }) => {
    // Elsewhere in the text, a new value would move the cursor to the end.
    if (!isComposing && input.selectionStart === input.value.length) input.value = inGroups(input.value)
  })
  input.addEventListener('change', () => {
    input.value = inGroups(input.value)
  })
}
