/** The parts of Docker's JSON that Berth reads, as its documentation writes them (API 1.41 and later). Types only. */

type Labels = Record<string, string> | null

export interface ApiService {
  ID: string
  Version: { Index: number }
  Spec: {
    Name: string
    Labels?: Labels
    TaskTemplate: { ContainerSpec?: { Configs?: { ConfigID: string }[] | null } }
  }
}

export interface ApiTask {
  ID: string
  CreatedAt: string
  UpdatedAt: string
  ServiceID?: string
  NodeID?: string
  DesiredState: string
  Spec: { ContainerSpec?: { Labels?: Labels } }
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
  Spec: { Availability: string }
  Description: { Hostname: string }
  Status: { State: string; Addr?: string }
  ManagerStatus?: { Addr: string } | null
}

export interface ApiInfo {
  Swarm: { NodeID: string; LocalNodeState: string; ControlAvailable: boolean; Error: string }
}

export interface ApiNetwork {
  Id: string
  Name: string
  Driver: string
  Scope: string
  Attachable: boolean
  IPAM: { Config?: { Subnet?: string }[] | null }
}

export interface ApiConfig {
  ID: string
  Spec: { Name: string; Labels?: Labels; Data?: string }
}

export interface ApiContainer {
  Names: string[]
  State: string
}

export interface ApiContainerDetails {
  State: { Running: boolean; ExitCode: number; OOMKilled: boolean }
}

export interface ApiExec {
  Running: boolean
  ExitCode: number | null
}

export interface ApiImage {
  Architecture: string
  RepoDigests?: string[] | null
  Config?: { Env?: string[] | null } | null
}

export interface ApiEvent {
  Type: string
  Action: string
  Actor: { Attributes?: Record<string, string> }
}
