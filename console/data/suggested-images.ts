/** The images that the forms suggest. */
import type { Kind } from './kinds.ts'

/** Images that a new database can have. The first one is preselected; any other image is accepted, too. */
export const suggestedImages: Record<Kind, readonly string[]> = {
  postgres: ['postgres:17', 'postgres:18', 'postgres:16'],
  mysql: ['mysql:8.4', 'mysql:9.7'],
  mariadb: ['mariadb:11.8', 'mariadb:10.11'],
  mongo: ['mongo:8', 'mongo:7'],
  redis: ['redis:8', 'redis:7', 'valkey/valkey:9'],
}
