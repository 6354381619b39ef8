import type { Config } from '../config.ts'
import { brand } from './server.ts'

export type Brand = typeof brand & typeof appearance

/** How the service presents itself to users, besides its name in server.ts. */
export const appearance = {
  /** An image, as a path below FRONTEND_URL such as '/logo.png', shown at most 48 pixels high. Empty: the name. */
  logo: '',
  /** Color of buttons and links. White text on it must be readable. */
  accent: '#1f5fbf',
  /** Who users contact: an email address, a web address, or words such as these. */
  contact: 'the operator of the service',
  /** Where users continue: a web address, or a path below FRONTEND_URL. */
  site: '/account',
  /** Language, such as 'de': files in a folder of that name, such as emails/de/, replace the English ones. */
  language: 'en',
}

/**
 * The name and the appearance as variables of templates.
 * @throws Error if a value is not usable, so that the mistake is found at startup
 */
export function brandVariables(config: Config, own: Brand = { ...brand, ...appearance }) {
  const { accent, contact, language, logo, name, site } = own
  // It becomes part of style sheets, where nothing is escaped.
  if (!/^#[\da-f]{6}$/i.test(accent))
    throw new Error('src/settings/theme.ts: accent must be a color such as #1f5fbf')
  // It becomes part of paths.
  if (!/^[a-z]{2,3}(-\w+)*$/i.test(language))
    throw new Error('src/settings/theme.ts: language must be a code such as de')
  if (!/^(\/[\w-][\w.-]*)*$/.test(logo))
    throw new Error('src/settings/theme.ts: logo must be a path below FRONTEND_URL, such as /logo.png')
  if (!/^(https?:\/)?\/\S*$/.test(site))
    throw new Error('src/settings/theme.ts: site must be a web address, or a path such as /account')
  const frontend = config.server.frontendUrl.replace(/\/$/, '')
  return {
    accent,
    // The sender name in the settings comes first.
    app_name: config.email.from.name ?? name,
    contact,
    contact_url: linkTo(contact),
    language,
    logo_url: logo && `${frontend}${logo}`,
    site_url: site.startsWith('/') ? `${frontend}${site}` : site,
  }
}

/** Empty if it is neither an email address nor a web address: `javascript:` and the like must not become links. */
function linkTo(contact: string): string {
  if (/^https?:\/\/\S+$/.test(contact)) return contact
  return /^[^\s@:?&]+@[^\s@:?&]+$/.test(contact) ? `mailto:${contact}` : ''
}
