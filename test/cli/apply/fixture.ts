/** A file of `berth apply` that has something of everything, for tests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CommandLine, startCommandLine } from '../cli-fixture.ts'

/** Values of the variables that the file refers to. The names are those that `berth export` gives. */
export const secrets = {
  OFFSITE_SECRET_KEY: 'the-secret-key-of-offsite',
  SHOP_ORDERS_PASSWORD: 'the-password-of-orders',
  SHOP_USERS_PASSWORD: 'the-password-of-users',
  SHOP_USERS_ROOT_PASSWORD: 'the-root-password-of-users',
  SHOP_CACHE_PASSWORD: 'the-password-of-cache',
  SHOP_ORDERS_ENV_API_TOKEN: 'the-token-of-orders',
  SHOP_ORDERS_SIGNAL_URL: 'https://ping.example.com/the-secret-path',
  WEB_ALICE_PASSWORD: 'the-password-of-alice',
}

/**
 * @param suffix the end of all names, so that several files can be applied to one installation
 * @param port the first of three ports
 */
export const fileText = (suffix = '', port = 15_432): string => `berth: 1
destinations:
  offsite${suffix}:
    endpoint: https://s3.example.com
    bucket: shop-backups
    accessKey: AKIA
    secretKey: \${env:OFFSITE_SECRET_KEY}
projects:
  shop${suffix}:
    description: The web shop
    databases:
      orders:
        kind: postgres
        image: postgres:17
        port: ${port}
        memory: 512 MiB
        env: {TZ: UTC, API_TOKEN: "\${env:SHOP_ORDERS_ENV_API_TOKEN}"}
        password: \${env:SHOP_ORDERS_PASSWORD}
        backups:
          - {destination: offsite${suffix}, schedule: "@daily", keepLatest: 7, signalUrl: "\${env:SHOP_ORDERS_SIGNAL_URL}"}
          - {destination: offsite${suffix}, schedule: "@weekly", prefix: weekly${suffix}, keepDays: 365, enabled: false}
      users:
        kind: mysql
        image: mysql:8
        state: stopped
        password: \${env:SHOP_USERS_PASSWORD}
        rootPassword: \${env:SHOP_USERS_ROOT_PASSWORD}
      cache:
        kind: redis
        image: redis:8
        password: \${env:SHOP_CACHE_PASSWORD}
        backups:
          - {destination: offsite${suffix}, schedule: "@daily"}
applications:
  web${suffix}:
    redirects:
      - {regex: ^http://www, replacement: https://shop.example.com, permanent: true}
      - {regex: ^http://old, replacement: https://shop.example.com/old}
    users: {alice: "\${env:WEB_ALICE_PASSWORD}"}
    ports: [${port + 1}:80, ${port + 2}:53/udp]
`

export type Installation = Awaited<ReturnType<typeof startInstallation>>

/** A Berth with functions that apply texts as files. */
export async function startInstallation(cli?: CommandLine) {
  const commandLine = cli ?? (await startCommandLine())
  const folder = mkdtempSync(join(tmpdir(), 'berth-apply-'))
  let files = 0
  const access = { BERTH_URL: commandLine.url, BERTH_TOKEN: commandLine.token }

  /** Writes a file and returns its path. */
  function fileWith(text: string): string {
    const path = join(folder, `${++files}.yaml`)
    writeFileSync(path, text)
    return path
  }

  /** @param env the variables that the text refers to */
  const apply = (text: string, args: string[] = ['--yes'], env: NodeJS.ProcessEnv = secrets) =>
    commandLine.command(['apply', '-f', fileWith(text), ...args], { ...access, ...env })

  return {
    ...commandLine,
    access,
    fileWith,
    apply,
    async [Symbol.asyncDispose]() {
      await commandLine[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
