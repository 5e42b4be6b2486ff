/** What servers have besides the database that a test restores, and states of this database before a restore. */
import { MongoClient } from 'mongodb'
import mysql, { type RowDataPacket } from 'mysql2/promise'

/** What a kind has on a server besides the database `shop`. */
export interface Surroundings {
  /** Adds another database, with what needs the database `shop`, and further accounts. */
  fill(url: string): Promise<void>
  /** What is there, as text. It does not change in a restore of `shop`. */
  read(url: string): Promise<unknown>
  /** Logs in with the account that `fill` has made, and reads from `shop` with its privileges. */
  logIn(url: string): Promise<unknown>
}

export async function withMysql<T>(url: string, work: (sql: (text: string) => Promise<RowDataPacket[]>) => Promise<T>) {
  const connection = await mysql.createConnection({ uri: url })
  try {
    return await work(async (text) => (await connection.query<RowDataPacket[]>(text))[0])
  } finally {
    await connection.end()
  }
}

const as = (url: string, username: string, password: string, database: string) =>
  Object.assign(new URL(url), { username, password, pathname: `/${database}` }).href

const mysqlSurroundings: Surroundings = {
  fill: (url) =>
    withMysql(url, async (sql) => {
      for (const text of [
        'create database other',
        'create table other.item (id int primary key, name text)',
        "insert into other.item values (1, 'one'), (2, 'two')",
        'create view other.notes as select count(*) as number from shop.note',
        'create table shop.count (number int)',
        'use shop',
        // With the name of its own database in the text, the dump could not be restored under another name.
        'create trigger counted after insert on note for each row update other.item set name = name',
        'create trigger other.logged after insert on item for each row insert into shop.count values (1)',
        "create user reader@'%' identified by 'secret-of-reader'",
        "grant select on shop.* to reader@'%'",
        "grant select (id) on other.item to reader@'%'",
      ])
        await sql(text)
    }),
  read: (url) =>
    withMysql(url, async (sql) => [
      await sql('select * from other.item order by id'),
      (await sql('show create view other.notes'))[0]!['Create View'],
      (await sql('show create trigger other.logged'))[0]!['SQL Original Statement'],
      await sql("show grants for reader@'%'"),
      await sql('select user, host from mysql.user order by user, host'),
    ]),
  logIn: (url) =>
    withMysql(as(url, 'reader', 'secret-of-reader', 'shop'), async (sql) => [
      (await sql('select count(*) > 0 as has from note'))[0]!.has,
      (await sql('select id from other.item order by id')).map(({ id }) => id as number),
    ]),
}

async function withMongo<T>(url: string, work: (client: MongoClient) => Promise<T>) {
  const client = await new MongoClient(url).connect()
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

const mongoSurroundings: Surroundings = {
  fill: (url) =>
    withMongo(url, async (client) => {
      await client
        .db('other')
        .collection('item')
        .insertMany([{ name: 'one' }, { name: 'two' }])
      await client.db('other').command({ createUser: 'clerk', pwd: 'secret-of-clerk', roles: ['readWrite'] })
      const roles = [
        { role: 'read', db: 'shop' },
        { role: 'read', db: 'other' },
      ]
      await client.db('admin').command({ createUser: 'reader', pwd: 'secret-of-reader', roles })
    }),
  read: (url) =>
    withMongo(url, async (client) => [
      (await client.db('other').collection('item').find().sort({ name: 1 }).toArray()).map(
        ({ name }) => name as string,
      ),
      (await client.db('admin').collection('system.users').find().sort({ _id: 1 }).toArray()).map(({ _id, roles }) => [
        String(_id),
        roles as unknown,
      ]),
    ]),
  logIn: (url) =>
    withMongo(as(url, 'reader', 'secret-of-reader', ''), async (client) => [
      (await client.db('shop').collection('note').countDocuments()) > 0,
      await client.db('other').collection('item').countDocuments(),
    ]),
}

export const surroundingsOf: Record<string, Surroundings> = {
  mariadb: mysqlSurroundings,
  mysql: mysqlSurroundings,
  mongo: mongoSurroundings,
}

/** A state of the database `shop` in which a restore brings everything back. */
export interface Loss {
  state: string
  /** The reason why there is no safety dump, or null if there is one. */
  safety: 'TargetEmpty' | null
  /** Runs as the administrator, without selecting a database. */
  cause(url: string): Promise<unknown>
}

const mysqlLosses: Loss[] = [
  {
    state: 'that was dropped',
    safety: 'TargetEmpty',
    cause: (url) =>
      withMysql(url, async (sql) => {
        // A view of another database that needs the dropped one could not be copied.
        await sql('drop view other.notes')
        await sql('drop database shop')
      }),
  },
]

export const lossesOf: Record<string, Loss[]> = {
  mysql: mysqlLosses,
  mariadb: mysqlLosses,
  mongo: [
    {
      state: 'that was dropped',
      safety: 'TargetEmpty',
      cause: (url) => withMongo(url, (client) => client.db('shop').dropDatabase()),
    },
    {
      state: 'of which only an account remains',
      safety: null,
      cause: (url) =>
        withMongo(url, async (client) => {
          await client.db('shop').command({ createUser: 'left', pwd: 'a password', roles: [] })
          await client.db('shop').dropDatabase()
        }),
    },
  ],
}
