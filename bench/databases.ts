/** Databases of all kinds that several benchmarks deploy. */
import type { Kind } from '../src/kinds/kind.ts'

/** Images that `./berth images` can build, by the name of the kind. */
export const images: Record<string, string> = {
  mariadb: 'mariadb:11',
  mysql: 'mysql:8',
  postgres: 'postgres:17',
  mongo: 'mongo:3.6',
  redis: 'redis:8',
}

/** The settings of a kind that have no default. */
export function settingsOf(kind: Kind): Record<string, string> {
  const names = Object.keys(kind.settings.shape)
  return Object.fromEntries(names.map((name) => [name, kind.secrets.includes(name) ? 'only-for-the-bench' : 'shop']))
}
