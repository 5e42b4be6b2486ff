/**
 * Checks that a server has the installation token before the token is sent to it. While Berth is stopped, another
 * program can listen on its port.
 */
import type { IncomingMessage } from 'node:http'
import { addressText, proofText } from '../../shared/installation-proof.ts'
import { CommandError } from '../exit.ts'

// Few commands need it, and an import takes time at each start.
const crypto = () => process.getBuiltinModule('node:crypto')

const maxAnswerBytes = 4096
const timeoutMs = 10_000

/**
 * @param isLocal whether the URL names this machine. The connection must then arrive where it was sent: otherwise a
 *   program of another user could listen at the URL and pass the question on to Berth.
 * @throws CommandError if the server does not prove that it has the token
 */
export async function checkInstallation(url: string, token: string, isLocal: boolean): Promise<void> {
  const nonce = crypto().randomBytes(32).toString('base64url')
  const { status, text, sentTo } = await ask(`${url}/proof?nonce=${nonce}`).catch((error: Error) => {
    throw new CommandError('unavailable', `${url} does not answer: ${error.message}`, 'Is Berth running there?')
  })
  const { address, proof } = readAnswer(text)
  if (status !== 200 || !isProof(proof, token, proofText(nonce, address))) {
    const message = `The program at ${url} does not have this installation token, so the token was not sent to it`
    const hint = 'Start Berth. It names its URL and the file with its token: berth login URL --token-file FILE'
    throw new CommandError('denied', message, hint)
  }
  if (!isLocal || address === sentTo) return
  const message = `A program between ${url} and Berth could read the installation token, so the token was not sent`
  const hint = `Use the URL that Berth names at its start, or a tunnel to the same port. Berth answered on ${address}`
  throw new CommandError('denied', message, hint)
}

function isProof(proof: string, token: string, text: string): boolean {
  const { createHash, createHmac, timingSafeEqual } = crypto()
  const key = createHash('sha256').update(token).digest('hex')
  const expected = createHmac('sha256', key).update(text).digest()
  const given = Buffer.from(proof, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The fields of the answer; empty texts if it is not that of Berth. */
function readAnswer(text: string): { address: string; proof: string } {
  try {
    const { address, proof } = JSON.parse(text) as Record<string, unknown>
    if (typeof address === 'string' && typeof proof === 'string') return { address, proof }
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
  }
  return { address: '', proof: '' }
}

interface Received {
  status: number
  text: string
  /** The address of the other end of the connection. */
  sentTo: string
}

/** Reads a small page of an unknown program, which may send without end or not at all. */
function ask(url: string): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const { get } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  const request = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) }, (answer) => {
    const { remoteAddress = '', remotePort = 0 } = answer.socket
    const sentTo = addressText(remoteAddress, remotePort)
    readText(answer).then((text) => resolve({ status: answer.statusCode!, text, sentTo }), reject)
  })
  request.on('error', reject)
  return promise
}

async function readText(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of answer.setEncoding('utf8') as AsyncIterable<string>) {
    text += part
    if (text.length > maxAnswerBytes) return ''
  }
  return text
}
