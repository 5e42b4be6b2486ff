/** Drivers of all kinds that connect to an address with TLS, and verify the authority and the name of the server. */
import { connect } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { MongoClient } from 'mongodb'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { createClient } from 'redis'
import type { Kind } from '../../src/kinds/kind.ts'

export interface VerifiedSession {
  /** Whether the server answers on the same connection. */
  isAlive(): Promise<boolean>
  close(): Promise<void>
}

export interface VerifiedTarget {
  kind: Kind
  /** An address. */
  host: string
  port: number
  settings: Record<string, unknown>
  serverName: string
  /** The certificates of the authority. */
  ca: string
}

/** Rejects if the certificate does not prove the name, or if the server refuses the login. */
export const openVerified = (target: VerifiedTarget): Promise<VerifiedSession> => openers[target.kind.name]!(target)

const ignoreError = () => undefined
const connectMs = 10_000

const openers: Record<string, (target: VerifiedTarget) => Promise<VerifiedSession>> = {
  postgres: openPostgres,
  mysql: openMysql,
  mariadb: openMysql,
  mongo: openMongo,
  redis: openRedis,
}

async function openPostgres({ kind, host, port, settings, serverName, ca }: VerifiedTarget): Promise<VerifiedSession> {
  const client = new pg.Client({
    connectionString: kind.url(settings, { host, port }),
    ssl: {
      ca,
      checkServerIdentity: (_host: string, certificate: PeerCertificate) =>
        checkServerIdentity(serverName, certificate),
    },
    connectionTimeoutMillis: connectMs,
  })
  client.on('error', ignoreError)
  await client.connect()
  return { isAlive: async () => (await client.query('select 1')).rowCount === 1, close: () => client.end() }
}

/** mysql2 compares the certificate with the host, and does so for names only. */
async function openMysql({ kind, host, port, settings, serverName, ca }: VerifiedTarget): Promise<VerifiedSession> {
  const client = await mysql.createConnection({
    uri: kind.url(settings, { host: serverName, port }),
    ssl: { ca, verifyIdentity: true },
    stream: () => connect({ host, port }),
    connectTimeout: connectMs,
  })
  client.on('error', ignoreError)
  return { isAlive: async () => Array.isArray((await client.query('select 1'))[0]), close: () => client.end() }
}

async function openMongo({ kind, host, port, settings, serverName, ca }: VerifiedTarget): Promise<VerifiedSession> {
  const client = new MongoClient(kind.url(settings, { host, port }), {
    tls: true,
    ca,
    checkServerIdentity: (_host: string, certificate: PeerCertificate) => checkServerIdentity(serverName, certificate),
    directConnection: true,
    maxPoolSize: 1,
    serverSelectionTimeoutMS: connectMs,
  })
  await client.connect().catch(async (error: unknown) => {
    await client.close()
    throw error
  })
  return { isAlive: async () => (await client.db('admin').command({ ping: 1 })).ok === 1, close: () => client.close() }
}

async function openRedis({ kind, host, port, settings, serverName, ca }: VerifiedTarget): Promise<VerifiedSession> {
  const { password } = new URL(kind.url(settings, { host, port }))
  const client = createClient({
    password: decodeURIComponent(password),
    socket: { host, port, tls: true, ca, servername: serverName, connectTimeout: connectMs, reconnectStrategy: false },
  })
  client.on('error', ignoreError)
  await client.connect()
  return { isAlive: async () => (await client.ping()) === 'PONG', close: () => client.close() }
}
