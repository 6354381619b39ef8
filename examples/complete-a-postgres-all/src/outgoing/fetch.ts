import { type Outgoing, send } from './send.ts'

/** What a library gives to a function like `fetch`, which it would call otherwise. */
interface Given {
  method: string
  headers: Record<string, string>
  body?: unknown
}

/**
 * A function like `fetch` over `send`, for libraries that take one. Node's own follows redirects and decompresses unasked.
 * @throws Error
 */
export const fetchWith =
  (bounds: Pick<Outgoing, 'allowsLoopback' | 'seconds'>) =>
  async (url: string, { method, headers, body: given }: Given): Promise<Response> => {
    const sent = given === null || given === undefined ? undefined : String(given)
    const { status, headers: answered, body } = await send(url, { ...bounds, method, headers, body: sent })
    const type = answered['content-type']
    // A Response with one of these statuses has no body.
    const isEmpty = [204, 205, 304].includes(status)
    return new Response(isEmpty ? null : new Uint8Array(body), {
      status,
      headers: type === undefined ? {} : { 'content-type': type },
    })
  }
