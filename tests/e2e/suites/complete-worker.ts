import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import type { Mail } from '../harness/mail-server.ts'
import type { Service } from '../harness/service.ts'
import { newUser, REGISTER } from './accounts.ts'

/** Shorter than the test timeout, so that the error names the missing event. */
const DEADLINE_MS = 500_000

/** How often all instances together logged an event. */
export const logged = (instances: readonly Service[], event: string): number =>
  instances
    .map(({ running }) => running.output())
    .join('')
    .split(`"event":"${event}"`).length - 1

/** Waits until an event was logged `times` times. Rejects if an instance ends before that, or at the deadline. */
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
    }, DEADLINE_MS)
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

/** Registers users, eight in parallel. @returns their email addresses, sorted */
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
