/** Fields of conditions that several operations share. */
import { z } from 'zod'
import { conditionNames, subjectKinds } from '../table.ts'

export const ConditionNameField = z
  .enum(conditionNames, 'must be the name of a condition, see docs/conditions.md')
  .meta({ title: 'ConditionName' })

export const SubjectKindField = z
  .enum(subjectKinds, `must be one of ${subjectKinds.join(', ')}`)
  .meta({ title: 'ConditionSubjectKind' })
