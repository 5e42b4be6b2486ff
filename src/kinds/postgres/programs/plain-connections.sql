-- Counts the sessions of clients over the network without TLS. Loopback is inside the container.
SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
WHERE NOT ssl AND client_addr IS NOT NULL AND NOT client_addr <<= '127.0.0.0/8' AND client_addr <> '::1'
AND application_name <> 'berth'
