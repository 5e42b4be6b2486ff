/**
 * The types of the parts of Docker's JSON that Berth reads, named as in Docker's documentation (API 1.41 and later).
 */

type Labels = Record<string, string> | null

export interface ApiService {
  ID: string
  Version: { Index: number }
  CreatedAt: string
  Spec: ApiServiceSpec
  /** The ports that the swarm assigned. */
  Endpoint?: { Ports?: ApiPort[] | null }
  /** Present if the request had `status=true`. */
  ServiceStatus?: { RunningTasks: number; DesiredTasks: number } | null
}

export interface ApiPort {
  Protocol?: string
  PublishMode?: string
  PublishedPort?: number
  TargetPort?: number
}

export interface ApiServiceSpec {
  Name: string
  Labels?: Labels
  TaskTemplate: {
    ContainerSpec?: ApiContainerSpec
    Resources?: { Limits?: ApiResources | null; Reservations?: ApiResources | null } | null
    ForceUpdate?: number
    Placement?: { Constraints?: string[] | null }
    Networks?: ApiAttachment[] | null
  }
  /** Used by older clients in place of `TaskTemplate.Networks`. */
  Networks?: ApiAttachment[] | null
  Mode?: { Replicated?: { Replicas?: number } }
  EndpointSpec?: { Mode?: string; Ports?: ApiPort[] | null }
}

export interface ApiResources {
  MemoryBytes?: number
  NanoCPUs?: number
}

export interface ApiAttachment {
  /** The id or the name of the network. */
  Target?: string
}

export interface ApiContainerSpec {
  Image?: string
  Command?: string[] | null
  Args?: string[] | null
  Env?: string[] | null
  User?: string
  CapabilityAdd?: string[] | null
  CapabilityDrop?: string[] | null
  Dir?: string
  Mounts?:
    | { Type: string; Source?: string; Target?: string; ReadOnly?: boolean; TmpfsOptions?: { SizeBytes?: number } }[]
    | null
  Configs?: { ConfigID: string; File?: { Name?: string } }[] | null
  Secrets?: { SecretID: string; File?: { Name?: string } }[] | null
  Healthcheck?: { Test?: string[] | null }
  StopGracePeriod?: number
}

export interface ApiTask {
  ID: string
  CreatedAt: string
  UpdatedAt: string
  ServiceID?: string
  NodeID?: string
  DesiredState: string
  Spec: { ContainerSpec?: { Image?: string; Labels?: Labels } }
  Status: {
    State: string
    Message?: string
    Err?: string
    ContainerStatus?: { ContainerID?: string; ExitCode?: number } | null
  }
  NetworksAttachments?: { Network: { Spec: { Name: string } }; Addresses?: string[] | null }[] | null
}

export interface ApiNode {
  ID: string
  Version: { Index: number }
  Spec: ApiNodeSpec
  /** Empty until the node reports its description. */
  Description: {
    Hostname?: string
    Resources?: { NanoCPUs?: number; MemoryBytes?: number }
    Engine?: { EngineVersion?: string }
  }
  Status: { State: string; Addr?: string }
  ManagerStatus?: { Leader?: boolean; Reachability?: string; Addr: string } | null
}

/** Must be complete in an update: a field that is left out is removed. */
export interface ApiNodeSpec {
  Name?: string
  Labels?: Labels
  Role: string
  Availability: string
}

export interface ApiInfo {
  ServerVersion: string
  MemTotal: number
  Swarm: { NodeID: string; NodeAddr: string; LocalNodeState: string; ControlAvailable: boolean; Error: string }
}

export interface ApiSwarm {
  Version: { Index: number }
  /** Sent back unchanged in updates. */
  Spec: unknown
  JoinTokens: { Worker: string; Manager: string }
}

export interface ApiNetwork {
  Id: string
  Name: string
  Driver: string
  Scope: string
  Attachable: boolean
  Internal: boolean
  IPAM: { Config?: { Subnet?: string }[] | null }
}

export interface ApiNetworkDetails {
  /** Running containers, by id. */
  Containers?: Record<string, { IPv4Address?: string }> | null
}

export interface ApiConfig {
  ID: string
  Version: { Index: number }
  Spec: { Name: string; Labels?: Labels; Data?: string }
}

export interface ApiContainer {
  Id: string
  Names: string[]
  State: string
  Labels?: Labels
  /** In seconds since 1970. */
  Created?: number
  /** By network name. */
  NetworkSettings?: { Networks?: Record<string, unknown> | null }
}

export interface ApiVolume {
  Name: string
  /** The folder on the node. */
  Mountpoint: string
  Labels: Labels | null
}

export interface ApiContainerDetails {
  Id: string
  Config?: { Labels?: Labels }
  State: { Running: boolean; ExitCode: number; OOMKilled: boolean; StartedAt: string; FinishedAt: string }
  /** Host paths and the paths inside the container at which they are mounted. */
  Mounts?: { Source: string; Destination: string }[]
  HostConfig: { Memory?: number }
}

/** Two samples, about one second apart. */
export interface ApiStats {
  read: string
  preread: string
  cpu_stats: { cpu_usage: { total_usage: number } }
  precpu_stats: { cpu_usage: { total_usage: number } }
  memory_stats: { usage?: number; stats?: { total_inactive_file?: number; inactive_file?: number } }
}

export interface ApiExec {
  Running: boolean
  ExitCode: number | null
}

export interface ApiImage {
  Id: string
  Architecture: string
  RepoDigests?: string[] | null
  Config?: { Env?: string[] | null; Entrypoint?: string[] | null; Cmd?: string[] | null } | null
}

export interface ApiEvent {
  Type: string
  Action: string
  Actor: { Attributes?: Record<string, string> }
}

/** The answer of POST /containers/{id}/wait. */
export interface ApiWait {
  StatusCode: number
  Error?: { Message?: string } | null
}
