-- Counts the sessions of clients over the network without TLS. Loopback is inside the container. Prints nothing if the
-- server does not collect this.
select count(*) from performance_schema.threads where connection_type = 'TCP/IP'
and processlist_host not in ('localhost', '127.0.0.1', '::1') having @@performance_schema
