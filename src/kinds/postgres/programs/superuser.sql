-- Prints the name of a superuser that can log in.
select rolname from pg_catalog.pg_roles where rolsuper and rolcanlogin order by oid limit 1;
