/** Which messages a channel gets, in words. Pure. */
import type { Channel } from './channel-input.ts'
import { conditionTitles } from './conditions.ts'

const allTexts: Record<Channel['minSeverity'], string> = {
  info: 'all conditions',
  warning: 'warnings and critical conditions',
  critical: 'only critical conditions',
}

const someTexts: Record<Channel['minSeverity'], string> = {
  info: 'only these conditions',
  warning: 'these conditions, if they are warnings or critical',
  critical: 'these conditions, if they are critical',
}

type Rules = Pick<Channel, 'minSeverity' | 'conditions' | 'repeatHours'>

/** @param projects the names of the projects to which the channel is limited; undefined: it is not */
export function rulesText({ minSeverity, conditions, repeatHours }: Rules, projects?: readonly string[]): string {
  const titles = conditions?.map((each) => conditionTitles[each].toLowerCase())
  return [
    titles === undefined ? allTexts[minSeverity] : `${someTexts[minSeverity]}: ${titles.join(', ')}`,
    ...(projects === undefined ? [] : [`of ${countedProjects(projects)}`]),
    repeatHours === null
      ? 'never repeated'
      : `repeated every ${repeatHours === 1 ? 'hour' : `${repeatHours} hours`} while present`,
  ].join('; ')
}

const countedProjects = (names: readonly string[]) =>
  names.length === 1 ? `the project ${names[0]}` : `the projects ${names.join(', ')}`
