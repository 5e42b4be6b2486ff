/** The files of a certificate in the volume that a server and its tools mount. Pure. */
import { basename } from 'node:path'
import type { VolumeFile, VolumeFiles } from '../../engine/volumes/volume-files.ts'
import { type Kind, tlsFolder, tlsPaths } from '../../kinds/kind.ts'
import type { Mount } from '../../engine/spec.ts'
import type { VolumeTable } from '../../store/schema.ts'

/** The name of the volume with the certificate of the server whose data is on the volume with this id. */
export const tlsVolumeName = (volumeId: string) => `berth-tls-${volumeId}`

/** The mount with which a server reads its certificate. The volume exists before the container. */
export const tlsMount = (volumeId: string): Mount => ({
  type: 'volume',
  path: tlsFolder,
  name: tlsVolumeName(volumeId),
  sizeBytes: 0,
  labels: {},
  isReadOnly: true,
})

export interface CertificateFiles {
  certificatePem: string
  keyPem: string
  /** The certificates of the authority to trust. */
  ca: string
}

/** @param image the image of the server, which has the user that owns the key */
export function tlsVolumeFiles(
  kind: Kind,
  databaseId: string,
  { id, nodeId, appName }: Pick<VolumeTable, 'id' | 'nodeId' | 'appName'>,
  image: string,
  { certificatePem, keyPem, ca }: CertificateFiles,
): VolumeFiles {
  return {
    volume: tlsVolumeName(id),
    nodeId,
    image,
    owner: kind.tls!.user,
    labels: { 'berth.kind': kind.name, 'berth.app-name': appName },
    files: [
      file(tlsPaths.ca, ca, 0o644),
      file(tlsPaths.certificate, certificatePem, 0o644),
      file(tlsPaths.key, keyPem, 0o600),
      file(tlsPaths.combined, certificatePem + keyPem, 0o600),
    ],
    recordId: databaseId,
  }
}

const file = (path: string, content: string, mode: number): VolumeFile => ({ name: basename(path), content, mode })
