/** How the service presents itself. */
export const brand = {
  /** Name of the service. */
  name: 'my-api',
}
