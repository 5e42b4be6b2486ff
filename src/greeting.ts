/** What the operator reads at the start: where Berth is and what to do next, or why it could not start. Pure text. */
import type { Config } from './config.ts'

export interface Welcome {
  config: Pick<Config, 'host' | 'port' | 'dataFolder'>
  version: string
  /** Path of the file with the installation token, or the name of the setting. */
  tokenPlace: string
  /** Whether the administrator is still to be made. */
  isNew: boolean
}

/** Never holds a token: it names the place where it can be read. */
export function greeting({ config, version, tokenPlace, isNew }: Welcome): string {
  const url = urlOf(config)
  const lines = [
    '',
    `  Berth ${version} is serving${isEverywhere(config.host) ? ', on every address of this machine' : ''}`,
    '',
    `    API         ${url}/api`,
    `    Reference   ${url}/docs`,
    `    Data        ${config.dataFolder}`,
    `    Token       ${tokenPlace}`,
    '                (the installation token: it opens signing in, and nothing else)',
    '',
    isNew ? '  Next: make the administrator' : '  Next: sign in',
    '',
    ...call(`${url}/api/${isNew ? 'auth.createAdmin' : 'auth.login'}`, tokenPlace, isNew).map((line) => `    ${line}`),
    '',
    '  Its answer holds your accessToken: send that from then on. Stop Berth with Ctrl-C.',
    '',
  ]
  return `${lines.join('\n')}\n`
}

function call(url: string, tokenPlace: string, isNew: boolean) {
  const token = tokenPlace.startsWith('/') ? `$(cat ${quoted(tokenPlace)})` : `$${tokenPlace}`
  const password = isNew ? 'at least 8 characters' : 'your password'
  return [
    `curl -sS ${url} \\`,
    `  -H "Authorization: Bearer ${token}" \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"email": "you@example.org", "password": "${password}"}'`,
  ]
}

/** As one word of a shell, for the operator to paste. */
function quoted(path: string) {
  return /^[\w/.+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::'

function urlOf({ host, port }: Welcome['config']) {
  const reachable = isEverywhere(host) ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** `fault` is what the engine's client said. */
export function awayText(fault: string): string {
  return `  The engine does not answer: ${fault}\n  Berth goes on asking; deployments wait for it.\n\n`
}

/** Why Berth could not start and what to do, for the faults that an operator meets. */
export function faultText(error: unknown, { host, port, dataFolder }: Welcome['config']): string {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (syscall === 'listen' || syscall === 'bind') return listenFault(code, host, port) ?? message
  switch (code) {
    case 'EROFS':
      return (
        `The disk of the data folder ${dataFolder} can only be read. ` +
        'Let it be written, or set BERTH_DATA to another'
      )
    case 'EACCES':
    case 'EPERM':
      return (
        `The data folder ${dataFolder} cannot be written by this user. ` +
        'Change its owner, or set BERTH_DATA to another'
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return `${dataFolder} is not a folder. Set BERTH_DATA to one that is, or that can be made`
    case 'ENOENT':
      return `The data folder ${dataFolder} cannot be made. Set BERTH_DATA to another`
    case 'ENOSPC':
      return `There is no space left for the data folder ${dataFolder}`
    default:
      return message
  }
}

function listenFault(code: string | undefined, host: string, port: number) {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Stop what listens there, or set BERTH_PORT to another`
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine. Set BERTH_HOST to one that is, like 127.0.0.1 or 0.0.0.0`
    case 'EACCES':
      return `This user may not listen on port ${port}. Set BERTH_PORT to one from 1024 up`
    default:
      return undefined
  }
}
