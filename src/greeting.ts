/** Texts for the operator at startup: Berth's addresses and the next step, or the reason for a failed start. Pure. */
import type { Config } from './config.ts'

export interface Welcome {
  config: Pick<Config, 'host' | 'port' | 'dataFolder'>
  version: string
  /** Path of the file with the installation token, or the name of the setting that holds the token. */
  tokenPlace: string
  /** Whether there is no account yet. */
  isNew: boolean
}

/** The text names where the installation token is stored. It never contains the token. */
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
    '                (the installation token: it only permits signing in)',
    '',
    isNew ? '  Next: create the administrator' : '  Next: sign in',
    '',
    ...call(`${url}/api/${isNew ? 'auth.createAdmin' : 'auth.login'}`, tokenPlace, isNew).map((line) => `    ${line}`),
    '',
    '  The answer contains your accessToken: send that from then on. Stop Berth with Ctrl-C.',
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

/** Quotes a path as one shell word. */
function quoted(path: string) {
  return /^[\w/.+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::'

function urlOf({ host, port }: Welcome['config']) {
  const reachable = isEverywhere(host) ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** @param fault the error message of the engine's client */
export function engineUnavailableText(fault: string): string {
  return `  The engine does not answer: ${fault}\n  Berth keeps trying. Deployments wait for the engine.\n\n`
}

/** Explains a failed start: the cause and what to do. Covers the errors that the operator can correct. */
export function faultText(error: unknown, { host, port, dataFolder }: Welcome['config']): string {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (syscall === 'listen' || syscall === 'bind') return listenFault(code, host, port) ?? message
  switch (code) {
    case 'EROFS':
      return (
        `The disk of the data folder ${dataFolder} is read-only. ` +
        'Mount it writable, or set BERTH_DATA to another folder'
      )
    case 'EACCES':
    case 'EPERM':
      return (
        `The data folder ${dataFolder} cannot be written by this user. ` +
        'Change its owner, or set BERTH_DATA to another folder'
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return `${dataFolder} is not a folder. Set BERTH_DATA to a folder, or to a path where one can be created`
    case 'ENOENT':
      return `The data folder ${dataFolder} cannot be created. Set BERTH_DATA to another path`
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
      return `This user may not listen on port ${port}. Set BERTH_PORT to 1024 or higher`
    default:
      return undefined
  }
}
