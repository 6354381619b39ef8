import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import type { Mail } from '../harness/mail-server.ts'
import type { Service } from '../harness/service.ts'
import { newUser, REGISTER } from './accounts.ts'

/**
 * Goes before the service: the machine's clock is ahead, as far as Node asks it, and SIGALRM puts it forward by half a
 * minute. That ends the first pauses between two attempts, but no attempt that is under way.
 */
export const clock = (aheadMs: number): string =>
  `data:text/javascript,const now = Date.now; let ahead = ${aheadMs}; Date.now = () => now() + ahead; process.on('SIGALRM', () => { ahead += 31_000 })`

/** How often an event was logged, by all instances together. */
const logged = (instances: readonly Service[], event: string): number =>
  instances
    .map(({ running }) => running.output())
    .join('')
    .split(`"event":"${event}"`).length - 1

/** Waits until an event was logged so often. Rejects where an instance ends before, or after two minutes. */
export function untilLogged(instances: readonly Service[], event: string, times: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const said = () => `${event} was logged ${logged(instances, event)} times, not ${times}`
    const end = () => {
      clearTimeout(timer)
      for (const { running } of instances) running.child.stdout.off('data', look)
    }
    const timer = setTimeout(() => {
      end()
      reject(new Error(said()))
    }, 120_000)
    const look = () => {
      if (logged(instances, event) < times) return
      end()
      resolve()
    }
    for (const { running } of instances) {
      running.child.stdout.on('data', look)
      running.ended.then(() => reject(new Error(`the service ended: ${said()}`)), reject)
    }
    look()
  })
}

/** Registers many users, eight at a time, and expects each to be answered. */
export async function registerMany(service: Client, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `many${n}`)
  const waiting = [...names]
  const registering = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      expect((await service.post(REGISTER, newUser(name))).status).toBe(201)
  }
  await Promise.all(Array.from({ length: 8 }, registering))
  return names.map((name) => `${name}@example.com`).sort()
}

export const recipients = (mails: Mail[]): string[] => mails.map(({ to }) => to).sort()
