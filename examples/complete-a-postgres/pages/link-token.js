/** Takes the token of a mailed link out of the address: from the fragment (#token=…), which browsers send to nobody. */
export function takeLinkToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''
  // Out of the address bar and the history at once, where the next person at this screen would find it.
  if (token) history.replaceState(null, '', location.pathname)
  return token
}
