-- The one clock. Every timestamp the service writes or judges by comes from wheelwright_now(), so that replicas
-- whose own clocks differ agree, and so that a test can move time by a row in clock_shift. In production that
-- table is empty. Milliseconds, because the wire has milliseconds: a finer value would skip rows when paging.
create table clock_shift (
  only_row boolean primary key default true check (only_row),
  shift interval not null
);

create function wheelwright_now() returns timestamptz(3)
language sql volatile parallel safe
as $$ select (clock_timestamp() + coalesce((select shift from clock_shift), interval '0'))::timestamptz(3) $$;
