/** Where the parts of an installed release are. Pure. */
import { join } from 'node:path'

export interface Layout {
  /** The folder that stands for `/`. Another one is for images and tests. */
  root: string
  /** The folder with a folder for each version. */
  programs: string
  /** The link to the folder of the version that runs. */
  current: string
  /** The link by which people call `berth`. */
  command: string
  unit: string
  /** The settings of the service. */
  settings: string
  dataFolder: string
}

export const layoutIn = (root: string): Layout => ({
  root,
  programs: join(root, 'opt/berth'),
  current: join(root, 'opt/berth/current'),
  command: join(root, 'usr/local/bin/berth'),
  unit: join(root, 'etc/systemd/system/berth.service'),
  settings: join(root, 'etc/berth.env'),
  dataFolder: join(root, 'var/lib/berth'),
})

/** The targets of the links and settings, as the machine with this root sees them. */
export const targets = { command: '/opt/berth/current/bin/berth', dataFolder: '/var/lib/berth' }

export const unitName = 'berth.service'
