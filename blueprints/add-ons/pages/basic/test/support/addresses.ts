/** The addresses in a page: the values of attributes such as href, with or without quotes. */
export const addressesIn = (html: string, attribute: RegExp) =>
  [...html.matchAll(/[\s/"'](?:xlink:)?(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']*))/g)]
    .filter(([, name = '']) => attribute.test(name))
    .map(([, , ...values]) => values.find((value) => value !== undefined) ?? '')
