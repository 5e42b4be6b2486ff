/** Messages for the operator at startup: Berth's addresses and the next step, or why the start failed. Pure. */
import type { Config } from './config.ts'

/** The facts that the greeting shows. */
export interface Welcome {
  config: Pick<Config, 'host' | 'port' | 'dataFolder'>
  version: string
  /** Path of the file with the installation token, or the name of the setting that holds the token. */
  tokenLocation: string
  /** Whether there is no account yet. */
  isNew: boolean
}

/** The text after a successful start. It names the file or setting with the installation token, not the token. */
export function greeting({ config, version, tokenLocation, isNew }: Welcome): string {
  const url = urlOf(config)
  const lines = [
    '',
    `  Berth ${version} is serving${isUnspecified(config.host) ? ', on every address of this machine' : ''}`,
    '',
    `    API         ${url}/api`,
    `    Reference   ${url}/docs`,
    `    Data        ${config.dataFolder}`,
    `    Token       ${tokenLocation}`,
    '                (the installation token; use it only to sign in)',
    '',
    isNew ? '  Next: create the administrator' : '  Next: sign in',
    '',
    ...call(`${url}/api/${isNew ? 'auth.createAdmin' : 'auth.login'}`, tokenLocation, isNew).map(
      (line) => `    ${line}`,
    ),
    '',
    '  The answer contains your accessToken. Send it with all other calls. Stop Berth with Ctrl-C.',
    '',
  ]
  return `${lines.join('\n')}\n`
}

function call(url: string, tokenLocation: string, isNew: boolean) {
  const token = tokenLocation.startsWith('/') ? `$(cat ${quoted(tokenLocation)})` : `$${tokenLocation}`
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

const isUnspecified = (host: string) => host === '0.0.0.0' || host === '::'

function urlOf({ host, port }: Welcome['config']) {
  const reachable = isUnspecified(host) ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** The text after the greeting if the engine does not answer. @param fault the error message of the engine's client */
export function engineUnavailableText(fault: string): string {
  return `  Docker engine: ${fault}\n  Berth tries again. Deployments wait for the engine.\n\n`
}

/** Explains a failed start: the cause and what to do. For an unknown cause, returns the message of the error. */
export function faultText(error: unknown, { host, port, dataFolder }: Welcome['config']): string {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (syscall === 'listen' || syscall === 'bind') return listenFault(code, host, port) ?? message
  switch (code) {
    case 'EROFS':
      return (
        `The data folder ${dataFolder} is on a read-only disk. ` +
        'Mount it writable, or set BERTH_DATA to another folder'
      )
    case 'EACCES':
    case 'EPERM':
      return (
        `This user cannot write to the data folder ${dataFolder}. ` +
        'Change its owner, or set BERTH_DATA to another folder'
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return `${dataFolder} is not a folder. Set BERTH_DATA to a folder, or to a path where one can be created`
    case 'ENOENT':
      return `The data folder ${dataFolder} cannot be created. Set BERTH_DATA to another path`
    case 'ENOSPC':
      return `The disk of the data folder ${dataFolder} is full. Free some space, or set BERTH_DATA to another folder`
    default:
      return message
  }
}

function listenFault(code: string | undefined, host: string, port: number) {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Stop the program that listens there, or set BERTH_PORT to another port`
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine. Set BERTH_HOST to an address of this machine, or to 0.0.0.0`
    case 'EACCES':
      return `This user cannot listen on port ${port}. Set BERTH_PORT to 1024 or higher`
    default:
      return undefined
  }
}
