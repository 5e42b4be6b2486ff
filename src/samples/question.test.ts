/** Questions to a client that stays connected, with a program that the test answers for. */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { answerEnd } from '../kinds/sampler.ts'
import { sampleClient } from './question.ts'

/** A program whose answers a test writes. `answer` is called with each question. */
function programWith(answer: (question: string, stdout: PassThrough) => void) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  let isClosed = false
  stdin.on('data', (question: Buffer) => answer(question.toString(), stdout))
  const close = () => {
    isClosed = true
    stdin.end()
  }
  return { program: { stdin, stdout, close }, isClosed: () => isClosed, stdout }
}

test('returns the lines of each answer, and ignores what nobody asked for', async () => {
  const { program, stdout } = programWith((question, out) => out.write(`${question.trim()}!\n${answerEnd}\n`))
  const client = sampleClient(program)
  assert.deepEqual(await client.ask('one\n', 1000), ['one!'])
  stdout.write('a notice\n')
  await new Promise(setImmediate)
  assert.deepEqual(await client.ask('two\n', 1000), ['two!'])
  client.close()
})

test('gives a client up that does not answer in time', async () => {
  const { program, isClosed } = programWith(() => undefined)
  const client = sampleClient(program)
  assert.equal(await client.ask('one\n', 20), null)
  assert.ok(isClosed())
  assert.equal(await client.ask('two\n', 20), null)
})

const mebibyte = 'x'.repeat(1024 * 1024)

for (const [title, answer] of [
  ['too many lines', 'line\n'.repeat(300_000)],
  ['a line without an end', mebibyte],
]) {
  test(`gives a client up at once that answers ${title}`, async () => {
    const { program, isClosed } = programWith((_, out) => out.write(answer))
    assert.equal(await sampleClient(program).ask('one\n', 3600_000), null)
    assert.ok(isClosed())
  })
}

test('gives a client up that writes too much before it is asked', async () => {
  const { program, isClosed, stdout } = programWith(() => undefined)
  const client = sampleClient(program)
  stdout.write(mebibyte)
  await new Promise(setImmediate)
  assert.ok(isClosed())
  // Its further output is not kept.
  stdout.write(mebibyte)
  await new Promise(setImmediate)
  assert.ok(stdout.isPaused())
  assert.equal(await client.ask('one\n', 3600_000), null)
})

test('answers null if the client ends', async () => {
  const { program } = programWith((_, out) => out.end('half an answer\n'))
  assert.equal(await sampleClient(program).ask('one\n', 1000), null)
})
