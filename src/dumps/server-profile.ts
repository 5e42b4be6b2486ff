/**
 * How the server of a dump was started, apart from its image and the settings of its kind. Drills and restores into a
 * new service start their servers in the same way: a dump can need an argument, a variable or the memory of its server.
 */
import { z } from 'zod'
import { readJson } from '../lib/json.ts'

export const ServerProfile = z.object({
  /** `name@sha256:...`; null if the image has no digest in a registry. */
  imageDigest: z.string().nullable(),
  command: z.string().nullable(),
  /** In MiB. */
  memoryReservation: z.number().nullable(),
  memoryLimit: z.number().nullable(),
  /** In cores. */
  cpuReservation: z.number().nullable(),
  cpuLimit: z.number().nullable(),
  externalPort: z.number().nullable(),
  /** The names of the variables that the owner of the database set. */
  envNames: z.array(z.string()),
  /** The names of the settings that the database itself has, such as those of ALTER DATABASE in PostgreSQL. */
  databaseSettingNames: z.array(z.string()),
  /**
   * The private part, encrypted like the dump, in base64. Null if the dump is not encrypted: then only the store has the
   * private part.
   */
  encrypted: z.string().nullable(),
})
export type ServerProfile = z.infer<typeof ServerProfile>

/** The values that can contain secrets. */
export const PrivateProfile = z.object({
  /** The variables of the database as lines of NAME=value; null: none. */
  env: z.string().nullable(),
  /** The settings of the database as NAME=value. */
  databaseSettings: z.array(z.string()),
})
export type PrivateProfile = z.infer<typeof PrivateProfile>

export const noPrivateProfile: PrivateProfile = { env: null, databaseSettings: [] }

/** Parses a private part, which is untrusted: others may write to the bucket. Returns null if it is not valid. */
export const readPrivateProfile = (text: string): PrivateProfile | null => readJson(PrivateProfile, text)

/** The fields that a new service takes over from the dumped one, besides its variables. */
export const carriedNames = ['command', 'memoryReservation', 'memoryLimit', 'cpuReservation', 'cpuLimit'] as const

/** The fields of the dumped service that a restore into a new service can leave out. */
export const uncarriedNames = [...carriedNames, 'env', 'databaseSettings', 'externalPort'] as const

/** A field of the dumped service that the new service does not have. */
export interface Uncarried {
  field: (typeof uncarriedNames)[number]
  /** The variables or settings, if the field is `env` or `databaseSettings`. */
  names?: string[]
}

type Configuration = Pick<ServerProfile, (typeof carriedNames)[number] | 'externalPort'>

/** Returns the fields of the dumped service that the new service does not have. Pure. */
export function uncarriedOf(
  dumped: ServerProfile,
  service: Configuration & Pick<ServerProfile, 'envNames' | 'databaseSettingNames'>,
): Uncarried[] {
  const fields = [...carriedNames, 'externalPort'] as const
  const missing = fields.filter((field) => dumped[field] !== null && dumped[field] !== service[field])
  return [
    ...missing.map((field) => ({ field })),
    ...missingNames('env', dumped.envNames, service.envNames),
    ...missingNames('databaseSettings', dumped.databaseSettingNames, service.databaseSettingNames),
  ]
}

function missingNames(field: Uncarried['field'], dumped: string[], present: string[]): Uncarried[] {
  const names = dumped.filter((name) => !present.includes(name))
  return names.length === 0 ? [] : [{ field, names }]
}
