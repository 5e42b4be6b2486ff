/** The form of a rule that exists: its values are sent with the tag of the record that the person has read. */
import type { CallOptions } from '../../../client/client.ts'
import { type RecordForm, useRecordForm } from '../../data/forms/record-form.ts'

/**
 * @param record the rule as the list has it
 * @param read reads the rule with its tag
 */
export function useRuleForm<R, V extends object>(
  record: R,
  etag: string,
  valuesOf: (record: R) => V,
  read: (options: CallOptions) => Promise<R>,
): RecordForm<V> {
  return useRecordForm({ values: valuesOf(record), etag }, async () => {
    let tag = ''
    const present = await read({ onHeaders: (headers) => (tag = headers.get('etag') ?? '') })
    return { values: valuesOf(present), etag: tag }
  })
}
