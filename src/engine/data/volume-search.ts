/** The methods of the engine that find and recognize volumes, also volumes that no container mounts. */
export interface VolumeSearchEngine {
  /**
   * Returns the names of all volumes of this installation on the node. Throws EngineFailure `nodeUnreachable` or
   * `nodeMissing`.
   */
  ownVolumes(nodeId: string): Promise<string[]>
  /**
   * Returns the mark of the data on a volume; null if there is none. Throws EngineFailure `missing` if the node does not
   * have the volume, `nodeUnreachable` or `nodeMissing`.
   *
   * @param folder the data folder in the volume: '' or a path that begins with a slash
   * @param image an image with `sh` and `head`, for a job on the engine's own node
   */
  volumeMark(name: string, nodeId: string, folder: string, image: string): Promise<string | null>
  /**
   * Returns whether a volume contains no files. It may contain folders. Throws EngineFailure `missing` if the node does
   * not have the volume, `nodeUnreachable` or `nodeMissing`.
   *
   * @param image an image with `sh` and `find`, for a job on the engine's own node
   */
  isVolumeEmpty(name: string, nodeId: string, image: string): Promise<boolean>
}
