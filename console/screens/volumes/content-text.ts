/** What a volume contains: "PostgreSQL 17". */
import type { Volume } from '../../../client/client.ts'
import { type Kind, kindLabels } from '../../data/kinds.ts'

export const contentText = ({ kind, version }: Volume): string =>
  [kindLabels[kind as Kind] ?? kind, version].filter(Boolean).join(' ')
