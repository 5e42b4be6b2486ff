/** The rule for names and passwords of every kind: no control characters and no lone surrogates. Pure. */
import type { z } from 'zod'

const noControl = /^[^\u0000-\u001f\u007f-\u009f]*$/

export const printable = (text: z.ZodString) =>
  text
    .regex(noControl, 'must not contain control characters: remove them')
    .refine((it) => it.isWellFormed(), 'must not contain lone surrogates (invalid Unicode): remove them')
