-- How often each token called each endpoint on each day (UTC), so that whoever is told that an endpoint ends is told whether
-- it concerns them. Replicas add to it in batches, every few seconds, and rewrite the same rows all day: hence the room in
-- its pages. Days that nobody asks for any more are pruned.
create table token_calls (
  token_id text not null references api_tokens (id) on delete cascade,
  endpoint text not null,
  day date not null,
  calls bigint not null check (calls > 0),
  primary key (token_id, endpoint, day)
) with (fillfactor = 80);
create index token_calls_by_day on token_calls (day);
