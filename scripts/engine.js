// engine.js: two questions to the Docker engine that the start-up scripts ask; no packages needed.
//   ping SECONDS     exit 0: it answers, 1: it does not within that time, 3: we may not talk to it
//   registry IMAGE   exit 0: the image can be pulled, 4: its registry does not give it, 5: no registry is reached
import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const [question, subject] = process.argv.slice(2)
const host = URL.parse(process.env.DOCKER_HOST || 'unix:///var/run/docker.sock')
if (host === null) process.exit(1)
const address =
  host.protocol === 'unix:'
    ? { socketPath: decodeURIComponent(host.pathname) }
    : { host: host.hostname.replace(/^\[|\]$/g, ''), port: host.port || 2375 }

/** @returns {Promise<number | string>} the status, or the error's code */
const ask = (path, timeout) =>
  new Promise((resolve) => {
    const asked = request({ ...address, path, timeout }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    asked.on('timeout', () => asked.destroy(new Error('timeout')))
    asked.on('error', (error) => resolve(error.code ?? error.message))
    asked.end()
  })

const ping = async (seconds) => {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const answer = await ask('/_ping', 5000)
    if (answer === 200) return 0
    if (answer === 'EACCES') return 3
    if (Date.now() >= end) return 1
    await wait(100)
  }
}

const registry = async (image) => {
  const answer = await ask(`/distribution/${image}/json`, 10_000)
  if (answer === 200) return 0
  return typeof answer === 'number' && answer < 500 ? 4 : 5
}

process.exit(question === 'ping' ? await ping(Number(subject)) : await registry(subject))
