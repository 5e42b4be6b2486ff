/** The URLs and the authority with which clients connect to a database, in its record. */
import { z } from 'zod'

export const Connection = z
  .object({
    internalUrl: z.string().describe("URL for services on Berth's network"),
    externalUrl: z
      .string()
      .nullable()
      .describe(
        'URL for clients outside the swarm; null without an external port, and while the service is not deployed or is stopped',
      ),
    caCertificate: z
      .string()
      .nullable()
      .describe(
        'Certificates that clients have to trust, as PEM: two during a rotation of the authority. Null if the ' +
          'server has no TLS',
      ),
    verifiedInternalUrl: z
      .string()
      .nullable()
      .describe(
        'internalUrl with which the client verifies the server. It reads caCertificate from the file ca.pem in ' +
          'the folder where it runs. Null if the server has no TLS',
      ),
    verifiedExternalUrl: z
      .string()
      .nullable()
      .describe(
        'externalUrl with which the client verifies the server, in the same way; null like the other two. It has the ' +
          'address of the node if BERTH_PUBLIC_HOST is the host of BERTH_PUBLIC_URL',
      ),
  })
  .describe(
    'URLs with which clients connect. After the first deploy they have the deployed credentials and port, even while ' +
      'pendingChanges is true. A masked password is ******** here too',
  )
