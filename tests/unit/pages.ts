/** Text of a page without its fenced blocks. */
export const proseOf = (page: string) => page.replace(/^(`{3,})\w*\n.*?\n\1$/gms, '')

/** GitHub's anchors of a page's headings. */
export const anchorsOf = (page: string) =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
