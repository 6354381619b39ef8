import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { ApiError } from '../src/errors/api-error.ts'

/** Headers that a proxy or tunnel adds to a request. */
const addedByProxy = /^(forwarded|x-forwarded-.+|x-real-ip|via|cf-connecting-ip)$/

/**
 * A hook for what is only for development: anyone else gets 404. Throws unless a browser on this machine sent the request,
 * under a name of this machine: another site could point its own name at it and read the response (DNS rebinding). Reads
 * the connection and the headers themselves, whatever TRUST_PROXY is.
 */
export async function onlyThisMachine({ raw: { headers, socket } }: FastifyRequest): Promise<void> {
  // Through a tunnel or a proxy on this machine, everyone could read it.
  const isForwarded = Object.keys(headers).some((name) => addedByProxy.test(name))
  const [, host = ''] = /^\[?(.*?)\]?(?::\d*)?$/.exec(headers.host ?? '') ?? []
  const isLocalName = /^(.+\.)?localhost$/i.test(host) || isLoopback(host)
  if (isForwarded || !isLocalName || !isLoopback(socket.remoteAddress ?? '')) throw new ApiError('not_found')
}

const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
