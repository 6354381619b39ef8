import { expect, test } from 'vitest'
import { createPace, kindOf } from '../../src/passwords/foreign/pace.ts'

const own = '$argon2id$v=19$m=65536,t=3,p=1$c2FsdA$aGFzaA'
const foreign = '$pbkdf2-sha256$i=600000$c2FsdA$aGFzaA'

/** A pace whose waits are recorded instead. */
function recordedPace() {
  let waited = 0
  const pace = createPace(async (ms) => {
    waited += ms
  })
  const record = async (storedHash: string, ms: number, isMeasurement: boolean) => {
    waited = 0
    await pace(storedHash, ms, isMeasurement)
    return waited
  }
  return {
    measure: (storedHash: string, ms: number) => record(storedHash, ms, true),
    /** @returns how long the answer waits after this work */
    logIn: (storedHash: string, ms: number) => record(storedHash, ms, false),
  }
}

test('without hashes of another kind nothing waits', async () => {
  const { measure, logIn } = recordedPace()
  await measure(own, 100)
  for (const ms of [90, 5, 110]) expect(await logIn(own, ms)).toBe(0)
})

test('a fast hash takes as long as the others, and the others as long as a slow one', async () => {
  const { measure, logIn } = recordedPace()
  await measure(own, 100)
  await measure('$phpass$ln=13$c2FsdA$aGFzaA', 20)
  expect(await logIn(own, 100)).toBe(0)
  expect(await logIn('$phpass$ln=13$c2FsdA$aGFzaA', 20)).toBe(80)
  await measure(foreign, 300)
  expect(await logIn(foreign, 300)).toBe(0)
  expect(await logIn(own, 100)).toBe(200)
  expect(await logIn('$phpass$ln=13$c2FsdA$aGFzaA', 20)).toBe(280)
})

test('one slow measurement delays nobody, and no wait is longer than three seconds', async () => {
  const { measure, logIn } = recordedPace()
  await measure(own, 100)
  for (const ms of [9_000, 300, 300]) await measure(foreign, ms)
  expect(await logIn(own, 100)).toBe(200)
  for (let time = 0; time < 2; time += 1) await measure(foreign, 9_000)
  expect(await logIn(own, 100)).toBe(2_900)
})

// Otherwise whoever can make a few logins slow would delay those of all others.
test.each([own, foreign, '$phpass$ln=13$c2FsdA$aGFzaA'])(
  'slow logins with %s delay no others',
  async (hash) => {
    const { measure, logIn } = recordedPace()
    await measure(own, 100)
    await measure(foreign, 300)
    await logIn(hash, 9_000)
    expect(await logIn(own, 100)).toBe(200)
    for (let time = 0; time < 2; time += 1) await measure(foreign, 300)
    for (let time = 0; time < 2; time += 1) await measure(own, 100)
    for (let time = 0; time < 2; time += 1) await logIn(hash, 9_000)
    expect(await logIn(own, 100)).toBe(200)
  },
)

// Under load every hash takes longer, and so does the slowest kind.
test('while most logins take longer, all do', async () => {
  const { measure, logIn } = recordedPace()
  await measure(own, 100)
  await measure(foreign, 300)
  for (let time = 0; time < 8; time += 1) await logIn(foreign, 600)
  expect(await logIn(own, 200)).toBe(400)
})

// A long password costs phpass more: after many short ones it would stand out.
test('fast logins shorten no wait', async () => {
  const { measure, logIn } = recordedPace()
  await measure(own, 100)
  await measure('$phpass$ln=17$c2FsdA$aGFzaA', 300)
  for (let time = 0; time < 8; time += 1) await logIn('$phpass$ln=17$c2FsdA$aGFzaA', 200)
  expect(await logIn(own, 100)).toBe(200)
})

// A file with a kind for each line would otherwise fill the memory.
test('only the latest kinds are kept', async () => {
  const { measure, logIn } = recordedPace()
  await measure(foreign, 300)
  for (let i = 1; i <= 100; i += 1) await measure(foreign.replace('600000', String(i)), 20)
  expect(await logIn(own, 10)).toBe(10)
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
