-- Every timestamp that the service writes or compares comes from wheelwright_now(), so replicas with different clocks agree.
-- A test can move the time with a row in clock_shift, which is empty in production. The precision is one millisecond, as in
-- the API: with a finer precision, pages that are sorted by time would skip rows.
create table clock_shift (
  only_row boolean primary key default true check (only_row),
  shift interval not null
);

create function wheelwright_now() returns timestamptz(3)
language sql volatile parallel safe
as $$ select (clock_timestamp() + coalesce((select shift from clock_shift), interval '0'))::timestamptz(3) $$;
