/** The tokens in the browser of a user. @type {import('../mutant.js').Mutant[]} */
export const pages = [
  {
    name: 'an access token that outlives its page',
    file: 'pages/session.js',
    from: 'localStorage.setItem(key, refresh_token)',
    to: "localStorage.setItem(key, refresh_token)\n  localStorage.setItem('access_token', access_token)",
    tests: ['security/pages', 'http/page-session'],
    variants: /^complete/,
  },
  {
    name: 'a tab that shows one user and acts for another',
    file: 'pages/session.js',
    from: 'localStorage.removeItem(key)\n    keep(tokens)',
    to: 'keep(tokens)',
    tests: ['http/page-session'],
    variants: /^complete/,
  },
  {
    name: 'a refresh token that stays in the browser after a logout',
    file: 'pages/session.js',
    from: 'localStorage.removeItem(key)\n    await tell',
    to: 'await tell',
    tests: ['http/page-session'],
    variants: /^complete/,
  },
  {
    name: 'a tab of a user who logged out in another one',
    file: 'pages/session.js',
    from: 'event.newValue === null || ',
    to: '',
    tests: ['http/page-session'],
    variants: /^complete/,
  },
  {
    name: 'two tabs that use a refresh token at the same time',
    file: 'pages/session.js',
    from: "(navigator.locks ? navigator.locks.request('account-pages', work) : work())",
    to: 'work()',
    tests: ['http/page-session'],
    variants: /^complete/,
  },
]
