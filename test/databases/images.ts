/** A test Berth with the in-memory engine whose MySQL images a test sets. Shared by the tests of images. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { EngineFailure, type ImageStart } from '../../src/engine/engine.ts'
import type { ServiceSpec } from '../../src/engine/spec.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { type Database, type DatabaseClients, databaseClientsOf } from '../fixtures/database-clients.ts'
import { officialStart } from '../engine/memory/engine.ts'
import { type Failure, type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

export const kind = kindNamed('mysql')

export const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
/** The id of the image with this server version. */
export const idOf = (version: string) => hash(version)
/** The digest reference of the image with this server version in the registry. */
export const digestOf = (version: string) => `mysql@${hash(`of ${version}`)}`

/** The server versions of the images on the node and in the registry. */
export interface FakeImages {
  /** The version that every tag stands for on the node. Null: the node has no image. */
  onNode: string | null
  /** The version that every tag stands for in the registry. Null: there is no registry. */
  inRegistry: string | null
  /** The versions whose images the node has, with or without a tag. */
  versions: Set<string>
  /** The references that were pulled, in order. */
  pulls: string[]
  /** Whether the environment of the images contains the version. */
  isVersionDeclared: boolean
  /** The entry point and the command of the images. */
  start: ImageStart
}

export interface ImageContext extends AsyncDisposable {
  testBerth: TestBerth
  databaseClients: DatabaseClients
  images: FakeImages
  /** Returns the specification of the service of the database. */
  specOf: (database: Database) => ServiceSpec
  /** Makes a call whose work must fail. */
  failedCall: (verb: string, database: Database, more?: Input) => Promise<Failure>
  /** Creates and deploys a database with the image mysql:latest. */
  deployLatest: (more?: Input) => Promise<Database>
}

export async function openImages(): Promise<ImageContext> {
  const testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  return {
    testBerth,
    databaseClients,
    images: fakeImages(testBerth),
    specOf: ({ appName }) => testBerth.engine.specOf(appName)!,
    failedCall: async (verb, database, more = {}) => {
      const { status, body } = await databaseClients.call(verb, database, more, wait)
      assert.equal(status, 422, JSON.stringify(body))
      return body
    },
    deployLatest: (more = {}) => databaseClients.createDeployed({ dockerImage: 'mysql:latest', ...more }),
    [Symbol.asyncDispose]: () => testBerth.close(),
  }
}

function fakeImages({ engine }: TestBerth): FakeImages {
  const images: FakeImages = {
    onNode: '8.0.36',
    inRegistry: null,
    versions: new Set(),
    pulls: [],
    isVersionDeclared: true,
    start: officialStart,
  }
  const pulled = new Set<string>()
  const pinnedVersion = (reference: string) =>
    [...images.versions].find((version) => [idOf(version), digestOf(version)].includes(reference))
  engine.images = (reference) => {
    if (images.onNode !== null) images.versions.add(images.onNode)
    const version = reference.includes('sha256:') ? pinnedVersion(reference) : images.onNode
    if (version == null) return null
    const env = images.isVersionDeclared ? [`MYSQL_VERSION=${version}-1.el9`] : []
    const digest = pulled.has(version) ? digestOf(version) : null
    return { id: idOf(version), digest, architecture: 'amd64', env, start: images.start }
  }
  engine.onPull = (reference) => {
    images.pulls.push(reference)
    if (images.inRegistry === null) throw new EngineFailure('missing', 'there is no registry')
    images.onNode = images.inRegistry
    pulled.add(images.inRegistry)
  }
  // The login program of the kind prints the version of the server.
  engine.answer = (task) => {
    const version = pinnedVersion(engine.specOf(task.serviceName)!.image) ?? images.onNode!
    return { exitCode: 0, stdout: `${version.split('.').slice(0, 2).join('.')}\n`, stderr: '' }
  }
  return images
}
