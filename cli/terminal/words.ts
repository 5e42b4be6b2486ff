/** Says messages of the API in the words of the command line: options for fields, commands for operations. Pure. */

/** The option that sets a field, for the commands that have the option. */
export const optionOfField: Readonly<Record<string, string>> = {
  memoryLimit: '--memory',
  cpuLimit: '--cpu',
  startTimeout: '--start-timeout',
  externalPort: '--port',
  appName: '--app-name',
  dockerImage: '--image',
  nodeLabel: '--label',
  databaseUser: '--user',
  databaseName: '--database-name',
  replicaSet: '--replica-set',
  databasePassword: '--ask-password',
  databaseRootPassword: '--ask-root-password',
  command: '--command',
  node: '--node',
  description: '--description',
  expiresAt: '--expires',
  keepLatest: '--keep',
}

/** The command that makes the same call. */
export const commandOfOperation: Readonly<Record<string, string>> = {
  'auth.createToken': 'berth token create',
  'auth.tokens': 'berth token ls',
  'user.all': 'berth user ls',
  'project.all': 'berth project ls',
  'database.all': 'berth ls',
  'cluster.getNodes': 'berth node ls',
  'destination.all': 'berth destination ls',
  'registry.all': 'berth registry ls',
  'volume.all': 'berth volume ls',
  'state.schedule': 'berth state schedule',
  'backup.acceptShrink': 'berth backup accept',
  ...Object.fromEntries(
    ['postgres', 'mysql', 'mariadb', 'mongo', 'redis'].flatMap((kind) =>
      ['deploy', 'start', 'stop', 'reload', 'move'].map((verb) => [`${kind}.${verb}`, `berth ${verb}`]),
    ),
  ),
}

/** The option that sets a field of these commands to true. */
const switches: Readonly<Record<string, string>> = {
  acceptNewData: '--accept-new-data',
  anew: '--anew',
  pull: '--pull',
}

/** The text with commands in place of operations. */
export const inCommands = (text: string): string =>
  text
    .replace(/ with (acceptNewData|anew|pull): true\b/g, (_, field: string) => ` ${switches[field]}`)
    .replace(/(\bCall )?\b([a-z]+\.[A-Za-z]+)\b/g, (whole, call: string | undefined, name: string) => {
      const command = commandOfOperation[name]
      if (command === undefined) return whole
      return call === undefined ? command : `Type ${command}`
    })

/** A message about wrong fields, with those options in their place that the command has. @param options such as `--port` */
export const inOptions = (message: string, options: readonly string[]): string =>
  message.replace(/(^|; )(\w+): /g, (whole, before: string, field: string) => {
    const option = optionOfField[field]
    return option !== undefined && options.includes(option) ? `${before}${option}: ` : whole
  })
