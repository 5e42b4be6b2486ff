/** The parts of Docker's JSON that Berth reads, as its documentation writes them (API 1.41 and later). Types only. */

type Labels = Record<string, string> | null

export interface ApiService {
  ID: string
  Version: { Index: number }
  CreatedAt: string
  Spec: ApiServiceSpec
  /** As the swarm assigned it. */
  Endpoint?: { Ports?: ApiPort[] | null }
  /** Where it was asked for. */
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
    Resources?: unknown
    Placement?: { Constraints?: string[] | null }
    Networks?: ApiAttachment[] | null
  }
  /** Where older clients name them. */
  Networks?: ApiAttachment[] | null
  Mode?: { Replicated?: { Replicas?: number } }
  EndpointSpec?: { Mode?: string; Ports?: ApiPort[] | null }
}

/** `Target` is the network's id, or its name. */
export interface ApiAttachment {
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
  /** Empty until the node has told of itself. */
  Description: {
    Hostname?: string
    Resources?: { NanoCPUs?: number; MemoryBytes?: number }
    Engine?: { EngineVersion?: string }
  }
  Status: { State: string; Addr?: string }
  ManagerStatus?: { Leader?: boolean; Reachability?: string; Addr: string } | null
}

/** Whole: what an update leaves out is taken away. */
export interface ApiNodeSpec {
  Name?: string
  Labels?: Labels
  Role: string
  Availability: string
}

export interface ApiInfo {
  ServerVersion: string
  Swarm: { NodeID: string; NodeAddr: string; LocalNodeState: string; ControlAvailable: boolean; Error: string }
}

/** `Spec` is sent back as it came. */
export interface ApiSwarm {
  Version: { Index: number }
  Spec: unknown
  JoinTokens: { Worker: string; Manager: string }
}

export interface ApiNetwork {
  Id: string
  Name: string
  Driver: string
  Scope: string
  Attachable: boolean
  IPAM: { Config?: { Subnet?: string }[] | null }
}

export interface ApiNetworkDetails {
  /** By their ids; of those that run. */
  Containers?: Record<string, { IPv4Address?: string }> | null
}

export interface ApiConfig {
  ID: string
  Spec: { Name: string; Labels?: Labels; Data?: string }
}

export interface ApiContainer {
  Id: string
  Names: string[]
  State: string
  Labels?: Labels
  /** In seconds since 1970. */
  Created?: number
  /** By the network's name. */
  NetworkSettings?: { Networks?: Record<string, unknown> | null }
}

export interface ApiContainerDetails {
  Id: string
  Config?: { Labels?: Labels }
  State: { Running: boolean; ExitCode: number; OOMKilled: boolean; StartedAt: string; FinishedAt: string }
  /** Where things of the node are inside. */
  Mounts?: { Source: string; Destination: string }[]
  HostConfig: { Memory?: number }
}

/** Two samples, about a second apart. */
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
  Config?: { Env?: string[] | null } | null
}

export interface ApiEvent {
  Type: string
  Action: string
  Actor: { Attributes?: Record<string, string> }
}

/** How a container ended, as the engine answers who waits for it. */
export interface ApiWait {
  StatusCode: number
  Error?: { Message?: string } | null
}
