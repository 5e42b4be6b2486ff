// engine.js: two requests to the Docker engine for the startup scripts. Needs no packages.
//   ping SECONDS     exit 0: the engine answers, 1: no answer within that time, 3: permission denied
//   registry IMAGE   exit 0: the image can be pulled, 4: the registry does not have it, 5: no registry is reachable
import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const [command, argument] = process.argv.slice(2)
const host = URL.parse(process.env.DOCKER_HOST || 'unix:///var/run/docker.sock')
if (host === null) process.exit(1)
const address =
  host.protocol === 'unix:'
    ? { socketPath: decodeURIComponent(host.pathname) }
    : { host: host.hostname.replace(/^\[|\]$/g, ''), port: host.port || 2375 }

/** @returns {Promise<number | string>} the HTTP status, or the error's code */
const statusOf = (path, timeout) =>
  new Promise((resolve) => {
    const call = request({ ...address, path, timeout }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    call.on('timeout', () => call.destroy(new Error('timeout')))
    call.on('error', (error) => resolve(error.code ?? error.message))
    call.end()
  })

const ping = async (seconds) => {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const answer = await statusOf('/_ping', 5000)
    if (answer === 200) return 0
    if (answer === 'EACCES') return 3
    if (Date.now() >= end) return 1
    await wait(100)
  }
}

const registry = async (image) => {
  const answer = await statusOf(`/distribution/${image}/json`, 10_000)
  if (answer === 200) return 0
  return typeof answer === 'number' && answer < 500 ? 4 : 5
}

process.exit(command === 'ping' ? await ping(Number(argument)) : await registry(argument))
