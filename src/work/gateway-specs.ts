/**
 * Small proxies that hold a port of the node and forward it to the tasks of a service, by name: what is behind them
 * never restarts for a port, and they follow it wherever it goes. Pure. Knows neither databases nor applications.
 */
import type { Protocol, ServiceSpec } from '../engine/spec.ts'

const mebibyte = 1024 * 1024

export interface Gateway {
  name: string
  labels: Record<string, string>
  image: string
  nodeId: string
  /** The port of the node. */
  published: number
  /** A name on Berth's network, whose addresses are those of the tasks. */
  target: string
  targetPort: number
}

/** Above 1023, for neither proxy is root. */
const insidePort = 15000

/** By HAProxy: `mostTargets` addresses at once, in turn; those beyond wait for a place. */
export function tcpGateway(it: Gateway & { mostTargets: number }): ServiceSpec {
  return {
    ...gateway(it, 'tcp'),
    env: { BERTH_TARGET: it.target, BERTH_TARGET_PORT: String(it.targetPort) },
    files: [{ path: '/usr/local/etc/haproxy/haproxy.cfg', content: haproxyConfiguration(it.mostTargets) }],
  }
}

const nginxPath = '/etc/berth/nginx.conf'
const followPath = '/etc/berth/follow.sh'
/** Whoever the image starts as: files of its own it needs none. */
const nobody = '65534:65534'

/** By the stream module of nginx: all that a client sends from one port goes to the same task, while that is there. */
export function udpGateway(it: Gateway): ServiceSpec {
  return {
    ...gateway(it, 'udp'),
    env: { BERTH_TARGET: it.target },
    args: ['sh', followPath],
    files: [
      { path: nginxPath, content: nginxConfiguration(it) },
      { path: followPath, content: follow },
    ],
    user: nobody,
  }
}

function gateway(it: Gateway, protocol: Protocol): ServiceSpec {
  return {
    name: it.name,
    labels: it.labels,
    image: it.image,
    env: {},
    args: [],
    mounts: [],
    files: [],
    health: null,
    ports: [{ published: it.published, target: insidePort, protocol }],
    user: null,
    capabilities: [],
    nodeId: it.nodeId,
    memoryLimitBytes: 128 * mebibyte,
    memoryReservationBytes: null,
    cpuLimitNano: null,
    cpuReservationNano: null,
    stopGraceSeconds: 5,
    replicas: 1,
    restarts: 0,
  }
}

/**
 * Looks the name up again every second, so that it follows a task to its new address; no idle limit on connections,
 * dead peers are found by keep-alive. Source of the directives: HAProxy 3.0 configuration manual.
 */
function haproxyConfiguration(mostTargets: number): string {
  return `global
  maxconn 4000
defaults
  mode tcp
  timeout connect 1s
  timeout client 0
  timeout server 0
  option clitcpka
  option srvtcpka
  option redispatch 1
  retries 5
resolvers engine
  nameserver dns 127.0.0.11:53
  accepted_payload_size 8192
  resolve_retries 3
  timeout resolve 1s
  timeout retry 1s
  hold valid 1s
  hold nx 1s
  hold obsolete 1s
listen target
  bind :${insidePort}
  server-template task 1-${mostTargets} "\${BERTH_TARGET}:\${BERTH_TARGET_PORT}" check inter 500ms fall 2 rise 1 \
resolvers engine init-addr none
`
}

/** As the swarm takes names of services: nothing that nginx would read as more than a name. */
const plainName = /^[A-Za-z0-9._-]+$/

/**
 * Debian's nginx has the stream module in a file of its own, which the folder names; the official one has it built in,
 * and no such folder. A name in a variable is looked up for each new client. Source: the nginx documentation.
 */
function nginxConfiguration({ target, targetPort }: Gateway): string {
  if (!plainName.test(target)) throw new Error(`"${target}" is no name of a service`)
  return `include /etc/nginx/modules-enabled/*.conf;
daemon off;
worker_processes 1;
worker_shutdown_timeout 2s;
pid /tmp/nginx.pid;
error_log stderr warn;
events {
  worker_connections 16384;
}
stream {
  resolver 127.0.0.11 valid=1s ipv6=off;
  resolver_timeout 2s;
  map $server_port $target {
    default ${target};
  }
  server {
    listen ${insidePort} udp;
    proxy_pass $target:${targetPort};
    proxy_timeout 120s;
  }
}
`
}

/**
 * A client that goes on sending would be held to a task that is gone for ever: UDP tells nobody. When an address goes,
 * or the first one comes, nginx begins anew with all clients, and loses nothing by it.
 */
const follow = `known=
while sleep 1; do
  now=$(getent hosts "$BERTH_TARGET" | cut -d' ' -f1)
  [ "$now" != "$known" ] || continue
  for address in \${known:-none}; do
    echo "$now" | grep -qxF "$address" || { kill -HUP 1; break; }
  done
  known=$now
done &
exec nginx -e stderr -c ${nginxPath}
`
