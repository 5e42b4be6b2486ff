/**
 * A real SFTP server (OpenSSH) on this machine, with its own keys and folder. It accepts the user of the tests with a private
 * key. `./berth test` installs the program.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fingerprintOf } from '../../src/lib/sftp/address.ts'
import type { SftpSettings } from '../../src/lib/sftp/sftp.ts'
import { until } from '../engine/until.ts'
import { freePort } from '../fixtures/free-port.ts'

const run = promisify(execFile)

export type SshServer = Awaited<ReturnType<typeof startSshServer>>

export async function startSshServer() {
  const folder = mkdtempSync(join(tmpdir(), 'berth-sftp-'))
  const [hostKey, userKey] = [join(folder, 'host'), join(folder, 'user')]
  for (const path of [hostKey, userKey]) await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path])
  const port = await freePort()
  const config = join(folder, 'config')
  writeFileSync(config, configOf({ port, hostKey, authorizedKeys: `${userKey}.pub`, pid: join(folder, 'pid') }))
  const data = join(folder, 'backups')
  mkdirSync(data)
  // The folder in which a server of root separates its privileges.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true })
  const server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', config], { stdio: 'ignore' })
  await until('the SSH server to listen', () => isListening(port))
  const settings: SftpSettings = {
    host: '127.0.0.1',
    port,
    user: userInfo().username,
    secret: readFileSync(userKey, 'utf8'),
    hostKey: fingerprintOf(Buffer.from(readFileSync(`${hostKey}.pub`, 'utf8').split(' ')[1]!, 'base64')),
    folder: data,
  }
  return {
    settings,
    /** The folder with all objects. */
    data,
    /** The fields of a destination, without its name. */
    destination: {
      kind: 'sftp',
      endpoint: `127.0.0.1:${port}`,
      bucket: data,
      accessKey: settings.user,
      secretAccessKey: settings.secret,
      region: '',
      hostKey: settings.hostKey,
    },
    async [Symbol.asyncDispose]() {
      const exit = once(server, 'exit')
      server.kill('SIGKILL')
      await exit
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface ConfigOptions {
  port: number
  hostKey: string
  authorizedKeys: string
  pid: string
}

const configOf = ({ port, hostKey, authorizedKeys, pid }: ConfigOptions) => `
ListenAddress 127.0.0.1:${port}
HostKey ${hostKey}
PidFile ${pid}
AuthorizedKeysFile ${authorizedKeys}
# The folder of the test is below the folder for temporary files, which others may write to.
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
Subsystem sftp internal-sftp
ForceCommand internal-sftp
`

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
