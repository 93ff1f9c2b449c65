-- Every timestamp that the service writes or compares comes from wheelwright_now(). So replicas with different clocks agree,
-- and a test can move time by a row in clock_shift. In production clock_shift is empty. The precision is one millisecond,
-- as in the API: with a finer value, pages by time would skip rows.
create table clock_shift (
  only_row boolean primary key default true check (only_row),
  shift interval not null
);

create function wheelwright_now() returns timestamptz(3)
language sql volatile parallel safe
as $$ select (clock_timestamp() + coalesce((select shift from clock_shift), interval '0'))::timestamptz(3) $$;
