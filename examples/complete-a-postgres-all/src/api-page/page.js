// The library keeps the token in localStorage, where it stays in the browser: whoever uses it next would act as the user.
Object.defineProperty(window, 'localStorage', { value: sessionStorage })
