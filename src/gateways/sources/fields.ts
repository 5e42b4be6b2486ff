/** The fields of allowed sources in operations: the list in inputs, and what is enforced of it in answers. */
import { z } from 'zod'
import { refuseField } from '../../errors.ts'
import { fromJson, type Json, toJson } from '../../lib/json.ts'
import { parseCidr } from '../../lib/net/network.ts'
import type { Reader } from '../../store/schema.ts'
import type { GatewayOwner } from '../own-names.ts'
import { canonicalSources, sourceFaultOf } from './admitted.ts'
import { sourcesHash } from './apply.ts'
import { gatewayOf, measurementOf, storedSources } from './queries.ts'
import { sourceFaultMessage, sourcesMessage, sourcesReasons } from './reason-message.ts'

const maxSources = 1000

/** An address or a network in CIDR notation. */
const Source = z
  .string()
  .max(50, 'must have at most 50 characters')
  .refine((text) => parseCidr(text) !== null, 'must be an address or a network, such as 192.0.2.7 or 10.0.0.0/8')

/** A list of sources, as input. Each operation adds its description. */
export const AllowedSources = z.array(Source).max(maxSources, `must have at most ${maxSources} entries`)

/** The column for a list. */
export const sourcesColumn = (sources: readonly string[]): Json<readonly string[]> => toJson(canonicalSources(sources))

/** What gateways enforce, as answer. */
export const EnforcedSources = z
  .object({
    allowedSources: z
      .array(z.string())
      .describe('The list that applies, in canonical form, such as 192.0.2.7/32. Empty: everyone can connect'),
    isOfProject: z.boolean().describe('Whether the list is that of the project'),
    isEnforced: z
      .boolean()
      .describe('Whether the gateway enforces the list. With an empty list: whether the gateway accepts everyone'),
    enforcedSince: z.string().nullable().describe('Since when; null if the list is not enforced'),
    reason: z
      .string()
      .nullable()
      .describe('Why the list, or a part of it, is not enforced, as a message; null if it is'),
    reasonCode: z
      .enum(sourcesReasons)
      .nullable()
      .meta({ title: 'SourcesReason' })
      .describe('Code of the reason, for programs'),
    refusedAttempts: z
      .number()
      .nullable()
      .describe('Number of refused connections since the gateway was created. Null for UDP, which is not counted'),
    refusedSources: z
      .array(
        z.object({
          source: z
            .string()
            .describe('Address of the client, or the one as which the engine lets hidden clients arrive'),
          attempts: z.number().describe('Number of refused connections, counted anew after 24 hours without one'),
          lastAt: z.string().describe('When the last one was refused'),
        }),
      )
      .describe('The sources that were refused in the last 24 hours: at most 20, those with the most attempts first'),
  })
  .meta({ title: 'EnforcedSources' })

/** How long a refused source is named after its last attempt. */
const refusedMs = 24 * 3600_000

/** What the gateway of a database or of a published port enforces. */
export async function enforcedSources(
  { db, now }: { db: Reader; now(): Date },
  owner: GatewayOwner,
): Promise<z.output<typeof EnforcedSources>> {
  const { sources: allowedSources, isOfProject } = (await storedSources(db, owner)) ?? {
    sources: [],
    isOfProject: false,
  }
  const row = await gatewayOf(db, owner)
  const reason = row === null ? null : fromJson(row.reason)
  const isRecent = ({ lastAt }: { lastAt: string }) => now().getTime() - Date.parse(lastAt) < refusedMs
  // A list that was stored a moment ago is not in the gateway yet.
  const isApplied = row?.appliedHash === sourcesHash(allowedSources, row && (await measurementOf(db, row.nodeId)))
  return {
    allowedSources: [...allowedSources],
    isOfProject,
    isEnforced: isApplied && row.enforcedSince !== null,
    enforcedSince: isApplied ? row.enforcedSince : null,
    reason: reason === null ? null : sourcesMessage(reason),
    reasonCode: reason === null ? null : reason.reason,
    refusedAttempts: row?.refused ?? 0,
    refusedSources: row === null ? [] : fromJson(row.refusedSources).filter(isRecent),
  }
}

/** A node on which a list applies. */
export interface SourcesNode {
  id: string
  name: string
}

/** Refuses the list if Berth has measured that gateways on one of the nodes cannot enforce an entry. */
export async function checkSources(
  db: Reader,
  sources: readonly string[] | null | undefined,
  nodes: readonly SourcesNode[],
): Promise<void> {
  for (const { id, name } of sources?.length ? nodes : []) {
    const measurement = await measurementOf(db, id)
    for (const source of canonicalSources(sources!)) {
      const fault = sourceFaultOf(source, measurement)
      if (fault !== null) refuseField('allowedSources', sourceFaultMessage({ ...fault, node: name }))
    }
  }
}
