/** Reads the token of an emailed link from the fragment (#token=…), which browsers do not send to any server. */
export function takeLinkToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''
  // Remove it from the address bar and the history: the next user of this browser must not find it.
  if (token) history.replaceState(null, '', location.pathname)
  return token
}
