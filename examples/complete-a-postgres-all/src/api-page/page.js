// The library keeps the token in localStorage, where it stays in the browser: whoever uses it next would act as the user.
Object.defineProperty(window, 'localStorage', { value: sessionStorage })

// The library has dark colors, but does not follow the color scheme of the browser.
const dark = matchMedia('(prefers-color-scheme: dark)')
const setColors = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', setColors)
setColors()
