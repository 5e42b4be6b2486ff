/** Messages for the operator at startup: Berth's addresses and the next step, or why the start failed. Pure. */
import type { Config } from './config.ts'
import { isUnspecified, localUrl } from './lib/net/local-url.ts'
import { shellWord } from '../shared/shell-word.ts'

/** The facts that the greeting shows. */
export interface Welcome {
  config: Pick<Config, 'host' | 'port' | 'dataFolder'>
  version: string
  /** Path of the file with the installation token, or the name of the setting that holds the token. */
  tokenLocation: string
  /** Whether there is no account yet. */
  isNew: boolean
  /** The command by which the person started Berth. */
  command: string
  /** Whether the data folder is the one that Berth uses without BERTH_DATA. */
  hasDefaultFolder: boolean
}

/** The text after a successful start. It names the file or setting with the installation token, not the token. */
export function greeting({ config, version, tokenLocation, isNew, command, hasDefaultFolder }: Welcome): string {
  const url = localUrl(config)
  // The command line reads the token from the default folder.
  const option =
    isNew && !hasDefaultFolder && tokenLocation.startsWith('/') ? ` --token-file ${shellWord(tokenLocation)}` : ''
  const isLocal = /^(?:127\.|localhost$|::1$|0\.0\.0\.0$|::$)/.test(config.host)
  const lines = [
    '',
    `  Berth ${version} is serving${isUnspecified(config.host) ? ', on every address of this machine' : ''}`,
    '',
    `    Console     ${url}`,
    `    API         ${url}/api`,
    `    Reference   ${url}/docs`,
    `    Data        ${config.dataFolder}`,
    `    Token       ${tokenLocation}`,
    '                (the installation token; use it only to create the administrator)',
    '',
    isNew
      ? '  Next: create the administrator, in the console or in another terminal'
      : '  Next: sign in, in the console or in another terminal',
    '',
    `    ${command} login ${url}${isLocal ? '' : ' --insecure'}${option}`,
    '',
    `  ${command} help lists all commands. Stop Berth with Ctrl-C.`,
    '',
  ]
  return `${lines.join('\n')}\n`
}

/** The text after the greeting if the engine does not answer. @param fault the error message of the engine's client */
export function engineUnavailableText(fault: string): string {
  return `  Docker engine: ${fault}\n  Berth tries again. Deployments wait for the engine.\n\n`
}

/** @param reason the sentence for the reason why changes are held back */
export function heldBackText(reason: string): string {
  return `  Berth changes nothing now. ${reason}\n\n`
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
