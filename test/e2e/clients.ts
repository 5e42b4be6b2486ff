/**
 * A real driver for each kind of database behind one interface, and the images and settings of its server. The suites
 * take all differences between kinds from this data.
 */
import { MongoClient } from 'mongodb'
import mysql, { type RowDataPacket } from 'mysql2/promise'
import pg from 'pg'
import { createClient } from 'redis'

/** A connection that stays open. */
export interface Session {
  /** Stores a text durably, among those stored before. */
  write(text: string): Promise<void>
  /** Returns all stored texts in the order in which they were written. */
  read(): Promise<string[]>
  /** Returns the uptime of the server in seconds. */
  uptime(): Promise<number>
  /** Returns how the server names this connection. No other connection has the same name. */
  connection(): Promise<string>
  /** Returns the server's value of the setting that `changed.command` sets. */
  setting(): Promise<string>
  close(): Promise<void>
}

export interface Client {
  /** The images that the tests may use. Most tests use the first. */
  images: string[]
  /** Environment variables of new databases. */
  env?: string
  /** Arguments that change a setting, and the resulting value of the setting. */
  changed: { command: string; setting: string }
  /** Arguments that the server refuses. */
  broken: string
  /** Rejects if the server refuses the connection or the credentials. */
  connect(url: string): Promise<Session>
}

const connectMs = 5000
/** Keeps Node from throwing when the server closes an idle connection. */
const ignoreError = () => undefined

async function connectPostgres(connectionString: string): Promise<Session> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: connectMs })
  client.on('error', ignoreError)
  await client.connect()
  const value = async (text: string) => Object.values((await client.query(text)).rows[0] as object)[0] as string
  await client.query('create table if not exists note (at serial, it text)')
  return {
    write: async (text) => {
      await client.query('insert into note (it) values ($1)', [text])
    },
    read: async () => (await client.query('select it from note order by at')).rows.map(({ it }) => it as string),
    uptime: async () =>
      Number(await value('select extract(epoch from clock_timestamp() - pg_postmaster_start_time())')),
    connection: async () => String(await value('select pg_backend_pid()')),
    setting: () => value('show work_mem'),
    close: () => client.end(),
  }
}

async function connectMysql(uri: string): Promise<Session> {
  const client = await mysql.createConnection({ uri, connectTimeout: connectMs })
  client.on('error', ignoreError)
  const rows = async (sql: string) => (await client.query<RowDataPacket[]>(sql))[0]
  await client.query('create table if not exists note (at int auto_increment primary key, it text)')
  return {
    write: async (text) => {
      await client.query('insert into note (it) values (?)', [text])
    },
    read: async () => (await rows('select it from note order by at')).map(({ it }) => it as string),
    uptime: async () => Number((await rows("show global status like 'Uptime'"))[0]!.Value),
    connection: async () => String((await rows('select connection_id() as it'))[0]!.it),
    setting: async () => String((await rows('select @@global.max_connections as it'))[0]!.it),
    close: () => client.end(),
  }
}

async function connectMongo(url: string): Promise<Session> {
  const options = { serverSelectionTimeoutMS: connectMs, connectTimeoutMS: connectMs, maxPoolSize: 1 }
  const client = new MongoClient(url, options)
  await client.connect().catch(async (error: unknown) => {
    await client.close()
    throw error
  })
  const collection = client.db('shop').collection<{ at: number; it: string }>('note')
  const admin = client.db('admin')
  return {
    write: async (text) => {
      await collection.insertOne({ at: await collection.countDocuments(), it: text }, { writeConcern: { j: true } })
    },
    read: async () => (await collection.find().sort({ at: 1 }).toArray()).map(({ it }) => it),
    uptime: async () => Number((await admin.command({ serverStatus: 1 })).uptimeMillis) / 1000,
    connection: async () => String((await admin.command({ whatsmyuri: 1 })).you),
    setting: async () => String((await admin.command({ profile: -1 })).slowms),
    close: () => client.close(),
  }
}

async function connectRedis(url: string): Promise<Session> {
  const client = createClient({ url, socket: { connectTimeout: connectMs, reconnectStrategy: false } })
  client.on('error', ignoreError)
  await client.connect()
  const info = async (section: string, name: string) =>
    new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(await client.info(section))?.[1] ?? ''
  return {
    write: async (text) => {
      await client.rPush('note', text)
    },
    read: () => client.lRange('note', 0, -1),
    uptime: async () => Number(await info('server', 'uptime_in_seconds')),
    connection: async () => String(await client.sendCommand(['CLIENT', 'ID'])),
    setting: () => info('memory', 'maxmemory_policy'),
    close: async () => {
      if (client.isOpen) await client.close()
    },
  }
}

/** Loading the time zones takes most of the time in which an image initializes its data. */
const withoutTimeZones = 'MARIADB_INITDB_SKIP_TZINFO=1\nMYSQL_INITDB_SKIP_TZINFO=1'
const mysqlChanged = { command: '--max-connections=77', setting: '77' }

/** The clients by the name of the kind. */
export const clients: Record<string, Client> = {
  postgres: {
    images: ['postgres:15', 'postgres:17', 'postgres:18'],
    connect: connectPostgres,
    changed: { command: '-c work_mem=8MB', setting: '8MB' },
    broken: '-c no_such_setting=1',
  },
  mariadb: {
    images: ['mariadb:11', 'mariadb:10.11'],
    env: withoutTimeZones,
    connect: connectMysql,
    changed: mysqlChanged,
    broken: '--no-such-option=1',
  },
  mysql: {
    images: ['mysql:8', 'mysql:8.0', 'mysql:9.7'],
    env: withoutTimeZones,
    connect: connectMysql,
    changed: mysqlChanged,
    broken: '--no-such-option=1',
  },
  mongo: {
    images: ['mongo:3.6'],
    connect: connectMongo,
    changed: { command: '--slowms 77', setting: '77' },
    broken: '--noSuchOption',
  },
  redis: {
    images: ['redis:8', 'redis:7', 'valkey/valkey:9'],
    connect: connectRedis,
    changed: { command: '--maxmemory-policy allkeys-lru', setting: 'allkeys-lru' },
    broken: '--no-such-option 1',
  },
}
