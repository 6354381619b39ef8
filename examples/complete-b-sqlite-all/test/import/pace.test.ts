import { expect, test } from 'vitest'
import { createPace, kindOf } from '../../src/passwords/foreign/pace.ts'

const own = '$argon2id$v=19$m=65536,t=3,p=1$c2FsdA$aGFzaA'
const foreign = '$pbkdf2-sha256$i=600000$c2FsdA$aGFzaA'

/** A pace whose waits are recorded instead. @returns how long an answer waits after this work */
function recordedPace() {
  let waited = 0
  const pace = createPace(async (ms) => {
    waited += ms
  })
  return async (storedHash: string, ms: number) => {
    waited = 0
    await pace(storedHash, ms)
    return waited
  }
}

test('without hashes of another kind nothing waits', async () => {
  const pace = recordedPace()
  for (const ms of [90, 5, 110]) expect(await pace(own, ms)).toBe(0)
})

test('a fast hash takes as long as the others, and the others as long as a slow one', async () => {
  const pace = recordedPace()
  expect(await pace(own, 100)).toBe(0)
  expect(await pace('$phpass$ln=13$c2FsdA$aGFzaA', 20)).toBe(80)
  expect(await pace(foreign, 300)).toBe(0)
  expect(await pace(own, 100)).toBe(200)
  expect(await pace('$phpass$ln=13$c2FsdA$aGFzaA', 20)).toBe(280)
})

test('one slow moment delays nobody, and no wait is longer than three seconds', async () => {
  const pace = recordedPace()
  for (let time = 0; time < 7; time += 1) await pace(foreign, 300)
  await pace(foreign, 9_000)
  expect(await pace(own, 100)).toBe(200)
  for (let time = 0; time < 2; time += 1) await pace(foreign, 9_000)
  expect(await pace(own, 100)).toBe(2_900)
})

// A file with a kind for each line would otherwise fill the memory.
test('only the latest kinds are kept', async () => {
  const pace = recordedPace()
  await pace(foreign, 300)
  for (let i = 1; i <= 100; i += 1) await pace(foreign.replace('600000', String(i)), 20)
  expect(await pace(own, 10)).toBe(10)
})

test.each([
  [own, '$argon2id$v=19$m=65536,t=3,p=1'],
  [foreign, '$pbkdf2-sha256$i=600000'],
  ['$2y$12$punjIzmejvPvlP7nBX28y.Mmfs.m3oyAUXUuG.jp6BO2u.jS0ek16', '$2$12'],
  ['$bcrypt-hmac-sha384$10$P1bvNdZHjl2hDTHtCY40k.', '$bcrypt-hmac-sha384$10'],
  ['!', ''],
])('the kind of %s is %s', (storedHash, kind) => {
  expect(kindOf(storedHash)).toBe(kind)
})
