-- Ends the sessions over the network that use no TLS, also those that copy the server's data (WAL senders).
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
WHERE NOT ssl AND client_addr IS NOT NULL
